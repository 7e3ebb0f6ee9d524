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
    ///   profile's. Answer `HTTPAnswer.loggedOut(refusing:)`.
    ///
    /// Its `jti` is claimed last, after every other check.
    ///
    /// Source: 2.5 to 2.7.
    public func verifyLogout(
        form: String, once replays: any ReplayStore, at now: NumericDate? = nil
    ) async throws(JOSEError) -> VerifiedLogoutToken {
        let now = now ?? .now
        try setup.checkLogout(replays)
        let text = try PartySetup.logoutToken(form)
        let token = try await HeldAnswers.asking(within: nil) { () throws(JOSEError) in
            try logoutTokens.verify(text, at: now)
        }
        return try await setup.logout(token, replays, now)
    }
}

extension AsyncRelyingParty {
    /// Reads what a provider posts to our `backchannel_logout_uri`; see `RelyingParty.verifyLogout`.
    public func verifyLogout(
        form: String, once replays: any ReplayStore, at now: NumericDate? = nil
    ) async throws(JOSEError) -> VerifiedLogoutToken {
        let now = now ?? .now
        try setup.checkLogout(replays)
        let token = try await logoutTokens.verify(PartySetup.logoutToken(form), at: now)
        return try await setup.logout(token, replays, now)
    }
}

extension PartySetup {
    /// The engine's rules for every logout token to this client: `aud` and `sub` as of an ID Token
    /// (OpenID Connect Back-Channel Logout 1.0, 2.6).
    var logoutPolicy: ClaimsPolicy {
        var policy = ClaimsPolicy(
            issuer: .exactly(metadata.issuer), audience: .anyOf([clientID]))
        policy.requiredClaims = ["iss", "aud", "iat", "exp", "jti", "events"]
        policy.authorizedParty = clientID
        policy.trustedAudiences = profile.idToken.trustedAudiences
        policy.maxSubjectBytes = 255
        policy.leewaySeconds = profile.leewaySeconds
        policy.apply(profile.logout.header)
        return policy
    }

    /// Throws `misuse` for a store that would refuse what is taken here.
    fileprivate func checkLogout(_ replays: any ReplayStore) throws(JOSEError) {
        let kept = profile.logout.horizonSeconds + ClaimsPolicy.longestLeewaySeconds + 1
        guard replays.longestLifetime.map({ .seconds(kept) <= $0 }) ?? true else {
            throw .misuse(
                "the replay store's longestLifetime is below logout.horizonSeconds and 301 seconds")
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
        guard let expiry = token.expiration,
            expiry <= now.later(bySeconds: profile.logout.horizonSeconds)
        else {
            throw .claimRejected("exp", "it is further ahead than allowed")
        }
        try await replays.claim(token, purpose: "logout", audience: clientID, at: now)
        return logout
    }
}

extension HTTPAnswer {
    /// The answer to a logout: 200 where the sessions ended, else 400, or 503 where something that we need cannot answer now.
    ///
    /// - Parameter error: What refused it; nil where nothing did.
    /// - Throws: `misuse` where it cannot be written.
    ///
    /// Source: OpenID Connect Back-Channel Logout 1.0, 2.8.
    public static func loggedOut(refusing error: JOSEError? = nil) throws(JOSEError) -> HTTPAnswer {
        guard let error else { return try HTTPAnswer(status: 200, headers: notStored) }
        return try TokenError(.ours(error) ?? .invalidRequest).answer()
    }
}
