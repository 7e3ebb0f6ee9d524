// One key, many threads: the same results as with one thread.

import Foundation
import Testing

@testable import JOSECrypto

@Suite struct ConcurrencyTests {
    /// Runs `body` on this number of threads at once.
    private func onThreads(_ count: Int, _ body: @Sendable @escaping (Int) -> Void) {
        let done = DispatchGroup()
        for index in 0..<count {
            done.enter()
            let thread = Thread {
                body(index)
                done.leave()
            }
            thread.start()
        }
        done.wait()
    }

    @Test("more threads than the pool has contexts sign, verify, encrypt and decrypt with one key")
    func mixed() throws {
        let key = try NativeKey.published()
        let signer = try SignatureOperation(
            key: key, family: .rsaPKCS1, hash: .sha256, signing: true)
        let verifier = try SignatureOperation(
            key: key, family: .rsaPKCS1, hash: .sha256, signing: false)
        let sealer = try KeyManagementOperation(
            key: key, family: .rsaOAEP, hash: .sha256, wrapping: true)
        let opener = try KeyManagementOperation(
            key: key, family: .rsaOAEP, hash: .sha256, wrapping: false)
        let expected = try (0..<40).map { try signer.sign([UInt8($0)]) }
        onThreads(40) { index in
            do {
                for _ in 0..<20 {
                    let message = [UInt8(index)]
                    #expect(try signer.sign(message) == expected[index])
                    #expect(try verifier.accepts(message, expected[index]))
                    #expect(try !verifier.accepts(message, expected[(index + 1) % 40]))
                    let sealed = try sealer.seal(message, aad: message)
                    #expect(try opener.open(sealed, aad: message) == message)
                    var wrong = sealed
                    wrong.tag[index % 16] ^= 1
                    #expect(throws: CryptoError.rejected) {
                        _ = try opener.open(wrong, aad: message)
                    }
                }
            } catch {
                Issue.record("\(error)")
            }
        }
    }

    @Test("threads that use a new key simultaneously prepare it once or share it")
    func firstUse() throws {
        let signer = try SignatureOperation(
            key: NativeKey.published(), family: .rsaPKCS1, hash: .sha256, signing: true)
        let message: [UInt8] = [1, 2, 3]
        let right = try signer.sign(message)
        var wrong = right
        wrong[255] ^= 1
        let forged = wrong
        let numbers = try RSANumbers(publishedKey("a2-rsa", in: "rfc7515"))
        for options in [[], OperationOptions.noKernels, .openSSLOnly] {
            for _ in 0..<10 {
                let verifier = try SignatureOperation(
                    key: numbers.publicKey(), family: .rsaPKCS1, hash: .sha256, signing: false,
                    options: options)
                onThreads(8) { index in
                    let signature = index % 2 == 0 ? right : forged
                    do {
                        #expect(try verifier.accepts(message, signature) == (index % 2 == 0))
                    } catch {
                        Issue.record("\(error)")
                    }
                }
            }
        }
    }

    @Test("random bytes of all threads differ")
    func random() {
        let seen = Collected()
        onThreads(16) { _ in
            for _ in 0..<200 {
                if let bytes = try? Random.bytes(16) { seen.insert(bytes) }
            }
        }
        #expect(seen.count == 16 * 200)
    }
}

/// Values from many threads. The conformance is unchecked because of the set, which is accessed
/// only with the lock held.
private final class Collected: @unchecked Sendable {
    private let lock = NSLock()
    private var values = Set<[UInt8]>()
    var count: Int { lock.withLock { values.count } }
    func insert(_ value: [UInt8]) { lock.withLock { _ = values.insert(value) } }
}
