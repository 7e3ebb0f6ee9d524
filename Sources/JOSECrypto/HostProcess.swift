// What only a program that owns its process may do to libcrypto.

internal import CJOSECrypto

/// Why nothing, or nothing that draws random numbers, can be done with the libcrypto that runs.
package enum LibraryFailure {
    /// Its version is not one that is used.
    case version
    /// Its error queue lies otherwise in memory than its headers said.
    case queue
    /// The default provider is not in it.
    case provider
    /// What it draws random numbers with is not.
    case generator
}

/// The process in which libcrypto runs.
package enum HostProcess {
    /// Keeps libcrypto from reading its configuration file; a library must not do this to its host.
    package static func ignoreConfiguration() throws(CryptoError) {
        try check(jose_ignore_configuration())
    }

    /// Has libcrypto clear nothing up when the process ends, as every first use of it does: before something else uses it.
    package static func keepAtExit() { jose_skip_exit_cleanup() }

    /// Whether a libcrypto of this number (`OpenSSL_version_num`) is used: 3.0.2, or 3.0.7 or newer of version 3.
    package static func supports(openSSL number: UInt) -> Bool { jose_openssl_supported(number) }

    /// The number of the libcrypto that runs.
    package static var libraryNumber: UInt { jose_library_number() }

    /// What the libcrypto that runs lacks that everything needs, as the last use of it found; nil for nothing.
    package static var trouble: LibraryFailure? {
        switch jose_library_failure() {
        case .JOSE_START_FAILURE_NONE: nil
        case .JOSE_START_FAILURE_VERSION: .version
        case .JOSE_START_FAILURE_QUEUE: .queue
        case .JOSE_START_FAILURE_PROVIDER: .provider
        case .JOSE_START_FAILURE_GENERATOR: .generator
        }
    }

    /// The version of the libcrypto that runs, such as `3.0.17`.
    package static var libraryVersion: String {
        // Safe: C gives a text that lives forever.
        unsafe String(cString: jose_library_version())
    }
}
