// Receiving pushed authorization requests, and the browsers that come with their references (RFC 9126).

public import JOSE
import JOSEBytes

extension RegisteredClient {
    /// Receives what a client pushes: who sends it, then whether its user may come with it.
    ///
    /// - Parameters:
    ///   - body: The form: the parameters of an authorization request, or an object in `request`, and what proves the client as
    ///     at the token endpoint. `OpenIDProvider.unverifiedClientID` says whose it is.
    ///   - authorization: The `Authorization` header.
    ///   - proofs: The values of the header `DPoP`: whose code this is to be is then the proof's key's alone (RFC 9449, 10.1). Looked at
    ///     where the profile takes proofs, last.
    ///   - now: The time to judge by; the system's clock where none is given.
    ///
    /// Nothing throws: whatever is wrong is a rejection with an answer. A `redirect_uri` must be registered here as at the
    /// authorization endpoint.
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
            try await provider.pushedRequests?.keep(request, at: now)
        } catch {
            let isTooMany = error == .quotaExceeded
            let cause = JOSEError(error)
            return rejected(
                AuthorizationRejection(
                    cause, .serverSide(cause) ?? .invalidRequest, OpenIDParameters(),
                    rule: isTooMany ? "too many pushed requests are waiting" : nil),
                hasHeader, status: isTooMany ? 429 : nil)
        }
        return .accepted(request.bringing(nonce: nextNonce))
    }

    private func rejected(
        _ rejection: AuthorizationRejection, _ hasHeader: Bool, status: Int? = nil,
        at now: NumericDate? = nil
    ) -> RequestResult<PushedRequest, RejectedRequest> {
        .rejected(
            RejectedRequest(
                cause: rejection.cause,
                error: provider.bringingNonce(rejection.tokenError, at: now),
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
            try checkServed()
            if let clientID = form["client_id"], !clientID.isExactly(registration.clientID) {
                throw .claimRejected("client_id", "it is another client's")
            }
            try await authenticate(form, authorization, to: .pushedRequest, at: now)
        } catch {
            let code = TokenError(rejecting: error).code
            throw AuthorizationRejection(
                error, code, none, rule: TokenError.otherMethod(error, code))
        }
        guard form["request_uri"] == nil else {
            throw AuthorizationRejection(
                .malformed(.message, "a pushed request holds a request_uri"), .invalidRequest,
                none, rule: "a pushed request holds no request_uri")
        }
        guard form["client_id"] != nil || form["request"] != nil else {
            throw AuthorizationRejection(
                .claimRejected("client_id", "it is missing"), .invalidRequest, none)
        }
        var request = try await assemble(form.withoutProof, isPushed: true, now)
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

    /// The pushed request that a browser brings the reference of; nil where it brings none of ours.
    ///
    /// Of the query nothing counts but `client_id` and the reference, so what is rejected here is redirected nowhere.
    func pushed(
        _ outer: OpenIDParameters, _ now: NumericDate
    ) async throws(AuthorizationRejection) -> ReceivedAuthorization? {
        guard let store = provider.pushedRequests, let reference = outer["request_uri"],
            reference.begins(with: PushedRequest.prefix)
        else { return nil }
        let none = OpenIDParameters()
        guard outer["request"] == nil else {
            throw AuthorizationRejection(
                .malformed(.message, "request and request_uri stand together"), .invalidRequest,
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
                .claimRejected("request_uri", "it is unknown, was used or has ended"),
                .invalidRequestURI, none)
        }
        guard found.clientID.isExactly(registration.clientID),
            (try? checkOwn(found.request)) != nil
        else {
            throw AuthorizationRejection(
                .claimRejected("request_uri", "it is another client's"), .invalidRequestURI, none)
        }
        let request = found.request
        // The rules may have changed since it was pushed (RFC 9126, 4).
        if needsObject, !request.isSigned { throw lackingObject(request.parameters) }
        try check(request.parameters, signed: request.signedParameters, request.parameters)
        return request.pushed(
            PushedUse(reference: reference, issued: found.issued, grantBy: found.grantBy))
    }

    /// Uses a pushed request up: of all callers one comes back.
    func useUp(_ use: PushedUse, at now: NumericDate) async throws(JOSEError) {
        guard now < use.grantBy else {
            throw .claimRejected("request_uri", "the user took too long")
        }
        try await claim(
            OneTimeToken(
                text: use.reference, purpose: "pushed-request", parameter: "request_uri",
                issued: use.issued, expires: use.grantBy), at: now)
        // The claim is what counts; whoever comes with the reference now is told at once.
        try? await provider.pushedRequests?.remove(use.reference, at: now)
    }
}

extension OpenIDParameters {
    /// What asks for something: the rest proves the client and is no part of the request (RFC 9126, 2.1).
    var withoutProof: OpenIDParameters {
        let proofs = ["client_assertion", "client_assertion_type", "client_secret"]
        return OpenIDParameters(
            all.filter { parameter in !proofs.contains { $0.isExactly(parameter.name) } })
    }
}
