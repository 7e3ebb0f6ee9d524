// The table that a person reads: ratio to the baseline first, then time, rate and allocations.

import CJOSEBenchmark
@_spi(Bench) import JOSEBenchmark
import CBenchBaselines
import Foundation

/// What one scenario came to.
struct Row {
    let scenario: Scenario
    let timing: Timing
    let allocations: Allocations?
    /// The best time and the best baseline's of slices in turns; nil without a baseline.
    var paired: Paired?
    /// Two threads over one, in turns.
    var scaling: Scaling?

    /// CPU time where one thread works, the clock where several do.
    var samples: [Double] { scenario.threads > 1 ? timing.wall : timing.cpu }

    /// The best time seen, by either method; the median where times vary.
    var best: Double {
        scenario.varies ? samples.median : min(samples.best, paired?.ours ?? .infinity)
    }
}

struct Report {
    let rows: [Row]
    private let byName: [String: Row]

    init(_ rows: [Row]) {
        self.rows = rows
        byName = Dictionary(rows.map { ($0.scenario.name, $0) }) { first, _ in first }
    }

    func baseline(of row: Row) -> Row? { row.scenario.baseline.flatMap { byName[$0] } }

    /// Median over median of the runs under Google Benchmark.
    func medianRatio(_ row: Row) -> Double? {
        guard let baseline = baseline(of: row) else { return nil }
        if row.scenario.threads > 1 { return row.scaling?.cpu }
        return row.samples.median / baseline.samples.median
    }

    /// The figure to quote: best over best of slices in turns, or of medians where times vary.
    func ratio(_ row: Row) -> Double? {
        row.scaling?.wall ?? row.paired?.ratio ?? (row.scenario.varies ? medianRatio(row) : nil)
    }

    /// Whether the bound is kept; nil where there is none.
    func keepsBound(_ row: Row) -> Bool? {
        if let least = row.scenario.leastScaling { return ratio(row).map { $0 >= least - 0.005 } }
        switch row.scenario.bound {
        case nil: return nil
        case .ratio(let most): return ratio(row).map { $0 <= most + 0.0005 }
        case .nanoseconds(let most): return row.best <= most
        }
    }

    func print() {
        var group = ""
        for row in rows where row.scenario.name.hasSuffix("baseline") == false {
            if row.scenario.group != group {
                group = String(row.scenario.group)
                Swift.print("\n" + Self.header(group))
            }
            Swift.print(line(row))
        }
        Swift.print(
            """

            ratio: time over the baseline's, best slices of many in turns; median: the same by the medians of
            whole runs, which load from outside moves; bound: what is promised of the ratio.
            threads: throughput of two over one by the clock (ratio) and by processor time (median).
            alloc: ours, and libcrypto's (the baseline's).
            """)
        let missed = rows.filter { keepsBound($0) == false }
        if missed.isEmpty {
            Swift.print("every bound is kept")
        } else {
            Swift.print("NOT kept:")
            for row in missed { Swift.print("  " + KnownMisses.line(row.scenario)) }
        }
    }

    /// The times as `Sources/JOSE/JOSE.docc/Algorithms.md` quotes them: scenario, nanoseconds, the
    /// baseline's.
    func writeEntries(to path: String, cpuLevel: String) throws {
        let version = String(cString: baseline_crypto_version())
        let sodium = String(cString: baseline_sodium_version())
        let libraries = "OpenSSL \(version), libsodium \(sodium)"
        var text =
            "# machine: \(processorName()), \(libraries), CPU level \(cpuLevel), \(today())\n"
        text += "# scenario, tab-separated: nanoseconds, nanoseconds of the raw calls\n"
        for row in rows {
            let varying = row.scenario.varies ? self.baseline(of: row)?.best : nil
            guard let baseline = row.paired?.baseline ?? varying else { continue }
            text += "\(row.scenario.name)\t\(number(row.best, 0))\t\(number(baseline, 0))\n"
        }
        try text.write(toFile: path, atomically: true, encoding: .utf8)
    }

    private static func header(_ group: String) -> String {
        pad(group, -30) + pad("ratio", 8) + pad("median", 8) + pad("bound", 10) + pad("ns", 13)
            + pad("per second", 13) + pad("GB/s", 8) + pad("alloc", 8) + pad("libcrypto", 12)
    }

    private func line(_ row: Row) -> String {
        let scenario = row.scenario
        let name = scenario.name.drop { $0 != "/" }.dropFirst()
        let baseline = baseline(of: row)
        let prefix = scenario.threads > 1 ? "x" : ""
        let bound =
            scenario.leastScaling.map { "x" + number($0, 2) } ?? scenario.bound.map(describe)
        let rate = scenario.bytes > 0 ? number(Double(scenario.bytes) / row.best, 2) : ""
        let crypto = row.allocations.map { count($0.crypto) } ?? ""
        let least = baseline?.allocations.map { "(" + count($0.crypto) + ")" } ?? ""
        return pad("  " + name, -30)
            + pad(ratio(row).map { prefix + number($0, 3) } ?? "", 8)
            + pad(medianRatio(row).map { prefix + number($0, 2) } ?? "", 8)
            + pad(bound ?? "", 10)
            + pad(number(row.best, row.best < 100 ? 1 : 0), 13)
            + pad(number(1e9 / row.best, 0), 13)
            + pad(rate, 8) + pad(row.allocations.map { count($0.ours) } ?? "", 8)
            + pad(crypto + least, 12) + (keepsBound(row) == false ? "  <-- bound" : "")
    }
}
