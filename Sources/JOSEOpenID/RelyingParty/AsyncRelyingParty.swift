// A relying party whose provider's keys are fetched, or whose own keys are external: the same
// rules, with waits.

public import JOSE
import JOSEBytes

/// The relying party's side with keys from a `KeySource`, and with external keys of ours; see
/// `RelyingParty`.
///
/// The source may be a `RemoteJWKSet` or a local `PublicJWKSet`. Every call throws what the source
/// throws besides: `unavailable` where it cannot answer now. An external key of ours has the time
/// of its rule and, where it is given, `within`; the source has a bound of its own.
public struct AsyncRelyingParty: Sendable {
    let setup: PartySetup
    private let source: any KeySource
    let idTokens: AsyncJWTVerifier
    private let userInfos: AsyncJWTVerifier?
    /// The reader of signed answers; nil where the profile has none.
    let signedAnswers: AsyncJWTVerifier?
    /// The reader of logout tokens.
    let logoutTokens: AsyncJWTVerifier

    /// A relying party; see `RelyingParty.init`.
    ///
    /// - Parameters:
    ///   - profile: The provider's rules.
    ///   - metadata: The provider's metadata.
    ///   - clientID: Our `client_id`.
    ///   - redirectURI: Where the provider sends the browser back to, exactly as it was registered.
    ///   - keys: Our private keys: the first that can sign signs, all that can decrypt are tried by their kid.
    ///   - secret: Our secret, where the profile uses HTTP Basic or verifies ID Tokens with it.
    ///   - appSwitchAddresses: The addresses of our app that the provider has on its list, for requests that are not signed.
    ///   - source: Where the provider's keys come from.
    /// - Throws: As there.
    public init(
        profile: OpenIDProfile, metadata: ProviderMetadata, clientID: String, redirectURI: String,
        keys: JWKSet, secret: ClientSecret? = nil, appSwitchAddresses: [String] = [],
        source: any KeySource
    ) throws(JOSEError) {
        try self.init(
            PartySetup(
                profile, metadata, clientID: clientID, redirectURI: redirectURI, keys: keys,
                secret: secret, appSwitchAddresses: appSwitchAddresses), source)
    }

    /// One that judges what a provider sends and can send nothing: the only keys of ours that it
    /// needs decrypt.
    package init(
        judging profile: OpenIDProfile, metadata: ProviderMetadata, clientID: String, keys: JWKSet,
        source: any KeySource
    ) throws(JOSEError) {
        try self.init(
            PartySetup(
                profile, metadata, clientID: clientID, redirectURI: metadata.issuer, keys: keys,
                secret: nil, judgesOnly: true), source)
    }

    private init(_ setup: PartySetup, _ source: any KeySource) throws(JOSEError) {
        let (profile, keys) = (setup.profile, setup.keys)
        self.setup = setup
        self.source = source
        idTokens = try setup.idTokenVerifier(source)
        if let layers = profile.userInfo.layers {
            userInfos = try AsyncJWTVerifier(
                policy: setup.userInfoPolicy, encryption: profile.encryption(layers, ours: keys),
                source: source, algorithms: profile.algorithms.signature, limits: profile.limits)
        } else {
            userInfos = nil
        }
        logoutTokens = try AsyncJWTVerifier(
            policy: setup.logoutPolicy,
            encryption: profile.encryption(profile.idToken.layers, ours: keys), source: source,
            algorithms: profile.algorithms.signature, limits: profile.limits)
        signedAnswers =
            profile.authorization.hasSignedAnswers
            ? try AsyncJWTVerifier(
                policy: setup.signedAnswerPolicy,
                encryption: profile.encryption(profile.signedAnswer.layers, ours: keys),
                source: source, algorithms: profile.algorithms.signature, limits: profile.limits)
            : nil
    }

    /// The key set to publish; see `RelyingParty.publishedKeys(at:)`.
    public func publishedKeys(at now: NumericDate? = nil) throws(JOSEError) -> PublicJWKSet {
        try setup.publishedKeys(at: now)
    }

    /// Starts a login; see `RelyingParty.start`.
    public func start(
        _ request: AuthorizationRequest, state: StateSource = .random, at now: NumericDate? = nil,
        within time: Duration? = nil
    ) async throws(JOSEError) -> StartedAuthorization {
        let draft = try setup.draft(request, state)
        let reader = draft.delivery == .none ? nil : try await recipient()
        let object = try setup.object(of: draft, reader, now)
        return setup.finish(draft, object: try await object?.signed(before: .end(of: time)))
    }

    /// The request that changes a code into tokens; see `RelyingParty.tokenRequest`.
    public func tokenRequest(
        code: String, for remembered: RememberedRequest, resources: [String] = [],
        prover: DPoPProver? = nil, nonce: DPoPNonce? = nil, at now: NumericDate? = nil,
        within time: Duration? = nil
    ) async throws(JOSEError) -> TokenRequest {
        try await setup.tokenRequest(
            code: code, remembered, resources, recipient(), PartySetup.ProofOrder(prover, nonce),
            now
        ).signed(before: .end(of: time))
    }

    /// Verifies an ID Token; see `RelyingParty.verifyIDToken`.
    public func verifyIDToken(
        _ token: String, for remembered: RememberedRequest, accessToken: String? = nil,
        code: String? = nil, at now: NumericDate? = nil, within time: Duration? = nil
    ) async throws(JOSEError) -> VerifiedIDToken {
        try setup.check(remembered)
        let check = IDTokenCheck(setup: setup)
        let expectation = check.expectation(
            for: remembered, accessToken: accessToken, code: code)
        let now = now ?? .now
        let verified = try await idTokens.verify(
            token, expecting: expectation, at: now, within: time)
        return try check.check(verified, for: remembered, expectation, at: now)
    }

    /// Verifies a UserInfo answer; see `RelyingParty.verifyUserInfo`.
    public func verifyUserInfo(
        _ body: String, for idToken: VerifiedIDToken, contentType: String? = nil,
        at now: NumericDate? = nil, within time: Duration? = nil
    ) async throws(JOSEError) -> VerifiedUserInfo {
        let check = UserInfoCheck(setup)
        try check.check(idToken)
        try check.checkMediaType(contentType)
        guard let userInfos else { return try check.json(body, idToken) }
        let verified = try await userInfos.verify(
            body, expecting: check.expectation(idToken), at: now, within: time)
        return try check.token(verified)
    }

    /// The provider's key to encrypt for, where a message needs one.
    func recipient() async throws(JOSEError) -> JWTRecipient? {
        guard setup.needsRecipient else { return nil }
        return try setup.recipient(await source.keys(keyID: nil))
    }
}

extension AsyncRelyingParty: RedactedDescription {
    package var shownAs: String { "relying party" }
}

extension PartySetup {
    /// The verifier of ID Tokens by the provider's fetched keys, or by HS256 and the client secret:
    /// by one of the two, never by either.
    fileprivate func idTokenVerifier(
        _ source: any KeySource
    ) throws(JOSEError) -> AsyncJWTVerifier {
        let encryption = profile.encryption(profile.idToken.layers, ours: keys)
        guard let idTokenKey else {
            return try AsyncJWTVerifier(
                policy: idTokenPolicy, encryption: encryption, source: source,
                algorithms: profile.algorithms.signature, limits: profile.limits)
        }
        return try AsyncJWTVerifier(
            policy: idTokenPolicy, encryption: encryption,
            signature: .required(key: idTokenKey, algorithms: [.hs256], limits: profile.limits),
            limits: profile.limits)
    }
}
