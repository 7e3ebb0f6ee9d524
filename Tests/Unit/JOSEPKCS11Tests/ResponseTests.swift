// Every return value of a module: which are retried, and which end an operation.

import JOSE
@testable import JOSEPKCS11
import Testing

/// Return values of PKCS#11 2.40, by number.
private enum Response {
    static let lost: [Int] = [0xb0, 0xb3, 0x101, 0xe0, 0x32, 0x03]
    /// Additional values when an operation starts.
    static let lostBefore: [Int] = lost + [0x30, 0x60, 0x82, 0x90, 0xb1, 0xe1]
    static let all: [Int] =
        Array(0x01...0x0a) + Array(0x10...0x13) + [0x1b, 0x20, 0x21] + Array(0x30...0x32)
        + [0x40, 0x41, 0x50, 0x51, 0x54] + Array(0x60...0x6a) + [0x70, 0x71, 0x82, 0x90, 0x91]
        + Array(0xa0...0xa4) + Array(0xb0...0xb8) + [0xc0, 0xc1, 0xd0, 0xd1] + Array(0xe0...0xe2)
        + Array(0xf0...0xf2) + Array(0x100...0x105) + Array(0x110...0x115) + [0x120, 0x121, 0x130]
        + [0x140, 0x150, 0x160, 0x170, 0x180, 0x191, 0x1a0, 0x1a1, 0x1b0, 0x1b1]
        + Array(0x1c0...0x1c4)
        + [0x200, 0x8000_0000, 0x8000_0001, 0xffff_ffff]
}

@Suite("PKCS#11 return values", .onlyOwn)
struct ResponseTests {
    private func once(_ response: Int, times: Int = 1) -> Int { times << 32 | response }

    @Test("after the device got the ciphertext, every error but a loss is a failed unwrap")
    func decryption() async throws {
        let (test, _, key) = try await TestToken.decrypting()
        for algorithm in [KeyManagementAlgorithm.rsaOAEP, .rsaOAEP512] {
            let encryptedKey = try key.encryptedKey(algorithm)
            for response in Response.all {
                test.tell("token_end_response", once(response))
                let before = test.ask("token_operations")
                do {
                    _ = try await key.unwrapped(algorithm, encryptedKey)
                    #expect(Response.lost.contains(response), "\(response)")
                    #expect(test.ask("token_operations") == before + 2, "\(response)")
                } catch {
                    #expect(!Response.lost.contains(response) && error == .failed, "\(response)")
                    #expect(test.ask("token_operations") == before + 1, "\(response)")
                }
                _ = try await key.unwrapped(algorithm, encryptedKey)
            }
        }
    }

    @Test("a permanent loss is unavailable after a limited number of attempts")
    func bounded() async throws {
        let (test, _, key) = try await TestToken.decrypting()
        let encryptedKey = try key.encryptedKey(.rsaOAEP)
        for response in Response.lost {
            let before = test.ask("token_operations")
            test.tell("token_end_response", once(response, times: 1_000))
            await expectError(.unavailable) { _ = try await key.unwrapped(.rsaOAEP, encryptedKey) }
            #expect(test.ask("token_operations") == before + 8)
            test.tell("token_end_response", 0)
            _ = try await key.unwrapped(.rsaOAEP, encryptedKey)
        }
    }

    @Test("before the device got any input, a loss is retried and a rejection ends it")
    func beginning() async throws {
        let (test, _, key) = try await TestToken.signing()
        for response in Response.all where !(0xa0...0xa4).contains(response) && response != 0x102 {
            test.tell("token_begin_response", once(response))
            do {
                let signature = try await key.signature(.es256, of: [1])
                #expect(Response.lostBefore.contains(response), "\(response)")
                #expect(try key.isRight(signature, .es256, of: [1]))
            } catch {
                #expect(!Response.lostBefore.contains(response), "\(response)")
                #expect(error as? ExternalKeyError == .failed, "\(response)")
            }
            _ = try await key.signature(.es256, of: [1])
        }
        // As many as the token may have: none is leaked, whatever was lost.
        #expect(test.ask("token_sessions") <= 8)
    }

    @Test("key agreement treats return values like decryption")
    func agreement() async throws {
        let test = try TestToken()
        let token = try await test.open()
        let one = try await token.agreeing()
        let other = try await token.agreeing()
        let right = try await one.agreed(with: other)
        for response in Response.all {
            test.tell("token_end_response", once(response))
            do {
                #expect(try await one.agreed(with: other) == right)
                #expect((Response.lost + [0x60, 0x82]).contains(response), "\(response)")
            } catch {
                #expect(!Response.lost.contains(response), "\(response)")
                #expect(error as? ExternalKeyError == .failed, "\(response)")
            }
        }
    }

    @Test("a session with a stuck operation is closed, and another one is used")
    func busy() async throws {
        let (test, _, key) = try await TestToken.decrypting(sessions: 1)
        let encryptedKey = try key.encryptedKey(.rsaOAEP)
        for _ in 0..<600 {
            test.misbehave(.sessionBusy)
            test.tell("token_end_response", once(0x150))
            await expectError(.failed) { _ = try await key.unwrapped(.rsaOAEP, encryptedKey) }
            test.misbehave(.none)
        }
        _ = try await key.unwrapped(.rsaOAEP, encryptedKey)
        #expect(test.ask("token_sessions") == 1)
    }
}
