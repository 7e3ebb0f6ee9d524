// The state machine alone, on a simulated clock: when it makes a request, serves, or rejects.

import JOSE
import Testing

@testable import JOSERemote

@Suite("Refresh state machine")
struct RefreshMachineTests {
    private func set(_ keyIDs: String...) throws -> PublicJWKSet {
        try PublicJWKSet(json: setText(keyIDs))
    }

    private func fetched(_ keyIDs: String..., freshness: Int?) throws -> RefreshMachine.Outcome {
        .fetched(
            try PublicJWKSet(json: setText(keyIDs)), entityTag: nil,
            freshness: freshness.map { .seconds($0) })
    }

    /// A machine with a set since second 0.
    private func machine(
        _ keyIDs: String..., freshness: Int64? = nil,
        settings: RemoteJWKSetSettings = .init()
    ) throws -> Simulation {
        let machine = Simulation(settings)
        let start = try #require(machine.ask(nil, at: .zero).start)
        let keys = try PublicJWKSet(json: setText(keyIDs))
        let landed = machine.finish(
            start,
            .fetched(keys, entityTag: nil, freshness: freshness.map { .seconds($0) }), at: .zero)
        #expect(landed)
        return machine
    }

    @Test("the cooldown counts from the last attempt and grows to a minute") func cooldown() {
        let machine = Simulation()
        var now = 0
        for pause in [10, 20, 40, 60, 60, 60] {
            guard case .wait(let start?) = machine.ask("a", at: .seconds(now)) else {
                Issue.record("no attempt at \(now)")
                return
            }
            // It fails after 4 s. The pause counts from its start.
            #expect(machine.finish(start, .failed, at: .seconds(now + 4)))
            #expect(machine.settle("a", at: .seconds(now + 4)) == nil)
            #expect(machine.ask("a", at: .seconds(now + pause - 1)).verdict == "reject")
            now += pause
        }
        #expect(now == 250)
    }

    @Test(
        "freshness is limited to 5 minutes to 24 hours",
        arguments: [(nil, 300), (0, 300), (299, 300), (7_200, 7_200), (1 << 31, 86_400)])
    func bounds(_ served: Int64?, _ fresh: Int64) throws {
        let machine = try machine("a", freshness: served)
        let lead = min(fresh / 10, 300)
        #expect(machine.ask("a", at: .seconds(fresh - lead - 1)).verdict == "use")
        #expect(machine.ask("a", at: .seconds(fresh - lead)).verdict == "use+ahead")
        let other = try self.machine("a", freshness: served)
        #expect(other.ask("a", at: .seconds(fresh)).verdict == "wait+expired")
    }

    @Test("the interval is at least 10 seconds") func interval() throws {
        var settings = RemoteJWKSetSettings()
        settings.unknownKeyIDInterval = .zero
        #expect(settings.unknownKeyIDInterval == .seconds(10))
        let machine = try machine("a", settings: settings)
        #expect(machine.ask("b", at: .seconds(9)).verdict == "use")
        #expect(machine.ask("b", at: .seconds(10)).verdict == "wait+unknown-kid")
    }

