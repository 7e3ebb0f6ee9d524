// A login with keys of ours that may be held elsewhere: the same steps, asynchronous, with a deadline each.

public import JOSE

extension RelyingParty {
    /// Starts a login with a signing key that may be held elsewhere; see `start(_:state:at:)`.
    ///
    /// - Parameters:
    ///   - request: What is asked for.
    ///   - state: How `state` is made.
    ///   - now: The time of a request object; the system's clock where none is given.
    ///   - time: How long the call may take; a key's custodian may have less by its rule.
    /// - Throws: As there; `unavailable` where the key's custodian cannot answer in time, or the task was cancelled;
    ///   `internal` where what it answers is no signature of the key.
    public func start(
        _ request: AuthorizationRequest, state: StateSource = .random, at now: NumericDate? = nil,
        within time: Duration
    ) async throws(JOSEError) -> StartedAuthorization {
        let draft = try setup.draft(request, state)
        guard draft.delivery != .none else { return try setup.finish(draft, nil, now) }
        return try await setup.finish(draft, recipient?.get(), now, within: time)
    }

    /// The request that changes a code into tokens, with a signing key that may be held elsewhere; see
    /// `tokenRequest(code:for:resources:prover:nonce:at:)` and `start(_:state:at:within:)`.
    public func tokenRequest(
        code: String, for remembered: RememberedRequest, resources: [String] = [],
        prover: DPoPProver? = nil, nonce: DPoPNonce? = nil, at now: NumericDate? = nil,
        within time: Duration
    ) async throws(JOSEError) -> TokenRequest {
        try await setup.tokenRequest(
            code: code, remembered, resources, recipient?.get(),
            PartySetup.ProofOrder(prover, nonce), now, within: time)
    }

    /// Begins a login whose request is pushed, with a signing key that may be held elsewhere; see
    /// `push(_:state:prover:nonce:at:)` and `start(_:state:at:within:)`.
    public func push(
        _ request: AuthorizationRequest, state: StateSource = .random,
        prover: DPoPProver? = nil, nonce: DPoPNonce? = nil, at now: NumericDate? = nil,
        within time: Duration
    ) async throws(JOSEError) -> PushedAuthorization {
        let draft = try setup.draft(request, state, for: prover)
        return try await setup.push(
            draft, recipient?.get(), PartySetup.ProofOrder(prover, nonce), now, within: time)
    }

    /// The request that changes a refresh token into an access token, with a signing key that may be held elsewhere; see
    /// `refreshRequest(refreshToken:scopes:resources:prover:nonce:at:)` and `start(_:state:at:within:)`.
    public func refreshRequest(
        refreshToken: String, scopes: [String] = [], resources: [String] = [],
        prover: DPoPProver? = nil, nonce: DPoPNonce? = nil, at now: NumericDate? = nil,
        within time: Duration
    ) async throws(JOSEError) -> TokenRequest {
        try await setup.refreshRequest(
            refreshToken, scopes, resources, recipient?.get(),
            PartySetup.ProofOrder(prover, nonce), now, within: time)
    }

    /// Makes a backchannel authentication request with a signing key that may be held elsewhere; see `backchannel(_:at:)` and
    /// `start(_:state:at:within:)`.
    public func backchannel(
        _ request: BackchannelRequest, at now: NumericDate? = nil, within time: Duration
    ) async throws(JOSEError) -> BackchannelAuthentication {
        let draft = try PartySetup.BackchannelDraft(request, setup)
        return try await setup.backchannel(draft, recipient?.get(), now, within: time)
    }

    /// The question whether the user decided, with a signing key that may be held elsewhere; see
    /// `tokenRequest(for:prover:nonce:at:)` and `start(_:state:at:within:)`.
    public func tokenRequest(
        for wait: BackchannelWait, prover: DPoPProver? = nil, nonce: DPoPNonce? = nil,
        at now: NumericDate? = nil, within time: Duration
    ) async throws(JOSEError) -> TokenRequest {
        try await setup.tokenRequest(
            wait, recipient?.get(), PartySetup.ProofOrder(prover, nonce), now, within: time)
    }

