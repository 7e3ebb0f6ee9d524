// A relying party's rules, metadata and keys, and the functions that make its messages.

import JOSE
import JOSEBytes

/// A relying party's immutable state. A class, since a copied struct would retain many objects.
final class RelyingPartyConfiguration: Sendable {
    let profile: OpenIDProfile
    let metadata: ProviderMetadata
    let clientID: String
    let idTokenClient: IDTokenClient
    /// Nil for a client without logins.
    private let redirectURI: String?
    let keys: JWKSet
    private let appSwitchURIs: [String]
    private let secret: ClientSecret?
    /// Nil if the provider signs ID Tokens with its own keys.
    let idTokenKey: JWK?
    /// These three issuers are nil without a signing key.
    private let objectIssuer: JWTIssuer?
    private let assertionIssuer: JWTIssuer?
    let backchannelObjectIssuer: JWTIssuer?

    init(
        _ profile: OpenIDProfile, _ metadata: ProviderMetadata, clientID: String,
        redirectURI: String?, keys: JWKSet, secret: ClientSecret?, appSwitchURIs: [String] = [],
        verifiesOnly: Bool = false
    ) throws(JOSEError) {
        guard !clientID.isEmpty, clientID.isPrintableASCII else {
            throw .misuse("the client_id is empty or not printable ASCII")
        }
        if let redirectURI {
            guard WebURL.isURIWithoutFragment(redirectURI) else {
                throw .misuse(WebURL.redirectFailure(redirectURI))
            }
            guard metadata.isOpenID else {
                throw .misuse(
                    "the metadata is not of an OpenID provider: pass nil as redirectURI")
            }
        }
        try profile.checkNumbers()
        try profile.checkHeaders()
        self.profile = profile
        self.metadata = metadata
        self.clientID = clientID
        idTokenClient = IDTokenClient(clientID: clientID, claimNames: profile.userInfo.names)
        self.redirectURI = redirectURI
        self.keys = keys
        self.secret = secret
        self.appSwitchURIs = appSwitchURIs
        let signer = OwnSigningKey.find(keys, profile.algorithms)
        objectIssuer = try signer?.makeIssuer(
            profile.requestObject.lifetimeSeconds, profile.requestObject.header, profile.limits)
        assertionIssuer = try signer?.makeIssuer(
            profile.client.assertionLifetimeSeconds, profile.client.header, profile.limits)
        backchannelObjectIssuer = try signer?.makeIssuer(
            profile.backchannel.objectLifetimeSeconds, profile.backchannel.header, profile.limits)
        if profile.idToken.signature == .clientSecretHS256 {
            guard let secret else {
                throw .misuse(
                    "a client secret is required: idToken.signature is .clientSecretHS256")
            }
            idTokenKey = try secret.signingKey()
        } else {
            idTokenKey = nil
        }
        guard !verifiesOnly else { return }
        switch profile.client.authentication {
        case .basic:
            guard secret?.isEmpty == false else { throw .noClientSecret }
            guard profile.client.encodesBasic || !clientID.utf8.contains(UInt8(ascii: ":")) else {
                throw .misuse("a client_id with a colon needs client.encodesBasic")
            }
        case .assertion:
            guard signer != nil else { throw .noSigningKey }
        case .publicClient: try profile.checkPublicClient(secret: secret)
        }
    }

    var needsRecipient: Bool {
        profile.requestObject.layers == .signedThenEncrypted
            || profile.client.authentication == .assertion(.signedThenEncrypted)
    }

    /// Skips algorithms that are not in the list of the provider's metadata, if there is one.
    func recipient(_ providerKeys: PublicJWKSet) throws(JOSEError) -> JWTRecipient {
        try RemoteEncryptionKey.recipient(
            providerKeys, profile,
            offered: metadata.list("request_object_encryption_alg_values_supported"))
    }

    // MARK: The authorization request

    /// A request that satisfies the profile, with its random values.
    struct AuthorizationDraft {
        let parameters: OpenIDParameters
        let session: AuthorizationSession
        let delivery: RequestObjectDelivery
    }

