// Key files and passwords that a program has as texts.

extension KeyFileContents {
    /// Reads a PEM file or a JWK from a text; see `init(_:password:limits:)` over a span.
    ///
    /// Texts cannot be wiped: a program that must not leave a private key or a password in memory passes bytes.
    public init(
        _ text: String, password: String? = nil, limits: JOSELimits = .standard
    ) throws(JOSEError) {
        try self.init(
            text.utf8.span, password: password.map { Array($0.utf8) }, limits: limits)
    }

    /// Reads a file from its bytes under a password; see `init(_:password:limits:)` over a span.
    public init(
        _ bytes: [UInt8], password: String, limits: JOSELimits = .standard
    ) throws(JOSEError) {
        try self.init(bytes.span, password: Array(password.utf8), limits: limits)
    }
}

extension JWK {
    /// Lends the private key as encrypted PKCS#8; see the same function with the password's bytes.
    public func withPrivateKeyFile<Result>(
        _ encoding: KeyFileEncoding, password: String,
        _ body: (Span<UInt8>) throws(JOSEError) -> Result
    ) throws(JOSEError) -> Result {
        try withPrivateKeyFile(encoding, password: Array(password.utf8), body)
    }

    /// The private key with its certificates as a PKCS#12 file; see the same function with the password's bytes.
    public func pkcs12File(password: String) throws(JOSEError) -> [UInt8] {
        try pkcs12File(password: Array(password.utf8))
    }
}
