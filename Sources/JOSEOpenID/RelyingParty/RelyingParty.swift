// A relying party whose provider's keys are at hand.

public import JOSE
import JOSEBytes

/// The relying party's side of the protocol, for one client at one provider; prepared once, used from many threads.
///
/// The order of a login: `start`, `answer` of what was remembered, `tokenRequest`, `verifyIDToken`, `verifyUserInfo`.
/// With external keys of ours use `AsyncRelyingParty`; its source may be the same `PublicJWKSet`.
public struct RelyingParty: Sendable {
    let setup: PartySetup
    let recipient: Result<JWTRecipient, JOSEError>?
    let idTokens: JWTVerifier
    let userInfos: JWTVerifier?
    /// The reader of signed answers; nil where the profile has none.
    let signedAnswers: JWTVerifier?
    /// The reader of logout tokens.
    let logoutTokens: JWTVerifier

    /// A relying party.
    ///
    /// - Parameters:
    ///   - profile: The provider's rules.
    ///   - metadata: The provider's metadata.
    ///   - clientID: Our `client_id`.
    ///   - redirectURI: Where the provider sends the browser back to, exactly as it was registered.
    ///   - keys: Our private keys: the first that can sign signs, all that can decrypt are tried by their kid.
    ///   - secret: Our secret, where the profile uses HTTP Basic or verifies ID Tokens with it.
    ///   - appSwitchAddresses: The addresses of our app that the provider has on its list, for requests that are not signed.
    ///   - providerKeys: What the provider published.
    /// - Throws: `misuse` for an address or secret that does not do, `keyNotFound` without a key that the profile
    ///   needs, `keyUnusable`.
    public init(
        profile: OpenIDProfile, metadata: ProviderMetadata, clientID: String, redirectURI: String,
        keys: JWKSet, secret: ClientSecret? = nil, appSwitchAddresses: [String] = [],
        providerKeys: PublicJWKSet
    ) throws(JOSEError) {
        let setup = try PartySetup(
            profile, metadata, clientID: clientID, redirectURI: redirectURI, keys: keys,
            secret: secret, appSwitchAddresses: appSwitchAddresses)
        self.setup = setup
        recipient =
            setup.needsRecipient
            ? Result { () throws(JOSEError) in try setup.recipient(providerKeys) } : nil
        let signature = SignatureRule.required(
            keys: providerKeys, algorithms: profile.algorithms.signature, limits: profile.limits)
        idTokens = try JWTVerifier(
            policy: setup.idTokenPolicy,
            encryption: profile.encryption(profile.idToken.layers, ours: keys),
            signature: setup.idTokenKey.map {
                .required(key: $0, algorithms: [.hs256], limits: profile.limits)
            } ?? signature, limits: profile.limits)
        if let layers = profile.userInfo.layers {
            userInfos = try JWTVerifier(
                policy: setup.userInfoPolicy, encryption: profile.encryption(layers, ours: keys),
                signature: signature, limits: profile.limits)
        } else {
            userInfos = nil
        }
        logoutTokens = try JWTVerifier(
            policy: setup.logoutPolicy,
            encryption: profile.encryption(profile.idToken.layers, ours: keys),
            signature: signature, limits: profile.limits)
        signedAnswers =
            profile.authorization.hasSignedAnswers
            ? try JWTVerifier(
                policy: setup.signedAnswerPolicy,
                encryption: profile.encryption(profile.signedAnswer.layers, ours: keys),
                signature: signature, limits: profile.limits) : nil
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
    /// - Throws: `misuse` with the provider's rule where the profile forbids something, `keyNotFound` where a request
    ///   object needs a key that is not there, `internal` without random numbers.
    public func start(
        _ request: AuthorizationRequest, state: StateSource = .random, at now: NumericDate? = nil
    ) throws(JOSEError) -> StartedAuthorization {
        let draft = try setup.draft(request, state)
        let reader = draft.delivery == .none ? nil : try recipient?.get()
        return setup.finish(draft, object: try setup.object(of: draft, reader, now)?.signed())
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
    /// - Throws: `misuse` for what was remembered of another client or provider, `keyNotFound`, `internal`.
    ///
    /// Every call makes a new assertion with a `jti` of its own.
    public func tokenRequest(
        code: String, for remembered: RememberedRequest, resources: [String] = [],
        prover: DPoPProver? = nil, nonce: DPoPNonce? = nil, at now: NumericDate? = nil
    ) throws(JOSEError) -> TokenRequest {
        try setup.tokenRequest(
            code: code, remembered, resources, recipient?.get(),
            PartySetup.ProofOrder(prover, nonce), now
        ).signed()
    }

    /// Verifies an ID Token.
    ///
    /// - Parameters:
    ///   - token: The token, unverified.
    ///   - remembered: What was remembered when the login was started.
    ///   - accessToken: The access token that came beside it; `at_hash` must fit it.
    ///   - code: The code that it came for; `c_hash` must fit it.
    ///   - now: The time to judge by; the system's clock where none is given.
    /// - Throws: Any code of the engine's verifier; `claimRejected` with the claim that does not satisfy the profile
    ///   or the request.
    ///
    /// Source: OpenID Connect Core, 3.1.3.7.
    public func verifyIDToken(
        _ token: String, for remembered: RememberedRequest, accessToken: String? = nil,
        code: String? = nil, at now: NumericDate? = nil
    ) throws(JOSEError) -> VerifiedIDToken {
        try setup.check(remembered)
        let check = IDTokenCheck(setup: setup)
        let expectation = check.expectation(
            for: remembered, accessToken: accessToken, code: code)
        let now = now ?? .now
        let verified = try idTokens.verify(token, expecting: expectation, at: now)
        return try check.check(verified, for: remembered, expectation, at: now)
    }

    /// Verifies a UserInfo answer.
    ///
    /// - Parameters:
    ///   - body: The answer: a token or JSON, as the profile says.
    ///   - idToken: The ID Token of the same login; `sub` must equal its subject, in constant time.
    ///   - contentType: The answer's media type, to be checked where it is given.
    ///   - now: The time to judge by; the system's clock where none is given.
    /// - Throws: Any code of the engine's verifier; `claimRejected`, with `sub` for another user; `misuse` for the ID Token
    ///   of another client or provider.
    ///
    /// Source: OpenID Connect Core, 5.3.
    public func verifyUserInfo(
        _ body: String, for idToken: VerifiedIDToken, contentType: String? = nil,
        at now: NumericDate? = nil
    ) throws(JOSEError) -> VerifiedUserInfo {
        let check = UserInfoCheck(setup)
        try check.check(idToken)
        try check.checkMediaType(contentType)
        guard let userInfos else { return try check.json(body, idToken) }
        let verified = try userInfos.verify(body, expecting: check.expectation(idToken), at: now)
        return try check.token(verified)
    }
}

extension PartySetup {
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
