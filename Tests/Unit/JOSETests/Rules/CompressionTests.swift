// zip: DEF, only if a policy allows it, after the tag, and never beyond the limit.

import JOSE
import JOSECrypto
import Testing

@Suite("Compressed plaintexts")
struct CompressionTests {
    private let key = TestKeys.bare(TestKeys.decrypting)

    private func decrypter(limit: Int = 250_000) throws -> JWEDecrypter {
        let limits = JOSELimits.with { $0.inflatedBytes = limit }
        return try JWEDecrypter(
            key: key, algorithms: [.rsaOAEP], content: [.a128CBCHS256, .a256GCM],
            compression: [.deflate], limits: limits)
    }

    private func encrypter(limits: JOSELimits = .standard) throws -> JWEEncrypter {
        try JWEEncrypter(
            key: key.publicKey, algorithm: .rsaOAEP, content: .a256GCM, compression: .deflate,
            limits: limits)
    }

    /// A valid token with these compressed bytes.
    private func token(_ compressed: [UInt8]) throws -> String {
        let header = #"{"alg":"RSA-OAEP","enc":"A256GCM","zip":"DEF"}"#
        return try TestToken.encrypted(header, compressed, to: key, .rsaOAEP, .a256GCM)
    }

    private func deflated(_ text: [UInt8]) throws -> [UInt8] { try Deflate.compress(text.span) }

    @Test("a compressed plaintext is read only if the policy allows the compression")
    func roundTrip() throws {
        var random = SeededGenerator(seed: 9)
        let strict = try JWEDecrypter(
            key: key, algorithms: [.rsaOAEP], content: [.a128CBCHS256, .a256GCM])
        for size in [0, 1, 600, 65_536, 249_999, 250_000] {
            for text in [[UInt8](repeating: 65, count: size), random.bytes(min(size, 150_000))] {
                let token = try encrypter().encrypt(text)
                #expect(try decrypter().decrypt(token).unauthenticatedPlaintext == text)
                expectRejection("algorithm-not-allowed") { _ = try strict.decrypt(token) }
            }
        }
        expectRejection("limit-exceeded") {
            _ = try encrypter().encrypt([UInt8](repeating: 65, count: 250_001))
        }
    }

    @Test(
        "a decompression bomb stops at the limit, whatever its size",
        arguments: [10, 1_000, 250_000])
    func bomb(_ limit: Int) throws {
        let decrypter = try decrypter(limit: limit)
        for size in [limit - 1, limit] {
            let text = [UInt8](repeating: 0, count: size)
            let opened = try decrypter.decrypt(token(deflated(text)))
            #expect(opened.unauthenticatedPlaintext == text)
        }
        for size in [limit + 1, limit + 2, limit * 4, 16 << 20] {
            let bomb = try token(deflated([UInt8](repeating: 0, count: size)))
            expectRejection("limit-exceeded", "\(size)") { _ = try decrypter.decrypt(bomb) }
        }
    }

    @Test("anything except one complete stream is malformed")
    func damaged() throws {
        let decrypter = try decrypter()
        let good = try deflated(Array("some text, some text, some text".utf8))
        #expect(try decrypter.decrypt(token(good)).unauthenticatedPlaintext.count == 31)
        for count in 0..<good.count {
            let damaged = try token(Array(good[..<count]))
            expectRejection("malformed", "cut at \(count)") { _ = try decrypter.decrypt(damaged) }
        }
        let framed: [[UInt8]] = [
            good + [0], good + good, [0x78, 0x9c] + good, [0x78, 0xbb, 1, 2, 3, 4] + good,
            [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3] + good, [0xff], [7], [6, 6, 6],
            Array("not compressed at all".utf8),
            // A distance before the start of the text.
            [0x4b, 0x04, 0xa2, 0x00],
        ]
        for bytes in framed {
            let damaged = try token(bytes)
            expectRejection("malformed", "\(bytes.prefix(12))") {
                _ = try decrypter.decrypt(damaged)
            }
        }
        #expect(try decrypter.decrypt(token([3, 0])).unauthenticatedPlaintext == [])
    }

    @Test("nothing is decompressed before the tag is verified")
    func order() throws {
        let good = try token(deflated([UInt8](repeating: 0, count: 1 << 20)))
        let parts = TestToken.parts(good)
        var tag = try Independent.base64URL(parts[4])
        tag[0] ^= 1
        let changed = TestToken.replacing(4, of: good, by: Independent.base64URL(tag))
        let decrypter = try decrypter()
        expectRejection("limit-exceeded") { _ = try decrypter.decrypt(good) }
        expectRejection("decryption-failed") { _ = try decrypter.decrypt(changed) }
    }

    @Test("RFC 7516 4.1.3: zip must be the exact name and be allowed by the policy")
    func names() throws {
        let strict = try JWEDecrypter.rsa(key)
        for (value, wanted) in [
            (#""def""#, "algorithm-not-allowed"), (#""GZ""#, "algorithm-not-allowed"),
            (#""deflate""#, "algorithm-not-allowed"), (#""""#, "algorithm-not-allowed"),
            (#""DEF ""#, "algorithm-not-allowed"), ("1", "malformed"), ("null", "malformed"),
            (#"["DEF"]"#, "malformed"), ("true", "malformed"),
        ] {
            let token = try TestToken.encrypted(
                #"{"alg":"RSA-OAEP","enc":"A128CBC-HS256","zip":\#(value)}"#, "x")
            for decrypter in [try decrypter(), strict] {
                expectRejection(wanted, value) { _ = try decrypter.decrypt(token) }
            }
        }
    }

    @Test("a nested token is decompressed only by a rule that allows it, and up to its limit")
    func nested() throws {
        let pad = String(repeating: "x", count: 20_000)
        let claims = Array(#"{"iss":"i","aud":"a","exp":2000000000,"pad":"\#(pad)"}"#.utf8)
        func token(_ compression: CompressionAlgorithm?) throws -> String {
            let recipient = try JWTRecipient(
                key: key.publicKey, algorithm: .rsaOAEP, content: .a128CBCHS256,
                compression: compression)
            return try JWTIssuer(key: TestKeys.signing, algorithm: .rs256).issue(
                json: claims, encryptedFor: recipient)
        }
        func rule(
            _ compression: [CompressionAlgorithm], limit: Int = 250_000
        ) -> EncryptionRule {
            .required(
                key: key, algorithms: [.rsaOAEP], content: [.a128CBCHS256],
                compression: compression, limits: .with { $0.inflatedBytes = limit })
        }
        let set = EncryptionRule.required(
            keys: JWKSet(keys: [TestKeys.decrypting]), algorithms: [.rsaOAEP],
            content: [.a128CBCHS256], missingKeyID: .requireUnique, compression: [.deflate])
        let (small, plain) = (try token(.deflate), try token(nil))
        #expect(small.utf8.count < plain.utf8.count)
        for (token, rule, wanted) in [
            (small, rule([.deflate]), "accepted"), (small, set, "accepted"),
            (small, rule([]), "algorithm-not-allowed"), (plain, rule([.deflate]), "accepted"),
            (small, rule([.deflate], limit: 0), "limit-exceeded"),
            (small, rule([.deflate], limit: 1), "limit-exceeded"),
            (small, rule([.deflate], limit: 20_000), "limit-exceeded"),
        ] {
            let verifier = try JWTVerifier.checking(ClaimsPolicy(issuer: "i", audience: "a"), rule)
            let verdict = try Rejection.verdict {
                _ = try verifier.verify(token, at: need(NumericDate(exactly: 1_760_000_000)))
            }
            #expect(verdict == wanted)
        }
    }
}
