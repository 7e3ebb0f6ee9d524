// Back-Channel Logout 1.0 (by the provider) and RP-Initiated Logout 1.0 (by the client).

public import JOSE
import JOSEBytes

extension RelyingParty {
    /// Verifies a logout token that the provider posted to the `backchannel_logout_uri`. End the
    /// sessions that the result names. The `jti` is stored after all other checks.
    ///
    /// - Parameters:
    ///   - form: The body of the POST.
    ///   - replays: The store of used tokens, shared by all machines that get logout tokens.
    ///   - now: The time to verify at; the system clock by default.
    /// - Throws: `malformed` for a form without `logout_token`. The errors of `AsyncJWTVerifier`.
    ///   `claimRejected` with a claim that is missing or that a logout token must not have.
    ///   `replayed`. `limitExceeded`, `unavailable`. `misuse` for a store whose `maxLifetime` is
    ///   too short for the profile. Respond with `OpenIDHTTPResponse.loggedOut(rejecting:)`.
    ///
    /// Source: OpenID Connect Back-Channel Logout 1.0, 2.5 to 2.7.
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

extension RelyingParty {
    /// Makes the URL that ends the user's session at the provider when the browser opens it. End
    /// your own session first.
    ///
    /// - Parameters:
    ///   - idToken: The text of the login's ID Token, a hint that may have expired. Store the text
    ///     in your session. Pass nil if the ID Token was encrypted: the provider asks the user.
    ///   - uri: The registered URI to which the provider then redirects the browser; nil if the
    ///     browser stays at the provider.
    ///   - state: An unguessable value of this browser session, for `checkLogoutReturn`.
    ///   - logoutHint: `logout_hint`, as the provider defines it.
    /// - Throws: `misuse` if the metadata has no `end_session_endpoint`, for an encrypted or
    ///   malformed ID Token, an invalid URI, or a state without URI.
    ///
    /// Source: OpenID Connect RP-Initiated Logout 1.0, 2.
    public func logoutURL(
        idToken: String?, returningTo uri: String? = nil, state: String? = nil,
        logoutHint: String? = nil
    ) throws(JOSEError) -> String {
        guard let endpoint = configuration.metadata["end_session_endpoint"]?.string else {
            throw .misuse("the provider's metadata has no end_session_endpoint")
        }
        if let idToken {
            // A hint is signed, not encrypted to the client (OpenID Connect Core, 3.1.2.1).
            guard idToken.utf8.allSatisfy(\.isUnreserved),
                idToken.pieces(at: UInt8(ascii: ".")).count == 3
            else {
                throw .misuse(
                    "id_token_hint must be a signed ID Token: decrypt it, or pass nil")
            }
        }
        guard uri.map(WebURL.isURIWithoutFragment) ?? true else {
            throw .misuse("the URI to return to must be an absolute URI without fragment")
        }
        guard state == nil || uri != nil else { throw .misuse("state needs a URI to return to") }
        var parameters = OpenIDParameters()
        parameters.append("id_token_hint", idToken)
        parameters.append("logout_hint", logoutHint)
        parameters.append("client_id", configuration.clientID)
        parameters.append("post_logout_redirect_uri", uri)
        parameters.append("state", state)
        return endpoint + URLRanges.queryMark(after: endpoint) + parameters.encoded
    }

    /// Checks that the browser returns from the logout that this browser session started.
    ///
    /// - Parameters:
    ///   - query: The query of the URL to return to, without the question mark.
    ///   - state: The state that you passed to `logoutURL`.
    /// - Throws: `claimRejected` with `state` if it is missing or wrong. `malformed`,
    ///   `limitExceeded`.
    ///
    /// Source: OpenID Connect RP-Initiated Logout 1.0, 2 and 3.
    public func checkLogoutReturn(query: String, state: String) throws(JOSEError) {
        let received = try OpenIDParameters(decoding: query)["state"]
        guard let received, received.equalsConstantTime(state) else {
            throw .claimRejected("state", "it is not the state of this logout")
        }
    }
}

extension RelyingPartyConfiguration {
    /// `aud` and `sub` are checked as in an ID Token (Back-Channel Logout 1.0, 2.6).
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

    /// Throws `misuse` if the store would reject the lifetime of a token that is accepted here.
    fileprivate func checkLogout(_ replays: any ReplayStore) throws(JOSEError) {
        let rules = profile.logout
        // A token without exp is accepted for maxAge and a leeway after its iat, which may be a
        // leeway ahead. Each entry is kept `ClaimsPolicy.maxLeewaySeconds` and a second longer.
        let longest =
            rules.requiresExpiration
            ? rules.maxValiditySeconds
            : max(rules.maxValiditySeconds, rules.maxAgeSeconds + 2 * profile.leewaySeconds)
        let kept = longest + ClaimsPolicy.maxLeewaySeconds + 1
        guard replays.maxLifetime.map({ .seconds(kept) <= $0 }) ?? true else {
            throw .misuse(
                """
                the replay store's maxLifetime is below {} s (logout.maxValidity, \
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
        guard expiry <= now.later(bySeconds: profile.logout.maxValiditySeconds) else {
            throw .claimRejected("exp", "it is further ahead than logout.maxValidity allows")
        }
        try await replays.markUsed(token, purpose: "logout", audience: clientID, at: now)
        return logout
    }

    /// A token without `exp` is accepted until `iat` plus `logout.maxAge` plus the leeway.
    private func markUsed(
        withoutExpiration token: VerifiedJWT, _ replays: any ReplayStore, _ now: NumericDate
    ) async throws(JOSEError) {
        let leeway = profile.leewaySeconds
        // The verifier has rejected an iat that is ahead of now by more than the leeway.
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
    /// Creates the response to a logout token: status 200 for success, 400 for a rejected token,
    /// 500 for `misuse` and `internal`, 503 for `unavailable`.
    ///
    /// - Parameter error: The error of `verifyLogout`; nil for success.
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
