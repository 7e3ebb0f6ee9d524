// The protocol of key sources, which fetch keys.

/// A source of another party's keys that may have to fetch them, such as a JWK Set behind a URL.
public protocol KeySource: Sendable {
    /// Returns the keys to verify a token with.
    ///
    /// - Parameter keyID: The `kid` of the token. A source whose set lacks it may fetch a newer
    ///   set, within limits of its own. Returning a set without the key means that there is no such
    ///   key.
    ///
    /// If the set has expired and a newer one cannot be fetched, return
    /// `PublicJWKSet.markedStale()` for a limited time, and throw `unavailable` after that.
    ///
    /// - Throws: `unavailable` if there is no set, or only one that is too old; also if the set
    ///   lacks the key and a newer one could not be fetched. Never throw `keyNotFound`, which means
    ///   that the token is wrong.
    func keys(keyID: String?) async throws(JOSEError) -> PublicJWKSet
}

extension JOSEError {
    /// Returns the error for a rejection by a source's keys: `unavailable` if newer keys might
    /// accept the token.
    ///
    /// - Parameters:
    ///   - isStale: Whether newer keys may exist; see `PublicJWKSet.markedStale()`.
    ///   - keyID: The requested `kid`.
    package func adjusted(forStaleKeys isStale: Bool, keyID: String?) -> JOSEError {
        guard isStale else { return self }
        let mayChange =
            switch code {
            case .keyNotFound: true
            case .signatureInvalid, .keyUnusable, .untrustedKey: keyID == nil
            default: false
            }
        guard mayChange else { return self }
        return .unavailable(
            .keySet, "the key set has expired and a newer one could not be fetched")
    }
}

extension PublicJWKSet: KeySource {
    /// Returns this set.
    public func keys(keyID: String?) async throws(JOSEError) -> PublicJWKSet { self }
}
