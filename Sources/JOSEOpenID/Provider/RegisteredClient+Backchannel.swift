// Receives backchannel authentication requests (CIBA Core 1.0, 7).

public import JOSE
import JOSEBytes

extension RegisteredClient {
    /// Receives a backchannel authentication request and authenticates the client.
    ///
    /// It does not throw: every error is a rejection with a response. The `jti` of a signed request
    /// is recorded last. For a problem with the user's account, respond with a `TokenError`:
    /// `unknownUserID`, `expiredLoginHintToken`, `missingUserCode` or `invalidUserCode`.
    ///
    /// - Parameters:
    ///   - body: The form: the parameters or a signed object in `request`, and the client's
    ///     credentials. Find the client with `OpenIDProvider.unverifiedClientID`.
    ///   - authorization: The `Authorization` header.
    ///   - now: The current time; the system's clock by default.
    ///
    /// Source: CIBA Core 1.0, 7.2.
    public func receiveBackchannelRequest(
        _ body: String, authorization: String? = nil, at now: NumericDate? = nil
    ) async -> RequestResult<ReceivedBackchannelRequest, RejectedRequest> {
        do throws(AuthorizationRejection) {
            return .accepted(try await backchannel(body, authorization, now ?? .now))
        } catch {
            return .rejected(
                RejectedRequest(
                    cause: error.cause, error: error.tokenError, hasHeader: authorization != nil))
        }
    }

    private func backchannel(
        _ body: String, _ authorization: String?, _ now: NumericDate
    ) async throws(AuthorizationRejection) -> ReceivedBackchannelRequest {
        let none = OpenIDParameters()
        let form: OpenIDParameters
        let registered: BackchannelRegistration
        do throws(JOSEError) {
            form = try OpenIDParameters(decoding: body)
            try checkClient(of: form)
            try await authenticate(form, authorization, to: .backchannel, at: now)
            registered = try backchannelRegistration()
        } catch {
            throw AuthorizationRejection(
                error, TokenError(rejecting: error).code, none,
                rule: UnregisteredMethod(error)?.description)
        }
        guard form["request_uri"] == nil else {
            throw AuthorizationRejection(
                ProfileViolation("a backchannel request must not have a request_uri"), none)
        }
        guard let object = form["request"] else {
            guard !profile.backchannel.requiresSignedRequest, !registered.requiresSignedRequest
            else {
                throw AuthorizationRejection(
                    ProfileViolation("backchannel requests of this client must be signed"), none)
            }
            return try received(form.withoutCredentials, isSigned: false, registered)
        }
        let namesInObject = BackchannelParameters.request + BackchannelParameters.rightsParameters
        guard !namesInObject.contains(where: { form[$0] != nil }) else {
            throw AuthorizationRejection(
                ProfileViolation("a signed request must contain all parameters"), none)
        }
        let read: (token: VerifiedJWT, parameters: OpenIDParameters)
        do throws(JOSEError) {
            read = try await backchannelReader().read(object, at: now)
            if let named = read.parameters["client_id"], !named.isExactly(registration.clientID) {
                throw .claimRejected("client_id", "it is another client's")
            }
        } catch {
            throw AuthorizationRejection(ofObject: error, .invalidRequest, none)
        }
        let request = try received(read.parameters, isSigned: true, registered)
        try await recordUse(of: read.token, now)
        return request
    }

    private func recordUse(
        of token: VerifiedJWT, _ now: NumericDate
    ) async throws(AuthorizationRejection) {
        do throws(JOSEError) {
            try await provider.replays.markUsed(
                token, purpose: "backchannel-request", audience: provider.metadata.issuer, at: now)
        } catch {
            throw AuthorizationRejection(ofObject: error, .invalidRequest, OpenIDParameters())
        }
    }

