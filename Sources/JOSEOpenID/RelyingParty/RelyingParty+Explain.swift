// Why an ID Token or a UserInfo answer is accepted or rejected, step by step, for logs of people.

public import JOSE

extension RelyingParty {
    /// Does what `verifyIDToken` does and says what happened, step by step, instead of throwing.
    ///
    /// - Parameters:
    ///   - token: The ID Token.
    ///   - remembered: What was remembered when the login was started.
    ///   - accessToken: The access token that came along.
    ///   - code: The code that came along.
    ///   - now: The time to judge by; the system's clock where none is given.
    ///   - timeout: How long an external key of ours may take, within what its rule says.
    public func explain(
        idToken token: String, for session: AuthorizationSession, accessToken: String? = nil,
        code: String? = nil, at now: NumericDate? = nil, timeout: Duration? = nil
    ) async -> TokenExplanation {
        let check = IDTokenCheck(setup: setup)
        let expectation = check.expectation(
            for: session, accessToken: accessToken, code: code)
        let now = now ?? .now
        let (explanation, verified) = await idTokens.explained(
            token, expecting: expectation, at: now, timeout: timeout)
        return check.explained(explanation, verified, for: session, expectation, at: now)
    }
}

extension IDTokenCheck {
    /// Goes on where the engine accepted a token.
    fileprivate func explained(
        _ engine: TokenExplanation, _ verified: VerifiedJWT?, for session: AuthorizationSession,
        _ expectation: ClaimsExpectation, at now: NumericDate
    ) -> TokenExplanation {
        var explanation = engine
        guard let verified else { return explanation }
        do throws(JOSEError) {
            try setup.check(session)
            _ = try check(verified, for: session, expectation, at: now)
            explanation.pass(.claims, "the claims satisfy the profile \(setup.profile.name)")
        } catch {
            explanation.reject(error)
        }
        return explanation
    }
}
