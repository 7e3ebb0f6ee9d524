// Functions of libcrypto that concern the whole process.

internal import CJOSECrypto

/// Why the installed libcrypto cannot be used at all, or cannot generate random numbers.
package enum LibraryFailure {
    /// Its version is not supported, or its major version is not that of the headers.
    case version
    /// Its error queue differs from that of the headers.
    case queue
    /// It has no default provider.
    case provider
    /// It has no generator for random numbers.
    case generator
}

/// The process in which libcrypto runs.
package enum HostProcess {
    /// Prevents libcrypto from reading its configuration file; only for the main program.
    package static func ignoreConfiguration() throws(CryptoError) {
        try check(jose_ignore_configuration())
    }

    /// Keeps libcrypto from cleaning up when the process ends; call it before anything else uses
    /// libcrypto.
    package static func keepAtExit() { jose_skip_exit_cleanup() }

    /// Whether a libcrypto with this `OpenSSL_version_num` is supported: 3.0.2, or 3.0.7 or newer.
    package static func supports(openSSL number: UInt) -> Bool { jose_openssl_supported(number) }

    /// Whether this library was tested with the series (major and minor version) of this
    /// `OpenSSL_version_num`: 3.0, 3.5 or 4.0.
    package static func hasTested(openSSL number: UInt) -> Bool { jose_openssl_tested(number) }

    /// The version number of the installed libcrypto.
    package static var libraryNumber: UInt { jose_library_number() }

    /// Why the installed libcrypto cannot be used, as its last use found out; nil if it can.
    package static var libraryFailure: LibraryFailure? {
        switch jose_library_failure() {
        case .JOSE_START_FAILURE_NONE: nil
        case .JOSE_START_FAILURE_VERSION: .version
        case .JOSE_START_FAILURE_QUEUE: .queue
        case .JOSE_START_FAILURE_PROVIDER: .provider
        case .JOSE_START_FAILURE_GENERATOR: .generator
        }
    }

    /// The version of the installed libcrypto, such as `3.0.17`.
    package static var libraryVersion: String {
        // Safe: C returns a string constant.
        unsafe String(cString: jose_library_version())
    }
}
