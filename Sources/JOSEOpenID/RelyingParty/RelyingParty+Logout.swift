// A provider tells that a user's session has ended (OpenID Connect Back-Channel Logout 1.0).

public import JOSE
import JOSEBytes

extension RelyingParty {
    /// Reads what a provider posts to our `backchannel_logout_uri`: end the sessions that it names.
    ///
    /// - Parameters:
    ///   - form: The body of the post.
    ///   - replays: Where used tokens are remembered; one for all machines that take logout tokens.
    ///   - now: The time to judge by; the system's clock where none is given.
    /// - Throws: `malformed` for a form without `logout_token`; any code of the engine's verifier; `claimRejected` with the claim that
    ///   does not tell of a logout; `replayed`; `limitExceeded`, `unavailable`; `misuse` for a store that takes no lives as long as the
    ///   profile's. Answer `OpenIDHTTPResponse.loggedOut(rejecting:)`.
    ///
    /// Its `jti` is claimed last, after every other check.
    ///
    /// Source: 2.5 to 2.7.
    public func verifyLogout(
        form: String, once replays: any ReplayStore, at now: NumericDate? = nil
    ) async throws(JOSEError) -> VerifiedLogoutToken {
        let now = now ?? .now
        try setup.checkLogout(replays)
        let token: VerifiedJWT
        do throws(JOSEError) {
            token = try await logoutTokens.verify(
                RelyingPartyConfiguration.logoutToken(form), at: now)
        } catch {
            throw setup.naming(typeOfLogout: error)
        }
        return try await setup.logout(token, replays, now)
    }
}

extension RelyingPartyConfiguration {
    /// The engine's rules for every logout token to this client: `aud` and `sub` as of an ID Token
    /// (OpenID Connect Back-Channel Logout 1.0, 2.6).
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

    /// Throws `misuse` for a store that would reject what is taken here.
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

    fileprivate static func logoutToken(_ form: String) throws(JOSEError) -> String {
        guard let token = try OpenIDParameters(decoding: form)["logout_token"] else {
            throw .malformed(.message, "the form holds no logout_token")
        }
        return token
    }

    fileprivate func logout(
        _ token: VerifiedJWT, _ replays: any ReplayStore, _ now: NumericDate
    ) async throws(JOSEError) -> VerifiedLogoutToken {
        let logout = try VerifiedLogoutToken(token)
        guard let expiry = token.expiration else {
            try await claim(withoutExpiration: token, replays, now)
            return logout
        }
        guard expiry <= now.later(bySeconds: profile.logout.horizonSeconds) else {
            throw .claimRejected("exp", "it is further ahead than allowed")
        }
        try await replays.claim(token, purpose: "logout", audience: clientID, at: now)
        return logout
    }

    /// Claims a token that has no `exp`: it ends a time after its `iat`.
    private func claim(
        withoutExpiration token: VerifiedJWT, _ replays: any ReplayStore, _ now: NumericDate
    ) async throws(JOSEError) {
        let leeway = profile.leewaySeconds
        // The engine saw that iat is not ahead of now by more than the leeway.
        guard let issued = token.issuedAt, let issuer = token.issuer else {
            throw .claimRejected("iat", "it is required and missing")
        }
        let end = issued.later(bySeconds: profile.logout.maxAgeSeconds + leeway)
        guard now < end else {
            throw .claimRejected(
                "iat", "a logout token without exp is older than {} seconds",
                .number(profile.logout.maxAgeSeconds))
        }
        guard let tokenID = token.jwtID, 1...1_024 ~= tokenID.utf8.count else {
            throw .claimRejected("jti", "it is missing, empty or too long")
        }
        do throws(ReplayStoreError) {
            try await replays.claim(
                ReplayEntry(
                    purpose: "logout", issuer: issuer, audience: clientID, tokenID: tokenID,
                    issuedAt: issued,
                    expires: end.later(bySeconds: ClaimsPolicy.maxLeewaySeconds + 1)),
                at: now)
        } catch {
            throw JOSEError(error)
        }
    }

    /// The same error; one about `typ` names the type that is demanded.
    fileprivate func naming(typeOfLogout error: JOSEError) -> JOSEError {
        guard error.code == .claimRejected, error.claim?.isExactly("typ") == true else {
            return error
        }
        return .claimRejected(
            "typ",
            "the header's typ is not logout+jwt (LogoutTokenRules.withoutTypeOrExpiration takes others)"
        )
    }
}

extension OpenIDHTTPResponse {
    /// The answer to a logout: 200 where the sessions ended, else 400, or 503 where something that we need cannot answer now.
    ///
    /// - Parameter error: What rejected it; nil where nothing did.
    /// - Throws: `misuse` where it cannot be written.
    ///
    /// Source: OpenID Connect Back-Channel Logout 1.0, 2.8.
    public static func loggedOut(rejecting error: JOSEError? = nil) throws(JOSEError)
        -> OpenIDHTTPResponse
    {
        guard let error else { return try OpenIDHTTPResponse(status: 200, headers: notStored) }
        return try TokenError(.serverSide(error) ?? .invalidRequest).response()
    }
}
