// Decrypts compact JWE: header, key, parts, decryption. Every failure to unwrap, decrypt or
// authenticate is the same error.

import JOSEBytes
import JOSECrypto

/// The keys, policy and limits of a decrypter. All copies of the decrypter share one instance.
final class JWEOpening: Sendable {
    let keys: DecryptionKeys
    let algorithms: [KeyManagementAlgorithm]
    let content: [ContentEncryptionAlgorithm]
    let compression: [CompressionAlgorithm]
    /// The extensions in `crit` that the caller checks.
    let extensions: CriticalHeader.Extensions
    let limits: JOSELimits
    let hasExternalKeys: Bool
    /// Whether a batch decrypts faster with at least one of the keys.
    let gainsFromBatch: Bool
    private let cache = HeaderCache<KnownHeader>()

    /// A cached header and the rules under which it was accepted.
    private final class KnownHeader: Sendable {
        let accepted: AcceptedHeader
        let keyIndex: Int
        let operation: KeyManagementOperation
        let type: MediaTypeRule
        let content: ContentTypeRule

        init(
            _ accepted: AcceptedHeader, _ keyIndex: Int, _ operation: KeyManagementOperation,
            _ type: MediaTypeRule, _ content: ContentTypeRule
        ) {
            self.accepted = accepted
            self.keyIndex = keyIndex
            self.operation = operation
            self.type = type
            self.content = content
        }

        @inline(__always)
        func matches(_ type: MediaTypeRule, _ content: ContentTypeRule) -> Bool {
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
        hasExternalKeys = keys.haveExternalKey
        gainsFromBatch = keys.keys.keys.contains { $0.prepared.gainsFromBatch }
    }

    /// A decrypted token whose tag was accepted.
    struct Opened {
        private(set) var plaintext: [UInt8]
        let keyIndex: Int
        let headerCount: Int
        let hasReplicatedClaims: Bool

        /// The size of the encoded header in bytes if it replicates claims (RFC 7519, 5.3); else 0.
        var replicatedHeaderBytes: Int { hasReplicatedClaims ? headerCount : 0 }

        /// Wipes the plaintext after its first `kept` bytes. The array must have no other owner,
        /// otherwise a copy is wiped instead.
        mutating func wipe(after kept: Int = 0) {
            var bytes = plaintext.mutableSpan
            JOSEBytes.wipe(&bytes, from: kept)
        }
    }

    struct AcceptedHeader: Sendable {
        let algorithm: KeyManagementAlgorithm
        let content: ContentAlgorithm
        let compression: CompressionAlgorithm?
        /// The selected key; nil if several keys may be tried.
        let keyIndex: Int?
        let layout: RecipientHeaderLayout
        let hasReplicatedClaims: Bool
    }

    /// The rules for one token. Not copyable, for speed, as `VerificationContext`.
    struct OpeningContext: ~Copyable {
        let opening: JWEOpening
        let parts: CompactJWE
        let type: MediaTypeRule
        let content: ContentTypeRule
        let trace: Trace?

        func open(
            _ token: Span<UInt8>, _ fields: HeaderFields, _ text: Span<UInt8>,
            _ tree: Span<JSONNode>
        ) throws(JOSEError) -> Opened {
            let accepted = try validate(fields, text)
            let parameters = RecipientParameters(
                fields: fields, layout: accepted.layout, limits: opening.limits)
            let opened = try parameters.read(text, tree) {
                (parameters, values) throws(JOSEError) in
                try opening.open(
                    accepted, aad: token.extracting(parts.header),
                    encryptedKey: token.extracting(parts.encryptedKey),
                    iv: token.extracting(parts.iv), ciphertext: token.extracting(parts.ciphertext),
                    tag: token.extracting(parts.tag), parameters, in: values)
            }
            trace?.passed(.decryption, "decrypted and authenticated")
            trace?.isInside = true
            keep(token.extracting(parts.header), accepted)
            return Opened(
                plaintext: opened.plaintext, keyIndex: opened.keyIndex,
                headerCount: parts.header.upperBound,
                hasReplicatedClaims: accepted.hasReplicatedClaims)
        }

        @inline(__always)
        func validate(
            _ fields: HeaderFields, _ text: Span<UInt8>
        ) throws(JOSEError) -> AcceptedHeader {
            trace?.passed(.header, "JWE header \(Trace.header(text))")
            let accepted = try opening.validate(fields, text, trace)
            guard type.allows(fields.type, in: text) else {
                throw type.rejection(isAbsent: fields.type == nil)
            }
            try JWEOpening.checkNested(content, fields, text)
            return accepted
        }

        /// Caches a header that selects one key and has no parameters that change with each token.
        private func keep(_ header: Span<UInt8>, _ accepted: AcceptedHeader) {
            guard accepted.layout.isEmpty, let index = accepted.keyIndex,
                let operation = try? opening.keys.operation(index, accepted.algorithm)
            else { return }
            opening.cache.keep(header, KnownHeader(accepted, index, operation, type, content))
        }
    }

