// Decrypting with keys that may be elsewhere.

import JOSEBytes
import JOSECrypto

extension JWEDecrypter {
    /// Decrypts a compact JWE with a key that may be held elsewhere.
    ///
    /// - Parameters:
    ///   - token: The compact serialisation.
    ///   - time: How long the call may take; a key's custodian may have less by its rule.
    /// - Throws: As `decrypt(_:)`; `unavailable` where the custodian cannot answer in time, or the task was cancelled. What
    ///   it answers to an encrypted key, and that it gives no result, is the same `decryptionFailed`.
    /// - Returns: The plaintext and header.
    ///
    /// A custodian is asked only after the header was accepted and its key was selected.
    public func decrypt(
        _ token: String, within time: Duration
    ) async throws(JOSEError) -> DecryptedJWE {
        try await HeldAnswers.asking(within: time) { () throws(JOSEError) in try decrypt(token) }
    }

    /// Decrypts the bytes of a compact JWE with a key that may be held elsewhere; see `decrypt(_:within:)`.
    public func decrypt(
        _ token: [UInt8], within time: Duration
    ) async throws(JOSEError) -> DecryptedJWE {
        try await HeldAnswers.asking(within: time) { () throws(JOSEError) in try decrypt(token) }
    }

    /// Decrypts a flattened or general JWE with keys that may be held elsewhere; see `decryptJSON(_:)` and
    /// `decrypt(_:within:)`.
    ///
    /// Custodians are asked in the order of the recipients, each only after those before it failed.
    public func decryptJSON(
        _ token: String, within time: Duration
    ) async throws(JOSEError) -> DecryptedJSONJWE {
        try await HeldAnswers.asking(within: time) { () throws(JOSEError) in
            try decryptJSON(token)
        }
    }
}

extension JWEOpening {
    /// Opens with keys that may be elsewhere; see `open(_:type:content:trace:)`.
    func open(
        _ token: String, type: MediaTypeRule, content: ContentTypeRule, trace: Trace?,
        within time: Duration?
    ) async throws(JOSEError) -> Opened {
        let start = trace?.count ?? 0
        return try await HeldAnswers.asking(within: time) { () throws(JOSEError) in
            trace?.rewind(to: start)
            return try open(token.utf8.span, type: type, content: content, trace: trace)
        }
    }

    /// One try where some of our keys are elsewhere.
    func decryptAsking(
        _ out: inout OutputSpan<UInt8>, _ candidate: Candidate, _ admitted: Admitted,
        _ parts: EncryptedParts, in values: Span<UInt8>, aad: Span<UInt8>,
        _ parameters: KeyParameters, in parameterValues: Span<UInt8>
    ) throws(JOSEError) -> Bool {
        let key = keys.prepared(candidate.index)
        guard let answers = HeldAnswers.current else {
            guard key.held == nil else { throw .heldElsewhere }
            return try decryptHere(
                &out, Span(), candidate.operation, admitted.content, parts, in: values, aad: aad,
                parameters, in: parameterValues)
        }
        let place = try answers.place()
        // The work is done anew after each answer, but no key is tried twice.
        guard !answers.hasFailed(at: place) else { return false }
        let isOpen: Bool
        if let held = key.held {
            let answer = try key.openingAnswer(
                from: held, at: place, of: answers, admitted.algorithm, candidate.operation,
                admitted.content, encryptedKey: values.extracting(first: parts.encryptedKeyBytes),
                parameters: parameterValues)
            isOpen = try JWEOpening.opened(&out) { (out) throws(CryptoFault) in
                var ciphertext = out.mutableSpan
                let count = try candidate.operation.open(
                    inPlace: &ciphertext, content: admitted.content, parts, in: values, aad: aad,
                    parameters, in: parameterValues, by: answer)
                out.removeLast(out.count - count)
            }
        } else {
            isOpen = try decryptHere(
                &out, Span(), candidate.operation, admitted.content, parts, in: values, aad: aad,
                parameters, in: parameterValues)
        }
        if !isOpen { answers.fail(at: place) }
        return isOpen
    }
}
