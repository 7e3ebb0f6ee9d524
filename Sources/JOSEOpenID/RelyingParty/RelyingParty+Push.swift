// The relying party's pushed authorization requests (RFC 9126).

public import JOSE
import JOSEBytes

extension RelyingParty {
    /// Starts a login with a pushed authorization request. Send the result's `request`, then call
    /// `start` with the provider's response.
    ///
    /// - Parameters:
    ///   - request: The authorization request. It is sent as a request object if its `delivery` is
    ///     `.byValue`; the default is the profile's delivery.
    ///   - state: How to make `state`.
    ///   - prover: The key to bind the code and the access token to, if the provider supports DPoP.
    ///   - nonce: The newest nonce of the provider, if it sent one.
    ///   - now: The time of the signed messages; the system clock by default.
    ///   - timeout: The time limit for external keys.
    /// - Throws: `misuse` with the rule of the profile that the request breaks. `misuse` for a
    ///   request by reference, a `keyThumbprint` other than the prover's, a prover that the
    ///   provider does not accept, or a provider without the endpoint. `claimRejected` with the
    ///   metadata member that excludes the request. `keyNotFound`, `unavailable`, `internal`.
    ///
    /// Source: RFC 9126, 2.1 and 3; RFC 9449, 10.1.
    public func push(
        _ request: AuthorizationRequest, state: StateSource = .random,
        prover: DPoPProver? = nil, nonce: DPoPNonce? = nil, at now: NumericDate? = nil,
        timeout: Duration? = nil
    ) async throws(JOSEError) -> PushedAuthorization {
        let draft = try configuration.draft(request, state, for: prover)
        try configuration.check(prover, isRequired: false)
        var request = try configuration.pushedRequest(for: draft, await recipient(), now)
        try request.append(prover, nonce, now)
        return PushedAuthorization(
            request: try await request.signed(before: .end(of: timeout)),
            session: draft.session)
    }

    /// Makes the URL for the browser when the provider has accepted the pushed request.
    ///
    /// - Parameters:
    ///   - pushed: The result of `push`.
    ///   - response: The provider's response.
    /// - Throws: `misuse` for the request of another client or provider.
    public func start(
        _ pushed: PushedAuthorization, _ response: PushedAuthorizationResponse
    ) throws(JOSEError) -> AuthorizationStart {
        try configuration.check(pushed.session)
        let parameters = OpenIDParameters([
            OpenIDParameter("client_id", configuration.clientID),
            OpenIDParameter("request_uri", response.requestURI),
        ])
        return configuration.start(pushed.session, parameters, nil)
    }
}

extension RelyingPartyConfiguration {
    /// Makes a draft that requests a code bound to the prover's key.
    func draft(
        _ request: AuthorizationRequest, _ source: StateSource, for prover: DPoPProver?
    ) throws(JOSEError) -> AuthorizationDraft {
        guard let prover else { return try draft(request, source) }
        var request = request
        guard request.keyThumbprint.map(prover.keyThumbprint.isExactly) ?? true else {
            throw .misuse("the request's keyThumbprint is not the prover's")
        }
        request.keyThumbprint = prover.keyThumbprint
        return try draft(request, source)
    }

    fileprivate func pushedRequest(
        for draft: AuthorizationDraft, _ recipient: JWTRecipient?, _ now: NumericDate?
    ) throws(JOSEError) -> RequestToSign {
        guard let endpoint = metadata.pushedRequestEndpoint else {
            throw .misuse("the provider's metadata has no pushed_authorization_request_endpoint")
        }
        var request: RequestToSign
        switch draft.delivery {
        case .none:
            // The provider may require that pushed requests are signed too.
            try metadata.check.checkAccepts(delivery: .none)
            request = RequestToSign(url: endpoint, form: draft.parameters)
        case .byValue:
            try metadata.check.checkRequestObjects(profile)
            request = RequestToSign(
                url: endpoint, form: OpenIDParameters([OpenIDParameter("client_id", clientID)]))
            request.append("request", try requestObject(draft.parameters, recipient, now))
        case .byReference:
            throw .misuse("a pushed request cannot have a request_uri: use .byValue or .none")
        }
        try authenticate(&request, to: .pushedRequest, recipient, now)
        return request
    }
}
