// Pushing a request to the provider before the browser is sent there (RFC 9126).

public import JOSE
import JOSEBytes

extension RelyingParty {
    /// Begins a login whose request is pushed: send `request`, and start by what it is answered.
    ///
    /// - Parameters:
    ///   - request: What is asked for; by value in an object where its delivery, or the profile's, says so.
    ///   - state: How `state` is made.
    ///   - now: The time of what is signed; the system's clock where none is given.
    /// - Throws: `misuse` with the provider's rule where the profile forbids something, for a request by reference, and for
    ///   a provider without the endpoint; `keyNotFound`, `internal`.
    ///
    /// Source: RFC 9126, 2.1 and 3.
    public func push(
        _ request: AuthorizationRequest, state: StateSource = .random, at now: NumericDate? = nil
    ) throws(JOSEError) -> PushedAuthorization {
        try setup.push(setup.draft(request, state), try providerRecipient(), now)
    }

    /// Starts the login that was pushed.
    ///
    /// - Throws: `misuse` for what another client or provider pushed.
    public func start(
        _ pushed: PushedAuthorization, _ answer: PushedAnswer
    ) throws(JOSEError) -> StartedAuthorization { try setup.start(pushed, answer) }
}

extension AsyncRelyingParty {
    /// Begins a login whose request is pushed; see `RelyingParty.push`.
    public func push(
        _ request: AuthorizationRequest, state: StateSource = .random, at now: NumericDate? = nil
    ) async throws(JOSEError) -> PushedAuthorization {
        try setup.push(setup.draft(request, state), await recipient(), now)
    }

    /// Starts the login that was pushed; see `RelyingParty.start(_:_:)`.
    public func start(
        _ pushed: PushedAuthorization, _ answer: PushedAnswer
    ) throws(JOSEError) -> StartedAuthorization { try setup.start(pushed, answer) }
}

extension PartySetup {
    fileprivate func push(
        _ draft: Draft, _ recipient: JWTRecipient?, _ now: NumericDate?
    ) throws(JOSEError) -> PushedAuthorization {
        guard let endpoint = metadata.pushedRequestEndpoint else {
            throw .misuse("the provider has no endpoint for pushed requests")
        }
        var form: OpenIDParameters
        switch draft.delivery {
        case .none:
            // Where requests must be signed, pushed ones must be too.
            try MetadataCheck(metadata.members).takes(.none)
            form = draft.parameters
        case .byValue:
            try MetadataCheck(metadata.members).requestObjects(profile)
            form = OpenIDParameters([OpenIDParameter("client_id", clientID)])
            form.append("request", try requestObject(draft.parameters, recipient, now))
        case .byReference:
            throw .misuse("a pushed request holds no request_uri")
        }
        var headers: [OpenIDParameter] = []
        try authenticate(&form, &headers, recipient, now)
        return PushedAuthorization(
            request: TokenRequest(url: endpoint, headers: headers, parameters: form),
            remembered: draft.remembered)
    }

    fileprivate func start(
        _ pushed: PushedAuthorization, _ answer: PushedAnswer
    ) throws(JOSEError) -> StartedAuthorization {
        try check(pushed.remembered)
        let outer = OpenIDParameters([
            OpenIDParameter("client_id", clientID),
            OpenIDParameter("request_uri", answer.reference),
        ])
        return started(pushed.remembered, outer, nil)
    }
}
