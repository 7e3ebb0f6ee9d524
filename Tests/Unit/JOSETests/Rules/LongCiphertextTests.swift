// Long ciphertexts are decoded while their tag is computed. Their results equal those of short
// ones, which are decoded before.

import Foundation
import JOSE
import JOSECrypto
import Testing

@Suite("Long ciphertexts")
struct LongCiphertextTests {
    /// Sizes of plaintext around 16,384 characters of ciphertext, and some that leave each
    /// remainder of a chunk.
    static let sizes = [
        12_255, 12_271, 12_272, 12_287, 12_288, 12_289, 12_304, 12_672, 12_700, 13_055, 13_056,
        70_001,
    ]
    static let algorithms: [KeyManagementAlgorithm] = [.rsaOAEP256, .direct, .a128KW]

    private func sides(
        _ algorithm: KeyManagementAlgorithm, _ content: ContentEncryptionAlgorithm
    ) throws -> (encrypter: JWEEncrypter, decrypter: JWEDecrypter) {
        let key = try TestKeys.decrypter(for: algorithm, content)
        return (
            try JWEEncrypter(
                key: TestKeys.otherSide(key), algorithm: algorithm, content: content,
                options: TestKeys.options),
            try JWEDecrypter.with(key, algorithm, content)
        )
    }

    @Test(
        "ciphertexts of every size and content",
        arguments: algorithms, ContentEncryptionAlgorithm.all)
    func sizes(_ algorithm: KeyManagementAlgorithm, _ content: ContentEncryptionAlgorithm) throws {
        let (encrypter, decrypter) = try sides(algorithm, content)
        var random = SeededGenerator(seed: 7)
        for size in Self.sizes {
            let plaintext = random.bytes(size)
            let token = try encrypter.encrypt(plaintext)
            #expect(try decrypter.decrypt(token).unauthenticatedPlaintext == plaintext, "\(size)")
        }
    }

    @Test(
        "a malformed ciphertext is malformed at any offset, whatever else is wrong",
        arguments: algorithms, ContentEncryptionAlgorithm.all)
    func malformed(_ algorithm: KeyManagementAlgorithm, _ content: ContentEncryptionAlgorithm)
        throws
    {
        let (encrypter, decrypter) = try sides(algorithm, content)
        let (_, other) = try sides(algorithm, content)
        // One byte more than a multiple of three, so that the last character has unused bits.
        let token = try encrypter.encrypt([UInt8](repeating: 1, count: 12_400))
        let text = TestToken.parts(token)[3]
        let positions = [0, 1, 255, 256, 511, 512, 8_000, text.utf8.count - 2, text.utf8.count - 1]
        for tag in [TestToken.parts(token)[4], "AAAAAAAAAAAAAAAAAAAAAA", "AAAA"] {
            let changed = TestToken.replacing(4, of: token, by: tag)
            for index in positions {
                for character in [".", "=", "+", "/", " ", "\u{0}", "é"] where character != "." {
                    var bytes = Array(text.utf8)
                    bytes.replaceSubrange(index...index, with: Array(character.utf8))
                    let wrong = TestToken.replacing(
                        3, of: changed, by: String(decoding: bytes, as: UTF8.self))
                    for side in [decrypter, other] {
                        expectRejection("malformed", "\(index) is \(character), tag \(tag.count)") {
                            _ = try side.decrypt(wrong)
                        }
                    }
                }
            }
            expectRejection("malformed", "a character too many") {
                _ = try decrypter.decrypt(
                    TestToken.replacing(3, of: changed, by: String(repeating: "A", count: 16_385)))
            }
        }
    }

    @Test("unused bits must be zero", arguments: ContentEncryptionAlgorithm.all)
    func unused(_ content: ContentEncryptionAlgorithm) throws {
        let (encrypter, decrypter) = try sides(.direct, content)
        for size in 12_400..<12_448 {
            let token = try encrypter.encrypt([UInt8](repeating: 1, count: size))
            let text = TestToken.parts(token)[3]
            guard text.utf8.count % 4 != 0 else { continue }
            let last = text.hasSuffix("B") ? "C" : "B"
            let wrong = TestToken.replacing(3, of: token, by: text.dropLast() + last)
            expectRejection("malformed", "\(size) bytes") { _ = try decrypter.decrypt(wrong) }
        }
    }

    @Test("any other change is the single decryption failure", arguments: algorithms)
    func changed(_ algorithm: KeyManagementAlgorithm) throws {
        let (encrypter, decrypter) = try sides(algorithm, .a128CBCHS256)
        let token = try encrypter.encrypt([UInt8](repeating: 1, count: 12_400))
        let parts = TestToken.parts(token)
        for index in [0, 255, 256, 300, 511, 512, 513, 9_000, parts[3].utf8.count - 2] {
            var bytes = Array(parts[3].utf8)
            bytes[index] = bytes[index] == UInt8(ascii: "Q") ? UInt8(ascii: "g") : UInt8(ascii: "Q")
            let wrong = String(decoding: bytes, as: UTF8.self)
            expectRejection("decryption-failed", "\(index)") {
                _ = try decrypter.decrypt(TestToken.replacing(3, of: token, by: wrong))
            }
        }
        for tag in ["AAAAAAAAAAAAAAAAAAAAAA", "AAAA", ""] {
            expectRejection("decryption-failed") {
                _ = try decrypter.decrypt(TestToken.replacing(4, of: token, by: tag))
            }
        }
        // A multiple of characters that is not a multiple of blocks.
        expectRejection("decryption-failed") {
            _ = try decrypter.decrypt(
                TestToken.replacing(3, of: token, by: String(repeating: "A", count: 16_400)))
        }
        // Another key, except for RSA, for which there is one here.
        guard algorithm != .rsaOAEP256 else { return }
        let (_, stranger) = try sides(algorithm, .a128CBCHS256)
        expectRejection("decryption-failed") { _ = try stranger.decrypt(token) }
    }

