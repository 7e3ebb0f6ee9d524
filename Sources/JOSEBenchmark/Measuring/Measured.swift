// Measures a scenario and its baseline, for `run` and `json`.

/// The results of one scenario.
@_spi(Bench) public struct Measured {
    /// The scenario.
    public let scenario: Scenario
    /// The best time of an iteration; the median if the scenario `varies`.
    public var nanoseconds: Double
    /// The distance between the median of a few observations and the best time.
    var spread: Double
    /// Its time divided by the baseline's.
    public var ratio: Double?
    /// The allocations of one iteration; nil if calls of malloc are not counted.
    public var allocations: Allocations?

    /// Whether the time is within the bound; nil without a bound.
    var keepsBound: Bool? {
        switch scenario.bound {
        case nil: nil
        case .ratio(let limit): ratio.map { $0 <= limit + 0.0005 }
        case .nanoseconds(let limit): nanoseconds <= limit
        }
    }
}

/// Runs the body, and adds the scenario's name to its error.
func inScenario<Result>(_ scenario: Scenario, _ body: () throws -> Result) throws -> Result {
    do {
        return try body()
    } catch {
        throw BenchmarkFailure("\(scenario.name): \(error)")
    }
}

/// Measures the chosen scenarios; baselines are skipped, and taken from `all` for ratios.
@_spi(Bench) public func measured(_ chosen: [Scenario], among all: [Scenario]) throws -> [Measured]
{
    let byName = Dictionary(all.map { ($0.name, $0) }) { first, _ in first }
    return try chosen.filter { !$0.isBaseline }.map { scenario in
        try inScenario(scenario) {
            try measured(scenario, baseline: scenario.baseline.flatMap { byName[$0] })
        }
    }
}

private func measured(_ scenario: Scenario, baseline: Scenario?) throws -> Measured {
    let work = try scenario.prepare()
    let allocations = Probe.countsMalloc ? try countAllocations(of: work) : nil
    let observed = try (0..<5).map { _ in try observation(work, sliceNanoseconds: 200_000) }
    var found = Measured(
        scenario: scenario, nanoseconds: observed.median, spread: 0, allocations: allocations)
    let baselineWork = try baseline.map { baseline in
        try inScenario(baseline) { try baseline.prepare() }
    }
    if scenario.varies {
        let baselineMedian = try baselineWork.map { baselineWork in
            try (0..<5).map { _ in try observation(baselineWork, sliceNanoseconds: 200_000) }.median
        }
        found.ratio = baselineMedian.map { observed.median / $0 }
    } else if let baselineWork {
        var paired = try pair(work, baseline: baselineWork)
        // Over the bound: the machine may have been slow only while ours ran, so measure again.
        if case .ratio(let limit) = scenario.bound, paired.ratio > limit {
            paired.keepBest(of: try pair(work, baseline: baselineWork, rounds: 25))
        }
        (found.nanoseconds, found.ratio) = (paired.ours, paired.ratio)
    } else {
        found.nanoseconds = try bestTime(work)
    }
    found.spread = abs(observed.median - found.nanoseconds)
    return found
}

/// Formats a bound for the table.
@_spi(Bench) public func describe(_ bound: Bound) -> String {
    switch bound {
    case .ratio(let limit): number(limit, 2)
    case .nanoseconds(let limit): number(limit, 0) + " ns"
    }
}
