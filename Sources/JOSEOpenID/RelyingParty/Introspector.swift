// A resource server as a client of its provider: asking what a token is, and judging the signed answer (RFC 9701).

public import JOSE
import JOSEBytes

/// Asks a provider about tokens and verifies its answers; prepared once, used from many threads.
public struct Introspector: Sendable {
    private let setup: RelyingPartyConfiguration
    private let providerKeys: any KeySource
    private let responses: AsyncJWTVerifier

    /// An introspector.
    ///
    /// - Parameters:
    ///   - profile: The provider's rules.
    ///   - metadata: The provider's metadata, with an `introspection_endpoint`.
    ///   - clientID: The `client_id` of this resource server.
    ///   - keys: Its private keys.
    ///   - secret: Its secret, where the profile uses HTTP Basic.
    ///   - providerKeys: Where the provider's keys come from.
    /// - Throws: As for a relying party; `claimRejected` with `introspection_endpoint` where the provider has none.
    public init(
        profile: OpenIDProfile, metadata: ProviderMetadata, clientID: String, keys: JWKSet,
        secret: ClientSecret? = nil, providerKeys: any KeySource
    ) throws(JOSEError) {
        guard metadata["introspection_endpoint"]?.string != nil else {
            throw .claimRejected("introspection_endpoint", "the provider has none")
        }
        // It receives no answers of browsers: the address is never sent.
        setup = try RelyingPartyConfiguration(
            profile, metadata, clientID: clientID, redirectURI: metadata.issuer, keys: keys,
            secret: secret)
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

    /// The request that asks about a token.
    ///
    /// - Parameters:
    ///   - token: The token.
    ///   - hint: `token_type_hint`.
    ///   - now: The time of a client assertion; the system's clock where none is given.
    /// - Throws: `keyNotFound`, `internal`; `unavailable` where the provider's keys cannot be had.
    public func request(
        token: String, hint: String? = "access_token", at now: NumericDate? = nil
    ) async throws(JOSEError) -> TokenRequest {
        var recipient: JWTRecipient?
        if case .assertion(.signedThenEncrypted) = setup.profile.client.authentication {
            recipient = try setup.recipient(await providerKeys.keys(keyID: nil))
        }
        var request = RequestDraft(
            url: setup.metadata["introspection_endpoint"]?.string ?? "",
            form: OpenIDParameters([OpenIDParameter("token", token)]),
            headers: [OpenIDParameter("Accept", IntrospectionRules.mediaType)])
        request.form.append("token_type_hint", hint)
        try setup.authenticate(&request, to: .introspection, recipient, now)
        return try await request.signed(before: nil)
    }

    /// Verifies the answer.
    ///
    /// - Parameters:
    ///   - body: The body of an answer with status 200.
    ///   - contentType: Its media type.
    ///   - now: The time to judge by; the system's clock where none is given.
    /// - Throws: `malformed` for another media type, as plain JSON is signed by nobody; every code of the engine; `claimRejected` with the
    ///   claim.
    ///
    /// Source: RFC 9701, 5.
    public func response(
        _ body: String, contentType: String, at now: NumericDate? = nil
    ) async throws(JOSEError) -> IntrospectionResponse {
        guard MediaType.name(contentType).isExactly(IntrospectionRules.mediaType) else {
            throw .malformed(.message, "the answer has another media type than was asked for")
        }
        let now = now ?? .now
        let token = try await responses.verify(body, at: now)
        let most = setup.profile.introspection.maxAgeSeconds + setup.profile.leewaySeconds
        guard let issued = token.issuedAt, now <= issued.later(bySeconds: most) else {
            throw .claimRejected("iat", "the answer is too old")
        }
        return try IntrospectionResponse(
            token, leewaySeconds: setup.profile.leewaySeconds, at: now)
    }
}

extension Introspector: RedactedDescription {
    package var shownAs: String { "introspector" }
}
