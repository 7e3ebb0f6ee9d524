// The relying party's side of a login: what it sends, and what it accepts.

public import JOSE
import JOSEBytes

/// The relying party's side of the protocol, for one client at one provider; prepared once, used
/// from many threads.
///
/// The order of a login: `start`, `response` of what was remembered, `tokenRequest`, `verifyIDToken`,
/// `verifyUserInfo`.
///
/// The provider's keys come from a `KeySource`, such as a `RemoteJWKSet`; a `PublicJWKSet` is one
/// too, and then no call waits for keys. Keys of ours may be external: such a key has the time of
/// its rule and, where it is given, `within`. Every call that needs keys of the provider throws
/// what their source throws besides: `unavailable` where it cannot answer now.
public struct RelyingParty: Sendable {
    let setup: RelyingPartyConfiguration
    private let providerKeys: any KeySource
    let idTokens: AsyncJWTVerifier
    private let userInfos: AsyncJWTVerifier?
    /// The reader of signed answers; nil where the profile has none.
    let jarmResponses: AsyncJWTVerifier?
    /// The reader of logout tokens.
    let logoutTokens: AsyncJWTVerifier

    /// A relying party.
    ///
    /// - Parameters:
    ///   - profile: The provider's rules.
    ///   - metadata: The provider's metadata.
    ///   - clientID: Our `client_id`.
    ///   - redirectURI: Where the provider sends the browser back to, exactly as it was registered.
    ///   - keys: Our private keys: the first that can sign signs, all that can decrypt are tried by
    ///     their kid.
    ///   - secret: Our secret, where the profile uses HTTP Basic or verifies ID Tokens with it.
    ///   - appSwitchURIs: The addresses of our app that the provider has on its list, for
    ///     requests that are not signed.
    ///   - providerKeys: Where the provider's keys come from.
    /// - Throws: `misuse` for an address or secret that does not do, `keyNotFound` without a key
    ///   that the profile needs, `keyUnusable`.
    public init(
        profile: OpenIDProfile, metadata: ProviderMetadata, clientID: String, redirectURI: String,
        keys: JWKSet, secret: ClientSecret? = nil, appSwitchURIs: [String] = [],
        providerKeys: any KeySource
    ) throws(JOSEError) {
        try self.init(
            RelyingPartyConfiguration(
                profile, metadata, clientID: clientID, redirectURI: redirectURI, keys: keys,
                secret: secret, appSwitchURIs: appSwitchURIs), providerKeys)
    }

    /// One that judges what a provider sends and can send nothing: the only keys of ours that it
    /// needs decrypt.
    package init(
        judging profile: OpenIDProfile, metadata: ProviderMetadata, clientID: String, keys: JWKSet,
        providerKeys: any KeySource
    ) throws(JOSEError) {
        try self.init(
            RelyingPartyConfiguration(
                profile, metadata, clientID: clientID, redirectURI: metadata.issuer, keys: keys,
                secret: nil, judgesOnly: true), providerKeys)
    }

    private init(_ setup: RelyingPartyConfiguration, _ providerKeys: any KeySource) throws(JOSEError) {
        let profile = setup.profile
        self.setup = setup
        self.providerKeys = providerKeys
        idTokens = try setup.idTokenVerifier(providerKeys)
        userInfos =
            if let layers = profile.userInfo.layers {
                try setup.verifier(setup.userInfoPolicy, layers, providerKeys)
            } else {
                nil
            }
        logoutTokens = try setup.verifier(
            setup.logoutPolicy, profile.idToken.layers, providerKeys)
        jarmResponses =
            profile.authorization.usesJARM
            ? try setup.verifier(
                setup.jarmPolicy, profile.jarm.layers, providerKeys) : nil
    }

    /// The key set to publish: the public parts of our keys, with their certificates.
    ///
    /// - Parameter now: The time to judge certificates by; the system's clock where none is given.
    /// - Throws: `keyUnusable` for a key without a public part; what `PublicJWKSet.checkCertificates(_:at:)` throws where a
    ///   certificate is not what the profile demands.
    public func publishedKeys(at now: NumericDate? = nil) throws(JOSEError) -> PublicJWKSet {
        try setup.publishedKeys(at: now)
    }

    /// Starts a login.
    ///
    /// - Parameters:
    ///   - request: What is asked for.
    ///   - state: How `state` is made.
    ///   - now: The time of a request object; the system's clock where none is given.
    ///   - timeout: How long an external key of ours may take, within what its rule says.
    /// - Throws: `misuse` with the provider's rule where the profile forbids something, `keyNotFound` where a request
    ///   object needs a key that is not there, `internal` without random numbers.
    public func start(
        _ request: AuthorizationRequest, state: StateSource = .random, at now: NumericDate? = nil,
        timeout: Duration? = nil
    ) async throws(JOSEError) -> AuthorizationStart {
        let draft = try setup.draft(request, state)
        let reader = draft.delivery == .none ? nil : try await recipient()
        let object = try setup.object(of: draft, reader, now)
        return setup.finish(draft, object: try await object?.signed(before: .end(of: timeout)))
    }

