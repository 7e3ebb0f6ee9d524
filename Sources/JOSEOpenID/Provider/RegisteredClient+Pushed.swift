// Receives pushed authorization requests, and finds them again by `request_uri` (RFC 9126).

public import JOSE
import JOSEBytes

extension RegisteredClient {
    /// Receives a pushed authorization request and authenticates the client.
    ///
    /// It does not throw: every error is a rejection with a response. The `redirect_uri` must be
    /// registered, as at the authorization endpoint.
    ///
    /// - Parameters:
    ///   - body: The form: the parameters or a signed object in `request`, and the client's
    ///     credentials. Find the client with `OpenIDProvider.unverifiedClientID`.
    ///   - authorization: The `Authorization` header.
    ///   - proofs: The values of all `DPoP` headers. With a proof, the code is bound to its key
    ///     (RFC 9449, 10.1). Checked last, and only if the profile accepts proofs.
    ///   - now: The current time; the system's clock by default.
    ///
    /// Source: RFC 9126, 2.1 and 3.
    public func receivePushedRequest(
        _ body: String, authorization: String? = nil, proofs: [String] = [],
        at now: NumericDate? = nil
    ) async -> RequestResult<PushedRequest, RejectedRequest> {
        let hasHeader = authorization != nil
        let form: OpenIDParameters
        do throws(JOSEError) {
            form = try OpenIDParameters(decoding: body)
        } catch {
            return rejected(
                AuthorizationRejection(error, .invalidRequest, OpenIDParameters()), hasHeader,
                status: error.code == .limitExceeded ? 413 : nil)
        }
        let now = now ?? .now
        let (request, nextNonce): (PushedRequest, String?)
        do throws(AuthorizationRejection) {
            (request, nextNonce) = try await pushed(form, authorization, proofs, now)
        } catch {
            return rejected(error, hasHeader, at: now)
        }
        do throws(PushedRequestStoreError) {
            try await provider.pushedRequests?.store(request, at: now)
        } catch {
            let isTooMany = error == .quotaExceeded
            let cause = JOSEError(error)
            return rejected(
                AuthorizationRejection(
                    cause, .serverSide(cause) ?? .invalidRequest, OpenIDParameters(),
                    rule: isTooMany ? "too many pushed requests are stored for this client" : nil),
                hasHeader, status: isTooMany ? 429 : nil)
        }
        return .accepted(request.adding(nonce: nextNonce))
    }

    private func rejected(
        _ rejection: AuthorizationRejection, _ hasHeader: Bool, status: Int? = nil,
        at now: NumericDate? = nil
    ) -> RequestResult<PushedRequest, RejectedRequest> {
        .rejected(
            RejectedRequest(
                cause: rejection.cause,
                error: provider.addingNonce(to: rejection.tokenError, at: now),
                hasHeader: hasHeader, status: status))
    }

    private func pushed(
        _ form: OpenIDParameters, _ authorization: String?, _ proofs: [String],
        _ now: NumericDate
    ) async throws(AuthorizationRejection) -> (PushedRequest, nextNonce: String?) {
        let none = OpenIDParameters()
        do throws(JOSEError) {
            guard provider.pushedRequests != nil else {
                throw .misuse("the provider has no store for pushed requests")
            }
            try checkClient(of: form)
            try await authenticate(form, authorization, to: .pushedRequest, at: now)
        } catch {
            throw AuthorizationRejection(
                error, TokenError(rejecting: error).code, none,
                rule: UnregisteredMethod(error)?.description)
        }
        guard form["request_uri"] == nil else {
            throw AuthorizationRejection(
                ProfileViolation("a pushed request must not have a request_uri"), none)
        }
        guard form["client_id"] != nil || form["request"] != nil else {
            throw AuthorizationRejection(
                .claimRejected("client_id", "it is missing"), .invalidRequest, none)
        }
        var request = try await assemble(form.withoutCredentials, isPushed: true, now)
        guard isRegistered(request.redirectURI, for: request.parameters) else {
            throw AuthorizationRejection(
                .claimRejected("redirect_uri", "the client did not register it"),
                .invalidRequest, none, rule: "the client did not register this redirect_uri")
        }
        let nextNonce: String?
        do throws(JOSEError) {
            let proof = try await verify(
                proofs: proofs, to: .pushedRequest, boundTo: request.keyThumbprint, at: now)
            if let proof { request = request.proved(by: proof.keyThumbprint) }
            nextNonce = proof?.nextNonce
        } catch {
            throw AuthorizationRejection(error, TokenError(rejecting: error).code, none)
        }
        do throws(JOSEError) {
            return (try PushedRequest(request, profile.pushedRequests, at: now), nextNonce)
        } catch {
            throw AuthorizationRejection(error, .serverSide(error) ?? .invalidRequest, none)
        }
    }

    /// Finds the pushed request of a `request_uri`; nil if the URI is absent or no reference to a
    /// pushed request. Of the browser's parameters only `client_id` and `request_uri` are used, so
    /// there is no redirect URI for errors until the request is found.
    func pushed(
        _ outer: OpenIDParameters, _ now: NumericDate
    ) async throws(AuthorizationRejection) -> ReceivedAuthorization? {
        guard let store = provider.pushedRequests, let reference = outer["request_uri"],
            reference.begins(with: PushedRequest.prefix)
        else { return nil }
        let none = OpenIDParameters()
        guard outer["request"] == nil else {
            throw AuthorizationRejection(
                .malformed(.message, "request and request_uri are both present"), .invalidRequest,
                none)
        }
        let found: PushedRequest?
        do throws(PushedRequestStoreError) {
            found = try await store.find(reference, at: now)
        } catch {
            let cause = JOSEError(error)
            throw AuthorizationRejection(cause, .serverSide(cause) ?? .invalidRequestURI, none)
        }
        guard let found, found.reference.isExactly(reference), now < found.expires else {
            throw AuthorizationRejection(
                .claimRejected("request_uri", "it is unknown, used or expired"),
                .invalidRequestURI, none)
        }
        guard found.clientID.isExactly(registration.clientID),
            isOwn(found.request.clientID, found.request.issuer)
        else {
            throw AuthorizationRejection(
                .claimRejected("request_uri", "it is another client's"), .invalidRequestURI, none)
        }
        let request = found.request
        // The rules may have changed since the request was pushed (RFC 9126, 4).
        if needsObject, !request.isSigned { throw missingObjectRejection(of: request.parameters) }
        try check(request.parameters, signed: request.signedParameters, request.parameters)
        return request.pushed(
            PushedUse(
                reference: reference, issued: found.issued, decisionDeadline: found.decisionDeadline
            ))
    }

    func consume(_ use: PushedUse, at now: NumericDate) async throws(JOSEError) {
        guard now < use.decisionDeadline else {
            throw .claimRejected(
                "request_uri",
                "the time for the user's decision (pushedRequests.decisionTime) has passed")
        }
        try await markUsed(
            OneTimeToken(
                text: use.reference, purpose: "pushed-request", parameter: "request_uri",
                issued: use.issued, expires: use.decisionDeadline), at: now)
        // The replay store decides. Removing the request only rejects further uses sooner.
        try? await provider.pushedRequests?.remove(use.reference, at: now)
    }
}

extension OpenIDParameters {
    /// The parameters without the client's credentials (RFC 9126, 2.1).
    var withoutCredentials: OpenIDParameters {
        let credentials = ["client_assertion", "client_assertion_type", "client_secret"]
        return OpenIDParameters(
            all.filter { parameter in !credentials.contains { $0.isExactly(parameter.name) } })
    }
}
