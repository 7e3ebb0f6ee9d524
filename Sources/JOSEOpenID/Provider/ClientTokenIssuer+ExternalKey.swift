// Issues tokens with signing keys that may be external.

public import JOSE

extension ClientTokenIssuer {
    /// Issues an ID Token with a signing key that may be external; see `idToken(for:_:claims:at:)`.
    ///
    /// `timeout` is the time limit for an external key; the key's `ExternalKeyOptions` may allow
    /// less.
    ///
    /// - Throws: The errors of that function. `unavailable` if the key does not respond in time or
    ///   the task was cancelled. `internal` if the key's result is not a valid signature.
    public func idToken(
        for request: ReceivedAuthorization, _ user: UserAuthentication,
        claims: some Encodable = NoClaims(), at now: NumericDate? = nil, timeout: Duration
    ) async throws(JOSEError) -> String {
        let json = try idTokenClaims(for: request, user, claims, now)
        return try await issuer.issue(
            checked: json, encryptedFor: recipient(profile.idToken.layers),
            before: .end(of: timeout))
    }

    /// Makes a UserInfo response body with a signing key that may be external; see
    /// `userInfo(subject:claims:at:)` and `idToken(for:_:claims:at:timeout:)`.
    public func userInfo(
        subject: String, claims: some Encodable = NoClaims(), at now: NumericDate? = nil,
        timeout: Duration
    ) async throws(JOSEError) -> String {
        let json = try userInfoClaims(subject: subject, claims, now)
        guard let layers = profile.userInfo.layers else {
            return String(decoding: json, as: UTF8.self)
        }
        return try await userInfoIssuer.issue(
            checked: json, encryptedFor: recipient(layers),
            before: .end(of: timeout))
    }

    /// Makes the UserInfo response with a signing key that may be external; see
    /// `userInfo(subject:claims:at:timeout:)`.
    public func userInfoResponse(
        subject: String, claims: some Encodable = NoClaims(), at now: NumericDate? = nil,
        timeout: Duration
    ) async throws(JOSEError) -> OpenIDHTTPResponse {
        try .notStored(
            await userInfo(subject: subject, claims: claims, at: now, timeout: timeout),
            type: userInfoMediaType)
    }

    /// Issues an access token with a signing key that may be external; see
    /// `accessToken(_:claims:at:)` and `idToken(for:_:claims:at:timeout:)`.
    public func accessToken(
        _ grant: AccessGrant, claims: some Encodable = NoClaims(), at now: NumericDate? = nil,
        timeout: Duration
    ) async throws(JOSEError) -> String {
        let json = try accessTokenClaims(grant, claims, now)
        return try await accessTokenIssuer.issue(
            checked: json, encryptedFor: nil,
            before: .end(of: timeout))
    }

    /// Makes the introspection response with a signing key that may be external; see
    /// `introspectionResponse(_:_:at:)` and `idToken(for:_:claims:at:timeout:)`.
    public func introspectionResponse(
        _ request: ReceivedIntrospection, _ state: TokenState, at now: NumericDate? = nil,
        timeout: Duration
    ) async throws(JOSEError) -> OpenIDHTTPResponse {
        guard request.wantsToken else { return try plainIntrospection(state) }
        let json = try introspectionClaims(state, now)
        return try .notStored(
            await introspectionIssuer.issue(
                checked: json, encryptedFor: recipient(profile.introspection.layers),
                before: .end(of: timeout)),
            type: IntrospectionRules.mediaType)
    }

    /// Issues a logout token with a signing key that may be external; see
    /// `logoutToken(subject:sessionID:at:)` and `idToken(for:_:claims:at:timeout:)`.
    public func logoutToken(
        subject: String?, sessionID: String? = nil, at now: NumericDate? = nil,
        timeout: Duration
    ) async throws(JOSEError) -> String {
        let json = try logoutClaims(subject, sessionID, now)
        return try await logoutIssuer.issue(
            checked: json, encryptedFor: recipient(profile.idToken.layers),
            before: .end(of: timeout))
    }
}
