// Two pieces of work in turns, a few milliseconds each: load from outside hits both alike.

import CBenchProbe

struct Paired {
    /// Best time of an iteration, in nanoseconds.
    var ours = Double.infinity
    var floor = Double.infinity
    var ratio: Double { ours / floor }
    /// The best ratio of the rounds, which is what a gate may rely on.
    var bestRound = Double.infinity

    mutating func keepBest(of other: Paired) {
        ours = min(ours, other.ours)
        floor = min(floor, other.floor)
        bestRound = min(bestRound, other.bestRound)
    }
}

/// Time of one iteration by the clock, from one slice. A slice that the system interrupted is long,
/// and the best of many drops it.
private func slice(_ work: Work, _ iterations: Int) throws -> Double {
    let start = probe_wall_ns()
    try work(iterations, 0)
    return Double(probe_wall_ns() - start) / Double(iterations)
}

/// How many iterations fill about `nanoseconds`.
private func fill(_ work: Work, nanoseconds: Double) throws -> Int {
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
func pair(
    _ ours: Work, floor: Work, rounds: Int = 5, sliceNanoseconds: Double = 200_000
) throws -> Paired {
    let oursCount = try fill(ours, nanoseconds: sliceNanoseconds)
    let floorCount = try fill(floor, nanoseconds: sliceNanoseconds)
    let long = max(sliceNanoseconds, try slice(floor, floorCount) * Double(floorCount))
    let slices = Int(max(4, min(50, 40_000_000 / long)))
    var all = Paired()
    for _ in 0..<rounds {
        var round = Paired()
        for number in 0..<slices {
            // The one that comes first changes: a scheduler's rhythm must not favour it.
            if number % 2 == 0 { round.ours = min(round.ours, try slice(ours, oursCount)) }
            round.floor = min(round.floor, try slice(floor, floorCount))
            if number % 2 == 1 { round.ours = min(round.ours, try slice(ours, oursCount)) }
        }
        round.bestRound = round.ratio
        all.keepBest(of: round)
    }
    return all
}

/// Throughput of two threads over that of one.
struct Scaling {
    /// By the clock: what counts, if nobody else wants the processors.
    var wall = Double.nan
    /// By processor time: what two threads cost each other, whoever else is running.
    var cpu = Double.nan
}

/// One and two threads in turns; the best of each.
func pairThreads(_ two: @escaping Work, one: @escaping Work) throws -> Scaling {
    let count = try fill(one, nanoseconds: 2_000_000)
    try two(2, 1)
    var best = (
        one: probe_times(wall_ns: .max, cpu_ns: .max), two: probe_times(wall_ns: .max, cpu_ns: .max)
    )
    for _ in 0..<100 {
        best.one.keepLower(try threads(1, count, one))
        best.two.keepLower(try threads(2, count, two))
    }
    return Scaling(
        wall: 2 * Double(best.one.wall_ns) / Double(best.two.wall_ns),
        cpu: 4 * Double(best.one.cpu_ns) / Double(best.two.cpu_ns))
}

extension probe_times {
    fileprivate mutating func keepLower(_ other: probe_times) {
        wall_ns = min(wall_ns, other.wall_ns)
        cpu_ns = min(cpu_ns, other.cpu_ns)
    }
}

private final class WorkBox {
    let work: Work
    init(_ work: @escaping Work) { self.work = work }
}

/// So many threads at once, each with so many iterations.
///
/// The work has been tried before; a failure here would only make it fast, and shows in the next run.
func threads(
    _ count: Int32, _ iterations: Int, _ work: @escaping Work
) throws -> probe_times {
    let box = WorkBox(work)
    let spent = withExtendedLifetime(box) {
        probe_threads(count, Int64(iterations), Unmanaged.passUnretained(box).toOpaque()) {
            context, iterations, thread in
            guard let context else { return }
            let box = Unmanaged<WorkBox>.fromOpaque(context).takeUnretainedValue()
            try? box.work(Int(iterations), Int(thread))
        }
    }
    try require(spent.wall_ns > 0, "a thread does not start")
    return spent
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
