// The code that a new user tries first must compile and do what it suggests.

import Foundation
import JOSE
import JOSEFoundation
import Testing

@Suite("Common first attempts")
struct FirstAttemptTests {
    private let secret = Data((0..<32).map { UInt8($0) })

    @Test("a shared secret as Data, with a typed algorithm, signs and verifies")
    func sharedSecret() throws {
        let key = try JWK(symmetricKey: secret, algorithm: .hs256)
        let token = try JWSSigner(key: key, algorithm: .hs256).sign("x")
        #expect(
            try JWSVerifier(key: key, algorithms: [.hs256]).verify(token).payload == [0x78])
        for (bytes, algorithm) in [
            (secret.prefix(31), JOSEAlgorithm.hs256), (secret, .hs384), (secret, .a128KW),
            (secret, .a128GCM), (secret, .rs256), (secret, .ecdhES),
        ] {
            expectRejection("key-unusable", "\(algorithm)") {
                _ = try JWK(symmetricKey: bytes, algorithm: algorithm)
            }
        }
    }

    @Test("a symmetric key has no public part, and every request for one is rejected")
    func noPublicPart() throws {
        let key = try JWK(symmetricKey: secret, keyID: "s", algorithm: .hs256)
        expectRejection("key-unusable") { _ = try key.publicKey }
        expectRejection("key-unusable") { _ = try key.publicJSON() }
        expectRejection("key-unusable") { _ = try JWKSet(keys: [key]).publicKeys }
        expectRejection("key-unusable") { _ = try PublicJWKSet(keys: [key]) }
        let pair = try JWK.generate(.curve(.p256))
        expectRejection("key-unusable") { _ = try JWKSet(keys: [pair, key]).publicKeys }
        #expect(try !pair.publicKey.isPrivate && pair.publicKey.publicKey.keyID == pair.keyID)
    }

    @Test("keys and sets are read from Data, slices and arrays alike")
    func bytes() throws {
        let key = try JWK.generate(.curve(.p256), keyID: "k")
        let (open, own) = (try key.publicJSON(), try key.privateJSON())
        let inside = Array("[\(own)]".utf8)
        #expect(try JWK(json: Data(own.utf8)).isPrivate)
        #expect(try JWK(json: inside.dropFirst().dropLast()).isPrivate)
        #expect(try JWK(json: Array(own.utf8)).privateJSON() == own)
        let set = #"{"keys":[\#(open)]}"#
        #expect(try PublicJWKSet(json: Data(set.utf8)).keys().map(\.keyID) == ["k"])
        #expect(try PublicJWKSet(json: ContiguousArray(set.utf8)).json() == set)
        #expect(try JWKSet(json: Data(set.utf8)).keys.count == 1)
        expectRejection("malformed") { _ = try JWK(json: Data()) }
        expectRejection("malformed") { _ = try JWKSet(json: inside[..<3]) }
        expectRejection("key-unusable") {
            _ = try PublicJWKSet(json: Data(#"{"keys":[\#(own)]}"#.utf8))
        }
    }

    @Test("a Date in claims is written in whole seconds, never rounded up")
    func wholeSeconds() throws {
        struct Claims: Codable {
            var exp: Date
            var nbf: Date
        }
        let key = try JWK(symmetricKey: secret, algorithm: .hs256)
        let claims = Claims(
            exp: Date(timeIntervalSince1970: 1_900_000_000.75),
            nbf: Date(timeIntervalSince1970: 1_700_000_000.5))
        let token = try JWTIssuer(key: key, algorithm: .hs256).issue(claims)
        let payload = try JWSVerifier(key: key, algorithms: [.hs256]).verify(token).payload
        let text = String(decoding: payload, as: UTF8.self)
        #expect(text.contains(#""exp":1900000000"#) && text.contains(#""nbf":1700000000"#))
        #expect(!text.contains("."))
    }
}

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
        let encrypter = try JWEEncrypter(key: shared, algorithm: .direct, content: .a256GCM)
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
