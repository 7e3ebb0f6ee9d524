// A client as its provider sees it: verifiers for what it sends, prepared once for the provider's keys.

public import JOSE
import JOSEBytes

/// One client of a provider; prepared once, used from many threads.
public struct RegisteredClient: Sendable {
    /// Whose client it is.
    public let provider: OpenIDProvider
    let registration: ClientRegistration
    /// The rules for this client.
    let profile: OpenIDProfile
    let source: any KeySource
    private let local: PublicJWKSet?
    private let prepared: Prepared<Toolbox>

    /// What reads the client's tokens and makes its answers, with the provider's keys of one time.
    private struct Tools: Sendable {
        let objects: RequestObjectReader
        let assertions: AsyncJWTVerifier?
        /// At an endpoint without rules of its own.
        let otherAssertions: AsyncJWTVerifier?
        let pushAssertions: AsyncJWTVerifier?
        let backchannelAssertions: AsyncJWTVerifier?
        let backchannel: BackchannelReader?
        let jarmResponses: JARMIssuer?
        let responses: Result<ClientTokenIssuer, JOSEError>?
    }

    /// Tools that are asked for several times for each message, and not copied.
    private final class Toolbox: Sendable {
        let tools: Tools
        init(_ tools: Tools) { self.tools = tools }
    }

    init(
        _ provider: OpenIDProvider, _ registration: ClientRegistration, _ source: any KeySource
    ) throws(JOSEError) {
        let local = source as? PublicJWKSet
        guard !registration.clientID.isEmpty else {
            throw .misuse("the client_id of a registration is empty")
        }
        for address in registration.redirectURIs where !WebURL.isRedirect(address) {
            throw .misuse(WebURL.redirectFailure(address))
        }
        guard registration.appSwitchURIs.allSatisfy({ WebURL($0) != nil }) else {
            throw .misuse("app_switch_url must be an https address")
        }
        for uri in registration.serviceRedirectURIs.values.joined() {
            guard registration.redirectURIs.contains(where: uri.isExactly) else {
                throw .misuse("a redirect URI of a service is not in redirectURIs")
            }
        }
        let profile = try provider.profile(for: registration)
        guard
            registration.serviceRedirectURIs.isEmpty || profile.authorization.requiresServiceScope
        else {
            throw .misuse(
                "the profile has no service codes (authorization.requiresServiceScope)")
        }
        guard profile.client.authentication != .basic || registration.secret?.isEmpty == false
        else {
            throw .misuse("the profile needs a client secret")
        }
        try profile.checkPublicClient(secret: registration.secret)
        if profile.client.authentication == .publicClient {
            // Nothing else shows that somebody else uses one (RFC 9700, 2.2.2).
            guard
                !profile.accessToken.hasRefreshTokens || profile.accessToken.rotatesRefreshTokens
                    || profile.accessToken.proofs == .required || registration.bindsAccessTokens
            else {
                throw .misuse(
                    "refresh tokens of a public client rotate (accessToken.rotatesRefreshTokens) or are bound to its key (accessToken.proofs)"
                )
            }
            guard registration.backchannel == nil else {
                throw .misuse(
                    "a public client cannot authenticate, which backchannel requests require")
            }
            guard
                registration.redirectURIs.allSatisfy({
                    !$0.lowercasedASCII.begins(with: "http:") || LoopbackRedirect($0) != nil
                })
            else {
                throw .misuse(
                    "redirect_uri of a public client with http must be 127.0.0.1 or [::1]")
            }
        }
        guard !registration.sendsSecretInForm || profile.client.allowsSecretInForm else {
            throw .misuse("the profile takes no client_secret_post (client.allowsSecretInForm)")
        }
        guard
            !profile.authorization.requiresHTTPSRedirect
                || registration.redirectURIs.isEmpty
                || registration.redirectURIs.contains(where: { WebURL($0) != nil })
        else {
            throw .misuse("the profile's redirect_uri must be an https address, and none is")
        }
        // What keys that were skipped or stand in for newer ones lack is told where one of them is needed.
        if case .assertion = profile.client.authentication, let local, !local.isStale,
            local.skipped.isEmpty, !local.canVerify(profile.algorithms.signature)
        {
            throw .misuse("the profile's clients sign assertions, and no key of this one can")
        }
        self.provider = provider
        self.registration = registration
        self.profile = profile
        self.source = source
        for rule in registration.requestURIRules { try rule.check() }
        try registration.backchannel?.check()
        self.local = local
        let keys = provider.ring.current
        prepared = Prepared(
            try RegisteredClient.tools(provider, registration, profile, source, local, keys.keys),
            from: keys)
    }

