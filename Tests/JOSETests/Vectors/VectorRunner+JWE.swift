// Published encrypted tokens: opened, and their content made again from the printed key and IV.

import JOSE
import JOSECrypto
import Testing

extension VectorRunner {
    func encrypted() throws -> Outcome {
        try contentAgain()
        if let reason = Waiting.encryption(vector["alg"], vector["enc"]) { return .notYet(reason) }
        let compact = try need(vector.output["compact"]?.string)
        let key = try JWK(json: need(vector.key()).json)
        if let name = vector["alg"], Waiting.refused.contains(name) {
            return try refused(compact, key)
        }
        let algorithm = try need(KeyManagementAlgorithm.named(need(vector["alg"])))
        let content = try need(ContentEncryptionAlgorithm.named(need(vector["enc"])))
        let decrypter = try JWEDecrypter(key: key, algorithms: [algorithm], content: [content])
        let opened = try decrypter.decrypt(compact)
        let text = try need(vector["plaintext_text"])
        equal(String(decoding: opened.unauthenticatedPlaintext, as: UTF8.self), text, "plaintext")
        equal(try opened.header.json, vector["protected_text"], "header")
        let again = try JWEEncrypter(key.publicKey, algorithm: algorithm, content: content)
            .encrypt(text)
        equal(
            try decrypter.decrypt(again).unauthenticatedPlaintext,
            opened.unauthenticatedPlaintext, "made again")
        return .ran
    }

    /// RSA1_5 does not exist here; what such a token nests is checked on its own.
    private func refused(_ compact: String, _ key: JWK) throws -> Outcome {
        #expect(KeyManagementAlgorithm.named("RSA1_5") == nil)
        let decrypter = try JWEDecrypter(
            key: key, algorithms: KeyManagementAlgorithm.all,
            content: ContentEncryptionAlgorithm.all)
        expectRefusal("algorithm-not-allowed", vector.id) { _ = try decrypter.decrypt(compact) }
        guard let inner = vector.output["inner_compact"]?.string else { return .ran }
        let algorithm = try need(SignatureAlgorithm.named(need(vector["inner_alg"])))
        let innerKey = try JWK(json: need(vector.key("inner_key")).json).publicKey
        let verified = try JWSVerifier(key: innerKey, algorithms: [algorithm]).verify(inner)
        equal(
            try VectorValue(json: String(decoding: verified.payload, as: UTF8.self)),
            vector.output["claims"], "inner claims")
        return .ran
    }

    /// Ciphertext and tag follow from the printed key and IV, whatever carried the key.
    private func contentAgain() throws {
        guard vector["compressed_plaintext_b64u"] == nil, let name = vector["enc"],
            let content = Waiting.content(name), let compact = vector.output["compact"]?.string
        else { return }
        let parts = TestToken.parts(compact)
        let plaintext = try Array(need(vector["plaintext_text"]).utf8)
        let cek = try vector.bytes("cek_b64u")
        let iv = try vector.bytes("iv_b64u")
        let aad = Array(parts[0].utf8)
        let made = try ContentSeam.encrypt(
            content, cek: cek.span, iv: iv.span, aad: aad.span, plaintext: plaintext.span)
        equal(Independent.base64URL(made.ciphertext), parts[3], "ciphertext made again")
        equal(Independent.base64URL(made.tag), parts[4], "tag made again")
    }

    /// RFC 7518 appendix B and RFC 7516 appendix B: authenticated encryption step by step.
    func content() throws -> Outcome {
        guard let content = Waiting.content(try need(vector["enc"])) else {
            return .notYet(vector["enc"] ?? "")
        }
        let cek = try vector.bytes("cek_b64u")
        let iv = try vector.bytes("iv_b64u")
        let aad = try vector.bytes("aad_b64u")
        let plaintext = try vector.bytes("plaintext_b64u")
        let ciphertext = try vector.outputBytes("ciphertext_b64u")
        let tag = try vector.outputBytes("tag_b64u")
        equal(content.keyBytes, cek.count, "key size")
        equal(content.ivBytes, iv.count, "IV size")
        equal(content.tagBytes, tag.count, "tag size")
        equal(content.ciphertextBytes(for: plaintext.count), ciphertext.count, "ciphertext size")
        let made = try ContentSeam.encrypt(
            content, cek: cek.span, iv: iv.span, aad: aad.span, plaintext: plaintext.span)
        equal(made.ciphertext, ciphertext, "ciphertext")
        equal(made.tag, tag, "tag")
        let opened = try ContentSeam.decrypt(
            content, cek: cek.span, iv: iv.span, aad: aad.span, ciphertext: ciphertext.span,
            tag: tag.span)
        equal(opened, plaintext, "plaintext")
        return .ran
    }
}
