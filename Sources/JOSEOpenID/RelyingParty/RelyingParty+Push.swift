// Pushing a request to the provider before the browser is sent there (RFC 9126).

public import JOSE
import JOSEBytes

extension RelyingParty {
    /// Begins a login whose request is pushed: send `request`, and start by what it is answered.
    ///
    /// - Parameters:
    ///   - request: What is asked for; by value in an object where its delivery, or the profile's, says so.
    ///   - state: How `state` is made.
    ///   - prover: The key that the code is to be for, and the access token bound to, where the provider takes proofs of possession.
    ///   - nonce: The nonce that the provider gave, where it asked for one.
    ///   - now: The time of what is signed; the system's clock where none is given.
    ///   - timeout: How long an external key of ours may take, within what its rule says.
    /// - Throws: `misuse` with the provider's rule where the profile forbids something, for a request by reference, for one
    ///   that names another key than the prover's, and for a provider without the endpoint; `keyNotFound`, `internal`.
    ///
    /// Source: RFC 9126, 2.1 and 3; RFC 9449, 10.1.
    public func push(
        _ request: AuthorizationRequest, state: StateSource = .random,
        prover: DPoPProver? = nil, nonce: DPoPNonce? = nil, at now: NumericDate? = nil,
        timeout: Duration? = nil
    ) async throws(JOSEError) -> PushedAuthorization {
        let draft = try setup.draft(request, state, for: prover)
        let order = RelyingPartyConfiguration.ProofOrder(prover, nonce)
        let request = try setup.push(draft, await recipient(), order, now)
        return PushedAuthorization(
            request: try await request.signed(before: .end(of: timeout)),
            session: draft.session)
    }

    /// Starts the login that was pushed.
    ///
    /// - Parameters:
    ///   - pushed: What was pushed.
    ///   - answer: What the provider answered to it.
    /// - Throws: `misuse` for what another client or provider pushed.
    public func start(
        _ pushed: PushedAuthorization, _ response: PushedAuthorizationResponse
    ) throws(JOSEError) -> AuthorizationStart { try setup.start(pushed, response) }
}

extension RelyingPartyConfiguration {
    /// A draft of a request whose code is for the prover's key.
    func draft(
        _ request: AuthorizationRequest, _ source: StateSource, for prover: DPoPProver?
    ) throws(JOSEError) -> Draft {
        guard let prover else { return try draft(request, source) }
        var request = request
        guard request.keyThumbprint.map(prover.keyThumbprint.isExactly) ?? true else {
            throw .misuse("the request names another key than the prover's")
        }
        request.keyThumbprint = prover.keyThumbprint
        return try draft(request, source)
    }

    /// The request that pushes a draft.
    fileprivate func push(
        _ draft: Draft, _ recipient: JWTRecipient?, _ proof: ProofOrder?, _ now: NumericDate?
    ) throws(JOSEError) -> RequestDraft {
        try check(proof, isNeeded: false)
        guard let endpoint = metadata.pushedRequestEndpoint else {
            throw .misuse("the provider has no endpoint for pushed requests")
        }
        var request: RequestDraft
        switch draft.delivery {
        case .none:
            // Where requests must be signed, pushed ones must be too.
            try metadata.check.takes(.none)
            request = RequestDraft(url: endpoint, form: draft.parameters)
        case .byValue:
            try metadata.check.requestObjects(profile)
            request = RequestDraft(
                url: endpoint, form: OpenIDParameters([OpenIDParameter("client_id", clientID)]))
            request.append("request", try requestObject(draft.parameters, recipient, now))
        case .byReference:
            throw .misuse("a pushed request holds no request_uri")
        }
        try authenticate(&request, to: .pushedRequest, recipient, now)
        if let proof { request.append(header: "DPoP", try proof.proof(endpoint, now)) }
        return request
    }

    fileprivate func start(
        _ pushed: PushedAuthorization, _ response: PushedAuthorizationResponse
    ) throws(JOSEError) -> AuthorizationStart {
        try check(pushed.session)
        let outer = OpenIDParameters([
            OpenIDParameter("client_id", clientID),
            OpenIDParameter("request_uri", response.reference),
        ])
        return started(pushed.session, outer, nil)
    }
}
