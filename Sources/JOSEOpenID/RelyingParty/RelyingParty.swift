// The relying party (client): makes the requests of a login and verifies the responses.

public import JOSE
import JOSEBytes

/// A client at an OpenID provider. Create it once and use it from many threads.
///
/// Call in the order of a login: `start`, `authorizationResponse`, `tokenRequest`, `verifyIDToken`,
/// `verifyUserInfo`.
///
/// A `KeySource` returns the provider's keys. Calls that need these keys throw the errors of their
/// source too, such as `unavailable`. With a `PublicJWKSet` no call waits for keys.
///
/// The client's keys may be external. Their operations are limited by the `timeout` of their
/// `ExternalKeyOptions`, and by the `timeout` of the call if you pass one.
public struct RelyingParty: Sendable {
    let configuration: RelyingPartyConfiguration
    private let providerKeys: any KeySource
    let idTokens: AsyncJWTVerifier
    private let userInfos: AsyncJWTVerifier?
    /// Nil if the profile has no JARM response mode.
    let jarmResponses: AsyncJWTVerifier?
    let logoutTokens: AsyncJWTVerifier

    /// Creates a relying party.
    ///
    /// - Parameters:
    ///   - profile: The provider's rules.
    ///   - metadata: The provider's metadata.
    ///   - clientID: The `client_id`, printable ASCII.
    ///   - redirectURI: The redirect URI, exactly as registered. Nil for a client without logins,
    ///     such as a service with client credentials.
    ///   - keys: The client's private keys. The first key that can sign is the signing key. The
    ///     `kid` selects the decryption key.
    ///   - secret: The client secret, if the profile authenticates or signs ID Tokens with it.
    ///   - appSwitchURIs: The values of `app_switch_url` that unsigned requests may have.
    ///   - providerKeys: The provider's public keys: a `PublicJWKSet`, or a source that fetches
    ///     them, such as `RemoteJWKSet` of JOSERemote.
    /// - Throws: `misuse` for an invalid profile, client ID, URI or secret, and for a redirect URI
    ///   if the metadata is not an OpenID provider's. `keyNotFound` if a key that the profile
    ///   needs is missing. `keyUnusable`.
    public init(
        profile: OpenIDProfile, metadata: ProviderMetadata, clientID: String, redirectURI: String?,
        keys: JWKSet, secret: ClientSecret? = nil, appSwitchURIs: [String] = [],
        providerKeys: any KeySource
    ) throws(JOSEError) {
        try self.init(
            RelyingPartyConfiguration(
                profile, metadata, clientID: clientID, redirectURI: redirectURI, keys: keys,
                secret: secret, appSwitchURIs: appSwitchURIs), providerKeys)
    }

    /// Creates a relying party that only verifies. It needs no signing key and no redirect URI.
    package init(
        verifying profile: OpenIDProfile, metadata: ProviderMetadata, clientID: String,
        keys: JWKSet, providerKeys: any KeySource
    ) throws(JOSEError) {
        try self.init(
            RelyingPartyConfiguration(
                profile, metadata, clientID: clientID, redirectURI: nil, keys: keys,
                secret: nil, verifiesOnly: true), providerKeys)
    }

    private init(
        _ configuration: RelyingPartyConfiguration, _ providerKeys: any KeySource
    ) throws(JOSEError) {
        let profile = configuration.profile
        self.configuration = configuration
        self.providerKeys = providerKeys
        idTokens = try configuration.idTokenVerifier(providerKeys)
        userInfos =
            if let layers = profile.userInfo.layers {
                try configuration.verifier(configuration.userInfoPolicy, layers, providerKeys)
            } else {
                nil
            }
        logoutTokens = try configuration.verifier(
            configuration.logoutPolicy, profile.idToken.layers, providerKeys)
        jarmResponses =
            profile.authorization.usesJARM
            ? try configuration.verifier(
                configuration.jarmPolicy, profile.jarm.layers, providerKeys) : nil
    }

    /// Returns the key set to publish: public keys with their certificates.
    ///
    /// - Parameter now: The time to validate certificates at; the system clock by default.
    /// - Throws: `keyUnusable` for a key without a public part. The errors of
    ///   `PublicJWKSet.checkCertificates(_:at:)` if a certificate breaks the profile's rule.
    public func publishedKeys(at now: NumericDate? = nil) throws(JOSEError) -> PublicJWKSet {
        let keys = try configuration.keys.publicKeys
        try keys.checkCertificates(configuration.profile.publishedCertificates, at: now)
        return keys
    }

    /// Starts a login: makes the URL for the browser and the session to store.
    ///
    /// - Parameters:
    ///   - request: The authorization request.
    ///   - state: How to make `state`.
    ///   - now: The time of a request object; the system clock by default.
    ///   - timeout: The time limit for external keys.
    /// - Throws: `misuse` with the rule of the profile that the request breaks. `claimRejected`
    ///   with the metadata member that excludes the request. `keyNotFound` if a request object
    ///   needs a missing key. `unavailable` if the provider's keys or an external key are
    ///   unavailable. `internal`.
    public func start(
        _ request: AuthorizationRequest, state: StateSource = .random, at now: NumericDate? = nil,
        timeout: Duration? = nil
    ) async throws(JOSEError) -> AuthorizationStart {
        let draft = try configuration.draft(request, state)
        let recipient = draft.delivery == .none ? nil : try await recipient()
        let object = try configuration.object(of: draft, recipient, now)
        return configuration.finish(
            draft, object: try await object?.signed(before: .end(of: timeout)))
    }

