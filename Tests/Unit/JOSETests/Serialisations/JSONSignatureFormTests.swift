// Hostile JWS in JSON: syntax, headers, mixed forms, corruption of every member.

import JOSE
import Testing

@Suite("JWS in JSON: syntax")
struct JSONSignatureFormTests {
    private static let verifier = Result {
        try JWSVerifier.rs256()
    }
    private static let payload = Independent.base64URL("hello".utf8)

    /// The protected header and the signature over it and the payload, base64url.
    private static func signed(
        _ header: String?, _ payload: String = payload
    ) throws -> (protected: String, signature: String) {
        let protected = header.map { Independent.base64URL($0.utf8) } ?? ""
        let signature = try TestToken.signature(
            Array((protected + "." + payload).utf8), TestKeys.signing, .rs256)
        return (protected, Independent.base64URL(signature))
    }

    private func verdict(
        _ token: String, _ position: AlgorithmLocation = .protectedHeader
    ) throws -> String {
        let verifier = try Self.verifier.get()
        let verdicts = try [SignatureRequirement.any, .all].map { rule in
            try Rejection.verdict {
                _ = try verifier.verifyJSON(token, requiring: rule, algorithmLocation: position)
            }
        }
        #expect(verdicts[0] == verdicts[1])
        return verdicts[0]
    }

