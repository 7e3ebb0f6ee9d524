// Published encrypted tokens: decrypted, and created again from the values that they print.

import JOSE
import JOSECrypto
import Testing

extension VectorRunner {
    func encrypted() throws -> Outcome {
        try contentAgain()
        if let reason = LeftOut.encryption(vector["alg"], vector["enc"]) { return .leftOut(reason) }
        let compact = try need(vector.output["compact"]?.string)
        let key = try JWK(json: need(vector.key()).json)
        if let name = vector["alg"], LeftOut.rejected.contains(name) {
            return try rejected(compact, key)
        }
        let algorithm = try need(KeyManagementAlgorithm(name: need(vector["alg"])))
        let content = try need(ContentEncryptionAlgorithm(name: need(vector["enc"])))
        try keyAgain(compact, key, algorithm, content)
        let isCompressed = vector["compressed_plaintext_b64u"] != nil
        let decrypter = try JWEDecrypter(
            key: key, algorithms: [algorithm], content: [content],
            compression: isCompressed ? [.deflate] : [])
        if isCompressed {
            let strict = try JWEDecrypter.with(key, algorithm, content)
            expectRejection("algorithm-not-allowed", vector.id) { _ = try strict.decrypt(compact) }
        }
        let opened = try decrypter.decrypt(compact)
        let text = try need(vector["plaintext_text"])
        equal(String(decoding: opened.unauthenticatedPlaintext, as: UTF8.self), text, "plaintext")
        equal(try opened.header().json, vector["protected_text"], "header")
        let again = try JWEEncrypter(
            key: TestKeys.otherSide(key), algorithm: algorithm, content: content,
            compression: isCompressed ? .deflate : nil
        ).encrypt(text)
        equal(
            try decrypter.decrypt(again).unauthenticatedPlaintext,
            opened.unauthenticatedPlaintext, "made again")
        return .ran
    }

    /// RSA1_5 is not supported; the nested token is checked separately.
    private func rejected(_ compact: String, _ key: JWK) throws -> Outcome {
        #expect(KeyManagementAlgorithm(name: "RSA1_5") == nil)
        let decrypter = try JWEDecrypter(
            key: key, algorithms: KeyManagementAlgorithm.all,
            content: ContentEncryptionAlgorithm.all)
        expectRejection("algorithm-not-allowed", vector.id) { _ = try decrypter.decrypt(compact) }
        guard let inner = vector.output["inner_compact"]?.string else { return .ran }
        let algorithm = try need(SignatureAlgorithm(name: need(vector["inner_alg"])))
        let innerKey = try JWK(json: need(vector.key("inner_key")).json).publicKey
        let verified = try JWSVerifier(key: innerKey, algorithms: [algorithm]).verify(inner)
        equal(
            try VectorValue(json: String(decoding: verified.payload, as: UTF8.self)),
            vector.output["claims"], "inner claims")
        return .ran
    }

    /// Ciphertext and tag follow from the printed key and IV, whatever the key management
    /// algorithm.
    private func contentAgain() throws {
        guard let name = vector["enc"], let content = LeftOut.content(name),
            let compact = vector.output["compact"]?.string
        else { return }
        let parts = TestToken.parts(compact)
        let plaintext =
            try vector["compressed_plaintext_b64u"].map(Independent.base64URL)
            ?? Array(need(vector["plaintext_text"]).utf8)
        let cek = try vector.bytes("cek_b64u")
        let iv = try vector.bytes("iv_b64u")
        let aad = Array(parts[0].utf8)
        let made = try ContentTestVectors.encrypt(
            content, cek: cek.span, iv: iv.span, aad: aad.span, plaintext: plaintext.span)
        equal(Independent.base64URL(made.ciphertext), parts[3], "ciphertext made again")
        equal(Independent.base64URL(made.tag), parts[4], "tag made again")
    }

    /// The encrypted key follows from the printed one if the vector says so: with the IV, salt or
    /// ephemeral key of its header and text.
    private func keyAgain(
        _ compact: String, _ key: JWK, _ algorithm: KeyManagementAlgorithm,
        _ content: ContentEncryptionAlgorithm
    ) throws {
        guard vector.reproducible == "yes" else { return }
        let parts = TestToken.parts(compact)
        let header = try VectorValue(json: TestToken.header(compact))
        func bytes(_ name: String) throws -> [UInt8] {
            try header[name]?.string.map(Independent.base64URL) ?? []
        }
        let operation = try TestKeys.otherSide(key).prepared
            .keyManagement(algorithm, wrapping: true)
        let cek = try vector.bytes("cek_b64u")
        let ephemeral = try vector.input["ephemeral_keys"]?.array?.first.map {
            try JWK(json: $0.json).prepared.material.native()
        }
        let seed = try header["p2s"] == nil ? bytes("iv") : bytes("p2s")
        // A published salt of another size than ours is only read.
        guard algorithm.family != .pbes2 || seed.count == operation.parameterBytes else { return }
        let partyU = try bytes("apu")
        let partyV = try bytes("apv")
        let parties = partyU + partyV
        let made = try KeyManagementTestVectors.wrap(
            operation, content: content.content, cek: cek.span, seed: seed.span,
            ephemeral: ephemeral,
            KeyParameters(
                partyUBytes: partyU.count, partyVBytes: partyV.count,
                iterations: UInt32(header["p2c"]?.int ?? 0)), in: parties.span)
        equal(made.cek, cek, "content encryption key made again")
        equal(Independent.base64URL(made.encryptedKey), parts[1], "encrypted key made again")
        let epk = header["epk"]
        let parameters =
            try ["x", "y"].flatMap { try epk?[$0]?.string.map(Independent.base64URL) ?? [] }
            + seed + bytes("tag")
        equal(made.parameters, parameters, "header parameters made again")
    }

