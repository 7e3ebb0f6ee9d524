// Protected headers: accepted, ignored and rejected members.

import JOSE
import Testing

@Suite("Protected headers")
struct HeaderTests {
    /// The result for a validly signed token with this header.
    private func verdict(_ header: String) throws -> String {
        let verifier = try JWSVerifier.rs256()
        let token = try TestToken.signed(header, "{}")
        return try Rejection.verdict { _ = try verifier.verify(token) }
    }

    @Test(
        "RFC 7515 4.1.11: crit is validated",
        arguments: [
            (#"["x"],"x":1"#, "unsupported"), (#"["exp"],"exp":1"#, "unsupported"),
            (#"["x","y"],"x":1,"y":2"#, "unsupported"), (#"["\u0078"],"x":1"#, "unsupported"),
            (#"["b64"],"b64":false"#, "unsupported"), (#"["b64"],"b64":true"#, "unsupported"),
            ("[]", "malformed"), ("null", "malformed"), (#""x""#, "malformed"), ("{}", "malformed"),
            ("true", "malformed"), (#"["x"]"#, "malformed"), (#"["x","x"],"x":1"#, "malformed"),
            (#"["x","\u0078"],"x":1"#, "malformed"), (#"[""],"":1"#, "malformed"),
            (#"["alg"]"#, "malformed"), (#"["kid"],"kid":"a""#, "malformed"),
            (#"["crit"]"#, "malformed"), (#"["x5t#S256"],"x5t#S256":"a""#, "malformed"),
            (#"["p2c"],"p2c":1"#, "malformed"), (#"[1],"1":1"#, "malformed"),
            (#"[["x"]],"x":1"#, "malformed"), (#"[null],"null":1"#, "malformed"),
            (#"["x",1],"x":1"#, "malformed"), (#"["X"],"x":1"#, "malformed"),
            // Values are not names, and members after crit are not in crit.
            (#"["x"],"y":"x""#, "malformed"), (#"["x"],"b64":false,"x":1"#, "malformed"),
        ])
    func critical(_ value: String, _ wanted: String) throws {
        #expect(try verdict(#"{"alg":"RS256","crit":\#(value)}"#) == wanted)
        #expect(try verdict(#"{"crit":\#(value),"alg":"RS256"}"#) == wanted, "crit before alg")
        // An unknown algorithm does not hide the error.
        #expect(try verdict(#"{"alg":"none","crit":\#(value)}"#) == wanted)
    }

    @Test(
        "RFC 7797 6: b64 is a boolean and is listed in crit",
        arguments: ["false", "true", "null", "0", #""false""#, "{}", "[]"])
    func unencoded(_ value: String) throws {
        #expect(try verdict(#"{"alg":"RS256","b64":\#(value)}"#) == "malformed")
    }

    @Test(
        "RFC 7515 4.1: the members that affect processing are strings",
        arguments: ["alg", "kid", "typ", "cty", "enc", "zip"])
    func types(_ name: String) throws {
        for value in ["1", "null", "true", "[]", "{}", #"["RS256"]"#] {
            let rest = name == "alg" ? "" : #","alg":"RS256""#
            #expect(
                try verdict("{\"\(name)\":\(value)\(rest)}") == "malformed", "\(name): \(value)")
        }
    }

    @Test("RFC 7515 4.1.1: alg is required") func algorithmMissing() throws {
        #expect(try verdict("{}") == "malformed")
        #expect(try verdict(#"{"Alg":"RS256"}"#) == "malformed")
        #expect(try verdict(#"{"alg\u0000":"RS256"}"#) == "malformed")
        #expect(try verdict(#"{"\u0000alg":"RS256"}"#) == "malformed")
        // A name is compared after unescaping (RFC 8259 section 8.3).
        #expect(try verdict(#"{"\u0061lg":"RS256"}"#) == "accepted")
        #expect(try verdict(#"{"alg":"\u0052S256"}"#) == "accepted")
    }

    @Test(
        "RFC 7515 4: duplicate names are rejected at any depth",
        arguments: [
            #"{"alg":"RS256","alg":"RS256"}"#, #"{"alg":"none","alg":"RS256"}"#,
            #"{"alg":"RS256","\u0061lg":"none"}"#, #"{"alg":"RS256","x":1,"x":1}"#,
            #"{"alg":"RS256","x":{"y":1,"y":2}}"#, #"{"alg":"RS256","x":[{"y":[{"z":1,"z":1}]}]}"#,
        ])
    func duplicates(_ header: String) throws { #expect(try verdict(header) == "malformed") }

    @Test(
        "RFC 8259: the header is one strict JSON object",
        arguments: [
            "", " ", "[]", "null", "1", #""RS256""#, #"["alg","RS256"]"#, #"{"alg":"RS256"} x"#,
            #"{"alg":"RS256"}{}"#, #"{"alg":"RS256",}"#, #"{'alg':'RS256'}"#, #"{alg:"RS256"}"#,
            #"{"alg":"RS256","x":01}"#, #"{"alg":"RS256","x":1.}"#, #"{"alg":"RS256","x":.5}"#,
            #"{"alg":"RS256","x":+1}"#, #"{"alg":"RS256","x":NaN}"#, #"{"alg":"RS256","x":tru}"#,
            #"{"alg":"RS256","x":"\x"}"#, #"{"alg":"RS256","x":"\ud800"}"#,
            "{\"alg\":\"RS256\",\"x\":\"\n\"}",
            #"{"alg":"RS256"/**/}"#, "\u{feff}{\"alg\":\"RS256\"}", "{\"alg\":\"RS256\"}\u{0}",
        ])
    func strictJSON(_ header: String) throws { #expect(try verdict(header) == "malformed") }

    @Test(
        "RFC 7515 4.1.2 to 4.1.8: keys and URLs in a token are ignored",
        arguments: [
            #""jku":"https://attacker.example/keys""#, #""x5u":"file:///etc/passwd""#,
            #""jwk":{"kty":"oct","k":"AAAA"}"#, #""x5c":["MIIB"]"#, #""x5t":"AAAA""#,
            #""x5t#S256":"AAAA""#, #""x":{"y":[1,2,{}]}"#, #""jku":1"#, #""jwk":null"#,
        ])
    func ignored(_ member: String) throws {
        #expect(try verdict(#"{"alg":"RS256",\#(member)}"#) == "accepted")
    }

    @Test(
        "RFC 7515 4: a registered name cannot be set as an additional parameter",
        arguments: [
            "alg", "enc", "zip", "jku", "jwk", "kid", "x5u", "x5c", "x5t", "x5t#S256", "typ", "cty",
            "crit",
            "b64", "epk", "apu", "apv", "iv", "tag", "p2s", "p2c",
        ])
    func reserved(_ name: String) throws {
        let header = HeaderParameters(additional: [name: "x"])
        let signer = try JWSSigner(key: TestKeys.signing, algorithm: .rs256)
        let recipient = try TestKeys.decrypting.publicKey
        let encrypter = try JWEEncrypter.with(recipient, .rsaOAEP, .a128CBCHS256)
        expectRejection("misuse", name) { _ = try signer.sign([], header: header) }
        expectRejection("misuse", name) { _ = try encrypter.encrypt([], header: header) }
        expectRejection("misuse", name) {
            _ = try JWSSigner(key: TestKeys.signing, algorithm: .rs256, header: header)
        }
        expectRejection("misuse", name) {
            _ = try JWEEncrypter(
                key: recipient, algorithm: .rsaOAEP, content: .a128CBCHS256, header: header)
        }
    }

    @Test("the header of a signed token is read back") func additional() throws {
        let members: [String: JSONValue] = [
            "x": 1, "ü \"quoted\"\n": ["a", nil, true, 1.5], "nested": ["deep": ["er": "value"]],
        ]
        let header = HeaderParameters(
            type: "secevent+jwt", contentType: "text/plain", additional: members)
        let signer = try JWSSigner(key: TestKeys.signing, algorithm: .rs256, header: header)
        let verified = try JWSVerifier.rs256(TestKeys.signing.publicKey)
            .verify(signer.sign("x"))
        let read = try verified.header()
        #expect(read.algorithm == "RS256")
        #expect(read.keyID == "sig-1")
        #expect(read.type == "secevent+jwt")
        #expect(read.contentType == "text/plain")
        #expect(read.encryption == nil)
        for (name, value) in members { #expect(read[name] == value) }
        #expect(verified.keyID == "sig-1")
        // Another header for one token replaces it.
        let plain = try signer.sign(Array("x".utf8), header: HeaderParameters())
        #expect(
            TestToken.parts(plain)[0]
                == Independent.base64URL(#"{"alg":"RS256","kid":"sig-1"}"#.utf8))
    }

    @Test("values that JSON cannot represent are rejected, and JWE headers take parameters, too")
    func written() throws {
        let encrypter = try JWEEncrypter.rsa()
        for value in [JSONValue.double(.nan), .double(.infinity), .number("1x"), [.double(.nan)]] {
            let header = HeaderParameters(additional: ["x": value])
            expectRejection("misuse") { _ = try encrypter.encrypt([], header: header) }
        }
        let token = try encrypter.encrypt(
            [1], header: HeaderParameters(contentType: "text/plain", additional: ["x": 1]))
        let opened = try AttackRunner.decrypter(TestKeys.decrypting).decrypt(token)
        #expect(opened.unauthenticatedPlaintext == [1])
        #expect(try opened.header()["x"] == 1)
        #expect(try opened.header().encryption == .a128CBCHS256)
    }

    @Test("an unverified header is read as strictly and accepts nothing")
    func unverified() throws {
        let limits = JOSELimits.standard
        for (header, wanted) in [
            (#"{"alg":"none"}"#, "accepted"), (#"{"alg":"x","enc":"y","zip":"DEF"}"#, "accepted"),
            ("{}", "malformed"), (#"{"alg":1}"#, "malformed"),
            (#"{"alg":"a","alg":"a"}"#, "malformed"),
            (#"{"alg":"a","crit":["x"],"x":1}"#, "unsupported"), (#"{"alg":"a"}x"#, "malformed"),
            ("{\"alg\":\"\(String(repeating: "x", count: 13_000))\"}", "limit-exceeded"),
        ] {
            let part = Independent.base64URL(header.utf8)
            let got = try Rejection.verdict {
                let read = try UnverifiedHeader.readJWS("\(part)..".utf8.span, limits: limits)
                #expect(read == Array(header.utf8))
                #expect(
                    try UnverifiedHeader.readJWE("\(part)....".utf8.span, limits: limits) == read)
            }
            #expect(got == wanted, "\(header.prefix(40))")
        }
        for token in ["", ".", "a.b", "....", "a.b.c.d"] {
            expectRejection("malformed") {
                _ = try UnverifiedHeader.readJWS(token.utf8.span, limits: limits)
            }
        }
        // After a valid header: too few parts, and too many, near the end and far from it.
        let (good, far) = (
            Independent.base64URL(#"{"alg":"x"}"#.utf8), String(repeating: "e", count: 100)
        )
        for rest in ["", ".", "..", "b.c.d.e.f", "b.c.d.e.\(far)", "b.c.\(far).e.f", "..\(far)..."]
        {
            let error = expectRejection("malformed", rest) {
                _ = try UnverifiedHeader.readJWE("\(good).\(rest)".utf8.span, limits: limits)
            }
            #expect(error?.step == .token)
        }
    }

    @Test("RFC 7516 4.1.2: enc is required") func encryptionMissing() throws {
        let decrypter = try JWEDecrypter.rsa()
        for header in [
            #"{"alg":"RSA-OAEP"}"#, #"{"alg":"RSA-OAEP","enc":1}"#, #"{"enc":"A128CBC-HS256"}"#,
        ] {
            let token = try TestToken.encrypted(header, "x")
            expectRejection("malformed", header) { _ = try decrypter.decrypt(token) }
        }
    }
}
