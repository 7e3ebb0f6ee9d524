// Catalogue 107: many callers, one winner. Runs under the thread sanitizer too (`tools/run
// tsan-check`).

import JOSE
import JOSEOpenID
import Testing

@Suite("Replay store, concurrent callers")
struct ReplayConcurrencyTests {
    /// The number of 64 tasks that won each round. All tasks compete in all rounds.
    private func winners(
        _ rounds: Int, _ wins: @escaping @Sendable (Int) async -> Bool
    ) async -> [Int] {
        await withTaskGroup(of: [Bool].self) { group in
            for task in 0..<64 {
                group.addTask {
                    var won = [Bool](repeating: false, count: rounds)
                    // Half of the tasks begin at the other end, so that they meet in every order.
                    for step in 0..<rounds {
                        let round = task % 2 == 0 ? step : rounds - 1 - step
                        won[round] = await wins(round)
                    }
                    return won
                }
            }
            var count = [Int](repeating: 0, count: rounds)
            for await won in group {
                for (round, isMine) in won.enumerated() where isMine { count[round] += 1 }
            }
            return count
        }
    }

    /// The rejection of the first use of a name. Nil for the winner.
    private func markUsed(
        _ name: Int, issuer: Int, in store: MemoryReplayStore, at now: NumericDate = .testNow,
        lifetime: Int = 60
    ) async -> ReplayStoreError? {
        let use = ReplayEntry(
            purpose: "p", issuer: "i\(issuer)", audience: "a", tokenID: "\(name)",
            expires: now.advanced(by: .seconds(lifetime)))
        do throws(ReplayStoreError) {
            try await store.markUsed(use, at: now)
            return nil
        } catch {
            return error
        }
    }

    @Test("exactly one of 64 callers wins each of 10,000 names") func oneWins() async {
        let store = MemoryReplayStore()
        let count = await winners(10_000) { round in
            let failure = await markUsed(round, issuer: round % 5, in: store)
            #expect(failure == nil || failure == .used)
            return failure == nil
        }
        #expect(count.allSatisfy { $0 == 1 })
        #expect(store.count == 10_000)
    }

    @Test("quota and capacity hold exactly under concurrent callers") func bounds() async {
        let store = MemoryReplayStore(capacity: 700, quota: 100)
        let count = await winners(2_000) { round in
            await markUsed(round, issuer: round % 10, in: store) == nil
        }
        #expect(count.allSatisfy { $0 <= 1 })
        #expect(count.reduce(0, +) == store.count)
        #expect(store.count <= 700)
        for issuer in 0..<10 {
            let own = stride(from: issuer, to: 2_000, by: 10).map { count[$0] }.reduce(0, +)
            #expect(own <= 100)
        }
    }

    @Test("issuers that come and go under concurrent callers are counted exactly")
    func issuers() async {
        let store = MemoryReplayStore(capacity: 5_000, quota: 20)
        let won = await winners(2_000) { round in
            // Each entry expires soon after, so every issuer is constantly removed and added again.
            let now = TestEnvironment.at(round / 100)
            return await markUsed(round, issuer: round % 50, in: store, at: now, lifetime: 2) == nil
        }
        #expect(won.allSatisfy { $0 <= 1 })
        let end = TestEnvironment.at(1_000)
        for jti in 0..<256 {
            let use = ReplayEntry(
                purpose: "q", issuer: "last", audience: "a", tokenID: "\(jti)",
                expires: end.advanced(by: .seconds(60)))
            _ = try? store.markUsedNow(use, at: end)
        }
        #expect(store.count == 20 && store.issuerCount == 1, "the quota of the last, and no other")
    }

    @Test("concurrent token requests with one assertion at one provider: exactly one is accepted")
    func provider() async throws {
        let env = try TestEnvironment(.netsEIDBroker)
        let login = try await Login(env)
        var bodies: [String] = []
        for _ in 0..<8 {
            bodies.append(
                try await env.party.tokenRequest("c", login.started.session).body)
        }
        let count = await winners(bodies.count) { [bodies] round in
            do {
                _ = try await env.client.receiveTokenRequest(bodies[round], at: .testNow)
                return true
            } catch {
                return false
            }
        }
        #expect(count == [Int](repeating: 1, count: bodies.count))
    }
}
