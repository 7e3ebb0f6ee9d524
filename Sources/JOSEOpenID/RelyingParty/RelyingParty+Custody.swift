// A login with keys of ours that may be held elsewhere: the same steps, asynchronous, with a deadline each.

public import JOSE

extension RelyingParty {
    /// Starts a login with a signing key that may be held elsewhere; see `start(_:state:at:)`.
    ///
    /// - Parameter time: How long the call may take; a key's custodian may have less by its rule.
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
    /// `tokenRequest(code:for:resources:at:)` and `start(_:state:at:within:)`.
    public func tokenRequest(
        code: String, for remembered: RememberedRequest, resources: [String] = [],
        at now: NumericDate? = nil, within time: Duration
    ) async throws(JOSEError) -> TokenRequest {
        try await setup.tokenRequest(
            code: code, remembered, resources, recipient?.get(), now, within: time)
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
        _ recipient: JWTRecipient?, _ now: NumericDate?, within time: Duration?
    ) async throws(JOSEError) -> TokenRequest {
        let (now, id) = (now ?? .now, try freshID())
        return try await HeldAnswers.asking(within: time) { () throws(JOSEError) in
            try tokenRequest(code: code, remembered, resources, id, recipient, now)
        }
    }
}
