// Runs one hostile input that was derived from a published vector.

import JOSE
import JOSEBytes
import JOSECrypto
import Testing

struct DerivedRunner {
    let hostile: VectorCase

    init(_ hostile: VectorCase) { self.hostile = hostile }

    func verdict() throws -> HostileOutcome {
        if let reason = Waiting.feature(hostile.kind) { return .notYet(reason) }
        switch hostile.kind {
        case "jws", "jwt": return try signed()
        case "jwe": return try encrypted()
        case "aead": return try content()
        case "jwk", "jwk-x5c": return try key()
        case "jwk-x5c-trust":
            let chain = ChainRunner(chain: hostile)
            return .verdict(try Refusal.verdict { _ = try chain.validate() })
        case "base64url": return try base64URL()
        case "thumbprint", "thumbprint-uri": return try thumbprint()
        case "half-hash": return try halfHash()
        default:
            Issue.record("no runner for \(hostile.id) of kind \(hostile.kind)")
            return .notYet(hostile.kind)
        }
    }

    private func signed() throws -> HostileOutcome {
        let compact = try need(hostile["compact"])
        guard let text = hostile.key() else {
            // RFC 7515 appendix E: a header without any key, refused before one is looked for.
            let verifier = try JWSVerifier(
                key: TestKeys.bare(TestKeys.signing.publicKey), algorithms: SignatureAlgorithm.all)
            return .verdict(try Refusal.verdict { _ = try verifier.verify(compact) })
        }
        if hostile.kind == "jwt" { return .notYet("unencoded payload") }
        if let reason = Waiting.signature(hostile["alg"]) { return .notYet(reason) }
        let algorithm = try need(SignatureAlgorithm.named(need(hostile["alg"])))
        let verdict = try Refusal.verdict {
            _ = try JWSVerifier(key: JWK(json: text.json).publicKey, algorithms: [algorithm])
                .verify(compact)
        }
        return .verdict(verdict)
    }

    private func encrypted() throws -> HostileOutcome {
        let compact = try need(hostile["compact"])
        if let reason = Waiting.encryption(hostile["alg"], hostile["enc"]) {
            return .notYet(reason)
        }
        let named = KeyManagementAlgorithm.named(hostile["alg"] ?? "")
        let content = ContentEncryptionAlgorithm.named(hostile["enc"] ?? "")
        let text = try need(hostile.key())
        let verdict = try Refusal.verdict {
            // RSA1_5 does not exist: such a token meets a reader of what exists.
            _ = try JWEDecrypter(
                key: JWK(json: text.json),
                algorithms: named.map { [$0] } ?? KeyManagementAlgorithm.all,
                content: content.map { [$0] } ?? ContentEncryptionAlgorithm.all
            ).decrypt(compact)
        }
        return .verdict(verdict)
    }

    private func content() throws -> HostileOutcome {
        guard let content = Waiting.content(hostile["enc"] ?? "") else {
            return .notYet(hostile["enc"] ?? "")
        }
        let cek = try hostile.bytes("cek_b64u")
        let iv = try hostile.bytes("iv_b64u")
        let aad = try hostile.bytes("aad_b64u")
        let ciphertext = try hostile.bytes("ciphertext_b64u")
        let tag = try hostile.bytes("tag_b64u")
        do throws(CryptoFault) {
            _ = try ContentSeam.decrypt(
                content, cek: cek.span, iv: iv.span, aad: aad.span, ciphertext: ciphertext.span,
                tag: tag.span)
            return .verdict("accepted")
        } catch {
            return .verdict(error == .rejected ? "decryption-failed" : "\(error)")
        }
    }

    /// A key is refused when it is read, or when it is first prepared.
    private func key() throws -> HostileOutcome {
        let text = try need(hostile.input["jwk"])
        if let reason = Waiting.keyType(text) { return .notYet(reason) }
        return .verdict(
            try Refusal.verdict {
                let key = try JWK(json: text.json)
                _ = try JWSVerifier(
                    key: TestKeys.bare(key.publicKey), algorithms: SignatureAlgorithm.all)
            })
    }

    private func base64URL() throws -> HostileOutcome {
        let text = try need(hostile["text"])
        let isRefused =
            Base64URL.decode(text.utf8.span) == nil && !Base64URL.isValid(text.utf8.span)
        return .verdict(isRefused ? "malformed" : "accepted")
    }

    /// Comparison is the caller's work; what is here is that the values differ.
    private func thumbprint() throws -> HostileOutcome {
        let key = try JWK(json: need(hostile.input["jwk"]).json)
        if let other = hostile["thumbprint_b64u"] {
            return .verdict(try key.thumbprint() == other ? "accepted" : "key-unusable")
        }
        let uris = try ThumbprintHash.all.map { try key.thumbprintURI($0) }
        return .verdict(uris.contains(try need(hostile["uri"])) ? "accepted" : "unsupported")
    }

    private func halfHash() throws -> HostileOutcome {
        if let reason = Waiting.signature(hostile["alg"]) { return .notYet(reason) }
        let hash = try need(hostile["hash"])
        let token = try JWSSigner(TestKeys.signing, algorithm: .rs256)
            .sign("{\"exp\":2000000000,\"at_hash\":\"\(hash)\"}")
        let verifier = try JWTVerifier(
            issuer: .any, audience: .any, encryption: .notEncrypted,
            signature: .required(key: TestKeys.signing.publicKey, algorithms: [.rs256]))
        let now = try need(NumericDate(exactly: 1_760_000_000))
        let expectation = ClaimsExpectation(accessToken: hostile["value"])
        return .verdict(
            try Refusal.verdict { _ = try verifier.verify(token, expecting: expectation, at: now) })
    }
}
