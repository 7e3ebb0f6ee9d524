// The numbers of one scenario beside its floor, as `run`, `json` and `history` give them.

struct Measured {
    let scenario: Scenario
    /// The best time of an iteration; the median where times vary.
    var nanoseconds: Double
    /// How far the middle of a few observations lies from the best time.
    var spread: Double
    /// Over the floor's time; on threads, throughput over one thread's.
    var ratio: Double?
    var allocations: Allocations?

    /// Whether the bound is kept; nil where there is none.
    var keepsBound: Bool? {
        switch scenario.bound {
        case nil: nil
        case .ratio(let most): ratio.map { $0 <= most + 0.0005 }
        case .scaling(let least): ratio.map { $0 >= least - 0.005 }
        case .nanoseconds(let most): nanoseconds <= most
        }
    }
}

/// A failure says in which scenario.
func inScenario<Result>(_ scenario: Scenario, _ body: () throws -> Result) throws -> Result {
    do {
        return try body()
    } catch {
        throw BenchmarkFailure("\(scenario.name): \(error)")
    }
}

/// Throws where a file would say what no reader takes for a number: a floor that takes no time makes such ratios.
func requireNumbers(_ rows: [Measured]) throws {
    for row in rows {
        try require(
            row.nanoseconds.isFinite && row.ratio?.isFinite != false,
            "\(row.scenario.name): the time of it or its floor is none")
    }
}

/// Measures all that are no floors; floors come from `all`.
func measured(_ chosen: [Scenario], among all: [Scenario]) throws -> [Measured] {
    let byName = Dictionary(all.map { ($0.name, $0) }) { first, _ in first }
    return try chosen.filter { !$0.isFloor }.map { scenario in
        try inScenario(scenario) {
            try measured(scenario, floor: scenario.floor.flatMap { byName[$0] })
        }
    }
}

private func measured(_ scenario: Scenario, floor: Scenario?) throws -> Measured {
    let work = try scenario.prepare()
    let allocations =
        scenario.threads == 1 && Probe.countsMalloc ? try countAllocations(of: work) : nil
    let (timed, slice) = inThreads(work, scenario.threads)
    let observed = try (0..<5).map { _ in try observation(timed, sliceNanoseconds: slice) }
    var found = Measured(
        scenario: scenario, nanoseconds: observed.median, spread: 0, allocations: allocations)
    let raw = try floor.map { floor in try inScenario(floor) { try floor.prepare() } }
    if case .scaling = scenario.bound, let raw {
        found.nanoseconds = observed.best
        found.ratio = try pairThreads(work, one: raw, threads: scenario.threads).wall
    } else if scenario.varies {
        let beside = try raw.map { raw in
            try (0..<5).map { _ in try observation(raw, sliceNanoseconds: 200_000) }.median
        }
        found.ratio = beside.map { observed.median / $0 }
    } else if let raw {
        var paired = try pair(timed, floor: raw)
        // Over the bound, the machine may have been slow while ours ran and not the floor: more slices tell.
        if case .ratio(let most) = scenario.bound, paired.ratio > most {
            paired.keepBest(of: try pair(timed, floor: raw, rounds: 25))
        }
        (found.nanoseconds, found.ratio) = (paired.ours, paired.ratio)
    } else {
        found.nanoseconds = scenario.threads == 1 ? try bestTime(work) : observed.best
    }
    found.spread = abs(observed.median - found.nanoseconds)
    return found
}

/// A work on all its threads at once, and how long a slice of it is: starting them takes no part of it that matters.
private func inThreads(_ work: @escaping Work, _ count: Int) -> (Work, sliceNanoseconds: Double) {
    guard count > 1 else { return (work, 200_000) }
    return ({ iterations, _ in _ = try threads(count, iterations, work) }, 5_000_000)
}

/// A bound in the table.
@_spi(Bench) public func describe(_ bound: Bound) -> String {
    switch bound {
    case .ratio(let most): number(most, 2)
    case .nanoseconds(let most): number(most, 0) + " ns"
    case .scaling(let least): "x" + number(least, 2)
    }
}
