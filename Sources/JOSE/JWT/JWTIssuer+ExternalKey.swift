// Issuing with a signing key that may be external.

import JOSEBytes

extension JWTIssuer {
    /// Issues a token with a signing key that may be external; see `issue(_:encryptedFor:at:)`.
    ///
    /// - Parameters:
    ///   - claims: Any `Encodable` that becomes a JSON object.
    ///   - recipient: The recipient of an encrypted token; nil for a token that is only signed.
    ///   - now: The time of `iat`; the system's clock if left out.
    ///   - timeout: How long the call may take; an external key may have less by its rule.
    /// - Throws: As there, and as `JWSSigner.sign(_:header:timeout:)`.
    nonisolated(nonsending) public func issue(
        _ claims: some Encodable, encryptedFor recipient: JWTRecipient? = nil,
        at now: NumericDate? = nil, timeout: Duration
    ) async throws(JOSEError) -> String {
        let json = try payload(claims, now)
        return try await issue(
            checked: json, encryptedFor: recipient, at: now, before: .end(of: timeout))
    }

    /// Issues claims that are JSON text already with a signing key that may be external.
    ///
    /// - Parameters:
    ///   - claims: UTF-8 text of a JSON object.
    ///   - recipient: The recipient of an encrypted token; nil for a token that is only signed.
    ///   - timeout: How long the call may take.
    /// - Throws: As `issue(json:encryptedFor:)`, and as `JWSSigner.sign(_:header:timeout:)`.
    nonisolated(nonsending) public func issue(
        json claims: [UInt8], encryptedFor recipient: JWTRecipient? = nil, timeout: Duration
    ) async throws(JOSEError) -> String {
        try check(json: claims)
        return try await issue(checked: claims, encryptedFor: recipient, before: .end(of: timeout))
    }

    /// Issues JSON text that the caller scanned and checked itself; see `issue(checked:encryptedFor:at:)`.
    ///
    /// - Parameter end: The latest end of the caller's wait; nil leaves an external key the time
    ///   of its rule.
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
