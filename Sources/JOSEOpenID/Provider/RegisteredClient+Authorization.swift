// Receiving authorization requests: plain, with a request object by value, or by reference.

public import JOSE
import JOSEBytes

/// Fetches the text behind a `request_uri`; whatever it throws rejects the request, and a thrown `unavailable` is answered
/// as `temporarily_unavailable`.
public typealias RequestObjectFetch = @Sendable (_ address: String) async throws -> String

extension RegisteredClient {
    /// Receives an authorization request.
    ///
    /// - Parameters:
    ///   - query: What stands behind the question mark.
    ///   - now: The time to judge by; the system's clock where none is given.
    ///   - fetch: Fetches a request object; nil where references are not supported. It is asked only for addresses that
    ///     the client registered or that its rules admit.
    /// - Throws: What rejects a request where nothing may be redirected, such as `claimRejected` with `client_id` or
    ///   `redirect_uri`: show an error page, with status 503 for `unavailable`. Everything else is a rejection with an
    ///   answer.
    public func receiveAuthorizationRequest(
        _ query: String, at now: NumericDate? = nil, fetch: RequestObjectFetch? = nil
    ) async throws(JOSEError) -> RequestResult<ReceivedAuthorization, RejectedAuthorization> {
        let outer = try OpenIDParameters(decoding: query)
        guard let clientID = outer["client_id"], clientID.isExactly(registration.clientID) else {
            throw .claimRejected("client_id", "it is missing or another client's")
        }
        let now = now ?? .now
        do throws(AuthorizationRejection) {
            do throws(JOSEError) {
                try checkServed()
            } catch {
                throw AuthorizationRejection(
                    error, .serverSide(error) ?? .serverError, counted(outer))
            }
            let received = try await received(outer, now, fetch)
            guard isRegistered(received.redirectURI, for: received.parameters) else {
                throw AuthorizationRejection(
                    .claimRejected("redirect_uri", "the client did not register it"),
                    .invalidRequest, received.parameters)
            }
            return .accepted(received)
        } catch {
            return .rejected(try await reject(error, now))
        }
    }

    private func received(
        _ outer: OpenIDParameters, _ now: NumericDate, _ fetch: RequestObjectFetch?
    ) async throws(AuthorizationRejection) -> ReceivedAuthorization {
        if let pushed = try await pushed(outer, now) { return pushed }
        guard !profile.pushedRequests.isRequired, !registration.requiresPushedRequests else {
            throw AuthorizationRejection(
                .malformed(.message, "the provider takes pushed requests only"), .invalidRequest,
                counted(outer), rule: "the provider takes pushed requests only")
        }
        return try await assemble(outer, now, fetch)
    }

    /// The answer that brings the code back.
    ///
    /// - Parameters:
    ///   - code: The authorization code.
    ///   - request: The request that it answers.
    ///   - now: The time of a signed answer; the system's clock where none is given.
    /// - Throws: `misuse` for a request of another client or provider; what `responses()` throws where the answer is a
    ///   token for the client's key.
    public func redirect(
        code: String, for request: ReceivedAuthorization, at now: NumericDate? = nil
    ) async throws(JOSEError) -> AuthorizationRedirect {
        try checkOwn(request)
        var parameters = OpenIDParameters()
        parameters.append("code", code)
        return try await redirect(parameters, request.parameters, now ?? .now)
    }

    /// The answer that brings an error back, such as `access_denied` where the user rejected.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - request: The request that it answers.
    ///   - now: The time of a signed answer; the system's clock where none is given.
    /// - Throws: As for a code.
    public func redirect(
        error: AuthorizationError, for request: ReceivedAuthorization, at now: NumericDate? = nil
    ) async throws(JOSEError) -> AuthorizationRedirect {
        try checkOwn(request)
        var parameters = OpenIDParameters()
        error.append(to: &parameters)
        return try await redirect(parameters, request.parameters, now ?? .now)
    }

    private func redirect(
        _ response: OpenIDParameters, _ request: OpenIDParameters, _ now: NumericDate
    ) async throws(JOSEError) -> AuthorizationRedirect {
        var response = response
        response.append("state", request["state"])
        var mode = request["response_mode"].flatMap(ResponseMode.init(rawValue:)) ?? .query
        if !profile.authorization.responseModes.contains(mode) { mode = .query }
        if mode.isSigned {
            let token = try await jarm(response, now)
            response = OpenIDParameters([OpenIDParameter("response", token)])
        } else if provider.metadata.sendsIssuerInResponse {
            response.append("iss", provider.metadata.issuer)
        }
        return AuthorizationRedirect(
            responseMode: mode, redirectURI: request["redirect_uri"] ?? "", parameters: response)
    }

    /// The `acr` that the user must reach, at the least, for the client to be answered: the strongest that was asked for, else
    /// the weakest that the profile knows; nil where it is free.
    ///
    /// Voluntary values count only where the profile says so (`ACRRule.voluntaryIsBinding`);
    /// all of them, which is what the client wishes, are `ReceivedAuthorization.acrValues`.
    ///
    /// It is what to ask the user for, and never what to write into the ID Token: where the profile
    /// knows no values, the client chose the text. Write what was reached, and compare by
    /// `unmetRequirements(by:for:)`.
    ///
    /// - Throws: `misuse` for a request of another client or provider.
    public func acr(for request: ReceivedAuthorization) throws(JOSEError) -> String? {
        try checkOwn(request)
        let rule = profile.authorization.acr
        // One that was accepted under other rules asks for all.
        guard
            let asked = try? RequestedClaims(
                request.parameters, profile.authorization, isProvider: true)
        else {
            return rule.weakestFirst.last
        }
        return rule.strongest(asked.acrValues) ?? rule.weakestFirst.first
    }

    /// Throws `misuse` unless this client's provider accepted the request from this client.
    func checkOwn(_ request: ReceivedAuthorization) throws(JOSEError) {
        guard request.clientID.isExactly(registration.clientID),
            request.issuer.isExactly(provider.metadata.issuer)
        else { throw .misuse("the request is of another client or provider") }
    }

    /// Whether the client registered the address, and for the services that the request names.
    func isRegistered(_ address: String, for request: OpenIDParameters) -> Bool {
        func isAmong(_ registered: [String]) -> Bool {
            registered.contains { registered in
                registered.isExactly(address)
                    || profile.authorization.allowsLoopbackPorts
                        && LoopbackRedirect.areSame(registered, address)
            }
        }
        guard isAmong(registration.redirectURIs) else { return false }
        let table = registration.serviceRedirectURIs
        guard !table.isEmpty else { return true }
        return request.words("scope").compactMap { $0.rest(behind: "service:") }
            .filter { !$0.isEmpty }
            .allSatisfy { code in
                table.first { $0.key.isExactly(code) }.map { isAmong($0.value) } ?? false
            }
    }

    /// A rejection is only redirected to a registered address; else it is thrown.
    private func reject(
        _ rejection: AuthorizationRejection, _ now: NumericDate
    ) async throws(JOSEError) -> RejectedAuthorization {
        let parameters = rejection.parameters
        guard let address = parameters["redirect_uri"], isRegistered(address, for: parameters)
        else { throw rejection.cause }
        let error = AuthorizationError(rejection.errorCode, description: rejection.description)
        var response = OpenIDParameters()
        error.append(to: &response)
        return RejectedAuthorization(
            cause: rejection.cause, error: error,
            redirect: try await redirect(response, parameters, now))
    }
}
