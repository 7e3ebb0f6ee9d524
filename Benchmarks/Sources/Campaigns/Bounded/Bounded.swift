// Bounded work: what hostile input costs beside a valid input of its size, in time and memory, by
// size.

import CCampaigns
import Foundation
import JOSE

/// An input and what is done with it; both its own rejection and its acceptance are fine.
struct Sample {
    let bytes: Int
    let run: () -> Void
}

/// One kind of hostile input beside a valid one of the same kind.
struct Family {
    let name: String
    /// Bytes of input, growing; the last is the largest that the limits admit.
    let sizes: [Int]
    let hostile: (Int) throws -> Sample
    let valid: (Int) throws -> Sample
}

/// An input beyond a limit in bytes.
struct Beyond {
    let name: String
    let sample: Sample
}

enum Bounded {
    /// The promises of docs/security/work-bounds.md.
    static let timeFactor = 2.0
    static let timeSlack = 50_000.0
    static let memoryFactor = 4
    static let memorySlack = 65_536
    static let beyondNanoseconds = 5_000.0
    /// Four times the input may cost so many times four; what is quadratic costs four times four.
    static let growthFactor = 2.5

    static func run(only: String?) throws -> Bool {
        var complaints: [String] = []
        print(
            padded("hostile input", 40)
                + ["bytes", "us", "valid us", "held KB", "may KB", "growth"]
                .map { padded($0, 10, right: true) }.joined())
        for family in try families() where only.map({ family.name.contains($0) }) ?? true {
            complaints += try check(family)
        }
        for beyond in try beyond() where only.map({ beyond.name.contains($0) }) ?? true {
            complaints += check(beyond)
        }
        for complaint in complaints { print("FAIL  " + complaint) }
        print(
            complaints.isEmpty
                ? "bounded: every promise is kept"
                : "bounded: \(complaints.count) promises are broken")
        return complaints.isEmpty
    }

    private static func check(_ family: Family) throws -> [String] {
        var complaints: [String] = []
        var before: (bytes: Int, time: Double)?
        for size in family.sizes {
            let hostile = try family.hostile(size)
            let valid = try family.valid(size)
            let memory = held(hostile)
            let may = memoryFactor * hostile.bytes + memorySlack
            var (time, reference) = times(hostile, valid)
            // Work from outside, on the other half of this core too, makes rounds slow for seconds:
            // what is too slow must be so each time over several of them.
            for _ in 0..<12 where time > timeFactor * reference + timeSlack {
                Thread.sleep(forTimeInterval: 0.5)
                let again = times(hostile, valid)
                (time, reference) = (min(time, again.0), min(reference, again.1))
            }
            let bound = timeFactor * reference + timeSlack
            let growth = before.map { time / $0.time / (Double(hostile.bytes) / Double($0.bytes)) }
            print(
                padded(family.name, 40)
                    + [
                        "\(hostile.bytes)", micro(time), micro(reference), kilo(memory), kilo(may),
                        growth.map { String(format: "%.2f", $0) } ?? "",
                    ].map { padded($0, 10, right: true) }.joined())
            if time > bound {
                complaints.append(
                    "\(family.name), \(hostile.bytes) bytes: \(micro(time)) us, may \(micro(bound))"
                )
            }
            if memory > may {
                complaints.append(
                    "\(family.name), \(hostile.bytes) bytes: \(kilo(memory)) KB, max \(kilo(may))"
                )
            }
            if let growth, let before, growth > growthFactor, time > before.time * 4 + 20_000 {
                complaints.append(
                    "\(family.name): grows by \(String(format: "%.2f", growth)) times its size")
            }
            before = (hostile.bytes, time)
        }
        return complaints
    }

    private static func check(_ beyond: Beyond) -> [String] {
        let time = best(beyond.sample)
        beyond.sample.run()
        heap_begin()
        beyond.sample.run()
        let requests = heap_end().requests
        print(
            padded("beyond: " + beyond.name, 40) + padded("\(beyond.sample.bytes)", 10, right: true)
                + padded(micro(time), 10, right: true)
                + padded("\(requests) requests", 20, right: true))
        var complaints: [String] = []
        if time > beyondNanoseconds {
            complaints.append("\(beyond.name): \(micro(time)) us, may 5")
        }
        if requests > 0 { complaints.append("\(beyond.name): \(requests) allocations") }
        return complaints
    }

    /// The most that a call holds at once; what it prepares once shows the first time only.
    private static func held(_ sample: Sample) -> Int {
        var least = Int.max
        for _ in 0..<3 {
            heap_begin()
            sample.run()
            least = min(least, Int(heap_end().most))
        }
        return least
    }

    /// The best processor times of both, in turns.
    private static func times(_ a: Sample, _ b: Sample) -> (Double, Double) {
        var best = (Double.infinity, Double.infinity)
        for _ in 0..<5 { best = (min(best.0, self.best(a)), min(best.1, self.best(b))) }
        return best
    }

    private static func best(_ sample: Sample) -> Double {
        var best = Double.infinity
        var count = 1
        for _ in 0..<8 {
            let start = thread_nanoseconds()
            for _ in 0..<count { sample.run() }
            let spent = Double(thread_nanoseconds() - start)
            best = min(best, spent / Double(count))
            // At least 50 microseconds a round, so that reading the clock does not count.
            if spent < 50_000 { count *= 2 }
        }
        return best
    }

    private static func micro(_ nanoseconds: Double) -> String {
        String(format: "%.1f", nanoseconds / 1_000)
    }
    private static func kilo(_ bytes: Int) -> String { "\((bytes + 1_023) / 1_024)" }
}
