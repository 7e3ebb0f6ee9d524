// Measures two works in short alternating slices, so that other load affects both equally.

/// The best times of two works that ran alternately.
@_spi(Bench) public struct Paired {
    /// Best time of an iteration, in nanoseconds.
    public var ours = Double.infinity
    /// Best time of an iteration of the baseline.
    public var baseline = Double.infinity
    /// The best time of ours divided by the best time of the baseline.
    public var ratio: Double { ours / baseline }
    /// The best ratio of one round, which `check` compares.
    public var bestRound = Double.infinity
    /// The best ratio of one round, corrected for the share of the core that ours got.
    public var bestRoundAlone = Double.infinity

    /// Takes over what is better in other rounds.
    public mutating func keepBest(of other: Paired) {
        ours = min(ours, other.ours)
        baseline = min(baseline, other.baseline)
        bestRound = min(bestRound, other.bestRound)
        bestRoundAlone = min(bestRoundAlone, other.bestRoundAlone)
    }
}

/// Measures the wall-clock time of one iteration in one slice. Interrupted slices are long; the
/// best of many excludes them.
private func slice(_ work: Work, _ iterations: Int) throws -> Double {
    let start = Probe.nanoseconds
    try work(iterations, 0)
    return Double(Probe.nanoseconds - start) / Double(iterations)
}

/// Returns how many iterations take about `nanoseconds`.
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

/// Measures rounds of many short alternating slices.
@_spi(Bench) public func pair(
    _ ours: Work, baseline: Work, rounds: Int = 5, sliceNanoseconds: Double = 200_000,
    coreShare: (() -> Double)? = nil
) throws -> Paired {
    let oursCount = try fill(ours, nanoseconds: sliceNanoseconds)
    let baselineCount = try fill(baseline, nanoseconds: sliceNanoseconds)
    let sliceTime = max(
        sliceNanoseconds, try slice(baseline, baselineCount) * Double(baselineCount))
    let slices = Int(max(4, min(50, 40_000_000 / sliceTime)))
    var all = Paired()
    for _ in 0..<rounds {
        var round = Paired()
        var share = 0.0
        for number in 0..<slices {
            // The order alternates, so that a scheduler's rhythm favours neither.
            if number % 2 == 0 { round.ours = min(round.ours, try slice(ours, oursCount)) }
            round.baseline = min(round.baseline, try slice(baseline, baselineCount))
            if number % 2 == 1 { round.ours = min(round.ours, try slice(ours, oursCount)) }
            if let coreShare { share = max(share, coreShare()) }
        }
        round.bestRound = round.ratio
        // A smaller share means a kind of processor on which `coreShare` measures something else.
        round.bestRoundAlone = share >= 0.7 ? round.ratio * share : round.ratio
        all.keepBest(of: round)
    }
    return all
}

/// Returns the best time of one iteration in sixty slices, for scenarios without a baseline.
func bestTime(_ work: Work, sliceNanoseconds: Double = 100_000) throws -> Double {
    let count = try fill(work, nanoseconds: sliceNanoseconds)
    var best = Double.infinity
    for _ in 0..<60 { best = min(best, try slice(work, count)) }
    return best
}

/// Returns the lower quintile of 25 slices: one observation for a comparison of revisions.
func observation(_ work: Work, sliceNanoseconds: Double = 500_000) throws -> Double {
    let count = try fill(work, nanoseconds: sliceNanoseconds)
    return try (0..<25).map { _ in try slice(work, count) }.sorted()[5]
}
