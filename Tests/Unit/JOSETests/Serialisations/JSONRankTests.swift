// Which of several errors is reported for a token of the JSON serialisations: that of the entry
// that came furthest.

import JOSE
import Testing

@Suite("JSON serialisations: which error is reported")
struct JSONRankTests {
    private typealias Fault = (entry: String, verdict: String, rank: Int)

    private func rejected(_ body: () throws -> Void) throws -> JOSEError {
        do {
            try body()
        } catch let error as JOSEError {
            return error
        }
        return try need(nil)
    }

    /// Every two errors in both orders: the lower rank is reported, of equal ranks the first.
    private func expectRanks(
        _ failures: [Fault], _ rejection: ([String]) throws -> JOSEError
    ) throws {
        let alone = try failures.map { try rejection([$0.entry]) }
        #expect(alone.map { Rejection.text($0) } == failures.map(\.verdict))
        for (a, first) in failures.enumerated() {
            for (b, second) in failures.enumerated() {
                let wanted = second.rank < first.rank ? alone[b] : alone[a]
                let reported = try rejection([first.entry, second.entry])
                #expect(reported == wanted, "\(a), \(b)")
                let behind = try rejection([first.entry, second.entry, first.entry])
                #expect(behind == wanted, "\(a), \(b), \(a)")
            }
        }
    }

    // MARK: signatures

