// A registered client: verifies the client's messages and issues its tokens.

public import JOSE
import JOSEBytes

/// A registered client of a provider. Create it once and use it from many threads.
public struct RegisteredClient: Sendable {
    /// The provider, whose keys, stores and metadata all clients share.
    public let provider: OpenIDProvider
    let registration: ClientRegistration
    let profile: OpenIDProfile
    let source: any KeySource
    /// The client's keys if `source` is a fixed key set.
    private let fixedKeys: PublicJWKSet?
    private let derived: KeyDerivedValue<VerifiersAndIssuers>

    init(
        _ provider: OpenIDProvider, _ registration: ClientRegistration, _ source: any KeySource
    ) throws(JOSEError) {
        let fixedKeys = source as? PublicJWKSet
        guard !registration.clientID.isEmpty else {
            throw .misuse("the client_id of a registration is empty")
        }
        for uri in registration.redirectURIs where !WebURL.isURIWithoutFragment(uri) {
            throw .misuse(WebURL.redirectFailure(uri))
        }
        for uri in registration.postLogoutRedirectURIs where !WebURL.isURIWithoutFragment(uri) {
            throw .misuse("a URI of postLogoutRedirectURIs is not an absolute URI without fragment")
        }
        _ = try KnownParameter.scope(registration.clientCredentialsScopes ?? [])
        guard registration.appSwitchURIs.allSatisfy({ WebURL($0) != nil }) else {
            throw .misuse("appSwitchURIs must be https URLs")
        }
        for uri in registration.serviceRedirectURIs.values.joined() {
            guard registration.redirectURIs.contains(where: uri.isExactly) else {
                throw .misuse("a URI of serviceRedirectURIs is not in redirectURIs")
            }
        }
        let profile = try provider.profile(for: registration)
        guard
            registration.serviceRedirectURIs.isEmpty || profile.authorization.requiresServiceScope
        else {
            throw .misuse(
                "serviceRedirectURIs needs authorization.requiresServiceScope in the profile")
        }
        guard profile.client.authentication != .basic || registration.secret?.isEmpty == false
        else {
            throw .misuse("the profile needs a client secret (ClientRegistration.secret)")
        }
        try profile.checkPublicClient(secret: registration.secret)
        if profile.client.authentication == .publicClient {
            // Only rotation or binding protects against a stolen refresh token (RFC 9700, 2.2.2).
            guard
                !profile.accessToken.hasRefreshTokens || profile.accessToken.rotatesRefreshTokens
                    || profile.accessToken.proofs == .required || registration.bindsAccessTokens
            else {
                throw .misuse(
                    """
                    refresh tokens of a public client must rotate \
                    (accessToken.rotatesRefreshTokens) or be bound to its key (accessToken.proofs)
                    """)
            }
            guard registration.clientCredentialsScopes == nil else {
                throw .misuse(
                    "a public client cannot authenticate, which client credentials require")
            }
            guard registration.backchannel == nil else {
                throw .misuse(
                    "a public client cannot authenticate, which backchannel requests require")
            }
            guard
                (registration.redirectURIs + registration.postLogoutRedirectURIs).allSatisfy({
                    !$0.lowercasedASCII.begins(with: "http:") || LoopbackRedirect($0) != nil
                })
            else {
                throw .misuse(
                    "http URIs of a public client need the host 127.0.0.1 or [::1] and a path")
            }
        }
        guard
            registration.clientCredentialsScopes == nil || profile.accessToken.hasClientCredentials
        else {
            throw .misuse(
                "clientCredentialsScopes needs accessToken.hasClientCredentials in the profile")
        }
        guard !registration.sendsSecretInForm || profile.client.allowsSecretInForm else {
            throw .misuse("sendsSecretInForm needs client.allowsSecretInForm in the profile")
        }
        guard
            !profile.authorization.requiresHTTPSRedirect
                || registration.redirectURIs.isEmpty
                || registration.redirectURIs.contains(where: { WebURL($0) != nil })
        else {
            throw .misuse("the profile requires an https redirect_uri, and none is registered")
        }
        // Skipped or stale keys are reported when one of them is needed.
        if case .assertion = profile.client.authentication, let fixedKeys, !fixedKeys.isStale,
            fixedKeys.skipped.isEmpty, !fixedKeys.canVerify(profile.algorithms.signature)
        {
            throw .misuse(
                "the profile requires client assertions; none of the client's keys can verify them")
        }
        self.provider = provider
        self.registration = registration
        self.profile = profile
        self.source = source
        for rule in registration.requestURIRules { try rule.check() }
        try registration.backchannel?.check()
        self.fixedKeys = fixedKeys
        let keys = provider.ring.current
        derived = KeyDerivedValue(
            try VerifiersAndIssuers(provider, registration, profile, source, fixedKeys, keys.keys),
            from: keys)
    }

