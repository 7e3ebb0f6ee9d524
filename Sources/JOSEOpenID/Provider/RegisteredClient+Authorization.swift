// Receives authorization requests and makes the responses to them.

public import JOSE
import JOSEBytes

/// Fetches the request object at a `request_uri`. A thrown error rejects the request. If the error
/// is `unavailable`, the client gets `temporarily_unavailable`.
public typealias RequestObjectFetch = @Sendable (_ uri: String) async throws -> String

extension RegisteredClient {
    /// Receives an authorization request: plain, with a request object, or with a `request_uri`.
    ///
    /// - Parameters:
    ///   - query: The query of the URL, without the question mark.
    ///   - now: The current time; the system's clock by default.
    ///   - fetch: Fetches a request object; nil if `request_uri` is not supported. It is called
    ///     only for URIs that the client's registration allows.
    /// - Throws: Errors that must not be redirected, such as `claimRejected` with `client_id` or
    ///   `redirect_uri`. Show an error page (`OpenIDHTTPResponse.page(rejecting:text:)`). All other
    ///   errors are returned as a rejection with a response.
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
                    error, .serverSide(error) ?? .serverError, usedParameters(of: outer))
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
                ProfileViolation("the provider accepts only pushed requests"),
                usedParameters(of: outer))
        }
        return try await assemble(outer, now, fetch)
    }

    /// Makes the response with a code.
    ///
    /// - Parameters:
    ///   - code: The authorization code.
    ///   - request: The request.
    ///   - now: The time of a signed response; the system's clock by default.
    /// - Throws: `misuse` for a request of another client or provider. For a signed response, also
    ///   the errors of `tokenIssuer()`; `keyNotFound` if the client lacks an encryption key.
    public func redirect(
        code: String, for request: ReceivedAuthorization, at now: NumericDate? = nil
    ) async throws(JOSEError) -> AuthorizationRedirect {
        try checkOwn(request)
        var parameters = OpenIDParameters()
        parameters.append("code", code)
        return try await redirect(parameters, request.parameters, now ?? .now)
    }

    /// Makes the response with an error, such as `access_denied` if the user declined.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - request: The request.
    ///   - now: The time of a signed response; the system's clock by default.
    /// - Throws: As `redirect(code:for:at:)`.
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

    /// Returns the `acr` that the user must reach: the strongest requested value, or the first one
    /// if the profile has no order. If no value counts, returns the profile's weakest one; nil if
    /// any `acr` is enough. Voluntary values count only with
    /// `ACRRule.providerRejectsUnmetVoluntary`.
    ///
    /// Use the result to choose the authentication. Do not write it into the ID Token, as the
    /// client may have chosen the text. Write the `acr` that was reached, and check it with
    /// `unmetRequirements(by:for:at:)`.
    ///
    /// - Throws: `misuse` for a request of another client or provider.
    public func acr(for request: ReceivedAuthorization) throws(JOSEError) -> String? {
        try checkOwn(request)
        let rule = profile.authorization.acr
        // If the profile now rejects the stored request, require the strongest value.
        guard let requested = try? RequestedClaims(accepted: request, profile.authorization) else {
            return rule.weakestFirst.last
        }
        return rule.strongest(requested.acrValues) ?? rule.weakestFirst.first
    }

    func checkOwn(_ request: ReceivedAuthorization) throws(JOSEError) {
        guard isOwn(request.clientID, request.issuer) else {
            throw .misuse("the request belongs to another client or provider")
        }
    }

    /// Whether these identifiers are of this client and this provider.
    func isOwn(_ clientID: String, _ issuer: String) -> Bool {
        clientID.isExactly(registration.clientID) && issuer.isExactly(provider.metadata.issuer)
    }

    /// Whether the client registered this redirect URI, also for the services in `request`.
    func isRegistered(_ uri: String, for request: OpenIDParameters) -> Bool {
        func isAmong(_ registered: [String]) -> Bool {
            registered.contains { candidate in
                candidate.isExactly(uri)
                    || profile.authorization.allowsLoopbackPorts
                        && LoopbackRedirect.areSame(candidate, uri)
            }
        }
        guard isAmong(registration.redirectURIs) else { return false }
        let table = registration.serviceRedirectURIs
        guard !table.isEmpty else { return true }
        return request.words("scope").compactMap { $0.removingPrefix("service:") }
            .filter { !$0.isEmpty }
            .allSatisfy { code in
                table.first { $0.key.isExactly(code) }.map { isAmong($0.value) } ?? false
            }
    }

    /// Makes the error response. Throws the cause if the redirect URI is not registered.
    private func reject(
        _ rejection: AuthorizationRejection, _ now: NumericDate
    ) async throws(JOSEError) -> RejectedAuthorization {
        let parameters = rejection.parameters
        guard let uri = parameters["redirect_uri"], isRegistered(uri, for: parameters)
        else { throw rejection.cause }
        let error = AuthorizationError(rejection.errorCode, description: rejection.description)
        var response = OpenIDParameters()
        error.append(to: &response)
        return RejectedAuthorization(
            cause: rejection.cause, error: error,
            redirect: try await redirect(response, parameters, now))
    }
}
