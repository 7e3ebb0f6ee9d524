// Makes JWE of the JSON serialisations, for one recipient or several.

import JOSEBytes
import JOSECrypto

/// Makes flattened and general JSON Web Encryption (RFC 7516, 7.2).
///
/// Prepared once, used from many threads. All recipients get the same content under the same random key. For one
/// recipient the whole header is protected; for several, `enc` and the header's own members are, and each
/// recipient's `alg`, `kid` and parameters stand beside its encrypted key.
public struct JWEJSONEncrypter: Sendable {
    private let recipients: [JWERecipient]
    private let content: ContentAlgorithm
    private let compression: CompressionAlgorithm?
    private let protected: HeaderTemplate
    private let unprotected: [UInt8]?
    private let limits: JOSELimits

    /// An encrypter for these recipients, in this order.
    ///
    /// - Parameters:
    ///   - recipients: One or more.
    ///   - content: The content encryption algorithm; nil for an algorithm that encrypts the content itself.
    ///   - header: Further members of the protected header.
    ///   - unprotectedHeader: Members for all recipients that nothing protects.
    ///   - compression: Compresses plaintexts before encryption; none where nothing is said.
    ///   - limits: What a reader with the same limits would accept.
    /// - Throws: `misuse` without a recipient, for several where one gets the content key itself (`dir`, `ECDH-ES`),
    ///   or for a member that is registered or stands in two parts, or a content
    ///   encryption that is missing or not asked for; `limitExceeded` for more recipients than the
    ///   limit, or more iterations of PBES2 in all; `keyUnusable` where a key does not fit the content encryption.
    public init(
        recipients: [JWERecipient], content: ContentEncryptionAlgorithm?,
        header: HeaderParameters = HeaderParameters(),
        unprotectedHeader: [String: JSONValue] = [:], compression: CompressionAlgorithm? = nil,
        limits: JOSELimits = .standard
    ) throws(JOSEError) {
        guard let first = recipients.first else {
            throw .misuse("recipients: is empty: a token has one recipient or more")
        }
        guard recipients.count <= limits.recipientCount else {
            throw .limitExceeded(
                .output,
                "the token would have {} recipients; at most {} are accepted (JOSELimits.recipientCount)",
                .number(recipients.count), .number(limits.recipientCount))
        }
        let iterations = recipients.reduce(0) { $0 + $1.iterations }
        guard iterations <= limits.iterationsInAll else {
            throw .limitExceeded(
                .output,
                "the recipients have {} iterations in all; at most {} are accepted (JOSELimits.tokenIterations)",
                .number(iterations), .number(limits.iterationsInAll))
        }
        let isSingle = recipients.count == 1
        for recipient in recipients {
            let match = recipient.key.match(.encrypting(recipient.algorithm, content))
            guard match == .matches else {
                throw match.error(.encrypting(recipient.algorithm, content), recipient.key.names)
            }
            let encryption = try recipient.algorithm.content(content)
            guard recipient.operation.fits(encryption) else {
                throw .wrongContentKey(recipient.key.sizeBits, recipient.algorithm, encryption)
            }
            guard isSingle || !recipient.algorithm.isForOneRecipient else {
                throw .misuse(
                    "{} has one recipient; the token would have {}",
                    .name(recipient.algorithm.word), .number(recipients.count))
            }
            _ = try UnprotectedHeader.text(
                recipient.header,
                others: Array(header.additional.keys) + Array(unprotectedHeader.keys))
        }
        let shared = try UnprotectedHeader.text(
            unprotectedHeader, others: Array(header.additional.keys))
        let json = try header.json(
            algorithm: isSingle ? first.algorithm.word : nil, encryption: content?.word,
            compression: compression?.word, keyID: isSingle ? first.keyID : nil)
        protected = HeaderTemplate(
            json: json, isSingle ? first.form : .none, first.options)
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
    ///   - form: General where nothing is said; flattened only with one recipient.
    ///   - additionalData: Bytes that are bound to the plaintext and stand readable in the token (`aad`).
    /// - Throws: `misuse` for a flattened token with several recipients, `limitExceeded` if the token would pass the
    ///   limit, `untrustedKey` where a key's validated certificates have ended since, `internal` if OpenSSL fails.
    /// - Returns: The JSON text.
    ///
    /// Costs the raw encryption and a wrapping for each recipient. Source: RFC 7516, 5.1 and 7.2.
    public func encrypt(
        _ plaintext: [UInt8], as form: JSONForm = .general, additionalData: [UInt8] = []
    ) throws(JOSEError) -> String {
        guard form == .general || recipients.count == 1 else {
            throw .misuse(
                "a flattened token has one recipient, not {}: the general form takes more",
                .number(recipients.count))
        }
        for recipient in recipients { try recipient.checkCertificates() }
        guard let compression else { return try write(plaintext.span, form, additionalData) }
        guard plaintext.count <= limits.inflatedBytes else {
            throw .limitExceeded(
                .output,
                "the plaintext has {} bytes; at most {} are compressed (JOSELimits.inflatedBytes)",
                .number(plaintext.count), .number(limits.inflatedBytes))
        }
        var compressed = try compression.compress(plaintext.span)
        defer {
            var bytes = compressed.mutableSpan
            wipe(&bytes)
        }
        return try write(compressed.span, form, additionalData)
    }

    /// Wraps the key for everybody, then encrypts: what is authenticated depends on the wrapping.
    private func write(
        _ plaintext: Span<UInt8>, _ form: JSONForm, _ additionalData: [UInt8]
    ) throws(JOSEError) -> String {
        guard plaintext.count <= limits.tokenBytes, additionalData.count <= limits.tokenBytes,
            let ciphertextBytes = content.ciphertextBytes(for: plaintext.count)
        else {
            throw .outputTooLarge(max(plaintext.count, additionalData.count), limits)
        }
        var wrapped = recipients.map { $0.room(content) }
        let key = try recipients[0].begin(content, &wrapped[0])
        for place in recipients.indices.dropFirst() {
            try recipients[place].wrap(key, &wrapped[place])
        }
        let header = protected.encoded(wrapped[0].parameters)
        let additional =
            additionalData.isEmpty ? nil : Base64URL.encode(additionalData.span)
        let authenticated = JWEText.authenticated(header, additional)
        let message = try JWEJSONEncrypter.finish(
            key, plaintext, authenticated, content, ciphertextBytes)
        let text = write(form, header, additional, wrapped, message)
        guard text.count <= limits.tokenBytes else {
            throw .outputTooLarge(text.count, limits)
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// What encrypting gives.
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
            throw JOSEError(error, rejected: .internalFailure)
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
        for (recipient, wrapped) in zip(recipients, wrapped) {
            if form == .general { writer.beginObject() }
            recipient.write(wrapped, isAlone: recipients.count == 1, to: &writer)
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

    /// A member that is left out where it is empty (RFC 7516, 7.2.1).
    private func write(_ name: StaticString, _ value: [UInt8], to writer: inout JSONWriter) {
        guard !value.isEmpty else { return }
        writer.name(name)
        writer.string(base64URL: value.span)
    }
}

extension JWEJSONEncrypter: RedactedDescription {
    package var shownAs: String { "JWE encrypter" }
}
