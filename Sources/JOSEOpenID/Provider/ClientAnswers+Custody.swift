// A provider's answers with keys that may be held elsewhere.

public import JOSE

extension ClientAnswers {
    /// Issues an ID Token with a signing key that may be held elsewhere; see `idToken(for:_:claims:at:)`.
    ///
    /// - Parameter time: How long the call may take; a key's custodian may have less by its rule.
    /// - Throws: As there; `unavailable` where the key's custodian cannot answer in time, or the task was cancelled;
    ///   `internal` where what it answers is no signature of the key.
    public func idToken(
        for request: ReceivedAuthorization, _ user: UserAuthentication,
        claims: some Encodable = NoClaims(), at now: NumericDate? = nil, within time: Duration
    ) async throws(JOSEError) -> String {
        let json = try idTokenClaims(for: request, user, claims, now)
        return try await issuer.issue(
            checked: json, encryptedFor: recipient(profile.idToken.layers), within: time)
    }

    /// Makes a UserInfo answer with a signing key that may be held elsewhere; see `userInfo(subject:claims:at:)` and
    /// `idToken(for:_:claims:at:within:)`.
    public func userInfo(
        subject: String, claims: some Encodable = NoClaims(), at now: NumericDate? = nil,
        within time: Duration
    ) async throws(JOSEError) -> String {
        let json = try userInfoClaims(subject: subject, claims, now)
        guard let layers = profile.userInfo.layers else {
            return String(decoding: json, as: UTF8.self)
        }
        return try await userInfoIssuer.issue(
            checked: json, encryptedFor: recipient(layers), within: time)
    }

    /// The answer of the UserInfo endpoint with a signing key that may be held elsewhere; see
    /// `userInfo(subject:claims:at:within:)`.
    public func userInfoAnswer(
        subject: String, claims: some Encodable = NoClaims(), at now: NumericDate? = nil,
        within time: Duration
    ) async throws(JOSEError) -> HTTPAnswer {
        try .notStored(
            await userInfo(subject: subject, claims: claims, at: now, within: time),
            type: userInfoMediaType)
    }
}

extension OpenIDProvider {
    /// Which client a token request says it comes from, where the key that opens its assertion may be held elsewhere; see
    /// `unverifiedClientID(tokenRequest:authorization:)`.
    ///
    /// - Throws: As there; `unavailable` where the key's custodian cannot answer in time, or the task was cancelled.
    public func unverifiedClientID(
        tokenRequest body: String, authorization: String? = nil, within time: Duration
    ) async throws(JOSEError) -> String {
        try await HeldAnswers.asking(within: time) { () throws(JOSEError) in
            try unverifiedClientID(tokenRequest: body, authorization: authorization)
        }
    }
}
