// The state machine against a simulated server, for all combinations of settings: a caller gets a
// result whenever one is possible, and requests never exceed the promised rate.

import JOSE
import Testing

@testable import JOSERemote

@Suite("Refresh state machine: settings")
struct RefreshTableTests {
    /// The server's values and response time, and the effective settings, in seconds.
    struct Cell: CustomTestStringConvertible {
        let atLeast: Int
        let atMost: Int
        let stale: Int
        let served: Int64?
        let takes: Int
        let ends: Int?

        var testDescription: String {
            "fresh \(atLeast) to \(atMost), stale \(stale), server says \(served ?? -1) after \(takes)"
        }

        var settings: RemoteJWKSetSettings {
            var settings = RemoteJWKSetSettings()
            settings.minFreshness = .seconds(atLeast)
            settings.maxFreshness = .seconds(atMost)
            settings.staleFor = .seconds(stale)
            settings.unknownKeyIDInterval = .seconds(20)
            return settings
        }
    }

    static let cells: [Cell] = {
        var cells: [Cell] = []
        for atLeast in [0, 1, 9, 11, 30] {
            for atMost in [0, 60] {
                for stale in [0, 1, 10, 30] {
                    for served in [nil, 0, 5, 20] as [Int64?] {
                        for takes in [0, 1, 9, 10, 15, 60] {
                            for ends in [nil, 1, 12] as [Int?] {
                                cells.append(
                                    Cell(
                                        atLeast: atLeast, atMost: atMost, stale: stale,
                                        served: served, takes: takes, ends: ends))
                            }
                        }
                    }
                }
            }
        }
        return cells
    }()

    /// The results of a request each second, for each of these kids in turn.
    private struct Course {
        /// The seconds at which a caller was rejected, at once or after waiting.
        var rejected: [Int] = []
        /// The seconds at which requests started, and why.
        var started: [(second: Int, cause: RefreshMachine.Cause)] = []
    }

    /// Runs the machine for some time against a server that is reachable at some seconds only.
    ///
    /// A failing request takes as long as a successful one.
    private func course(
        _ cell: Cell, seconds: Int, keyIDs: [String?], isThere: (Int) -> Bool = { _ in true }
    ) throws -> Course {
        let machine = Simulation(cell.settings)
        let keys = try PublicJWKSet(json: setText(["a"]))
        let success = RefreshMachine.Outcome.fetched(
            keys, entityTag: nil, freshness: cell.served.map { .seconds($0) },
            validFor: cell.ends.map { .seconds($0) })
        var course = Course()
        var flight: RefreshMachine.Start?
        var waiting: [String?] = []
        for second in 0..<seconds {
            let now = Duration.seconds(second)
            func land() {
                guard let start = flight, now >= start.begun + .seconds(cell.takes) else { return }
                let began = Int(start.begun.components.seconds)
                flight = nil
                #expect(machine.finish(start, isThere(began) ? success : .failed, at: now))
                for keyID in waiting where machine.settle(keyID, at: now) == nil {
                    course.rejected.append(second)
                }
                waiting = []
            }
            land()
            for keyID in keyIDs {
                let response = machine.ask(keyID, at: now)
                if let start = response.start {
                    #expect(flight == nil)
                    flight = start
                    course.started.append((second, start.cause))
                }
                switch response {
                case .use, .useAndStart:
                    if machine.isUndetermined(keyID) { course.rejected.append(second) }
                case .wait: waiting.append(keyID)
                case .reject: course.rejected.append(second)
                }
                land()
            }
        }
        return course
    }

    private func pauses(_ course: Course) -> [Int] {
        zip(course.started, course.started.dropFirst()).map { $1.second - $0.second }
    }

    @Test(
        "while the server responds no caller is rejected, with one request per 10 seconds at most")
    func responses() throws {
        for cell in Self.cells {
            for keyIDs in [["a"], ["b"], [nil], ["a", "b", nil]] as [[String?]] {
                let course = try course(cell, seconds: 150, keyIDs: keyIDs)
                #expect(course.rejected == [], "\(cell.testDescription), \(keyIDs)")
                #expect(pauses(course).allSatisfy { $0 >= 10 }, "\(cell.testDescription)")
            }
        }
    }

    @Test("an expired set is fetched by the next caller, at any later time")
    func seldom() throws {
        for cell in Self.cells where cell.takes == 1 {
            for pause in [2, 7, 10, 13, 45, 100] {
                let machine = Simulation(cell.settings)
                let keys = try PublicJWKSet(json: setText(["a"]))
                for second in stride(from: 0, to: 400, by: pause) {
                    let response = machine.ask("a", at: .seconds(second))
                    guard let start = response.start else {
                        #expect(response.keys != nil, "\(cell.testDescription) at \(second)")
                        continue
                    }
                    let success = RefreshMachine.Outcome.fetched(
                        keys, entityTag: nil, freshness: cell.served.map { .seconds($0) })
                    let landing = Duration.seconds(second + cell.takes)
                    #expect(machine.finish(start, success, at: landing))
                    #expect(machine.settle("a", at: landing) != nil, "\(cell.testDescription)")
                }
            }
        }
    }

