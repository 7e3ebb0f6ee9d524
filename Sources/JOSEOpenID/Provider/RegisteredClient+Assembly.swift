// What an authorization request says: plain parameters, or an object beside some of them.

import JOSE

extension RegisteredClient {
    /// Whether this client's requests must travel in objects.
    var needsObject: Bool {
        profile.requestObject.isRequired || registration.requiresSignedRequestObject
    }

    /// The rejection of a plain request where they must.
    func lackingObject(_ address: OpenIDParameters) -> AuthorizationRejection {
        AuthorizationRejection(
            .malformed(.message, "the profile takes requests in signed objects only"),
            .invalidRequest, address)
    }

    /// What counts of a query, or of a pushed form: by RFC 9101, and beside a pushed object, the object and whose it is alone.
    func counted(
        _ received: OpenIDParameters, isPushed: Bool = false
    ) -> OpenIDParameters {
        let outer = profile.authorization.effective(received)
        let hasObject = outer["request"] != nil || outer["request_uri"] != nil
        let isBare =
            isPushed
            ? hasObject : profile.requestObject.followsJAR && (hasObject || needsObject)
        return isBare ? outer.objectAlone : outer
    }

    /// The request that counts: an object's parameters before those beside it.
    ///
    /// - Parameters:
    ///   - received: The parameters of the query, or of a pushed form less what proves the client.
    ///   - isPushed: Whether they were pushed: then nothing beside an object counts but `client_id` (RFC 9126, 3).
    func assemble(
        _ received: OpenIDParameters, isPushed: Bool = false, _ now: NumericDate,
        _ fetch: RequestObjectFetch? = nil
    ) async throws(AuthorizationRejection) -> ReceivedAuthorization {
        let rules = profile.requestObject
        let isRequired = needsObject
        let outer = counted(received, isPushed: isPushed)
        guard let text = try await object(outer, fetch) else {
            if isRequired { throw lackingObject(outer) }
            try check(outer, signed: OpenIDParameters(), outer)
            return ReceivedAuthorization(
                issuer: provider.metadata.issuer, signed: OpenIDParameters(), unsigned: outer,
                others: "")
        }
        let isWhole = rules.readsObjectOnly || isRequired || isPushed
        let object: RequestObjectText
        let inner: OpenIDParameters
        do throws(JOSEError) {
            object = try await objects.read(text, at: now)
            inner = profile.authorization.effective(object.parameters)
            try match(outer, inner, isWhole)
        } catch {
            throw AuthorizationRejection(signed: error, .invalidRequestObject, outer)
        }
        // The object's address may be another than the query's, but both are checked before anything goes there.
        let received = ReceivedAuthorization(
            issuer: provider.metadata.issuer, signed: inner,
            unsigned: isWhole ? OpenIDParameters() : outer.additions(to: object),
            others: object.others)
        // A rejection goes where the answer would, with the same state.
        let merged = received.parameters
        let address = merged["redirect_uri"] == nil ? outer : merged
        if !isPushed {
            do throws(ProfileViolation) {
                try checkRepeated(outer)
            } catch {
                throw AuthorizationRejection(error, address)
            }
        }
        try check(merged, signed: inner, address)
        return received
    }

    /// Applies the profile's rules.
    func check(
        _ parameters: OpenIDParameters, signed: OpenIDParameters, _ address: OpenIDParameters
    ) throws(AuthorizationRejection) {
        do throws(ProfileViolation) {
            try AuthorizationCheck(
                rules: profile.authorization, parameters: parameters, signed: signed,
                isProvider: true, appSwitchURIs: registration.appSwitchURIs
            ).check()
        } catch {
            throw AuthorizationRejection(error, address)
        }
    }

    /// The text of the request object; nil for a plain request.
    private func object(
        _ outer: OpenIDParameters, _ fetch: RequestObjectFetch?
    ) async throws(AuthorizationRejection) -> String? {
        guard let address = outer["request_uri"] else { return outer["request"] }
        guard outer["request"] == nil else {
            throw AuthorizationRejection(
                .malformed(.message, "request and request_uri stand together"), .invalidRequest,
                outer)
        }
        do throws(ProfileViolation) {
            try profile.requestObject.checkReference(address)
        } catch {
            throw AuthorizationRejection(error, outer)
        }
        guard let fetch else {
            throw AuthorizationRejection(
                .unsupported(.message, "this provider fetches no request objects"),
                .requestURINotSupported, outer)
        }
        guard registration.admits(requestURI: address) else {
            throw AuthorizationRejection(
                .claimRejected("request_uri", "the client did not register it"),
                .invalidRequestURI, outer)
        }
        do {
            return try await fetch(address)
        } catch let error as JOSEError {
            throw AuthorizationRejection(error, .serverSide(error) ?? .invalidRequestURI, outer)
        } catch {
            throw AuthorizationRejection(
                .malformed(.message, "the request object could not be fetched"),
                .invalidRequestURI, outer)
        }
    }

    /// Throws unless the query next to an object has the response type, and the scope `openid`,
    /// which makes it a request of OpenID Connect (OpenID Connect Core, 6.1). A missing scope is
    /// answered as in a request without an object.
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

    /// Throws unless client and response type are equal in the query and in the object; of other
    /// parameters the object's counts (OpenID Connect Core, 6.1 and 6.2). The redirect URI must be
    /// equal too: no honest client names two, and somebody who changed the query does.
    private func match(
        _ outer: OpenIDParameters, _ inner: OpenIDParameters, _ isWhole: Bool
    ) throws(JOSEError) {
        guard !isWhole || inner["client_id"] != nil else {
            throw .claimRejected("client_id", "it is missing in the request object")
        }
        // A pushed form need not name the client that proved itself.
        if let named = inner["client_id"], !named.isExactly(registration.clientID) {
            throw .claimRejected("client_id", "it differs from the one in the query")
        }
        for name in ["response_type", "redirect_uri"] {
            guard let ours = inner[name], let theirs = outer[name] else { continue }
            guard ours.isExactly(theirs) else {
                throw .claimRejected(name, "it differs from the one in the query")
            }
        }
    }
}

extension OpenIDParameters {
    /// The object and whose it is; all that counts by RFC 9101.
    fileprivate var objectAlone: OpenIDParameters {
        OpenIDParameters(
            all.filter { parameter in
                ["client_id", "request", "request_uri"].contains { $0.isExactly(parameter.name) }
            })
    }

    /// What stands here and not there, less the object itself.
    fileprivate func additions(to object: RequestObjectText) -> OpenIDParameters {
        OpenIDParameters(
            all.filter {
                !object.has($0.name) && !$0.name.isExactly("request")
                    && !$0.name.isExactly("request_uri")
            })
    }
}
