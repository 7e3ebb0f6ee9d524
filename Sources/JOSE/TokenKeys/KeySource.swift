// Where keys come from when they must be fetched.

/// A source of the other side's keys that may have to wait for them, such as a JWK Set behind a URL.
public protocol KeySource: Sendable {
    /// The keys to judge a token with.
    ///
    /// - Parameter keyID: The `kid` that the token names; a source whose set lacks it may look for a newer set, within
    ///   its own bounds. Returning a set without the key is right where there is no newer one.
    /// - Throws: `keyNotFound` where no set that is fresh enough can be had.
    func keys(keyID: String?) async throws(JOSEError) -> PublicJWKSet
}

extension PublicJWKSet: KeySource {
    /// This set.
    public func keys(keyID: String?) async throws(JOSEError) -> PublicJWKSet { self }
}
