// The steps of a decryption, from the header's admission to the one failure.

import JOSEBytes
import JOSECrypto

/// Keys, algorithms and limits of a decrypter, shared by its copies, and the way of a token through them.
final class JWEOpening: Sendable {
    let keys: DecryptionKeys
    let algorithms: [KeyManagementAlgorithm]
    let content: [ContentEncryptionAlgorithm]
    let compression: [CompressionAlgorithm]
    /// The critical extensions that the caller understands and checks itself.
    let extensions: CriticalHeader.Extensions
    let limits: JOSELimits
    /// Whether some of our keys are elsewhere.
    let asksExternalKeys: Bool
    private let memory = HeaderCache<KnownHeader>()

    /// What came of a header, besides parameters that change from token to token.
    private final class KnownHeader: Sendable {
        let admitted: Admitted
        let keyIndex: Int
        let operation: KeyManagementOperation
        let type: MediaTypeRule
        let content: ContentTypeRule

        init(
            _ admitted: Admitted, _ keyIndex: Int, _ operation: KeyManagementOperation,
            _ type: MediaTypeRule, _ content: ContentTypeRule
        ) {
            self.admitted = admitted
            self.keyIndex = keyIndex
            self.operation = operation
            self.type = type
            self.content = content
        }

        @inline(__always)
        func responses(_ type: MediaTypeRule, _ content: ContentTypeRule) -> Bool {
            self.content == content && self.type == type
        }
    }

    init(
        _ keys: DecryptionKeys, _ algorithms: [KeyManagementAlgorithm],
        _ content: [ContentEncryptionAlgorithm], _ compression: [CompressionAlgorithm],
        _ extensions: CriticalHeader.Extensions, _ limits: JOSELimits
    ) {
        self.extensions = extensions
        self.keys = keys
        self.algorithms = algorithms
        self.content = content
        self.compression = compression
        self.limits = limits
        asksExternalKeys = keys.haveExternalKey
    }

    /// An accepted token.
    struct Opened {
        private(set) var plaintext: [UInt8]
        let keyIndex: Int
        let headerCount: Int
        let hasReplicatedClaims: Bool

        /// Wipes the plaintext, which nobody else holds, but for the first bytes.
        mutating func wipe(after kept: Int = 0) {
            var bytes = plaintext.mutableSpan
            JOSEBytes.wipe(&bytes, from: kept)
        }
    }

    /// What the header asks for, after the policy admitted it.
    struct Admitted: Sendable {
        let algorithm: KeyManagementAlgorithm
        let content: ContentAlgorithm
        let compression: CompressionAlgorithm?
        /// The key that was selected; nil where several may be tried.
        let keyIndex: Int?
        /// The header parameters of the algorithm, for this key.
        let form: RecipientForm
        let hasReplicatedClaims: Bool
    }

    /// What one token must be; lent and never copied, as `VerificationContext`.
    struct Terms: ~Copyable {
        let opening: JWEOpening
        let parts: CompactJWE
        let type: MediaTypeRule
        let content: ContentTypeRule
        let trace: Trace?

        func open(
            _ token: Span<UInt8>, _ fields: HeaderFields, _ text: Span<UInt8>,
            _ tree: Span<JSONNode>
        ) throws(JOSEError) -> Opened {
            let admitted = try admit(fields, text)
            let parameters = RecipientParameters(
                fields: fields, form: admitted.form, limits: opening.limits)
            let opened = try parameters.read(text, tree) {
                (parameters, values) throws(JOSEError) in
                try opening.open(
                    admitted, aad: token.extracting(parts.header),
                    encryptedKey: token.extracting(parts.encryptedKey),
                    iv: token.extracting(parts.iv), ciphertext: token.extracting(parts.ciphertext),
                    tag: token.extracting(parts.tag), parameters, in: values)
            }
            trace?.passed(.decryption, "decrypted and authenticated")
            trace?.isInside = true
            keep(token.extracting(parts.header), admitted)
            return Opened(
                plaintext: opened.plaintext, keyIndex: opened.keyIndex,
                headerCount: parts.header.upperBound,
                hasReplicatedClaims: admitted.hasReplicatedClaims)
        }

        /// What the rules and our keys say to the header, before anything is decoded or computed.
        @inline(__always)
        func admit(
            _ fields: HeaderFields, _ text: Span<UInt8>
        ) throws(JOSEError) -> Admitted {
            trace?.passed(.header, "JWE header \(Trace.header(text))")
            let admitted = try opening.admit(fields, text, trace)
            guard MediaType.satisfies(type, fields.type, in: text) else {
                throw type.rejection(isAbsent: fields.type == nil)
            }
            try JWEOpening.checkNested(content, fields, text)
            return admitted
        }

        /// Keeps the header of an accepted token, where no parameter of the algorithm changes with
        /// each message.
        private func keep(_ header: Span<UInt8>, _ admitted: Admitted) {
            guard admitted.form.isEmpty, let index = admitted.keyIndex,
                let operation = try? opening.keys.operation(index, admitted.algorithm)
            else { return }
            opening.memory.keep(header, KnownHeader(admitted, index, operation, type, content))
        }
    }

    /// The whole opening; `content` says what the header must tell of what is inside.
    func open(
        _ token: Span<UInt8>, type: MediaTypeRule = .any, content: ContentTypeRule = .any,
        trace: Trace? = nil
    ) throws(JOSEError) -> Opened {
        guard let trace else { return try opened(token, type, content, nil) }
        do throws(JOSEError) {
            return try opened(token, type, content, trace)
        } catch {
            explain(error, token, type, trace)
            throw error
        }
    }

