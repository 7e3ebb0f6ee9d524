// The HTTP response with a published JWK Set.

public import JOSE

extension OpenIDHTTPResponse {
    /// Creates the response at a provider's or client's `jwks_uri`: public keys with certificates.
    ///
    /// - Parameters:
    ///   - keys: Private or public keys.
    ///   - profile: The profile whose `publishedCertificates` the certificates must satisfy.
    ///   - maxAge: How long caches may keep the response, 0 to 86400 whole seconds. Publish a new
    ///     key at least that long before it signs.
    ///   - now: The time for checking certificates; the system's clock by default.
    /// - Throws: `keyUnusable` for a key without a public part; the errors of
    ///   `PublicJWKSet.checkCertificates(_:at:)`; `misuse` for an invalid `maxAge`.
    ///
    /// Source: RFC 7517, 8.5.2.
    public static func keySet(
        _ keys: JWKSet, for profile: OpenIDProfile, maxAge: Duration = .seconds(300),
        at now: NumericDate? = nil
    ) throws(JOSEError) -> OpenIDHTTPResponse {
        let keys = try keys.publicKeys
        try keys.checkCertificates(profile.publishedCertificates, at: now)
        return try published(
            keys.json(), type: "application/jwk-set+json", maxAge: maxAge)
    }
}
