// Many callers on stores that share a server, while it fails and stores are closed. Runs under the
// thread sanitizer too (`tools/run tsan-check`).

import JOSE
import JOSERedis
import Testing

@Suite("Redis store: concurrent callers", .serialized)
struct RedisConcurrencyTests {
    /// The results of 64 tasks on these machines for each of the names. Half of them begin at the
    /// other end.
    private func outcomes(
        _ machines: [Fixture], names: Int
    ) async -> [[ReplayStoreError?]] {
        await withTaskGroup(of: [ReplayStoreError?].self) { group in
            for task in 0..<64 {
                group.addTask {
                    var results = [ReplayStoreError?](repeating: nil, count: names)
                    for step in 0..<names {
                        let name = task % 2 == 0 ? step : names - 1 - step
                        results[name] = await machines[task % machines.count].markUsed(
                            use("n\(name)"))
                    }
                    return results
                }
            }
            var all = [[ReplayStoreError?]](repeating: [], count: names)
            for await results in group {
                for (name, outcome) in results.enumerated() { all[name].append(outcome) }
            }
            return all
        }
    }

    @Test("exactly one of 64 callers on four servers wins each of 200 names")
    func oneWins() async throws {
        let server = try TestRedis()
        let machines = try (0..<4).map { _ in try Fixture(server.port) }
        for results in await outcomes(machines, names: 200) {
            #expect(results.count { $0 == nil } == 1)
            #expect(results.count { $0 == .used } == 63)
        }
        #expect(machines.allSatisfy { $0.log.count(.connected) == 1 }, "one connection each")
    }

    @Test(
        "while the server comes and goes there are never two winners, and no caller waits forever"
    )
    func loss() async throws {
        let server = try TestRedis("--appendonly", "yes", "--appendfsync", "always")
        let machines = try (0..<4).map { _ in try Fixture(server.port) }
        async let crash: Void = {
            for _ in 0..<3 {
                _ = await machines[0].markUsed(use("before"))
                server.stop()
                try server.start()
            }
        }()
        for results in await outcomes(machines, names: 100) {
            #expect(results.count == 64)
            #expect(results.count { $0 == nil } <= 1)
            #expect(results.allSatisfy { $0 == nil || $0 == .used || $0 == .unavailable })
        }
        try await crash
    }

    @Test("closing stores ends every claim in them, and other stores continue")
    func closing() async throws {
        let server = try TestRedis()
        let machines = try (0..<4).map { _ in try Fixture(server.port) }
        async let closed: Void = {
            for machine in machines.prefix(2) {
                _ = await machine.markUsed(use("before \(machine.log.all.count)"))
                machine.store.close()
            }
        }()
        let results = await outcomes(machines, names: 100)
        await closed
        // A claim in progress in a closing store may have won without a report: one for each
        // caller.
        #expect(results.count { !$0.contains(nil) } <= 32)
        for outcomes in results {
            #expect(outcomes.count { $0 == nil } <= 1)
            #expect(outcomes.allSatisfy { $0 == nil || $0 == .used || $0 == .unavailable })
        }
        #expect(await machines[0].markUsed(use("after")) == .unavailable)
        #expect(await machines[2].markUsed(use("after")) == nil)
    }
}
