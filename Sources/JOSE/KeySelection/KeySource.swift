// The protocol of key sources, which may fetch keys.

/// A source of another party's keys that may have to fetch them, such as a JWK Set behind a URL.
public protocol KeySource: Sendable {
    /// Returns the keys to verify a token with.
    ///
    /// - Parameter keyID: The `kid` of the token. If the set lacks that key, the source may fetch a
    ///   newer set, within its own limits. A returned set without the key means that no such key
    ///   exists.
    ///
    /// If the set has expired and a newer one cannot be fetched, return
    /// `PublicJWKSet.markedStale()` for a limited time, and throw `unavailable` after that.
    ///
    /// - Throws: `unavailable` if there is no set, if it is too old, or if it lacks the key and a
    ///   newer one could not be fetched. Never throw `keyNotFound`, which means that the token is
    ///   wrong.
    func keys(keyID: String?) async throws(JOSEError) -> PublicJWKSet
}

extension JOSEError {
    /// Returns the error for a rejection by a source's keys: `unavailable` if newer keys might
    /// accept the token. `isStale` is whether newer keys may exist (`PublicJWKSet.markedStale()`).
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
