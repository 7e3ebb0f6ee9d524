// Runs one hostile input that was derived from a published vector.

import JOSE
import JOSEBytes
import JOSECrypto
import JOSEOpenID
import Testing

struct DerivedRunner {
    let hostile: VectorCase

    init(_ hostile: VectorCase) { self.hostile = hostile }

    func verdict() throws -> HostileOutcome {
        switch hostile.kind {
        case "jws", "jwt": return try signed()
        case "jws-json", "jws-detached", "jws-b64false": return try serialised()
        case "jwe", "jwe-json": return try encrypted()
        case "aead": return try content()
        case "kdf": return try agreement()
        case "jwk", "jwk-x5c": return try key()
        case "jwk-x5c-trust":
            let chain = ChainRunner(chain: hostile)
            return .verdict(try Rejection.verdict { _ = try chain.validate() })
        case "base64url": return try base64URL()
        case "thumbprint", "thumbprint-uri": return try thumbprint()
        case "half-hash": return try halfHash()
        case "dpop":
            return .verdict(try Rejection.verdict { _ = try ProofRunner(entry: hostile).run() })
        case "pkce": return try proofKey()
        default:
            Issue.record("no runner for \(hostile.id) of kind \(hostile.kind)")
            return .leftOut(hostile.kind)
        }
    }

    private func proofKey() throws -> HostileOutcome {
        .verdict(
            try Rejection.verdict {
                let key = try PKCE(verifier: need(hostile["code_verifier"]))
                if let challenge = hostile["code_challenge"] { try key.verify(challenge) }
            })
    }

    private func signed() throws -> HostileOutcome {
        let compact = try need(hostile["compact"])
        guard let text = hostile.key() else {
            // RFC 7515 appendix E: a header without any key, rejected before a key is selected.
            let verifier = try JWSVerifier(
                key: TestKeys.bare(TestKeys.signing.publicKey), algorithms: SignatureAlgorithm.all)
            return .verdict(try Rejection.verdict { _ = try verifier.verify(compact) })
        }
        if let reason = LeftOut.signature(hostile["alg"]) { return .leftOut(reason) }
        let algorithm = try need(SignatureAlgorithm(name: need(hostile["alg"])))
        if hostile.kind == "jwt" { return try token(compact, JWK(json: text.json), algorithm) }
        let verdict = try Rejection.verdict {
            let key = try JWK(json: text.json).forVerifying
            _ = try JWSVerifier(key: key, algorithms: [algorithm]).verify(compact)
        }
        return .verdict(verdict)
    }

    /// RFC 7797 section 7: a JWT has no unencoded payload.
    private func token(
        _ compact: String, _ key: JWK, _ algorithm: SignatureAlgorithm
    ) throws -> HostileOutcome {
        let verifier = try JWTVerifier.checking(
            .any, signature: .required(key: key.forVerifying, algorithms: [algorithm]))
        return .verdict(try Rejection.verdict { _ = try verifier.verify(compact) })
    }

    /// JSON serialisations, detached and unencoded payloads.
    private func serialised() throws -> HostileOutcome {
        if let reason = LeftOut.signature(hostile["alg"]) { return .leftOut(reason) }
        let algorithm = try need(SignatureAlgorithm(name: need(hostile["alg"])))
        let key = try JWK(json: need(hostile.key()).json)
        let verifier = try JWSVerifier(key: key.forVerifying, algorithms: [algorithm])
        let encodings: [PayloadEncoding] =
            hostile.base == "rfc7797-4.2-unencoded" ? [.unencoded] : [.base64URL]
        return .verdict(
            try Rejection.verdict {
                if let json = hostile.input["json"] {
                    // Two examples of the cookbook do not protect `alg`.
                    let isUnprotected = ["rfc7520-4.7-jws", "rfc7520-4.8-jws"]
                        .contains(hostile.base)
                    _ = try verifier.verifyJSON(
                        json.json, requiring: .any, encodings: encodings,
                        algorithmLocation: isUnprotected ? .anyHeader : .protectedHeader)
                } else if hostile["detached_payload_b64u"] != nil {
                    _ = try verifier.verifyDetached(
                        need(hostile["compact"]), payload: hostile.bytes("detached_payload_b64u"),
                        encodings: encodings)
                } else {
                    _ = try verifier.verifyUnencoded(
                        need(hostile["compact"]), encodings: encodings)
                }
            })
    }