    /// Verifies an ID Token that may be encrypted to a key that is held elsewhere; see
    /// `verifyIDToken(_:for:accessToken:code:at:)` and `JWTVerifier.verify(_:expecting:at:within:)`.
    public func verifyIDToken(
        _ token: String, for remembered: RememberedRequest, accessToken: String? = nil,
        code: String? = nil, at now: NumericDate? = nil, within time: Duration
    ) async throws(JOSEError) -> VerifiedIDToken {
        let now = now ?? .now
        return try await HeldAnswers.asking(within: time) { () throws(JOSEError) in
            try verifyIDToken(
                token, for: remembered, accessToken: accessToken, code: code, at: now)
        }
    }

    /// Verifies a UserInfo answer that may be encrypted to a key that is held elsewhere; see
    /// `verifyUserInfo(_:for:contentType:at:)` and `JWTVerifier.verify(_:expecting:at:within:)`.
    public func verifyUserInfo(
        _ body: String, for idToken: VerifiedIDToken, contentType: String? = nil,
        at now: NumericDate? = nil, within time: Duration
    ) async throws(JOSEError) -> VerifiedUserInfo {
        let now = now ?? .now
        return try await HeldAnswers.asking(within: time) { () throws(JOSEError) in
            try verifyUserInfo(body, for: idToken, contentType: contentType, at: now)
        }
    }

    /// Does what `verifyIDToken(_:for:accessToken:code:at:within:)` does and says what happened, step by step, instead of
    /// throwing; see `explain(idToken:for:accessToken:code:at:)`.
    public func explain(
        idToken token: String, for remembered: RememberedRequest, accessToken: String? = nil,
        code: String? = nil, at now: NumericDate? = nil, within time: Duration
    ) async -> Explanation {
        let now = now ?? .now
        return await HeldAnswers.explaining(within: time) {
            explain(
                idToken: token, for: remembered, accessToken: accessToken, code: code, at: now)
        }
    }
}

extension PartySetup {
    /// As `finish`, with a signing key that may be elsewhere.
    func finish(
        _ draft: Draft, _ recipient: JWTRecipient?, _ now: NumericDate?, within time: Duration?
    ) async throws(JOSEError) -> StartedAuthorization {
        let now = now ?? .now
        return try await HeldAnswers.asking(within: time) { () throws(JOSEError) in
            try finish(draft, recipient, now)
        }
    }

    /// As `tokenRequest`, with a signing key that may be elsewhere.
    func tokenRequest(
        code: String, _ remembered: RememberedRequest, _ resources: [String],
        _ recipient: JWTRecipient?, _ proof: ProofOrder?, _ now: NumericDate?,
        within time: Duration?
    ) async throws(JOSEError) -> TokenRequest {
        let (now, id) = (now ?? .now, try freshID())
        return try await HeldAnswers.asking(within: time) { () throws(JOSEError) in
            try tokenRequest(code: code, remembered, resources, id, recipient, proof, now)
        }
    }

    /// As `push`, with a signing key that may be elsewhere.
    func push(
        _ draft: Draft, _ recipient: JWTRecipient?, _ proof: ProofOrder?, _ now: NumericDate?,
        within time: Duration?
    ) async throws(JOSEError) -> PushedAuthorization {
        let (now, id) = (now ?? .now, try freshID())
        return try await HeldAnswers.asking(within: time) { () throws(JOSEError) in
            try push(draft, id, recipient, proof, now)
        }
    }

    /// As `refreshRequest`, with a signing key that may be elsewhere.
    func refreshRequest(
        _ refreshToken: String, _ scopes: [String], _ resources: [String],
        _ recipient: JWTRecipient?, _ proof: ProofOrder?, _ now: NumericDate?,
        within time: Duration?
    ) async throws(JOSEError) -> TokenRequest {
        let (now, id) = (now ?? .now, try freshID())
        return try await HeldAnswers.asking(within: time) { () throws(JOSEError) in
            try refreshRequest(refreshToken, scopes, resources, id, recipient, proof, now)
        }
    }
}
