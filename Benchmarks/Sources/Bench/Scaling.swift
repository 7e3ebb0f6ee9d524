// Work on several threads at once, and what it takes over the same on one.

@_spi(Bench) import JOSEBenchmark
import CBenchProbe
import Synchronization

extension Scenario {
    /// A scenario whose iterations handle so many bytes of payload.
    init(
        _ name: String, baseline: String? = nil, bound: Bound? = nil, bytes: Int,
        gated: Bool = true,
        varies: Bool = false, prepare: @escaping () throws -> Work
    ) {
        self.init(
            name, baseline: baseline, bound: bound, gated: gated, varies: varies, prepare: prepare)
        self.bytes = bytes
    }

    /// At least so many times the throughput of one thread, which the baseline measures; nil on one
    /// thread.
    var leastScaling: Double? { threads > 1 ? 1.93 : nil }
}

/// Throughput of several threads over that of one.
struct Scaling {
    /// By the clock: what counts, if nobody else wants the processors.
    var wall = Double.nan
    /// Processor time: what threads cost each other, independent of other programs.
    var cpu = Double.nan
}

private final class WorkBox {
    let work: Work
    /// The first failure of a thread.
    let failure = Mutex<String?>(nil)
    init(_ work: @escaping Work) { self.work = work }

    func run(_ iterations: Int, _ thread: Int) {
        do {
            try work(iterations, thread)
        } catch {
            failure.withLock { $0 = $0 ?? "\(error)" }
        }
    }
}

/// So many threads at once, each with so many iterations: nanoseconds by the clock, and of all
/// threads together.
///
/// - Throws: The failure of one of them, which would make it fast; `BenchmarkFailure` where a
///   thread does not start.
func threads(
    _ count: Int, _ iterations: Int, _ work: @escaping Work
) throws -> (wall: UInt64, cpu: UInt64) {
    let box = WorkBox(work)
    let spent = withExtendedLifetime(box) {
        // The box outlives the threads, which end before the call does.
        bench_threads(
            Int32(count), Int64(iterations), Unmanaged.passUnretained(box).toOpaque()
        ) { context, iterations, thread in
            guard let context = context else { return }
            Unmanaged<WorkBox>.fromOpaque(context).takeUnretainedValue()
                .run(Int(iterations), Int(thread))
        }
    }
    if let failure = box.failure.withLock({ $0 }) { throw BenchmarkFailure(failure) }
    try require(spent.wall_ns > 0, "a thread does not start")
    return (spent.wall_ns, spent.cpu_ns)
}

/// One thread and several in turns; the best of each.
func pairThreads(
    _ many: @escaping Work, one single: @escaping Work, threads number: Int = 2
) throws -> Scaling {
    let count = try fill(single, nanoseconds: 2_000_000)
    var (one, all) = ((wall: UInt64.max, cpu: UInt64.max), (wall: UInt64.max, cpu: UInt64.max))
    for _ in 0..<100 {
        let (alone, both) = (try threads(1, count, single), try threads(number, count, many))
        one = (min(one.wall, alone.wall), min(one.cpu, alone.cpu))
        all = (min(all.wall, both.wall), min(all.cpu, both.cpu))
    }
    let (n, square) = (Double(number), Double(number * number))
    return Scaling(
        wall: n * Double(one.wall) / Double(all.wall),
        cpu: square * Double(one.cpu) / Double(all.cpu))
}
