// Every implementation of verification and encryption gives the results of OpenSSL's EVP. The
// vector kernels are included if the C target is optimised: `swift test -Xcc -O2`, or a release
// build.

import Foundation
import JOSEBytes
import Synchronization
import Testing

@testable import JOSECrypto

/// The best available CPU level, from `jose_cpu_level` in CJOSEKernels/cpu.h, which is not a public
/// header.
@_silgen_name("jose_cpu_best") private func bestCPULevel() -> UInt32

@Suite struct KernelTests {
    private static let wayNamed = ProcessInfo.processInfo.environment["JOSE_TEST_CPU"] ?? ""

    @Test("no CPU level above the one in JOSE_TEST_CPU is used", .enabled(if: wayNamed != ""))
    func way() {
        #if Kernels
            let way = ["portable", "fma", "ifma"].firstIndex(of: Self.wayNamed)
        #else
            let way: Int? = 0
        #endif
        #expect(way == Int(bestCPULevel()))
        #expect(VectorKernel.rsa.isInUse == false || bestCPULevel() == 2)
    }

    static let ways: [OperationOptions] = [[], .noKernels, .openSSLOnly, .acceleratesEncryption]
    static let sizes = [2048, 2056, 3072, 4096]

    private func operation(
        _ key: NativeKey, _ hash: HashAlgorithm, signing: Bool, _ options: OperationOptions
    ) throws -> SignatureOperation {
        try SignatureOperation(
            key: key, family: .rsaPKCS1, hash: hash, signing: signing, options: options)
    }

    @Test(
        "a signature is accepted, and any other rejected, by every implementation",
        arguments: sizes)
    func verifying(_ bits: Int) throws {
        let key = try NativeKey.rsaGenerate(bits: bits)
        let message: [UInt8] = Array("in every way".utf8)
        for hash in [HashAlgorithm.sha256, .sha384, .sha512] {
            let right = try operation(key, hash, signing: true, .openSSLOnly).sign(message)
            for way in Self.ways {
                let signer = try operation(key, hash, signing: true, way)
                #expect(try signer.sign(message) == right)
                let verifier = try operation(key, hash, signing: false, way)
                #expect(try verifier.accepts(message, right))
                #expect(try !verifier.accepts(message + [0], right))
                for index in stride(from: 0, to: right.count, by: 61) {
                    var wrong = right
                    wrong[index] ^= 0x10
                    #expect(try !verifier.accepts(message, wrong))
                }
            }
        }
    }

    @Test("numbers at the limits and a signature plus the modulus are rejected", arguments: sizes)
    func edges(_ bits: Int) throws {
        let key = try NativeKey.rsaGenerate(bits: bits)
        let modulus = key.publicModulus()
        let message: [UInt8] = [7]
        let right = try operation(key, .sha256, signing: true, .openSSLOnly).sign(message)
        var sum = right
        var carry = 0
        for index in sum.indices.reversed() {
            let total = Int(right[index]) + Int(modulus[index]) + carry
            sum[index] = UInt8(total & 0xff)
            carry = total >> 8
        }
        var less = modulus
        less[less.count - 1] -= 1
        let zero = [UInt8](repeating: 0, count: modulus.count)
        var one = zero
        one[one.count - 1] = 1
        let ones = [UInt8](repeating: 0xff, count: modulus.count)
        for way in Self.ways {
            let verifier = try operation(key, .sha256, signing: false, way)
            for wrong in [modulus, less, zero, one, ones] + (carry == 0 ? [sum] : []) {
                #expect(try !verifier.accepts(message, wrong))
            }
        }
    }

    @Test("OpenSSL decrypts what any implementation encrypts", arguments: sizes)
    func sealing(_ bits: Int) throws {
        let key = try NativeKey.rsaGenerate(bits: bits)
        for hash in [HashAlgorithm.sha1, .sha256] {
            let opener = try KeyManagementOperation(
                key: key, family: .rsaOAEP, hash: hash, wrapping: false, options: .openSSLOnly)
            for way in Self.ways {
                let sealer = try KeyManagementOperation(
                    key: key, family: .rsaOAEP, hash: hash, wrapping: true, options: way)
                for count in [0, 1, 15, 16, 17, 127, 128, 144, 600, 4096, 70_001] {
                    let text = try Random.bytes(count)
                    let aad = try Random.bytes(count % 97)
                    let sealed = try sealer.seal(text, aad: aad)
                    #expect(try opener.open(sealed, aad: aad) == text)
                }
            }
        }
    }

    @Test("switching off a kernel is reported once, early or late, and changes no result")
    func switchedOff() async {
        await #expect(processExitsWith: .success) {
            let told = Lock<[VectorKernel]>([])
            let key = try NativeKey.rsaGenerate(bits: 2048)
            let verifier = try SignatureOperation(
                key: key, family: .rsaPKCS1, hash: .sha256, signing: false)
            let signer = try SignatureOperation(
                key: key, family: .rsaPKCS1, hash: .sha256, signing: true)
            let signature = try signer.sign([1])
            VectorKernel.rsaEight.switchOff()
            VectorKernel.watch { kernel in told.withLock { $0.append(kernel) } }
            try #require(told.withLock { $0 } == [.rsaEight])
            VectorKernel.rsa.switchOff()
            VectorKernel.rsa.switchOff()
            try #require(told.withLock { $0 } == [.rsaEight, .rsa])
            try #require(!VectorKernel.rsa.isInUse && VectorKernel.rsa.isOff)
            #expect(try verifier.accepts([1], signature))
            #expect(try !verifier.accepts([2], signature))
            #expect(try signer.sign([1]) == signature)
            VectorKernel.rsaDoubles.switchOff()
            VectorKernel.rsaFour.switchOff()
            try #require(told.withLock { $0 } == [.rsaEight, .rsa, .rsaDoubles, .rsaFour])
            #expect(try verifier.accepts([1], signature))
            #expect(try !verifier.accepts([2], signature))
            #expect(try signer.sign([1]) == signature)
        }
    }
}
