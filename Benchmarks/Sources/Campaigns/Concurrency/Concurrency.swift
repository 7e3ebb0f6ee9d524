// 64 threads at all operations on shared keys: every result is the one that a single thread had, or
// opens as it.

import CCampaigns
import Foundation
import JOSE

/// One thing that threads do; the number chooses a message. Throws where the result is not the
/// right one.
struct Operation: Sendable {
    let name: String
    let run: @Sendable (UInt64) throws -> Void
}

enum Concurrency {
    static let threads = 64

    static func run(operations count: Int, vectors: String) throws -> Bool {
        let tally = Tally()
        let operations =
            try signatureOperations() + encryptionOperations() + otherOperations(vectors, tally)
        let plan = Plan(try weighed(operations), rounds: max(1, count / threads))
        let start = ContinuousClock.now
        try withExtendedLifetime(plan) {
            let started = run_threads(Int32(threads), Unmanaged.passUnretained(plan).toOpaque()) {
                context, thread in
                guard let context else { return }
                Unmanaged<Plan>.fromOpaque(context).takeUnretainedValue().work(Int(thread))
            }
            try require(started, "a thread does not start")
        }
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        plan.report(seconds)
        try require(plan.total == plan.rounds * threads, "operations are missing")
        let failures = plan.failures + tally.failures()
        for failure in failures.prefix(20) { print("WRONG  \(failure)") }
        return failures.isEmpty
    }

    /// Operations with their costs, so that each gets an equal share of the time.
    private static func weighed(_ operations: [Operation]) throws -> [(Operation, Double)] {
        var random = FixedRandom(1)
        return try operations.map { operation in
            var best = Double.infinity
            for _ in 0..<6 {
                let start = thread_nanoseconds()
                do {
                    for _ in 0..<4 { try operation.run(random.next()) }
                } catch { throw Failure("\(operation.name), on one thread: \(error)") }
                best = min(best, Double(thread_nanoseconds() - start) / 4)
            }
            return (operation, 1 / max(best, 200))
        }
    }
}

/// What the threads share: the operations, how often each ran, what went wrong.
private final class Plan: @unchecked Sendable {
    let rounds: Int
    private let operations: [Operation]
    /// The sums of the shares up to each operation, of 1.
    private let borders: [Double]
    /// Guards the two below; a lock that the thread sanitizer knows.
    private let lock = NSLock()
    private var counts: [Int]
    private(set) var failures: [String] = []

    init(_ weighed: [(Operation, Double)], rounds: Int) {
        self.rounds = rounds
        operations = weighed.map(\.0)
        let sum = weighed.reduce(0) { $0 + $1.1 }
        var border = 0.0
        borders = weighed.map {
            border += $0.1 / sum
            return border
        }
        counts = Array(repeating: 0, count: weighed.count)
    }

    func work(_ thread: Int) {
        var random = FixedRandom(UInt64(thread) &* 0x1234_5678_9abc_def1 &+ 7)
        var ran = [Int](repeating: 0, count: operations.count)
        var wrong: [String] = []
        for _ in 0..<rounds {
            let place = Double(random.next() >> 11) / Double(1 << 53)
            var low = 0
            var high = operations.count - 1
            while low < high {
                let middle = (low + high) / 2
                if borders[middle] < place { low = middle + 1 } else { high = middle }
            }
            ran[low] += 1
            do {
                try operations[low].run(random.next())
            } catch {
                if wrong.count < 20 { wrong.append("\(operations[low].name): \(error)") }
            }
        }
        lock.withLock {
            for index in ran.indices { counts[index] += ran[index] }
            failures += wrong
        }
    }

    var total: Int { counts.reduce(0, +) }

    func report(_ seconds: Double) {
        let never = zip(operations, counts).filter { $0.1 == 0 }.map(\.0.name)
        let rarest = zip(operations, counts).min { $0.1 < $1.1 }
        print(
            "concurrency: \(total) operations of \(operations.count) kinds on \(Concurrency.threads) threads "
                + "in \(Int(seconds)) s")
        if let rarest { print("the rarest: \(rarest.0.name), \(rarest.1) times") }
        if !never.isEmpty { print("never: " + never.joined(separator: ", ")) }
    }
}
