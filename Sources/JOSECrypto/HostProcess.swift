// What only a program that owns its process may do to libcrypto.

internal import CJOSECrypto

/// The process in which libcrypto runs.
package enum HostProcess {
    /// Keeps libcrypto from reading its configuration file; a library must not do this to its host.
    package static func ignoreConfiguration() throws(CryptoFault) {
        try check(jose_ignore_configuration())
    }

    /// Whether a libcrypto of this number (`OpenSSL_version_num`) is used: 3.0.8 or newer of version 3.
    package static func supports(openSSL number: UInt) -> Bool { jose_openssl_supported(number) }

    /// The version of the libcrypto that runs, such as `3.0.17`.
    package static var libraryVersion: String {
        // Safe: C gives a text that lives forever.
        unsafe String(cString: jose_library_version())
    }
}