    private func encrypted() throws -> HostileOutcome {
        let isJSON = hostile.kind == "jwe-json"
        let token = try isJSON ? need(hostile.input["json"]).json : need(hostile["compact"])
        if let reason = LeftOut.encryption(hostile["alg"], hostile["enc"]) {
            return .leftOut(reason)
        }
        let named = KeyManagementAlgorithm(name: hostile["alg"] ?? "")
        let content = ContentEncryptionAlgorithm(name: hostile["enc"] ?? "")
        let text = try need(hostile.key())
        let verdict = try Rejection.verdict {
            // RSA1_5 is not supported: such a token is passed to a reader of supported algorithms.
            let decrypter = try JWEDecrypter(
                key: JWK(json: text.json),
                algorithms: named.map { [$0] }
                    ?? KeyManagementAlgorithm.all.filter { $0.kinds.contains(.rsa) },
                content: content.map { [$0] } ?? ContentEncryptionAlgorithm.all,
                compression: CompressionAlgorithm.all)
            if isJSON {
                _ = try decrypter.decryptJSON(token)
            } else {
                _ = try decrypter.decrypt(token)
            }
        }
        return .verdict(verdict)
    }

    /// A hostile ephemeral key in a token that would decrypt if the agreement gave zeros.
    private func agreement() throws -> HostileOutcome {
        let key = try JWK(json: need(hostile.key("recipient_key")).json)
        let epk = try need(hostile.input["epk"] ?? hostile.input["header"]?["epk"])
        let header =
            hostile.input["header"]
            ?? .object(["alg": .string("ECDH-ES"), "enc": .string("A128GCM"), "epk": epk])
        let token = try Agreement.forged(header: header.json)
        return .verdict(
            try Rejection.verdict {
                _ = try JWEDecrypter.with(key, .ecdhES, .a128GCM)
                    .decrypt(token)
            })
    }

    private func content() throws -> HostileOutcome {
        guard let content = LeftOut.content(hostile["enc"] ?? "") else {
            return .leftOut(hostile["enc"] ?? "")
        }
        let cek = try hostile.bytes("cek_b64u")
        let iv = try hostile.bytes("iv_b64u")
        let aad = try hostile.bytes("aad_b64u")
        let ciphertext = try hostile.bytes("ciphertext_b64u")
        let tag = try hostile.bytes("tag_b64u")
        do throws(CryptoError) {
            _ = try ContentTestVectors.decrypt(
                content, cek: cek.span, iv: iv.span, aad: aad.span, ciphertext: ciphertext.span,
                tag: tag.span)
            return .verdict("accepted")
        } catch {
            return .verdict(error == .rejected ? "decryption-failed" : "\(error)")
        }
    }

    /// A key is rejected when it is read, or when it is first prepared.
    private func key() throws -> HostileOutcome {
        if let reason = LeftOut.signature(hostile["alg"]) { return .leftOut(reason) }
        let text = try need(hostile.input["jwk"])
        return .verdict(
            try Rejection.verdict {
                _ = try JWK(json: text.json).prepared.material.native()
            })
    }

    private func base64URL() throws -> HostileOutcome {
        let text = try need(hostile["text"])
        let isRejected =
            Base64URL.decode(text.utf8.span) == nil && !Base64URL.isValid(text.utf8.span)
        return .verdict(isRejected ? "malformed" : "accepted")
    }

    /// Comparing is the caller's task. This checks that the values differ.
    private func thumbprint() throws -> HostileOutcome {
        let key = try JWK(json: need(hostile.input["jwk"]).json)
        if let other = hostile["thumbprint_b64u"] {
            return .verdict(try key.thumbprint() == other ? "accepted" : "key-unusable")
        }
        let uris = try JWK.ThumbprintHash.all.map { try key.thumbprintURI($0) }
        return .verdict(uris.contains(try need(hostile["uri"])) ? "accepted" : "unsupported")
    }

    private func halfHash() throws -> HostileOutcome {
        if let reason = LeftOut.signature(hostile["alg"]) { return .leftOut(reason) }
        let algorithm = try need(SignatureAlgorithm(name: hostile["alg"] ?? "RS256"))
        let key = try TestKeys.signer(for: algorithm)
        let hash = try need(hostile["hash"])
        let token = try JWSSigner(key: key, algorithm: algorithm)
            .sign("{\"exp\":2000000000,\"at_hash\":\"\(hash)\"}")
        let verifier = try JWTVerifier.checking(
            signature: .required(key: key.forVerifying, algorithms: [algorithm]))
        let now = try need(NumericDate(exactly: 1_760_000_000))
        let expectation = ClaimsExpectation(accessToken: hostile["value"])
        return .verdict(
            try Rejection.verdict {
                _ = try verifier.verify(token, expecting: expectation, at: now)
            })
    }
}
