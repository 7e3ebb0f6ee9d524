// A provider's answers with keys that may be held elsewhere.

public import JOSE

extension ClientTokenIssuer {
    /// Issues an ID Token with a signing key that may be held elsewhere; see `idToken(for:_:claims:at:)`.
    ///
    /// - Parameters:
    ///   - request: The request that the token answers.
    ///   - user: Who logged in, when and how.
    ///   - claims: Further claims of the user.
    ///   - now: The time that it is issued; the system's clock where none is given.
    ///   - timeout: How long the call may take; a key's external key may have less by its rule.
    /// - Throws: As there; `unavailable` where the key's external key cannot answer in time, or the task was cancelled;
    ///   `internal` where what it answers is no signature of the key.
    public func idToken(
        for request: ReceivedAuthorization, _ user: UserAuthentication,
        claims: some Encodable = NoClaims(), at now: NumericDate? = nil, timeout: Duration
    ) async throws(JOSEError) -> String {
        let json = try idTokenClaims(for: request, user, claims, now)
        return try await issuer.issue(
            checked: json, encryptedFor: recipient(profile.idToken.layers),
            before: .end(of: timeout))
    }

    /// Makes a UserInfo answer with a signing key that may be held elsewhere; see `userInfo(subject:claims:at:)` and
    /// `idToken(for:_:claims:at:timeout:)`.
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

    /// The answer of the UserInfo endpoint with a signing key that may be held elsewhere; see
    /// `userInfo(subject:claims:at:timeout:)`.
    public func userInfoResponse(
        subject: String, claims: some Encodable = NoClaims(), at now: NumericDate? = nil,
        timeout: Duration
    ) async throws(JOSEError) -> OpenIDHTTPResponse {
        try .notStored(
            await userInfo(subject: subject, claims: claims, at: now, timeout: timeout),
            type: userInfoMediaType)
    }

    /// Issues an access token with a signing key that may be held elsewhere; see `accessToken(_:claims:at:)` and
    /// `idToken(for:_:claims:at:timeout:)`.
    public func accessToken(
        _ grant: AccessGrant, claims: some Encodable = NoClaims(), at now: NumericDate? = nil,
        timeout: Duration
    ) async throws(JOSEError) -> String {
        let json = try accessTokenClaims(grant, claims, now)
        return try await accessTokenIssuer.issue(
            checked: json, encryptedFor: nil,
            before: .end(of: timeout))
    }

    /// The answer of the introspection endpoint with a signing key that may be held elsewhere; see
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

    /// Makes a logout token with a signing key that may be held elsewhere; see `logoutToken(subject:sessionID:at:)` and
    /// `idToken(for:_:claims:at:timeout:)`.
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
