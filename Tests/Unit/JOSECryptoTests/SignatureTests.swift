// RSASSA-PKCS1-v1_5: published signatures byte for byte, and every kind of wrong one.

import Foundation
import Testing

@testable import JOSECrypto

@Suite struct SignatureTests {
    static let hashes: [HashAlgorithm] = [.sha256, .sha384, .sha512]
    static let options: [OperationOptions] = [
        [], .checksEverySignature, .providerOnly, [.checksEverySignature, .providerOnly],
    ]

    private func pair(
        _ key: NativeKey, _ hash: HashAlgorithm = .sha256, _ options: OperationOptions = []
    ) throws -> (signer: SignatureOperation, verifier: SignatureOperation) {
        (
            try SignatureOperation(
                key: key, family: .rsaPKCS1, hash: hash, signing: true, options: options),
            try SignatureOperation(
                key: key, family: .rsaPKCS1, hash: hash, signing: false, options: options)
        )
    }

    @Test("RFC 7515 A.2: the published RS256 signature", arguments: options)
    func publishedSignature(_ options: OperationOptions) throws {
        let output = try vector("rfc7515-a2-rs256", in: "rfc7515").output
        let input = [UInt8](try #require(output["signing_input"] as? String).utf8)
        let expected = try base64URL(output["signature_b64u"])
        let (signer, verifier) = try pair(.published(), .sha256, options)
        #expect(try signer.sign(input) == expected)
        #expect(try verifier.accepts(input, expected))
    }

    @Test("RFC 7520 4.1: the published RS256 signature")
    func cookbook() throws {
        let output = try vector("rfc7520-4.1-jws", in: "rfc7520").output
        let compact = try #require(output["compact"] as? String)
        let end = try #require(compact.lastIndex(of: "."))
        let input = [UInt8](compact[..<end].utf8)
        let expected = try base64URL(String(compact[compact.index(after: end)...]))
        let key = try RSANumbers(publishedKey("3-rsa-private", in: "rfc7520")).privateKey()
        let (signer, verifier) = try pair(key)
        #expect(try signer.sign(input) == expected)
        #expect(try verifier.accepts(input, expected))
    }

    @Test("both ways give the same bytes with each hash", arguments: hashes)
    func providerAgrees(_ hash: HashAlgorithm) throws {
        let key = try NativeKey.published()
        let (signer, verifier) = try pair(key, hash)
        let (plainSigner, plainVerifier) = try pair(key, hash, .providerOnly)
        for count in [0, 1, 55, 56, 63, 64, 111, 112, 127, 128, 1000, 100_000] {
            let message = try Random.bytes(count)
            let signature = try signer.sign(message)
            #expect(try plainSigner.sign(message) == signature)
            #expect(try verifier.accepts(message, signature))
            #expect(try plainVerifier.accepts(message, signature))
        }
    }

    @Test("a signature of another hash is refused")
    func otherHash() throws {
        let key = try NativeKey.published()
        let message: [UInt8] = [1, 2, 3]
        for made in Self.hashes {
            let signature = try pair(key, made).signer.sign(message)
            for checked in Self.hashes {
                let verifier = try pair(key, checked).verifier
                #expect(try verifier.accepts(message, signature) == (made == checked))
            }
        }
    }

    @Test("every byte of a signature counts", arguments: [OperationOptions(), .providerOnly])
    func tampered(_ options: OperationOptions) throws {
        let (signer, verifier) = try pair(.published(), .sha256, options)
        let message: [UInt8] = Array("payload".utf8)
        let signature = try signer.sign(message)
        for index in signature.indices {
            var changed = signature
            changed[index] ^= 1 << UInt8(index % 8)
            #expect(try !verifier.accepts(message, changed))
        }
        for index in message.indices {
            var changed = message
            changed[index] ^= 1
            #expect(try !verifier.accepts(changed, signature))
        }
        #expect(try verifier.accepts(message, signature))
    }

    @Test("every wrong length is refused")
    func lengths() throws {
        let (signer, verifier) = try pair(.published())
        let signature = try signer.sign([1])
        for count in 0..<signature.count {
            #expect(try !verifier.accepts([1], Array(signature[..<count])))
        }
        #expect(try !verifier.accepts([1], signature + [0]))
        #expect(try !verifier.accepts([1], [0] + signature))
        #expect(try !verifier.accepts([1], signature + signature))
        #expect(throws: CryptoFault.failure) {
            var short = [UInt8](repeating: 0, count: 255)
            var span = short.mutableSpan
            try signer.sign([UInt8]().span, into: &span)
        }
    }

    @Test("values out of range: 0, 1, n - 1, n, n + 1, all ones")
    func outOfRange() throws {
        let key = try NativeKey.published()
        let n = key.publicModulus()
        let verifier = try pair(key).verifier
        var below = n
        below[255] -= 1
        var above = n
        above[255] += 1  // n is odd and does not end in 255
        let zero = [UInt8](repeating: 0, count: 256)
        for value in [zero, Array(zero.dropLast()) + [1], below, n, above, zero.map { ~$0 }] {
            #expect(try !verifier.accepts([1, 2, 3], value))
        }
    }

    @Test("a public key cannot sign; a prepared operation does only its one thing")
    func purpose() throws {
        let numbers = try RSANumbers(publishedKey("a2-rsa", in: "rfc7515"))
        #expect(throws: CryptoFault.unusableKey) { _ = try pair(numbers.publicKey()) }
        let (signer, verifier) = try pair(numbers.privateKey())
        #expect(throws: CryptoFault.failure) { _ = try verifier.sign([1]) }
        #expect(throws: CryptoFault.failure) {
            _ = try signer.accepts([1], [UInt8](repeating: 0, count: 256))
        }
    }

    @Test("a key that came without its primes signs the same bytes")
    func recovered() throws {
        var numbers = try RSANumbers(publishedKey("a2-rsa", in: "rfc7515"))
        let expected = try pair(numbers.privateKey()).signer.sign([7])
        numbers.crt = nil
        #expect(try pair(numbers.privateKey()).signer.sign([7]) == expected)
    }

    @Test("3072 and 4096 bits", arguments: [3072, 4096])
    func larger(_ bits: Int) throws {
        let key = try NativeKey.rsaGenerate(bits: bits)
        let (signer, verifier) = try pair(key, .sha512, .checksEverySignature)
        let signature = try signer.sign([1, 2])
        #expect(signature.count == bits / 8)
        #expect(try verifier.accepts([1, 2], signature))
    }
}