    func draft(
        _ request: AuthorizationRequest, _ source: StateSource
    ) throws(JOSEError) -> AuthorizationDraft {
        guard let redirectURI else {
            throw .misuse("the client has no logins (redirectURI of RelyingParty.init is nil)")
        }
        let delivery = request.delivery ?? profile.requestObject.delivery
        let rules = profile.authorization
        let pkce = rules.requiresPKCE || request.usesPKCE ? try PKCE() : nil
        if pkce != nil { try metadata.check.checkPKCE() }
        var fixed = FixedParameters(
            clientID: clientID, redirectURI: redirectURI, state: try source.make(),
            nonce: try RandomString.make(bits: 256), challenge: try pkce?.challenge)
        fixed.responseMode = request.responseMode ?? defaultResponseMode
        if rules.stateBeginsWithMethod {
            let acrParameter = OpenIDParameters([
                OpenIDParameter("acr_values", request.acrValues.joined(separator: " "))
            ])
            if let method = rules.acr.method(of: acrParameter) {
                fixed.state = method + ":" + fixed.state
            }
        }
        let parameters = try request.parameters(fixed)
        let requested: RequestedClaims
        do throws(ProfileViolation) {
            requested = try AuthorizationCheck(
                rules: rules, parameters: parameters,
                signed: delivery == .none
                    ? OpenIDParameters() : profile.requestObject.withoutQueryOnly(parameters),
                isProvider: false,
                appSwitchURIs: appSwitchURIs
            ).check()
            if delivery == .none, profile.requestObject.isRequired {
                throw ProfileViolation(
                    "the provider requires request objects (AuthorizationRequest.delivery)")
            }
            if case .byReference(let uri) = delivery {
                try profile.requestObject.checkReference(uri)
            }
        } catch {
            throw error.misuse
        }
        if let mode = request.responseMode {
            try metadata.check.checkAccepts(responseMode: mode)
        } else if let mode = fixed.responseMode, mode.isSigned || !rules.fixesResponseMode {
            try metadata.check.checkAccepts(responseMode: mode)
        }
        let session = AuthorizationSession(
            clientID: clientID, issuer: metadata.issuer, redirectURI: redirectURI,
            state: fixed.state, nonce: fixed.nonce, codeVerifier: pkce?.verifier,
            acrValues: requested.acrValues, requiredClaims: requested.requiredClaims,
            subjects: requested.subjects,
            maxAgeSeconds: parameters.requestedMaxAge,
            responseMode: fixed.responseMode ?? .query, keyThumbprint: request.keyThumbprint)
        return AuthorizationDraft(parameters: parameters, session: session, delivery: delivery)
    }

    /// The response mode of a request that sets none; nil for `query`, which needs no parameter.
    /// `query` replaces a `form_post` that the metadata do not list: both have the same parameters.
    /// An unsigned mode never replaces a signed one.
    private var defaultResponseMode: ResponseMode? {
        let rules = profile.authorization
        let usual = rules.defaultResponseMode
        guard usual != .query else { return nil }
        guard usual == .formPost, !rules.fixesResponseMode, rules.responseModes.contains(.query),
            !metadata.check.lists(usual)
        else { return usual }
        return nil
    }

    func newID() throws(JOSEError) -> String { try RandomString.make(bits: 128) }

    /// Makes the request object of a request that is not pushed; nil if the request has none.
    func object(
        of draft: AuthorizationDraft, _ recipient: JWTRecipient?, _ now: NumericDate?
    ) throws(JOSEError) -> UnsignedToken? {
        guard !profile.pushedRequests.isRequired else {
            throw .misuse("the provider requires pushed requests: call push")
        }
        try metadata.check.checkAcceptsUnpushed()
        try metadata.check.checkAccepts(delivery: draft.delivery)
        guard draft.delivery != .none else { return nil }
        try metadata.check.checkRequestObjects(profile)
        return try requestObject(
            profile.requestObject.withoutQueryOnly(draft.parameters), recipient, now)
    }

    func finish(_ draft: AuthorizationDraft, object: String?) -> AuthorizationStart {
        guard let object else { return start(draft.session, draft.parameters, nil) }
        var outer = OpenIDParameters(
            draft.parameters.all.filter { parameter in
                profile.requestObject.repeatedParameters.contains { $0.isExactly(parameter.name) }
                    || profile.requestObject.isQueryOnly(parameter.name)
            })
        if case .byReference(let uri) = draft.delivery {
            outer.append("request_uri", uri)
            return start(draft.session, outer, object)
        }
        outer.append("request", object)
        return start(draft.session, outer, nil)
    }

    func start(
        _ session: AuthorizationSession, _ parameters: OpenIDParameters, _ object: String?
    ) -> AuthorizationStart {
        let endpoint = metadata.authorizationEndpoint
        return AuthorizationStart(
            url: endpoint + URLRanges.queryMark(after: endpoint) + parameters.encoded,
            session: session, requestObject: object)
    }

    func requestObject(
        _ parameters: OpenIDParameters, _ recipient: JWTRecipient?, _ now: NumericDate?
    ) throws(JOSEError) -> UnsignedToken {
        guard let objectIssuer else { throw .noSigningKey }
        var claims = try RequestObjectParameters.claims(
            parameters, texts: profile.requestObject.textParameters)
        claims["iss"] = .string(clientID)
        claims["aud"] = .string(profile.requestObject.audience.text(metadata))
        claims["jti"] = .string(try newID())
        let now = now ?? .now
        if profile.requestObject.maxValiditySeconds != nil {
            claims["nbf"] = .integer(now.seconds)
        }
        return try unsigned(
            objectIssuer, JSONValue.object(claims), profile.requestObject.layers, recipient, now)
    }