    /// The request that changes a code into tokens.
    ///
    /// - Parameters:
    ///   - code: The code of the answer.
    ///   - remembered: What was remembered when the login was started.
    ///   - resources: What the access token is to be for, of those that were asked for (RFC 8707).
    ///   - prover: The key that the access token is to be bound to, where the provider takes proofs of possession.
    ///   - nonce: The nonce that the provider gave, where it asked for one: `use_dpop_nonce` is answered by the same call with it.
    ///   - now: The time of the client assertion; the system's clock where none is given.
    ///   - timeout: How long an external key of ours may take, within what its rule says.
    /// - Throws: `misuse` for what was remembered of another client or provider, `keyNotFound`, `internal`.
    ///
    /// Every call makes a new assertion with a `jti` of its own.
    public func tokenRequest(
        code: String, for session: AuthorizationSession, resources: [String] = [],
        prover: DPoPProver? = nil, nonce: DPoPNonce? = nil, at now: NumericDate? = nil,
        timeout: Duration? = nil
    ) async throws(JOSEError) -> TokenRequest {
        try setup.check(session)
        return try await setup.tokenRequest(
            code: code, session, resources, recipient(), RelyingPartyConfiguration.ProofOrder(prover, nonce),
            now
        ).signed(before: .end(of: timeout))
    }

    /// Verifies an ID Token.
    ///
    /// - Parameters:
    ///   - token: The token, unverified.
    ///   - remembered: What was remembered when the login was started.
    ///   - accessToken: The access token that came beside it; `at_hash` must fit it.
    ///   - code: The code that it came for; `c_hash` must fit it.
    ///   - now: The time to judge by; the system's clock where none is given.
    ///   - timeout: How long an external key of ours may take, within what its rule says.
    /// - Throws: Any code of the engine's verifier; `claimRejected` with the claim that does not satisfy the profile
    ///   or the request.
    ///
    /// Source: OpenID Connect Core, 3.1.3.7.
    public func verifyIDToken(
        _ token: String, for session: AuthorizationSession, accessToken: String? = nil,
        code: String? = nil, at now: NumericDate? = nil, timeout: Duration? = nil
    ) async throws(JOSEError) -> VerifiedIDToken {
        try setup.check(session)
        let check = IDTokenCheck(setup: setup)
        let expectation = check.expectation(
            for: session, accessToken: accessToken, code: code)
        let now = now ?? .now
        let verified = try await idTokens.verify(
            token, expecting: expectation, at: now, timeout: timeout)
        return try check.check(verified, for: session, expectation, at: now)
    }

    /// Verifies a UserInfo answer.
    ///
    /// - Parameters:
    ///   - body: The answer: a token or JSON, as the profile says.
    ///   - idToken: The ID Token of the same login; `sub` must equal its subject, in constant time.
    ///   - contentType: The answer's media type, to be checked where it is given.
    ///   - now: The time to judge by; the system's clock where none is given.
    ///   - timeout: How long an external key of ours may take, within what its rule says.
    /// - Throws: Any code of the engine's verifier; `claimRejected`, with `sub` for another user; `misuse` for the ID Token
    ///   of another client or provider.
    ///
    /// Source: OpenID Connect Core, 5.3.
    public func verifyUserInfo(
        _ body: String, for idToken: VerifiedIDToken, contentType: String? = nil,
        at now: NumericDate? = nil, timeout: Duration? = nil
    ) async throws(JOSEError) -> VerifiedUserInfo {
        let check = UserInfoCheck(setup)
        try check.check(idToken)
        try check.checkMediaType(contentType)
        guard let userInfos else { return try check.json(body, idToken) }
        let verified = try await userInfos.verify(
            body, expecting: check.expectation(idToken), at: now, timeout: timeout)
        return try check.token(verified)
    }

    /// The provider's key to encrypt for, where a message needs one.
    func recipient() async throws(JOSEError) -> JWTRecipient? {
        guard setup.needsRecipient else { return nil }
        return try setup.recipient(await providerKeys.keys(keyID: nil))
    }
}

extension RelyingPartyConfiguration {
    /// The verifier of ID Tokens by the provider's keys, or by HS256 and the client secret: by one
    /// of the two, never by either.
    fileprivate func idTokenVerifier(_ keys: any KeySource) throws(JOSEError) -> AsyncJWTVerifier {
        guard let idTokenKey else {
            return try verifier(idTokenPolicy, profile.idToken.layers, keys)
        }
        return try AsyncJWTVerifier(
            policy: idTokenPolicy,
            encryption: profile.encryption(profile.idToken.layers, ours: self.keys),
            signature: .required(key: idTokenKey, algorithms: [.hs256], limits: profile.limits),
            limits: profile.limits)
    }

    /// The verifier of tokens that the provider signs.
    fileprivate func verifier(
        _ policy: ClaimsPolicy, _ layers: TokenLayers, _ keys: any KeySource
    ) throws(JOSEError) -> AsyncJWTVerifier {
        try AsyncJWTVerifier(
            policy: policy, encryption: profile.encryption(layers, ours: self.keys), keys: keys,
            algorithms: profile.algorithms.signature, limits: profile.limits)
    }

    var idTokenPolicy: ClaimsPolicy {
        IDTokenCheck.policy(profile, issuer: metadata.issuer, clientID: clientID)
    }

    var userInfoPolicy: ClaimsPolicy {
        var policy = ClaimsPolicy(issuer: .any, audience: .any)
        policy.requiredClaims = profile.userInfo.requiredClaims
        policy.leewaySeconds = profile.leewaySeconds
        policy.apply(profile.userInfo.header)
        return policy
    }
}

extension RelyingParty: RedactedDescription {
    package var shownAs: String { "relying party" }
}
