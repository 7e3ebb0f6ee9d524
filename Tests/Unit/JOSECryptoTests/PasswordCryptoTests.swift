// PBES2 compared with published values, at its limits. Also key wrapping with each byte of its
// integrity value.

import Testing

@testable import JOSECrypto

@Suite struct PasswordCryptoTests {
    private static let text = (0..<17).map { UInt8($0) }
    private static let vector = (0..<16).map { UInt8($0) }

    private func rule(
        _ hash: HashAlgorithm = .sha256, _ keyBytes: Int = 16, iterations: UInt32 = 3,
        salt: [UInt8] = Array("salt and pepper".utf8), vector: [UInt8] = vector
    ) -> PBES2 {
        PBES2(
            hash: hash, iterations: iterations, keyBytes: keyBytes, salt: salt,
            initializationVector: vector)
    }

    private func encrypted(
        _ rule: PBES2, _ text: [UInt8] = text, _ password: String = "pass"
    ) throws(CryptoError) -> [UInt8] {
        try rule.encrypt(text.span, password: SecretBytes(Array(password.utf8))).bytes
    }

    private func decrypted(
        _ rule: PBES2, _ text: [UInt8], _ password: String = "pass"
    ) throws(CryptoError) -> [UInt8] {
        try rule.decrypt(text.span, password: SecretBytes(Array(password.utf8))).bytes
    }

    // Made with Python's hashlib.pbkdf2_hmac and `openssl enc`: 17 bytes from 0, three iterations.
    private static let made: [(HashAlgorithm, Int, String, String)] = [
        (.sha256, 16, "pass", "5f5e9f34af339c7cb5b51d302031f2d84dba36328a076e2364841eb62930dc02"),
        (.sha256, 16, "", "2ecbe51daf50a0def02c5c6385f8c0ecb09a22a28cea6aeaf2bebbf3ac0fac54"),
        (.sha384, 24, "pass", "0868ad5eb36fdd34a633e355587e76e9e59678d920a4de7e31198fe99c080367"),
        (.sha384, 24, "", "5a8d2b310b2e944feffa99548c45d2c94e5e9575d5b4a4d64ec8e4b74637d440"),
        (.sha512, 32, "pass", "01ea1639bc2cf849de34d14a93a614e20b016ca1bfd7ca1f9e08cf591f9b21e4"),
        (.sha512, 32, "", "31d828bfb22757369b53bf28e9b7b66a97c3bc55580436c6d49068f9e41011ae"),
        (.sha256, 32, "pass", "12562a2b638bfba77f3cd8dd88ad67bf0cacc15b7884e48ffe1ed7d90f7afd11"),
        (.sha256, 32, "", "9d79803ba86575a0040a0c474075e6edca162a4d030825939afc64439ca64be4"),
        (.sha512, 16, "pass", "22dc82625bda4a96d936a79d601d34e4e07354f8e495505a57e58b1eb330ea10"),
        (.sha512, 16, "", "8fa73b7b80119edda8e6369674939eeafdaaabfbf9838613c15d7c8f7913d606"),
    ]

    @Test("RFC 8018 6.2: every PRF and key size gives the published bytes")
    func values() throws {
        for (hash, size, password, wanted) in Self.made {
            let rule = rule(hash, size)
            let made = try encrypted(rule, Self.text, password)
            #expect(made == hex(wanted), "\(hash) \(size)")
            let opened = try decrypted(rule, made, password)
            #expect(opened == Self.text, "\(hash) \(size)")
        }
    }

