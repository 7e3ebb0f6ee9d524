// Asking a provider for a user who is not at a browser of ours: the request, the questions after it, the ID Token (CIBA Core 1.0).

public import JOSE
import JOSEBytes

extension RelyingParty {
    /// Makes a backchannel authentication request.
    ///
    /// - Parameters:
    ///   - request: What is asked for.
    ///   - now: The time of what is signed; the system's clock where none is given.
    ///   - timeout: How long an external key of ours may take, within what its rule says.
    /// - Throws: `misuse` with the rule where a value cannot be sent, and for a provider without the endpoint; `claimRejected` with the
    ///   member of the metadata that does not offer it; `keyNotFound`, `internal`.
    ///
    /// Source: CIBA Core 1.0, 7.1.
    public func backchannel(
        _ request: BackchannelRequest, at now: NumericDate? = nil, timeout: Duration? = nil
    ) async throws(JOSEError) -> BackchannelAuthentication {
        let draft = try RelyingPartyConfiguration.BackchannelDraft(request, setup)
        let request = try setup.backchannel(draft, await recipient(), now)
        return setup.finish(draft, try await request.signed(before: .end(of: timeout)))
    }

    /// The question whether the user decided; read its answer by `TokenResponse`, or by `TokenError` and `BackchannelWait.after(_:)`.
    ///
    /// - Parameters:
    ///   - wait: What the request is waiting for.
    ///   - resources: What the access token is to be for, of those that were asked for (RFC 8707).
    ///   - prover: The key that the access token is to be bound to, where the provider takes proofs of possession.
    ///   - nonce: The nonce that the provider gave, where it asked for one.
    ///   - now: The time of the client assertion; the system's clock where none is given.
    ///   - timeout: How long an external key of ours may take, within what its rule says.
    /// - Throws: `misuse` for what another client or provider waits for and for a resource that is no address, `keyNotFound`,
    ///   `internal`.
    ///
    /// Source: CIBA Core 1.0, 10.1.
    public func tokenRequest(
        for wait: BackchannelWait, resources: [String] = [], prover: DPoPProver? = nil,
        nonce: DPoPNonce? = nil, at now: NumericDate? = nil, timeout: Duration? = nil
    ) async throws(JOSEError) -> TokenRequest {
        try setup.check(wait)
        return try await setup.tokenRequest(
            wait, resources, recipient(), RelyingPartyConfiguration.ProofOrder(prover, nonce), now
        ).signed(before: .end(of: timeout))
    }

    /// Verifies the ID Token of a user who was asked for so.
    ///
    /// - Parameters:
    ///   - token: The token, unverified.
    ///   - wait: What the request was waiting for.
    ///   - accessToken: The access token that came beside it; `at_hash` must fit it.
    ///   - refreshToken: The refresh token that came beside it; `urn:openid:params:jwt:claim:rt_hash` must fit it.
    ///   - now: The time to judge by; the system's clock where none is given.
    ///   - timeout: How long an external key of ours may take, within what its rule says.
    /// - Throws: Any code of the engine's verifier; `claimRejected` with the claim that does not satisfy the profile or the
    ///   request: one of another request, or of a login with a `nonce`.
    ///
    /// Source: CIBA Core 1.0, 10.1.1 and 10.3.1.
    public func verifyIDToken(
        _ token: String, for wait: BackchannelWait, accessToken: String? = nil,
        refreshToken: String? = nil, at now: NumericDate? = nil, timeout: Duration? = nil
    ) async throws(JOSEError) -> VerifiedIDToken {
        let check = try BackchannelTokenCheck(setup, wait, accessToken, refreshToken)
        let now = now ?? .now
        let verified = try await idTokens.verify(
            token, expecting: check.expectation, at: now, timeout: timeout)
        return try check.check(verified, at: now)
    }
}

extension RelyingPartyConfiguration {
    /// A request after the rules accepted it, with what is random in it.
    struct BackchannelDraft {
        let parameters: OpenIDParameters
        let isSigned: Bool
        let asked: RequestedClaims
        let subject: String?

        init(_ request: BackchannelRequest, _ setup: RelyingPartyConfiguration) throws(JOSEError) {
            let profile = setup.profile
            isSigned = request.isSigned ?? profile.backchannel.requiresSignedRequest
            guard isSigned || !profile.backchannel.requiresSignedRequest else {
                throw .misuse("the provider takes signed backchannel requests only")
            }
            parameters = try request.parameters(
                notificationToken: request.delivery == .ping ? FreshText.make(bits: 256) : nil)
            do throws(ProfileViolation) {
                asked = try AuthorizationCheck(
                    rules: profile.authorization, parameters: parameters,
                    signed: isSigned ? parameters : OpenIDParameters(), isProvider: false,
                    appSwitchURIs: []
                ).checkBackchannel()
                try BackchannelCheck(
                    rules: profile.backchannel, parameters: parameters, delivery: request.delivery
                ).check()
            } catch {
                throw error.misuse
            }
            try setup.metadata.check.backchannel(
                request.delivery, isSigned: isSigned, hasUserCode: request.userCode != nil, profile)
            subject = request.subject
        }
    }