    @Test("in an outage a set serves exactly as long as the settings say, from 10 seconds on")
    func outage() throws {
        for cell in Self.cells where cell.ends == nil {
            let course = try course(cell, seconds: 400, keyIDs: ["a"]) { $0 == 0 }
            let lifetime = Int(
                cell.settings.lifetime(cell.served.map { .seconds($0) }).components.seconds)
            // It arrives after `takes` and then serves until another request may be made.
            let end = max(lifetime, cell.takes + 10) + cell.stale
            let first = try #require(course.rejected.first, "\(cell.testDescription)")
            #expect(first >= end, "\(cell.testDescription)")
            // A request in progress then is awaited.
            #expect(first <= end + cell.takes, "\(cell.testDescription)")
            #expect(pauses(course).allSatisfy { $0 >= 10 })
        }
    }

    @Test("after an outage of any length the set is current within the longest pause")
    func recovery() throws {
        for cell in Self.cells where cell.ends == nil && cell.takes < 10 {
            for outage in [1...30, 1...130, 40...200] {
                for keyIDs in [["a"], ["b"]] {
                    let course = try course(cell, seconds: 300, keyIDs: keyIDs) {
                        !outage.contains($0)
                    }
                    let last = course.rejected.last ?? 0
                    #expect(
                        last <= outage.upperBound + 60 + cell.takes,
                        "\(cell.testDescription), \(keyIDs), \(outage)")
                }
            }
        }
    }

    // MARK: looks for a kid that the set lacks

    /// The requests of an hour, with a set that stays fresh and a kid that it lacks.
    private func looks(_ isThere: @escaping (Int) -> Bool) throws -> Course {
        let day = 86_400
        let cell = Cell(
            atLeast: day, atMost: day, stale: 3_600, served: nil, takes: 0, ends: nil)
        var course = Course()
        let machine = Simulation(
            {
                var settings = cell.settings
                settings.unknownKeyIDInterval = .seconds(300)
                return settings
            }())
        let same = RefreshMachine.Outcome.fetched(
            try PublicJWKSet(json: setText(["a"])), entityTag: nil, freshness: nil)
        for second in 0..<3_600 {
            let now = Duration.seconds(second)
            if let start = machine.ask("b", at: now).start {
                course.started.append((second, start.cause))
                #expect(machine.finish(start, isThere(second) ? same : .failed, at: now))
            }
            if machine.settle("b", at: now) == nil { course.rejected.append(second) }
        }
        return course
    }

    @Test("after a failed kid request the next comes after the failure cooldown")
    func failedLook() throws {
        // One failure: 10 seconds, then the interval of successful kid requests.
        let one = try looks { $0 != 10 }
        #expect(one.started.prefix(4).map(\.second) == [0, 10, 20, 320])
        #expect(one.rejected == Array(10..<20))
        // An outage: longer pauses, at most a minute, and a response within a minute after its end.
        let long = try looks { !(10..<500).contains($0) }
        #expect(
            long.started.prefix(11).map(\.second) == [
                0, 10, 20, 40, 80, 140, 200, 260, 320, 380, 440,
            ]
        )
        #expect(long.started.dropFirst(11).prefix(2).map(\.second) == [500, 800])
        #expect(long.rejected == Array(10..<500))
        // A failure between two successful kid requests does not change the interval.
        let later = try looks { $0 != 310 }
        #expect(later.started.prefix(5).map(\.second) == [0, 10, 310, 320, 620])
        #expect(later.rejected == Array(310..<320))
    }

    @Test("for any outage, successful kid requests keep their interval and block no others")
    func looksOfAllOutages() throws {
        for begin in stride(from: 1, to: 700, by: 37) {
            for length in [1, 9, 10, 11, 60, 299, 300, 301, 900] {
                let outage = begin..<(begin + length)
                let course = try looks { !outage.contains($0) }
                let answered = course.started.filter {
                    $0.cause == .unknownKeyID && !outage.contains($0.second)
                }.map(\.second)
                #expect(zip(answered, answered.dropFirst()).allSatisfy { $1 - $0 >= 300 })
                #expect(pauses(course).allSatisfy { $0 >= 10 })
                #expect((course.rejected.last ?? 0) < outage.upperBound + 60)
            }
        }
    }
}