    @Test("extreme settings are limited so that their sums are valid durations")
    func extremes() throws {
        let most = Duration(secondsComponent: .max, attosecondsComponent: 0)
        for wild in [most * 18, most, most * -18, .seconds(-1), .zero] {
            var settings = RemoteJWKSetSettings()
            settings.minFreshness = wild
            settings.maxFreshness = wild
            settings.staleFor = wild
            settings.unknownKeyIDInterval = wild
            settings.requestTime = wild
            for kept in [
                settings.minFreshness, settings.maxFreshness, settings.staleFor,
                settings.unknownKeyIDInterval,
            ] { #expect((.zero)...(.seconds(366 * 86_400)) ~= kept) }
            let machine = try machine("a", settings: settings)
            for second in [1, 10, 11, 86_400] {
                if let start = machine.ask("b", at: .seconds(second)).start {
                    let outcome = try fetched("a", freshness: second)
                    #expect(machine.finish(start, outcome, at: .seconds(second)))
                }
                _ = machine.settle("b", at: .seconds(second))
            }
        }
    }

    @Test("a kid over the length limit causes no request") func longKeyID() throws {
        let machine = try machine("a")
        let long = String(repeating: "k", count: 1_025)
        #expect(machine.ask(long, at: .seconds(100)).verdict == "use")
        #expect(machine.ask(String(long.dropLast()), at: .seconds(100)).start != nil)
    }

    @Test("a chain that expires before the set brings the refresh forward, not the expiry")
    func validFor() throws {
        let machine = Simulation()
        let start = try #require(machine.ask("a", at: .zero).start)
        let outcome = RefreshMachine.Outcome.fetched(
            try set("a"), entityTag: nil, freshness: .seconds(7_200), validFor: .seconds(100))
        #expect(machine.finish(start, outcome, at: .zero))
        #expect(machine.ask("a", at: .seconds(99)).verdict == "use+ahead")
        let other = Simulation()
        let again = try #require(other.ask("a", at: .zero).start)
        #expect(other.finish(again, outcome, at: .zero))
        let next = try #require(other.ask("a", at: .seconds(100)).start)
        #expect(next.cause == .expired)
        #expect(other.finish(next, .failed, at: .seconds(100)))
        // The other keys of the set serve as long as they would without the chain.
        #expect(other.settle("a", at: .seconds(7_200 + 3_599)) != nil)
        #expect(other.settle("a", at: .seconds(7_200 + 3_600)) == nil)
    }

    @Test("RFC 8725 3.10: in an outage the old keys serve for an hour, then none")
    func outage() throws {
        let machine = try machine("a")
        var waits = 0
        for second in 0..<3_900 {
            let response = machine.ask("a", at: .seconds(second))
            if response.verdict.hasPrefix("wait") { waits += 1 }
            #expect(response.keys != nil || response.start != nil)
            guard let start = response.start else { continue }
            #expect(machine.finish(start, .failed, at: .seconds(second)))
            #expect(machine.settle("a", at: .seconds(second)) != nil)
        }
        #expect(waits == 0, "the refresh ahead failed, so nobody waits")
        var rejected = 0
        for second in 3_900..<4_000 {
            switch machine.ask("a", at: .seconds(second)) {
            case .reject: rejected += 1
            case .wait(let start?):
                #expect(machine.finish(start, .failed, at: .seconds(second)))
                #expect(machine.settle("a", at: .seconds(second)) == nil)
            default: Issue.record("served at \(second)")
            }
        }
        #expect(rejected >= 97)
        // Recovery: the next due attempt brings the keys back.
        guard case .wait(let start?) = machine.ask("a", at: .seconds(4_100)) else {
            Issue.record("no attempt")
            return
        }
        let back = try fetched("a", freshness: nil)
        #expect(machine.finish(start, back, at: .seconds(4_100)))
        #expect(machine.ask("a", at: .seconds(4_101)).verdict == "use")
    }

    @Test("an unknown kid is undetermined exactly while the last request has failed")
    func isUndetermined() throws {
        let machine = try machine("a", freshness: 86_400)
        #expect(!machine.isUndetermined("b"), "the server has just answered")
        let look = try #require(machine.ask("b", at: .seconds(20)).start)
        #expect(!machine.isUndetermined("b"))
        #expect(machine.finish(look, .failed, at: .seconds(21)))
        #expect(machine.isUndetermined("b"))
        #expect(machine.settle("b", at: .seconds(21)) == nil)
        #expect(machine.settle("a", at: .seconds(21)) != nil)
        #expect(machine.settle(nil, at: .seconds(21)) != nil)
        #expect(!machine.isUndetermined("a") && !machine.isUndetermined(nil))
        #expect(!machine.isUndetermined(String(repeating: "k", count: 1_025)))
        let again = try #require(machine.ask("b", at: .seconds(400)).start)
        let same = try fetched("a", freshness: 86_400)
        #expect(machine.finish(again, same, at: .seconds(400)))
        #expect(machine.settle("b", at: .seconds(400)) != nil)
        #expect(!machine.isUndetermined("b"))
        // No negative result is kept, as the server may have it by now.
        let third = try #require(machine.ask("c", at: .seconds(701)).start)
        #expect(machine.finish(third, .failed, at: .seconds(701)))
        #expect(machine.isUndetermined("c") && machine.isUndetermined("b"))
        #expect(!Simulation().isUndetermined("b"), "without a set nothing is undetermined")
    }

    @Test("an abandoned request changes nothing when it completes") func late() throws {
        let machine = Simulation()
        let first = try #require(machine.ask(nil, at: .zero).start)
        #expect(machine.finish(first, .failed, at: .seconds(6)))
        let second = try #require(machine.ask(nil, at: .seconds(16)).start)
        let old = try fetched("old", freshness: nil)
        #expect(!machine.finish(first, old, at: .seconds(17)))
        #expect(machine.isFetching)
        let new = try fetched("new", freshness: nil)
        #expect(machine.finish(second, new, at: .seconds(18)))
        #expect(machine.latest?.hasKey(withID: "new") == true)
    }

    /// How long after the server has the kid a caller who asks each second gets it. Nil for longer
    /// than two hours.
    private func delay(
        of keyID: String, from rotation: Int, freshness: Int64 = 86_400,
        settings: RemoteJWKSetSettings = .init(), asking: (Int) -> [String]
    ) throws -> Int? {
        let machine = try machine("a", freshness: freshness, settings: settings)
        for second in 1..<(rotation + 7_200) {
            for asked in asking(second) + (second >= rotation ? [keyID] : []) {
                let response = machine.ask(asked, at: .seconds(second))
                if let start = response.start {
                    let keys = second < rotation ? try set("a") : try set("a", keyID)
                    let outcome = RefreshMachine.Outcome.fetched(
                        keys, entityTag: nil, freshness: .seconds(freshness))
                    #expect(machine.finish(start, outcome, at: .seconds(second)))
                }
                let keys = machine.settle(asked, at: .seconds(second))
                if asked == keyID, keys?.hasKey(withID: keyID) == true { return second - rotation }
            }
        }
        return nil
    }

    @Test(
        "RFC 8725 3.10: early requests for a kid delay a rotation by at most the interval",
        arguments: [10, 400, 1_000, 3_000, 9_000, 20_000, 40_001])
    func asking(ahead rotation: Int) throws {
        let interval = 300
        let patterns: [(Int) -> [String]] = [
            { _ in [] }, { _ in ["next"] }, { $0 % 10 == 0 ? ["next"] : [] },
            { $0 % 300 == 10 ? ["next"] : [] }, { $0 % 300 == 309 ? ["next", "next"] : [] },
            { ["next", "random-\($0)"] }, { ["random-\($0)", "next"] },
            { ($0 % 600 == 0 ? ["next"] : []) + ["other"] },
        ]
        for (number, pattern) in patterns.enumerated() {
            let delay = try #require(
                try delay(of: "next", from: rotation, asking: pattern), "pattern \(number)")
            #expect(delay <= interval, "pattern \(number) after \(rotation) s")
        }
    }