    /// Opens a token. `type` is the rule for `typ`, `content` the rule for `cty`.
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
        if trace == nil, let known = cache.outcome(of: header), known.matches(type, content) {
            do throws(JOSEError) {
                return try open(token, parts, known)
            } catch {
                // Report a wrong number of parts before any other error, as without the cache.
                try parts.checkCount(token)
                throw error
            }
        }
        try parts.checkCount(token)
        let context = OpeningContext(
            opening: self, parts: parts, type: type, content: content, trace: trace)
        return try HeaderText.read(header, limits, understanding: extensions) {
            (fields, text, tree) throws(JOSEError) in
            try context.open(token, fields, text, tree)
        }
    }

    private func open(
        _ token: Span<UInt8>, _ parts: CompactJWE, _ known: KnownHeader
    ) throws(JOSEError) -> Opened {
        let decrypted = try withDecodedParts(
            known.accepted, encryptedKey: token.extracting(parts.encryptedKey),
            iv: token.extracting(parts.iv), ciphertext: token.extracting(parts.ciphertext),
            tag: token.extracting(parts.tag)
        ) { (out, encodedCiphertext, decoded, partBytes) throws(JOSEError) in
            guard
                try decrypt(
                    &out, encodedCiphertext, (known.keyIndex, known.operation), known.accepted,
                    decoded, in: partBytes, aad: token.extracting(parts.header), KeyParameters(),
                    in: Span())
            else { throw .decryptionFailed }
            return known.keyIndex
        }
        return Opened(
            plaintext: decrypted.plaintext, keyIndex: decrypted.keyIndex,
            headerCount: parts.header.upperBound,
            hasReplicatedClaims: known.accepted.hasReplicatedClaims)
    }

    func open(
        _ accepted: AcceptedHeader, aad: Span<UInt8>, encryptedKey: Span<UInt8>, iv: Span<UInt8>,
        ciphertext: Span<UInt8>, tag: Span<UInt8>, _ parameters: KeyParameters,
        in parameterValues: Span<UInt8>
    ) throws(JOSEError) -> (plaintext: [UInt8], keyIndex: Int) {
        try withDecodedParts(
            accepted, encryptedKey: encryptedKey, iv: iv, ciphertext: ciphertext, tag: tag
        ) { (out, encodedCiphertext, parts, partBytes) throws(JOSEError) in
            try decrypt(
                &out, encodedCiphertext, try candidates(accepted, parts.encryptedKeyBytes),
                accepted, parts, in: partBytes, aad: aad, parameters, in: parameterValues)
        }
    }

    /// Decodes the parts of a token, passes them to `tryKeys` and decompresses the plaintext, which
    /// `tryKeys` leaves in `out`.
    ///
    /// A ciphertext of at least `CompactToken.longText` characters is not decoded here. `tryKeys`
    /// gets its text as `encodedCiphertext`, to decode it while the tag is computed: the ciphertext
    /// then passes through memory only once. A text that is not base64url is `malformed`.
    @inline(__always)
    private func withDecodedParts(
        _ accepted: AcceptedHeader, encryptedKey: Span<UInt8>, iv: Span<UInt8>,
        ciphertext: Span<UInt8>, tag: Span<UInt8>,
        _ tryKeys: (
            _ out: inout OutputSpan<UInt8>, _ encodedCiphertext: Span<UInt8>,
            _ parts: EncryptedParts, _ partBytes: Span<UInt8>
        ) throws(JOSEError) -> Int
    ) throws(JOSEError) -> (plaintext: [UInt8], keyIndex: Int) {
        let content = accepted.content
        let capacity = partsCapacity(content, encryptedKey: encryptedKey, iv: iv, tag: tag)
        var keyIndex = -1
        let plaintext = try withScratch(of: UInt8.self, capacity: max(capacity, 1)) {
            (bytes) throws(JOSEError) in
            let parts = try appendParts(
                content, encryptedKey: encryptedKey, iv: iv, tag: tag, to: &bytes)
            guard let count = Base64URL.decodedCount(ciphertext.count) else {
                throw .notBase64URL(ciphertext, .token, "the ciphertext")
            }
            let partBytes = bytes.span
            return try [UInt8](byteCapacity: count) { (out) throws(JOSEError) in
                // A malformed long ciphertext costs one decryption for each key that is tried. A
                // malformed short one costs none.
                guard ciphertext.count < CompactToken.longText else {
                    do throws(JOSEError) {
                        keyIndex = try tryKeys(&out, ciphertext, parts, partBytes)
                    } catch {
                        throw Base64URL.isValid(ciphertext)
                            ? error : .notBase64URL(ciphertext, .token, "the ciphertext")
                    }
                    return
                }
                guard Base64URL.decode(ciphertext, into: &out) else {
                    throw .notBase64URL(ciphertext, .token, "the ciphertext")
                }
                keyIndex = try tryKeys(&out, Span(), parts, partBytes)
            }
        }
        guard let compression = accepted.compression else { return (plaintext, keyIndex) }
        return (try JWEOpening.decompress(consume plaintext, compression, limits), keyIndex)
    }

    /// Decompresses a plaintext and wipes the compressed bytes.
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
