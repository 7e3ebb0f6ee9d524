// Verifies logout tokens (OpenID Connect Back-Channel Logout 1.0).

public import JOSE
import JOSEBytes

extension RelyingParty {
    /// Verifies the logout token that the provider posts to the `backchannel_logout_uri`.
    ///
    /// End the sessions that the result names. The `jti` is stored after all other checks.
    ///
    /// - Parameters:
    ///   - form: The body of the POST.
    ///   - replays: The store of used tokens, shared by all machines that receive logout tokens.
    ///   - now: The time to verify at; the system clock by default.
    /// - Throws: `malformed` for a form without `logout_token`. The errors of `AsyncJWTVerifier`.
    ///   `claimRejected` with the claim that is not of a logout token. `replayed`.
    ///   `limitExceeded`, `unavailable`. `misuse` for a store whose `maxLifetime` is below the
    ///   profile's lifetimes. Respond with `OpenIDHTTPResponse.loggedOut(rejecting:)`.
    ///
    /// Source: 2.5 to 2.7.
    public func verifyLogout(
        form: String, once replays: any ReplayStore, at now: NumericDate? = nil
    ) async throws(JOSEError) -> VerifiedLogoutToken {
        let now = now ?? .now
        try configuration.checkLogout(replays)
        let token: VerifiedJWT
        do throws(JOSEError) {
            guard let text = try OpenIDParameters(decoding: form)["logout_token"] else {
                throw .malformed(.message, "the form has no logout_token")
            }
            token = try await logoutTokens.verify(text, at: now)
        } catch {
            guard error.code == .claimRejected, error.claim?.isExactly("typ") == true else {
                throw error
            }
            throw .claimRejected(
                "typ", "it is not logout+jwt (LogoutTokenRules.withoutTypeOrExpiration)")
        }
        return try await configuration.logout(token, replays, now)
    }
}

extension RelyingPartyConfiguration {
    /// The claims policy for logout tokens: `aud` and `sub` as in an ID Token (OpenID Connect
    /// Back-Channel Logout 1.0, 2.6).
    var logoutPolicy: ClaimsPolicy {
        var policy = ClaimsPolicy(
            issuer: .exactly(metadata.issuer), audience: .anyOf([clientID]))
        policy.requiredClaims =
            ["iss", "aud", "iat", "jti", "events"]
            + (profile.logout.requiresExpiration ? ["exp"] : [])
        policy.authorizedParty = clientID
        policy.trustedAudiences = profile.idToken.trustedAudiences
        policy.maxSubjectBytes = 255
        policy.leewaySeconds = profile.leewaySeconds
        policy.apply(profile.logout.header)
        return policy
    }

    /// Throws `misuse` for a store that would reject the lifetimes that are accepted here.
    fileprivate func checkLogout(_ replays: any ReplayStore) throws(JOSEError) {
        let rules = profile.logout
        // A token without exp ends a leeway after its last second, and its iat may be a leeway
        // ahead.
        let longest =
            rules.requiresExpiration
            ? rules.horizonSeconds
            : max(rules.horizonSeconds, rules.maxAgeSeconds + 2 * profile.leewaySeconds)
        let kept = longest + ClaimsPolicy.maxLeewaySeconds + 1
        guard replays.maxLifetime.map({ .seconds(kept) <= $0 }) ?? true else {
            throw .misuse(
                """
                the replay store's maxLifetime is below {} s (logout.horizon, \
                logout.maxAge)
                """,
                .number(kept))
        }
    }

    fileprivate func logout(
        _ token: VerifiedJWT, _ replays: any ReplayStore, _ now: NumericDate
    ) async throws(JOSEError) -> VerifiedLogoutToken {
        let logout = try VerifiedLogoutToken(token)
        guard let expiry = token.expiration else {
            try await markUsed(withoutExpiration: token, replays, now)
            return logout
        }
        guard expiry <= now.later(bySeconds: profile.logout.horizonSeconds) else {
            throw .claimRejected("exp", "it is further ahead than logout.horizon allows")
        }
        try await replays.markUsed(token, purpose: "logout", audience: clientID, at: now)
        return logout
    }

    /// Claims a token without `exp`. It expires `logout.maxAge` after its `iat`.
    private func markUsed(
        withoutExpiration token: VerifiedJWT, _ replays: any ReplayStore, _ now: NumericDate
    ) async throws(JOSEError) {
        let leeway = profile.leewaySeconds
        // Already verified: iat is ahead of now by at most the leeway.
        guard let issued = token.issuedAt, let issuer = token.issuer else {
            throw .claimRejected("iat", "it is required and missing")
        }
        let end = issued.later(bySeconds: profile.logout.maxAgeSeconds + leeway)
        guard now < end else {
            throw .claimRejected(
                "iat", "a logout token without exp is older than {} seconds (logout.maxAge)",
                .number(profile.logout.maxAgeSeconds))
        }
        guard let tokenID = token.jwtID, 1...1_024 ~= tokenID.utf8.count else {
            throw .claimRejected("jti", "it is missing, or not 1 to 1024 bytes")
        }
        do throws(ReplayStoreError) {
            try await replays.markUsed(
                ReplayEntry(
                    purpose: "logout", issuer: issuer, audience: clientID, tokenID: tokenID,
                    issuedAt: issued,
                    expires: end.later(bySeconds: ClaimsPolicy.maxLeewaySeconds + 1)),
                at: now)
        } catch {
            throw JOSEError(error)
        }
    }
}

extension OpenIDHTTPResponse {
    /// Creates the response to a logout token: 200 for success, 400 for a rejected token, 503 if a
    /// service that the verification needs is unavailable.
    ///
    /// - Parameter error: The error that rejected the token; nil for success.
    /// - Throws: `misuse` if the response cannot be written.
    ///
    /// Source: OpenID Connect Back-Channel Logout 1.0, 2.8.
    public static func loggedOut(
        rejecting error: JOSEError? = nil
    ) throws(JOSEError) -> OpenIDHTTPResponse {
        guard let error else { return try OpenIDHTTPResponse(status: 200, headers: notStored) }
        return try TokenError(.serverSide(error) ?? .invalidRequest).response()
    }
}
