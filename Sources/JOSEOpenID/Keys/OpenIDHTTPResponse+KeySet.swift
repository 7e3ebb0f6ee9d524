// Key sets as answers of HTTP: what the profile demands of the keys is checked before anybody sees them.

public import JOSE

extension OpenIDHTTPResponse {
    /// A key set for `jwks_uri`, a provider's or a client's: the public parts alone, with their certificates.
    ///
    /// - Parameters:
    ///   - keys: Private or public keys.
    ///   - profile: Its `publishedCertificates` say what is demanded of the certificates.
    ///   - maxAge: How long caches may keep it, 0 to 86400 whole seconds; a new key is published at least that long before
    ///     it signs.
    ///   - now: The time to judge certificates by; the system's clock where none is given.
    /// - Throws: `keyUnusable` for a key without a public part; what `PublicJWKSet.checkCertificates(_:at:)` throws where a
    ///   key's certificates are not what the profile demands; `misuse` for the time that it is kept.
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
