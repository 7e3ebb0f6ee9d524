// RSASSA-PKCS1-v1_5: tests in addition to those of SignatureFamilyTests.

import Foundation
import Testing

@testable import JOSECrypto

@Suite struct SignatureTests {
    static let hashes: [HashAlgorithm] = [.sha256, .sha384, .sha512]

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

    @Test("a signature of another hash is rejected")
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

    @Test("values out of range are rejected: 0, 1, n - 1, n, n + 1, all ones")
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

    @Test("a key imported without primes gives the same signatures")
    func recovered() throws {
        var numbers = try RSANumbers(publishedKey("a2-rsa", in: "rfc7515"))
        let expected = try pair(numbers.privateKey()).signer.sign([7])
        numbers.crt = nil
        #expect(try pair(numbers.privateKey()).signer.sign([7]) == expected)
    }

    @Test("keys of 3072 and 4096 bits", arguments: [3072, 4096])
    func larger(_ bits: Int) throws {
        let key = try NativeKey.rsaGenerate(bits: bits)
        let (signer, verifier) = try pair(key, .sha512, .checksEverySignature)
        let signature = try signer.sign([1, 2])
        #expect(signature.count == bits / 8)
        #expect(try verifier.accepts([1, 2], signature))
    }
}
