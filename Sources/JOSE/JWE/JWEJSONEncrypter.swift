// Creates JWE in the JSON serialisations, for one recipient or several.

import JOSEBytes
import JOSECrypto

/// Creates flattened and general JSON Web Encryption (RFC 7516, 7.2).
///
/// Create it once and use it from any thread. All recipients get the same content, encrypted with
/// the same key. `enc` and the members of `header` are protected. For a single recipient
/// `alg`, `kid` and the parameters of the algorithm are protected too. With several recipients they
/// are in each recipient's unprotected header.
public struct JWEJSONEncrypter: Sendable {
    private let recipients: [JWERecipient]
    private let content: ContentAlgorithm
    private let compression: CompressionAlgorithm?
    private let protected: HeaderTemplate
    private let unprotected: [UInt8]?
    private let limits: JOSELimits

    /// Creates an encrypter for these recipients, in this order.
    ///
    /// - Parameters:
    ///   - recipients: At least one.
    ///   - content: The content encryption algorithm, also for `dir`. nil throws `misuse`:
    ///     no supported algorithm omits `enc`.
    ///   - header: Further members of the protected header.
    ///   - unprotectedHeader: Members without integrity protection, for all recipients.
    ///   - compression: Compresses plaintexts before encryption; none by default.
    ///   - limits: Limits on the token. Pass the limits that its readers apply.
    /// - Throws: `misuse` without a recipient, for keys of different OpenSSL providers, and for
    ///   several recipients if one of them has `dir` or `ECDH-ES`. Also `misuse` for a name that
    ///   `HeaderParameters.additional` rejects or that is in two parts of the header, and if
    ///   `content` is nil. `limitExceeded` for more recipients or PBES2 iterations than the limits.
    ///   `keyUnusable` if a key does not match the content encryption.
    public init(
        recipients: [JWERecipient], content: ContentEncryptionAlgorithm?,
        header: HeaderParameters = HeaderParameters(),
        unprotectedHeader: [String: JSONValue] = [:], compression: CompressionAlgorithm? = nil,
        limits: JOSELimits = .standard
    ) throws(JOSEError) {
        guard let first = recipients.first else {
            throw .misuse("'recipients' is empty: a token needs at least one recipient")
        }
        guard recipients.count <= limits.recipientCount else {
            throw .limitExceeded(
                .output,
                """
                the token would have {} recipients; at most {} are accepted \
                (JOSELimits.recipientCount)
                """,
                .number(recipients.count), .number(limits.recipientCount))
        }
        let iterations = recipients.reduce(0) { $0 + $1.iterations }
        guard iterations <= limits.totalIterations else {
            throw .limitExceeded(
                .output,
                """
                the recipients have {} iterations in total; at most {} are accepted \
                (JOSELimits.tokenIterations)
                """,
                .number(iterations), .number(limits.totalIterations))
        }
        guard recipients.allSatisfy({ $0.operation.isFIPS == first.operation.isFIPS }) else {
            throw .misuse(
                "the recipients' keys have different providers; use the same withAcceleration(_:)")
        }
        let isSingle = recipients.count == 1
        for recipient in recipients {
            let match = recipient.key.match(.encrypting(recipient.algorithm, content))
            guard match == .matches else {
                throw match.error(.encrypting(recipient.algorithm, content), recipient.key.names)
            }
            let encryption = try recipient.algorithm.content(content)
            guard recipient.operation.supports(encryption) else {
                throw .wrongContentKey(recipient.key.sizeBits, recipient.algorithm, encryption)
            }
            guard isSingle || !recipient.algorithm.hasOneRecipient else {
                throw .misuse(
                    "{} has one recipient; the token would have {}",
                    .name(recipient.algorithm.staticName), .number(recipients.count))
            }
            _ = try UnprotectedHeader.text(
                recipient.header,
                others: Array(header.additional.keys) + Array(unprotectedHeader.keys))
        }
        let shared = try UnprotectedHeader.text(
            unprotectedHeader, others: Array(header.additional.keys))
        let json = try header.json(
            algorithm: isSingle ? first.algorithm.staticName : nil, encryption: content?.staticName,
            compression: compression?.staticName, keyID: isSingle ? first.keyID : nil)
        protected = HeaderTemplate(
            json: json, isSingle ? first.layout : .none, first.options)
        unprotected = unprotectedHeader.isEmpty ? nil : shared
        self.recipients = recipients
        self.content = try first.algorithm.content(content)
        self.compression = compression
        self.limits = limits
    }

