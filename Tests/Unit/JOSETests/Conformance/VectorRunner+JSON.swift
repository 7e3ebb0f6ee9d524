// Published tokens of the JSON serialisations, and JWS with detached and unencoded payloads.

import JOSE
import JOSECrypto
import Testing

extension VectorRunner {
    /// RFC 7515 appendix A.6 and A.7, RFC 7520 section 4: every printed form, each signature with
    /// its own key.
    func signedJSON() throws -> Outcome {
        let names = try vector.input["algs"]?.array?.compactMap(\.string) ?? [need(vector["alg"])]
        for name in names {
            if let reason = LeftOut.signature(name) { return .leftOut(reason) }
        }
        let payload = try need(vector["payload_text"])
        var count = 0
        for form in ["general", "flattened"] {
            guard let token = vector.output[form]?.json else { continue }
            count += 1
            for (index, name) in names.enumerated() {
                let algorithm = try need(SignatureAlgorithm(name: name))
                let verifier = try JWSVerifier(
                    key: key(index).forVerifying, algorithms: [algorithm])
                let verified = try verifier.verifyJSON(
                    token, requiring: .any, algorithmLocation: .anyHeader)
                equal(String(decoding: verified.payload, as: UTF8.self), payload, "payload")
                try compare(need(verified.signatures.first), index)
                if names.count == 1 {
                    let all = try verifier.verifyJSON(
                        token, requiring: .all, algorithmLocation: .anyHeader)
                    equal(all.signatures.count, 1, "all signatures")
                }
                try signedAgain(form, index, algorithm)
            }
        }
        #expect(count > 0, "\(vector.id) prints no JSON form")
        return .ran
    }

    private func key(_ index: Int) throws -> JWK {
        guard let names = vector.input["keys"]?.array else {
            return try JWK(json: need(vector.key()).json)
        }
        let file = try VectorFile.named(vector.file)
        return try JWK(json: need(file.keys[need(names[index].string)]).json)
    }

    private func compare(_ signature: VerifiedJSONJWS.Signature, _ index: Int) throws {
        let texts =
            vector.input["protected_texts"]?.array ?? [.string(vector["protected_text"] ?? "")]
        equal(signature.header?.json, texts[index].string, "protected header")
        let unprotected = vector.input["unprotected"]?.array?[index].object ?? [:]
        equal(
            signature.unprotectedHeader.mapValues { $0.string },
            unprotected.mapValues { $0.string }, "unprotected header")
    }

    /// The printed signature, created again if the algorithm is deterministic.
    private func signedAgain(
        _ form: String, _ index: Int, _ algorithm: SignatureAlgorithm
    ) throws {
        guard vector.reproducible == "yes" else { return }
        let token = try need(vector.output[form])
        let entry = token["signatures"]?.array?[index] ?? token
        let input = (entry["protected"]?.string ?? "") + "." + (try need(token["payload"]?.string))
        let signature = try TestToken.signature(Array(input.utf8), key(index), algorithm)
        equal(Independent.base64URL(signature), entry["signature"]?.string, "\(form) made again")
    }

    /// RFC 7515 appendix F, RFC 7520 section 4.5: the payload is detached.
    func detached() throws -> Outcome {
        if let reason = LeftOut.signature(vector["alg"]) { return .leftOut(reason) }
        let algorithm = try need(SignatureAlgorithm(name: need(vector["alg"])))
        let own = try key(0)
        let payload = try vector.bytes("detached_payload_b64u")
        let compact = try need(vector.output["compact"]?.string)
        let verifier = try JWSVerifier(key: own.forVerifying, algorithms: [algorithm])
        let verified = try verifier.verifyDetached(compact, payload: payload)
        equal(verified.payload, payload, "payload")
        equal(try verified.header().json, vector["protected_text"], "header")
        expectRejection("signature-invalid", vector.id) { _ = try verifier.verify(compact) }
        for form in ["general", "flattened"] {
            guard let token = vector.output[form]?.json else { continue }
            let verified = try verifier.verifyDetachedJSON(token, payload: payload, requiring: .all)
            equal(verified.payload, payload, "payload, \(form)")
            equal(verified.signatures.first?.header?.json, vector["protected_text"], form)
            expectRejection("malformed", vector.id) {
                _ = try verifier.verifyJSON(token, requiring: .all)
            }
        }
        guard vector.reproducible == "yes" else { return .ran }
        let members = try need(VectorValue(json: need(vector["protected_text"])).object)
        if Set(members.keys).isSubset(of: ["alg", "kid"]) {
            let again = try JWSSigner(key: own, algorithm: algorithm).signDetached(payload)
            equal(again, compact, "made again")
        }
        return .ran
    }

