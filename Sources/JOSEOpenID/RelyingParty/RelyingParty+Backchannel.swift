// The client of CIBA Core 1.0: backchannel request, token request, ID Token.

public import JOSE
import JOSEBytes

extension RelyingParty {
    /// Makes a backchannel authentication request.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - now: The time of the signed messages; the system clock by default.
    ///   - timeout: The time limit for external keys.
    /// - Throws: `misuse` with the rule that the request breaks, for a public client, and for a
    ///   provider without the endpoint. `claimRejected` with the metadata member that does not list
    ///   a value of the request. `keyNotFound`, `unavailable`, `internal`.
    ///
    /// Source: CIBA Core 1.0, 7.1.
    public func backchannel(
        _ request: BackchannelRequest, at now: NumericDate? = nil, timeout: Duration? = nil
    ) async throws(JOSEError) -> BackchannelAuthentication {
        let draft = try RelyingPartyConfiguration.BackchannelDraft(request, configuration)
        let unsigned = try configuration.backchannelRequest(for: draft, await recipient(), now)
        return BackchannelAuthentication(
            request: try await unsigned.signed(before: .end(of: timeout)),
            context: BackchannelContext(
                clientID: configuration.clientID, issuer: configuration.metadata.issuer,
                notificationToken: draft.parameters["client_notification_token"],
                acrValues: draft.requested.acrValues,
                requiredClaims: draft.requested.requiredClaims,
                subjects: draft.requested.subjects, subject: request.subject))
    }

    /// Makes the token request of a backchannel session. Read the response with `TokenResponse`;
    /// pass an error to `BackchannelSession.after(_:)`.
    ///
    /// - Parameters:
    ///   - session: The session of the request.
    ///   - resources: The resources of the access token, from those of the backchannel request (RFC
    ///     8707); empty for none.
    ///   - prover: The key to bind the access token to, if the provider supports DPoP.
    ///   - nonce: The newest nonce of the provider, if it sent one.
    ///   - now: The time of the client assertion; the system clock by default.
    ///   - timeout: The time limit for external keys.
    /// - Throws: `misuse` for the session of another client or provider, a resource that is not an
    ///   absolute URI, a missing prover, or a prover that the provider does not accept.
    ///   `keyNotFound`, `unavailable`, `internal`.
    ///
    /// Source: CIBA Core 1.0, 10.1.
    public func tokenRequest(
        for session: BackchannelSession, resources: [String] = [], prover: DPoPProver? = nil,
        nonce: DPoPNonce? = nil, at now: NumericDate? = nil, timeout: Duration? = nil
    ) async throws(JOSEError) -> TokenRequest {
        try configuration.check(session)
        try configuration.check(prover)
        var form = OpenIDParameters([
            OpenIDParameter("grant_type", OpenIDProfile.backchannelGrant),
            OpenIDParameter("auth_req_id", session.requestID),
        ])
        try form.append(resources: resources)
        return try await tokenRequest(form, prover, nonce, now, timeout)
    }

    /// Verifies the ID Token of a backchannel session.
    ///
    /// - Parameters:
    ///   - token: The ID Token.
    ///   - session: The session of the request.
    ///   - accessToken: The access token of the response; required if the ID Token has `at_hash`.
    ///   - refreshToken: The refresh token of the response; required if the ID Token has
    ///     `urn:openid:params:jwt:claim:rt_hash`.
    ///   - now: The time to verify at; the system clock by default.
    ///   - timeout: The time limit for external keys.
    /// - Throws: The errors of `AsyncJWTVerifier`. `claimRejected` with a claim that breaks the
    ///   profile or the request, such as the `nonce` of a browser login.
    ///
    /// Source: CIBA Core 1.0, 10.1.1 and 10.3.1.
    public func verifyIDToken(
        _ token: String, for session: BackchannelSession, accessToken: String? = nil,
        refreshToken: String? = nil, at now: NumericDate? = nil, timeout: Duration? = nil
    ) async throws(JOSEError) -> VerifiedIDToken {
        try configuration.check(session)
        var expectation = ClaimsExpectation(
            subject: session.context.subject, accessToken: accessToken)
        expectation.requiresAccessTokenHash = configuration.profile.idToken.requiresAccessTokenHash
        let now = now ?? .now
        let verified = try await idTokens.verify(
            token, expecting: expectation, at: now, timeout: timeout)
        try configuration.check(verified, for: session, refreshToken)
        return try IDTokenCheck(configuration: configuration, isLogin: false)
            .check(verified, for: AuthorizationSession(session.context), expectation, at: now)
    }
}

