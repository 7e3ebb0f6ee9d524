// Tokens with any header and payload, validly signed or encrypted.

import JOSE
import JOSECrypto

enum TestToken {
    /// A compact JWS with a valid signature, whatever its header.
    static func signed(
        _ header: String, _ payload: String, by key: JWK = TestKeys.signing,
        _ algorithm: SignatureAlgorithm = .rs256
    ) throws -> String {
        try signed(Array(header.utf8), Array(payload.utf8), by: key, algorithm)
    }

    static func signed(
        _ header: [UInt8], _ payload: [UInt8], by key: JWK = TestKeys.signing,
        _ algorithm: SignatureAlgorithm = .rs256
    ) throws -> String {
        let input = Independent.base64URL(header) + "." + Independent.base64URL(payload)
        return try input + "." + Independent.base64URL(signature(Array(input.utf8), key, algorithm))
    }

    /// The signature over bytes.
    static func signature(
        _ input: [UInt8], _ key: JWK, _ algorithm: SignatureAlgorithm
    ) throws -> [UInt8] {
        let operation = try key.prepared.signature(algorithm, signing: true)
        var signature = [UInt8](repeating: 0, count: operation.signatureBytes)
        var span = signature.mutableSpan
        try operation.sign(input.span, into: &span)
        return signature
    }

    /// The members `protected` and `signature` of a JWS in JSON, valid for this payload text.
    static func signature(
        _ header: String, over payload: String, by key: JWK = TestKeys.signing
    ) throws -> String {
        let protected = Independent.base64URL(header.utf8)
        let signature = Independent.base64URL(
            try signature(Array((protected + "." + payload).utf8), key, .rs256))
        return #""protected":"\#(protected)","signature":"\#(signature)""#
    }

    /// A compact JWE with this header, in which only the sizes are right.
    static func forged(_ header: String, encryptedKeyBytes: Int = 0) -> String {
        let parts: [[UInt8]] = [
            Array(header.utf8), [UInt8](repeating: 1, count: encryptedKeyBytes),
            [UInt8](repeating: 2, count: 12), [3], [UInt8](repeating: 4, count: 16),
        ]
        return parts.map { Independent.base64URL($0) }.joined(separator: ".")
    }

    /// A compact JWE with valid values, whatever its header.
    static func encrypted(
        _ header: String, _ plaintext: String, to key: JWK = TestKeys.decrypting,
        _ algorithm: KeyManagementAlgorithm = .rsaOAEP,
        _ content: ContentEncryptionAlgorithm = .a128CBCHS256
    ) throws -> String {
        try encrypted(header, Array(plaintext.utf8), to: key, algorithm, content)
    }

    static func encrypted(
        _ header: String, _ text: [UInt8], to key: JWK = TestKeys.decrypting,
        _ algorithm: KeyManagementAlgorithm = .rsaOAEP,
        _ content: ContentEncryptionAlgorithm = .a128CBCHS256
    ) throws -> String {
        let operation = try key.publicKey.prepared.keyManagement(algorithm, wrapping: true)
        let protected = Independent.base64URL(header.utf8)
        var encryptedKey = [UInt8](
            repeating: 0, count: operation.encryptedKeyBytes(for: content.content))
        var iv = [UInt8](repeating: 0, count: content.content.ivBytes)
        let size = content.content.ciphertextBytes(for: text.count) ?? 0
        var ciphertext = [UInt8](repeating: 0, count: size)
        var tag = [UInt8](repeating: 0, count: content.content.tagBytes)
        var keySpan = encryptedKey.mutableSpan
        var ivSpan = iv.mutableSpan
        var ciphertextSpan = ciphertext.mutableSpan
        var tagSpan = tag.mutableSpan
        let aad = Array(protected.utf8)
        try operation.seal(
            text.span, content: content.content, aad: aad.span,
            encryptedKey: &keySpan, iv: &ivSpan, ciphertext: &ciphertextSpan, tag: &tagSpan)
        return ([protected] + [encryptedKey, iv, ciphertext, tag].map(Independent.base64URL))
            .joined(separator: ".")
    }

    /// A JWE of this JWT, whose header has cty and these members.
    static func nested(_ inner: String, _ members: String = "") throws -> String {
        try encrypted(
            #"{"alg":"RSA-OAEP","enc":"A128CBC-HS256","cty":"JWT"\#(members)}"#, inner)
    }

    /// The members of a JWE in JSON, from a compact one: the protected header, the encrypted key,
    /// and the others.
    static func members(_ token: String) -> (p: String, k: String, r: String) {
        let parts = parts(token)
        return (
            "\"protected\":\"\(parts[0])\"", "\"encrypted_key\":\"\(parts[1])\"",
            "\"iv\":\"\(parts[2])\",\"ciphertext\":\"\(parts[3])\",\"tag\":\"\(parts[4])\""
        )
    }

    /// The header of a compact token.
    static func header(_ token: String) throws -> String {
        try String(decoding: Independent.base64URL(parts(token)[0]), as: UTF8.self)
    }

    /// The parts of a compact token.
    static func parts(_ token: String) -> [String] {
        token.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    }

    /// The token with one part replaced.
    static func replacing(_ index: Int, of token: String, by part: String) -> String {
        var parts = parts(token)
        parts[index] = part
        return parts.joined(separator: ".")
    }
}
