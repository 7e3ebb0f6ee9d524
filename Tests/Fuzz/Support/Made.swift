// Tokens with any header and payload that are validly signed or encrypted.

import JOSE
import JOSEBytes
import JOSECrypto

enum Made {
    /// Input that requests a token: 1, a header, 0, and the payload (JSON never contains a 0).
    static func parts(_ input: [UInt8]) -> (header: [UInt8], payload: [UInt8])? {
        guard input.first == 1, let end = input.firstIndex(of: 0) else { return nil }
        return (Array(input[1..<end]), Array(input[(end + 1)...]))
    }

    static func text(_ bytes: [UInt8]) -> [UInt8] { Base64URL.encode(bytes.span) }

    /// A compact JWS.
    static func signed(_ header: [UInt8], _ payload: [UInt8], by key: JWK = Known.signing) throws
        -> [UInt8]
    {
        let operation = try key.prepared.signature(.rs256, signing: true)
        let input = text(header) + [dot] + text(payload)
        var signature = [UInt8](repeating: 0, count: operation.signatureBytes)
        var span = signature.mutableSpan
        try operation.sign(input.span, into: &span)
        return input + [dot] + text(signature)
    }

    /// A compact JWE.
    static func encrypted(
        _ header: [UInt8], _ plaintext: [UInt8], to key: JWK = Known.decrypting,
        content: ContentEncryptionAlgorithm = .a128CBCHS256
    ) throws -> [UInt8] {
        let protected = text(header)
        let sealed = try sealed(
            plaintext, by: key.publicKey.prepared.keyManagement(.rsaOAEP, wrapping: true),
            content: content, authenticated: protected)
        let parts = [sealed.encryptedKey, sealed.iv, sealed.ciphertext, sealed.tag]
        return Array(([protected] + parts.map(text)).joined(separator: [dot]))
    }

    /// The result of encrypting.
    struct Sealed {
        var encryptedKey: [UInt8]
        var iv: [UInt8]
        var ciphertext: [UInt8]
        var tag: [UInt8]
    }

    /// A plaintext encrypted with a new key, with `authenticated` as additional data.
    static func sealed(
        _ plaintext: [UInt8], by operation: KeyManagementOperation,
        content: ContentEncryptionAlgorithm, authenticated: [UInt8]
    ) throws -> Sealed {
        let size = content.content.ciphertextBytes(for: plaintext.count) ?? 0
        var encryptedKey = [UInt8](
            repeating: 0, count: operation.encryptedKeyBytes(for: content.content))
        var iv = [UInt8](repeating: 0, count: content.content.ivBytes)
        var ciphertext = [UInt8](repeating: 0, count: size)
        var tag = [UInt8](repeating: 0, count: content.content.tagBytes)
        var keySpan = encryptedKey.mutableSpan
        var ivSpan = iv.mutableSpan
        var ciphertextSpan = ciphertext.mutableSpan
        var tagSpan = tag.mutableSpan
        try operation.seal(
            plaintext.span, content: content.content, aad: authenticated.span,
            encryptedKey: &keySpan, iv: &ivSpan, ciphertext: &ciphertextSpan, tag: &tagSpan)
        return Sealed(encryptedKey: encryptedKey, iv: iv, ciphertext: ciphertext, tag: tag)
    }

    static let dot = UInt8(ascii: ".")

    /// Whether a header is strict JSON whose `member` is exactly that string and that requires
    /// nothing else.
    static func says(_ header: [UInt8], _ member: StaticString, _ text: StaticString) -> Bool {
        guard let document = try? JSONDocument(header, maxDepth: 32) else { return false }
        return document.member(member).map { document.equals(at: $0, text) } ?? false
    }
}