    /// Makes the request that exchanges a code for tokens. After the error `use_dpop_nonce` call
    /// again with the nonce: each call makes a new client assertion with a new `jti`.
    ///
    /// - Parameters:
    ///   - code: The code of the authorization response.
    ///   - session: The session that `start` returned.
    ///   - resources: The resources of the access token, from those of the login (RFC 8707).
    ///   - prover: The key to bind the access token to, if the provider supports DPoP.
    ///   - nonce: The newest nonce of the provider, if it sent one.
    ///   - now: The time of the client assertion; the system clock by default.
    ///   - timeout: The time limit for external keys.
    /// - Throws: `misuse` for the session of another client or provider, a resource that is not an
    ///   absolute URI, a missing prover, or a prover that the session or the provider does not
    ///   accept. `keyNotFound`, `unavailable`, `internal`.
    public func tokenRequest(
        code: String, for session: AuthorizationSession, resources: [String] = [],
        prover: DPoPProver? = nil, nonce: DPoPNonce? = nil, at now: NumericDate? = nil,
        timeout: Duration? = nil
    ) async throws(JOSEError) -> TokenRequest {
        let grant = try configuration.codeGrant(code, session, resources, prover)
        return try await tokenRequest(grant, prover, nonce, now, timeout)
    }

    /// Adds client authentication and DPoP proof to a grant, and signs.
    func tokenRequest(
        _ grant: OpenIDParameters, _ prover: DPoPProver?, _ nonce: DPoPNonce?, _ now: NumericDate?,
        _ timeout: Duration?
    ) async throws(JOSEError) -> TokenRequest {
        let recipient = try await recipient()
        var request = RequestToSign(url: configuration.metadata.tokenEndpoint, form: grant)
        try configuration.authenticate(&request, to: .token, recipient, now)
        try request.append(prover, nonce, now)
        return try await request.signed(before: .end(of: timeout))
    }

    /// Verifies an ID Token.
    ///
    /// - Parameters:
    ///   - token: The ID Token.
    ///   - session: The session that `start` returned.
    ///   - accessToken: The access token of the response; required if the ID Token has `at_hash`.
    ///   - code: The code of the authorization response; required if the ID Token has `c_hash`.
    ///   - now: The time to verify at; the system clock by default.
    ///   - timeout: The time limit for external keys.
    /// - Throws: The errors of `AsyncJWTVerifier`. `claimRejected` with a claim that breaks the
    ///   profile or the request.
    ///
    /// Source: OpenID Connect Core, 3.1.3.7.
    public func verifyIDToken(
        _ token: String, for session: AuthorizationSession, accessToken: String? = nil,
        code: String? = nil, at now: NumericDate? = nil, timeout: Duration? = nil
    ) async throws(JOSEError) -> VerifiedIDToken {
        try configuration.check(session)
        let check = IDTokenCheck(configuration: configuration)
        let expectation = check.expectation(
            for: session, accessToken: accessToken, code: code)
        let now = now ?? .now
        let verified = try await idTokens.verify(
            token, expecting: expectation, at: now, timeout: timeout)
        return try check.check(verified, for: session, expectation, at: now)
    }

    /// Verifies a UserInfo response.
    ///
    /// - Parameters:
    ///   - body: The body of the response: a JWT or JSON, as the profile requires.
    ///   - idToken: The ID Token of the same login. Its `sub` is compared in constant time.
    ///   - contentType: The `Content-Type` of the response; nil to skip its check.
    ///   - now: The time to verify at; the system clock by default.
    ///   - timeout: The time limit for external keys.
    /// - Throws: The errors of `AsyncJWTVerifier`. `malformed` for another media type.
    ///   `claimRejected`, such as with `sub` for another user. `misuse` for the ID Token of another
    ///   client or provider.
    ///
    /// Source: OpenID Connect Core, 5.3.
    public func verifyUserInfo(
        _ body: String, for idToken: VerifiedIDToken, contentType: String? = nil,
        at now: NumericDate? = nil, timeout: Duration? = nil
    ) async throws(JOSEError) -> VerifiedUserInfo {
        try configuration.check(idToken)
        let check = UserInfoCheck(configuration: configuration)
        try check.checkMediaType(contentType)
        guard let userInfos else { return try check.json(body, idToken) }
        let verified = try await userInfos.verify(
            body, expecting: ClaimsExpectation(subject: idToken.subject), at: now,
            timeout: timeout)
        return try check.token(verified)
    }

    /// Returns the provider's encryption key, or nil if no message needs one.
    func recipient() async throws(JOSEError) -> JWTRecipient? {
        guard configuration.needsRecipient else { return nil }
        return try configuration.recipient(await providerKeys.keys(keyID: nil))
    }
}

extension RelyingPartyConfiguration {
    /// ID Tokens are verified with the provider's keys or with the client secret, never with both.
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

extension RelyingParty: RedactedDescription {}
