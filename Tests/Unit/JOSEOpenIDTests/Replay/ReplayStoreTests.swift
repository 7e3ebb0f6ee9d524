// The in-memory replay store: one winner, limits, quotas, and expiry.

import JOSE
import JOSEOpenID
import Testing

@Suite("Replay store")
struct ReplayStoreTests {
    private func use(
        _ jti: String, purpose: String = "p", issuer: String = "i", audience: String = "a",
        lifetime: Int64 = 60
    ) -> ReplayEntry {
        ReplayEntry(
            purpose: purpose, issuer: issuer, audience: audience, tokenID: jti,
            expires: TestEnvironment.at(lifetime))
    }

    private func outcome(
        _ store: MemoryReplayStore, _ use: ReplayEntry, at now: NumericDate = .testNow
    ) -> ReplayStoreError? {
        do throws(ReplayStoreError) {
            try store.markUsedNow(use, at: now)
            return nil
        } catch {
            return error
        }
    }

    @Test("a name works once, and a different purpose, issuer, audience or jti is another name")
    func names() throws {
        let store = MemoryReplayStore()
        let uses = [
            use("1"), use("2"), use("1", purpose: "q"), use("1", issuer: "j"),
            use("1", audience: "b"), use("11", audience: ""), use("1", issuer: "i1", audience: ""),
        ]
        for use in uses { #expect(outcome(store, use) == nil) }
        for use in uses { #expect(outcome(store, use) == .used) }
        #expect(store.count == uses.count)
        #expect(Set(try uses.map { try $0.digest() }).count == uses.count)
        // Parts that are equal when joined are different names.
        #expect(
            try use("c", issuer: "a", audience: "b").digest()
                != use("bc", issuer: "a", audience: "").digest())
    }

    @Test("an entry lives until it expires, and tokens that may be forgotten are rejected")
    func expiry() {
        let store = MemoryReplayStore()
        let first = use("1")
        #expect(outcome(store, first) == nil)
        #expect(outcome(store, first, at: TestEnvironment.at(59)) == .used)
        let later = TestEnvironment.at(60)
        for jti in 0..<64 {
            let use = use("x\(jti)", lifetime: 120)
            #expect(outcome(store, use, at: later) == nil)
        }
        #expect(store.count == 64, "the expired entry is gone")
        // A clock that is set back cannot revive it.
        #expect(outcome(store, first, at: .testNow) == .used)
    }

    @Test("a full store rejects claims, and accepts again when entries have expired") func full() {
        let store = MemoryReplayStore(capacity: 10, quota: 100)
        for jti in 0..<10 { #expect(outcome(store, use("\(jti)")) == nil) }
        for jti in 10..<40 { #expect(outcome(store, use("\(jti)", issuer: "j")) == .full) }
        #expect(outcome(store, use("3")) == .used)
        #expect(store.count == 10)
        let later = TestEnvironment.at(61)
        for jti in 40..<50 {
            #expect(outcome(store, use("\(jti)", lifetime: 200), at: later) == nil)
        }
    }

    @Test("one issuer's quota does not lock out the others") func quota() {
        let store = MemoryReplayStore(capacity: 100, quota: 5)
        for jti in 0..<5 { #expect(outcome(store, use("\(jti)")) == nil) }
        for jti in 5..<50 { #expect(outcome(store, use("\(jti)")) == .quotaExceeded) }
        for jti in 0..<5 { #expect(outcome(store, use("\(jti)", issuer: "j")) == nil) }
        #expect(store.count == 10)
        let later = TestEnvironment.at(61)
        // Sweeping a shard frees the capacity of its entries.
        var accepted = 0
        for jti in 100..<200 {
            if outcome(store, use("\(jti)", lifetime: 300), at: later) == nil { accepted += 1 }
        }
        #expect(accepted == 5)
    }

    @Test("expired entries count towards no quota, in any part of the store")
    func endedQuota() {
        for round in 0..<100 {
            let store = MemoryReplayStore(capacity: 1_000, quota: 4)
            for jti in 0..<4 { #expect(outcome(store, use("\(round)-\(jti)")) == nil) }
            #expect(outcome(store, use("\(round)-4")) == .quotaExceeded)
            let later = TestEnvironment.at(60)
            for jti in 5..<9 {
                #expect(outcome(store, use("\(round)-\(jti)", lifetime: 120), at: later) == nil)
            }
            #expect(
                outcome(store, use("\(round)-9", lifetime: 120), at: later) == .quotaExceeded)
            // An expired token is rejected anyway.
            #expect(outcome(store, use("\(round)-0"), at: later) == .used)
        }
    }

    @Test("RFC 7519 4.1.1: issuers are compared by bytes, also if canonically equivalent")
    func spellings() {
        let store = MemoryReplayStore(capacity: 100, quota: 3)
        let issuers = ["caf\u{e9}", "cafe\u{301}", "\u{212b}", "\u{c5}", "A\u{30a}"]
        for (index, issuer) in issuers.enumerated() {
            for jti in 0..<3 {
                #expect(outcome(store, use("\(jti)", issuer: issuer)) == nil, "\(index)")
            }
            #expect(outcome(store, use("3", issuer: issuer)) == .quotaExceeded)
            #expect(store.issuerCount == index + 1)
        }
        #expect(store.count == 15)
        // Each entry frees its own issuer's quota.
        let later = TestEnvironment.at(60)
        for jti in 0..<256 { _ = outcome(store, use("x\(jti)", lifetime: 120), at: later) }
        #expect(store.issuerCount == 1)
    }

    @Test("an issuer is counted while it has entries, and removed with its last entry")
    func issuers() {
        let store = MemoryReplayStore(capacity: 100_000, quota: 2)
        for issuer in 0..<20_000 {
            #expect(outcome(store, use("1", issuer: "i\(issuer)", lifetime: 60)) == nil)
        }
        #expect(store.issuerCount == 20_000)
        for issuer in 0..<10_000 {
            #expect(outcome(store, use("2", issuer: "i\(issuer)", lifetime: 600)) == nil)
            // A rejected claim counts for no quota, whether the issuer is known or not.
            #expect(outcome(store, use("3", issuer: "i\(issuer)")) == .quotaExceeded)
            #expect(outcome(store, use("1", issuer: "i\(issuer)")) == .used)
        }
        #expect(store.issuerCount == 20_000)
        let later = TestEnvironment.at(60)
        for jti in 0..<256 { _ = outcome(store, use("x\(jti)", lifetime: 120), at: later) }
        #expect(store.count == 10_002)
        #expect(store.issuerCount == 10_001, "those with a second entry, and the last one")
        // The slot of a removed entry is free again, the other is not.
        #expect(outcome(store, use("4", issuer: "i1", lifetime: 120), at: later) == nil)
        #expect(outcome(store, use("5", issuer: "i1", lifetime: 120), at: later) == .quotaExceeded)
        let end = TestEnvironment.at(600)
        for jti in 0..<256 { _ = outcome(store, use("y\(jti)", lifetime: 700), at: end) }
        #expect(store.count == 2 && store.issuerCount == 1)
    }

    @Test("a full store keeps no issuer without entries") func fullOfIssuers() {
        let store = MemoryReplayStore(capacity: 10, quota: 5)
        for jti in 0..<10 { #expect(outcome(store, use("\(jti)", issuer: "i\(jti % 4)")) == nil) }
        for jti in 0..<1_000 { #expect(outcome(store, use("1", issuer: "n\(jti)")) == .full) }
        #expect(store.issuerCount == 4)
    }

    @Test("an entry lives as long as its verifier accepts the token, whatever its leeway")
    func leeway() async throws {
        let secret = try JWK(symmetricKey: [UInt8](repeating: 7, count: 32))
        let claims = #"{"iss":"i","jti":"j","exp":\#(TestEnvironment.now.seconds + 60)}"#
        let token = try JWSSigner(key: secret, algorithm: .hs256).sign(Array(claims.utf8))
        for leeway in [0, 1, 60, 300] as [Int64] {
            var policy = ClaimsPolicy(issuer: .exactly("i"), audience: .any)
            policy.leewaySeconds = Int(leeway)
            let verifier = try JWTVerifier(
                policy: policy, signature: .required(key: secret, algorithms: [.hs256]))
            let store = MemoryReplayStore()
            func verdict(_ second: Int64, _ other: MemoryReplayStore? = nil) async -> String {
                let now = TestEnvironment.at(second)
                do throws(JOSEError) {
                    let verified = try verifier.verify(token, at: now)
                    try await (other ?? store).markUsed(
                        verified, purpose: "p", audience: "a", at: now)
                    return "accepted"
                } catch {
                    return error.code.name
                }
            }
            #expect(await verdict(0) == "accepted")
            for second in [0, 59, 60, 60 + leeway / 2, 60 + leeway - 1] where second < 60 + leeway {
                #expect(await verdict(second) == "replayed", "\(leeway) s, at \(second)")
            }
            #expect(await verdict(60 + leeway) == "claim-rejected")
            // A late first use is accepted too, and its entry stays to the end.
            let late = MemoryReplayStore()
            for (second, wanted) in [(60 + leeway - 1, "accepted"), (60 + leeway - 1, "replayed")]
            where leeway > 0 {
                #expect(await verdict(second, late) == wanted, "\(leeway) s, at \(second)")
            }
        }
    }

    @Test("a million claims stay within the bound, in any order of expiry") func churn() {
        let store = MemoryReplayStore(capacity: 500, quota: 500)
        var generator = SystemRandomNumberGenerator()
        var now = TestEnvironment.now
        for step in 0..<20_000 {
            if step % 10 == 0 { now = now.advanced(by: .seconds(1)) }
            let use = ReplayEntry(
                purpose: "p", issuer: "i\(step % 7)", audience: "a", tokenID: "\(step)",
                expires: now.advanced(by: .seconds(Int64.random(in: 1...60, using: &generator))))
            _ = outcome(store, use, at: now)
            #expect(store.count <= 500)
        }
        #expect(store.count > 50)
    }
}
