// A server's sample: signatures that are requested at random times, more than EVP can make.
//
// One processor, an open loop: requests arrive whether or not the earlier ones are done. So the
// latency of an overloaded server grows with the length of the sample.

import CJOSEBenchmark
@_spi(Bench) import JOSEBenchmark
import Foundation
import JOSE
import Synchronization

/// The load, as a multiple of what EVP can do.
private let overload = 1.5
private let maxMeanMilliseconds = 1.0

func commandServer(_ options: Options) throws {
    let seconds = options.words.first.flatMap(Double.init) ?? 2
    try require(
        hasOneProcessor(),
        "a server's sample needs one processor: taskset -c 1 Bench server")
    let env = try environment()
    let payload = env.payload600
    let evp = try meanNanoseconds(try signBaseline(env, env.token))
    let count = Int(seconds * 1e9 / evp * overload)
    print("\(whereMeasured()), load \(loadAverage()), one processor")
    print(
        "EVP signs RS256 of 2048 bits in \(number(evp / 1000, 1)) us; "
            + "\(Int(1e9 / evp * overload)) requests a second, \(number(seconds, 0)) s")
    print(
        pad("", -26) + pad("mean ms", 10) + pad("median", 10) + pad("p99", 10) + pad("rejected", 10)
    )
    for (name, setting, isBound) in [
        ("EVP", KeyAcceleration.automatic, false),
        ("kernels", .withPrivateKeysAndFloatingPoint, true),
    ] {
        let key = try env.signingKey.withAcceleration(setting).served(
            by: PrivateKeyPool(),
            options: ExternalKeyOptions(
                maxConcurrent: 100_000, maxWaiting: 0, timeout: .seconds(600)))
        let signer = try JWSSigner(key: key, algorithm: .rs256)
        for _ in 0..<64 {  // the kernels are tested
            try waiting { _ = try await signer.sign(payload, timeout: .seconds(600)) }
        }
        let sample = try run(signer, payload, count: count, every: evp / overload)
        let mean = sample.milliseconds.reduce(0, +) / Double(max(sample.milliseconds.count, 1))
        print(
            pad("  a pool of one thread, \(name)", -26) + pad(number(mean, 2), 10)
                + pad(number(sample.percentile(0.5), 2), 10)
                + pad(number(sample.percentile(0.99), 2), 10) + pad("\(sample.rejected)", 10)
                + (isBound && (mean > maxMeanMilliseconds || sample.rejected > 0)
                    ? "  <-- bound" : ""))
    }
}

/// Whether this process may use only one processor.
private func hasOneProcessor() -> Bool {
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let list = status.split(separator: "\n").first { $0.hasPrefix("Cpus_allowed_list:") }
    return list?.split(separator: "\t").last.flatMap { Int($0) } != nil
}

private struct Sample {
    /// Sorted.
    let milliseconds: [Double]
    let rejected: Int

    func percentile(_ part: Double) -> Double {
        milliseconds.isEmpty ? .nan : milliseconds[Int(part * Double(milliseconds.count - 1))]
    }
}

/// The mean over many times the 32 operations after which EVP renews its blinding; the best of
/// several.
private func meanNanoseconds(_ work: Work) throws -> Double {
    var best = Double.infinity
    for _ in 0..<9 {
        let start = probe_wall_ns()
        try work(320, 0)
        best = min(best, Double(probe_wall_ns() - start) / 320)
    }
    return best
}

/// What the requests of a sample add to.
private final class Collected: Sendable {
    let milliseconds = Mutex<[Double]>([])
    let rejected = Atomic(0)
}

/// Starts requests at random times, and waits for all.
private func run(
    _ signer: JWSSigner, _ payload: [UInt8], count: Int, every mean: Double
) throws -> Sample {
    let collected = Collected()
    collected.milliseconds.withLock { $0.reserveCapacity(count) }
    let arrivals = Arrivals(count: count, mean: mean)
    try waiting {
        await withTaskGroup(of: Void.self) { group in
            let start = probe_wall_ns() + 1_000_000
            for offset in arrivals.offsets {
                let due = start + offset
                let now = probe_wall_ns()
                if due > now { try? await Task.sleep(nanoseconds: due - now) }
                group.addTask {
                    do {
                        _ = try await signer.sign(payload, timeout: .seconds(600))
                        let took = Double(probe_wall_ns() - due) / 1e6
                        collected.milliseconds.withLock { $0.append(took) }
                    } catch {
                        collected.rejected.add(1, ordering: .relaxed)
                    }
                }
            }
        }
    }
    return Sample(
        milliseconds: collected.milliseconds.withLock { $0 }.sorted(),
        rejected: collected.rejected.load(ordering: .relaxed))
}

/// Times with exponentially distributed distances, the same in each run.
private struct Arrivals: Sendable {
    let offsets: [UInt64]

    init(count: Int, mean: Double) {
        var random = FixedRandom(43)
        var at = 0.0
        offsets = (0..<count).map { _ in
            let uniform = (Double(random.next() >> 11) + 1) / Double(UInt64(1) << 53)
            at += -mean * log(uniform)
            return UInt64(at)
        }
    }
}

private func loadAverage() -> String {
    let text = try? String(contentsOfFile: "/proc/loadavg", encoding: .utf8)
    return text?.split(separator: " ").first.map(String.init) ?? "unknown"
}
