// Detached payloads (RFC 7515, appendix F) and unencoded payloads (RFC 7797).

import JOSE
import Testing

@Suite("Detached and unencoded payloads")
struct DetachedPayloadTests {
    private static let signer = Result {
        try JWSSigner(key: TestKeys.signing, algorithm: .rs256)
    }
    private static let verifier = Result {
        try JWSVerifier.rs256(TestKeys.signing.publicKey)
    }

    @Test(
        "compact: signed and verified with a detached payload",
        arguments: [0, 1, 3, 1_000, 300_000])
    func compact(size: Int) throws {
        let (signer, verifier) = (try Self.signer.get(), try Self.verifier.get())
        let payload = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        for encoding in [PayloadEncoding.base64URL, .unencoded] {
            let token = try signer.signDetached(payload, encoding: encoding)
            #expect(TestToken.parts(token)[1].isEmpty)
            let verified = try verifier.verifyDetached(
                token, payload: payload, encodings: [encoding])
            #expect(verified.payload == payload)
            #expect(verified.keyID == "sig-1")
            let other: PayloadEncoding = encoding == .unencoded ? .base64URL : .unencoded
            expectRejection("unsupported") {
                _ = try verifier.verifyDetached(token, payload: payload, encodings: [other])
            }
            let both = try verifier.verifyDetached(
                token, payload: payload, encodings: [.base64URL, .unencoded])
            #expect(both.payload == payload)
            for wrong in [
                payload + [0], Array(payload.dropLast()), Array(payload.reversed()) + [1],
            ]
            where wrong != payload {
                expectRejection("signature-invalid") {
                    _ = try verifier.verifyDetached(token, payload: wrong, encodings: [encoding])
                }
            }
        }
    }

