// Explains step by step why an ID Token is accepted or rejected.

public import JOSE

extension RelyingParty {
    /// Verifies an ID Token and returns every step instead of throwing. For the parameters see
    /// `verifyIDToken(_:for:accessToken:code:at:timeout:)`.
    public func explain(
        idToken token: String, for session: AuthorizationSession, accessToken: String? = nil,
        code: String? = nil, at now: NumericDate? = nil, timeout: Duration? = nil
    ) async -> TokenExplanation {
        let check = IDTokenCheck(configuration: configuration)
        let expectation = check.expectation(
            for: session, accessToken: accessToken, code: code)
        let now = now ?? .now
        let (steps, verified) = await idTokens.explained(
            token, expecting: expectation, at: now, timeout: timeout)
        guard let verified else { return steps }
        var explanation = steps
        do throws(JOSEError) {
            try configuration.check(session)
            _ = try check.check(verified, for: session, expectation, at: now)
            explanation.pass(
                .claims, "the claims satisfy the profile \(configuration.profile.name)")
        } catch {
            explanation.reject(error)
        }
        return explanation
    }
}
