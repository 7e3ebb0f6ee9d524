// The clock, the log and the entries that the tests share.

import JOSE
import JOSERedis
import JOSEBytes
import Synchronization
import Testing

/// The epoch of the tests' stores. Entries are claimed ten minutes later unless a test says
/// otherwise.
let start = NumericDate(exactly: 1_760_000_000) ?? .earliest
let later = start.advanced(by: .seconds(600))

func use(
    _ tokenID: String, purpose: String = "p", issuer: String = "i", audience: String = "a",
    issuedAt: NumericDate? = later, leeway: Duration = .zero,
    expires: NumericDate = later.advanced(by: .seconds(120))
) -> ReplayEntry {
    ReplayEntry(
        purpose: purpose, issuer: issuer, audience: audience, tokenID: tokenID,
        issuedAt: issuedAt, leeway: leeway, expires: expires)
}

/// Longer than any reply takes, even if all tests share two cores with other programs. A claim that
/// reaches its limit counts as rejected. With the maximum of thirty seconds a test failed on a busy
/// machine.
let ample = Duration.seconds(3_600)

/// A store and its events. The tests' entries have the maximum leeway.
final class Fixture: Sendable {
    let store: RedisReplayStore
    let log: EventLog

    init(
        _ server: RedisServer, limit: Duration = ample, epoch: NumericDate = start,
        _ change: (inout RedisReplaySettings) -> Void = { _ in }
    ) throws {
        var settings = RedisReplaySettings()
        settings.anyTimeLimit = limit
        settings.maxRetryDelay = .milliseconds(50)
        settings.maxLeeway = .zero
        change(&settings)
        let log = EventLog()
        self.log = log
        store = try RedisReplayStore(
            server: server, settings: settings, observe: { log.note($0) }, now: { epoch })
    }

    /// A store with a controllable clock.
    init(_ port: Int, clock: @escaping @Sendable () -> NumericDate) throws {
        var settings = RedisReplaySettings()
        settings.anyTimeLimit = ample
        settings.maxRetryDelay = .milliseconds(50)
        settings.maxLeeway = .zero
        let log = EventLog()
        self.log = log
        store = try RedisReplayStore(
            server: RedisServer(host: "127.0.0.1", port: port), settings: settings,
            observe: { log.note($0) }, now: clock)
    }

    convenience init(
        _ port: Int, password: String? = nil, limit: Duration = ample,
        epoch: NumericDate = start, _ change: (inout RedisReplaySettings) -> Void = { _ in }
    ) throws {
        try self.init(
            RedisServer(host: "127.0.0.1", port: port, password: password), limit: limit,
            epoch: epoch, change)
    }

    /// Nil for the winner.
    func markUsed(_ use: ReplayEntry, at now: NumericDate = later) async -> ReplayStoreError? {
        do throws(ReplayStoreError) {
            try await store.markUsed(use, at: now)
            return nil
        } catch {
            return error
        }
    }

    func connect() async -> RedisError? {
        do throws(RedisError) {
            try await store.connect()
            return nil
        } catch {
            return error
        }
    }

    /// Claims new names until one wins. False after a long time.
    func recovers(_ name: String) async -> Bool {
        let begun = ContinuousClock.now
        var round = 0
        while begun.duration(to: .now) < ample {
            if await markUsed(use("\(name)-\(round)")) == nil { return true }
            round += 1
            try? await Task.sleep(for: .milliseconds(20))
        }
        return false
    }
}

final class EventLog: Sendable {
    private let events = Lock<[RedisReplayEvent]>([])

    var all: [RedisReplayEvent] { events.withLock { $0 } }
    var failures: [RedisError] { all.compactMap(\.failure) }
    func note(_ event: any JOSEEvent) {
        guard let event = event as? RedisReplayEvent else { return }
        events.withLock { $0.append(event) }
    }
    func count(_ kind: RedisReplayEvent.Kind) -> Int { all.count { $0.kind == kind } }
}

/// Waits for another thread's action.
func eventually(_ condition: () -> Bool) async -> Bool {
    let begun = ContinuousClock.now
    while begun.duration(to: .now) < ample {
        if condition() { return true }
        try? await Task.sleep(for: .milliseconds(10))
    }
    return false
}
