// When a server goes away, returns, or loses data, tokens older than its epoch are rejected.

import JOSE
import JOSERedis
import JOSEBytes
import Synchronization
import Testing

/// The start, until it is advanced by five minutes.
private final class EpochClock: Sendable {
    private let isLater = Lock(false)
    var now: NumericDate { isLater.withLock { $0 } ? start.advanced(by: .seconds(300)) : start }
    func advance() { isLater.withLock { $0 = true } }
}

@Suite("Redis store: data loss and recovery", .serialized)
struct EpochTests {
    /// The first second that is certainly after an epoch at `start`.
    private let safe = start.advanced(by: .seconds(61))

    @Test("a token from before the epoch, or possibly from before it, is rejected") func boundary()
        async throws
    {
        let server = try TestRedis()
        let fixture = try Fixture(server.port)
        let now = start.advanced(by: .seconds(30))
        func outcome(_ issued: Int64?, _ life: Int64 = 100) async -> ReplayStoreError? {
            await fixture.markUsed(
                use(
                    "\(issued ?? -1)-\(life)",
                    issuedAt: issued.map { start.advanced(by: .seconds($0)) },
                    expires: now.advanced(by: .seconds(life))), at: now)
        }
        for issued in [-1_000_000, -600, -1, 0, 1, 59, 60] as [Int64] {
            #expect(await outcome(issued) == .issuedBeforeStore)
        }
        #expect(fixture.log.failures.allSatisfy { $0 == .beforeEpoch })
        #expect(try server.tell("keys", "jose:use:*").isEmpty, "nothing was sent")
        #expect(await outcome(61) == nil)
        // Without iat, exp decides: 30 s ago no token was accepted that expires after 901 s from
        // then.
        #expect(await outcome(nil, 100) == .issuedBeforeStore)
        #expect(await outcome(nil, 901) == .issuedBeforeStore)
        let much = start.advanced(by: .seconds(962))
        let late = use("late", issuedAt: nil, expires: much)
        #expect(await fixture.markUsed(late, at: start.advanced(by: .seconds(500))) == nil)
    }

    @Test(
        "a restart begins an epoch, whatever the server has kept",
        arguments: [["--appendonly", "no"], ["--appendonly", "yes", "--appendfsync", "always"]])
    func restart(_ persistence: [String]) async throws {
        let server = try TestRedis(persistence)
        let before = try Fixture(server.port)
        let first = use("1", issuedAt: safe)
        #expect(await before.markUsed(first) == nil)
        server.stop()
        try server.start()
        // Another server of ours comes first, at a later time.
        let loss = start.advanced(by: .seconds(300))
        let after = try Fixture(server.port, epoch: loss)
        #expect(await after.connect() == nil)
        #expect(after.log.count(.newEpoch) == 1)
        #expect(after.log.all.first?.epoch == loss)
        for machine in [before, after] {
            #expect(await machine.markUsed(first) == .issuedBeforeStore)
            #expect(await machine.markUsed(use("other", issuedAt: safe)) == .issuedBeforeStore)
            let failure = machine.log.failures.last
            #expect(failure == .beforeEpoch)
        }
        let fresh = loss.advanced(by: .seconds(61))
        #expect(await before.markUsed(use("2", issuedAt: fresh)) == nil)
        #expect(await after.markUsed(use("2", issuedAt: fresh)) == .used)
        #expect(before.log.count(.connected) == 2)
        #expect(before.log.count(.newEpoch) == 1, "the second one was begun by the other machine")
    }

    @Test("the next claim detects an emptied or refilled server")
    func emptied() async throws {
        let server = try TestRedis()
        let fixture = try Fixture(server.port)
        #expect(await fixture.markUsed(use("1")) == nil)
        let strange = String(repeating: "ab", count: 20)
        let changes = [
            ["flushall"], ["set", "jose:epoch", "\(strange) 1700000000"],
            ["set", "jose:epoch", "nonsense"], ["set", "jose:epoch", ""],
            ["del", "jose:epoch"], ["swapdb", "0", "1"],
        ]
        for (round, change) in changes.enumerated() {
            try server.tell(change)
            #expect(await fixture.markUsed(use("lost-\(round)")) == .unavailable)
            #expect(fixture.log.failures.last == .changed)
            #expect(await fixture.recovers("new-\(round)"))
            #expect(fixture.log.count(.newEpoch) == round + 2)
        }
        try server.tell("del", "jose:epoch")
        try server.tell("lpush", "jose:epoch", "x")
        #expect(await fixture.markUsed(use("list")) == .unavailable)
        #expect(fixture.log.failures.last?.description == "server: WRONGTYPE")
    }

    @Test("a later epoch of the same run is adopted") func moved() async throws {
        let server = try TestRedis()
        let fixture = try Fixture(server.port)
        #expect(await fixture.markUsed(use("1")) == nil)
        let run = try server.tell("get", "jose:epoch").prefix(40)
        try server.tell("set", "jose:epoch", "\(run) \(later.seconds)")
        #expect(await fixture.markUsed(use("2")) == .issuedBeforeStore)
        #expect(fixture.log.failures == [.beforeEpoch])
        #expect(await fixture.markUsed(use("3", issuedAt: later.advanced(by: .seconds(61)))) == nil)
    }

    @Test("a lost server rejects claims, and works again when it returns")
    func lossAndReturn() async throws {
        let server = try TestRedis()
        let fixture = try Fixture(server.port)
        #expect(await fixture.markUsed(use("1")) == nil)
        for round in 0..<3 {
            server.stop()
            #expect(await eventually { fixture.log.count(.lost) == round + 1 }, "noticed when idle")
            for token in 0..<50 {
                #expect(await fixture.markUsed(use("\(round)-\(token)")) == .unavailable)
            }
            try server.start()
            #expect(await fixture.recovers("back-\(round)"))
            #expect(await fixture.markUsed(use("1", issuedAt: start)) == .issuedBeforeStore)
        }
        let failures = Set(fixture.log.failures)
        #expect(failures.isSuperset(of: [.lost, .unreachable, .backingOff, .beforeEpoch]))
        #expect(fixture.log.all.contains { $0.kind == .failed && $0.retryAfter != nil })
    }

    @Test("claims in progress when the server dies are rejected or won, never twice") func crash()
        async throws
    {
        let server = try TestRedis()
        let clock = EpochClock()
        let machines = try (0..<2).map { _ in try Fixture(server.port, clock: { clock.now }) }
        for machine in machines { #expect(await machine.connect() == nil) }
        // Claims begun from here on are later than the tokens.
        clock.advance()
        let wins = await withTaskGroup(of: Int?.self) { group in
            for token in 0..<600 {
                for machine in machines {
                    group.addTask {
                        await machine.markUsed(use("t\(token)", issuedAt: safe)) == nil
                            ? token : nil
                    }
                }
            }
            group.addTask {
                server.stop()
                try? server.start()
                return nil
            }
            return await group.reduce(into: [Int]()) { if let token = $1 { $0.append(token) } }
        }
        #expect(Set(wins).count == wins.count, "no token was accepted twice")
    }
}
