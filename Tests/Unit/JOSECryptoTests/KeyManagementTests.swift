// Encrypting and decrypting with RSA-OAEP: round trips, published texts, and one result for all
// errors.

import Foundation
import Testing

@testable import JOSECrypto

@Suite struct KeyManagementTests {
    let key: NativeKey

    init() throws {
        key = try .published()
    }

    private func operation(
        _ hash: HashAlgorithm, wrapping: Bool, _ options: OperationOptions = [],
        key: NativeKey? = nil
    ) throws -> KeyManagementOperation {
        try KeyManagementOperation(
            key: key ?? self.key, family: .rsaOAEP, hash: hash, wrapping: wrapping,
            options: options)
    }

    @Test(
        "our padding and OpenSSL's decrypt each other's output",
        arguments: HashAlgorithm.allCases)
    func bothWays(_ hash: HashAlgorithm) throws {
        for content in ContentAlgorithm.allCases {
            for sealing in [OperationOptions(), .openSSLOnly] {
                for opening in [OperationOptions(), .openSSLOnly] {
                    let text = try Random.bytes(100)
                    let sealed = try operation(hash, wrapping: true, sealing)
                        .seal(text, content: content, aad: [1, 2])
                    let opened = try operation(hash, wrapping: false, opening)
                        .open(sealed, content: content, aad: [1, 2])
                    #expect(opened == text)
                }
            }
        }
    }

    @Test(
        "RFC 7516 11.5: every error of a value gives the single rejection",
        arguments: [OperationOptions(), .openSSLOnly])
    func failures(_ options: OperationOptions) throws {
        let sealer = try operation(.sha256, wrapping: true, options)
        let opener = try operation(.sha256, wrapping: false, options)
        let sealed = try sealer.seal(Array("plaintext".utf8), aad: [1])
        #expect(try opener.open(sealed, aad: [1]) == Array("plaintext".utf8))

        func expectRejected(
            _ comment: Comment, aad: [UInt8] = [1], _ change: (inout Sealed) -> Void
        ) {
            var changed = sealed
            change(&changed)
            #expect(throws: CryptoError.rejected, comment) {
                _ = try opener.open(changed, aad: aad)
            }
        }
        for index in stride(from: 0, to: 256, by: 5) {
            expectRejected("key byte") { $0.encryptedKey[index] ^= 0x10 }
        }
        for count in [0, 1, 16, 255, 257, 512] {
            expectRejected("key length") {
                $0.encryptedKey = [UInt8](repeating: 1, count: count)
            }
        }
        let n = key.publicModulus()
        var below = n
        below[255] -= 1
        let zero = [UInt8](repeating: 0, count: 256)
        for value in [zero, zero.dropLast() + [1], below, n, zero.map { ~$0 }] {
            expectRejected("key value") { $0.encryptedKey = Array(value) }
        }
        for count in [0, 1, 8, 12, 15, 17, 32] {
            expectRejected("IV length") { $0.iv = [UInt8](repeating: 0, count: count) }
            expectRejected("tag length") { $0.tag = [UInt8](repeating: 0, count: count) }
            expectRejected("ciphertext length") {
                $0.ciphertext = [UInt8](repeating: 0, count: count)
            }
        }
        for index in 0..<16 {
            expectRejected("IV") { $0.iv[index] ^= 1 }
            expectRejected("tag") { $0.tag[index] ^= 0x80 }
            expectRejected("ciphertext") { $0.ciphertext[index] ^= 1 }
        }
        expectRejected("AAD", aad: [1, 0]) { _ in }
        expectRejected("AAD", aad: []) { _ in }
        #expect(try opener.open(sealed, aad: [1]) == Array("plaintext".utf8))
    }

    @Test("RFC 7516 11.5: a content encryption key of a wrong length gives the same rejection")
    func keyLength() throws {
        for hash in HashAlgorithm.allCases {
            for options in [OperationOptions(), .openSSLOnly] {
                let sealer = try operation(hash, wrapping: true)
                let opener = try operation(hash, wrapping: false, options)
                for made in ContentAlgorithm.allCases {
                    for read in ContentAlgorithm.allCases where read != made {
                        var sealed = try sealer.seal([1, 2], content: made, aad: [])
                        sealed.tag = [UInt8](repeating: 0, count: read.tagBytes)
                        #expect(throws: CryptoError.rejected) {
                            _ = try opener.open(sealed, content: read, aad: [])
                        }
                    }
                }
            }
        }
    }

    @Test("another hash, another key and an all-zero key are rejected")
    func otherKeys() throws {
        let sealed = try operation(.sha256, wrapping: true).seal([1], aad: [])
        for hash in HashAlgorithm.allCases where hash != .sha256 {
            for options in [OperationOptions(), .openSSLOnly] {
                let opener = try operation(hash, wrapping: false, options)
                #expect(throws: CryptoError.rejected) { _ = try opener.open(sealed, aad: []) }
            }
        }
        let other = try operation(
            .sha256, wrapping: false, key: NativeKey.rsaGenerate(bits: 2048))
        #expect(throws: CryptoError.rejected) { _ = try other.open(sealed, aad: []) }
        // A tag with an all-zero key must not be accepted if the unwrapping failed.
        let zeroKey = [UInt8](repeating: 0, count: 32)
        let made = try ContentTestVectors.encrypt(
            .a128CBCHS256, zeroKey, sealed.iv, [], [1])
        let forged = Sealed(
            encryptedKey: [UInt8](repeating: 0, count: 256), iv: sealed.iv,
            ciphertext: made.ciphertext, tag: made.tag)
        let opener = try operation(.sha256, wrapping: false)
        #expect(throws: CryptoError.rejected) { _ = try opener.open(forged, aad: []) }
    }

    @Test("purpose and sizes are checked")
    func purpose() throws {
        let numbers = try RSANumbers(publishedKey("a2-rsa", in: "rfc7515"))
        #expect(throws: CryptoError.unusableKey) {
            _ = try operation(.sha256, wrapping: false, key: numbers.publicKey())
        }
        let sealer = try operation(.sha256, wrapping: true, key: numbers.publicKey())
        let opener = try operation(.sha256, wrapping: false)
        let sealed = try sealer.seal([1], aad: [])
        #expect(try opener.open(sealed, aad: []) == [1])
        #expect(throws: CryptoError.failure) { _ = try sealer.open(sealed, aad: []) }
        #expect(throws: CryptoError.failure) { _ = try opener.seal([1], aad: []) }
        #expect(sealer.encryptedKeyBytes(for: .a256GCM) == 256)
    }
}
