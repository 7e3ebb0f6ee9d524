// Functions that concern libcrypto in the whole process.

internal import CJOSECrypto

/// Why the installed libcrypto cannot be used, or cannot generate random numbers.
package enum LibraryFailure {
    /// Its version is not supported, or its major version is not that of the headers.
    case version
    /// The structure or the size of its error queue is not that of the headers.
    case queue
    case provider
    case generator
}

package enum HostProcess {
    /// Makes libcrypto read no configuration file. Only for programs that own their process.
    package static func ignoreConfiguration() throws(CryptoError) {
        try check(jose_ignore_configuration())
    }

    /// Makes libcrypto not clean up at exit. Call this before libcrypto's first use in the process.
    package static func keepAtExit() { jose_skip_exit_cleanup() }

    /// Whether this `OpenSSL_version_num` is supported: 3.0.2, or 3.0.7 and newer.
    package static func supports(openSSL number: UInt) -> Bool { jose_openssl_supported(number) }

    /// Whether the series of this `OpenSSL_version_num` was tested: 3.0, 3.5 or 4.0.
    package static func hasTested(openSSL number: UInt) -> Bool { jose_openssl_tested(number) }

    package static var libraryNumber: UInt { jose_library_number() }

    /// What the last start of libcrypto found; nil if it can be used.
    package static var libraryFailure: LibraryFailure? {
        switch jose_library_failure() {
        case .JOSE_START_FAILURE_NONE: nil
        case .JOSE_START_FAILURE_VERSION: .version
        case .JOSE_START_FAILURE_QUEUE: .queue
        case .JOSE_START_FAILURE_PROVIDER: .provider
        case .JOSE_START_FAILURE_GENERATOR: .generator
        }
    }

    /// Such as `3.0.17`.
    package static var libraryVersion: String {
        // Safe: C returns a string constant.
        unsafe String(cString: jose_library_version())
    }
}
