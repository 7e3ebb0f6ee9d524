// Passwords as texts, beside bytes that the caller can wipe.

import JOSEBytes
import JOSECrypto

extension KeyFileContents {
    /// Reads a file under a password that is a text; see `init(_:password:limits:)` over bytes.
    ///
    /// - Parameters:
    ///   - bytes: The whole file; the caller wipes it where it holds a private key.
    ///   - password: Its UTF-8 bytes count, in no other normal form of Unicode than it has: PBES2 of PKCS#8 and PKCS#12 takes
    ///     them as they are (RFC 8018, 5), the MAC of PKCS#12 their UTF-16 with two zero bytes (RFC 7292, B.1). A `String`
    ///     cannot be wiped.
    ///   - limits: Bounds on size, chain, modulus, and on the iterations of the whole file.
    /// - Throws: As the other.
    public init(
        _ bytes: Span<UInt8>, password: String, limits: JOSELimits = .standard
    ) throws(JOSEError) {
        self = try withWipedCopy(of: password.utf8) { (password) throws(JOSEError) in
            try KeyFileContents(bytes, password: password, limits: limits)
        }
    }

    /// Reads a file from its bytes under a password that is a text; see `init(_:password:limits:)` over a span.
    public init(
        _ bytes: [UInt8], password: String, limits: JOSELimits = .standard
    ) throws(JOSEError) {
        try self.init(bytes.span, password: password, limits: limits)
    }
}

extension JWK {
    /// Lends the private key as PKCS#8, encrypted under a password that is a text; see
    /// `withPrivateKeyFile(_:password:_:)` over bytes.
    ///
    /// - Parameters:
    ///   - encoding: DER or PEM.
    ///   - password: 1 to 1,024 bytes of UTF-8 without a NUL, in no other normal form of Unicode than it has; PBKDF2 takes them
    ///     as they are (RFC 8018, 5). A `String` cannot be wiped.
    ///   - body: Takes the bytes, which live as long as the call.
    /// - Throws: As the other, and what `body` throws.
    public func withPrivateKeyFile<Result>(
        _ encoding: KeyFileEncoding, password: String,
        _ body: (Span<UInt8>) throws(JOSEError) -> Result
    ) throws(JOSEError) -> Result {
        try withWipedCopy(of: password.utf8) { (password) throws(JOSEError) in
            try withPrivateKeyFile(encoding, password: password, body)
        }
    }

    /// The private key with its certificates as a PKCS#12 file under a password that is a text; see
    /// `pkcs12File(password:)` over bytes.
    ///
    /// - Parameter password: 1 to 1,024 bytes of UTF-8 without a NUL, in no other normal form of Unicode than it has. PBES2
    ///   takes them as they are, the MAC their UTF-16 with two zero bytes (RFC 7292, B.1). A `String` cannot be wiped.
    public func pkcs12File(password: String) throws(JOSEError) -> [UInt8] {
        try withWipedCopy(of: password.utf8) { (password) throws(JOSEError) in
            try pkcs12File(password: password)
        }
    }

    #if PBES2
        /// A password as the key of PBES2 (RFC 7518, 4.8): what people must remember, and nothing else.
        ///
        /// - Parameters:
        ///   - password: Its UTF-8 bytes are the key (RFC 7518, 4.8.1.1), in no other normal form of Unicode than it has. A
        ///     `String` cannot be wiped.
        ///   - keyID: The `kid`.
        ///   - algorithm: The only algorithm that it is for.
        /// - Throws: `keyUnusable` for no bytes or more than 65,536, or an algorithm that takes no password.
        public init(
            password: String, keyID: String? = nil, algorithm: KeyManagementAlgorithm
        ) throws(JOSEError) {
            guard algorithm.family == .pbes2 else {
                throw .keyUnusable("the algorithm takes no password")
            }
            try self.init(
                symmetricKey: password.utf8, keyID: keyID, algorithm: JOSEAlgorithm(algorithm))
        }
    #endif
}
