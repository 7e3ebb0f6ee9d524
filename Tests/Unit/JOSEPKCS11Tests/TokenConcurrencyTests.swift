// Many callers on few sessions, which are closed while in use.

import JOSE
import JOSEBytes
@testable import JOSEPKCS11
import Synchronization
import Testing

private final class Counts: Sendable {
    private let state = Lock((good: 0, away: 0))
    var both: (good: Int, away: Int) { state.withLock { $0 } }
    func add(good: Int = 0, away: Int = 0) {
        state.withLock { $0 = ($0.good + good, $0.away + away) }
    }
}

@Suite("PKCS#11 concurrency")
struct TokenConcurrencyTests {
    @Test("64 callers get correct signatures or an outage while their sessions are closed")
    func closing() async throws {
        let (test, token, key) = try await TestToken.signing(sessions: 8)
        let decrypting = try await token.decrypting()
        let encryptedKey = try decrypting.encryptedKey(.rsaOAEP)
        guard case .contentKey(let secret) = try await decrypting.unwrapped(.rsaOAEP, encryptedKey)
        else {
            Issue.record("OAEP with SHA-1 is the token's work")
            return
        }
        let contentKey = secret.copy
        let counts = Counts()
        let end = ContinuousClock.now + .seconds(TestToken.seconds)
        // SoftHSM crashes if a session is closed during one of its calls. There sessions are closed
        // between two rounds.
        repeat {
            let roundEnd = TestToken.isOwn ? end : ContinuousClock.now + .milliseconds(20)
            try await withThrowingTaskGroup { group in
                for caller in 0..<64 {
                    group.addTask {
                        repeat {
                            do throws(ExternalKeyError) {
                                if caller % 4 == 0 {
                                    let response = try await decrypting.unwrapped(
                                        .rsaOAEP, encryptedKey)
                                    guard case .contentKey(let secret) = response,
                                        secret.copy == contentKey
                                    else { throw .failed }
                                } else {
                                    try await key.signs(caller)
                                }
                                counts.add(good: 1)
                            } catch {
                                #expect(error == .unavailable)
                                counts.add(away: 1)
                            }
                        } while ContinuousClock.now < roundEnd || counts.both.good <= 64
                    }
                }
                if TestToken.isOwn {
                    group.addTask {
                        while ContinuousClock.now < end {
                            try test.closeAllSessions()
                            await Task.yield()
                        }
                    }
                }
                try await group.waitForAll()
            }
            try test.closeAllSessions()
        } while ContinuousClock.now < end
        let (good, away) = counts.both
        #expect(good > 64 && (TestToken.isOwn || away == 0), "\(good) right, \(away) unavailable")
        // Afterwards everything works.
        for caller in 0..<64 { try await key.signs(caller) }
    }
}
