// Asynchronous decryption, for keys that may be external.

import JOSEBytes
import JOSECrypto

extension JWEDecrypter {
    /// Decrypts a compact JWE with a key that may be external.
    ///
    /// - Parameters:
    ///   - token: The compact serialisation.
    ///   - timeout: The maximum time of the call. `ExternalKeyOptions.timeout` may set a lower one.
    /// - Throws: As `decrypt(_:)`; `unavailable` if the external key does not respond in time or
    ///   the task is cancelled. Any response that does not decrypt the token causes
    ///   `decryptionFailed`.
    /// - Returns: The plaintext and header.
    ///
    /// An external key is called only after the header was accepted and the key was selected.
    nonisolated(nonsending) public func decrypt(
        _ token: String, timeout: Duration
    ) async throws(JOSEError) -> DecryptedJWE {
        let opened = try await opening.open(
            token, type: .any, content: .any, trace: nil, before: .end(of: timeout))
        return decrypted(opened, HeaderSource(token))
    }

    /// Decrypts a flattened or general JWE with keys that may be external, trying the recipients in
    /// order; see `decryptJSON(_:)` and `decrypt(_:timeout:)`.
    nonisolated(nonsending) public func decryptJSON(
        _ token: String, timeout: Duration
    ) async throws(JOSEError) -> DecryptedJSONJWE {
        let text = try JWEText(
            token.utf8.span, opening.limits, understanding: opening.extensions)
        return try await opening.decrypt(
            text, try opening.recipients(of: text, nil), before: .end(of: timeout))
    }
}

extension JWEOpening {
    /// Opens a token with keys that may be external. It does not suspend if no key is external.
    /// `end` is the deadline of the caller; nil if the caller sets none.
    nonisolated(nonsending) func open(
        _ token: String, type: MediaTypeRule, content: ContentTypeRule, trace: Trace?,
        before end: ContinuousClock.Instant?
    ) async throws(JOSEError) -> Opened {
        guard hasExternalKeys else {
            return try open(token.utf8.span, type: type, content: content, trace: trace)
        }
        do throws(JOSEError) {
            return try await opened(token, type, content, trace, before: end)
        } catch {
            if let trace { explain(error, token.utf8.span, type, trace) }
            throw error
        }
    }

    nonisolated(nonsending) private func opened(
        _ token: String, _ type: MediaTypeRule, _ content: ContentTypeRule, _ trace: Trace?,
        before end: ContinuousClock.Instant?
    ) async throws(JOSEError) -> Opened {
        var (message, headerCount, hasReplicatedClaims) = try message(
            token.utf8.span, type, content, trace)
        let result = try await message.open(by: self, before: end)
        trace?.passed(.decryption, "decrypted and authenticated")
        trace?.isInside = true
        return Opened(
            plaintext: result.plaintext, keyIndex: result.keyIndex, headerCount: headerCount,
            hasReplicatedClaims: hasReplicatedClaims)
    }

    /// Parses a token and validates its header. Returns the message to decrypt.
    func message(
        _ token: Span<UInt8>, _ type: MediaTypeRule, _ content: ContentTypeRule, _ trace: Trace?
    ) throws(JOSEError) -> (EncryptedMessage, headerCount: Int, hasReplicatedClaims: Bool) {
        let parts = try CompactJWE(token, limits)
        try parts.checkCount(token)
        let context = OpeningContext(
            opening: self, parts: parts, type: type, content: content, trace: trace)
        return try HeaderText.read(
            token.extracting(parts.header), limits, understanding: extensions
        ) { (fields, text, tree) throws(JOSEError) in
            let accepted = try context.validate(fields, text)
            let message = try RecipientParameters(
                fields: fields, layout: accepted.layout, limits: limits
            ).read(text, tree) { (parameters, values) throws(JOSEError) in
                try EncryptedMessage(
                    self, accepted, aad: token.extracting(parts.header),
                    encryptedKey: token.extracting(parts.encryptedKey),
                    iv: token.extracting(parts.iv),
                    ciphertext: token.extracting(parts.ciphertext),
                    tag: token.extracting(parts.tag), parameters, in: values)
            }
            return (message, parts.header.upperBound, accepted.hasReplicatedClaims)
        }
    }
}
