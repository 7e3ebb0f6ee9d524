// A received encrypted message that owns its bytes, for external keys and batches.

import JOSEBytes
import JOSECrypto

/// A message whose header was accepted and whose parts are decoded. The plaintext is only in the
/// array that `open` returns.
struct EncryptedMessage {
    private let accepted: JWEOpening.AcceptedHeader
    private let additionalData: [UInt8]
    private let parts: EncryptedParts
    /// The decoded encrypted key, IV and tag, in this order; `parts` has their sizes.
    private let values: [UInt8]
    private let parameters: KeyParameters
    private let parameterValues: [UInt8]
    private var ciphertext: [UInt8]

    /// Copies and decodes the parts of a token, before any key is tried.
    init(
        _ opening: JWEOpening, _ accepted: JWEOpening.AcceptedHeader, aad: Span<UInt8>,
        encryptedKey: Span<UInt8>, iv: Span<UInt8>, ciphertext: Span<UInt8>, tag: Span<UInt8>,
        _ parameters: KeyParameters, in parameterValues: Span<UInt8>
    ) throws(JOSEError) {
        self.accepted = accepted
        self.parameters = parameters
        additionalData = [UInt8](byteCapacity: aad.count) { $0.append(copying: aad) }
        self.parameterValues = [UInt8](byteCapacity: parameterValues.count) {
            $0.append(copying: parameterValues)
        }
        let capacity = opening.partsCapacity(
            accepted.content, encryptedKey: encryptedKey, iv: iv, tag: tag)
        var parts = EncryptedParts(encryptedKeyBytes: 0, ivBytes: 0)
        values = try [UInt8](byteCapacity: capacity) { (out) throws(JOSEError) in
            parts = try opening.appendParts(
                accepted.content, encryptedKey: encryptedKey, iv: iv, tag: tag, to: &out)
        }
        self.parts = parts
        guard let decoded = Base64URL.decode(ciphertext) else {
            throw .notBase64URL(ciphertext, .token, "the ciphertext")
        }
        self.ciphertext = decoded
    }

    /// Tries the candidate keys in order. Call this once: it decrypts the ciphertext in place.
    /// `end` is the caller's deadline; nil if the caller sets none.
    nonisolated(nonsending) mutating func open(
        by opening: JWEOpening, before end: ContinuousClock.Instant?
    ) async throws(JOSEError) -> (plaintext: [UInt8], keyIndex: Int) {
        let candidates = try opening.candidates(accepted, parts.encryptedKeyBytes)
        guard let first = candidates.first else { throw .decryptionFailed }
        var text: [UInt8] = []
        swap(&text, &ciphertext)
        for candidate in [first] + candidates.more {
            let key = opening.keys.prepared(candidate.index)
            var response: DecryptionResponse?
            if let externalKey = key.externalKey {
                response = try await request(key, externalKey, candidate, text.count)
                    .perform(before: end)
            }
            guard try opens(&text, candidate, response) else { continue }
            guard let compression = accepted.compression else { return (text, candidate.index) }
            return (
                try JWEOpening.decompress(consume text, compression, opening.limits),
                candidate.index
            )
        }
        throw .decryptionFailed
    }

    /// Adds the RSA operation on the encrypted key to a batch. Returns nil unless exactly one
    /// key may be tried, `mayBeOpened` returns true, and the batch takes and speeds up the work.
    func enqueue(
        by opening: JWEOpening, in batch: inout PrivateBatch
    ) throws(JOSEError) -> (candidate: JWEOpening.Candidate, index: Int)? {
        let candidates = try opening.candidates(accepted, parts.encryptedKeyBytes)
        guard let candidate = candidates.first, candidates.more.isEmpty,
            candidate.operation.gainsFromBatch, mayBeOpened(by: candidate, ciphertext.count),
            let index = batch.add(
                unwrapping: candidate.operation,
                values.span.extracting(first: parts.encryptedKeyBytes))
        else { return nil }
        return (candidate, index)
    }

    /// Opens the message with the RSA result at this index of a batch that ran. Call this once: it
    /// decrypts the ciphertext in place.
    mutating func open(
        by candidate: JWEOpening.Candidate, _ batch: borrowing PrivateBatch, _ index: Int,
        _ limits: JOSELimits
    ) throws(JOSEError) -> [UInt8] {
        var text: [UInt8] = []
        swap(&text, &ciphertext)
        do throws(CryptoError) {
            var span = text.mutableSpan
            let count = try candidate.operation.open(
                inPlace: &span, content: accepted.content, parts, in: values.span,
                aad: additionalData.span, parameters, in: parameterValues.span, by: batch, index)
            text.removeLast(text.count - count)
        } catch {
            throw JOSEError(error, ifRejected: .decryptionFailed)
        }
        guard let compression = accepted.compression else { return text }
        return try JWEOpening.decompress(consume text, compression, limits)
    }

    /// False if sizes and other public facts already exclude that this key opens the message.
    private func mayBeOpened(by candidate: JWEOpening.Candidate, _ ciphertextBytes: Int) -> Bool {
        candidate.operation.mayOpen(
            ciphertextBytes: ciphertextBytes, content: accepted.content, parts, in: values.span,
            parameters, in: parameterValues.span)
    }

    private func request(
        _ key: PreparedKey, _ externalKey: ExternalKeyBinding, _ candidate: JWEOpening.Candidate,
        _ ciphertextBytes: Int
    ) throws(JOSEError) -> DecryptionRequest {
        try externalKey.decryptionRequest(
            key, accepted.algorithm, candidate.operation, accepted.content,
            encryptedKey: values.span.extracting(first: parts.encryptedKeyBytes),
            parameters: parameterValues.span, isNeeded: mayBeOpened(by: candidate, ciphertextBytes))
    }

    /// Tries one key. If it fails, `text` holds the ciphertext or zeros. Several keys are tried
    /// only with content whose ciphertext always stays (`checksTagFirst`).
    private func opens(
        _ text: inout [UInt8], _ candidate: JWEOpening.Candidate, _ response: DecryptionResponse?
    ) throws(JOSEError) -> Bool {
        var count = 0
        do throws(CryptoError) {
            var span = text.mutableSpan
            if let response {
                count = try response.open(
                    inPlace: &span, content: accepted.content, parts, in: values.span,
                    aad: additionalData.span, parameters, in: parameterValues.span)
            } else {
                count = try candidate.operation.open(
                    inPlace: &span, content: accepted.content, parts, in: values.span,
                    aad: additionalData.span, parameters, in: parameterValues.span)
            }
        } catch .rejected {
            return false
        } catch {
            throw JOSEError(error, ifRejected: .decryptionFailed)
        }
        text.removeLast(text.count - count)
        return true
    }
}
