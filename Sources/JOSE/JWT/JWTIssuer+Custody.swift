// Issuing with a signing key that may be elsewhere.

import JOSEBytes

extension JWTIssuer {
    /// Issues a signed token with a key that may be held elsewhere.
    ///
    /// - Parameters:
    ///   - claims: Any `Encodable` that becomes a JSON object.
    ///   - now: The time of `iat`; the system's clock where none is given.
    ///   - time: How long the call may take.
    /// - Throws: As `issue(_:at:)`, and as `JWSSigner.sign(_:within:)`.
    public func issue(
        _ claims: some Encodable, at now: NumericDate? = nil, within time: Duration
    ) async throws(JOSEError) -> String {
        let json = try payload(claims, now)
        return try await issue(checked: json, encryptedFor: nil, at: now, within: time)
    }

    /// Issues a signed token inside an encrypted one, with a signing key that may be held elsewhere.
    ///
    /// - Parameters:
    ///   - claims: What the token says: a JSON object.
    ///   - recipient: For whom it is encrypted.
    ///   - now: The time that it is issued; the system's clock where none is given.
    ///   - time: How long the call may take.
    /// - Throws: As `issue(_:encryptedFor:at:)`, and as `JWSSigner.sign(_:within:)`.
    public func issue(
        _ claims: some Encodable, encryptedFor recipient: JWTRecipient, at now: NumericDate? = nil,
        within time: Duration
    ) async throws(JOSEError) -> String {
        let json = try payload(claims, now)
        return try await issue(checked: json, encryptedFor: recipient, at: now, within: time)
    }

    /// Issues claims that are JSON text already with a key that may be held elsewhere.
    ///
    /// - Parameters:
    ///   - claims: UTF-8 text of a JSON object.
    ///   - recipient: For whom the token is encrypted; nil for a token that is signed alone.
    ///   - time: How long the call may take.
    /// - Throws: As `issue(json:encryptedFor:)`, and as `JWSSigner.sign(_:within:)`.
    public func issue(
        json claims: [UInt8], encryptedFor recipient: JWTRecipient? = nil, within time: Duration
    ) async throws(JOSEError) -> String {
        try check(json: claims)
        return try await issue(checked: claims, encryptedFor: recipient, at: nil, within: time)
    }

    /// Issues JSON text that the caller scanned and checked itself; see `issue(checked:encryptedFor:at:)`.
    package func issue(
        checked claims: [UInt8], encryptedFor recipient: JWTRecipient?, at now: NumericDate? = nil,
        within time: Duration?
    ) async throws(JOSEError) -> String {
        try await HeldAnswers.asking(within: time) { () throws(JOSEError) in
            try issue(checked: claims.span, encryptedFor: recipient, at: now)
        }
    }
}
