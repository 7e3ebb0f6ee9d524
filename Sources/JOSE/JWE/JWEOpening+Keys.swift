// The parts of an encrypted message as bytes, and the keys that are tried on them.

import JOSEBytes
import JOSECrypto

extension JWEOpening {
    typealias Candidate = (index: Int, operation: KeyManagementOperation)

    /// One operation where a key was selected; several only where the policy allows trying.
    func candidates(
        _ admitted: Admitted, _ encryptedKeyBytes: Int
    ) throws(JOSEError) -> (first: Candidate?, more: ArraySlice<Candidate>) {
        if let index = admitted.keyIndex {
            return ((index, try keys.operation(index, admitted.algorithm)), [])
        }
        let all = try keys.candidates(
            admitted.algorithm, admitted.content, encryptedKeyBytes: encryptedKeyBytes)
        return (all.first, all.dropFirst())
    }

    /// Decrypts in place, or from text that stands for the ciphertext, with the first candidate that fits; returns its index.
    func decrypt(
        _ out: inout OutputSpan<UInt8>, _ text: Span<UInt8>,
        _ candidates: (first: Candidate?, more: ArraySlice<Candidate>),
        _ admitted: Admitted, _ parts: EncryptedParts, in values: Span<UInt8>,
        aad: Span<UInt8>, _ parameters: KeyParameters, in parameterValues: Span<UInt8>
    ) throws(JOSEError) -> Int {
        guard let first = candidates.first else { throw .decryptionFailed }
        if try decrypt(
            &out, text, first, admitted, parts, in: values, aad: aad, parameters,
            in: parameterValues)
        {
            return first.index
        }
        for candidate in candidates.more
        where try decrypt(
            &out, text, candidate, admitted, parts, in: values, aad: aad, parameters,
            in: parameterValues)
        {
            return candidate.index
        }
        throw .decryptionFailed
    }

    /// One try.
    @inline(__always)
    func decrypt(
        _ out: inout OutputSpan<UInt8>, _ text: Span<UInt8>, _ candidate: Candidate,
        _ admitted: Admitted,
        _ parts: EncryptedParts, in values: Span<UInt8>, aad: Span<UInt8>,
        _ parameters: KeyParameters, in parameterValues: Span<UInt8>
    ) throws(JOSEError) -> Bool {
        if asksExternalKeys { try keys.prepared(candidate.index).checkIsLocal() }
        return try decryptHere(
            &out, text, candidate.operation, admitted.content, parts, in: values, aad: aad,
            parameters,
            in: parameterValues)
    }

    /// One try with a key that is here.
    @inline(__always)
    func decryptHere(
        _ out: inout OutputSpan<UInt8>, _ text: Span<UInt8>, _ operation: KeyManagementOperation,
        _ content: ContentAlgorithm, _ parts: EncryptedParts, in values: Span<UInt8>,
        aad: Span<UInt8>, _ parameters: KeyParameters, in parameterValues: Span<UInt8>
    ) throws(JOSEError) -> Bool {
        try JWEOpening.opened(&out) { (out) throws(CryptoError) in
            guard text.isEmpty else {
                return try operation.open(
                    into: &out, decoding: text, content: content, parts, in: values, aad: aad,
                    parameters, in: parameterValues)
            }
            var ciphertext = out.mutableSpan
            let count = try operation.open(
                inPlace: &ciphertext, content: content, parts, in: values, aad: aad, parameters,
                in: parameterValues)
            out.removeLast(out.count - count)
        }
    }

    /// Whether a message was opened.
    @inline(__always)
    static func opened(
        _ out: inout OutputSpan<UInt8>,
        _ open: (_ out: inout OutputSpan<UInt8>) throws(CryptoError) -> Void
    ) throws(JOSEError) -> Bool {
        do throws(CryptoError) {
            try open(&out)
            return true
        } catch .rejected {
            return false
        } catch {
            throw JOSEError(error, rejected: .decryptionFailed)
        }
    }

    /// The room for encrypted key, IV and tag of a token.
    @inline(__always)
    func partsRoom(
        _ content: ContentAlgorithm, encryptedKey: Span<UInt8>, iv: Span<UInt8>, tag: Span<UInt8>
    ) -> Int {
        JWEOpening.room(encryptedKey, limits.maxRSABits / 8)
            + JWEOpening.room(iv, content.ivBytes) + JWEOpening.room(tag, content.tagBytes)
    }

    /// Decodes encrypted key, IV and tag, behind each other.
    @inline(__always)
    func appendParts(
        _ content: ContentAlgorithm, encryptedKey: Span<UInt8>, iv: Span<UInt8>, tag: Span<UInt8>,
        to bytes: inout OutputSpan<UInt8>
    ) throws(JOSEError) -> EncryptedParts {
        let keyEnd = try JWEOpening.append(
            encryptedKey, "the encrypted key", most: limits.maxRSABits / 8, to: &bytes)
        let ivEnd = try JWEOpening.append(iv, "the iv", most: content.ivBytes, to: &bytes)
        _ = try JWEOpening.append(tag, "the tag", most: content.tagBytes, to: &bytes)
        return EncryptedParts(encryptedKeyBytes: keyEnd, ivBytes: ivEnd - keyEnd)
    }

    /// The room for a part; one that is too long for its place is rejected before it is decoded.
    static func room(_ encoded: Span<UInt8>, _ most: Int) -> Int {
        min(Base64URL.decodedCount(encoded.count) ?? 0, most)
    }

    /// Appends the bytes of a part and gives where they end. Text that is too long for its place is a wrong value
    /// and not malformed.
    static func append(
        _ encoded: Span<UInt8>, _ part: StaticString, most: Int, to out: inout OutputSpan<UInt8>
    ) throws(JOSEError) -> Int {
        guard let count = Base64URL.decodedCount(encoded.count) else {
            throw .notBase64URL(encoded, .token, part)
        }
        guard count <= most else {
            guard Base64URL.isValid(encoded) else {
                throw .notBase64URL(encoded, .token, part)
            }
            throw .decryptionFailed
        }
        guard Base64URL.decode(encoded, into: &out) else {
            throw .notBase64URL(encoded, .token, part)
        }
        return out.count
    }
}
