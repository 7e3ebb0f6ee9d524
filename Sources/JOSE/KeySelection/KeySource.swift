// Where keys come from when they must be fetched.

/// A source of the other side's keys that may have to wait for them, such as a JWK Set behind a URL.
public protocol KeySource: Sendable {
    /// The keys to judge a token with.
    ///
    /// - Parameter keyID: The `kid` that the token names; a source whose set lacks it may look for a newer set, within
    ///   its own bounds. Returning a set without the key says that there is no such key.
    ///
    /// A set that is past its time while nobody can be asked for a newer one is given as `PublicJWKSet.markedStale()`.
    ///
    /// - Throws: `unavailable` where no set that is fresh enough can be had, or where the set lacks the key and nobody
    ///   could be asked for a newer one; never `keyNotFound`, which is said of a source that answers.
    func keys(keyID: String?) async throws(JOSEError) -> PublicJWKSet
}

extension JOSEError {
    /// What a rejection by a source's keys means.
    ///
    /// - Parameters:
    ///   - isStale: Whether the keys stand in for newer ones: then what these might change is `unavailable`.
    ///   - keyID: The `kid` that was asked for.
    package func saidByKeys(isStale: Bool, keyID: String?) -> JOSEError {
        guard isStale else { return self }
        let isOpen =
            switch code {
            case .keyNotFound: true
            case .signatureInvalid, .keyUnusable, .untrustedKey: keyID == nil
            default: false
            }
        guard isOpen else { return self }
        return .unavailable(.keySet, "the keys are past their time and no newer ones can be had")
    }
}

extension PublicJWKSet: KeySource {
    /// This set.
    public func keys(keyID: String?) async throws(JOSEError) -> PublicJWKSet { self }
}
