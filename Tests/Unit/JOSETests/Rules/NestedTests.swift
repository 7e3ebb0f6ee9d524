// The verifier defines the layers: signed, encrypted, or signed and then encrypted (RFC 7519
// section 5.2, 11.2).

import JOSE
import Testing

@Suite("Nested tokens and layers")
struct NestedTests {
    private static let claims = #"{"iss":"i","aud":"a","sub":"s","exp":2000000000}"#
    private static let now = NumericDate(exactly: 1_760_000_000)

    private static let encryption = EncryptionRule.rsa()
    private static let signature = SignatureRule.rs256()

    private func verdict(
        _ token: String, _ encryption: EncryptionRule = encryption,
        _ signature: SignatureRule = signature
    ) throws -> String {
        let verifier = try JWTVerifier.checking(
            ClaimsPolicy(issuer: "i", audience: "a"), encryption, signature: signature)
        return try Rejection.verdict {
            let verified = try verifier.verify(token, at: need(Self.now))
            #expect(verified.subject == "s")
        }
    }

    private func sign(_ payload: String, _ header: String = #"{"alg":"RS256","kid":"sig-1"}"#)
        throws -> String
    {
        try TestToken.signed(header, payload)
    }

    private func encrypt(_ plaintext: String, _ members: String = #","cty":"JWT""#) throws -> String
    {
        try TestToken.encrypted(#"{"alg":"RSA-OAEP","enc":"A128CBC-HS256"\#(members)}"#, plaintext)
    }

    @Test("a token must have exactly the layers that the verifier requires") func layers() throws {
        let signed = try sign(Self.claims)
        let encrypted = try encrypt(Self.claims, "")
        let nested = try encrypt(signed)
        let signedOnly: (EncryptionRule, SignatureRule) = (.notEncrypted, Self.signature)
        let encryptedOnly: (EncryptionRule, SignatureRule) = (Self.encryption, .insecureNotSigned)
        let both: (EncryptionRule, SignatureRule) = (Self.encryption, Self.signature)
        let rows: [(String, String, (EncryptionRule, SignatureRule), String)] = [
            ("signed", signed, signedOnly, "accepted"),
            ("encrypted", encrypted, signedOnly, "malformed"),
            ("nested", nested, signedOnly, "malformed"),
            ("signed", signed, encryptedOnly, "malformed"),
            ("encrypted", encrypted, encryptedOnly, "accepted"),
            ("nested", nested, encryptedOnly, "malformed"),
            ("signed", signed, both, "malformed"), ("encrypted", encrypted, both, "malformed"),
            ("nested", nested, both, "accepted"),
        ]
        for (name, token, rules, wanted) in rows {
            #expect(try verdict(token, rules.0, rules.1) == wanted, "\(name)")
        }
        expectRejection("misuse") {
            _ = try JWTVerifier.checking(signature: .insecureNotSigned)
        }
    }

    @Test("more layers, another order and other content are rejected") func otherLayers() throws {
        let signed = try sign(Self.claims)
        let nested = try encrypt(signed)
        for token in [
            try encrypt(nested), try encrypt(encrypt(nested)), try encrypt(sign(signed)),
            try sign(nested),
            try sign(encrypt(Self.claims, "")), try encrypt(Self.claims), try encrypt("JWT"),
            try encrypt(""),
            try encrypt(".."), try encrypt("...."), try encrypt(signed + "\n"),
            try encrypt(" " + signed),
            try encrypt("\"\(signed)\""), try encrypt("{\"payload\":\"\(signed)\"}"),
            try encrypt("\u{feff}" + signed),
            try encrypt(signed + "\u{0}"), try encrypt(signed + "."),
        ] { #expect(try verdict(token) == "malformed") }
    }

    @Test(
        "RFC 7519 5.2: the outer cty is JWT",
        arguments: [
            (#""JWT""#, true), (#""jwt""#, true), (#""application/jwt""#, true),
            (#""application/JWT""#, true),
            (#""\u004aWT""#, true), (#""JWE""#, false), (#""JOSE""#, false),
            (#""text/plain""#, false), (#""""#, false),
            (#""JWT ""#, false), (#""application/""#, false), ("null", false), ("1", false),
            (#"["JWT"]"#, false),
        ])
    func contentType(_ value: String, _ isRight: Bool) throws {
        let token = try encrypt(sign(Self.claims), ",\"cty\":\(value)")
        #expect(try verdict(token) == (isRight ? "accepted" : "malformed"))
    }

    @Test("where cty is optional it is JWT or absent, and the inner token is fully checked")
    func contentTypeNotRequired() async throws {
        var policy = ClaimsPolicy(issuer: "i", audience: "a")
        policy.requiresContentType = false
        let pair = try VerifierPair(policy, Self.encryption)
        let signed = try sign(Self.claims)
        for (content, plaintext, wanted) in [
            (nil, signed, "accepted"), (#""JWT""#, signed, "accepted"),
            (#""application/jwt""#, signed, "accepted"), (#""JWE""#, signed, "malformed"),
            (#""""#, signed, "malformed"), ("null", signed, "malformed"),
            (#""json""#, signed, "malformed"), (nil, Self.claims, "malformed"),
            (nil, "x", "malformed"), (nil, "", "malformed"),
            (nil, try encrypt(signed), "malformed"),
            (nil, try sign(Self.claims, #"{"alg":"none"}"#), "algorithm-not-allowed"),
        ] as [(String?, String, String)] {
            let token = try encrypt(plaintext, content.map { ",\"cty\":\($0)" } ?? "")
            // The second time the header may be cached.
            for _ in 0..<2 {
                let verdict = try await pair.verdict(token, at: Self.now)
                #expect(verdict == wanted, "\(content ?? "none")")
            }
        }
        #expect(policy != ClaimsPolicy(issuer: "i", audience: "a"))
    }

    @Test("RFC 8725 3.11: the outer header may repeat the inner typ, and no other")
    func repeatedType() throws {
        var policy = ClaimsPolicy(issuer: "i", audience: "a")
        for (rule, inner, types) in [
            (.exactly("x+jwt"), "x+jwt", ["x+jwt", "application/X+jwt", "JWT"]),
            (
                .jwtOr(["x+jwt", "y+jwt"]), "y+jwt",
                ["x+jwt", "application/X+jwt", "y+jwt", "JWT"]
            ), (.jwt, "JWT", ["JWT"]), (.any, "z", ["JWT"]),
        ] as [(MediaTypeRule, String, [String])] {
            policy.type = rule
            let verifier = try JWTVerifier.checking(
                policy, Self.encryption, signature: Self.signature)
            let signed = try sign(
                Self.claims, #"{"alg":"RS256","kid":"sig-1","typ":"\#(inner)"}"#)
            for type in ["x+jwt", "application/X+jwt", "y+jwt", "JWT", "at+jwt", ""] {
                let token = try encrypt(signed, #","cty":"JWT","typ":"\#(type)""#)
                let verdict = try Rejection.verdict {
                    _ = try verifier.verify(token, at: need(Self.now))
                }
                #expect(
                    verdict == (types.contains(type) ? "accepted" : "claim-rejected typ"),
                    "\(rule) \(type)")
            }
            let bare = try encrypt(signed)
            _ = try verifier.verify(bare, at: need(Self.now))
        }
    }

    @Test("an inner token is rejected for the same reasons as an outer one") func inner() throws {
        let good = #"{"alg":"RS256","kid":"sig-1"}"#
        for (inner, wanted) in [
            (try sign(Self.claims, #"{"alg":"none"}"#), "algorithm-not-allowed"),
            (try sign(Self.claims, #"{"alg":"RS512"}"#), "algorithm-not-allowed"),
            (try sign(Self.claims, #"{"alg":"RS256","kid":"other"}"#), "key-not-found"),
            (try sign(Self.claims, #"{"alg":"RS256","crit":["x"],"x":1}"#), "unsupported"),
            (try sign(Self.claims, #"{"alg":"RS256","typ":"at+jwt"}"#), "claim-rejected typ"),
            (try TestToken.signed(good, Self.claims, by: TestKeys.stranger), "signature-invalid"),
            (TestToken.replacing(2, of: try sign(Self.claims), by: ""), "signature-invalid"),
            (try sign(Self.claims.replacing("\"a\"", with: "\"b\"")), "claim-rejected aud"),
            (try sign(Self.claims.replacing("2000000000", with: "1")), "claim-rejected exp"),
        ] {
            #expect(try verdict(encrypt(inner)) == wanted)
        }
    }

    @Test("RFC 7519 5.3: claims replicated in the header must be equal") func replicated() throws {
        for (members, wanted) in [
            (#""iss":"i","sub":"s","aud":"a""#, "accepted"), (#""iss":"\u0069""#, "accepted"),
            (#""exp":1"#, "accepted"),
            (#""iss":"x""#, "claim-rejected iss"), (#""sub":"x""#, "claim-rejected sub"),
            (#""aud":"x""#, "claim-rejected aud"),
            (#""aud":["a"]"#, "claim-rejected aud"), (#""iss":null"#, "claim-rejected iss"),
            (#""sub":1"#, "claim-rejected sub"),
        ] {
            let nested = try encrypt(sign(Self.claims), #","cty":"JWT",\#(members)"#)
            #expect(try verdict(nested) == wanted, "nested, \(members)")
            let encrypted = try encrypt(Self.claims, ",\(members)")
            #expect(
                try verdict(encrypted, Self.encryption, .insecureNotSigned) == wanted,
                "encrypted, \(members)")
        }
    }

    @Test("the verifier accepts what the issuer creates, and cty is always written")
    func issued() throws {
        let recipient = try JWTRecipient.rsa()
        let issuer = try JWTIssuer(key: TestKeys.signing, algorithm: .rs256, type: "JWT")
        for json in [Self.claims, Self.claims.replacing("}", with: #","ü":"\u00fc","n":1.50}"#)] {
            let bytes = Array(json.utf8)
            let nested = try issuer.issue(json: bytes, encryptedFor: recipient)
            let signed = try issuer.issue(json: bytes)
            #expect(try verdict(nested) == "accepted")
            let direct = try issuer.issue(
                ["iss": "i", "aud": "a", "sub": "s", "exp": 2_000_000_000] as JSONValue,
                encryptedFor: JWTRecipient.rsa(TestKeys.decrypting)
            )
            #expect(try verdict(direct) == "accepted")
            #expect(try verdict(signed, .notEncrypted) == "accepted")
            let opened = try JWEDecrypter.rsa(TestKeys.decrypting).decrypt(nested)
            #expect(try opened.header().contentType == "JWT")
            #expect(try opened.header().keyID == "enc-1")
            #expect(
                opened.unauthenticatedPlaintext == Array(signed.utf8), "the same signature inside")
        }
    }

    @Test("the issuer creates nothing that a verifier rejects") func issuerRules() throws {
        let issuer = try JWTIssuer(key: TestKeys.signing, algorithm: .rs256)
        for text in ["", "[]", "null", "{", #"{"exp":1,"exp":2}"#, #"{"exp":1}x"#] {
            expectRejection("malformed", text) { _ = try issuer.issue(json: Array(text.utf8)) }
        }
        expectRejection("misuse") { _ = try issuer.issue(json: Array(#"{"iss":"i"}"#.utf8)) }
        expectRejection("misuse") { _ = try issuer.issue(["iss": "i"]) }
        let lax = try JWTIssuer(
            key: TestKeys.signing, algorithm: .rs256, requiresExpiration: false)
        _ = try lax.issue(json: Array(#"{"iss":"i"}"#.utf8))
        let timed = try JWTIssuer(
            key: TestKeys.signing, algorithm: .rs256, lifetime: .seconds(300))
        let token = try timed.issue(["iss": "i"], at: need(Self.now))
        let claims = try VectorValue(
            json: String(decoding: Independent.base64URL(TestToken.parts(token)[1]), as: UTF8.self))
        #expect(claims["iat"]?.int == 1_760_000_000)
        #expect(claims["exp"]?.int == 1_760_000_300)
        #expect(claims["iss"]?.string == "i")
        expectRejection("misuse") {
            _ = try JWTRecipient(
                key: TestKeys.decrypting, algorithm: .rsaOAEP, content: .a128CBCHS256)
        }
        expectRejection("key-unusable") {
            _ = try JWTIssuer(key: TestKeys.signing.publicKey, algorithm: .rs256)
        }
    }
}