    /// The client's readers and issuers that use the provider's keys; made again after a rotation.
    private final class VerifiersAndIssuers: Sendable {
        let objects: RequestObjectReader
        let assertions: AsyncJWTVerifier?
        /// For endpoints without audiences of their own, such as introspection.
        let otherAssertions: AsyncJWTVerifier?
        let pushAssertions: AsyncJWTVerifier?
        let backchannelAssertions: AsyncJWTVerifier?
        let backchannel: BackchannelReader?
        let jarm: JARMIssuer?
        let tokens: Result<ClientTokenIssuer, JOSEError>?

        init(
            _ provider: OpenIDProvider, _ registration: ClientRegistration,
            _ profile: OpenIDProfile, _ source: any KeySource, _ fixedKeys: PublicJWKSet?,
            _ keys: JWKSet
        ) throws(JOSEError) {
            try keys.check(serves: profile)
            // The token endpoint accepts the profile's audiences. Any other endpoint accepts the
            // issuer, its own audiences, and the profile's audience that is its URL. This is
            // deliberately stricter than RFC 9126, 2 and CIBA Core, 7.1.
            func verifier(
                at endpoint: AuthenticatedEndpoint, _ further: [MessageAudience] = []
            ) throws(JOSEError) -> AsyncJWTVerifier? {
                guard case .assertion(let layers) = profile.client.authentication else {
                    return nil
                }
                let client = profile.client
                let audiences =
                    endpoint == .token
                    ? [client.audience.narrowed(to: .token)] + client.otherAudiences
                    : [.issuer]
                        + ([client.audience] + client.otherAudiences).filter { $0.covers(endpoint) }
                        + further
                var policy = ClaimsPolicy(
                    issuer: .exactly(registration.clientID),
                    audience: .anyOf(audiences.map { $0.text(provider.metadata) }))
                policy.leewaySeconds = profile.leewaySeconds
                policy.apply(profile.client.header)
                policy.requiredClaims = ["iss", "sub", "aud", "exp", "jti"]
                return try AsyncJWTVerifier(
                    policy: policy, encryption: profile.encryption(layers, ours: keys),
                    keys: source, algorithms: profile.algorithms.signature, limits: profile.limits)
            }
            objects = try RequestObjectReader(
                profile, provider.metadata, keys: keys, clientID: registration.clientID,
                source: source)
            assertions = try verifier(at: .token)
            otherAssertions = try verifier(at: .introspection)
            pushAssertions =
                provider.pushedRequests == nil
                ? nil : try verifier(at: .pushedRequest, profile.pushedRequests.otherAudiences)
            backchannelAssertions =
                registration.backchannel == nil
                ? nil : try verifier(at: .backchannel, profile.backchannel.otherAudiences)
            backchannel = try registration.backchannel.map { (registered) throws(JOSEError) in
                try BackchannelReader(
                    profile, provider.metadata, clientID: registration.clientID,
                    registered: registered.signingAlgorithm, source: source)
            }
            jarm =
                profile.authorization.usesJARM
                ? try JARMIssuer(provider, registration, profile, keys: keys) : nil
            // nil if the client's keys are remote and needed; then `tokenIssuer()` fetches them.
            tokens =
                fixedKeys == nil && profile.encryptsResponses
                ? nil
                : Result { () throws(JOSEError) in
                    try ClientTokenIssuer(provider, registration, profile, keys, fixedKeys)
                }
        }
    }

