// Key files that a program has as texts.

extension KeyFileContents {
    /// Reads a PEM file or a JWK from a text; see `init(_:password:limits:)` over a span.
    ///
    /// Texts cannot be wiped: a program that must not leave a private key or a password in memory passes bytes.
    public init(
        _ text: String, password: String? = nil, limits: JOSELimits = .standard
    ) throws(JOSEError) {
        if let password {
            try self.init(text.utf8.span, password: password, limits: limits)
        } else {
            try self.init(text.utf8.span, limits: limits)
        }
    }
}