    @Test("a token with a payload is not detached, and vice versa")
    func notMixed() throws {
        let (signer, verifier) = (try Self.signer.get(), try Self.verifier.get())
        let payload = Array("hello".utf8)
        let whole = try signer.sign(payload)
        expectRejection("malformed") {
            _ = try verifier.verifyDetached(whole, payload: payload)
        }
        let apart = try signer.signDetached(payload)
        expectRejection("signature-invalid") { _ = try verifier.verify(apart) }
        #expect(
            TestToken.replacing(1, of: apart, by: TestToken.parts(whole)[1]) == whole)
        for form in [JSONForm.flattened, .general] {
            let json = try JWSJSONSigner(signatories: [.init(signer: signer)])
            let whole = try json.sign(payload, as: form)
            let apart = try json.signDetached(payload, as: form)
            expectRejection("malformed") {
                _ = try verifier.verifyDetachedJSON(whole, payload: payload, requiring: .any)
            }
            expectRejection("malformed") { _ = try verifier.verifyJSON(apart, requiring: .any) }
            #expect(
                try verifier.verifyDetachedJSON(apart, payload: payload, requiring: .any).payload
                    == payload)
            expectRejection("signature-invalid") {
                _ = try verifier.verifyDetachedJSON(apart, payload: payload + [0], requiring: .any)
            }
            // An empty string in its place, as other libraries write it, is not a payload, either.
            let empty = "{\"payload\":\"\"," + apart.dropFirst()
            #expect(
                try verifier.verifyDetachedJSON(empty, payload: payload, requiring: .any).payload
                    == payload)
            expectRejection("signature-invalid") {
                _ = try verifier.verifyJSON(empty, requiring: .any)
            }
        }
    }

    @Test("RFC 7797 5.2: the characters of an unencoded payload in a compact token")
    func unencodedCompact() throws {
        let (signer, verifier) = (try Self.signer.get(), try Self.verifier.get())
        for text in ["", "$-02", "{\"a\":[1, 2]}", " ~!\"#%&'()*+,-/:;<=>?@[\\]^_`{|}"] {
            let token = try signer.signUnencoded(text)
            #expect(TestToken.parts(token)[1] == text)
            let verified = try verifier.verifyUnencoded(token, encodings: [.unencoded])
            #expect(verified.payload == Array(text.utf8))
            #expect(try verified.header()["b64"] == false)
            #expect(try verified.header()["crit"] == ["b64"])
            expectRejection("unsupported") { _ = try verifier.verify(token) }
            expectRejection("unsupported") {
                _ = try verifier.verifyUnencoded(token, encodings: [.base64URL])
            }
        }
        for text in ["$.02", ".", "a\n", "\t", "ü", "\u{7f}", "\0"] {
            expectRejection("misuse") { _ = try signer.signUnencoded(text) }
            guard !text.contains(".") else { continue }
            // Signed like this by another implementation.
            let header = Independent.base64URL(
                #"{"alg":"RS256","b64":false,"crit":["b64"]}"#.utf8)
            let input = header + "." + text
            let signature = try TestToken.signature(Array(input.utf8), TestKeys.signing, .rs256)
            let token = input + "." + Independent.base64URL(signature)
            expectRejection("malformed") {
                _ = try verifier.verifyUnencoded(token, encodings: [.unencoded])
            }
        }
        let plain = try signer.sign("x")
        #expect(try verifier.verifyUnencoded(plain, encodings: [.base64URL]).payload == [0x78])
        expectRejection("unsupported") {
            _ = try verifier.verifyUnencoded(plain, encodings: [.unencoded])
        }
        expectRejection("unsupported") { _ = try verifier.verifyUnencoded(plain, encodings: []) }
    }

    @Test("RFC 7797 in JSON: any text, in every form")
    func unencodedJSON() throws {
        let (signer, verifier) = (try Self.signer.get(), try Self.verifier.get())
        let json = try JWSJSONSigner(signatories: [.init(signer: signer)])
        for text in ["", "$.02", "žluťoučký \"kůň\"\n\0", "a.b.c"] {
            for form in [JSONForm.flattened, .general] {
                let token = try json.sign(Array(text.utf8), as: form, encoding: .unencoded)
                let verified = try verifier.verifyJSON(
                    token, requiring: .all, encodings: [.unencoded])
                #expect(verified.payload == Array(text.utf8))
                expectRejection("unsupported") {
                    _ = try verifier.verifyJSON(token, requiring: .all)
                }
            }
        }
        expectRejection("misuse") {
            _ = try json.sign([0xff], as: .flattened, encoding: .unencoded)
        }
        let apart = try json.signDetached([0xff, 0], as: .flattened, encoding: .unencoded)
        let verified = try verifier.verifyDetachedJSON(
            apart, payload: [0xff, 0], requiring: .all, encodings: [.unencoded])
        #expect(verified.payload == [0xff, 0])
    }

    @Test("RFC 7797 3: all signers must use the same b64")
    func agreement() throws {
        let signer = try Self.signer.get()
        let json = try JWSJSONSigner(signatories: [.init(signer: signer)])
        let one = try need(VectorValue(json: json.sign(Array("abcd".utf8), as: .flattened)).object)
        let other = try need(
            VectorValue(
                json: json.sign(Array("YWJjZA".utf8), as: .flattened, encoding: .unencoded)
            ).object)
        // Both are over the same text, which one reads as base64url.
        #expect(one["payload"] == other["payload"])
        let entries = [one, other].map {
            VectorValue.object($0.filter { $0.key != "payload" })
        }
        let verifier = try Self.verifier.get()
        for list in [entries, entries.reversed()] {
            let token = VectorValue.object([
                "payload": try need(one["payload"]), "signatures": .array(list),
            ]).json
            for encodings in [[PayloadEncoding.base64URL], [.unencoded], [.base64URL, .unencoded]] {
                for rule in [SignatureRequirement.any, .all] {
                    expectRejection("malformed") {
                        _ = try verifier.verifyJSON(token, requiring: rule, encodings: encodings)
                    }
                }
            }
        }
    }

    @Test(
        "invalid uses of b64 are rejected",
        arguments: [
            (#"{"alg":"RS256","b64":false}"#, "malformed"),
            (#"{"alg":"RS256","b64":true}"#, "malformed"),
            (#"{"alg":"RS256","b64":0,"crit":["b64"]}"#, "malformed"),
            (#"{"alg":"RS256","b64":"false","crit":["b64"]}"#, "malformed"),
            (#"{"alg":"RS256","b64":null,"crit":["b64"]}"#, "malformed"),
            (#"{"alg":"RS256","b64":false,"crit":[]}"#, "malformed"),
            (#"{"alg":"RS256","b64":false,"crit":"b64"}"#, "malformed"),
            (#"{"alg":"RS256","b64":false,"crit":["b64","b64"]}"#, "malformed"),
            (#"{"alg":"RS256","b64":false,"crit":["x"],"x":1}"#, "malformed"),
            (#"{"alg":"RS256","crit":["b64"]}"#, "malformed"),
            (#"{"alg":"RS256","b64":false,"crit":["b64","alg"]}"#, "malformed"),
            (#"{"alg":"RS256","b64":false,"crit":["b64","x"],"x":1}"#, "unsupported"),
            (#"{"alg":"RS256","b64":true,"crit":["b64"]}"#, "unsupported"),
            (#"{"alg":"RS256"}"#, "unsupported"),
            (#"{"alg":"RS256","b64":false,"crit":["\u00624"]}"#, "malformed"),
            (#"{"alg":"RS256","\u0062\u00364":false,"crit":["b\u00364"]}"#, "accepted"),
            (#"{"alg":"none","b64":false,"crit":["b64"]}"#, "algorithm-not-allowed"),
        ])
    func headers(header: String, wanted: String) throws {
        let protected = Independent.base64URL(header.utf8)
        let input = Array((protected + ".hello").utf8)
        let signature = Independent.base64URL(
            try TestToken.signature(input, TestKeys.signing, .rs256))
        let verifier = try JWSVerifier.rs256()
        let verdicts = try [
            Rejection.verdict {
                _ = try verifier.verifyDetached(
                    "\(protected)..\(signature)", payload: Array("hello".utf8),
                    encodings: [.unencoded])
            },
            Rejection.verdict {
                _ = try verifier.verifyUnencoded(
                    "\(protected).hello.\(signature)", encodings: [.unencoded])
            },
            Rejection.verdict {
                _ = try verifier.verifyJSON(
                    "{\"payload\":\"hello\",\"protected\":\"\(protected)\",\"signature\":\"\(signature)\"}",
                    requiring: .all, encodings: [.unencoded])
            },
        ]
        #expect(verdicts == [wanted, wanted, wanted])
    }
}