extension RelyingPartyConfiguration {
    /// A request that satisfies the profile; for ping delivery, with a random notification token.
    struct BackchannelDraft {
        let parameters: OpenIDParameters
        let isSigned: Bool
        let requested: RequestedClaims

        init(
            _ request: BackchannelRequest, _ configuration: RelyingPartyConfiguration
        ) throws(JOSEError) {
            let profile = configuration.profile
            isSigned = request.isSigned ?? profile.backchannel.requiresSignedRequest
            guard isSigned || !profile.backchannel.requiresSignedRequest else {
                throw .misuse("the provider requires signed backchannel requests (isSigned)")
            }
            parameters = try request.parameters(
                notificationToken: request.delivery == .ping ? RandomString.make(bits: 256) : nil)
            do throws(ProfileViolation) {
                requested = try AuthorizationCheck(
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
            try configuration.metadata.check.checkBackchannel(
                request.delivery, isSigned: isSigned, hasUserCode: request.userCode != nil, profile)
        }
    }

    fileprivate func backchannelRequest(
        for draft: BackchannelDraft, _ recipient: JWTRecipient?, _ now: NumericDate?
    ) throws(JOSEError) -> RequestToSign {
        guard let endpoint = metadata.backchannelEndpoint else {
            throw .misuse("the provider's metadata has no backchannel_authentication_endpoint")
        }
        var request = RequestToSign(
            url: endpoint, form: draft.isSigned ? OpenIDParameters() : draft.parameters)
        if draft.isSigned { request.append("request", try object(of: draft, now ?? .now)) }
        try authenticate(&request, to: .backchannel, recipient, now)
        return request
    }

    /// CIBA Core 1.0, 7.1.1: every parameter is a claim, and the issuer is the audience.
    private func object(
        of draft: BackchannelDraft, _ now: NumericDate
    ) throws(JOSEError) -> UnsignedToken {
        guard let backchannelObjectIssuer else { throw .noSigningKey }
        var claims = try RequestObjectParameters.claims(
            draft.parameters, texts: profile.requestObject.textParameters)
        claims["iss"] = .string(clientID)
        claims["aud"] = .string(metadata.issuer)
        claims["nbf"] = .integer(now.seconds)
        claims["jti"] = .string(try newID())
        return UnsignedToken(
            issuer: backchannelObjectIssuer,
            claims: try backchannelObjectIssuer.payload(JSONValue.object(claims), now), now: now)
    }

    fileprivate func check(_ session: BackchannelSession) throws(JOSEError) {
        guard session.context.clientID.isExactly(clientID),
            session.context.issuer.isExactly(metadata.issuer)
        else { throw .misuse("the backchannel session is of another client or provider") }
    }

    fileprivate func check(
        _ token: VerifiedJWT, for session: BackchannelSession, _ refreshToken: String?
    ) throws(JOSEError) {
        let document = token.document
        guard document.member("nonce") == nil else {
            throw .claimRejected("nonce", "it is present, but the backchannel request had none")
        }
        let name = BackchannelClaim.requestID
        if let index = document.member(named: name) {
            guard let text = document.string(at: index), text.equalsConstantTime(session.requestID)
            else {
                throw .claimRejected(name, "it is of another request")
            }
        } else if profile.backchannel.requiresRequestID {
            throw .claimRejected(name, "it is required and missing")
        }
        if let index = document.member(named: BackchannelClaim.refreshTokenHash) {
            guard let algorithm = try token.header().algorithm?.signature, let refreshToken,
                let hash = document.string(at: index),
                hash.equalsConstantTime(try algorithm.tokenHash(of: refreshToken))
            else {
                throw .claimRejected(
                    BackchannelClaim.refreshTokenHash, "it does not match the refresh token")
            }
        }
    }
}

extension AuthorizationSession {
    fileprivate init(_ context: BackchannelContext) {
        self.init(
            clientID: context.clientID, issuer: context.issuer, redirectURI: "", state: "",
            nonce: "", codeVerifier: nil, acrValues: context.acrValues,
            requiredClaims: context.requiredClaims, subjects: context.subjects,
            maxAgeSeconds: nil, responseMode: .query, keyThumbprint: nil)
    }
}
