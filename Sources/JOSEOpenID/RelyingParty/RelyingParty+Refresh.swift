// A new access token without the user (RFC 6749, 6), and the ID Token that may come beside it (OpenID Connect Core, 12).

public import JOSE
import JOSEBytes

extension RelyingParty {
    /// The request that changes a refresh token into an access token; read its answer by `RefreshResponse`.
    ///
    /// - Parameters:
    ///   - refreshToken: The refresh token.
    ///   - scopes: What the access token is to have, of what was granted; empty for all of it.
    ///   - resources: What it is to be for, of what was asked for (RFC 8707).
    ///   - prover: The key that the new access token is to be bound to. For a public client the key
    ///     of the login, as its refresh tokens are bound to that key; for others any key of ours,
    ///     as these are bound to the client's authentication (RFC 9449, 5).
    ///   - nonce: The nonce that the provider gave, where it asked for one.
    ///   - now: The time of the client assertion; the system's clock where none is given.
    ///   - timeout: How long an external key of ours may take, within what its rule says.
    /// - Throws: `malformed` for a token that cannot be sent, `misuse` for a scope that is not one word or a resource that is no address, `keyNotFound`, `internal`.
    public func refreshRequest(
        refreshToken: String, scopes: [String] = [], resources: [String] = [],
        prover: DPoPProver? = nil, nonce: DPoPNonce? = nil, at now: NumericDate? = nil,
        timeout: Duration? = nil
    ) async throws(JOSEError) -> TokenRequest {
        try await setup.refreshRequest(
            refreshToken, scopes, resources, recipient(),
            RelyingPartyConfiguration.ProofOrder(prover, nonce), now
        ).signed(before: .end(of: timeout))
    }

    /// Verifies the ID Token of a refresh response: of the same user and the same authentication as
    /// the one of the login.
    ///
    /// `acr`, `auth_time` and `nonce` may be absent, as many providers leave them out, unless the
    /// profile requires them (`idToken.requiredClaims`). An `acr` that is there must satisfy what
    /// the login asked for, and must not be weaker than the login's where the profile knows an
    /// order. `acr` of the result is nil where the token has no `acr`; the login's holds on.
    ///
    /// - Parameters:
    ///   - token: The token, unverified.
    ///   - idToken: The ID Token of the login, or of a refresh after it; what the login asked for
    ///     is kept in either.
    ///   - accessToken: The access token that came beside it; `at_hash` must fit it, and one that is there is rejected where none
    ///     is given.
    ///   - now: The time to judge by; the system's clock where none is given.
    /// - Throws: Any code of the engine's verifier; `claimRejected` with `sub`, `nonce`,
    ///   `auth_time` or `at_hash` where it differs, with `acr` for one that is too weak, with `iat`
    ///   for a token from before the login, with `events` for a logout token; `misuse` for the ID
    ///   Token of another client or provider.
    ///
    /// Source: OpenID Connect Core, 12.2.
    public func verifyRefreshed(
        _ token: String, after idToken: VerifiedIDToken, accessToken: String? = nil,
        at now: NumericDate? = nil
    ) async throws(JOSEError) -> VerifiedIDToken {
        let check = RefreshedTokenCheck(setup: setup, before: idToken)
        let expectation = try check.expectation(accessToken)
        let now = now ?? .now
        return try check.check(
            await idTokens.verify(token, expecting: expectation, at: now), expectation)
    }
}

extension RelyingPartyConfiguration {
    /// As `refreshRequest` of the party, before it is signed.
    fileprivate func refreshRequest(
        _ refreshToken: String, _ scopes: [String], _ resources: [String],
        _ recipient: JWTRecipient?, _ proof: ProofOrder?, _ now: NumericDate?
    ) throws(JOSEError) -> RequestDraft {
        try check(proof)
        try profile.accessToken.checkRefreshTokens()
        guard !refreshToken.isEmpty, refreshToken.isVisible else {
            throw .malformed(.message, "the refresh token is not visible ASCII")
        }
        var form = OpenIDParameters()
        form.append("grant_type", "refresh_token")
        form.append("refresh_token", refreshToken)
        try form.append(scopes: scopes)
        return try tokenRequest(form, resources, recipient, proof, now)
    }
}

/// Compares the ID Token of a refresh with the one before it.
private struct RefreshedTokenCheck {
    let setup: RelyingPartyConfiguration
    let before: VerifiedIDToken

    func expectation(_ accessToken: String?) throws(JOSEError) -> ClaimsExpectation {
        guard before.clientID.isExactly(setup.clientID),
            before.issuer.isExactly(setup.metadata.issuer)
        else { throw .misuse("the ID Token is of another client or provider") }
        var expectation = ClaimsExpectation(subject: before.subject, accessToken: accessToken)
        expectation.requiresAccessTokenHash = setup.profile.idToken.requiresAccessTokenHash
        return expectation
    }

    func check(
        _ token: VerifiedJWT, _ expectation: ClaimsExpectation
    ) throws(JOSEError) -> VerifiedIDToken {
        let document = token.document
        try IDTokenCheck.checkIsNoEvent(document)
        for name in setup.profile.idToken.requiredClaims where document.isAbsent(name) {
            throw .claimRejected(name, "it is required and missing")
        }
        try IDTokenCheck.checkHashes(of: token, compared: expectation)
        try checkSameAuthentication(document)
        if let issued = token.issuedAt, let first = before.issuedAt,
            issued.later(bySeconds: setup.profile.leewaySeconds) < first
        {
            throw .claimRejected("iat", "it is before the ID Token that was refreshed")
        }
        let acr = try IDTokenCheck.acr(document)
        return VerifiedIDToken(
            token: token, party: setup.tokenParty, subject: before.subject,
            authenticatedAt: before.authenticatedAt, acr: acr,
            requested: before.requestedACRValues, strongest: try strongest(acr),
            login: before.login ?? before.token.document)
    }

    /// What is there must be what it was at the login: nonce, authentication time and backchannel
    /// request. A refreshed token in between may have left them out.
    private func checkSameAuthentication(_ document: JSONDocument) throws(JOSEError) {
        let login = before.login ?? before.token.document
        for name in ["nonce", BackchannelClaim.requestID] {
            // null is absence where the claim is optional; a nonce has its type.
            guard let index = document.member(named: name),
                !document.isNull(at: index) || name.isExactly("nonce")
            else { continue }
            let value = document.string(at: index)
            let first = login.member(named: name).flatMap { login.string(at: $0) }
            guard let value, let first, value.isExactly(first) else { throw another(name) }
        }
        if let index = document.member("auth_time"), !document.isNull(at: index) {
            guard let date = document.date(at: index), date == before.authenticatedAt else {
                throw another("auth_time")
            }
        }
    }

    private func another(_ name: String) -> JOSEError {
        .claimRejected(name, "it is another one than at the login")
    }

    /// The stronger of the login's `acr` and the token's.
    ///
    /// - Throws: `claimRejected` for one that does not satisfy the login's request, or is weaker
    ///   than the login's.
    private func strongest(_ acr: String?) throws(JOSEError) -> String? {
        let earlier = before.strongestACR ?? before.acr
        guard let acr else { return earlier }
        let rule = setup.profile.authorization.acr
        try rule.check(acr, requested: before.requestedACRValues)
        guard let earlier else { return acr }
        if let strength = rule.strength(acr), let least = rule.strength(earlier),
            strength < least
        {
            throw .claimRejected("acr", "it is weaker than before the refresh")
        }
        return rule.strongest([acr, earlier])
    }
}