    /// The request, before it is signed.
    fileprivate func backchannel(
        _ draft: BackchannelDraft, _ recipient: JWTRecipient?, _ now: NumericDate?
    ) throws(JOSEError) -> RequestDraft {
        guard let endpoint = metadata.backchannelEndpoint else {
            throw .misuse("the provider has no endpoint for backchannel requests")
        }
        var request = RequestDraft(
            url: endpoint, form: draft.isSigned ? OpenIDParameters() : draft.parameters)
        if draft.isSigned { request.append("request", try object(of: draft, now ?? .now)) }
        try authenticate(&request, to: .backchannel, recipient, now)
        return request
    }

    fileprivate func finish(
        _ draft: BackchannelDraft, _ request: TokenRequest
    ) -> BackchannelAuthentication {
        BackchannelAuthentication(
            request: request, clientID: clientID, issuer: metadata.issuer,
            notificationToken: draft.parameters["client_notification_token"],
            acrValues: draft.asked.acrValues, requiredClaims: draft.asked.requiredClaims,
            subjects: draft.asked.subjects, subject: draft.subject)
    }

    /// Every parameter as a claim (7.1.1): signed by us, for the issuer.
    private func object(
        of draft: BackchannelDraft, _ now: NumericDate
    ) throws(JOSEError) -> UnsignedToken {
        guard let backchannelObjects else { throw .keyNotFound("no key of ours can sign") }
        var claims = try RequestObjectText.claims(
            draft.parameters, texts: profile.requestObject.textParameters)
        claims["iss"] = .string(clientID)
        claims["aud"] = .string(metadata.issuer)
        claims["nbf"] = .integer(now.seconds)
        claims["jti"] = .string(try freshID())
        return UnsignedToken(
            issuer: backchannelObjects,
            claims: try backchannelObjects.payload(JSONValue.object(claims), now), now: now)
    }

    fileprivate func tokenRequest(
        _ wait: BackchannelWait, _ resources: [String], _ recipient: JWTRecipient?,
        _ proof: ProofOrder?, _ now: NumericDate?
    ) throws(JOSEError) -> RequestDraft {
        try check(wait)
        try check(proof)
        let form = OpenIDParameters([
            OpenIDParameter("grant_type", OpenIDProfile.backchannelGrant),
            OpenIDParameter("auth_req_id", wait.requestID),
        ])
        return try tokenRequest(form, resources, recipient, proof, now)
    }

    /// Throws `misuse` for what another client or provider waits for.
    fileprivate func check(_ wait: BackchannelWait) throws(JOSEError) {
        guard wait.clientID.isExactly(clientID), wait.issuer.isExactly(metadata.issuer) else {
            throw .misuse("another client, or for another provider, waits for this")
        }
    }
}

/// Compares an ID Token with the request that it answers.
private struct BackchannelTokenCheck {
    let setup: RelyingPartyConfiguration
    let wait: BackchannelWait
    let refreshToken: String?
    let expectation: ClaimsExpectation

    init(
        _ setup: RelyingPartyConfiguration, _ wait: BackchannelWait, _ accessToken: String?,
        _ refreshToken: String?
    ) throws(JOSEError) {
        try setup.check(wait)
        self.setup = setup
        self.wait = wait
        self.refreshToken = refreshToken
        var expectation = ClaimsExpectation(subject: wait.subject, accessToken: accessToken)
        expectation.requiresAccessTokenHash = setup.profile.idToken.requiresAccessTokenHash
        self.expectation = expectation
    }

    func check(_ token: VerifiedJWT, at now: NumericDate) throws(JOSEError) -> VerifiedIDToken {
        let document = token.document
        // Such a request sends none: it is the token of a login.
        guard document.member("nonce") == nil else {
            throw .claimRejected("nonce", "none was sent")
        }
        let name = BackchannelClaim.requestID
        if let index = document.member(named: name) {
            guard let text = document.string(at: index), text.isSecretly(wait.requestID) else {
                throw .claimRejected(name, "it is another request's")
            }
        } else if setup.profile.backchannel.requiresRequestID {
            throw .claimRejected(name, "it is required and missing")
        }
        if let index = document.member(named: BackchannelClaim.refreshTokenHash) {
            guard let algorithm = try token.header().algorithm?.signature, let refreshToken,
                let hash = document.string(at: index),
                hash.isSecretly(try algorithm.tokenHash(of: refreshToken))
            else {
                throw .claimRejected(
                    BackchannelClaim.refreshTokenHash, "it does not fit the refresh token")
            }
        }
        let session = AuthorizationSession(
            clientID: wait.clientID, issuer: wait.issuer, redirectURI: "", state: "", nonce: "",
            codeVerifier: nil, acrValues: wait.acrValues, requiredClaims: wait.requiredClaims,
            subjects: wait.subjects, maxAgeSeconds: nil, responseMode: .query,
            keyThumbprint: nil)
        return try IDTokenCheck(setup: setup, responsesLogin: false)
            .check(token, for: session, expectation, at: now)
    }
}
