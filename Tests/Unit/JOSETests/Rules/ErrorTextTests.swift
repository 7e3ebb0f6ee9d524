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
        func verify(_ limits: JOSELimits) throws {
            _ = try JWSVerifier(key: key.publicKey, algorithms: [.rs256], limits: limits).verify(
                token)
        }
        func decrypt(_ limits: JOSELimits) throws {
            _ = try JWEDecrypter.rsa(TestKeys.decrypting, limits: limits).decrypt(sealed)
        }
        let cases: [(String, () throws -> Void)] = [
            ("tokenBytes", { try verify(.with { $0.tokenBytes = 40 }) }),
            ("headerBytes", { try verify(.with { $0.headerBytes = 10 }) }),
            ("keyIDBytes", { try verify(.with { $0.keyIDBytes = 1 }) }),
            ("jsonDepth", { try verify(.with { $0.jsonDepth = 0 }) }),
            ("tokenBytes", { try decrypt(.with { $0.tokenBytes = 40 }) }),
            (
                "tokenBytes",
                {
                    _ = try JWSSigner(
                        key: key, algorithm: .rs256, limits: .with { $0.tokenBytes = 40 }
                    ).sign("payload")
                }
            ),
            ("keySetBytes", { _ = try JWK(json: json, limits: .with { $0.keySetBytes = 9 }) }),
            ("keyIDBytes", { _ = try JWK(json: json, limits: .with { $0.keyIDBytes = 1 }) }),
            (
                "keySetBytes",
                { _ = try PublicJWKSet(json: set, limits: .with { $0.keySetBytes = 9 }) }
            ),
            ("keyCount", { _ = try PublicJWKSet(json: set, limits: .with { $0.keyCount = 0 }) }),
            (
                "chainCount",
                { _ = try JWK(certificates: [[0], [0]], limits: .with { $0.chainCount = 1 }) }
            ),
        ]
        for (name, body) in cases {
            let text = rejection(body)
            #expect(
                text.hasPrefix("limit-exceeded at ") && text.contains("JOSELimits.\(name)"),
                "\(text)")
        }
    }

    @Test("a token of another form is named for what it seems to be") func forms() throws {
        let verifier = try Self.verifier.get()
        let decrypter = try Self.decrypter.get()
        let (signed, sealed) = (try Self.signed.get(), try Self.encrypted.get())
        #expect(
            rejection { _ = try verifier.verify(sealed) }
                == "malformed at token: a JWS has 3 parts; this has the 5 of a JWE: it is encrypted"
        )
        #expect(
            rejection { _ = try decrypter.decrypt(signed) }
                == "malformed at token: a JWE has 5 parts; this has the 3 of a JWS: it is not "
                + "encrypted"
        )
        #expect(
            rejection { _ = try verifier.verify(#"{"payload":"","signature":""}"#) }
                == "malformed at token: this is JSON, not a compact JWS of 3 parts: verifyJSON "
                + "reads the JSON serialisation"
        )
        #expect(
            rejection { _ = try decrypter.decrypt(#"{"ciphertext":""}"#) }
                == "malformed at token: this is JSON, not a compact JWE of 5 parts: decryptJSON "
                + "reads the JSON serialisation"
        )
        for (text, count) in [
            ("a", "not 1; was it cut off?"), ("a.b", "not 2; was it cut off?"),
            ("a.b.c.d", "not 4; was it cut off?"),
            ("a.b.c.d.e.f", "not 6 or more"),
        ] {
            #expect(
                rejection { _ = try verifier.verify(text) }
                    .hasPrefix("malformed at token: a compact JWS has 3 parts"), "\(text)")
            #expect(rejection { _ = try verifier.verify(text) }.hasSuffix(", \(count)"), "\(text)")
            #expect(
                rejection { _ = try decrypter.decrypt(text) }
                    .hasPrefix("malformed at token: a compact JWE has 5 parts"), "\(text)")
            #expect(
                rejection { _ = try decrypter.decrypt(text) }.hasSuffix(", \(count)"), "\(text)")
        }
        #expect(
            rejection { _ = try verifier.verify("") } == "malformed at token: the token is empty")
        #expect(
            rejection { _ = try decrypter.decrypt("") } == "malformed at token: the token is empty")
    }

    @Test("white space, padding and the other alphabet are named, in every part")
    func alphabets() throws {
        let verifier = try Self.verifier.get()
        let decrypter = try Self.decrypter.get()
        let (signed, sealed) = (try Self.signed.get(), try Self.encrypted.get())
        for token in [signed + "\n", signed + "\r\n", "\t" + signed, " " + signed] {
            #expect(rejection { _ = try verifier.verify(token) }.contains("white space at offset"))
        }
        for token in [sealed + "\n", "\n" + sealed] {
            #expect(
                rejection { _ = try decrypter.decrypt(token) }.contains(
                    "white space at offset"))
        }
        #expect(rejection { _ = try verifier.verify("Bearer " + signed) }.contains("remove Bearer"))
        #expect(
            rejection { _ = try verifier.verify("\"\(signed)\"") }
                == "malformed at header: the header is not base64url: quotation mark at offset 0; "
                + "remove the quotation marks"
        )
        #expect(rejection { _ = try decrypter.decrypt("\"" + sealed) }.contains("quotation mark"))
        #expect(rejection { _ = try verifier.verify(signed + "\"") }.contains("quotation mark"))
        #expect(
            rejection { _ = try verifier.verify(signed + "=") }
                == "malformed at signature: the signature is not base64url: padding (=) at offset "
                + "342; remove it"
        )
        #expect(rejection { _ = try decrypter.decrypt(sealed + "==") }.contains("padding"))
        for other in ["+", "/"] {
            let token = String(signed.dropLast(4)) + other + "AAA"
            #expect(rejection { _ = try verifier.verify(token) }.contains("+ or / at offset"))
        }
        #expect(
            rejection { _ = try verifier.verify(String(signed.dropLast(4)) + "!AAA") }
                == "malformed at signature: the signature is not base64url: invalid character at "
                + "offset 338"
        )
    }

    @Test("PEM for a JWK, a set for a key and a key for a set are named")
    func keyTexts() throws {
        let pem = "-----BEGIN PUBLIC KEY-----\nMFkw\n-----END PUBLIC KEY-----\n"
        let one = try TestKeys.signing.publicKey.publicJSON()
        let set = #"{"keys":[\#(one)]}"#
        let readers: [(String, (String) throws -> Void)] = [
            ("key", { _ = try JWK(json: $0) }), ("key-set", { _ = try JWKSet(json: $0) }),
            ("key-set", { _ = try PublicJWKSet(json: $0) }),
        ]
        for (step, read) in readers {
            #expect(
                rejection { try read(pem) }
                    == "malformed at \(step): this is PEM, not JSON: use KeyFileContents")
            #expect(
                rejection { try read("-----BEGIN") }
                    == "malformed at \(step): the number at byte 0 (line 1, column 1) violates the "
                    + "JSON grammar"
            )
            #expect(!rejection { try read("{}") }.contains("this is"))
        }
        #expect(
            rejection { _ = try JWK(json: set) }
                == "malformed at key: this is a JWK Set, not one JWK: use JWKSet or PublicJWKSet"
        )
        #expect(
            rejection { _ = try PublicJWKSet(json: one) }
                == "malformed at key-set: this is one JWK, not a set: use JWK")
        #expect(
            rejection { _ = try JWKSet(json: one) }
                == "malformed at key-set: this is one JWK, not a set: use JWK")
        let own = try JWKSet(keys: [TestKeys.signing]).privateJSON()
        #expect(
            rejection { _ = try PublicJWKSet(json: own) }
                == "key-unusable at key-set: key 1 of a public key set is private or symmetric "
                + "(member d): publish JWKSet.publicKeys, and replace every private key that "
                + "was exposed"
        )
    }

    @Test("a set without keys is reported as such, with and without kid") func emptySets() throws {
        let verifier = try JWSVerifier(
            keys: PublicJWKSet(json: #"{"keys":[]}"#), algorithms: [.rs256])
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
        let verifier = try JWTVerifier.checking(
            ClaimsPolicy(issuer: "a", audience: "b"), signature: .rs256(key.publicKey))
        let signer = try JWSSigner(key: key, algorithm: .rs256)
        let late = try signer.sign(#"{"iss":"a","aud":"b","exp":1800000000000}"#)
        #expect(
            rejection { _ = try verifier.verify(late) }
                == "claim-rejected at claims: claim exp: it is after the year 9999; is it in milliseconds?"
        )
        let access = try JWTIssuer(
            key: key, algorithm: .rs256, lifetime: .seconds(60), type: "at+jwt")
        let token = try access.issue(["iss": "a", "aud": "b"])
        #expect(
            rejection { _ = try verifier.verify(token) }.contains(
                "claim typ: the header's typ is not JWT"))
        #expect(rejection { _ = try verifier.verify(token) }.contains("'type'"))
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