    private func unsigned(
        _ issuer: JWTIssuer, _ claims: some Encodable, _ layers: TokenLayers,
        _ recipient: JWTRecipient?, _ now: NumericDate?
    ) throws(JOSEError) -> UnsignedToken {
        let isEncrypted = layers == .signedThenEncrypted
        guard !isEncrypted || recipient != nil else {
            throw .keyNotFound("the provider has no encryption key")
        }
        return UnsignedToken(
            issuer: issuer, claims: try issuer.payload(claims, now),
            recipient: isEncrypted ? recipient : nil, now: now)
    }

    // MARK: The token request

    /// Throws `misuse` for a prover whose algorithm the provider does not accept. A missing prover
    /// is `misuse` too if the provider requires proofs and `isRequired` is true.
    func check(_ prover: DPoPProver?, isRequired: Bool = true) throws(JOSEError) {
        guard let prover else {
            guard profile.accessToken.proofs != .required || !isRequired else {
                throw .misuse("the provider binds every access token to a key: pass a prover")
            }
            return
        }
        guard
            profile.accessToken.proofs == .ignored
                || profile.accessToken.dpop.algorithms.contains(prover.algorithm)
        else {
            throw .misuse("the prover's algorithm is not one of accessToken.dpop.algorithms")
        }
    }

    func codeGrant(
        _ code: String, _ session: AuthorizationSession, _ resources: [String],
        _ prover: DPoPProver?
    ) throws(JOSEError) -> OpenIDParameters {
        try check(session)
        try check(prover)
        if let bound = session.keyThumbprint {
            guard let prover, prover.keyThumbprint.isExactly(bound) else {
                throw .misuse("the code is bound to another key: pass the prover of the request")
            }
        }
        var form = OpenIDParameters()
        form.append("grant_type", "authorization_code")
        form.append("code", code)
        form.append("redirect_uri", session.redirectURI)
        form.append("code_verifier", session.codeVerifier)
        try form.append(resources: resources)
        return form
    }

    func authenticate(
        _ request: inout RequestToSign, to endpoint: AuthenticatedEndpoint,
        _ recipient: JWTRecipient?,
        _ now: NumericDate?
    ) throws(JOSEError) {
        if profile.client.sendsClientID, request.form["client_id"] == nil {
            request.form.append("client_id", clientID)
        }
        request.headers.append(OpenIDParameter("Content-Type", MediaType.form))
        switch profile.client.authentication {
        case .basic:
            guard let secret else { throw .noClientSecret }
            guard !usesSecretInForm else {
                if request.form["client_id"] == nil { request.form.append("client_id", clientID) }
                request.form.append("client_secret", try secret.text())
                return
            }
            let value = secret.basic(
                clientID: clientID, isEncoded: profile.client.encodesBasic)
            request.headers.append(OpenIDParameter("Authorization", value))
        case .assertion(let layers):
            request.form.append("client_assertion_type", TokenRequest.assertionType)
            let audience = profile.client.audience.narrowed(to: endpoint)
            request.append(
                "client_assertion", try assertion(layers, audience, recipient, now))
        case .publicClient:
            guard endpoint.takesPublicClients else {
                throw .misuse(
                    "this endpoint requires client authentication; a public client has none")
            }
            if request.form["client_id"] == nil { request.form.append("client_id", clientID) }
        }
    }

    /// Whether the secret is sent in the form: the profile says so, or allows it for a provider
    /// that lists `client_secret_post` but not `client_secret_basic`.
    private var usesSecretInForm: Bool {
        if profile.client.sendsSecretInForm { return true }
        guard profile.client.allowsSecretInForm,
            let methods = metadata.list("token_endpoint_auth_methods_supported")
        else { return false }
        return !methods.contains { $0.isExactly(ClientAuthentication.basic.method) }
            && methods.contains { $0.isExactly(ClientAuthentication.secretInForm) }
    }

    private func assertion(
        _ layers: TokenLayers, _ audience: MessageAudience, _ recipient: JWTRecipient?,
        _ now: NumericDate?
    ) throws(JOSEError) -> UnsignedToken {
        guard let assertionIssuer else { throw .noSigningKey }
        let claims = ClientAssertionClaims(
            iss: clientID, sub: clientID, aud: audience.text(metadata), jti: try newID())
        return try unsigned(assertionIssuer, claims, layers, recipient, now)
    }

    // MARK: Stored values

    /// Throws `misuse` for the session of another client or provider, or an invalid `max_age`.
    func check(_ session: AuthorizationSession) throws(JOSEError) {
        guard session.clientID.isExactly(clientID), session.issuer.isExactly(metadata.issuer)
        else { throw .misuse("the session belongs to another client or provider") }
        guard session.maxAgeSeconds.map({ NumericDate.durations ~= $0 }) ?? true else {
            throw .misuse("the session's max_age is not 0 to 253402300799 seconds")
        }
    }

    func check(_ idToken: VerifiedIDToken) throws(JOSEError) {
        guard idToken.clientID.isExactly(clientID), idToken.issuer.isExactly(metadata.issuer)
        else { throw .misuse("the ID Token belongs to another client or provider") }
    }
}
