// Assembles an authorization request from plain parameters and a request object.

import JOSE

extension RegisteredClient {
    var needsObject: Bool {
        profile.requestObject.isRequired || registration.requiresSignedRequestObject
    }

    func missingObjectRejection(of parameters: OpenIDParameters) -> AuthorizationRejection {
        AuthorizationRejection(
            .malformed(.message, "the profile accepts only signed requests"),
            .invalidRequest, parameters)
    }

    /// Returns the parameters of a query or a pushed form that the profile uses. With a pushed
    /// object, or if RFC 9101 applies, these are only `client_id` and `request` or `request_uri`.
    func usedParameters(
        of parameters: OpenIDParameters, isPushed: Bool = false
    ) -> OpenIDParameters {
        let outer = profile.authorization.effective(parameters)
        let hasObject = outer["request"] != nil || outer["request_uri"] != nil
        let isObjectOnly =
            isPushed
            ? hasObject : profile.requestObject.followsJAR && (hasObject || needsObject)
        return isObjectOnly ? outer.objectAlone : outer
    }

    /// Assembles the effective request. The parameters of a request object take precedence.
    ///
    /// - Parameters:
    ///   - parameters: The query, or the pushed form without the client's credentials.
    ///   - isPushed: Whether the parameters were pushed. Then a request object must contain all
    ///     parameters; the form adds none (RFC 9126, 3).
    func assemble(
        _ parameters: OpenIDParameters, isPushed: Bool = false, _ now: NumericDate,
        _ fetch: RequestObjectFetch? = nil
    ) async throws(AuthorizationRejection) -> ReceivedAuthorization {
        let rules = profile.requestObject
        let isRequired = needsObject
        let outer = usedParameters(of: parameters, isPushed: isPushed)
        guard let text = try await objectText(outer, fetch) else {
            if isRequired { throw missingObjectRejection(of: outer) }
            try check(outer, signed: OpenIDParameters(), outer)
            return ReceivedAuthorization(
                issuer: provider.metadata.issuer, signed: OpenIDParameters(), unsigned: outer,
                others: "")
        }
        let readsObjectOnly = rules.readsObjectOnly || isRequired || isPushed
        let object: RequestObjectParameters
        let inner: OpenIDParameters
        do throws(JOSEError) {
            object = try await objects.read(text, at: now)
            inner = profile.authorization.effective(object.parameters)
            try match(outer, inner, readsObjectOnly)
        } catch {
            throw AuthorizationRejection(ofObject: error, .invalidRequestObject, outer)
        }
        let received = ReceivedAuthorization(
            issuer: provider.metadata.issuer, signed: inner,
            unsigned: readsObjectOnly ? OpenIDParameters() : outer.additions(to: object),
            others: object.others)
        // Without an effective redirect_uri, a rejection is redirected to that of the query.
        let merged = received.parameters
        let target = merged["redirect_uri"] == nil ? outer : merged
        if !isPushed {
            do throws(ProfileViolation) {
                try checkRepeated(outer)
            } catch {
                throw AuthorizationRejection(error, target)
            }
        }
        try check(merged, signed: inner, target)
        return received
    }

    /// Checks the profile's rules. `target` has the redirect URI and the state for a rejection.
    func check(
        _ parameters: OpenIDParameters, signed: OpenIDParameters, _ target: OpenIDParameters
    ) throws(AuthorizationRejection) {
        do throws(ProfileViolation) {
            try AuthorizationCheck(
                rules: profile.authorization, parameters: parameters, signed: signed,
                isProvider: true, appSwitchURIs: registration.appSwitchURIs
            ).check()
        } catch {
            throw AuthorizationRejection(error, target)
        }
    }

    private func objectText(
        _ outer: OpenIDParameters, _ fetch: RequestObjectFetch?
    ) async throws(AuthorizationRejection) -> String? {
        guard let uri = outer["request_uri"] else { return outer["request"] }
        guard outer["request"] == nil else {
            throw AuthorizationRejection(
                .malformed(.message, "request and request_uri are both present"), .invalidRequest,
                outer)
        }
        do throws(ProfileViolation) {
            try profile.requestObject.checkReference(uri)
        } catch {
            throw AuthorizationRejection(error, outer)
        }
        guard let fetch else {
            throw AuthorizationRejection(
                .unsupported(.message, "this provider does not fetch request objects"),
                .requestURINotSupported, outer)
        }
        guard registration.allows(requestURI: uri) else {
            throw AuthorizationRejection(
                .claimRejected("request_uri", "the client did not register it"),
                .invalidRequestURI, outer)
        }
        do {
            return try await fetch(uri)
        } catch let error as JOSEError {
            throw AuthorizationRejection(error, .serverSide(error) ?? .invalidRequestURI, outer)
        } catch {
            throw AuthorizationRejection(
                .malformed(.message, "the request object could not be fetched"),
                .invalidRequestURI, outer)
        }
    }

    /// Checks that the query repeats `response_type` and the scope `openid`, if required (OpenID
    /// Connect Core, 6.1). The error code is as for a plain request that lacks the same parameter.
    private func checkRepeated(_ outer: OpenIDParameters) throws(ProfileViolation) {
        let repeated = profile.requestObject.repeatedParameters
        if outer["response_type"] == nil, repeated.contains(where: "response_type".isExactly) {
            throw ProfileViolation("response_type is missing in the query")
        }
        if !outer.words("scope").contains(where: "openid".isExactly),
            repeated.contains(where: "scope".isExactly)
        {
            throw ProfileViolation(
                "the scope openid is missing in the query", profile.authorization.scopeError)
        }
    }

    /// Checks that the object is for this client, and that `response_type` and `redirect_uri` are
    /// not different in the query. Other parameters may differ (OpenID Connect Core, 6.1 and 6.2).
    private func match(
        _ outer: OpenIDParameters, _ inner: OpenIDParameters, _ readsObjectOnly: Bool
    ) throws(JOSEError) {
        guard !readsObjectOnly || inner["client_id"] != nil else {
            throw .claimRejected("client_id", "it is missing in the request object")
        }
        // Not compared with the outer client_id, which a pushed form may omit.
        if let named = inner["client_id"], !named.isExactly(registration.clientID) {
            throw .claimRejected("client_id", "it is another client's")
        }
        for name in ["response_type", "redirect_uri"] {
            guard let signed = inner[name], let plain = outer[name] else { continue }
            guard signed.isExactly(plain) else {
                throw .claimRejected(name, "it differs from the one in the query")
            }
        }
    }
}

extension OpenIDParameters {
    /// The parameters that RFC 9101 uses if there is a request object.
    fileprivate var objectAlone: OpenIDParameters {
        OpenIDParameters(
            all.filter { parameter in
                ["client_id", "request", "request_uri"].contains { $0.isExactly(parameter.name) }
            })
    }

    fileprivate func additions(to object: RequestObjectParameters) -> OpenIDParameters {
        OpenIDParameters(
            all.filter {
                !object.has($0.name) && !$0.name.isExactly("request")
                    && !$0.name.isExactly("request_uri")
            })
    }
}
