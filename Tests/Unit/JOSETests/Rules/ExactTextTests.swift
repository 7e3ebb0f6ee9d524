// Strings are compared byte for byte: canonically equivalent strings differ here (RFC 7515 section
// 10.13).

import JOSE
import Testing

@Suite("Strings compared exactly")
struct ExactTextTests {
    /// Equal for Swift's `==`, different in bytes.
    static let pairs = [
        ("\u{e9}", "e\u{301}"), ("K", "\u{212a}"), (";", "\u{37e}"), ("`", "\u{1fef}"),
    ]

    @Test("Swift considers the test strings equal") func premise() {
        for (a, b) in Self.pairs {
            #expect(a == b)
            #expect(!a.utf8.elementsEqual(b.utf8))
        }
    }

    @Test("kid in a set, in a local key and in a selection", arguments: pairs)
    func keyID(_ own: String, _ other: String) throws {
        let key = TestKeys.named(TestKeys.signing, own)
        let token = try TestToken.signed("{\"alg\":\"RS256\",\"kid\":\"\(other)\"}", "{}")
        let right = try TestToken.signed("{\"alg\":\"RS256\",\"kid\":\"\(own)\"}", "{}")
        for verifier in [
            try JWSVerifier.rs256(key.publicKey),
            try JWSVerifier.rs256(keys: PublicJWKSet(keys: [key])),
        ] {
            expectRejection("key-not-found") { _ = try verifier.verify(token) }
            _ = try verifier.verify(right)
        }
        let sealed = try TestToken.encrypted(
            "{\"alg\":\"RSA-OAEP\",\"enc\":\"A128CBC-HS256\",\"kid\":\"\(other)\"}", "x")
        let decrypting = TestKeys.named(TestKeys.decrypting, own)
        for decrypter in [
            try AttackRunner.decrypter(decrypting),
            try JWEDecrypter.rsa(keys: [decrypting]),
        ] { expectRejection("key-not-found") { _ = try decrypter.decrypt(sealed) } }
        let set = JWKSet(keys: [TestKeys.named(key, own, use: .signature)])
        expectRejection("key-not-found") { _ = try set.key(keyID: other) }
        expectRejection("key-not-found") { _ = try set.key(use: .signature, keyID: other) }
        expectRejection("key-not-found") { _ = try set.publicKeys.key(keyID: other) }
        _ = try set.key(keyID: own)
        // Two keys whose kids differ in bytes are two keys.
        let both = JWKSet(keys: [key, TestKeys.named(TestKeys.client, other)])
        #expect(try both.key(keyID: other).thumbprint() == TestKeys.client.thumbprint())
    }

    @Test("iss, aud, sub, nonce and azp are compared exactly", arguments: pairs)
    func claims(_ wanted: String, _ other: String) throws {
        func verdict(_ claim: String, _ value: String) throws -> String {
            var policy = ClaimsPolicy(
                issuer: claim == "iss" ? .exactly(wanted) : .any,
                audience: claim == "aud" ? .contains(wanted) : .any)
            policy.requiredClaims = []
            policy.authorizedParty = claim == "azp" ? wanted : nil
            let expectation = ClaimsExpectation(
                nonce: claim == "nonce" ? wanted : nil, subject: claim == "sub" ? wanted : nil)
            let verifier = try JWTVerifier.checking(policy)
            let token = try JWSSigner(key: TestKeys.signing, algorithm: .rs256).sign(
                "{\"\(claim)\":\"\(value)\"}")
            return try Rejection.verdict { _ = try verifier.verify(token, expecting: expectation) }
        }
        for claim in ["iss", "aud", "sub", "nonce", "azp"] {
            #expect(try verdict(claim, wanted) == "accepted")
            #expect(try verdict(claim, other) == "claim-rejected \(claim)")
        }
    }

    @Test("a trusted audience is compared exactly in aud and azp", arguments: pairs)
    func trusted(_ wanted: String, _ other: String) throws {
        var policy = ClaimsPolicy(issuer: .any, audience: "rp")
        policy.requiredClaims = []
        policy.authorizedParty = "rp"
        policy.trustedAudiences = [wanted]
        let verifier = try JWTVerifier.checking(policy)
        func verdict(_ claims: String) throws -> String {
            let token = try JWSSigner(key: TestKeys.signing, algorithm: .rs256).sign(claims)
            return try Rejection.verdict { _ = try verifier.verify(token) }
        }
        let good = "{\"aud\":[\"rp\",\"\(wanted)\"],\"azp\":\"\(wanted)\"}"
        #expect(try verdict(good) == "accepted")
        #expect(try verdict("{\"aud\":[\"rp\",\"\(other)\"]}") == "claim-rejected aud")
        #expect(
            try verdict("{\"aud\":\"rp\",\"azp\":\"\(other)\"}") == "claim-rejected azp")
    }

    @Test("RFC 7519 5.3: claims replicated in the header are compared exactly", arguments: pairs)
    func replicated(_ outer: String, _ inner: String) throws {
        let verifier = try JWTVerifier.checking(.any, .rsa(), signature: .insecureNotSigned)
        func verdict(_ name: String, _ outer: String, _ inner: String) throws -> String {
            let token = try TestToken.encrypted(
                "{\"alg\":\"RSA-OAEP\",\"enc\":\"A128CBC-HS256\",\"\(name)\":\(outer)}",
                "{\"\(name)\":\(inner)}")
            return try Rejection.verdict { _ = try verifier.verify(token) }
        }
        for name in ["iss", "sub", "aud"] {
            #expect(try verdict(name, "\"\(outer)\"", "\"\(outer)\"") == "accepted")
            #expect(try verdict(name, "\"\(outer)\"", "\"\(inner)\"") == "claim-rejected \(name)")
            // A value that JSONValue cannot represent must be compared, too.
            #expect(
                try verdict(name, "{\"\(outer)\":1,\"\(inner)\":2}", "\"x\"")
                    == "claim-rejected \(name)")
        }
        #expect(try verdict("aud", "[\"a\",\"\(outer)\"]", "[\"a\",\"\(outer)\"]") == "accepted")
        #expect(
            try verdict("aud", "[\"a\",\"\(outer)\"]", "[\"a\",\"\(inner)\"]")
                == "claim-rejected aud")
        #expect(try verdict("aud", "[\"a\"]", "[\"a\",\"b\"]") == "claim-rejected aud")
    }

    @Test("algorithms and key types are found by their exact names") func rows() {
        for algorithm in SignatureAlgorithm.all {
            #expect(SignatureAlgorithm(name: algorithm.name) == algorithm)
            #expect(SignatureAlgorithm(name: algorithm.name.lowercased()) == nil)
        }
        for algorithm in KeyManagementAlgorithm.all {
            #expect(KeyManagementAlgorithm(name: algorithm.name) == algorithm)
            #expect(KeyManagementAlgorithm(name: algorithm.name + "\u{200b}") == nil)
        }
        for algorithm in ContentEncryptionAlgorithm.all {
            #expect(ContentEncryptionAlgorithm(name: algorithm.name) == algorithm)
            #expect(ContentEncryptionAlgorithm(name: " " + algorithm.name) == nil)
        }
    }
}
