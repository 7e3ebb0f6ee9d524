// An encrypted message with bytes of its own, for keys that are asked while nothing is borrowed.

import JOSEBytes
import JOSECrypto

/// A message whose header was accepted and whose parts are decoded: what is left to do is to try
/// keys on it.
///
/// It holds what everyone on the way saw, and the plaintext only between the right key and the
/// return.
struct EncryptedMessage {
    private let admitted: JWEOpening.Admitted
    private let additionalData: [UInt8]
    private let parts: EncryptedParts
    /// Encrypted key, IV and tag, behind each other.
    private let values: [UInt8]
    private let parameters: KeyParameters
    private let parameterValues: [UInt8]
    private var ciphertext: [UInt8]

    /// Decodes the parts of a token; see
    /// `JWEOpening.open(_:aad:encryptedKey:iv:ciphertext:tag:_:in:)`.
    ///
    /// - Throws: `malformed` or `decryptionFailed`, as there, before any key is tried or asked.
    init(
        _ opening: JWEOpening, _ admitted: JWEOpening.Admitted, aad: Span<UInt8>,
        encryptedKey: Span<UInt8>, iv: Span<UInt8>, ciphertext: Span<UInt8>, tag: Span<UInt8>,
        _ parameters: KeyParameters, in parameterValues: Span<UInt8>
    ) throws(JOSEError) {
        self.admitted = admitted
        self.parameters = parameters
        additionalData = [UInt8](byteCapacity: aad.count) { $0.append(copying: aad) }
        self.parameterValues = [UInt8](byteCapacity: parameterValues.count) {
            $0.append(copying: parameterValues)
        }
        let room = opening.partsRoom(
            admitted.content, encryptedKey: encryptedKey, iv: iv, tag: tag)
        var parts = EncryptedParts(encryptedKeyBytes: 0, ivBytes: 0)
        values = try [UInt8](byteCapacity: room) { (out) throws(JOSEError) in
            parts = try opening.appendParts(
                admitted.content, encryptedKey: encryptedKey, iv: iv, tag: tag, to: &out)
        }
        self.parts = parts
        guard let decoded = Base64URL.decode(ciphertext) else {
            throw .notBase64URL(ciphertext, .token, "the ciphertext")
        }
        self.ciphertext = decoded
    }

    /// Tries the keys that may be ours in their order; an external one is asked after those before
    /// it failed. Once: the ciphertext is decrypted in place, and goes with the call.
    ///
    /// - Parameter end: The latest end of the caller's wait for external keys.
    /// - Throws: `decryptionFailed`, the same for all that was wrong; `unavailable` where an
    ///   external key cannot answer.
    nonisolated(nonsending) mutating func open(
        by opening: JWEOpening, before end: ContinuousClock.Instant?
    ) async throws(JOSEError) -> (plaintext: [UInt8], keyIndex: Int) {
        let candidates = try opening.candidates(admitted, parts.encryptedKeyBytes)
        guard let first = candidates.first else { throw .decryptionFailed }
        var text: [UInt8] = []
        swap(&text, &ciphertext)
        for candidate in [first] + candidates.more {
            let key = opening.keys.prepared(candidate.index)
            var response: DecryptionResponse?
            if let externalKey = key.externalKey {
                response = try await request(key, externalKey, candidate).perform(before: end)
            }
            guard try opens(&text, candidate, response) else { continue }
            guard let compression = admitted.compression else { return (text, candidate.index) }
            return (
                try JWEOpening.decompress(consume text, compression, opening.limits),
                candidate.index
            )
        }
        throw .decryptionFailed
    }

    private func request(
        _ key: PreparedKey, _ externalKey: ExternalKeyBinding, _ candidate: JWEOpening.Candidate
    ) throws(JOSEError) -> DecryptionRequest {
        try externalKey.decryptionRequest(
            key, admitted.algorithm, candidate.operation, admitted.content,
            parts, in: values.span, parameters: parameterValues.span)
    }

    /// One try; what it leaves where it failed is the ciphertext, or zeros.
    private func opens(
        _ text: inout [UInt8], _ candidate: JWEOpening.Candidate, _ response: DecryptionResponse?
    ) throws(JOSEError) -> Bool {
        var count = 0
        do throws(CryptoError) {
            var span = text.mutableSpan
            if let response {
                count = try response.open(
                    inPlace: &span, content: admitted.content, parts, in: values.span,
                    aad: additionalData.span, parameters, in: parameterValues.span)
            } else {
                count = try candidate.operation.open(
                    inPlace: &span, content: admitted.content, parts, in: values.span,
                    aad: additionalData.span, parameters, in: parameterValues.span)
            }
        } catch .rejected {
            return false
        } catch {
            throw JOSEError(error, rejected: .decryptionFailed)
        }
        text.removeLast(text.count - count)
        return true
    }
}
