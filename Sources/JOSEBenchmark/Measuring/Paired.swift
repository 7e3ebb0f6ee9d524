// Two pieces of work in turns, a few milliseconds each: load from outside hits both alike.

/// The best times of two works that ran in turns.
@_spi(Bench) public struct Paired {
    /// Best time of an iteration, in nanoseconds.
    public var ours = Double.infinity
    /// The same of the floor.
    public var floor = Double.infinity
    /// The best of ours over the best of the floor.
    public var ratio: Double { ours / floor }
    /// The best ratio of the rounds, which is what a gate may rely on.
    public var bestRound = Double.infinity
    /// The same with ours as fast as it would be with the core to itself, where it fills it.
    public var bestRoundAlone = Double.infinity

    /// Keeps what is better in other rounds.
    public mutating func keepBest(of other: Paired) {
        ours = min(ours, other.ours)
        floor = min(floor, other.floor)
        bestRound = min(bestRound, other.bestRound)
        bestRoundAlone = min(bestRoundAlone, other.bestRoundAlone)
    }
}

/// Time of one iteration by the clock, from one slice. A slice that the system interrupted is long,
/// and the best of many drops it.
private func slice(_ work: Work, _ iterations: Int) throws -> Double {
    let start = Probe.nanoseconds
    try work(iterations, 0)
    return Double(Probe.nanoseconds - start) / Double(iterations)
}

/// How many iterations fill about `nanoseconds`.
@_spi(Bench) public func fill(_ work: Work, nanoseconds: Double) throws -> Int {
    try work(2, 0)
    var iterations = 1
    while true {
        let each = min(try slice(work, iterations), try slice(work, iterations))
        if each * Double(iterations) > nanoseconds / 4 || iterations > 1 << 22 {
            return max(1, Int(nanoseconds / max(each, 0.1)))
        }
        iterations *= 4
    }
}

/// Rounds of many short slices in turns.
@_spi(Bench) public func pair(
    _ ours: Work, floor: Work, rounds: Int = 5, sliceNanoseconds: Double = 200_000,
    coreShare: (() -> Double)? = nil
) throws -> Paired {
    let oursCount = try fill(ours, nanoseconds: sliceNanoseconds)
    let floorCount = try fill(floor, nanoseconds: sliceNanoseconds)
    let long = max(sliceNanoseconds, try slice(floor, floorCount) * Double(floorCount))
    let slices = Int(max(4, min(50, 40_000_000 / long)))
    var all = Paired()
    for _ in 0..<rounds {
        var round = Paired()
        var share = 0.0
        for number in 0..<slices {
            // The one that comes first changes: a scheduler's rhythm must not favour it.
            if number % 2 == 0 { round.ours = min(round.ours, try slice(ours, oursCount)) }
            round.floor = min(round.floor, try slice(floor, floorCount))
            if number % 2 == 1 { round.ours = min(round.ours, try slice(ours, oursCount)) }
            if let coreShare { share = max(share, coreShare()) }
        }
        round.bestRound = round.ratio
        // Less than that is a processor of another kind, of whose neighbours this says nothing.
        round.bestRoundAlone = share >= 0.7 ? round.ratio * share : round.ratio
        all.keepBest(of: round)
    }
    return all
}

/// The best time of one iteration over sixty slices, for bounds that have no floor.
func bestTime(_ work: Work, sliceNanoseconds: Double = 100_000) throws -> Double {
    let count = try fill(work, nanoseconds: sliceNanoseconds)
    var best = Double.infinity
    for _ in 0..<60 { best = min(best, try slice(work, count)) }
    return best
}

/// The lower fifth of a few slices: one observation for a comparison of revisions.
func observation(_ work: Work, sliceNanoseconds: Double = 500_000) throws -> Double {
    let count = try fill(work, nanoseconds: sliceNanoseconds)
    return try (0..<25).map { _ in try slice(work, count) }.sorted()[5]
}