    /// RFC 7518 appendix C, RFC 8037 A.6 and A.7: the shared secret of both sides, and the key
    /// derived from it.
    func agreement() throws -> Outcome {
        let ephemeral = try JWK(json: need(vector.key("ephemeral_key")).json)
        let recipient = try JWK(json: need(vector.key("recipient_key")).json).publicKey
        let operation = try recipient.prepared.keyManagement(.ecdhES, wrapping: true)
        let partyU = try vector["apu_b64u"].map(Independent.base64URL) ?? []
        let partyV = try vector["apv_b64u"].map(Independent.base64URL) ?? []
        let (none, parties): ([UInt8], [UInt8]) = ([], partyU + partyV)
        let made = try KeyManagementTestVectors.wrap(
            operation, content: .a128GCM, cek: none.span, seed: none.span,
            ephemeral: ephemeral.prepared.material.native(),
            KeyParameters(partyUBytes: partyU.count, partyVBytes: partyV.count),
            in: parties.span)
        let z =
            try vector.output["z_hex"]?.string.map(Independent.hex) ?? vector.outputBytes("z_b64u")
        equal(
            made.cek, Array(try Agreement.derived(from: z, partyU, partyV)), "derived from Z")
        if vector.output["derived_key_b64u"] != nil {
            equal(made.cek, try vector.outputBytes("derived_key_b64u"), "derived key")
        }
        if let epk = vector.output["epk"] {
            equal(made.parameters, try Independent.base64URL(need(epk["x"]?.string)), "epk")
        }
        // And as a token to the recipient's private key if it is printed.
        let key = try JWK(json: need(vector.key("recipient_key")).json)
        guard key.isPrivate else { return .ran }
        let token = try JWEEncrypter.with(recipient, .ecdhES, .a128GCM).encrypt(
            "x")
        let opened = try JWEDecrypter.with(key, .ecdhES, .a128GCM)
            .decrypt(token)
        equal(opened.unauthenticatedPlaintext, Array("x".utf8), "token")
        return .ran
    }

    /// RFC 7518 appendix B and RFC 7516 appendix B: authenticated encryption step by step.
    func content() throws -> Outcome {
        guard let content = LeftOut.content(try need(vector["enc"])) else {
            return .leftOut(vector["enc"] ?? "")
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
        let made = try ContentTestVectors.encrypt(
            content, cek: cek.span, iv: iv.span, aad: aad.span, plaintext: plaintext.span)
        equal(made.ciphertext, ciphertext, "ciphertext")
        equal(made.tag, tag, "tag")
        let opened = try ContentTestVectors.decrypt(
            content, cek: cek.span, iv: iv.span, aad: aad.span, ciphertext: ciphertext.span,
            tag: tag.span)
        equal(opened, plaintext, "plaintext")
        return .ran
    }
}

/// Key agreement as written in RFC 7518, 4.6.2, independent of the package's implementation.
enum Agreement {
    /// The key for A128GCM.
    static func derived(
        from z: [UInt8], _ partyU: [UInt8], _ partyV: [UInt8]
    ) throws -> ArraySlice<UInt8> {
        func counted(_ bytes: [UInt8]) -> [UInt8] { [0, 0, 0, UInt8(bytes.count)] + bytes }
        let input =
            [0, 0, 0, 1] + z + counted(Array("A128GCM".utf8)) + counted(partyU) + counted(partyV)
            + [0, 0, 0, 128]
        return try Hash.digest(.sha256, input.span)[..<16]
    }

    /// A token whose content key comes from an all-zero shared secret: a reader that accepts a
    /// hostile ephemeral key would accept it.
    static func forged(header: String) throws -> String {
        let protected = Independent.base64URL(header.utf8)
        let size = header.contains("X25519") ? 32 : header.contains("X448") ? 56 : 32
        let cek = Array(try derived(from: [UInt8](repeating: 0, count: size), [], []))
        let iv = [UInt8](repeating: 3, count: 12)
        let aad = Array(protected.utf8)
        let text: [UInt8] = [1, 2, 3]
        let made = try ContentTestVectors.encrypt(
            .a128GCM, cek: cek.span, iv: iv.span, aad: aad.span, plaintext: text.span)
        return [protected, "", iv, made.ciphertext, made.tag].map { part in
            (part as? String) ?? Independent.base64URL(part as? [UInt8] ?? [])
        }.joined(separator: ".")
    }
}