    private static func tools(
        _ provider: OpenIDProvider, _ registration: ClientRegistration, _ profile: OpenIDProfile,
        _ source: any KeySource, _ local: PublicJWKSet?, _ keys: JWKSet
    ) throws(JOSEError) -> Toolbox {
        try keys.check(serves: profile)
        let objects = try RequestObjectReader(
            profile, provider.metadata, ours: keys, clientID: registration.clientID, source: source)
        // The token endpoint accepts what a client of the profile sends there, and what the profile
        // adds. Others accept the issuer, and what their own rules add: deliberately narrower than
        // RFC 9126, 2 and CIBA Core, 7.1.
        func verifier(
            at endpoint: AuthenticatedEndpoint, _ further: [MessageAudience] = []
        ) throws(JOSEError) -> AsyncJWTVerifier? {
            guard case .assertion(let layers) = profile.client.authentication else { return nil }
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
        // Who encrypts nothing for the client needs none of its keys.
        let responses: Result<ClientTokenIssuer, JOSEError>? =
            local == nil && profile.encryptsResponses
            ? nil
            : Result { () throws(JOSEError) in
                try ClientTokenIssuer(provider, registration, profile, ours: keys, local)
            }
        let tools = Tools(
            objects: objects, assertions: try verifier(at: .token),
            otherAssertions: try verifier(at: .introspection),
            pushAssertions: provider.pushedRequests == nil
                ? nil : try verifier(at: .pushedRequest, profile.pushedRequests.otherAudiences),
            backchannelAssertions: registration.backchannel == nil
                ? nil : try verifier(at: .backchannel, profile.backchannel.otherAudiences),
            backchannel: try registration.backchannel.map { (registered) throws(JOSEError) in
                try BackchannelReader(
                    profile, provider.metadata, clientID: registration.clientID,
                    registered: registered.signingAlgorithm, source: source)
            },
            jarmResponses: profile.authorization.usesJARM
                ? try JARMIssuer(provider, registration, profile, ours: keys) : nil,
            responses: responses)
        return Toolbox(tools)
    }

    private func toolbox() throws(JOSEError) -> Toolbox {
        do throws(JOSEError) {
            return try prepared.value(for: provider.ring.current) { (keys) throws(JOSEError) in
                try RegisteredClient.tools(provider, registration, profile, source, local, keys)
            }
        } catch  where error.code == .keyNotFound {
            // The keys served this client when it was made: whoever changed them is to blame, nobody who sends us a message.
            throw .misuse(
                "the keys that the provider was rotated to do not serve the client's profile")
        }
    }

    /// Throws `misuse` where the provider's keys were changed to some that do not serve this client.
    func checkServed() throws(JOSEError) { _ = try toolbox() }

    /// The reader of request objects, with the provider's present keys.
    var objects: RequestObjectReader { get throws(JOSEError) { try toolbox().tools.objects } }

    /// The reader of client assertions at an endpoint, with the provider's present keys; nil where the client has none.
    func assertions(at endpoint: AuthenticatedEndpoint) throws(JOSEError) -> AsyncJWTVerifier? {
        let toolbox = try toolbox()
        // Whoever did not register for an endpoint is told so once it proved itself.
        return switch endpoint {
        case .token: toolbox.tools.assertions
        case .pushedRequest: toolbox.tools.pushAssertions
        case .backchannel: toolbox.tools.backchannelAssertions ?? toolbox.tools.otherAssertions
        case .introspection: toolbox.tools.otherAssertions
        }
    }

    /// The reader of signed backchannel requests.
    ///
    /// - Throws: `claimRejected` with `grant_type` for a client that sends none.
    func backchannelReader() throws(JOSEError) -> BackchannelReader {
        guard let reader = try toolbox().tools.backchannel else {
            throw .claimRejected("grant_type", "the client did not register backchannel requests")
        }
        return reader
    }

    /// A signed answer for this client: what it says, and whose it is (JARM, 2.1).
    func jarm(
        _ parameters: OpenIDParameters, _ now: NumericDate
    ) async throws(JOSEError) -> String {
        guard let maker = try toolbox().tools.jarmResponses else {
            throw .misuse("the profile has no signed answers")
        }
        guard profile.jarm.layers == .signedThenEncrypted else {
            return try await maker.make(parameters, for: nil, at: now)
        }
        let theirs: PublicJWKSet
        if let local { theirs = local } else { theirs = try await source.keys(keyID: nil) }
        let recipient = try RemoteEncryptionKey.recipient(
            theirs, profile, offered: registration.keyManagement?.map(\.name))
        return try await maker.make(parameters, for: recipient, at: now)
    }

    /// The maker of ID Tokens and UserInfo answers for this client, with the provider's present keys: ask for it anew for
    /// every answer, so that a rotation counts at once.
    ///
    /// The client's keys are asked for only where the profile encrypts what the provider answers.
    ///
    /// - Throws: `keyNotFound` where the client has no encryption key and the profile needs one, `unavailable` where its
    ///   keys stand in for newer ones (`PublicJWKSet.markedStale()`), `misuse` where the provider's keys were changed to some that
    ///   do not serve the client's profile; what the source throws.
    public func tokenIssuer() async throws(JOSEError) -> ClientTokenIssuer {
        if let responses = try toolbox().tools.responses { return try responses.get() }
        let theirs = try await source.keys(keyID: nil)
        return try ClientTokenIssuer(provider, registration, profile, ours: provider.keys, theirs)
    }
}

extension RegisteredClient: RedactedDescription {
    package var shownAs: String { "registered client" }
}
