// Refresh requests (RFC 6749, 6) and the ID Tokens of their responses (OpenID Connect Core, 12).

public import JOSE
import JOSEBytes

extension RelyingParty {
    /// Makes the request of a refresh token grant. Its response is an `AccessTokenResponse`.
    ///
    /// - Parameters:
    ///   - refreshToken: The refresh token, printable ASCII.
    ///   - scopes: The scopes of the access token, from the granted ones; empty for all.
    ///   - resources: The resources of the access token, from those of the login (RFC 8707).
    ///   - prover: The key to bind the new access token to. A public client that used a prover at
    ///     login must pass the same one: its refresh tokens are bound to that key. Other clients
    ///     may use any key (RFC 9449, 5).
    ///   - nonce: The newest nonce of the provider, if it sent one.
    ///   - now: The time of the client assertion; the system clock by default.
    ///   - timeout: The time limit for external keys.
    /// - Throws: `malformed` for a refresh token that is not printable ASCII. `misuse` for a
    ///   profile without refresh tokens, an invalid scope, a resource that is not an absolute URI,
    ///   a missing prover, or a prover that the provider does not accept. `keyNotFound`,
    ///   `unavailable`, `internal`.
    public func refreshRequest(
        refreshToken: String, scopes: [String] = [], resources: [String] = [],
        prover: DPoPProver? = nil, nonce: DPoPNonce? = nil, at now: NumericDate? = nil,
        timeout: Duration? = nil
    ) async throws(JOSEError) -> TokenRequest {
        let grant = try configuration.refreshGrant(refreshToken, scopes, resources, prover)
        return try await tokenRequest(grant, prover, nonce, now, timeout)
    }

    /// Verifies the ID Token of a refresh response: user and authentication must be the login's.
    ///
    /// `acr`, `auth_time` and `nonce` may be absent, unless the profile requires them
    /// (`idToken.requiredClaims`). An `acr` must satisfy the request of the login. If the profile
    /// orders the values, the `acr` must also be at least as strong as the strongest `acr` so far.
    /// If the new ID Token has no `acr`, the result has none either: the previous `acr` still
    /// holds.
    ///
    /// - Parameters:
    ///   - token: The ID Token of the refresh response.
    ///   - idToken: The previous ID Token: the login's, or the result of the last refresh, which
    ///     also carries the login's values.
    ///   - accessToken: The access token of the response; required if the ID Token has `at_hash`.
    ///   - now: The time to verify at; the system clock by default.
    /// - Throws: The errors of `AsyncJWTVerifier`. `claimRejected` with `sub`, `nonce`, `auth_time`
    ///   or `at_hash` if it differs, with `acr` if it is too weak, with `iat` if it is before the
    ///   previous ID Token's by more than the leeway, and with `events` for a logout token.
    ///   `misuse` for the ID Token of another client or provider.
    ///
    /// Source: OpenID Connect Core, 12.2.
    public func verifyRefreshed(
        _ token: String, after idToken: VerifiedIDToken, accessToken: String? = nil,
        at now: NumericDate? = nil
    ) async throws(JOSEError) -> VerifiedIDToken {
        let check = RefreshedTokenCheck(configuration: configuration, previous: idToken)
        let expectation = try check.expectation(accessToken)
        let now = now ?? .now
        return try check.check(
            await idTokens.verify(token, expecting: expectation, at: now), expectation)
    }
}

extension RelyingPartyConfiguration {
    fileprivate func refreshGrant(
        _ refreshToken: String, _ scopes: [String], _ resources: [String], _ prover: DPoPProver?
    ) throws(JOSEError) -> OpenIDParameters {
        try check(prover)
        try profile.accessToken.checkRefreshTokens()
        guard !refreshToken.isEmpty, refreshToken.isPrintableASCII else {
            throw .malformed(.message, "the refresh token is not printable ASCII")
        }
        var form = OpenIDParameters()
        form.append("grant_type", "refresh_token")
        form.append("refresh_token", refreshToken)
        try form.append(scopes: scopes)
        try form.append(resources: resources)
        return form
    }
}

private struct RefreshedTokenCheck {
    let configuration: RelyingPartyConfiguration
    let previous: VerifiedIDToken

    func expectation(_ accessToken: String?) throws(JOSEError) -> ClaimsExpectation {
        try configuration.check(previous)
        var expectation = ClaimsExpectation(subject: previous.subject, accessToken: accessToken)
        expectation.requiresAccessTokenHash = configuration.profile.idToken.requiresAccessTokenHash
        return expectation
    }

    func check(
        _ token: VerifiedJWT, _ expectation: ClaimsExpectation
    ) throws(JOSEError) -> VerifiedIDToken {
        let document = token.document
        try IDTokenCheck.checkIsNoEvent(document)
        for name in configuration.profile.idToken.requiredClaims where document.isAbsent(name) {
            throw .claimRejected(name, "it is required and missing")
        }
        try IDTokenCheck.checkHashes(of: token, compared: expectation)
        try checkSameAuthentication(document)
        if let issued = token.issuedAt, let previousIssue = previous.issuedAt,
            issued.later(bySeconds: configuration.profile.leewaySeconds) < previousIssue
        {
            throw .claimRejected("iat", "it is before the iat of the previous ID Token")
        }
        let acr = try IDTokenCheck.acr(document)
        return VerifiedIDToken(
            token: token, client: configuration.idTokenClient, subject: previous.subject,
            authenticatedAt: previous.authenticatedAt, acr: acr,
            requested: previous.requestedACRValues, strongest: try strongest(acr),
            login: previous.login ?? previous.token.document)
    }

    /// Compares nonce, authentication time and `auth_req_id` with the login's, if the new token has
    /// them. An ID Token of an earlier refresh may have omitted them.
    private func checkSameAuthentication(_ document: JSONDocument) throws(JOSEError) {
        let login = previous.login ?? previous.token.document
        for name in ["nonce", BackchannelClaim.requestID] {
            // A null claim counts as absent, except for nonce, which must be a string.
            guard let index = document.member(named: name),
                !document.isNull(at: index) || name.isExactly("nonce")
            else { continue }
            let value = document.string(at: index)
            let first = login.member(named: name).flatMap { login.string(at: $0) }
            guard let value, let first, value.isExactly(first) else { throw different(name) }
        }
        if let index = document.member("auth_time"), !document.isNull(at: index) {
            guard let date = document.date(at: index), date == previous.authenticatedAt else {
                throw different("auth_time")
            }
        }
    }

    private func different(_ name: String) -> JOSEError {
        .claimRejected(name, "it differs from the ID Token of the login")
    }

    /// Checks the new `acr` and returns the strongest `acr` so far, the new one included.
    private func strongest(_ acr: String?) throws(JOSEError) -> String? {
        let earlier = previous.strongestACR ?? previous.acr
        guard let acr else { return earlier }
        let rule = configuration.profile.authorization.acr
        try rule.check(acr, requested: previous.requestedACRValues)
        guard let earlier else { return acr }
        if let strength = rule.strength(acr), let least = rule.strength(earlier),
            strength < least
        {
            throw .claimRejected("acr", "it is weaker than in the previous ID Tokens")
        }
        return rule.strongest([acr, earlier])
    }
}