    @Test("an interval of 30 seconds delays an emergency rotation by half a minute at most")
    func shortInterval() throws {
        var settings = RemoteJWKSetSettings()
        settings.unknownKeyIDInterval = .seconds(30)
        for rotation in [10, 11, 45, 400, 9_999] {
            let delay = try delay(of: "next", from: rotation, settings: settings) {
                ["random-\($0)"]
            }
            #expect(try #require(delay) <= 30, "after \(rotation) s")
        }
    }

    @Test("a set fetched for another reason is searched for the kid at once")
    func comesAnyway() throws {
        let machine = try machine("a", freshness: 600)
        let start = try #require(machine.ask("next", at: .seconds(10)).start)
        let old = try fetched("a", freshness: 600)
        #expect(machine.finish(start, old, at: .seconds(10)))
        #expect(machine.settle("next", at: .seconds(10))?.hasKey(withID: "next") == false)
        // An early refresh, from 10 + 540 s on. The kid was requested without success before.
        let ahead = try #require(machine.ask("a", at: .seconds(550)).start)
        #expect(machine.ask("next", at: .seconds(551)).verdict == "wait")
        let new = try fetched("a", "next", freshness: 600)
        #expect(machine.finish(ahead, new, at: .seconds(552)))
        #expect(machine.settle("next", at: .seconds(552))?.hasKey(withID: "next") == true)
        #expect(machine.ask("next", at: .seconds(552)).verdict == "use")
    }

    @Test("whatever is requested, an unknown kid causes at most one request per interval")
    func never() throws {
        for pattern in [{ _ in "next" }, { "random-\($0)" }, { "k\($0 % 7)" }] as [(Int) -> String]
        {
            let machine = try machine("a", freshness: 86_400)
            var attempts: [Int] = []
            for second in 1..<20_000 {
                let keyID = pattern(second)
                guard let start = machine.ask(keyID, at: .seconds(second)).start else { continue }
                attempts.append(second)
                let same = try fetched("a", freshness: 86_400)
                #expect(machine.finish(start, same, at: .seconds(second)))
                #expect(machine.settle(keyID, at: .seconds(second)) != nil)
            }
            // Not too near the first attempt. Another kid has the same schedule.
            #expect(attempts == Array(stride(from: 10, to: 20_000, by: 300)))
            #expect(machine.ask("c", at: .seconds(20_109)).verdict == "use")
            #expect(machine.ask("c", at: .seconds(20_110)).verdict == "wait+unknown-kid")
        }
    }
}

/// The machine by reference, as `#expect` needs it.
final class Simulation {
    private var machine: RefreshMachine
    init(_ settings: RemoteJWKSetSettings = .init()) { machine = RefreshMachine(settings) }
    var isFetching: Bool { machine.isFetching }
    var latest: PublicJWKSet? { machine.latest }
    func ask(_ keyID: String?, at now: Duration) -> RefreshMachine.Decision {
        machine.ask(keyID, at: now)
    }
    func finish(
        _ start: RefreshMachine.Start, _ outcome: RefreshMachine.Outcome, at now: Duration
    ) -> Bool {
        machine.finish(start, outcome, at: now)
    }
    func settle(_ keyID: String?, at now: Duration) -> PublicJWKSet? {
        machine.settle(keyID, at: now)
    }
    func isUndetermined(_ keyID: String?) -> Bool { machine.isUndetermined(keyID) }
}

extension RefreshMachine.Decision {
    var start: RefreshMachine.Start? {
        switch self {
        case .useAndStart(_, let start), .wait(let start?): start
        default: nil
        }
    }
    var keys: PublicJWKSet? {
        switch self {
        case .use(let keys), .useAndStart(let keys, _): keys
        default: nil
        }
    }
    var verdict: String {
        switch self {
        case .use: "use"
        case .useAndStart(_, let start): "use+\(start.cause.rawValue)"
        case .wait(nil): "wait"
        case .wait(let start?): "wait+\(start.cause.rawValue)"
        case .reject: "reject"
        }
    }
}
