// Makes compact JWE.

import JOSEBytes
import JOSECrypto

/// Makes compact JSON Web Encryption (RFC 7516) for one recipient's key.
///
/// Prepared once, used from many threads; every token has its own random key and IV.
public struct JWEEncrypter: Sendable {
    private let operation: KeyManagementOperation
    private let algorithm: KeyManagementAlgorithm
    private let content: ContentEncryptionAlgorithm
    private let keyID: String?
    private let encodedHeader: [UInt8]
    private let limits: Limits

    /// An encrypter.
    ///
    /// - Parameters:
    ///   - key: The recipient's public key; its `kid` is written to the header. A private key is refused: what
    ///     belongs to a recipient is the public part.
    ///   - algorithm: The key management algorithm.
    ///   - content: The content encryption algorithm.
    ///   - header: Further header members for every token.
    ///   - limits: What a reader with the same limits would accept; larger tokens are refused.
    /// - Throws: `keyUnusable` if the key says that it is for something else, `misuse` for a private key or a
    ///   registered header member.
    public init(
        _ key: JWK, algorithm: KeyManagementAlgorithm, content: ContentEncryptionAlgorithm,
        header: HeaderParameters = HeaderParameters(), limits: Limits = .standard
    ) throws(JOSEError) {
        guard !key.isPrivate else { throw .misuse("encrypt to a public key: use publicKey") }
        let fit = key.fit(.encrypting(algorithm))
        guard fit == .fits else { throw fit.error }
        operation = try key.prepared.keyManagement(algorithm, wrapping: true)
        encodedHeader = try header.encoded(
            algorithm: algorithm.name, encryption: content.name, keyID: key.keyID)
        keyID = key.keyID
        self.algorithm = algorithm
        self.content = content
        self.limits = limits
    }

    /// Encrypts a plaintext.
    ///
    /// - Parameter plaintext: Any bytes.
    /// - Throws: `limitExceeded` if the token would pass the limit, `internal` if OpenSSL fails.
    /// - Returns: The compact serialisation.
    ///
    /// Costs the raw encryption and one allocation, the token. Source: RFC 7516, 5.1.
    public func encrypt(_ plaintext: Span<UInt8>) throws(JOSEError) -> String {
        try encrypt(plaintext, header: encodedHeader.span)
    }

    /// Encrypts a plaintext; see `encrypt(_:)` over a span.
    public func encrypt(_ plaintext: [UInt8]) throws(JOSEError) -> String {
        try encrypt(plaintext.span)
    }

    /// Encrypts the UTF-8 bytes of a text; see `encrypt(_:)` over a span.
    public func encrypt(_ plaintext: String) throws(JOSEError) -> String {
        try encrypt(plaintext.utf8.span)
    }

    /// Encrypts a plaintext under a header of its own.
    ///
    /// - Throws: As `encrypt(_:)`, and `misuse` for a registered header member.
    public func encrypt(
        _ plaintext: [UInt8], header: HeaderParameters
    ) throws(JOSEError) -> String {
        let encoded = try header.encoded(
            algorithm: algorithm.name, encryption: content.name, keyID: keyID)
        return try encrypt(plaintext.span, header: encoded.span)
    }

    private func encrypt(
        _ plaintext: Span<UInt8>, header: Span<UInt8>
    ) throws(JOSEError) -> String {
        let content = self.content.content
        guard plaintext.count <= limits.tokenBytes,
            let ciphertextBytes = content.ciphertextBytes(for: plaintext.count)
        else { throw .limitExceeded(.output, "the token would be too large") }
        let size =
            header.count + 4 + Base64URL.encodedCount(operation.encryptedKeyBytes)
            + Base64URL.encodedCount(content.ivBytes) + Base64URL.encodedCount(ciphertextBytes)
            + Base64URL.encodedCount(content.tagBytes)
        guard size <= limits.tokenBytes else {
            throw .limitExceeded(.output, "the token would be too large")
        }
        let operation = self.operation
        return try String(asciiCapacity: size) { (out) throws(JOSEError) in
            out.append(copying: header)
            out.append(0x2e)
            try JWEEncrypter.append(
                plaintext, ciphertextBytes, content, operation, aad: header, to: &out)
        }
    }

    /// Encrypted key and IV come first in the token but from the same call as the ciphertext: all four values are
    /// made on the stack and in the ciphertext's place, then written in order.
    private static func append(
        _ plaintext: Span<UInt8>, _ ciphertextBytes: Int, _ content: ContentAlgorithm,
        _ operation: KeyManagementOperation, aad: Span<UInt8>, to out: inout OutputSpan<UInt8>
    ) throws(JOSEError) {
        try out.appendBase64URLParts(
            counts: (
                operation.encryptedKeyBytes, content.ivBytes, ciphertextBytes, content.tagBytes
            )
        ) { (encryptedKey, iv, ciphertext, tag) throws(JOSEError) in
            do throws(CryptoFault) {
                try operation.seal(
                    plaintext, content: content, aad: aad, encryptedKey: &encryptedKey, iv: &iv,
                    ciphertext: &ciphertext, tag: &tag)
            } catch {
                throw JOSEError(error, rejected: .randomFailed)
            }
        }
    }
}

extension JWEEncrypter: CustomStringConvertible, CustomReflectable {
    /// A constant.
    public var description: String { "JWE encrypter" }
    /// Shows nothing to `dump`.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
