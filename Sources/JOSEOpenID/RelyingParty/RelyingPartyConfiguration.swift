// What a relying party is, whatever way its provider's keys come: rules, keys, and the making of messages.

import JOSE
import JOSEBytes

/// Shared by the relying parties; prepared once. A class, as copying a whole profile costs a count of references.
final class RelyingPartyConfiguration: Sendable {
    let profile: OpenIDProfile
    let metadata: ProviderMetadata
    let clientID: String
    let tokenParty: TokenParty
    let redirectURI: String
    let keys: JWKSet
    private let appSwitchURIs: [String]
    private let secret: ClientSecret?
    /// The key of ID Tokens where the client secret signs them (HS256); nil where a key of the
    /// provider does.
    let idTokenKey: JWK?
    /// The maker of request objects; nil without a signing key.
    private let objects: JWTIssuer?
    private let assertions: JWTIssuer?
    /// The maker of signed backchannel requests; nil without a signing key.
    let backchannelObjects: JWTIssuer?

    init(
        _ profile: OpenIDProfile, _ metadata: ProviderMetadata, clientID: String,
        redirectURI: String,
        keys: JWKSet, secret: ClientSecret?, appSwitchURIs: [String] = [],
        judgesOnly: Bool = false
    ) throws(JOSEError) {
        guard !clientID.isEmpty, clientID.isVisible else {
            throw .misuse("a client_id is visible ASCII")
        }
        guard WebURL.isRedirect(redirectURI) else {
            throw .misuse(WebURL.redirectFailure(redirectURI))
        }
        try profile.checkNumbers()
        try profile.checkHeaders()
        self.profile = profile
        self.metadata = metadata
        self.clientID = clientID
        tokenParty = TokenParty(clientID: clientID, claimNames: profile.userInfo.names)
        self.redirectURI = redirectURI
        self.keys = keys
        self.secret = secret
        self.appSwitchURIs = appSwitchURIs
        let signer = LocalSigningKey.find(keys, profile.algorithms)
        objects = try signer?.issuer(
            profile.requestObject.lifetimeSeconds, profile.requestObject.header, profile.limits)
        assertions = try signer?.issuer(
            profile.client.assertionLifetimeSeconds, profile.client.header, profile.limits)
        backchannelObjects = try signer?.issuer(
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
        guard !judgesOnly else { return }
        switch profile.client.authentication {
        case .basic:
            guard secret?.isEmpty == false else {
                throw .misuse("the profile needs a client secret")
            }
            guard profile.client.encodesBasic || !clientID.utf8.contains(UInt8(ascii: ":")) else {
                throw .misuse("a client_id with a colon needs the form encoding of HTTP Basic")
            }
        case .assertion:
            guard signer != nil else { throw .keyNotFound("no key of ours can sign") }
        case .publicClient: try profile.checkPublicClient(secret: secret)
        }
    }

    /// Whether messages to the provider may have to be encrypted for it.
    var needsRecipient: Bool {
        profile.requestObject.layers == .signedThenEncrypted
            || profile.client.authentication == .assertion(.signedThenEncrypted)
    }

    /// The public parts of our keys as they are to be published.
    func publishedKeys(at now: NumericDate?) throws(JOSEError) -> PublicJWKSet {
        let keys = try keys.publicKeys
        try keys.checkCertificates(profile.publishedCertificates, at: now)
        return keys
    }

    /// The provider's encryption key with the profile's first algorithm that fits it and that the provider offers.
    func recipient(_ provider: PublicJWKSet) throws(JOSEError) -> JWTRecipient {
        try RemoteEncryptionKey.recipient(
            provider, profile,
            offered: metadata.list("request_object_encryption_alg_values_supported"))
    }

    // MARK: The authorization request

    /// A request after the rules accepted it.
    struct Draft {
        let parameters: OpenIDParameters
        let session: AuthorizationSession
        let delivery: RequestObjectDelivery
    }

    func draft(
        _ request: AuthorizationRequest, _ source: StateSource
    ) throws(JOSEError) -> Draft {
        let delivery = request.delivery ?? profile.requestObject.delivery
        let rules = profile.authorization
        let proof =
            rules.requiresPKCE || request.usesPKCE ? try PKCE() : nil
        if proof != nil { try metadata.check.proofKeys() }
        var fixed = FixedParameters(
            clientID: clientID, redirectURI: redirectURI, state: try source.make(),
            nonce: try FreshText.make(bits: 256), challenge: try proof?.challenge)
        fixed.responseMode = request.responseMode ?? defaultResponseMode
        if rules.stateBeginsWithMethod {
            let asked = OpenIDParameters([
                OpenIDParameter("acr_values", request.acrValues.joined(separator: " "))
            ])
            if let method = rules.acr.method(of: asked) {
                fixed.state = method + ":" + fixed.state
            }
        }
        let parameters = try request.parameters(fixed)
        let asked: RequestedClaims
        do throws(ProfileViolation) {
            asked = try AuthorizationCheck(
                rules: rules, parameters: parameters,
                signed: delivery == .none
                    ? OpenIDParameters() : profile.requestObject.carried(parameters),
                isProvider: false,
                appSwitchURIs: appSwitchURIs
            ).check()
            if delivery == .none, profile.requestObject.isRequired {
                throw ProfileViolation("the provider takes requests in signed objects only")
            }
            if case .byReference(let address) = delivery {
                try profile.requestObject.checkReference(address)
            }
        } catch {
            throw error.misuse
        }
        if let mode = request.responseMode {
            try metadata.check.responses(in: mode)
        } else if let mode = fixed.responseMode, mode.isSigned || !rules.fixesResponseMode {
            try metadata.check.responses(in: mode)
        }
        let session = AuthorizationSession(
            clientID: clientID, issuer: metadata.issuer, redirectURI: redirectURI,
            state: fixed.state, nonce: fixed.nonce, codeVerifier: proof?.verifier,
            acrValues: asked.acrValues, requiredClaims: asked.requiredClaims,
            subjects: asked.subjects,
            maxAgeSeconds: parameters.requestedMaxAge,
            responseMode: fixed.responseMode ?? .query, keyThumbprint: request.keyThumbprint)
        return Draft(parameters: parameters, session: session, delivery: delivery)
    }

    /// The mode to ask for where the request names none; nil for the query, which needs no
    /// parameter.
    ///
    /// A form falls back to the query, both of which carry the same parameters. A signed response
    /// never falls back to one that is not.
    private var defaultResponseMode: ResponseMode? {
        let rules = profile.authorization
        let usual = rules.defaultResponseMode
        guard usual != .query else { return nil }
        guard usual == .formPost, !rules.fixesResponseMode, rules.responseModes.contains(.query),
            !metadata.check.lists(usual)
        else { return usual }
        return nil
    }

    /// A new `jti`.
    func freshID() throws(JOSEError) -> String { try FreshText.make(bits: 128) }

    /// The request object with which the browser is sent to the provider, before it is signed; nil
    /// for a request without one.
    func object(
        of draft: Draft, _ recipient: JWTRecipient?, _ now: NumericDate?
    ) throws(JOSEError) -> UnsignedToken? {
        guard !profile.pushedRequests.isRequired else {
            throw .misuse("the provider takes pushed requests only")
        }
        try metadata.check.takesUnpushed()
        try metadata.check.takes(draft.delivery)
        guard draft.delivery != .none else { return nil }
        try metadata.check.requestObjects(profile)
        return try requestObject(profile.requestObject.carried(draft.parameters), recipient, now)
    }

    /// The address for the browser, with the signed request object where the request travels in
    /// one.
    func finish(_ draft: Draft, object: String?) -> AuthorizationStart {
        guard let object else { return started(draft.session, draft.parameters, nil) }
        var outer = OpenIDParameters(
            draft.parameters.all.filter { parameter in
                profile.requestObject.repeatedParameters.contains { $0.isExactly(parameter.name) }
                    || profile.requestObject.isQueryOnly(parameter.name)
            })
        if case .byReference(let address) = draft.delivery {
            outer.append("request_uri", address)
            return started(draft.session, outer, object)
        }
        outer.append("request", object)
        return started(draft.session, outer, nil)
    }

    /// The address for the browser, with these parameters.
    func started(
        _ session: AuthorizationSession, _ parameters: OpenIDParameters, _ object: String?
    ) -> AuthorizationStart {
        let endpoint = metadata.authorizationEndpoint
        return AuthorizationStart(
            url: endpoint + AddressPlaces.queryMark(behind: endpoint) + parameters.encoded,
            session: session, requestObject: object)
    }

    /// The parameters in an object for the provider.
    func requestObject(
        _ parameters: OpenIDParameters, _ recipient: JWTRecipient?, _ now: NumericDate?
    ) throws(JOSEError) -> UnsignedToken {
        guard let objects else { throw .keyNotFound("no key of ours can sign") }
        var claims = try RequestObjectText.claims(
            parameters, texts: profile.requestObject.textParameters)
        claims["iss"] = .string(clientID)
        claims["aud"] = .string(profile.requestObject.audience.text(metadata))
        claims["jti"] = .string(try freshID())
        let now = now ?? .now
        if profile.requestObject.maxValiditySeconds != nil {
            claims["nbf"] = .integer(now.seconds)
        }
        return try unsigned(
            objects, JSONValue.object(claims), profile.requestObject.layers, recipient, now)
    }

    /// A token for the provider, before it is signed.
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

    /// A proof of possession to be made.
    struct ProofOrder {
        let prover: DPoPProver
        let nonce: DPoPNonce?

        init?(_ prover: DPoPProver?, _ nonce: DPoPNonce?) {
            guard let prover else { return nil }
            self.prover = prover
            self.nonce = nonce
        }

        /// The proof of a request to the token endpoint, or to another that takes no token.
        func proof(_ url: String, _ now: NumericDate?) throws(JOSEError) -> UnsignedToken {
            try prover.unsigned("POST", url, accessToken: nil, nonce: nonce, at: now)
        }
    }

    /// Throws `misuse` for a request without a proof where the provider takes none of these, and for a proof by an algorithm that
    /// it does not take.
    ///
    /// - Parameter isNeeded: False for a request that may go without.
    func check(_ proof: ProofOrder?, isNeeded: Bool = true) throws(JOSEError) {
        guard let proof else {
            guard profile.accessToken.proofs != .required || !isNeeded else {
                throw .misuse("the provider binds every token to a key: give a prover")
            }
            return
        }
        guard
            profile.accessToken.proofs == .ignored
                || profile.accessToken.dpop.algorithms.contains(proof.prover.algorithm)
        else { throw .misuse("the provider takes no proofs by the prover's algorithm") }
    }

    func tokenRequest(
        code: String, _ session: AuthorizationSession, _ resources: [String],
        _ recipient: JWTRecipient?, _ proof: ProofOrder?, _ now: NumericDate?
    ) throws(JOSEError) -> RequestDraft {
        try check(session)
        try check(proof)
        if let bound = session.keyThumbprint {
            guard let proof, proof.prover.keyThumbprint.isExactly(bound) else {
                throw .misuse("the code was asked for with another key")
            }
        }
        var form = OpenIDParameters()
        form.append("grant_type", "authorization_code")
        form.append("code", code)
        form.append("redirect_uri", session.redirectURI)
        form.append("code_verifier", session.codeVerifier)
        return try tokenRequest(form, resources, recipient, proof, now)
    }

    /// The request to the token endpoint for this grant.
    func tokenRequest(
        _ grant: OpenIDParameters, _ resources: [String], _ recipient: JWTRecipient?,
        _ proof: ProofOrder?, _ now: NumericDate?
    ) throws(JOSEError) -> RequestDraft {
        var request = RequestDraft(url: metadata.tokenEndpoint, form: grant)
        for resource in resources {
            guard WebURL.isRedirect(resource) else {
                throw .misuse("resource must be an absolute address without fragment")
            }
            request.form.append("resource", resource)
        }
        try authenticate(&request, to: .token, recipient, now)
        if let proof { request.append(header: "DPoP", try proof.proof(request.url, now)) }
        return request
    }

    /// Adds what proves to an endpoint of the provider who we are.
    func authenticate(
        _ request: inout RequestDraft, to endpoint: AuthenticatedEndpoint, _ recipient: JWTRecipient?,
        _ now: NumericDate?
    ) throws(JOSEError) {
        if profile.client.sendsClientID, request.form["client_id"] == nil {
            request.form.append("client_id", clientID)
        }
        request.headers.append(OpenIDParameter("Content-Type", MediaType.form))
        switch profile.client.authentication {
        case .basic:
            guard let secret else { throw .misuse("the profile needs a client secret") }
            guard !sendsSecretInForm else {
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
            guard endpoint == .token || endpoint == .pushedRequest else {
                throw .misuse("a public client cannot prove itself, which this endpoint demands")
            }
            if request.form["client_id"] == nil { request.form.append("client_id", clientID) }
        }
    }

    /// Whether the secret travels in the form: the client is registered so, or the provider's
    /// metadata list that and not HTTP Basic.
    private var sendsSecretInForm: Bool {
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
        guard let assertions else { throw .keyNotFound("no key of ours can sign") }
        let claims = ClientAssertionClaims(
            iss: clientID, sub: clientID, aud: audience.text(metadata), jti: try freshID())
        return try unsigned(assertions, claims, layers, recipient, now)
    }

    /// Throws `misuse` for a request of another client or provider, or one that nobody could have sent.
    func check(_ session: AuthorizationSession) throws(JOSEError) {
        guard session.clientID.isExactly(clientID), session.issuer.isExactly(metadata.issuer)
        else { throw .misuse("the remembered request is of another client or provider") }
        guard session.maxAgeSeconds.map({ NumericDate.ages ~= $0 }) ?? true else {
            throw .misuse("the remembered max_age is not 0 to 253402300799 seconds")
        }
    }
}
