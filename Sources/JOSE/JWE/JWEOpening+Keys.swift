// Decodes the parts of an encrypted message and tries keys on it.

import JOSEBytes
import JOSECrypto

extension JWEOpening {
    typealias Candidate = (index: Int, operation: KeyManagementOperation)

    /// Returns one operation if a key was selected, several only if the policy allows trying keys.
    func candidates(
        _ accepted: AcceptedHeader, _ encryptedKeyBytes: Int
    ) throws(JOSEError) -> (first: Candidate?, more: ArraySlice<Candidate>) {
        if let index = accepted.keyIndex {
            return ((index, try keys.operation(index, accepted.algorithm)), [])
        }
        let all = try keys.candidates(
            accepted.algorithm, accepted.content, encryptedKeyBytes: encryptedKeyBytes)
        return (all.first, all.dropFirst())
    }

    /// Decrypts with the first candidate that succeeds and returns its index.
    ///
    /// - Parameters:
    ///   - out: The decoded ciphertext, decrypted in place; empty if `encodedCiphertext` is not.
    ///   - encodedCiphertext: The base64url ciphertext, decoded while it is decrypted; empty if the
    ///     decoded ciphertext is in `out` already.
    func decrypt(
        _ out: inout OutputSpan<UInt8>, _ encodedCiphertext: Span<UInt8>,
        _ candidates: (first: Candidate?, more: ArraySlice<Candidate>),
        _ accepted: AcceptedHeader, _ parts: EncryptedParts, in partBytes: Span<UInt8>,
        aad: Span<UInt8>, _ parameters: KeyParameters, in parameterValues: Span<UInt8>
    ) throws(JOSEError) -> Int {
        guard let first = candidates.first else { throw .decryptionFailed }
        if try decrypt(
            &out, encodedCiphertext, first, accepted, parts, in: partBytes, aad: aad, parameters,
            in: parameterValues)
        {
            return first.index
        }
        for candidate in candidates.more
        where try decrypt(
            &out, encodedCiphertext, candidate, accepted, parts, in: partBytes, aad: aad,
            parameters,
            in: parameterValues)
        {
            return candidate.index
        }
        throw .decryptionFailed
    }

    /// Decrypts with one candidate. Returns whether it succeeded.
    @inline(__always)
    func decrypt(
        _ out: inout OutputSpan<UInt8>, _ encodedCiphertext: Span<UInt8>, _ candidate: Candidate,
        _ accepted: AcceptedHeader,
        _ parts: EncryptedParts, in partBytes: Span<UInt8>, aad: Span<UInt8>,
        _ parameters: KeyParameters, in parameterValues: Span<UInt8>
    ) throws(JOSEError) -> Bool {
        if hasExternalKeys { try keys.prepared(candidate.index).checkIsLocal() }
        let (operation, content) = (candidate.operation, accepted.content)
        do throws(CryptoError) {
            guard encodedCiphertext.isEmpty else {
                try operation.open(
                    into: &out, decoding: encodedCiphertext, content: content, parts, in: partBytes,
                    aad: aad,
                    parameters, in: parameterValues)
                return true
            }
            var ciphertext = out.mutableSpan
            let count = try operation.open(
                inPlace: &ciphertext, content: content, parts, in: partBytes, aad: aad, parameters,
                in: parameterValues)
            out.removeLast(out.count - count)
            return true
        } catch .rejected {
            return false
        } catch {
            throw JOSEError(error, rejected: .decryptionFailed)
        }
    }

    /// The capacity for encrypted key, IV and tag of a token.
    @inline(__always)
    func partsCapacity(
        _ content: ContentAlgorithm, encryptedKey: Span<UInt8>, iv: Span<UInt8>, tag: Span<UInt8>
    ) -> Int {
        JWEOpening.capacity(encryptedKey, limits.maxRSABits / 8)
            + JWEOpening.capacity(iv, content.ivBytes)
            + JWEOpening.capacity(tag, content.tagBytes)
    }

    /// Decodes encrypted key, IV and tag, one after the other.
    @inline(__always)
    func appendParts(
        _ content: ContentAlgorithm, encryptedKey: Span<UInt8>, iv: Span<UInt8>, tag: Span<UInt8>,
        to bytes: inout OutputSpan<UInt8>
    ) throws(JOSEError) -> EncryptedParts {
        let keyEnd = try JWEOpening.append(
            encryptedKey, "the encrypted key", max: limits.maxRSABits / 8, to: &bytes)
        let ivEnd = try JWEOpening.append(iv, "the iv", max: content.ivBytes, to: &bytes)
        _ = try JWEOpening.append(tag, "the tag", max: content.tagBytes, to: &bytes)
        return EncryptedParts(encryptedKeyBytes: keyEnd, ivBytes: ivEnd - keyEnd)
    }

    /// The capacity for a decoded part, at most `max`. `append` rejects a longer part before it
    /// decodes it.
    static func capacity(_ encoded: Span<UInt8>, _ max: Int) -> Int {
        min(Base64URL.decodedCount(encoded.count) ?? 0, max)
    }

    /// Appends the bytes of a part and returns the index after them. A part over the maximum has a
    /// valid format and a wrong value: it throws `decryptionFailed`.
    static func append(
        _ encoded: Span<UInt8>, _ part: StaticString, max: Int, to out: inout OutputSpan<UInt8>
    ) throws(JOSEError) -> Int {
        guard let count = Base64URL.decodedCount(encoded.count) else {
            throw .notBase64URL(encoded, .token, part)
        }
        guard count <= max else {
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
