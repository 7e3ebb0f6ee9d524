// JWS in JSON: signed and verified with one signer and with many.

import JOSE
import Testing

@Suite("JWS in JSON: signers")
struct JSONSignatureTests {
    /// Three signers with different names.
    static let keys = [TestKeys.signing, TestKeys.client, TestKeys.stranger]
    static let payload = Array("{\"héllo\":\"wörld\"}".utf8)

    static func token(
        _ keys: [JWK] = keys, _ form: JSONForm? = nil, payload: [UInt8] = payload
    ) throws -> String {
        try form.map { try signer(keys).sign(payload, as: $0) } ?? signer(keys).sign(payload)
    }

    static func signer(_ keys: [JWK]) throws -> JWSJSONSigner {
        try JWSJSONSigner(
            signatories: keys.enumerated().map { index, key in
                try JWSJSONSigner.Signatory(
                    signer: JWSSigner(key: key, algorithm: .rs256),
                    unprotectedHeader: ["n": .integer(Int64(index))])
            })
    }

    static func verifier(_ keys: [JWK] = keys) throws -> JWSVerifier {
        try JWSVerifier.rs256(keys: PublicJWKSet(keys: keys.map { try $0.publicKey }))
    }

    @Test("RFC 7515 7.2: every algorithm, flattened and general", arguments: SignatureAlgorithm.all)
    func rows(_ algorithm: SignatureAlgorithm) throws {
        let key = try TestKeys.named(TestKeys.signer(for: algorithm), "k")
        let signer = try JWSJSONSigner(signatories: [
            .init(signer: JWSSigner(key: key, algorithm: algorithm))
        ])
        let verifier = try JWSVerifier(key: key.forVerifying, algorithms: [algorithm])
        for form in [JSONForm.flattened, .general] {
            for size in [0, 1, 2, 3, 65_536] {
                let payload = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 7) }
                let token = try signer.sign(payload, as: form)
                for rule in [SignatureRequirement.any, .all, .each(of: ["k"])] {
                    let verified = try verifier.verifyJSON(token, requiring: rule)
                    #expect(verified.payload == payload)
                    #expect(verified.signatures.map(\.keyID) == ["k"])
                    #expect(
                        verified.signatures.first?.header?.algorithm == JOSEAlgorithm(algorithm))
                }
                expectRejection("malformed") { _ = try verifier.verify(token) }
            }
            let token = try signer.signDetached(Self.payload, as: form)
            let verified = try verifier.verifyDetachedJSON(
                token, payload: Self.payload, requiring: .all)
            #expect(verified.payload == Self.payload)
        }
    }

    @Test("1, 2 and 16 signatures are created and verified, 17 and none are rejected")
    func counts() throws {
        for count in [1, 2, 16] {
            let keys = (0..<count).map { Self.keys[$0 % 3] }
            let token = try Self.token(keys)
            // The default form is the general one, which can have several signatures.
            for json in [token, try Self.signer(keys).signDetached(Self.payload)] {
                #expect(try VectorValue(json: json)["signatures"]?.array?.count == count)
            }
            let verified = try Self.verifier().verifyJSON(token, requiring: .all)
            #expect(verified.signatures.count == count)
            #expect(
                verified.signatures.map(\.unprotectedHeader)
                    == (0..<count).map { ["n": .integer(Int64($0))] })
            #expect(verified.signatures.map(\.keyID) == (0..<count).map { Self.keys[$0 % 3].keyID })
        }
        let many = Array(repeating: TestKeys.signing, count: 17)
        expectRejection("limit-exceeded") { _ = try Self.token(many) }
        expectRejection("misuse") { _ = try Self.token([]) }
        expectRejection("misuse") { _ = try Self.token(Self.keys, .flattened) }
    }

    @Test("the rule defines which signatures must be valid")
    func requirements() throws {
        let token = try Self.token()
        let one = try Self.verifier([TestKeys.client])
        let verified = try one.verifyJSON(token, requiring: .any)
        #expect(verified.signatures.map(\.keyID) == ["client-1"])
        #expect(verified.signatures.first?.unprotectedHeader == ["n": 1])
        #expect(verified.payload == Self.payload)
        // Two of the three have keys that this verifier does not have.
        expectRejection("key-not-found") { _ = try one.verifyJSON(token, requiring: .all) }
        #expect(
            try one.verifyJSON(token, requiring: .each(of: ["client-1"])).signatures.count == 1)
        let names = ["attacker", "sig-1"]
        let each = try Self.verifier().verifyJSON(token, requiring: .each(of: names))
        #expect(each.signatures.map(\.keyID) == ["sig-1", "attacker"])
        expectRejection("signature-invalid") {
            _ = try Self.verifier().verifyJSON(token, requiring: .each(of: ["sig-1", "nobody"]))
        }
        expectRejection("misuse") {
            _ = try Self.verifier().verifyJSON(token, requiring: .each(of: []))
        }
        expectRejection("key-not-found") {
            _ = try Self.verifier([TestKeys.named(TestKeys.signing, "other")])
                .verifyJSON(token, requiring: .any)
        }
    }

    @Test("a removed signature fails only the rule that names its signer")
    func stripped() throws {
        let token = try VectorValue.edited(Self.token()) { json in
            json["signatures"] = .array(Array(try need(json["signatures"]?.array).dropFirst()))
        }
        let verifier = try Self.verifier()
        #expect(try verifier.verifyJSON(token, requiring: .all).signatures.count == 2)
        expectRejection("signature-invalid") {
            _ = try verifier.verifyJSON(token, requiring: .each(of: ["sig-1", "client-1"]))
        }
    }

    @Test("an invalid signature next to a valid one: all rejects it, any accepts it")
    func oneBad() throws {
        for bad in 0..<3 {
            let token = try VectorValue.edited(Self.token()) { json in
                var list = try need(json["signatures"]?.array)
                var signature = try Independent.base64URL(need(list[bad]["signature"]?.string))
                signature[100] ^= 1
                let entry = try VectorValue.edited(list[bad].json) {
                    $0["signature"] = .string(Independent.base64URL(signature))
                }
                list[bad] = try VectorValue(json: entry)
                json["signatures"] = .array(list)
            }
            let verifier = try Self.verifier()
            expectRejection("signature-invalid") {
                _ = try verifier.verifyJSON(token, requiring: .all)
            }
            let verified = try verifier.verifyJSON(token, requiring: .any)
            #expect(verified.signatures.first?.keyID == Self.keys[bad == 0 ? 1 : 0].keyID)
            let name = try need(Self.keys[bad].keyID)
            expectRejection("signature-invalid") {
                _ = try verifier.verifyJSON(token, requiring: .each(of: [name]))
            }
            let explanation = verifier.explainJSON(token, requiring: .any)
            #expect(explanation.error == nil)
            #expect(explanation.description.contains("signature 1 skipped") == (bad == 0))
        }
    }

    @Test("swapped signatures, headers and payloads do not verify")
    func swapped() throws {
        let (first, verifier) = (try Self.token(), try Self.verifier())
        let second = try VectorValue(json: Self.token(payload: Array("other".utf8)))
        let list = try need(VectorValue(json: first)["signatures"]?.array)
        // Each signature in another's place.
        let turned = try list.indices.map { index in
            let entry = try VectorValue.edited(list[index].json) {
                $0["signature"] = list[(index + 1) % 3]["signature"]
            }
            return try VectorValue(json: entry)
        }
        for (name, value) in [
            ("payload", second["payload"]), ("signatures", second["signatures"]),
            ("signatures", .array(turned)),
        ] {
            let token = try VectorValue.edited(first) { $0[name] = value }
            for rule in [SignatureRequirement.any, .all, .each(of: ["sig-1"])] {
                expectRejection("signature-invalid", name) {
                    _ = try verifier.verifyJSON(token, requiring: rule)
                }
            }
        }
    }

    @Test("a signature that cannot be verified is skipped with its reason")
    func skipped() throws {
        // An unknown critical extension before a valid signature.
        let payload = Independent.base64URL(Self.payload)
        func entry(_ header: String, _ key: JWK) throws -> String {
            "{" + (try TestToken.signature(header, over: payload, by: key)) + "}"
        }
        let odd = [
            (#"{"alg":"RS256","crit":["x"],"x":1}"#, "unsupported"),
            (#"{"alg":"none"}"#, "algorithm-not-allowed"),
            (#"{"alg":"RS999","kid":"sig-1"}"#, "algorithm-not-allowed"),
            (#"{"alg":"RS256","kid":"nobody"}"#, "key-not-found"),
        ]
        let good = try entry(#"{"alg":"RS256","kid":"sig-1"}"#, TestKeys.signing)
        let verifier = try Self.verifier()
        for (header, code) in odd {
            let bad = try entry(header, TestKeys.signing)
            let both = "{\"payload\":\"\(payload)\",\"signatures\":[\(bad),\(good)]}"
            #expect(try verifier.verifyJSON(both, requiring: .any).payload == Self.payload)
            #expect(
                try verifier.verifyJSON(both, requiring: .each(of: ["sig-1"])).signatures.count
                    == 1)
            expectRejection(code) { _ = try verifier.verifyJSON(both, requiring: .all) }
            let text = verifier.explainJSON(both, requiring: .any).description
            #expect(text.contains("signature 1 skipped"), "\(text)")
            let alone = "{\"payload\":\"\(payload)\",\"signatures\":[\(bad)]}"
            expectRejection(code) { _ = try verifier.verifyJSON(alone, requiring: .any) }
        }
    }

    @Test("members that a signer must not write with a signature are rejected")
    func making() throws {
        let signer = try JWSSigner(
            key: TestKeys.signing, algorithm: .rs256, header: HeaderParameters(additional: ["x": 1])
        )
        for name in ["alg", "kid", "crit", "b64", "jwk", "typ", "x"] {
            expectRejection("misuse", name) {
                _ = try JWSJSONSigner.Signatory(signer: signer, unprotectedHeader: [name: "a"])
            }
        }
        expectRejection("misuse") {
            _ = try JWSJSONSigner.Signatory(signer: signer, unprotectedHeader: ["y": .double(.nan)])
        }
        let limits = JOSELimits.with { $0.tokenBytes = 1_000 }
        let small = try JWSJSONSigner(signatories: [.init(signer: signer)], limits: limits)
        expectRejection("limit-exceeded") {
            _ = try small.sign([UInt8](repeating: 0, count: 700), as: .flattened)
        }
        expectRejection("limit-exceeded") {
            _ = try small.sign([UInt8](repeating: 0, count: 2_000), as: .flattened)
        }
        #expect(try small.sign([1], as: .flattened).utf8.count <= 1_000)
    }
}