    @Test("tokens for several recipients, in the JSON serialisations")
    func recipients() throws {
        let curve = try JWK.generate(.curve(.p256), keyID: "curve")
        let rsa = TestKeys.named(TestKeys.decrypting, "rsa")
        var random = SeededGenerator(seed: 9)
        let plaintext = random.bytes(40_000)
        let token = try JWEJSONEncrypter(
            recipients: [
                JWERecipient(key: curve.publicKey, algorithm: .ecdhESA256KW),
                JWERecipient(key: rsa.publicKey, algorithm: .rsaOAEP256),
            ], content: .a128CBCHS256
        ).encrypt(plaintext)
        let members = try JSONSerialization.jsonObject(with: Data(token.utf8)) as? [String: Any]
        let text = try #require(members?["ciphertext"] as? String)
        let changed = [
            ("malformed", String(text.dropLast()) + "="),
            ("malformed", "." + String(text.dropFirst())),
            ("decryption-failed", (text.hasPrefix("A") ? "B" : "A") + String(text.dropFirst())),
        ]
        for key in [curve, rsa] {
            let decrypter = try JWEDecrypter(
                key: key, algorithms: [.ecdhESA256KW, .rsaOAEP256], content: [.a128CBCHS256])
            #expect(try decrypter.decryptJSON(token).unauthenticatedPlaintext == plaintext)
            for (code, wrong) in changed {
                expectRejection(code, "\(wrong.prefix(2))") {
                    _ = try decrypter.decryptJSON(
                        token.replacingOccurrences(of: text, with: wrong))
                }
            }
        }
    }

    @Test("with an external key, which is not called for a malformed ciphertext")
    func elsewhere() async throws {
        let key = TestKeys.bare(TestKeys.decrypting)
        let externalKey = try TestExternalKey(key, .block)
        let decrypter = try JWEDecrypter.with(
            key.publicKey.withExternalKey(externalKey), .rsaOAEP256, .a128CBCHS256)
        var random = SeededGenerator(seed: 10)
        let plaintext = random.bytes(40_000)
        let token = try JWEEncrypter.with(key.publicKey, .rsaOAEP256, .a128CBCHS256).encrypt(
            plaintext)
        let text = TestToken.parts(token)[3]
        for time in 1...3 {
            #expect(
                try await decrypter.decrypt(token, timeout: ample).unauthenticatedPlaintext
                    == plaintext)
            #expect(externalKey.callCount == time)
        }
        for wrong in [String(text.dropLast()) + "=", "+" + String(text.dropFirst())] {
            await expectRejection("malformed") {
                _ = try await decrypter.decrypt(
                    TestToken.replacing(3, of: token, by: wrong), timeout: ample)
            }
        }
        #expect(externalKey.callCount == 3)
        await expectRejection("decryption-failed") {
            _ = try await decrypter.decrypt(
                TestToken.replacing(4, of: token, by: "AAAAAAAAAAAAAAAAAAAAAA"), timeout: ample)
        }
        #expect(externalKey.callCount == 4)
    }

    @Test("the second of two keys that are tried decrypts")
    func tried() throws {
        let keys = try [
            JWK.generate(.rsa(bits: 2_048)), TestKeys.bare(TestKeys.decrypting),
        ].map(TestKeys.bare)
        var random = SeededGenerator(seed: 8)
        let plaintext = random.bytes(40_000)
        let token = try JWEEncrypter.with(keys[1].publicKey, .rsaOAEP256, .a128CBCHS256).encrypt(
            plaintext)
        let decrypter = try JWEDecrypter(
            keys: JWKSet(keys: keys), algorithms: [.rsaOAEP256], content: [.a128CBCHS256],
            missingKeyID: .tryEligible(atMost: 2))
        #expect(try decrypter.decrypt(token).unauthenticatedPlaintext == plaintext)
        let parts = TestToken.parts(token)
        for tag in [parts[4], "AAAAAAAAAAAAAAAAAAAAAA"] {
            let wrong = TestToken.replacing(
                3, of: TestToken.replacing(4, of: token, by: tag), by: parts[3].dropLast() + "=")
            expectRejection("malformed") { _ = try decrypter.decrypt(wrong) }
        }
        expectRejection("decryption-failed") {
            _ = try decrypter.decrypt(
                TestToken.replacing(4, of: token, by: "AAAAAAAAAAAAAAAAAAAAAA"))
        }
    }
}