    /// The members of a valid flattened token: p(rotected), y for the payload, s(ignature).
    private func parts() throws -> (p: String, y: String, s: String) {
        let (protected, signature) = try Self.signed(#"{"alg":"RS256"}"#)
        return (
            "\"protected\":\"\(protected)\"", "\"payload\":\"\(Self.payload)\"",
            "\"signature\":\"\(signature)\""
        )
    }

    @Test("white space, order, escapes and unknown members change nothing")
    func accepted() throws {
        let (p, y, s) = try parts()
        let escaped = p.replacingOccurrences(of: "\"ey", with: "\"\\u0065\\u0079")
        for token in [
            "{\(p),\(y),\(s)}", " {\n\(s) ,\t\(y),\r\n\(p)}\n", "{\(escaped),\(y),\(s)}",
            "{\(p),\(y),\(s),\"unknown\":[{\"alg\":\"none\"}]}",
            "{\(p),\(y),\(s),\"alg\":\"none\"}",
            "{\(y),\"signatures\":[{\(p),\(s)}]}", "{\(y),\"signatures\":[{\(p),\(s),\"x\":null}]}",
            "{\(p),\(y),\(s),\"header\":{\"kid\":\"any\",\"x\":{\"alg\":\"none\"}}}",
        ] {
            #expect(try verdict(token) == "accepted", "\(token)")
        }
    }

    @Test("RFC 7515 7.2: input that is not a JWS in JSON is rejected")
    func malformed() throws {
        let (p, y, s) = try parts()
        let general = "\"signatures\":[{\(p),\(s)}]"
        for token in [
            "", " ", "null", "[]", "\"x\"", "{}", "{\(y)}", "{\(p),\(y)}",
            "{\(y),\"signatures\":{}}",
            "{\(y),\"signatures\":null}", "{\(y),\"signatures\":[]}",
            "{\(y),\"signatures\":[null]}",
            "{\(y),\"signatures\":[[]]}", "{\(y),\"signatures\":[{}]}",
            "{\(y),\"signatures\":[{\(p)}]}", "{\(y),\"signatures\":[{\(p),\(s)},{\(p)}]}",
            "{\(y),\"signatures\":[{\(p),\(s)},5]}",
            // Without a payload, and with one of another type.
            "{\(p),\(s)}", "{\(p),\(s),\"payload\":null}", "{\(p),\(s),\"payload\":5}",
            "{\(p),\(s),\"payload\":{}}", "{\(p),\(s),\"payload\":[\"aGVsbG8\"]}",
            // Members of a wrong type.
            "{\(y),\(p),\"signature\":5}", "{\(y),\(p),\"signature\":null}",
            "{\(y),\(s),\"protected\":null}", "{\(y),\(s),\"protected\":{\"alg\":\"RS256\"}}",
            "{\(y),\(s),\(p),\"header\":null}", "{\(y),\(s),\(p),\"header\":\"e30\"}",
            "{\(y),\(s),\(p),\"header\":[]}", "{\(y),\(s),\(p),\"header\":{}}",
            // Empty parts must be omitted.
            "{\(y),\(s),\"protected\":\"\"}", "{\(y),\(s),\"protected\":\"e30\"}",
            // Text that is not base64url.
            "{\(y),\(p),\"signature\":\"a\"}", "{\(y),\(p),\"signature\":\"a=\"}",
            "{\(y),\(p),\"signature\":\"ab+/\"}", "{\(y),\(p),\"signature\":\"QR\"}",
            "{\(y),\(s),\"protected\":\"eyJhbGciOiJSUzI1NiJ9=\"}",
            "{\(y),\(s),\"protected\":\"eyJhbGciOiJSUzI1NiJ9 \"}",
            "{\(y),\(s),\"protected\":\"eyJhbGciOiJSUzI1NiJ\"}",
            // Mixed forms, and members of encrypted tokens.
            "{\(y),\(general),\(s)}", "{\(y),\(general),\(p)}",
            "{\(y),\(general),\"header\":{\"x\":1}}",
            "{\(y),\"signatures\":[{\(p),\(s),\(y)}]}",
            "{\(y),\"signatures\":[{\(p),\(s),\(general)}]}",
            "{\(y),\(p),\(s),\"ciphertext\":\"\"}", "{\(y),\(p),\(s),\"recipients\":[]}",
            "{\(y),\(p),\(s),\"encrypted_key\":\"\"}", "{\(y),\(p),\(s),\"iv\":\"\"}",
            "{\(y),\(p),\(s),\"tag\":\"\"}", "{\(y),\(p),\(s),\"aad\":\"\"}",
            "{\(y),\(p),\(s),\"unprotected\":{\"x\":1}}",
            // Names that a compact reader could take for a token.
            "{\(y),\(p),\(s),\"a.b.c\":1}", "{\(y),\(p),\(s),\"a\\u002eb\":1}",
            "{\(y),\"signatures\":[{\(p),\(s),\"a.b.c\":1}]}",
            // Not strict JSON.
            "{\(y),\(p),\(s)}x", "{\(y),\(p),\(s),}", "{\(y),\(p),\(s)", "{\(y),\(p),\(s)}{}",
            "\u{feff}{\(y),\(p),\(s)}", "{\(y),\(p),\(s)}\0", "// \n{\(y),\(p),\(s)}",
        ] {
            #expect(try verdict(token) == "malformed", "\(token)")
        }
    }

    @Test("a duplicate member is rejected, at any depth and in any spelling")
    func duplicates() throws {
        let (p, y, s) = try parts()
        for token in [
            "{\(y),\(y),\(p),\(s)}", "{\(y),\(p),\(p),\(s)}", "{\(y),\(p),\(s),\(s)}",
            "{\(y),\"\\u0070ayload\":\"\",\(p),\(s)}", "{\(y),\(p),\(s),\"x\":{\"a\":1,\"a\":1}}",
            "{\(y),\(p),\(s),\"header\":{\"x\":1,\"x\":1}}",
            "{\(y),\"signatures\":[{\(p),\(s)}],\"signatures\":[{\(p),\(s)}]}",
            "{\(y),\"signatures\":[{\(p),\(s),\(s)}]}",
        ] {
            #expect(try verdict(token) == "malformed", "\(token)")
        }
    }

    @Test("RFC 7515 7.2.1: a member is in one part of the header, and some must be protected")
    func headers() throws {
        for (protected, unprotected, wanted) in [
            (#"{"alg":"RS256"}"#, #"{"alg":"RS256"}"#, "malformed"),
            (#"{"alg":"RS256"}"#, #"{"\u0061lg":"RS256"}"#, "malformed"),
            (#"{"alg":"RS256","x":1}"#, #"{"x":1}"#, "malformed"),
            (#"{"alg":"RS256","x":1}"#, #"{"\u0078":1}"#, "malformed"),
            (#"{"alg":"RS256","kid":"a"}"#, #"{"kid":"b"}"#, "malformed"),
            (#"{"alg":"RS256"}"#, #"{"crit":["x"],"x":1}"#, "malformed"),
            (#"{"alg":"RS256"}"#, #"{"b64":true}"#, "malformed"),
            (#"{"alg":"RS256"}"#, #"{"b64":false}"#, "malformed"),
            (#"{"alg":"RS256","crit":["b64"]}"#, #"{"b64":false}"#, "malformed"),
            (#"{"alg":"RS256"}"#, #"{"kid":5}"#, "malformed"),
            (#"{"alg":"RS256"}"#, #"{"typ":null}"#, "malformed"),
            (#"{"kid":"a"}"#, #"{"alg":"RS256"}"#, "malformed"),
            (#"{"kid":"a"}"#, #"{"x":1}"#, "malformed"),
            (#"["alg","RS256"]"#, #"{"alg":"RS256"}"#, "malformed"),
            (#""alg":"RS256"},{"x":1"#, #"{"y":1}"#, "malformed"),
            (#"{"alg":"RS256","crit":["x"],"x":1}"#, #"{"y":1}"#, "unsupported"),
            (#"{"alg":"RS256","crit":["b64"],"b64":false}"#, #"{"y":1}"#, "unsupported"),
            (#"{"alg":"RS256","crit":["b64"],"b64":true}"#, #"{"y":1}"#, "unsupported"),
            (
                #"{"alg":"RS256"}"#, #"{"kid":"\#(String(repeating: "k", count: 1_025))"}"#,
                "limit-exceeded"
            ),
            (
                #"{"alg":"RS256"}"#, #"{"x":"\#(String(repeating: "k", count: 16_500))"}"#,
                "limit-exceeded"
            ),
            (#"{"alg":"RS256"}"#, #"{"alg ":"none","Alg":"none"}"#, "accepted"),
        ] {
            let (text, signature) = try Self.signed(protected)
            let token = """
                {"payload":"\(Self.payload)","protected":"\(text)","header":\(unprotected),\
                "signature":"\(signature)"}
                """
            #expect(try verdict(token) == wanted, "\(protected) \(unprotected.prefix(60))")
        }
    }

    @Test("an unprotected alg is read only if the caller allows it")
    func unprotectedAlgorithm() throws {
        let (_, signature) = try Self.signed(nil)
        let token =
            "{\"payload\":\"\(Self.payload)\",\"header\":{\"alg\":\"RS256\"},"
            + "\"signature\":\"\(signature)\"}"
        #expect(try verdict(token) == "malformed")
        #expect(try verdict(token, .anyHeader) == "accepted")
        let verified = try Self.verifier.get().verifyJSON(
            token, requiring: .all, algorithmLocation: .anyHeader)
        #expect(verified.signatures.first?.header == nil)
        #expect(verified.signatures.first?.unprotectedHeader == ["alg": "RS256"])
        for other in ["none", "RS384", "HS256", "rs256"] {
            let changed = token.replacingOccurrences(of: "RS256", with: other)
            #expect(try verdict(changed, .anyHeader) == "algorithm-not-allowed", "\(other)")
        }
        // crit must be protected all the same.
        let critical = token.replacingOccurrences(
            of: "\"alg\"", with: "\"crit\":[\"x\"],\"x\":1,\"alg\"")
        #expect(try verdict(critical, .anyHeader) == "malformed")
    }

    @Test("a syntax error in one signature rejects the whole token, in any position")
    func wholeRejected() throws {
        let (p, y, s) = try parts()
        let bad = [
            "{\(p)}", "{\(p),\"signature\":\"!\"}", "{\(s),\"protected\":\"e30\"}", "{\(s)}",
            "{\(p),\(s),\"header\":{\"alg\":\"RS256\"}}", "{\(p),\(s),\"header\":{\"crit\":[]}}",
            "5",
        ]
        for entry in bad {
            for list in ["\(entry),{\(p),\(s)}", "{\(p),\(s)},\(entry)"] {
                #expect(try verdict("{\(y),\"signatures\":[\(list)]}") == "malformed", "\(list)")
            }
        }
    }

    @Test("compact tokens are not JSON, and JSON is not a compact token")
    func neverGuessed() throws {
        let verifier = try Self.verifier.get()
        let compact = try TestToken.signed(#"{"alg":"RS256"}"#, "hello")
        expectRejection("malformed") { _ = try verifier.verifyJSON(compact, requiring: .any) }
        expectRejection("malformed") {
            _ = try verifier.verifyJSON("\"\(compact)\"", requiring: .any)
        }
        expectRejection("malformed") {
            _ = try verifier.verifyDetachedJSON(compact, payload: [], requiring: .any)
        }
        let (p, y, s) = try parts()
        expectRejection("malformed") { _ = try verifier.verify("{\(p),\(y),\(s)}") }
        expectRejection("malformed") {
            _ = try verifier.verifyDetached("{\(p),\(s)}", payload: [])
        }
        // All published vectors in JSON, passed to the compact functions.
        let decrypter = try JWEDecrypter.rsa()
        for entry in VectorFile.all.flatMap(\.vectors) {
            for form in ["general", "flattened"] {
                guard let token = entry.output[form]?.json else { continue }
                expectRejection("malformed", entry.id) { _ = try verifier.verify(token) }
                expectRejection("malformed", entry.id) { _ = try decrypter.decrypt(token) }
            }
        }
    }

    @Test("limits: size, depth, and the number of signatures before any of them is read")
    func limits() throws {
        let (p, y, s) = try parts()
        let deep = String(repeating: "[", count: 40) + String(repeating: "]", count: 40)
        #expect(try verdict("{\(p),\(y),\(s),\"x\":\(deep)}") == "limit-exceeded")
        let blank = String(repeating: " ", count: 262_144)
        #expect(try verdict("{\(p),\(y),\(s)}" + blank) == "limit-exceeded")
        let many = Array(repeating: "5", count: 17).joined(separator: ",")
        #expect(try verdict("{\(y),\"signatures\":[\(many)]}") == "limit-exceeded")
        #expect(
            try verdict("{\(y),\"signatures\":[{\(p),\(s),\"header\":{\"x\":\(deep)}}]}")
                == "limit-exceeded")
    }

    @Test("every byte of a token counts or changes no meaning")
    func everyByte() throws {
        let verifier = try Self.verifier.get()
        let (p, y, s) = try parts()
        let token = Array("{\(y),\"signatures\":[{\(p),\(s)}]}".utf8)
        var generator = SeededGenerator(seed: SeededGenerator.seed(for: "JSON signatures"))
        var accepted = 0
        for index in token.indices {
            var changed = token
            changed[index] ^= UInt8(1 << Int.random(in: 0..<7, using: &generator))
            let verdict = try Rejection.verdict {
                let text = String(decoding: changed, as: UTF8.self)
                _ = try verifier.verifyJSON(text, requiring: .any)
            }
            if verdict == "accepted" { accepted += 1 }
            #expect(
                ["malformed", "signature-invalid", "algorithm-not-allowed"].contains(verdict),
                "\(index)")
        }
        #expect(accepted == 0)
    }
}
