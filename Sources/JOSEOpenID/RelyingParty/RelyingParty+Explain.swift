// Why an ID Token or a UserInfo answer is accepted or refused, step by step, for logs of people.

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
    public func explain(
        idToken token: String, for remembered: RememberedRequest, accessToken: String? = nil,
        code: String? = nil, at now: NumericDate? = nil
    ) -> Explanation {
        let check = IDTokenCheck(setup: setup, remembered: remembered)
        let expectation = check.expectation(accessToken: accessToken, code: code)
        let now = now ?? .now
        var explanation = idTokens.explain(token, expecting: expectation, at: now)
        guard explanation.error == nil else { return explanation }
        do throws(JOSEError) {
            _ = try verifyIDToken(
                token, for: remembered, accessToken: accessToken, code: code, at: now)
            explanation.pass(.claims, "the claims satisfy the profile \(setup.profile.name)")
        } catch {
            explanation.refuse(error)
        }
        return explanation
    }
}

extension AsyncRelyingParty {
    /// Does what `verifyIDToken` does and says what happened, step by step, instead of throwing.
    ///
    /// - Parameters:
    ///   - token: The ID Token.
    ///   - remembered: What was remembered when the login was started.
    ///   - accessToken: The access token that came along.
    ///   - code: The code that came along.
    ///   - now: The time to judge by; the system's clock where none is given.
    public func explain(
        idToken token: String, for remembered: RememberedRequest, accessToken: String? = nil,
        code: String? = nil, at now: NumericDate? = nil
    ) async -> Explanation {
        let check = IDTokenCheck(setup: setup, remembered: remembered)
        let expectation = check.expectation(accessToken: accessToken, code: code)
        let now = now ?? .now
        var explanation = await idTokens.explain(token, expecting: expectation, at: now)
        guard explanation.error == nil else { return explanation }
        do throws(JOSEError) {
            _ = try await verifyIDToken(
                token, for: remembered, accessToken: accessToken, code: code, at: now)
            explanation.pass(.claims, "the claims satisfy the profile \(setup.profile.name)")
        } catch {
            explanation.refuse(error)
        }
        return explanation
    }
}