    @Test("RFC 8018 6.1.1: text near a block size is padded and read back")
    func lengths() throws {
        for count in [1, 2, 15, 16, 17, 31, 32, 33, 1_000] {
            let text = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 5) }
            for iterations in [1, 2] as [UInt32] {
                let rule = rule(iterations: iterations)
                let made = try encrypted(rule, text)
                #expect(made.count == (count / 16 + 1) * 16)
                let opened = try decrypted(rule, made)
                #expect(opened == text)
            }
        }
    }

    @Test("RFC 8018 6.2.2: impossible ciphertexts are rejected like a wrong password")
    func rejected() throws {
        let rule = rule()
        let made = try encrypted(rule)
        for count in [1, 15, 17, 31] {
            #expect(throws: CryptoError.rejected) {
                _ = try decrypted(rule, Array(made.prefix(count)))
            }
        }
        // The last byte of the previous block changes only the padding of the last block.
        var corrupted = made
        corrupted[15] ^= 0x1f
        #expect(throws: CryptoError.rejected) { _ = try decrypted(rule, corrupted) }
        #expect(throws: CryptoError.rejected) { _ = try decrypted(rule, Array(made.prefix(16))) }
    }

    @Test("parameters and texts that no caller may pass are rejected")
    func misuse() throws {
        for size in [0, 1, 8, 15, 17, 23, 25, 31, 33, 40, 48] {
            #expect(throws: CryptoError.failure, "\(size)") {
                _ = try encrypted(rule(.sha256, size))
            }
            #expect(throws: CryptoError.failure, "\(size)") {
                _ = try decrypted(rule(.sha256, size), [UInt8](repeating: 1, count: 32))
            }
        }
        #expect(throws: CryptoError.failure) { _ = try encrypted(rule(iterations: 0)) }
        #expect(throws: CryptoError.failure) { _ = try encrypted(rule(), []) }
        #expect(throws: CryptoError.failure) { _ = try decrypted(rule(), []) }
        for count in [0, 15, 17] {
            #expect(throws: CryptoError.failure) {
                _ = try encrypted(rule(vector: [UInt8](repeating: 1, count: count)))
            }
        }
    }

    // MARK: key wrapping

    /// The key that PBES2 derives from this password with one iteration (RFC 8018, 5.2).
    private func key() throws -> [UInt8] {
        let code = try HMAC.code(
            .sha256, Array("pass".utf8), Array("salt and pepper".utf8) + [0, 0, 0, 1])
        return Array(code[..<16])
    }

    /// One AES block with that key: the first of CBC over zeros, with the block as the IV.
    private func block(_ block: [UInt8]) throws -> [UInt8] {
        let zeros = [UInt8](repeating: 0, count: 16)
        return Array(try encrypted(rule(iterations: 1, vector: block), zeros)[..<16])
    }

    /// RFC 3394 2.2.1 with another integrity value.
    private func wrapped(_ key: [UInt8], integrity: [UInt8]) throws -> [UInt8] {
        var value = integrity
        var parts = stride(from: 0, to: key.count, by: 8).map { Array(key[$0..<($0 + 8)]) }
        var step: UInt8 = 0
        for _ in 0..<6 {
            for index in parts.indices {
                let made = try block(value + parts[index])
                step += 1
                value = Array(made[..<8])
                value[7] ^= step
                parts[index] = Array(made[8...])
            }
        }
        return value + parts.flatMap { $0 }
    }

    @Test("RFC 3394 2.2.3: each bit of the integrity value is checked")
    func integrity() throws {
        let content = ContentAlgorithm.a128GCM
        let cek = (0..<16).map { UInt8($0 * 3 + 1) }
        let iv = [UInt8](repeating: 7, count: content.ivBytes)
        let text = try ContentTestVectors.encrypt(content, cek, iv, [], [1, 2, 3])
        let method = KeyMethod(name: "A128KW", family: .aesKW, wrapBytes: 16)
        let opener = try method.operation(.symmetric(SecretBytes(key())), wrapping: false)
        let right = [UInt8](repeating: 0xa6, count: 8)
        let good = Sealed(
            encryptedKey: try wrapped(cek, integrity: right), iv: iv, ciphertext: text.ciphertext,
            tag: text.tag)
        let opened = try opener.open(good, content: content, aad: [])
        #expect(opened == [1, 2, 3])
        for index in 0..<8 {
            for bit in [0, 3, 7] as [UInt8] {
                var wrong = right
                wrong[index] ^= 1 << bit
                var bad = good
                bad.encryptedKey = try wrapped(cek, integrity: wrong)
                #expect(throws: CryptoError.rejected, "byte \(index), bit \(bit)") {
                    _ = try opener.open(bad, content: content, aad: [])
                }
            }
        }
        // With any other length, the right key at its start does not help.
        for count in [0, 8, 16, 23, 25, 32] {
            var bad = good
            bad.encryptedKey = Array((good.encryptedKey + good.encryptedKey).prefix(count))
            #expect(throws: CryptoError.rejected, "\(count) bytes") {
                _ = try opener.open(bad, content: content, aad: [])
            }
        }
    }
}