    private func verifiersAndIssuers() throws(JOSEError) -> VerifiersAndIssuers {
        do throws(JOSEError) {
            return try derived.value(for: provider.ring.current) { (keys) throws(JOSEError) in
                try VerifiersAndIssuers(provider, registration, profile, source, fixedKeys, keys)
            }
        } catch  where error.code == .keyNotFound {
            // The keys served this client when it was created, so the rotation is the cause.
            throw .misuse(
                "the keys that OpenIDProvider.rotate set do not serve the client's profile")
        }
    }

    func checkServed() throws(JOSEError) { _ = try verifiersAndIssuers() }

    var objects: RequestObjectReader { get throws(JOSEError) { try verifiersAndIssuers().objects } }

    /// The verifier of client assertions; nil if the client does not use assertions.
    func assertions(at endpoint: AuthenticatedEndpoint) throws(JOSEError) -> AsyncJWTVerifier? {
        let current = try verifiersAndIssuers()
        return switch endpoint {
        case .token: current.assertions
        case .pushedRequest: current.pushAssertions
        // A client that did not register for the endpoint is rejected after authentication.
        case .backchannel: current.backchannelAssertions ?? current.otherAssertions
        case .introspection, .revocation: current.otherAssertions
        }
    }

    /// Throws `claimRejected` with `grant_type` if the client is not registered for CIBA.
    func backchannelReader() throws(JOSEError) -> BackchannelReader {
        guard let reader = try verifiersAndIssuers().backchannel else {
            throw .claimRejected(
                "grant_type",
                "the client may not send backchannel requests (ClientRegistration.backchannel)")
        }
        return reader
    }

    func jarm(
        _ parameters: OpenIDParameters, _ now: NumericDate
    ) async throws(JOSEError) -> String {
        guard let issuer = try verifiersAndIssuers().jarm else {
            throw .misuse("the profile has no JARM response mode (authorization.responseModes)")
        }
        guard profile.jarm.layers == .signedThenEncrypted else {
            return try await issuer.make(parameters, for: nil, at: now)
        }
        let recipient = try RemoteEncryptionKey.recipient(
            await clientKeys(), profile, offered: registration.keyManagement?.map(\.name))
        return try await issuer.make(parameters, for: recipient, at: now)
    }

    private func clientKeys() async throws(JOSEError) -> PublicJWKSet {
        if let fixedKeys { return fixedKeys }
        return try await source.keys(keyID: nil)
    }

    /// Returns the issuer of this client's tokens, for the provider's current keys. Call it for
    /// each response, so that a rotation takes effect at once.
    ///
    /// The client's keys are fetched only if the profile encrypts responses.
    ///
    /// - Throws: The errors of the key source. `misuse` if the provider's new keys do not serve the
    ///   client's profile. If the client lacks an encryption key, the functions that encrypt throw
    ///   `keyNotFound`, or `unavailable` if its keys are stale (`PublicJWKSet.markedStale()`).
    public func tokenIssuer() async throws(JOSEError) -> ClientTokenIssuer {
        if let tokens = try verifiersAndIssuers().tokens { return try tokens.get() }
        let clientKeys = try await source.keys(keyID: nil)
        // Reads `provider.keys` after the wait, so that a rotation during the wait takes effect.
        return try ClientTokenIssuer(provider, registration, profile, provider.keys, clientKeys)
    }
}

extension RegisteredClient: RedactedDescription {}