    @inline(__always)
    private func opened(
        _ token: Span<UInt8>, _ type: MediaTypeRule, _ content: ContentTypeRule, _ trace: Trace?
    ) throws(JOSEError) -> Opened {
        let parts = try CompactJWE(token, limits)
        let header = token.extracting(parts.header)
        if trace == nil, let known = memory.outcome(of: header), known.responses(type, content) {
            return try open(token, parts, known)
        }
        // What follows may reject for other reasons; behind a known header nothing comes before the decoder.
        try parts.checkCount(token)
        let terms = Terms(
            opening: self, parts: parts, type: type, content: content, trace: trace)
        return try HeaderText.read(header, limits, understanding: extensions) {
            (fields, text, tree) throws(JOSEError) in
            try terms.open(token, fields, text, tree)
        }
    }

    /// Opens a token whose header is known.
    private func open(
        _ token: Span<UInt8>, _ parts: CompactJWE, _ known: KnownHeader
    ) throws(JOSEError) -> Opened {
        let opened = try decoded(
            known.admitted, encryptedKey: token.extracting(parts.encryptedKey),
            iv: token.extracting(parts.iv), ciphertext: token.extracting(parts.ciphertext),
            tag: token.extracting(parts.tag)
        ) { (out, text, decoded, values) throws(JOSEError) in
            guard
                try decrypt(
                    &out, text, (known.keyIndex, known.operation), known.admitted, decoded,
                    in: values,
                    aad: token.extracting(parts.header), KeyParameters(), in: Span())
            else { throw .decryptionFailed }
            return known.keyIndex
        }
        return Opened(
            plaintext: opened.plaintext, keyIndex: opened.keyIndex,
            headerCount: parts.header.upperBound,
            hasReplicatedClaims: known.admitted.hasReplicatedClaims)
    }

    /// Decodes the base64url texts of a token and decrypts; the header was read before.
    func open(
        _ admitted: Admitted, aad: Span<UInt8>, encryptedKey: Span<UInt8>, iv: Span<UInt8>,
        ciphertext: Span<UInt8>, tag: Span<UInt8>, _ parameters: KeyParameters,
        in parameterValues: Span<UInt8>
    ) throws(JOSEError) -> (plaintext: [UInt8], keyIndex: Int) {
        try decoded(admitted, encryptedKey: encryptedKey, iv: iv, ciphertext: ciphertext, tag: tag)
        { (out, text, parts, values) throws(JOSEError) in
            try decrypt(
                &out, text, try candidates(admitted, parts.encryptedKeyBytes), admitted, parts,
                in: values, aad: aad, parameters, in: parameterValues)
        }
    }

    /// Decodes the parts of a token and lends them to a decryption in place, which tells the key's index. A long ciphertext is
    /// left to the decryption as text: it comes from memory and goes there only once, while the tag is computed. Whether it
    /// is well-formed is judged before anything else that the decryption found.
    @inline(__always)
    private func decoded(
        _ admitted: Admitted, encryptedKey: Span<UInt8>, iv: Span<UInt8>,
        ciphertext: Span<UInt8>, tag: Span<UInt8>,
        _ decrypt: (
            _ out: inout OutputSpan<UInt8>, _ text: Span<UInt8>, _ parts: EncryptedParts,
            _ values: Span<UInt8>
        ) throws(JOSEError) -> Int
    ) throws(JOSEError) -> (plaintext: [UInt8], keyIndex: Int) {
        let content = admitted.content
        let room = partsRoom(content, encryptedKey: encryptedKey, iv: iv, tag: tag)
        var keyIndex = -1
        let plaintext = try withScratch(of: UInt8.self, capacity: max(room, 1)) {
            (bytes) throws(JOSEError) in
            let parts = try appendParts(
                content, encryptedKey: encryptedKey, iv: iv, tag: tag, to: &bytes)
            guard let count = Base64URL.decodedCount(ciphertext.count) else {
                throw .notBase64URL(ciphertext, .token, "the ciphertext")
            }
            let values = bytes.span
            return try [UInt8](byteCapacity: count) { (out) throws(JOSEError) in
                // Decoded on the way, a malformed one costs what a wrong one costs, a computation with each key that is tried;
                // a malformed shorter one costs none.
                guard ciphertext.count < CompactToken.longText else {
                    do throws(JOSEError) {
                        keyIndex = try decrypt(&out, ciphertext, parts, values)
                    } catch {
                        throw Base64URL.isValid(ciphertext)
                            ? error : .notBase64URL(ciphertext, .token, "the ciphertext")
                    }
                    return
                }
                guard Base64URL.decode(ciphertext, into: &out) else {
                    throw .notBase64URL(ciphertext, .token, "the ciphertext")
                }
                keyIndex = try decrypt(&out, Span(), parts, values)
            }
        }
        guard let compression = admitted.compression else { return (plaintext, keyIndex) }
        return (try JWEOpening.decompress(plaintext, compression, limits), keyIndex)
    }

    /// The plaintext as it was before compression; the compressed one is wiped.
    static func decompress(
        _ compressed: consuming [UInt8], _ algorithm: CompressionAlgorithm, _ limits: JOSELimits
    ) throws(JOSEError) -> [UInt8] {
        var compressed = compressed
        defer {
            var bytes = compressed.mutableSpan
            JOSEBytes.wipe(&bytes)
        }
        return try algorithm.decompress(compressed.span, limits)
    }
}
