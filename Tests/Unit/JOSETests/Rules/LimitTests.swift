// Every limit on untrusted input: at the limit accepted, one beyond it rejected (catalogue 41, 43,
// 47, 48).

import JOSE
import Testing

@Suite("Limits")
struct LimitTests {
    private func verdict(signed token: String, _ limits: JOSELimits) throws -> String {
        let verifier = try JWTVerifier(
            policy: .any,
            signature: .required(
                key: TestKeys.bare(TestKeys.signing.publicKey), algorithms: [.rs256], limits: limits
            ), limits: limits)
        return try Rejection.verdict { _ = try verifier.verify(token) }
    }

    /// The result for a token with these header members and claims.
    private func verdict(
        _ members: String, _ claims: String, _ limits: JOSELimits = .standard
    ) throws -> String {
        try verdict(signed: TestToken.signed("{\"alg\":\"RS256\"\(members)}", claims), limits)
    }

    @Test("the default limits have the documented values") func defaults() {
        let limits = JOSELimits.standard
        let values: [(Int, Int)] = [
            (limits.tokenBytes, 262_144), (limits.headerBytes, 16_384), (limits.jsonDepth, 32),
            (limits.keyIDBytes, 1_024), (limits.keySetBytes, 524_288), (limits.keyCount, 1_000),
            (limits.chainCount, 4), (limits.recipientCount, 16), (limits.inflatedBytes, 250_000),
            (limits.minIterations, 1_000), (limits.maxIterations, 1_000_000),
            (limits.tokenIterations, 1_000_000), (limits.keyFileIterations, 2_000_000),
            (limits.minRSABits, 2_048), (limits.maxRSABits, 8_192),
        ]
        for (value, documented) in values { #expect(value == documented) }
        #expect(limits == JOSELimits())
    }

    @Test("RSA bounds cannot be lowered below 2048 or raised above 16384 bits") func clamped() {
        #expect(JOSELimits.with { $0.minRSABits = 1_024 }.minRSABits == 2_048)
        #expect(JOSELimits.with { $0.minRSABits = 3_072 }.minRSABits == 3_072)
        #expect(JOSELimits.with { $0.maxRSABits = 1_000_000 }.maxRSABits == 16_384)
        #expect(JOSELimits.with { $0.maxRSABits = 4_096 }.maxRSABits == 4_096)
    }

    @Test("a chain has at most 16 certificates, the maximum that can be validated")
    func maxChain() throws {
        #expect(JOSELimits.with { $0.chainCount = 16 }.chainCount == 16)
        #expect(JOSELimits.with { $0.chainCount = 17 }.chainCount == 16)
        #expect(JOSELimits.with { $0.chainCount = 1_000 }.chainCount == 16)
        #expect(JOSELimits.with { $0.chainCount = -1 }.chainCount == 0)
        let root = try TestAuthority(TestKeys.bare(TestKeys.stranger))
        let leaf = try root.leaf(TestKeys.signing)
        let store = try TrustStore(anchors: [root.certificate])
        let now = try TestChains.date(TestChains.now)
        let most = JOSELimits.with { $0.chainCount = 1_000 }
        for count in 16...18 {
            let chain = [leaf] + Array(repeating: root.certificate, count: count - 1)
            let key = try TestChains.key(
                TestKeys.bare(TestKeys.signing), chain, most)
            let wanted = count == 16 ? "untrusted-key" : "limit-exceeded"
            expectRejection(wanted) { _ = try store.validate(key, purpose: .signature, at: now) }
            let made = try Rejection.verdict { _ = try JWK(certificates: chain, limits: most) }
            #expect(made == (count == 16 ? "accepted" : wanted))
            let report = try Rejection.verdict {
                _ = try store.report(chain, purpose: .signature, at: now, limits: most)
            }
            #expect(report == (count == 16 ? "accepted" : wanted))
        }
    }

    @Test("the size of a token is checked before anything else") func token() throws {
        let token = try TestToken.signed(#"{"alg":"RS256"}"#, "{}")
        for (garbage, wanted) in [
            (String(repeating: ".", count: 262_145), "limit-exceeded"),
            (String(repeating: "é", count: 131_073), "limit-exceeded"),
            (String(repeating: ".", count: 262_144), "malformed"),
        ] {
            #expect(try verdict(signed: garbage, .standard) == wanted)
        }
        let encrypted = try TestToken.encrypted(#"{"alg":"RSA-OAEP","enc":"A128CBC-HS256"}"#, "x")
        for (less, wanted) in [(0, "accepted"), (1, "limit-exceeded")] {
            func limits(_ token: String) -> JOSELimits {
                .with { $0.tokenBytes = token.utf8.count - less }
            }
            #expect(try verdict(signed: token, limits(token)) == wanted)
            let decrypter = try JWEDecrypter.rsa(limits: limits(encrypted))
            #expect(try Rejection.verdict { _ = try decrypter.decrypt(encrypted) } == wanted)
        }
    }

    @Test("the size of a header is checked before it is decoded") func header() throws {
        // 12,288 bytes of JSON are 16,384 characters.
        func token(_ count: Int) throws -> String {
            let start = #"{"alg":"RS256","x":""#
            return try TestToken.signed(
                start + String(repeating: "x", count: count - start.utf8.count - 2) + "\"}", "{}")
        }
        for (size, most, wanted) in [
            (12_288, 16_384, "accepted"), (12_289, 16_384, "limit-exceeded"),
            (100, 134, "accepted"), (100, 133, "limit-exceeded"),
        ] {
            let limits = JOSELimits.with { $0.headerBytes = most }
            #expect(try verdict(signed: token(size), limits) == wanted)
        }
    }

    @Test("depth is limited in headers, claims and key sets, and in ignored members")
    func depth() throws {
        func nested(_ depth: Int, _ open: String, _ close: String) -> String {
            String(repeating: open, count: depth) + "1" + String(repeating: close, count: depth)
        }
        for (open, close) in [("[", "]"), (#"{"a":"#, "}"), (#"[{"a":"#, "}]")] {
            let each = open.count == 6 ? 2 : 1
            for (depth, wanted) in [
                (31 / each, "accepted"), (31 / each + 1, "limit-exceeded"),
                (5_000, "limit-exceeded"),
            ] {
                let value = nested(depth, open, close)
                #expect(try verdict("", "{\"x\":\(value)}") == wanted)
                guard depth < 1_000 else { continue }
                #expect(try verdict(",\"x\":\(value)", "{}") == wanted)
                let set = "{\"keys\":[],\"x\":\(value)}"
                #expect(try Rejection.verdict { _ = try PublicJWKSet(json: set) } == wanted)
                #expect(try Rejection.verdict { _ = try JWKSet(json: set) } == wanted)
            }
        }
        let shallow = JOSELimits.with { $0.jsonDepth = 1 }
        #expect(try verdict("", #"{"x":1}"#, shallow) == "accepted")
        #expect(try verdict("", #"{"x":[]}"#, shallow) == "limit-exceeded")
    }

    @Test("the length of a kid is limited in a token, a key and a set") func keyID() throws {
        let fits = String(repeating: "k", count: 1_024)
        for (keyID, wanted) in [(fits, "accepted"), (fits + "k", "limit-exceeded")] {
            #expect(try verdict(",\"kid\":\"\(keyID)\"", "{}") == wanted)
            let key = try KeyText.publicKey("\"kid\":\"\(keyID)\"")
            #expect(try Rejection.verdict { _ = try JWK(json: key) } == wanted)
            // In a set only that entry is skipped.
            let count = wanted == "accepted" ? 1 : 0
            #expect(try JWKSet(json: KeyText.set([key])).keys.count == count)
            let set = try PublicJWKSet(json: KeyText.set([key]))
            #expect(set.keys().count == count && set.skipped.count == 1 - count)
        }
    }

    @Test("the size and the number of keys of a key set are limited") func keySet() throws {
        let key = #"{"kty":"X"}"#
        for (count, wanted) in [(1_000, "accepted"), (1_001, "limit-exceeded")] {
            let text = KeyText.set(Array(repeating: key, count: count))
            #expect(try Rejection.verdict { _ = try PublicJWKSet(json: text) } == wanted)
            #expect(try Rejection.verdict { _ = try JWKSet(json: text) } == wanted)
        }
        for (count, wanted) in [(524_288, "accepted"), (524_289, "limit-exceeded")] {
            let text = #"{"keys":[]}"# + String(repeating: " ", count: count - 11)
            #expect(try Rejection.verdict { _ = try PublicJWKSet(json: text) } == wanted)
            #expect(try Rejection.verdict { _ = try JWKSet(json: text) } == wanted)
            #expect(
                try Rejection.verdict { _ = try JWK(json: text) }
                    == (wanted == "accepted" ? "malformed" : wanted))
        }
    }

    @Test("RSA key sizes are limited") func modulus() throws {
        let large = try KeyText.publicKey(#""kid":"l""#, TestKeys.large)
        let small = JOSELimits.with { $0.maxRSABits = 4_095 }
        let big = JOSELimits.with { $0.minRSABits = 4_096 }
        #expect(try Rejection.verdict { _ = try JWK(json: large, limits: small) } == "key-unusable")
        #expect(try Rejection.verdict { _ = try JWK(json: large, limits: big) } == "accepted")
        #expect(
            try Rejection.verdict { _ = try JWK(json: KeyText.publicKey(), limits: big) }
                == "key-unusable")
        #expect(try PublicJWKSet(json: KeyText.set([large]), limits: small).skipped.count == 1)
    }

    @Test("a signer rejects what a verifier with its limits would reject") func makers() throws {
        let signer = try JWSSigner(key: TestKeys.signing, algorithm: .rs256)
        let verifier = try JWSVerifier.rs256(TestKeys.signing.publicKey)
        let encrypter = try JWEEncrypter.rsa()
        let decrypter = try JWEDecrypter.rsa(TestKeys.decrypting)
        var isRejected = (signing: false, encrypting: false)
        for size in [
            195_900, 196_100, 196_200, 196_240, 196_280, 196_320, 196_400, 262_144, 262_145,
            400_000,
        ] {
            let payload = [UInt8](repeating: 7, count: size)
            if isRejected.signing {
                expectRejection("limit-exceeded", "\(size)") { _ = try signer.sign(payload) }
            } else if let token = try? signer.sign(payload) {
                #expect(try verifier.verify(token).payload.count == size)
            } else {
                isRejected.signing = true
            }
            if isRejected.encrypting {
                expectRejection("limit-exceeded", "\(size)") { _ = try encrypter.encrypt(payload) }
            } else if let token = try? encrypter.encrypt(payload) {
                #expect(try decrypter.decrypt(token).unauthenticatedPlaintext.count == size)
            } else {
                isRejected.encrypting = true
            }
        }
        #expect(isRejected.signing && isRejected.encrypting)
    }

    @Test("a header as deep as raised limits allow is read, and its claims are compared")
    func deepHeader() throws {
        let limits = JOSELimits.with { $0.jsonDepth = 64 }
        let deep = String(repeating: "[", count: 62) + String(repeating: "]", count: 62)
        let key = TestKeys.bare(TestKeys.signing)
        let token = try TestToken.signed(#"{"alg":"RS256","x":\#(deep)}"#, "{}")
        let verifier = try JWSVerifier(key: key.publicKey, algorithms: [.rs256], limits: limits)
        #expect(try verifier.verify(token).header()["x"] != nil)
        for (issuer, wanted) in [("i", "accepted"), ("j", "claim-rejected iss")] {
            let encrypted = try TestToken.encrypted(
                #"{"alg":"RSA-OAEP","enc":"A128CBC-HS256","iss":"\#(issuer)","x":\#(deep)}"#,
                #"{"iss":"i"}"#)
            let reader = try JWTVerifier(
                policy: .any,
                encryption: .required(
                    key: TestKeys.decrypting, algorithms: [.rsaOAEP], content: [.a128CBCHS256],
                    limits: limits),
                signature: .insecureNotSigned, limits: limits)
            #expect(try Rejection.verdict { _ = try reader.verify(encrypted) } == wanted)
        }
    }
}