    /// Encrypts a plaintext.
    ///
    /// - Parameters:
    ///   - plaintext: Any bytes.
    ///   - form: The serialisation; flattened only with one recipient.
    ///   - additionalData: Data that is authenticated and not encrypted (`aad`).
    /// - Throws: `misuse` for a flattened token with several recipients; `limitExceeded` if the
    ///   token is over the limit; `untrustedKey` if a key's validated certificates have expired;
    ///   `internal` if OpenSSL fails.
    /// - Returns: The JSON text.
    ///
    /// Costs the raw encryption and a key wrapping for each recipient. Source: RFC 7516, 5.1, 7.2.
    public func encrypt(
        _ plaintext: [UInt8], as form: JSONForm = .general, additionalData: [UInt8] = []
    ) throws(JOSEError) -> String {
        guard form == .general || recipients.count == 1 else {
            throw .misuse(
                "a flattened token has one recipient, not {}: use the general form",
                .number(recipients.count))
        }
        for recipient in recipients { try recipient.checkCertificates() }
        guard let compression else {
            return try encryptBytes(plaintext.span, form, additionalData)
        }
        var compressed = try compression.compress(plaintext.span, limits)
        defer {
            var bytes = compressed.mutableSpan
            wipe(&bytes)
        }
        return try encryptBytes(compressed.span, form, additionalData)
    }

    /// Wraps the key before it encrypts: the tag may cover the header parameters of the wrapping.
    private func encryptBytes(
        _ plaintext: Span<UInt8>, _ form: JSONForm, _ additionalData: [UInt8]
    ) throws(JOSEError) -> String {
        guard plaintext.count <= limits.tokenBytes, additionalData.count <= limits.tokenBytes,
            let ciphertextBytes = content.ciphertextBytes(for: plaintext.count)
        else {
            throw .outputTooLarge(max(plaintext.count, additionalData.count), limits)
        }
        var wrapped = recipients.map { $0.wrappedKeyBuffers(content) }
        let key = try recipients[0].begin(content, &wrapped[0])
        for index in recipients.indices.dropFirst() {
            try recipients[index].wrap(key, &wrapped[index])
        }
        let header = protected.encoded(wrapped[0].parameters)
        let additional =
            additionalData.isEmpty ? nil : Base64URL.encode(additionalData.span)
        let authenticated = JWEText.authenticatedData(header, additional)
        let message = try JWEJSONEncrypter.finish(
            key, plaintext, authenticated, content, ciphertextBytes)
        let text = write(form, header, additional, wrapped, message)
        guard text.count <= limits.tokenBytes else {
            throw .outputTooLarge(text.count, limits)
        }
        return String(decoding: text, as: UTF8.self)
    }

    private struct Message {
        var iv: [UInt8]
        var ciphertext: [UInt8]
        var tag: [UInt8]
    }

    private static func finish(
        _ key: borrowing ContentKey, _ plaintext: Span<UInt8>, _ authenticated: [UInt8],
        _ content: ContentAlgorithm, _ ciphertextBytes: Int
    ) throws(JOSEError) -> Message {
        var iv = [UInt8](repeating: 0, count: content.ivBytes)
        var ciphertext = [UInt8](repeating: 0, count: ciphertextBytes)
        var tag = [UInt8](repeating: 0, count: content.tagBytes)
        var ivSpan = iv.mutableSpan
        var ciphertextSpan = ciphertext.mutableSpan
        var tagSpan = tag.mutableSpan
        do throws(CryptoError) {
            try key.finish(
                plaintext, aad: authenticated.span, iv: &ivSpan, ciphertext: &ciphertextSpan,
                tag: &tagSpan)
        } catch {
            throw JOSEError(error, ifRejected: .internalFailure)
        }
        return Message(iv: iv, ciphertext: ciphertext, tag: tag)
    }

    private func write(
        _ form: JSONForm, _ header: [UInt8], _ additional: [UInt8]?, _ wrapped: [WrappedKey],
        _ message: Message
    ) -> [UInt8] {
        var writer = JSONWriter(capacity: message.ciphertext.count * 3 / 2 + 1_024)
        writer.beginObject()
        writer.name("protected")
        writer.string(String(decoding: header, as: UTF8.self))
        if let unprotected {
            writer.name("unprotected")
            writer.raw(unprotected.span)
        }
        if form == .general {
            writer.name("recipients")
            writer.beginArray()
        }
        for (recipient, wrappedKey) in zip(recipients, wrapped) {
            if form == .general { writer.beginObject() }
            recipient.write(wrappedKey, isAlone: recipients.count == 1, to: &writer)
            if form == .general { writer.endObject() }
        }
        if form == .general { writer.endArray() }
        if let additional {
            writer.name("aad")
            writer.string(String(decoding: additional, as: UTF8.self))
        }
        write("iv", message.iv, to: &writer)
        writer.name("ciphertext")
        writer.string(base64URL: message.ciphertext.span)
        write("tag", message.tag, to: &writer)
        writer.endObject()
        return writer.bytes
    }

    /// Writes a member. An empty one is omitted (RFC 7516, 7.2.1).
    private func write(_ name: StaticString, _ value: [UInt8], to writer: inout JSONWriter) {
        guard !value.isEmpty else { return }
        writer.name(name)
        writer.string(base64URL: value.span)
    }
}

extension JWEJSONEncrypter: RedactedDescription {}
