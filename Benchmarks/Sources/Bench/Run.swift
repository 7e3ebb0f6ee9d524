// `run`: everything under Google Benchmark, the allocation counts, and the table.

@_spi(Bench) import JOSEBenchmark
import CJOSEBenchmark
import Foundation

/// Prepares the scenarios and counts their allocations; the works stay for the timing.
func prepare(_ scenarios: [Scenario]) throws -> [(Scenario, Work, Allocations?)] {
    try scenarios.map { scenario in
        do {
            let work = try scenario.prepare()
            let allocations = scenario.threads == 1 ? try countAllocations(of: work) : nil
            return (scenario, work, allocations)
        } catch {
            throw BenchmarkFailure("\(scenario.name): \(error)")
        }
    }
}

/// Times the scenarios, interleaved at random, and gives one row for each.
func measure(
    _ scenarios: [Scenario], growths: [Growth], repetitions: Int, seconds: Double, json: String?
) throws -> (report: Report, fits: [String: Fit], timings: [String: Timing]) {
    let prepared = try prepare(scenarios)
    let harness = Harness()
    for (scenario, work, allocations) in prepared {
        harness.add(
            scenario, work: work, seconds: scenario.varies ? 50 * seconds : seconds,
            allocations: allocations)
    }
    for growth in growths { try harness.add(growth, seconds: seconds / 4) }
    try harness.run(repetitions: repetitions, jsonPath: json)
    if let json { try mendJSON(json) }
    let works = Dictionary(prepared.map { ($0.0.name, $0.1) }) { first, _ in first }
    let rows = try prepared.compactMap { scenario, work, allocations -> Row? in
        guard let timing = harness.timings[scenario.name] else { return nil }
        var row = Row(scenario: scenario, timing: timing, allocations: allocations)
        guard let baseline = scenario.baseline.flatMap({ works[$0] }) else { return row }
        if scenario.threads > 1 {
            row.scaling = try pairThreads(work, one: baseline)
        } else if !scenario.varies {
            var paired = try pair(work, baseline: baseline)
            // Over the bound, the machine may have been slow while ours ran and not the baseline:
            // more slices tell.
            if case .ratio(let most) = scenario.bound, paired.ratio > most {
                paired.keepBest(of: try pair(work, baseline: baseline, rounds: 25))
            }
            row.paired = paired
        }
        return row
    }
    return (Report(rows), harness.fits, harness.timings)
}

/// Google Benchmark writes a bare NaN for the deviation of a counter that is always zero.
private func mendJSON(_ path: String) throws {
    let text = try String(contentsOfFile: path, encoding: .utf8)
    let corrected = text.replacingOccurrences(
        of: #": -?(nan|NaN|inf|Infinity)"#, with: ": 0.0", options: .regularExpression)
    try corrected.write(toFile: path, atomically: true, encoding: .utf8)
}

func commandRun(_ options: Options, cpuLevel: String) throws {
    print(
        "CPU level \(cpuLevel), \(processorName()), "
            + "OpenSSL \(String(cString: baseline_crypto_version())): bounds of this level"
    )
    let env = try environment()
    let whole = options["only"] == nil
    let absent = absentSignatureEntries(options)
    let scenarios = options.tabled(try allScenarios(env))
    // Of rows and of keys elsewhere there may be nothing in the table.
    let hasTable = !scenarios.isEmpty || absent.isEmpty && !options.wantsKeysElsewhere
    var (fits, timings): ([String: Fit], [String: Timing]) = ([:], [:])
    if hasTable {
        let report: Report
        (report, fits, timings) = try measure(
            scenarios, growths: whole ? allGrowths(env) : [],
            repetitions: Int(try options.number("repetitions", or: 3)),
            seconds: try options.number("seconds", or: 0.04), json: options["json"])
        report.print()
        if let path = options["entries"] { try report.writeEntries(to: path, cpuLevel: cpuLevel) }
    }
    for line in absent { print(line) }
    if options.wantsKeysElsewhere { try printKeysElsewhere(env, options) }
    if whole {
        printGrowth(allGrowths(env), fits, timings)
        try printMemory(env)
        try printColdStart()
    }
}

private func printGrowth(_ growths: [Growth], _ fits: [String: Fit], _ timings: [String: Timing]) {
    print("\ngrowth")
    for growth in growths {
        guard let fit = fits[growth.name] else { continue }
        let points = growth.sizes.map { size in
            "\(size): " + number((timings["\(growth.name)/\(size)"]?.cpu.best ?? .nan) / 1000, 1)
        }
        print(
            pad("  " + growth.name, -30) + pad(fit.shape, -12)
                + "\(number(fit.coefficient, 2)) ns a \(growth.unit), misfit "
                + "\(number(fit.misfit * 100, 0)) %, expected \(growth.expected); us by size: "
                + points.joined(separator: ", "))
    }
}
