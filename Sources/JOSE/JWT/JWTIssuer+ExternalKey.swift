// Issues tokens with a signing key that may be external.

import JOSEBytes

extension JWTIssuer {
    /// Issues a token with a signing key that may be external; see `issue(_:encryptedFor:at:)`.
    ///
    /// Without `recipient` the token is only signed. `timeout` is the time that the call may take;
    /// the key's own options may allow less.
    ///
    /// - Throws: As `issue(_:encryptedFor:at:)` and `JWSSigner.sign(_:header:timeout:)`.
    nonisolated(nonsending) public func issue(
        _ claims: some Encodable, encryptedFor recipient: JWTRecipient? = nil,
        at now: NumericDate? = nil, timeout: Duration
    ) async throws(JOSEError) -> String {
        let json = try payload(claims, now)
        return try await issue(
            checked: json, encryptedFor: recipient, at: now, before: .end(of: timeout))
    }

    /// Issues JSON text as claims, with a signing key that may be external; see
    /// `issue(json:encryptedFor:)`.
    ///
    /// `timeout` is the time that the call may take; the key's own options may allow less.
    ///
    /// - Throws: As `issue(json:encryptedFor:)`, and as `JWSSigner.sign(_:header:timeout:)`.
    nonisolated(nonsending) public func issue(
        json claims: [UInt8], encryptedFor recipient: JWTRecipient? = nil, timeout: Duration
    ) async throws(JOSEError) -> String {
        try check(json: claims)
        return try await issue(checked: claims, encryptedFor: recipient, before: .end(of: timeout))
    }

    /// - Parameter end: The caller's deadline; nil applies only the external key's own timeout.
    nonisolated(nonsending) package func issue(
        checked claims: [UInt8], encryptedFor recipient: JWTRecipient?, at now: NumericDate? = nil,
        before end: ContinuousClock.Instant?
    ) async throws(JOSEError) -> String {
        var signed = try await signer.token(claims, before: end)
        guard let recipient else { return String(copying: signed.span) }
        defer {
            var bytes = signed.mutableSpan
            wipe(&bytes)
        }
        return try recipient.encrypter.encrypt(signed.span, at: now)
    }
}
