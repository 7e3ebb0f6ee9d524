// The steps of a decryption, from the header's admission to the one failure.

import JOSEBytes
import JOSECrypto

extension JWEDecrypter {
    /// An accepted token.
    struct Opened {
        private(set) var plaintext: [UInt8]
        let keyIndex: Int
        let headerCount: Int
        let hasReplicatedClaims: Bool

        /// Wipes the plaintext, which nobody else holds.
        mutating func wipe() {
            var bytes = plaintext.mutableSpan
            JOSEBytes.wipe(&bytes)
        }
    }

    /// What the header asks for, after the policy admitted it.
    struct Admitted {
        let algorithm: KeyManagementAlgorithm
        let content: ContentEncryptionAlgorithm
        let compression: CompressionAlgorithm?
        /// The key that was selected; nil where several may be tried.
        let keyIndex: Int?
        /// The header parameters of the algorithm, for this key.
        let form: RecipientForm
        let hasReplicatedClaims: Bool
    }

    /// The whole opening; `nested` demands that the header says it holds a JWT.
    func open(
        _ token: Span<UInt8>, type: TypeRule = .any, nested: Bool = false, trace: Trace? = nil
    ) throws(JOSEError) -> Opened {
        let parts = try CompactJWE(token, limits)
        return try HeaderText.read(token.extracting(parts.header), limits) {
            (fields, text, tree) throws(JOSEError) in
            trace?.passed(.header, "JWE header \(Trace.printable(text))")
            let admitted = try admit(fields, text, trace)
            guard MediaType.satisfies(type, fields.type, in: text) else {
                throw .claimRejected("typ", "the token is of another type")
            }
            if nested { try JWEDecrypter.checkNested(fields, text) }
            let parameters = RecipientParameters(
                fields: fields, form: admitted.form, limits: limits)
            return try parameters.read(text, tree) {
                (parameters, partyU, partyV, iterations) throws(JOSEError) in
                let opened = try open(
                    admitted, aad: token.extracting(parts.header),
                    encryptedKey: token.extracting(parts.encryptedKey),
                    iv: token.extracting(parts.iv), ciphertext: token.extracting(parts.ciphertext),
                    tag: token.extracting(parts.tag), parameters, partyU, partyV, iterations)
                trace?.passed(.decryption, "decrypted and authenticated")
                return Opened(
                    plaintext: opened.plaintext, keyIndex: opened.keyIndex,
                    headerCount: parts.header.upperBound,
                    hasReplicatedClaims: admitted.hasReplicatedClaims)
            }
        }
    }

    /// Decodes the base64url texts of a token and decrypts; the header was read before.
    func open(
        _ admitted: Admitted, aad: Span<UInt8>, encryptedKey: Span<UInt8>, iv: Span<UInt8>,
        ciphertext: Span<UInt8>, tag: Span<UInt8>, _ parameters: Span<UInt8>,
        _ partyU: Span<UInt8>, _ partyV: Span<UInt8>, _ iterations: UInt32
    ) throws(JOSEError) -> (plaintext: [UInt8], keyIndex: Int) {
        let content = admitted.content.content
        var keyIndex = -1
        let plaintext = try withDecoded(encryptedKey, most: limits.maximumRSABits / 8) {
            (encryptedKey) throws(JOSEError) in
            try withDecoded(iv, most: content.ivBytes) { (iv) throws(JOSEError) in
                try withDecoded(tag, most: content.tagBytes) { (tag) throws(JOSEError) in
                    guard let count = Base64URL.decodedCount(ciphertext.count) else {
                        throw .ciphertextNotBase64URL
                    }
                    let candidates = try self.candidates(admitted, encryptedKey.count)
                    return try [UInt8](capacity: count) { (out) throws(JOSEError) in
                        guard Base64URL.decode(ciphertext, into: &out) else {
                            throw .ciphertextNotBase64URL
                        }
                        keyIndex = try JWEDecrypter.decrypt(
                            &out, candidates, content, aad: aad, encryptedKey, iv, tag,
                            parameters, partyU, partyV, iterations)
                    }
                }
            }
        }
        guard let compression = admitted.compression else { return (plaintext, keyIndex) }
        return (try JWEDecrypter.decompress(plaintext, compression, limits), keyIndex)
    }

    /// The plaintext as it was before compression; the compressed one is wiped.
    private static func decompress(
        _ compressed: consuming [UInt8], _ algorithm: CompressionAlgorithm, _ limits: Limits
    ) throws(JOSEError) -> [UInt8] {
        var compressed = compressed
        defer {
            var bytes = compressed.mutableSpan
            JOSEBytes.wipe(&bytes)
        }
        return try algorithm.decompress(compressed.span, limits)
    }

    /// What the policy and our keys say to one header.
    func admit(
        _ fields: HeaderFields, _ text: Span<UInt8>, _ trace: Trace?
    ) throws(JOSEError) -> Admitted {
        guard let name = fields.algorithm, let encryption = fields.encryption else {
            throw .malformed(.header, "the header has no enc")
        }
        guard
            let algorithm = algorithms.first(where: { JSON.equals(name, $0.name, in: text) }),
            let content = content.first(where: { JSON.equals(encryption, $0.name, in: text) })
        else { throw .algorithmNotAllowed }
        let compression = try compression(fields, text)
        trace?.passed(.algorithm, "\(algorithm) with \(content) is allowed")
        trace?.keys(keys.fits(algorithm))
        let keyIndex = try keys.select(
            algorithm, content, keyID: fields.keyID, in: text)
        return Admitted(
            algorithm: algorithm, content: content, compression: compression, keyIndex: keyIndex,
            form: keyIndex.map { RecipientForm(algorithm, keys.prepared($0)) } ?? .none,
            hasReplicatedClaims: fields.hasReplicatedClaims)
    }

