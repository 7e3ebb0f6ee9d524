// Receiving authorization requests: plain, with a request object by value, or by reference.

public import JOSE

/// Fetches the text behind a `request_uri`; whatever it throws refuses the request, and a thrown `unavailable` is answered
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
    /// - Throws: What refuses a request where nothing may be redirected, such as `claimRejected` with `client_id` or
    ///   `redirect_uri`: show an error page, with status 503 for `unavailable`. Everything else is a refusal with an
    ///   answer.
    public func receive(
        authorization query: String, at now: NumericDate? = nil, fetch: RequestObjectFetch? = nil
    ) async throws(JOSEError) -> AuthorizationVerdict {
        let outer = try OpenIDParameters(decoding: query)
        guard let clientID = outer["client_id"], clientID.isExactly(registration.clientID) else {
            throw .claimRejected("client_id", "it is missing or another client's")
        }
        let now = now ?? .now
        do throws(Refusal) {
            do throws(JOSEError) {
                try checkServed()
            } catch {
                throw Refusal(error, .ours(error) ?? .serverError, outer)
            }
            let received = try await assemble(outer, now, fetch)
            guard isRegistered(received.redirectURI) else {
                throw Refusal(
                    .claimRejected("redirect_uri", "the client did not register it"),
                    .invalidRequest, received.parameters)
            }
            return .accepted(received)
        } catch {
            return .refused(try refuse(error))
        }
    }

    /// The answer that brings the code back.
    ///
    /// - Throws: `misuse` for a request of another client or provider.
    public func redirect(
        code: String, for request: ReceivedAuthorization
    ) throws(JOSEError) -> AuthorizationRedirect {
        try checkOwn(request)
        var parameters = OpenIDParameters()
        parameters.append("code", code)
        return redirect(parameters, request.parameters)
    }

    /// The answer that brings an error back, such as `access_denied` where the user refused.
    ///
    /// - Throws: `misuse` for a request of another client or provider.
    public func redirect(
        error: AuthorizationError, for request: ReceivedAuthorization
    ) throws(JOSEError) -> AuthorizationRedirect {
        try checkOwn(request)
        var parameters = OpenIDParameters()
        error.append(to: &parameters)
        return redirect(parameters, request.parameters)
    }

    private func redirect(
        _ answer: OpenIDParameters, _ request: OpenIDParameters
    ) -> AuthorizationRedirect {
        var answer = answer
        answer.append("state", request["state"])
        if provider.metadata.answersNameIssuer { answer.append("iss", provider.metadata.issuer) }
        let mode = request["response_mode"].flatMap(ResponseMode.init(rawValue:)) ?? .query
        return AuthorizationRedirect(
            responseMode: profile.authorization.responseModes.contains(mode) ? mode : .query,
            redirectURI: request["redirect_uri"] ?? "", parameters: answer)
    }

    /// The `acr` that the user must reach, at the least, for the client to be answered: the strongest that was asked for, else
    /// the weakest that the profile knows; nil where it is free.
    ///
    /// - Throws: `misuse` for a request of another client or provider.
    public func context(for request: ReceivedAuthorization) throws(JOSEError) -> String? {
        try checkOwn(request)
        let rule = profile.authorization.context
        // One that was accepted under other rules asks for all.
        guard let asked = try? AskedClaims(request.parameters, profile.authorization) else {
            return rule.weakestFirst.last
        }
        return rule.strongest(asked.contexts) ?? rule.weakestFirst.first
    }

    /// Throws `misuse` unless this client's provider accepted the request from this client.
    func checkOwn(_ request: ReceivedAuthorization) throws(JOSEError) {
        guard request.clientID.isExactly(registration.clientID),
            request.issuer.isExactly(provider.metadata.issuer)
        else { throw .misuse("the request is of another client or provider") }
    }

    private func isRegistered(_ address: String) -> Bool {
        registration.redirectURIs.contains { $0.isExactly(address) }
    }

    /// A refusal is only redirected to a registered address; else it is thrown.
    private func refuse(_ refusal: Refusal) throws(JOSEError) -> RefusedAuthorization {
        guard let address = refusal.parameters["redirect_uri"], isRegistered(address) else {
            throw refusal.cause
        }
        let error = AuthorizationError(
            refusal.answer, description: refusal.rule?.description ?? refusal.answer.sentence)
        var parameters = OpenIDParameters()
        error.append(to: &parameters)
        return RefusedAuthorization(
            cause: refusal.cause, error: error,
            redirect: redirect(parameters, refusal.parameters))
    }

    /// A refusal on its way, with the parameters that may say where it goes.
    private struct Refusal: Error {
        let cause: JOSEError
        let answer: OAuthErrorCode
        let parameters: OpenIDParameters
        /// The broken rule of the profile, which the client may be told; nil where the cause is a check of a token.
        let rule: StaticString?

        init(
            _ cause: JOSEError, _ answer: OAuthErrorCode, _ parameters: OpenIDParameters,
            rule: StaticString? = nil
        ) {
            self.cause = cause
            self.answer = answer
            self.parameters = parameters
            self.rule = rule
        }

        init(_ breach: RuleBreach, _ parameters: OpenIDParameters) {
            self.init(breach.malformed, breach.answer, parameters, rule: breach.reason)
        }
    }

    private func assemble(
        _ received: OpenIDParameters, _ now: NumericDate, _ fetch: RequestObjectFetch?
    ) async throws(Refusal) -> ReceivedAuthorization {
        let rules = profile.requestObject
        let outer = profile.authorization.heeded(received)
        guard let text = try await object(outer, fetch) else {
            if rules.isRequired {
                throw Refusal(
                    .malformed(.message, "the profile takes requests in signed objects only"),
                    .invalidRequest, outer)
            }
            try check(outer, signed: OpenIDParameters(), outer)
            return ReceivedAuthorization(
                issuer: provider.metadata.issuer, signed: OpenIDParameters(), unsigned: outer,
                others: "")
        }
        let standsAlone = rules.standsAlone || rules.isRequired
        let object: RequestObjectText
        let inner: OpenIDParameters
        do throws(JOSEError) {
            object = try await objects.read(text, at: now)
            inner = profile.authorization.heeded(object.parameters)
            guard !standsAlone || inner["client_id"] != nil else {
                throw .claimRejected("client_id", "it is missing in the request object")
            }
            try match(outer, inner)
        } catch {
            throw Refusal(error, .ours(error) ?? .invalidRequestObject, outer)
        }
        // The object's address may be another than the query's, but both are checked before anything goes there.
        let received = ReceivedAuthorization(
            issuer: provider.metadata.issuer, signed: inner,
            unsigned: standsAlone ? OpenIDParameters() : outer.additions(to: object),
            others: object.others)
        // A refusal goes where the answer would, with the same state.
        let merged = received.parameters
        try check(merged, signed: inner, merged["redirect_uri"] == nil ? outer : merged)
        return received
    }

    private func check(
        _ parameters: OpenIDParameters, signed: OpenIDParameters, _ address: OpenIDParameters
    ) throws(Refusal) {
        do throws(RuleBreach) {
            try AuthorizationCheck(
                rules: profile.authorization, parameters: parameters, signed: signed,
                isProvider: true, appSwitchAddresses: registration.appSwitchAddresses
            ).check()
        } catch {
            throw Refusal(error, address)
        }
    }

    /// The text of the request object; nil for a plain request.
    private func object(
        _ outer: OpenIDParameters, _ fetch: RequestObjectFetch?
    ) async throws(Refusal) -> String? {
        guard let address = outer["request_uri"] else { return outer["request"] }
        guard outer["request"] == nil else {
            throw Refusal(
                .malformed(.message, "request and request_uri stand together"), .invalidRequest,
                outer)
        }
        do throws(RuleBreach) {
            try profile.requestObject.checkReference(address)
        } catch {
            throw Refusal(error, outer)
        }
        guard let fetch else {
            throw Refusal(
                .unsupported(.message, "this provider fetches no request objects"),
                .requestURINotSupported, outer)
        }
        guard registration.admits(requestAddress: address) else {
            throw Refusal(
                .claimRejected("request_uri", "the client did not register it"),
                .invalidRequestURI, outer)
        }
        do {
            return try await fetch(address)
        } catch let error as JOSEError {
            throw Refusal(error, .ours(error) ?? .invalidRequestURI, outer)
        } catch {
            throw Refusal(
                .malformed(.message, "the request object could not be fetched"),
                .invalidRequestURI, outer)
        }
    }

    /// The query says what OAuth demands there and that it is a request of OpenID Connect; of what stands outside and inside
    /// client and response type must be equal, and of all else the object's counts (OpenID Connect Core, 6.1 and 6.2). The
    /// address must be equal too: no honest client names two, and somebody who changed the query does.
    private func match(_ outer: OpenIDParameters, _ inner: OpenIDParameters) throws(JOSEError) {
        let repeated = profile.requestObject.outerParameters
        let lacksType =
            outer["response_type"] == nil && repeated.contains { $0.isExactly("response_type") }
        let lacksScope =
            !outer.words("scope").contains { $0.isExactly("openid") }
            && repeated.contains { $0.isExactly("scope") }
        guard !lacksType, !lacksScope else {
            throw .malformed(.message, "response_type or scope openid is missing in the query")
        }
        for name in ["client_id", "response_type", "redirect_uri"] {
            guard let ours = inner[name], let theirs = outer[name] else { continue }
            guard ours.isExactly(theirs) else {
                throw .claimRejected(name, "it differs from the one in the query")
            }
        }
    }
}

extension OpenIDParameters {
    /// What stands here and not there, less the object itself.
    fileprivate func additions(to object: RequestObjectText) -> OpenIDParameters {
        OpenIDParameters(
            all.filter {
                !object.has($0.name) && $0.name != "request" && $0.name != "request_uri"
            })
    }
}
