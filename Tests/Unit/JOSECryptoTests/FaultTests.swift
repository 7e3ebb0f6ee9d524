// Memory faults: a bit of a key flips, and no wrong signature may be returned (Boneh, DeMillo and
// Lipton, 1997). The tests find a key's numbers in the memory of the process and flip them there.

import Foundation
import Testing

@testable import JOSECrypto

@Suite(.serialized, .disabled(if: hasHeapOfSanitizer, "memory is searched byte by byte"))
struct FaultTests {
    let message: [UInt8] = Array("the message".utf8)
    private let memory: Memory

    init() throws { memory = try Memory() }

    /// A key whose number can be corrupted. It has signed once, so that all copies of libcrypto
    /// exist.
    private struct Victim {
        let signer: SignatureOperation
        let number: [UInt8]
        let places: [UInt64]
    }

    private func victim(
        _ numbers: RSANumbers, _ options: OperationOptions,
        of number: (NativeKey) throws -> [UInt8]
    ) throws -> Victim {
        let key = try numbers.privateKey()
        let signer = try SignatureOperation(
            key: key, family: .rsaPKCS1, hash: .sha256, signing: true, options: options)
        _ = try signer.sign(message)
        let number = try number(key)
        let places = try memory.places(of: number).sorted()
        try #require(!places.isEmpty)
        return Victim(signer: signer, number: number, places: places)
    }

    /// Signs twice for each address and bit, with that bit flipped. Nil stands for a rejection.
    private func signatures(
        bits: [Int], options: OperationOptions, of number: (NativeKey) throws -> [UInt8]
    ) throws -> [[UInt8]?] {
        let numbers = try RSANumbers(publishedKey("a2-rsa", in: "rfc7515"))
        var result: [[UInt8]?] = []
        var victim = try victim(numbers, options, of: number)
        for index in victim.places.indices {
            for bit in bits where index < victim.places.count {
                memory.flip(bit, of: victim.number, at: victim.places[index], isFlipped: false)
                let pair = [try? victim.signer.sign(message), try? victim.signer.sign(message)]
                memory.flip(bit, of: victim.number, at: victim.places[index], isFlipped: true)
                result += pair
                // A rejection drops contexts and their copies: start again with an intact key.
                if pair.contains(nil) { victim = try self.victim(numbers, options, of: number) }
            }
        }
        return result
    }

    private func rightSignature() throws -> [UInt8] {
        try SignatureOperation(
            key: .published(), family: .rsaPKCS1, hash: .sha256, signing: true
        ).sign(message)
    }

    @Test(
        "a flipped bit of p, q, dp, dq, qi or d never results in a wrong signature",
        arguments: RSAPrivatePart.allCases, [OperationOptions(), .noKernels, .openSSLOnly])
    func privateParts(_ part: RSAPrivatePart, _ options: OperationOptions) throws {
        let right = try rightSignature()
        let made = try signatures(bits: [0, 77, 1021], options: options) { try $0.secret(part) }
        #expect(made.count >= 6)
        let wrong = made.count { $0 != nil && $0 != right }
        #expect(wrong == 0)
    }

    @Test(
        "a corrupted modulus, which OpenSSL accepts: its signatures are rejected everywhere",
        arguments: [OperationOptions(), .noKernels, .openSSLOnly])
    func modulus(_ options: OperationOptions) throws {
        let right = try rightSignature()
        let made = try signatures(bits: [5, 1900], options: options) { $0.publicModulus() }
        let rejected = made.count { $0 == nil }
        let wrong = made.count { $0 != nil && $0 != right }
        #expect(rejected > 0 && wrong == 0)
    }

    @Test("a corrupted modulus with the vector kernels switched off")
    func modulusWithoutKernels() async {
        await #expect(processExitsWith: .success) {
            VectorKernel.rsa.switchOff()
            VectorKernel.rsaDoubles.switchOff()
            let tests = try FaultTests()
            try tests.modulus([])
        }
    }
}
