// Error texts for a reader who sees them for the first time: the name of the limit, what a token
// seems to be, which part is not base64url, the path in the claims, and what to omit.

import Foundation
import JOSE
import JOSEFoundation
import Testing

@Suite("Error texts")
struct ErrorTextTests {
    private static let verifier = Result {
        try JWSVerifier.rs256(TestKeys.signing.publicKey)
    }
    private static let signed = Result {
        try JWSSigner(key: TestKeys.signing, algorithm: .rs256).sign("payload")
    }
    private static let encrypted = Result {
        try JWEEncrypter.rsa().encrypt("plaintext")
    }

    private static let decrypter = Result {
        try JWEDecrypter.rsa(TestKeys.decrypting)
    }

    private func rejection(_ body: () throws -> Void) -> String {
        do {
            try body()
            return "accepted"
        } catch {
            return "\(error)"
        }
    }

    @Test("an exceeded limit is named") func limits() throws {
        let key = TestKeys.signing
        let token = try Self.signed.get()
        let sealed = try Self.encrypted.get()
        let json = try TestKeys.signing.publicKey.publicJSON()
        let set = #"{"keys":[\#(json)]}"#
        func verify(_ limits: JOSELimits) throws -> Any {
            try JWSVerifier(key: key.publicKey, algorithms: [.rs256], limits: limits).verify(token)
        }
        func decrypt(_ limits: JOSELimits) throws -> Any {
            try JWEDecrypter.rsa(TestKeys.decrypting, limits: limits).decrypt(sealed)
        }
        func sign(_ limits: JOSELimits) throws -> Any {
            try JWSSigner(key: key, algorithm: .rs256, limits: limits).sign("payload")
        }
        let cases: [(String, (JOSELimits) throws -> Any, (inout JOSELimits) -> Void)] = [
            ("tokenBytes", verify, { $0.tokenBytes = 40 }),
            ("headerBytes", verify, { $0.headerBytes = 10 }),
            ("keyIDBytes", verify, { $0.keyIDBytes = 1 }),
            ("jsonDepth", verify, { $0.jsonDepth = 0 }),
            ("tokenBytes", decrypt, { $0.tokenBytes = 40 }),
            ("tokenBytes", sign, { $0.tokenBytes = 40 }),
            ("keySetBytes", { try JWK(json: json, limits: $0) }, { $0.keySetBytes = 9 }),
            ("keyIDBytes", { try JWK(json: json, limits: $0) }, { $0.keyIDBytes = 1 }),
            ("keySetBytes", { try PublicJWKSet(json: set, limits: $0) }, { $0.keySetBytes = 9 }),
            ("keyCount", { try PublicJWKSet(json: set, limits: $0) }, { $0.keyCount = 0 }),
            (
                "chainCount", { try JWK(certificates: [[0], [0]], limits: $0) },
                { $0.chainCount = 1 }
            ),
        ]
        for (name, body, change) in cases {
            let text = rejection { _ = try body(.with(change)) }
            #expect(
                text.hasPrefix("limit-exceeded at ") && text.contains("JOSELimits.\(name)"),
                "\(text)")
        }
    }

    @Test("a token of another form is named for what it seems to be") func forms() throws {
        let verifier = try Self.verifier.get()
        let decrypter = try Self.decrypter.get()
        let (signed, sealed) = (try Self.signed.get(), try Self.encrypted.get())
        let (jws, jwe) = (
            "a compact JWS has 3 parts with dots between them, not",
            "a compact JWE has 5 parts with dots between them, not"
        )
        // The same texts are in explanations: TextExplanationTests.
        for (text, asJWS, asJWE) in [
            (sealed, "a JWS has 3 parts; this has the 5 of a JWE: it is encrypted", nil),
            (signed, nil, "a JWE has 5 parts; this has the 3 of a JWS: it is not encrypted"),
            ("a", "\(jws) 1; was it cut off?", "\(jwe) 1; was it cut off?"),
            ("a.b.c.d", "\(jws) 4; was it cut off?", "\(jwe) 4; was it cut off?"),
            (
                "a.b.c.d.e.f", "a compact JWS has 3 parts, not 6 or more",
                "a compact JWE has 5 parts, not 6 or more"
            ), ("", "the token is empty", "the token is empty"),
        ] as [(String, String?, String?)] {
            if let asJWS {
                let said = rejection { _ = try verifier.verify(text) }
                #expect(said == "malformed at token: \(asJWS)")
            }
            if let asJWE {
                let said = rejection { _ = try decrypter.decrypt(text) }
                #expect(said == "malformed at token: \(asJWE)")
            }
        }
    }

    @Test("padding, the other alphabet and other characters are named in a signature")
    func alphabets() throws {
        let (verifier, signed) = (try Self.verifier.get(), try Self.signed.get())
        let start = signed.dropLast(4)
        for (token, reason) in [
            (signed + "=", "padding (=) at offset 342; remove it"),
            (signed + "\"", "quotation mark at offset 342; remove the quotation marks"),
            (start + "+AAA", "+ or / at offset 338; base64url has - and _ instead"),
            (start + "/AAA", "+ or / at offset 338; base64url has - and _ instead"),
            (start + "!AAA", "invalid character at offset 338"),
        ] {
            #expect(
                rejection { _ = try verifier.verify(token) }
                    == "malformed at signature: the signature is not base64url: \(reason)")
        }
    }

    @Test("PEM for a JWK, a set for a key and a key for a set are named")
    func keyTexts() throws {
        let pem = "-----BEGIN PUBLIC KEY-----\nMFkw\n-----END PUBLIC KEY-----\n"
        let one = try TestKeys.signing.publicKey.publicJSON()
        let own = try JWKSet(keys: [TestKeys.signing]).privateJSON()
        let isPEM = "this is PEM, not JSON: use KeyFileContents"
        let isText =
            "the number at byte 0 (line 1, column 1) violates the JSON grammar"
        let isOne = "this is one JWK, not a set: use JWK"
        let key = { _ = try JWK(json: $0) } as (String) throws -> Void
        let keys = { _ = try JWKSet(json: $0) } as (String) throws -> Void
        let published = { _ = try PublicJWKSet(json: $0) } as (String) throws -> Void
        let set = "this is a JWK Set, not one JWK: use JWKSet or PublicJWKSet"
        for (read, text, said) in [
            (key, pem, "malformed at key: \(isPEM)"), (keys, pem, "malformed at key-set: \(isPEM)"),
            (published, pem, "malformed at key-set: \(isPEM)"),
            (key, "-----BEGIN", "malformed at key: \(isText)"),
            (published, "-----BEGIN", "malformed at key-set: \(isText)"),
            (key, #"{"keys":[\#(one)]}"#, "malformed at key: \(set)"),
            (published, one, "malformed at key-set: \(isOne)"),
            (keys, one, "malformed at key-set: \(isOne)"),
            (
                published, own,
                "key-unusable at key-set: key 1 of a public key set is private or symmetric "
                    + "(member d): publish JWKSet.publicKeys, and replace every private key that "
                    + "was exposed"
            ),
        ] {
            #expect(rejection { try read(text) } == said)
        }
        for read in [key, keys, published] {
            #expect(!rejection { try read("{}") }.contains("this is"))
        }
    }

    @Test("a set without keys is reported as such, with and without kid") func emptySets() throws {
        let verifier = try JWSVerifier.rs256(keys: PublicJWKSet(json: #"{"keys":[]}"#))
        let decrypter = try JWEDecrypter(
            keys: JWKSet(json: #"{"keys":[]}"#), algorithms: [.rsaOAEP], content: [.a128CBCHS256])
        let wanted = "key-not-found at key: the key set is empty, or no key in it can be used"
        for kid in [#","kid":"k""#, ""] {
            let signed = try TestToken.signed(#"{"alg":"RS256"\#(kid)}"#, "x")
            #expect(rejection { _ = try verifier.verify(signed) } == wanted)
            let header = Independent.base64URL(
                #"{"alg":"RSA-OAEP","enc":"A128CBC-HS256"\#(kid)}"#.utf8)
            #expect(
                rejection { _ = try decrypter.decrypt(header + ".AAAA.AAAA.AAAA.AAAA") } == wanted)
        }
    }

    @Test("errors about dates, typ and the end of a token say what to do")
    func remedies() throws {
        let key = TestKeys.signing
        let verifier = try JWTVerifier.checking(ClaimsPolicy(issuer: "a", audience: "b"))
        let late = try TestToken.signed(
            #"{"alg":"RS256"}"#, #"{"iss":"a","aud":"b","exp":1800000000000}"#)
        #expect(
            rejection { _ = try verifier.verify(late) }
                == "claim-rejected at claims: claim exp: it is after the year 9999; is it in milliseconds?"
        )
        let access = try JWTIssuer(
            key: key, algorithm: .rs256, lifetime: .seconds(60), type: "at+jwt")
        let token = try access.issue(["iss": "a", "aud": "b"])
        let said = rejection { _ = try verifier.verify(token) }
        #expect(said.contains("claim typ: the header's typ is not JWT") && said.contains("'type'"))
        let endless = try JWTIssuer(key: key, algorithm: .rs256)
        #expect(rejection { _ = try endless.issue(["iss": "a"]) }.contains("'lifetime'"))
        #expect(
            rejection { _ = try endless.issue(["exp": 1_800_000_000_000]) }
                == "misuse at call: exp of the claims is not a date from 1970 to 9999 in seconds; is it in milliseconds?"
        )
    }

    private struct Place: Codable { var city: String }
    private struct Person: Codable {
        var addresses: [Place]
        var names: [String: Int]
    }

    @Test("an unsuitable member is named with its path") func paths() throws {
        let issuer = try JWTIssuer(key: TestKeys.signing, algorithm: .rs256)
        let verifier = try JWTVerifier.checking()
        for (json, claim) in [
            (#"{"addresses":[{"city":"a"},{"city":1}],"names":{}}"#, "addresses[1].city"),
            (#"{"addresses":[{"city":"a"},{}],"names":{}}"#, "addresses[1].city"),
            (#"{"addresses":[],"names":{"a":1,"b":"x"}}"#, "names.b"),
            (#"{"addresses":[],"names":{"a\n":"x"}}"#, "names.a\\u{a}"),
            (#"{"addresses":{},"names":{}}"#, "addresses"),
            (#"{"names":{}}"#, "addresses"),
        ] {
            let token = try issuer.issue(
                json: Array((#"{"exp":4102444800,"# + json.dropFirst()).utf8))
            let error = #expect(throws: JOSEError.self) {
                _ = try verifier.verify(token, as: Person.self)
            }
            #expect(error?.code == .claimRejected && error?.claim == claim, "\(error as Any)")
            #expect(error?.message.hasPrefix("claim \(claim): ") == true)
        }
    }

    @Test("claims that are not an object, and exp together with a lifetime, are reported")
    func claims()
        throws
    {
        let plain = try JWTIssuer(
            key: TestKeys.signing, algorithm: .rs256, requiresExpiration: false)
        let dated = try JWTIssuer(key: TestKeys.signing, algorithm: .rs256, lifetime: .seconds(60))
        let none =
            "misuse at output: the claims are not a JSON object: pass a value with named members, "
            + "not an array or a single value"
        for issuer in [plain, dated] {
            #expect(rejection { _ = try issuer.issue(["a", "b"]) } == none)
            #expect(rejection { _ = try issuer.issue(7) } == none)
            #expect(rejection { _ = try issuer.issue(JSONValue.array([])) } == none)
        }
        let twice =
            "misuse at output: the claims have exp or iat, which the issuer adds: omit both, or omit 'lifetime'"
        for claims in [["exp": 1], ["iat": 1], ["iat": 1, "exp": 2]] {
            #expect(rejection { _ = try dated.issue(claims) } == twice)
            #expect(
                rejection {
                    _ = try dated.issue(JSONValue.object(claims.mapValues { .integer(Int64($0)) }))
                } == twice)
            _ = try plain.issue(claims)
        }
    }

    @Test("codes and steps print their names") func described() throws {
        for code in JOSEError.Code.all {
            for text in ["\(code)", String(describing: code), String(reflecting: code)] {
                #expect(text == code.name)
            }
            var dumped = ""
            dump(code, to: &dumped)
            #expect(dumped == "- \(code.name)\n")
            #expect("\([code])" == "[\(code.name)]")
        }
        for step in JOSEError.Step.all {
            #expect("\(step)" == step.name && String(reflecting: step) == step.name)
            #expect(Mirror(reflecting: step).children.isEmpty)
        }
        #expect(Set(JOSEError.Code.all.map(\.name)).count == 14)
        #expect(Set(JOSEError.Step.all.map(\.name)).count == 15)
    }

    @Test("Foundation shows the same text and a link to its explanation") func localized() {
        let error = JOSEError.claimRejected("exp", "the token has expired")
        let any: any Error = error
        #expect(
            any.localizedDescription == "claim-rejected at claims: claim exp: the token has expired"
        )
        #expect((any as? any LocalizedError)?.failureReason == error.message)
        #expect((any as? any LocalizedError)?.helpAnchor == "claim-exp")
        for error in [JOSEError.decryptionFailed, .signatureInvalid, .misuse("x")] {
            #expect(error.localizedDescription == error.description)
            #expect(error.helpAnchor == error.code.name)
        }
    }
}
