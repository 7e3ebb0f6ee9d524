// Decodes the parts of an encrypted message and tries keys on it.

import JOSEBytes
import JOSECrypto

extension JWEOpening {
    typealias Candidate = (index: Int, operation: KeyManagementOperation)

    /// Returns the key that the header selected, or with `tryEligible` all keys to try, if any.
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

    /// Tries the candidates in order until one succeeds, returns its key index and leaves the
    /// plaintext in `out`. Before the call, `out` holds the decoded ciphertext, or `out` is empty
    /// and `encodedCiphertext` holds the base64url text.
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

    /// Tries one candidate in the same way; false if its key does not decrypt the message.
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
            throw JOSEError(error, ifRejected: .decryptionFailed)
        }
    }

    /// The capacity in bytes that `appendParts` needs.
    @inline(__always)
    func partsCapacity(
        _ content: ContentAlgorithm, encryptedKey: Span<UInt8>, iv: Span<UInt8>, tag: Span<UInt8>
    ) -> Int {
        JWEOpening.capacity(encryptedKey, limits.maxRSABits / 8)
            + JWEOpening.capacity(iv, content.ivBytes)
            + JWEOpening.capacity(tag, content.tagBytes)
    }

    /// Appends the decoded encrypted key, IV and tag, in this order.
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

    /// The capacity in bytes for one decoded part: `append` decodes at most `max` bytes.
    static func capacity(_ encoded: Span<UInt8>, _ max: Int) -> Int {
        min(Base64URL.decodedCount(encoded.count) ?? 0, max)
    }

    /// Appends the bytes of a part. Returns the index of the first byte after the part. Valid
    /// base64url of more than `max` bytes throws `decryptionFailed`, as any wrong value does later.
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
