// The header and the issuer of a JWT before it is verified.

import Foundation
import JOSE
import Testing

@Suite("Reading a JWT before verification")
struct UnverifiedJWTTests {
    private let key = Result { try JWK.generate(.curve(.p256), keyID: "k", algorithm: .es256) }

    private func token(_ claims: String, header: String = #"{"alg":"ES256"}"#) -> String {
        [header, claims, "x"].map {
            Data($0.utf8).base64EncodedString().replacing("+", with: "-")
                .replacing("/", with: "_").replacing("=", with: "")
        }.joined(separator: ".")
    }

    @Test("header and issuer choose a verifier, which still verifies the token")
    func choice() throws {
        let key = try key.get()
        let signed = try JWTIssuer(key: key, algorithm: .es256, lifetime: .seconds(60))
            .issue(["iss": "https://a.example", "aud": "me"])
        let peeked = try UnverifiedJWT(signed)
        #expect(peeked.unverifiedIssuer == "https://a.example")
        #expect(peeked.unverifiedHeader["kid"] == "k")
        #expect(peeked.unverifiedHeader["alg"] == "ES256")
        // A token that names tenant b and is signed by tenant a.
        let forged = try JWTIssuer(key: key, algorithm: .es256, lifetime: .seconds(60))
            .issue(["iss": "https://b.example", "aud": "me"])
        #expect(try UnverifiedJWT(forged).unverifiedIssuer == "https://b.example")
        let other = try JWK.generate(.curve(.p256), keyID: "k", algorithm: .es256)
        let verifier = try JWTVerifier(
            issuer: "https://b.example", audience: "me",
            signature: .required(key: other.publicKey, algorithms: [.es256]))
        expectRejection("signature-invalid") { _ = try verifier.verify(forged) }
    }

    @Test("an encrypted token shows its header and the issuer replicated in it")
    func encrypted() throws {
        let shared = try JWK.generate(.symmetric(bits: 256), algorithm: .a256GCM)
        let encrypter = try JWEEncrypter.with(shared, .direct, .a256GCM)
        let plain = try UnverifiedJWT(try encrypter.encrypt(#"{"iss":"secret"}"#))
        #expect(plain.unverifiedIssuer == nil && plain.unverifiedHeader["enc"] == "A256GCM")
        let repeating = try encrypter.encrypt(
            Array(#"{"iss":"a"}"#.utf8), header: HeaderParameters(additional: ["iss": "a"]))
        #expect(try UnverifiedJWT(repeating).unverifiedIssuer == "a")
    }

    @Test(
        "a string that is not a JWT is malformed",
        arguments: [
            "", ".", "..", "a.b.c", "e30.e30.", "....", "e30.e30", "e30.....",
            "eyJhbGciOiJFUzI1NiJ9.e30=.x",
        ])
    func malformed(_ text: String) {
        expectRejection("malformed") { _ = try UnverifiedJWT(text) }
    }

    @Test("claims must be one object, and iss one string")
    func claims() throws {
        for claims in [
            "[]", "1", "null", "", "{", #"{"iss":"a","iss":"b"}"#, #"{"a":1,"\u0061":2}"#,
        ] {
            expectRejection("malformed", claims) { _ = try UnverifiedJWT(token(claims)) }
        }
        for claims in [#"{"iss":1}"#, #"{"iss":null}"#, #"{"iss":["a"]}"#] {
            expectRejection("claim-rejected iss", claims) { _ = try UnverifiedJWT(token(claims)) }
        }
        #expect(try UnverifiedJWT(token("{}")).unverifiedIssuer == nil)
        #expect(try UnverifiedJWT(token(#"{"\u0069ss":"\u0061"}"#)).unverifiedIssuer == "a")
    }

    @Test("limits and critical extensions apply as in a verifier")
    func limits() throws {
        let text = token(#"{"iss":"a"}"#, header: #"{"alg":"ES256","crit":["x"],"x":1}"#)
        expectRejection("unsupported") { _ = try UnverifiedJWT(text) }
        #expect(try UnverifiedJWT(text, critical: ["x"]).unverifiedIssuer == "a")
        expectRejection("misuse") { _ = try UnverifiedJWT(text, critical: ["alg"]) }
        var limits = JOSELimits()
        limits.tokenBytes = text.utf8.count - 1
        expectRejection("limit-exceeded") { _ = try UnverifiedJWT(text, limits: limits) }
        let deep = String(repeating: "[", count: 40) + String(repeating: "]", count: 40)
        expectRejection("limit-exceeded") { _ = try UnverifiedJWT(token(#"{"a":\#(deep)}"#)) }
    }

    @Test("it prints nothing of the token")
    func redacted() throws {
        let peeked = try UnverifiedJWT(token(#"{"iss":"who"}"#))
        #expect("\(peeked)" == "UnverifiedJWT" && !String(reflecting: peeked).contains("who"))
    }
}
