// Token introspection by a resource server, with signed responses (RFC 9701).

public import JOSE
import JOSEBytes

/// Makes introspection requests and verifies the responses. Create it once, use it on many threads.
public struct Introspector: Sendable {
    private let configuration: RelyingPartyConfiguration
    private let providerKeys: any KeySource
    private let responses: AsyncJWTVerifier

    /// Creates an introspector.
    ///
    /// - Parameters:
    ///   - profile: The provider's rules.
    ///   - metadata: The provider's metadata, with an `introspection_endpoint`.
    ///   - clientID: The `client_id` of this resource server.
    ///   - keys: The private keys of this resource server.
    ///   - secret: The client secret, if the profile uses HTTP Basic.
    ///   - providerKeys: The source of the provider's keys.
    /// - Throws: The errors of `RelyingParty.init`. `claimRejected` if the metadata has no
    ///   `introspection_endpoint`.
    public init(
        profile: OpenIDProfile, metadata: ProviderMetadata, clientID: String, keys: JWKSet,
        secret: ClientSecret? = nil, providerKeys: any KeySource
    ) throws(JOSEError) {
        guard metadata["introspection_endpoint"]?.string != nil else {
            throw .claimRejected("introspection_endpoint", "the provider's metadata has none")
        }
        configuration = try RelyingPartyConfiguration(
            profile, metadata, clientID: clientID, redirectURI: nil, keys: keys, secret: secret)
        self.providerKeys = providerKeys
        var policy = ClaimsPolicy(issuer: metadata.issuer, audience: clientID)
        policy.requiredClaims = ["iss", "aud", "iat", "token_introspection"]
        policy.leewaySeconds = profile.leewaySeconds
        policy.apply(.introspection)
        responses = try AsyncJWTVerifier(
            policy: policy,
            encryption: profile.encryption(profile.introspection.layers, ours: keys),
            keys: providerKeys, algorithms: profile.algorithms.signature, limits: profile.limits)
    }

    /// Makes the introspection request for a token.
    ///
    /// - Parameters:
    ///   - token: The token.
    ///   - hint: `token_type_hint`.
    ///   - now: The time of a client assertion; the system clock by default.
    /// - Throws: `misuse` for a public client. `keyNotFound`, `unavailable`, `internal`.
    public func request(
        token: String, hint: String? = "access_token", at now: NumericDate? = nil
    ) async throws(JOSEError) -> TokenRequest {
        var recipient: JWTRecipient?
        if case .assertion(.signedThenEncrypted) = configuration.profile.client.authentication {
            recipient = try configuration.recipient(await providerKeys.keys(keyID: nil))
        }
        var request = RequestToSign(
            url: configuration.metadata["introspection_endpoint"]?.string ?? "",
            form: OpenIDParameters([OpenIDParameter("token", token)]),
            headers: [OpenIDParameter("Accept", IntrospectionRules.mediaType)])
        request.form.append("token_type_hint", hint)
        try configuration.authenticate(&request, to: .introspection, recipient, now)
        return try await request.signed(before: nil)
    }

    /// Verifies an introspection response.
    ///
    /// - Parameters:
    ///   - body: The body of a response with status 200.
    ///   - contentType: The media type of the response. Unsigned JSON is rejected.
    ///   - now: The time to verify at; the system clock by default.
    /// - Throws: `malformed` for another media type. The errors of `AsyncJWTVerifier`.
    ///   `claimRejected` with an invalid claim.
    ///
    /// Source: RFC 9701, 5.
    public func response(
        _ body: String, contentType: String, at now: NumericDate? = nil
    ) async throws(JOSEError) -> IntrospectionResponse {
        guard MediaType.name(contentType).isExactly(IntrospectionRules.mediaType) else {
            throw .malformed(
                .message, "the response's media type is not application/token-introspection+jwt")
        }
        let now = now ?? .now
        let token = try await responses.verify(body, at: now)
        let maxAge =
            configuration.profile.introspection.maxAgeSeconds + configuration.profile.leewaySeconds
        guard let issued = token.issuedAt, now <= issued.later(bySeconds: maxAge) else {
            throw .claimRejected("iat", "it is older than introspection.maxAge allows")
        }
        return try IntrospectionResponse(
            token, leewaySeconds: configuration.profile.leewaySeconds, at: now)
    }
}

extension Introspector: RedactedDescription {}
