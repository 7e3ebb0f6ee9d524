// Key files and passwords as strings, which cannot be wiped.

import JOSEBytes
import JOSECrypto

extension KeyFileContents {
    /// Reads a PEM file or a JWK from a string; see `init(_:password:limits:)` over a span. A
    /// string cannot be wiped: pass bytes if no private key or password may stay in memory.
    public init(
        _ text: String, password: String? = nil, limits: JOSELimits = .standard
    ) throws(JOSEError) {
        guard let password else {
            try self.init(text.utf8.span, limits: limits)
            return
        }
        self = try withWipedCopy(of: password.utf8) { (password) throws(JOSEError) in
            try KeyFileContents(text.utf8.span, password: password, limits: limits)
        }
    }

    /// Reads an encrypted file; see `init(_:password:limits:)` over a span.
    ///
    /// - Parameters:
    ///   - bytes: The whole file; wipe it yourself if it has a private key.
    ///   - password: The password, which cannot be wiped. It is used without Unicode normalisation:
    ///     by PBES2 as UTF-8 (RFC 8018, 5), by the MAC of PKCS#12 as UTF-16 with two zero bytes
    ///     (RFC 7292, B.1).
    ///   - limits: Limits on size, chain, modulus, and on the iterations of the whole file.
    public init(
        _ bytes: [UInt8], password: String, limits: JOSELimits = .standard
    ) throws(JOSEError) {
        self = try withWipedCopy(of: password.utf8) { (password) throws(JOSEError) in
            try KeyFileContents(bytes, password: password, limits: limits)
        }
    }
}

extension JWK {
    /// Passes the private key as encrypted PKCS#8 to `body`; see
    /// `withPrivateKeyFile(_:password:_:)` with a password in bytes.
    ///
    /// - Parameters:
    ///   - encoding: DER or PEM.
    ///   - password: 1 to 1,024 bytes of UTF-8 without a NUL, without Unicode normalisation. A
    ///     string cannot be wiped.
    ///   - body: Receives the bytes, which are valid during the call.
    public func withPrivateKeyFile<Result>(
        _ encoding: JWK.FileEncoding, password: String,
        _ body: (Span<UInt8>) throws(JOSEError) -> Result
    ) throws(JOSEError) -> Result {
        try withWipedCopy(of: password.utf8) { (password) throws(JOSEError) in
            try withPrivateKeyFile(encoding, password: password, body)
        }
    }

    /// Returns the private key with its certificates as a PKCS#12 file; see `pkcs12File(password:)`
    /// with a password in bytes.
    ///
    /// - Parameter password: 1 to 1,024 bytes of UTF-8 without a NUL, without Unicode
    ///   normalisation. A string cannot be wiped.
    public func pkcs12File(password: String) throws(JOSEError) -> [UInt8] {
        try withWipedCopy(of: password.utf8) { (password) throws(JOSEError) in
            try pkcs12File(password: password)
        }
    }

    #if PBES2
        /// Creates a key for PBES2 from a password (RFC 7518, 4.8). Use it only for secrets that
        /// people must remember.
        ///
        /// - Parameters:
        ///   - password: The password. Its UTF-8 bytes are the key (RFC 7518, 4.8.1.1), without
        ///     Unicode normalisation. A string cannot be wiped.
        ///   - keyID: The `kid`.
        ///   - algorithm: The only algorithm of the key.
        /// - Throws: `keyUnusable` for no bytes or more than 65,536, or an algorithm without
        ///   passwords.
        public init(
            password: String, keyID: String? = nil, algorithm: KeyManagementAlgorithm
        ) throws(JOSEError) {
            guard algorithm.family == .pbes2 else {
                throw .keyUnusable("{} uses no password", .name(algorithm.staticName))
            }
            try self.init(
                symmetricKey: password.utf8, keyID: keyID, algorithm: JOSEAlgorithm(algorithm))
        }
    #endif
}