    /// Removes unused parameters and checks the others.
    private func received(
        _ parameters: OpenIDParameters, isSigned: Bool, _ registered: BackchannelRegistration
    ) throws(AuthorizationRejection) -> ReceivedBackchannelRequest {
        // Unused: `client_notification_token` without ping mode, `user_code` if it is not
        // registered, and parameters of browser logins, such as `nonce`.
        let ignored =
            ["client_id"] + (registered.delivery == .ping ? [] : ["client_notification_token"])
            + (registered.sendsUserCode ? [] : ["user_code"])
        let effective = OpenIDParameters(
            [OpenIDParameter("client_id", registration.clientID)]
                + parameters.all.filter { parameter in
                    !ignored.contains { $0.isExactly(parameter.name) }
                        && !BackchannelParameters.isForeign(parameter.name)
                })
        do throws(ProfileViolation) {
            _ = try AuthorizationCheck(
                rules: profile.authorization, parameters: effective,
                signed: isSigned ? effective : OpenIDParameters(), isProvider: true,
                appSwitchURIs: []
            ).checkBackchannel()
            try BackchannelCheck(
                rules: profile.backchannel, parameters: effective, delivery: registered.delivery
            ).check()
        } catch {
            throw AuthorizationRejection(error, OpenIDParameters())
        }
        return ReceivedBackchannelRequest(
            request: ReceivedAuthorization(
                issuer: provider.metadata.issuer, signed: isSigned ? effective : OpenIDParameters(),
                unsigned: isSigned ? OpenIDParameters() : effective, others: ""),
            delivery: registered.delivery)
    }

    /// Throws `claimRejected` with `grant_type` if the client is not registered for CIBA.
    func backchannelRegistration() throws(JOSEError) -> BackchannelRegistration {
        guard let registered = registration.backchannel else {
            throw .claimRejected(
                "grant_type",
                "the client may not send backchannel requests (ClientRegistration.backchannel)")
        }
        return registered
    }

    /// Verifies an ID Token that was sent as a hint and returns its `sub`. The token may have
    /// expired.
    ///
    /// - Throws: The errors of `JWSVerifier` if none of the provider's current keys verifies the
    ///   signature; `malformed` for an encrypted token. `claimRejected` with `iss`, `aud` or `sub`,
    ///   with `typ` or `events` of another kind of token, and with `exp` or `iat` if it is missing.
    ///   Respond with `TokenError(.unknownUserID)`.
    ///
    /// Source: OpenID Connect Core, 3.1.2.2; CIBA Core 1.0, 7.2.
    public func subject(ofHint token: String) throws(JOSEError) -> String {
        try claims(ofHint: token).subject
    }

    func claims(
        ofHint token: String
    ) throws(JOSEError) -> (subject: String, sessionID: String?) {
        let verifier = try JWSVerifier(
            keys: provider.keys.publicKeys, algorithms: profile.algorithms.signature,
            limits: profile.limits)
        let verified = try verifier.verify(token)
        guard try profile.idToken.header.type.allows(verified.header().type) else {
            throw .claimRejected("typ", "it belongs to another kind of token")
        }
        let claims = try JSONMessage(verified.payload, limits: profile.limits)
        guard let issuer = try claims.string("iss"), issuer.isExactly(provider.metadata.issuer)
        else { throw .claimRejected("iss", "it is another provider's") }
        try MessageKind.idTokenHint.check(claims.document)
        guard claims.audience.contains(where: registration.clientID.isExactly) else {
            throw .claimRejected("aud", "it is another client's")
        }
        guard let subject = try claims.string("sub"), !subject.isEmpty else {
            throw .claimRejected("sub", "it is missing")
        }
        return (subject, try claims.string("sid"))
    }

    /// Returns the `acr` that the user must reach; see `acr(for:)` with an authorization request.
    ///
    /// - Throws: `misuse` for a request of another client or provider.
    public func acr(for request: ReceivedBackchannelRequest) throws(JOSEError) -> String? {
        try acr(for: request.request)
    }
}