    /// RFC 7797 section 4.2: the payload is signed unencoded.
    func unencoded() throws -> Outcome {
        if let reason = LeftOut.signature(vector["alg"]) { return .leftOut(reason) }
        let algorithm = try need(SignatureAlgorithm(name: need(vector["alg"])))
        let own = try key(0)
        let payload = try Array(need(vector["payload_text"]).utf8)
        let compact = try need(vector.output["compact_detached"]?.string)
        let flattened = try need(vector.output["flattened"])
        let verifier = try JWSVerifier(key: own.forVerifying, algorithms: [algorithm])
        let verified = try verifier.verifyDetached(
            compact, payload: payload, encodings: [.unencoded])
        equal(verified.payload, payload, "payload")
        equal(try verified.header().json, vector["protected_text"], "header")
        let json = try verifier.verifyJSON(
            flattened.json, requiring: .all, encodings: [.unencoded])
        equal(json.payload, payload, "payload, flattened")
        // A reader that does not ask for it rejects it.
        expectRejection("unsupported", vector.id) {
            _ = try verifier.verifyDetached(compact, payload: payload)
        }
        expectRejection("unsupported", vector.id) {
            _ = try verifier.verifyJSON(flattened.json, requiring: .all)
        }
        expectRejection("unsupported", vector.id) { _ = try verifier.verify(compact) }
        let signer = try JWSSigner(key: own, algorithm: algorithm)
        equal(try signer.signDetached(payload, encoding: .unencoded), compact, "made again")
        let again = try JWSJSONSigner(signatories: [.init(signer: signer)])
            .sign(payload, as: .flattened, encoding: .unencoded)
        equal(try VectorValue(json: again), flattened, "made again, flattened")
        return .ran
    }
}

extension VectorRunner {
    /// RFC 7516 appendix A.4 and A.5, RFC 7520 section 5: every printed form, decrypted with each
    /// recipient's key.
    func encryptedJSON() throws -> Outcome {
        let names = try vector.input["algs"]?.array?.compactMap(\.string) ?? [need(vector["alg"])]
        for name in names {
            if let reason = LeftOut.encryption(name, vector["enc"]) { return .leftOut(reason) }
        }
        try contentInJSON()
        let content = try need(ContentEncryptionAlgorithm(name: need(vector["enc"])))
        var count = 0
        for form in ["general", "flattened"] {
            guard let token = vector.output[form]?.json else { continue }
            for (index, name) in names.enumerated() {
                count += 1
                guard let algorithm = KeyManagementAlgorithm(name: name) else {
                    // RSA1_5 is not supported: a reader with only that key rejects the token.
                    let strict = try JWEDecrypter.with(key(index), .rsaOAEP, content)
                    expectRejection("algorithm-not-allowed", vector.id) {
                        _ = try strict.decryptJSON(token)
                    }
                    continue
                }
                let isCompressed = vector["compressed_plaintext_b64u"] != nil
                let decrypter = try JWEDecrypter(
                    key: key(index), algorithms: [algorithm], content: [content],
                    compression: isCompressed ? [.deflate] : [])
                try compare(try decrypter.decryptJSON(token), index)
            }
        }
        #expect(count > 0, "\(vector.id) prints no JSON form")
        return .ran
    }

    private func compare(_ opened: DecryptedJSONJWE, _ index: Int) throws {
        equal(
            String(decoding: opened.unauthenticatedPlaintext, as: UTF8.self),
            vector["plaintext_text"], "plaintext")
        equal(opened.header?.json, vector["protected_text"], "protected header")
        equal(
            String(decoding: opened.additionalData, as: UTF8.self), vector["aad_text"] ?? "", "aad")
        let unprotected = vector.input["unprotected"]?.object ?? [:]
        equal(
            opened.unprotectedHeader.mapValues { $0.string },
            unprotected.mapValues { $0.string }, "unprotected header")
        let own = vector.input["recipient_headers"]?.array?[index].object ?? [:]
        equal(
            opened.recipientHeader.mapValues { $0.string }, own.mapValues { $0.string },
            "recipient's header")
    }

    /// Ciphertext and tag follow from the printed key and IV.
    private func contentInJSON() throws {
        guard let token = vector.output["flattened"] ?? vector.output["general"],
            let content = LeftOut.content(vector["enc"] ?? "")
        else { return }
        let plaintext =
            try vector["compressed_plaintext_b64u"].map(Independent.base64URL)
            ?? Array(need(vector["plaintext_text"]).utf8)
        let (cek, iv) = (try vector.bytes("cek_b64u"), try vector.bytes("iv_b64u"))
        let additional = token["aad"]?.string.map { "." + $0 } ?? ""
        let aad = Array(((token["protected"]?.string ?? "") + additional).utf8)
        let made = try ContentTestVectors.encrypt(
            content, cek: cek.span, iv: iv.span, aad: aad.span, plaintext: plaintext.span)
        equal(Independent.base64URL(made.ciphertext), token["ciphertext"]?.string, "ciphertext")
        equal(Independent.base64URL(made.tag), token["tag"]?.string, "tag")
    }
}
