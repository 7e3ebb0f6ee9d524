// AES-CBC with HMAC and AES-GCM: published vectors byte for byte, padding, and modifications.

import Foundation
import Testing

@testable import JOSECrypto

@Suite struct ContentTests {
    @Test(
        "RFC 7518 appendix B and RFC 7516 appendix B, encrypting and decrypting",
        arguments: [
            ("rfc7518", "rfc7518-b1-a128cbc-hs256", ContentAlgorithm.a128CBCHS256),
            ("rfc7518", "rfc7518-b2-a192cbc-hs384", .a192CBCHS384),
            ("rfc7518", "rfc7518-b3-a256cbc-hs512", .a256CBCHS512),
            ("rfc7516", "rfc7516-b-a128cbc-hs256", .a128CBCHS256),
        ])
    func published(_ file: String, _ id: String, _ content: ContentAlgorithm) throws {
        let (input, output) = try vector(id, in: file)
        let cek = try base64URL(input["cek_b64u"])
        let iv = try base64URL(input["iv_b64u"])
        let aad = try base64URL(input["aad_b64u"])
        let plaintext = try base64URL(input["plaintext_b64u"])
        let ciphertext = try base64URL(output["ciphertext_b64u"])
        let tag = try base64URL(output["tag_b64u"])
        let made = try ContentTestVectors.encrypt(
            content, cek, iv, aad, plaintext)
        #expect(made.ciphertext == ciphertext && made.tag == tag)
        #expect(
            try ContentTestVectors.decrypt(
                content, cek, iv, aad, ciphertext,
                tag) == plaintext)
    }

    @Test("every length from 0 to 100, and larger sizes", arguments: ContentAlgorithm.allCases)
    func lengths(_ content: ContentAlgorithm) throws {
        let cek = try Random.bytes(content.keyBytes)
        let iv = try Random.bytes(content.ivBytes)
        for count in Array(0...100) + [65_536, 1_000_001] {
            let text = try Random.bytes(count)
            let aad = try Random.bytes(count % 37)
            let made = try ContentTestVectors.encrypt(
                content, cek, iv, aad, text)
            let isCBC = content.checksTagFirst
            #expect(made.ciphertext.count == (isCBC ? (count / 16 + 1) * 16 : count))
            #expect(made.ciphertext.count == content.ciphertextBytes(for: count))
            #expect(made.tag.count == content.tagBytes)
            let opened = try ContentTestVectors.decrypt(
                content, cek, iv, aad, made.ciphertext,
                made.tag)
            #expect(opened == text)
        }
        #expect(content.ciphertextBytes(for: Int.max) == nil)
        #expect(content.ciphertextBytes(for: -1) == nil)
    }

    private func opens(
        _ content: ContentAlgorithm, _ cek: [UInt8], _ iv: [UInt8], _ aad: [UInt8],
        _ text: [UInt8], _ tag: [UInt8]
    ) -> CryptoError? {
        do throws(CryptoError) {
            _ = try ContentTestVectors.decrypt(
                content, cek, iv, aad, text,
                tag)
            return nil
        } catch {
            return error
        }
    }

    @Test(
        "each bit of IV, AAD, ciphertext and tag is authenticated",
        arguments: ContentAlgorithm.allCases)
    func tampered(_ content: ContentAlgorithm) throws {
        let cek = try Random.bytes(content.keyBytes)
        let iv = try Random.bytes(content.ivBytes)
        let aad = try Random.bytes(20)
        let made = try ContentTestVectors.encrypt(
            content, cek, iv, aad,
            try Random.bytes(40))
        let parts = [iv, aad, made.ciphertext, made.tag]
        #expect(opens(content, cek, parts[0], parts[1], parts[2], parts[3]) == nil)
        for part in parts.indices {
            for bit in 0..<(parts[part].count * 8) {
                var changed = parts
                changed[part][bit / 8] ^= 1 << UInt8(bit % 8)
                #expect(
                    opens(content, cek, changed[0], changed[1], changed[2], changed[3]) == .rejected
                )
            }
            var shorter = parts
            shorter[part].removeLast()
            #expect(
                opens(content, cek, shorter[0], shorter[1], shorter[2], shorter[3]) == .rejected)
            var longer = parts
            longer[part].append(0)
            #expect(opens(content, cek, longer[0], longer[1], longer[2], longer[3]) == .rejected)
        }
        // The AL field detects a byte moved between the AAD and the IV.
        #expect(opens(content, Array(cek.dropLast()), iv, aad, parts[2], parts[3]) == .rejected)
        #expect(opens(content, cek, iv, aad, [], parts[3]) == .rejected)
    }

    /// Test cases 1 to 18 of the GCM specification (McGrew, Viega) whose IV has 12 bytes.
    @Test(
        "the vectors of the GCM specification, encrypting and decrypting",
        arguments: [
            (
                "00000000000000000000000000000000", "000000000000000000000000", "", "", "",
                "58e2fccefa7e3061367f1d57a4e7455a"
            ),
            (
                "00000000000000000000000000000000", "000000000000000000000000", "",
                "00000000000000000000000000000000", "0388dace60b6a392f328c2b971b2fe78",
                "ab6e47d42cec13bdf53a67b21257bddf"
            ),
            (
                "feffe9928665731c6d6a8f9467308308", "cafebabefacedbaddecaf888",
                "feedfacedeadbeeffeedfacedeadbeefabaddad2", gcmText,
                "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e"
                    + "21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e091",
                "5bc94fbc3221a5db94fae95ae7121a47"
            ),
            (
                "feffe9928665731c6d6a8f9467308308feffe9928665731c", "cafebabefacedbaddecaf888",
                "feedfacedeadbeeffeedfacedeadbeefabaddad2", gcmText,
                "3980ca0b3c00e841eb06fac4872a2757859e1ceaa6efd984628593b40ca1e19c"
                    + "7d773d00c144c525ac619d18c84a3f4718e2448b2fe324d9ccda2710",
                "2519498e80f1478f37ba55bd6d27618c"
            ),
            (
                "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308",
                "cafebabefacedbaddecaf888", "feedfacedeadbeeffeedfacedeadbeefabaddad2", gcmText,
                "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa"
                    + "8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662",
                "76fc6ece0f4e1768cddf8853bb2d551b"
            ),
        ])
    func galois(
        _ key: String, _ iv: String, _ aad: String, _ text: String, _ ciphertext: String,
        _ tag: String
    ) throws {
        let key = hex(key)
        let content = try #require(
            ContentAlgorithm.allCases.first {
                !$0.checksTagFirst && $0.keyBytes == key.count
            })
        let made = try ContentTestVectors.encrypt(content, key, hex(iv), hex(aad), hex(text))
        #expect(made.ciphertext == hex(ciphertext) && made.tag == hex(tag))
        #expect(
            try ContentTestVectors.decrypt(
                content, key, hex(iv), hex(aad), made.ciphertext, made.tag)
                == hex(text))
    }

    @Test(
        "after a rejection the buffer has ciphertext or zeros, never plaintext",
        arguments: ContentAlgorithm.allCases)
    func rejectedBuffer(_ content: ContentAlgorithm) throws {
        let cek = try Random.bytes(content.keyBytes)
        let iv = try Random.bytes(content.ivBytes)
        let text = [UInt8](repeating: 7, count: 4_096)
        let made = try ContentTestVectors.encrypt(content, cek, iv, [1], text)
        for (tag, aad) in [(made.tag.map { $0 ^ 1 }, [1] as [UInt8]), (made.tag, [2])] {
            let left = try ContentTestVectors.rejected(content, cek, iv, aad, made.ciphertext, tag)
            #expect(
                left == made.ciphertext && content.checksTagFirst
                    || left == [UInt8](repeating: 0, count: left.count)
                        && !content.checksTagFirst
            )
        }
    }

    @Test("RFC 7516 11.5: a valid tag over wrong padding gives the same rejection")
    func padding() throws {
        let cek = try Random.bytes(32)
        let iv = try Random.bytes(16)
        // Encrypting 16 bytes gives two blocks. The first alone decrypts to bytes that we choose.
        func single(_ block: [UInt8]) throws -> (text: [UInt8], tag: [UInt8]) {
            let made = try ContentTestVectors.encrypt(
                .a128CBCHS256, cek, iv, [], block)
            let text = Array(made.ciphertext[..<16])
            let signed = iv + text + [UInt8](repeating: 0, count: 8)
            let tag = try HMAC.code(.sha256, Array(cek[..<16]), signed)
            return (text, Array(tag[..<16]))
        }
        for last in UInt8.min...UInt8.max {
            for correct in [true, false] {
                var block = [UInt8](repeating: 0x5a, count: 16)
                block[15] = last
                let isCount = (1...16).contains(last)
                if isCount { for index in (16 - Int(last))..<16 { block[index] = last } }
                if !correct {
                    guard isCount, last > 1 else { continue }
                    block[16 - Int(last)] ^= 0x80
                }
                let made = try single(block)
                let failure = opens(.a128CBCHS256, cek, iv, [], made.text, made.tag)
                #expect(failure == (isCount && correct ? nil : .rejected), "\(block)")
            }
        }
        // Ciphertext that is rejected because of its padding was decrypted: none of the plaintext
        // remains.
        let wrong = try single([UInt8](repeating: 0x5a, count: 16))
        let left = try ContentTestVectors.rejected(
            .a128CBCHS256, cek, iv, [], wrong.text, wrong.tag)
        #expect(left == [UInt8](repeating: 0, count: 16))
        // Each bit of each byte of padding counts, and none before it.
        for last in UInt8(1)...16 {
            for index in 0..<15 {
                for bit in UInt8(0)..<8 {
                    var block = [UInt8](repeating: last, count: 16)
                    block[index] ^= 1 << bit
                    let made = try single(block)
                    let failure = opens(.a128CBCHS256, cek, iv, [], made.text, made.tag)
                    #expect(failure == (index < 16 - Int(last) ? nil : .rejected), "\(block)")
                }
            }
        }
    }
}

private let gcmText =
    "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
    + "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39"
