// The documents of a provider, as answers of HTTP.

public import JOSE

extension OpenIDProvider {
    /// The answer at `ProviderMetadata.address(issuer:)` (OpenID Connect Discovery 1.0, 4.2).
    ///
    /// - Parameter secondsKept: How long caches may keep it, 0 to 86400 seconds.
    /// - Throws: `misuse` where it cannot be written, and for the time.
    public func discoveryAnswer(secondsKept: Int = 300) throws(JOSEError) -> HTTPAnswer {
        try .published(
            try discoveryDocument(), type: "application/json", secondsKept: secondsKept)
    }

    /// The answer at `jwks_uri`; see `HTTPAnswer.keySet`.
    ///
    /// - Throws: As there.
    public func keySetAnswer(
        secondsKept: Int = 300, at now: NumericDate? = nil
    ) throws(JOSEError) -> HTTPAnswer {
        try .keySet(keys, for: profile, secondsKept: secondsKept, at: now)
    }
}