    /// A key with certificates, one without, and two for something else.
    private func keys(at now: NumericDate) throws -> PublicJWKSet {
        let root = try TestAuthority(TestKeys.bare(TestKeys.stranger))
        let good = try TestChains.key(
            TestKeys.named(TestKeys.signing, "good"), [root.leaf(TestKeys.signing)])
        let texts = [
            try good.publicJSON(), try KeyText.publicKey(#""kid":"bare""#, TestKeys.client),
            try KeyText.publicKey(#""kid":"enc","use":"enc""#, TestKeys.decrypting),
            try KeyText.publicKey(#""kid":"alg","alg":"PS256""#, TestKeys.decrypting),
        ]
        return try PublicJWKSet(
            json: KeyText.set(texts),
            certificates: .require(TrustStore(anchors: [root.certificate])), at: now)
    }

    /// An entry whose signature is invalid but has the right size.
    private func entry(_ header: String) -> String {
        let zeros = Independent.base64URL([UInt8](repeating: 0, count: 256))
        let protected = Independent.base64URL(header.utf8)
        return "{\"protected\":\"\(protected)\",\"signature\":\"\(zeros)\"}"
    }

    private func token(_ entries: [String]) -> String {
        "{\"payload\":\"e30\",\"signatures\":[\(entries.joined(separator: ","))]}"
    }

    @Test("RFC 7515 7.2: the error of the failed signature that came furthest is reported")
    func signatures() throws {
        let now = try TestChains.date(TestChains.now)
        let verifier = try JWSVerifier.rs256(keys: keys(at: now))
        let failures: [Fault] = [
            (entry(#"{"alg":"RS256","kid":"good"}"#), "signature-invalid", 0),
            (entry(#"{"alg":"RS256","kid":"bare"}"#), "untrusted-key", 1),
            (entry(#"{"alg":"RS256","kid":"enc"}"#), "key-unusable", 2),
            (entry(#"{"alg":"RS256","kid":"alg"}"#), "key-unusable", 2),
            (entry(#"{"alg":"RS256","kid":"nobody"}"#), "key-not-found", 3),
            (entry(#"{"alg":"RS384","kid":"good"}"#), "algorithm-not-allowed", 4),
            (entry(#"{"alg":"RS256","crit":["x"],"x":1}"#), "unsupported", 5),
        ]
        try expectRanks(failures) { entries in
            try rejected { _ = try verifier.verifyJSON(token(entries), requiring: .any, at: now) }
        }
        // With a name, only the named signer's own error says why it is missing.
        let invalid = failures[0].entry
        let others = failures.dropFirst().map(\.entry)
        let own = try rejected {
            _ = try verifier.verifyJSON(token([invalid]), requiring: .any, at: now)
        }
        for entries in [[invalid] + others, others + [invalid]] {
            let reported = try rejected {
                _ = try verifier.verifyJSON(
                    token(entries), requiring: .each(of: ["good"]), at: now)
            }
            #expect(reported.code == .signatureInvalid && reported.message == own.message)
        }
        let missing = try rejected {
            _ = try verifier.verifyJSON(token(others), requiring: .each(of: ["good"]), at: now)
        }
        #expect(missing.code == .signatureInvalid && missing.message != own.message)
    }

    @Test("a key found unusable at its first use fails only its own signature")
    func firstUse() throws {
        let root = try TestAuthority(TestKeys.bare(TestKeys.stranger))
        let x5c = try TestChains.x5c([root.leaf(TestKeys.client)])
        let texts = [
            try TestKeys.named(TestKeys.signing, "good").publicJSON(),
            try KeyText.publicKey(#""kid":"broken","# + x5c, TestKeys.decrypting),
        ]
        let keys = try PublicJWKSet(json: KeyText.set(texts))
        let verifier = try JWSVerifier.rs256(keys: keys)
        let good = try JWSSigner(
            key: TestKeys.named(TestKeys.signing, "good"), algorithm: .rs256
        ).sign([]).split(separator: ".", omittingEmptySubsequences: false)
        let valid = "{\"protected\":\"\(good[0])\",\"signature\":\"\(good[2])\"}"
        let broken = entry(#"{"alg":"RS256","kid":"broken"}"#)
        func verdict(_ entries: [String], _ requirement: SignatureRequirement) throws -> String {
            let token = "{\"payload\":\"\",\"signatures\":[\(entries.joined(separator: ","))]}"
            return try Rejection.verdict {
                _ = try verifier.verifyJSON(token, requiring: requirement)
            }
        }
        #expect(keys.skipped.isEmpty)
        for entries in [[broken, valid], [valid, broken]] {
            #expect(try verdict(entries, .any) == "accepted")
            #expect(try verdict(entries, .each(of: ["good"])) == "accepted")
            #expect(try verdict(entries, .all) == "key-unusable")
            #expect(try verdict(entries, .each(of: ["good", "broken"])) != "accepted")
        }
        #expect(try verdict([broken], .any) == "key-unusable")
        #expect(keys.skipped.map(\.keyID) == ["broken"] && keys.skipped.map(\.member) == ["x5c"])
    }

    @Test("an explanation shows for each key whether its certificates are valid")
    func explained() throws {
        let now = try TestChains.date(TestChains.now)
        let verifier = try JWSVerifier.rs256(keys: keys(at: now))
        let explanation = verifier.explainJSON(
            token([entry(#"{"alg":"RS256","kid":"good"}"#)]), requiring: .any, at: now)
        #expect(explanation.error?.code == .signatureInvalid)
        #expect(
            explanation.lines.filter { $0.step == .key }.map(\.text) == ["key 'good' is eligible"])
        #expect(
            explanation.lines.filter { $0.step == .keySet }.map(\.text)
                == (2...4).map {
                    "entry \($0) of the key set is skipped: the key has no certificates (x5c)"
                })
    }

    // MARK: recipients

    private func message(_ recipients: [String]) -> String {
        let protected = Independent.base64URL(#"{"enc":"A128GCM"}"#.utf8)
        let iv = Independent.base64URL([UInt8](repeating: 1, count: 12))
        let tag = Independent.base64URL([UInt8](repeating: 2, count: 16))
        return """
            {"protected":"\(protected)","iv":"\(iv)","ciphertext":"AAAA","tag":"\(tag)",\
            "recipients":[\(recipients.joined(separator: ","))]}
            """
    }

    private func recipient(_ algorithm: String, _ keyID: String, _ more: String = "") -> String {
        let key = Independent.base64URL([UInt8](repeating: 3, count: 24))
        let header = "{\"alg\":\"\(algorithm)\",\"kid\":\"\(keyID)\"\(more)}"
        return "{\"header\":\(header),\"encrypted_key\":\"\(key)\"}"
    }

    @Test("RFC 7516 7.2: without a local recipient, the error of the closest match is reported")
    func recipients() throws {
        let keys = [
            try JWK.generate(.curve(.p256), keyID: "curve"),
            TestKeys.named(TestKeys.decrypting, "sig", use: .signature),
            TestKeys.named(TestKeys.client, "alg", algorithm: "RSA-OAEP-256"),
        ]
        let decrypter = try JWEDecrypter(
            keys: JWKSet(keys: keys), algorithms: [.rsaOAEP, .ecdhESA128KW], content: [.a128GCM])
        let otherCurve = #","epk":{"kty":"EC","crv":"P-384"}"#
        let failures: [Fault] = [
            (recipient("ECDH-ES+A128KW", "curve", otherCurve), "decryption-failed", 0),
            (recipient("RSA-OAEP", "sig"), "key-unusable", 1),
            (recipient("RSA-OAEP", "alg"), "key-unusable", 1),
            (recipient("RSA-OAEP-256", "alg"), "algorithm-not-allowed", 2),
            (recipient("RSA-OAEP", "nobody"), "key-not-found", 3),
        ]
        try expectRanks(failures) { recipients in
            try rejected { _ = try decrypter.decryptJSON(message(recipients)) }
        }
    }

    @Test("RFC 7516 5.2: malformed parameters of any local recipient prevent decryption")
    func parameters() throws {
        let keys = try ["a", "b"].map {
            try JWK(symmetricKey: [UInt8](repeating: 9, count: 16), keyID: $0)
        }
        let token = try JWEJSONEncrypter(
            recipients: keys.map { try JWERecipient(key: $0, algorithm: .a128GCMKW) },
            content: .a128GCM
        ).encrypt(Array("text".utf8), as: .general)
        let list = try need(VectorValue(json: token)["recipients"]?.array)
        func verdict(_ token: String, _ keys: [JWK]) throws -> String {
            let decrypter = try JWEDecrypter(
                keys: JWKSet(keys: keys), algorithms: [.a128GCMKW], content: [.a128GCM])
            return try Rejection.verdict {
                let opened = try decrypter.decryptJSON(token)
                #expect(opened.unauthenticatedPlaintext == Array("text".utf8))
            }
        }
        #expect(list.count == 2)
        for index in list.indices {
            for (name, value) in [
                ("iv", VectorValue.string("AAAA")), ("tag", .string("AAAA")), ("iv", .number(1)),
                ("tag", .string("A")),
            ] {
                var entries = list
                let entry = try VectorValue.edited(list[index].json) { entry in
                    var header = try need(entry["header"]?.object)
                    #expect(header[name] != nil)
                    header[name] = value
                    entry["header"] = .object(header)
                }
                entries[index] = try VectorValue(json: entry)
                let text = try VectorValue.edited(token) { $0["recipients"] = .array(entries) }
                #expect(try verdict(text, keys) == "malformed", "\(index) \(name)")
                #expect(try verdict(text, [keys[index]]) == "malformed", "\(index) \(name)")
                // A reader without the other key ignores its parameters.
                #expect(try verdict(text, [keys[1 - index]]) == "accepted", "\(index) \(name)")
            }
        }
    }
}
