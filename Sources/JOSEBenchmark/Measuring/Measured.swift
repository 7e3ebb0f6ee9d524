// The numbers of one scenario beside its floor, as `run` and `json` give them.

/// The numbers of one scenario.
@_spi(Bench) public struct Measured {
    /// What was measured.
    public let scenario: Scenario
    /// The best time of an iteration; the median where times vary.
    public var nanoseconds: Double
    /// How far the middle of a few observations lies from the best time.
    var spread: Double
    /// Over the floor's time.
    public var ratio: Double?
    /// Of one iteration; nil where nothing counts calls of malloc.
    public var allocations: Allocations?

    /// Whether the bound is kept; nil where there is none.
    var keepsBound: Bool? {
        switch scenario.bound {
        case nil: nil
        case .ratio(let most): ratio.map { $0 <= most + 0.0005 }
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

/// Measures all that are no floors; floors come from `all`.
@_spi(Bench) public func measured(_ chosen: [Scenario], among all: [Scenario]) throws -> [Measured]
{
    let byName = Dictionary(all.map { ($0.name, $0) }) { first, _ in first }
    return try chosen.filter { !$0.isFloor }.map { scenario in
        try inScenario(scenario) {
            try measured(scenario, floor: scenario.floor.flatMap { byName[$0] })
        }
    }
}

private func measured(_ scenario: Scenario, floor: Scenario?) throws -> Measured {
    let work = try scenario.prepare()
    let allocations = Probe.countsMalloc ? try countAllocations(of: work) : nil
    let observed = try (0..<5).map { _ in try observation(work, sliceNanoseconds: 200_000) }
    var found = Measured(
        scenario: scenario, nanoseconds: observed.median, spread: 0, allocations: allocations)
    let raw = try floor.map { floor in try inScenario(floor) { try floor.prepare() } }
    if scenario.varies {
        let beside = try raw.map { raw in
            try (0..<5).map { _ in try observation(raw, sliceNanoseconds: 200_000) }.median
        }
        found.ratio = beside.map { observed.median / $0 }
    } else if let raw {
        var paired = try pair(work, floor: raw)
        // Over the bound, the machine may have been slow while ours ran and not the floor: more slices tell.
        if case .ratio(let most) = scenario.bound, paired.ratio > most {
            paired.keepBest(of: try pair(work, floor: raw, rounds: 25))
        }
        (found.nanoseconds, found.ratio) = (paired.ours, paired.ratio)
    } else {
        found.nanoseconds = try bestTime(work)
    }
    found.spread = abs(observed.median - found.nanoseconds)
    return found
}

/// A bound in the table.
@_spi(Bench) public func describe(_ bound: Bound) -> String {
    switch bound {
    case .ratio(let most): number(most, 2)
    case .nanoseconds(let most): number(most, 0) + " ns"
    }
}
