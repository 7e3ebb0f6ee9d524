// Creates compact JWE.

import JOSEBytes
import JOSECrypto

/// Creates compact JSON Web Encryption (RFC 7516) for one recipient's key.
///
/// Create it once and use it from any thread. Every token has its own IV and, except
/// with `dir`, its own content encryption key.
public struct JWEEncrypter: Sendable {
    private let operation: KeyManagementOperation
    private let algorithm: KeyManagementAlgorithm
    private let content: ContentAlgorithm
    /// `enc`; nil with integrated encryption (`ContentKeySource.integrated`).
    private let contentName: StaticString?
    private let compression: CompressionAlgorithm?
    private let layout: RecipientHeaderLayout
    private let options: RecipientOptions
    private let chosen: ChosenParameters
    private let keyID: String?
    private let header: MessageHeader
    private let limits: JOSELimits
    private let validatedChain: ValidatedChain?

    /// Creates an encrypter.
    ///
    /// - Parameters:
    ///   - key: The recipient's public key or the shared symmetric key; the header gets its `kid`.
    ///   - algorithm: The key management algorithm.
    ///   - content: The content encryption algorithm, also for `dir`. nil is reserved for
    ///     algorithms that write no `enc`. No such algorithm is supported, so nil throws `misuse`.
    ///   - header: Further members of every header.
    ///   - options: Parameters of some algorithms: `apu`, `apv`, iterations.
    ///   - compression: Compresses plaintexts before encryption; none by default.
    ///   - limits: Limits on the token. Pass the limits that its readers apply.
    /// - Throws: `keyUnusable` if the key is for another use or has a size that the algorithms do
    ///   not allow. `misuse` for a private key, for a header that is too large or cannot be
    ///   written, for iterations outside the limits, and if `content` is nil or not allowed.
    public init(
        key: JWK, algorithm: KeyManagementAlgorithm, content: ContentEncryptionAlgorithm?,
        header: HeaderParameters = HeaderParameters(),
        options: RecipientOptions = RecipientOptions(), compression: CompressionAlgorithm? = nil,
        limits: JOSELimits = .standard
    ) throws(JOSEError) {
        operation = try key.keyWrapping(algorithm, content, options: options, limits)
        self.content = try algorithm.content(content)
        contentName = content?.staticName
        guard operation.supports(self.content) else {
            throw .wrongContentKey(key.sizeBits, algorithm, self.content)
        }
        layout = RecipientHeaderLayout(algorithm, key.prepared)
        keyID = key.keyID
        self.algorithm = algorithm
        self.compression = compression
        self.options = options
        chosen = ChosenParameters(options)
        self.limits = limits
        validatedChain = key.validatedChain
        let json = try header.json(
            algorithm: algorithm.staticName, encryption: contentName,
            compression: compression?.staticName,
            keyID: key.keyID)
        self.header = MessageHeader(json: json, layout, options)
    }

    /// Encrypts a plaintext.
    ///
    /// - Parameter plaintext: Any bytes.
    /// - Throws: `limitExceeded` if the token is over the limit; `untrustedKey` if the key's
    ///   validated certificates have expired; `internal` if OpenSSL fails.
    /// - Returns: The compact serialisation.
    ///
    /// Costs the raw encryption and one allocation, the token. Source: RFC 7516, 5.1.
    public func encrypt(_ plaintext: Span<UInt8>) throws(JOSEError) -> String {
        try encrypt(plaintext, header)
    }

    /// Encrypts a plaintext, optionally with another header.
    ///
    /// - Parameters:
    ///   - plaintext: Any bytes.
    ///   - header: Replaces the members of the encrypter's header; nil keeps them.
    /// - Throws: As `encrypt(_:)` over a span, and `misuse` for a header that the initialiser
    ///   rejects.
    @inlinable
    public func encrypt(
        _ plaintext: [UInt8], header: HeaderParameters? = nil
    ) throws(JOSEError) -> String {
        // Inlined, so that the optional `header` costs nothing if it is nil.
        guard let header else { return try encrypt(plaintext.span) }
        return try encrypt(plaintext, ownHeader: header)
    }

    @usableFromInline
    func encrypt(
        _ plaintext: [UInt8], ownHeader header: HeaderParameters
    ) throws(JOSEError) -> String {
        let json = try header.json(
            algorithm: algorithm.staticName, encryption: contentName,
            compression: compression?.staticName,
            keyID: keyID)
        return try encrypt(plaintext.span, MessageHeader(json: json, layout, options))
    }

    /// Encrypts the UTF-8 bytes of a string; see `encrypt(_:)` over a span.
    public func encrypt(_ plaintext: String) throws(JOSEError) -> String {
        try encrypt(plaintext.utf8.span)
    }

    /// Encrypts a plaintext. The key's validated certificates must be valid at `now`.
    func encrypt(_ plaintext: Span<UInt8>, at now: NumericDate?) throws(JOSEError) -> String {
        try encrypt(plaintext, header, at: now)
    }

    private func encrypt(
        _ plaintext: Span<UInt8>, _ header: MessageHeader, at now: NumericDate? = nil
    ) throws(JOSEError) -> String {
        if let validatedChain { try validatedChain.check(at: now ?? .now) }
        guard let compression else { return try encryptBytes(plaintext, header) }
        var compressed = try compression.compress(plaintext, limits)
        defer {
            var bytes = compressed.mutableSpan
            wipe(&bytes)
        }
        return try encryptBytes(compressed.span, header)
    }

    private func encryptBytes(
        _ plaintext: Span<UInt8>, _ header: MessageHeader
    ) throws(JOSEError) -> String {
        let encryptedKeyBytes = operation.encryptedKeyBytes(for: content)
        guard plaintext.count <= limits.tokenBytes,
            let ciphertextBytes = content.ciphertextBytes(for: plaintext.count)
        else {
            throw .outputTooLarge(plaintext.count, limits)
        }
        let size =
            header.encodedCount + 4 + Base64URL.encodedCount(encryptedKeyBytes)
            + Base64URL.encodedCount(content.ivBytes) + Base64URL.encodedCount(ciphertextBytes)
            + Base64URL.encodedCount(content.tagBytes)
        guard size <= limits.tokenBytes else {
            throw .outputTooLarge(size, limits)
        }
        let message = OutgoingMessage(
            operation: operation, content: content, encryptedKeyBytes: encryptedKeyBytes,
            ciphertextBytes: ciphertextBytes, chosen: chosen)
        return try String(asciiCapacity: size) { (out) throws(JOSEError) in
            switch header {
            case .fixed(let encoded): try message.append(plaintext, encoded.span, to: &out)
            case .template(let template): try message.append(plaintext, template, to: &out)
            }
        }
    }
}

extension CompressionAlgorithm {
    /// Compresses a plaintext. Throws if readers with these limits would reject its size.
    func compress(_ plaintext: Span<UInt8>, _ limits: JOSELimits) throws(JOSEError) -> [UInt8] {
        guard plaintext.count <= limits.inflatedBytes else {
            throw .limitExceeded(
                .output,
                "the plaintext has {} bytes; at most {} are compressed (JOSELimits.inflatedBytes)",
                .number(plaintext.count), .number(limits.inflatedBytes))
        }
        return try compress(plaintext)
    }
}

extension JWEEncrypter: RedactedDescription {}