    /// `zip` must be one of those that the policy names.
    private func compression(
        _ fields: HeaderFields, _ text: Span<UInt8>
    ) throws(JOSEError) -> CompressionAlgorithm? {
        guard let name = fields.compression else { return nil }
        guard let algorithm = compression.first(where: { JSON.equals(name, $0.name, in: text) })
        else {
            throw JOSEError(
                .algorithmNotAllowed, .algorithm, "the policy does not allow this compression")
        }
        return algorithm
    }

    /// `cty` must say JWT (RFC 7519, 5.2).
    private static func checkNested(
        _ fields: HeaderFields, _ text: Span<UInt8>
    ) throws(JOSEError) {
        guard let node = fields.contentType, MediaType.equals(node, "JWT", in: text) else {
            throw .malformed(
                .header, "an encrypted token that must hold a JWT does not say cty JWT")
        }
    }

    private typealias Candidate = (index: Int, operation: KeyManagementOperation)

    /// One operation where a key was selected; several only where the policy allows trying.
    private func candidates(
        _ admitted: Admitted, _ encryptedKeyBytes: Int
    ) throws(JOSEError) -> (first: Candidate?, more: ArraySlice<Candidate>) {
        if let index = admitted.keyIndex {
            return ((index, try keys.operation(index, admitted.algorithm)), [])
        }
        let all = try keys.candidates(
            admitted.algorithm, admitted.content.content, encryptedKeyBytes: encryptedKeyBytes)
        return (all.first, all.dropFirst())
    }

    /// Decrypts in place with the first candidate that fits; returns its index.
    private static func decrypt(
        _ out: inout OutputSpan<UInt8>,
        _ candidates: (first: Candidate?, more: ArraySlice<Candidate>),
        _ content: ContentAlgorithm, aad: Span<UInt8>, _ encryptedKey: Span<UInt8>,
        _ iv: Span<UInt8>, _ tag: Span<UInt8>, _ parameters: Span<UInt8>, _ partyU: Span<UInt8>,
        _ partyV: Span<UInt8>, _ iterations: UInt32
    ) throws(JOSEError) -> Int {
        guard let first = candidates.first else { throw .decryptionFailed }
        if try decrypt(
            &out, first.operation, content, aad, encryptedKey, iv, tag, parameters, partyU, partyV,
            iterations)
        {
            return first.index
        }
        for candidate in candidates.more
        where try decrypt(
            &out, candidate.operation, content, aad, encryptedKey, iv, tag, parameters, partyU,
            partyV, iterations)
        {
            return candidate.index
        }
        throw .decryptionFailed
    }

    private static func decrypt(
        _ out: inout OutputSpan<UInt8>, _ operation: KeyManagementOperation,
        _ content: ContentAlgorithm, _ aad: Span<UInt8>, _ encryptedKey: Span<UInt8>,
        _ iv: Span<UInt8>, _ tag: Span<UInt8>, _ parameters: Span<UInt8>, _ partyU: Span<UInt8>,
        _ partyV: Span<UInt8>, _ iterations: UInt32
    ) throws(JOSEError) -> Bool {
        do throws(CryptoFault) {
            var ciphertext = out.mutableSpan
            let count = try operation.open(
                inPlace: &ciphertext, content: content, aad: aad, encryptedKey: encryptedKey,
                iv: iv, tag: tag, parameters: parameters, partyU: partyU, partyV: partyV,
                iterations: iterations)
            out.removeLast(out.count - count)
            return true
        } catch .rejected {
            return false
        } catch {
            throw JOSEError(error, rejected: .decryptionFailed)
        }
    }

    /// Lends the bytes of a part; a part that is too long for its place is lent one byte too long, so that its
    /// reader refuses it as a wrong value and not as malformed text.
    private func withDecoded<Result>(
        _ encoded: Span<UInt8>, most: Int,
        _ body: (Span<UInt8>) throws(JOSEError) -> Result
    ) throws(JOSEError) -> Result {
        guard let count = Base64URL.decodedCount(encoded.count) else {
            throw .malformed(.token, "a part of the token is not base64url")
        }
        guard count <= most else {
            guard Base64URL.isValid(encoded) else {
                throw .malformed(.token, "a part of the token is not base64url")
            }
            throw .decryptionFailed
        }
        return try withScratch(of: UInt8.self, capacity: max(count, 1)) {
            (bytes) throws(JOSEError) in
            guard Base64URL.decode(encoded, into: &bytes) else {
                throw .malformed(.token, "a part of the token is not base64url")
            }
            return try body(bytes.span)
        }
    }
}

extension JOSEError {
    fileprivate static let ciphertextNotBase64URL = JOSEError.malformed(
        .token, "a part of the token is not base64url")
}
