// What C knows of this process: heap requests, clocks, profiles, and the way of computing.

import CJOSEBenchmark
import Synchronization

/// Allocations of one iteration: libcrypto's, and all others.
@_spi(Bench) public struct Allocations: Equatable {
    /// Calls of malloc and its siblings: Swift's runtime, C, libc.
    public var ours: Double
    /// What libcrypto asked for.
    public var crypto: Double
}

enum Probe {
    /// Before anything can allocate through libcrypto, and before the library asks what the processor can. Gives the way of
    /// computing.
    static func install() throws -> String {
        try require(
            probe_install(),
            "libcrypto was in use before: its allocations cannot be told apart; call run first of all"
        )
        // Safe: the names are literals.
        guard let way = unsafe probe_way().map({ unsafe String(cString: $0) }) else {
            throw BenchmarkFailure("JOSE_TEST_WAY: this processor has no such way of computing")
        }
        probe_keep_heap(true)
        return way
    }

    static var countsMalloc: Bool { probe_counts_malloc() }

    /// Those of the calling thread since its start.
    static var allocations: Allocations {
        let now = probe_allocations_now()
        return Allocations(ours: Double(now.ours), crypto: Double(now.crypto))
    }

    /// A monotonic clock.
    @inline(__always) static var nanoseconds: UInt64 { probe_wall_ns() }

    /// How much of its core this thread gets for vectors, 1 where nobody else is on it.
    static var vectorShare: Double { probe_vector_share() }

    static var isUnderValgrind: Bool { probe_under_valgrind() }
    static var hasMarks: Bool { probe_has_marks() }

    /// What callgrind counts of the body, under a label of its own.
    static func collect(_ label: String, _ body: () throws -> Void) rethrows {
        probe_collect_start()
        try body()
        unsafe label.withCString { unsafe probe_collect_stop($0) }
    }

    /// Such as "3.0.19".
    static var libcrypto: String { unsafe String(cString: floor_crypto_version()) }
}

/// Throughput of several threads over that of one.
@_spi(Bench) public struct Scaling {
    /// By the clock: what counts, if nobody else wants the processors.
    public var wall = Double.nan
    /// By processor time: what threads cost each other, whoever else is running.
    public var cpu = Double.nan
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

/// So many threads at once, each with so many iterations: nanoseconds by the clock, and of all threads together.
///
/// - Throws: The failure of one of them, which would make it fast; `BenchmarkFailure` where a thread does not start.
@_spi(Bench) public func threads(
    _ count: Int, _ iterations: Int, _ work: @escaping Work
) throws -> (wall: UInt64, cpu: UInt64) {
    let box = WorkBox(work)
    let spent = withExtendedLifetime(box) {
        // Safe: the box outlives the threads, which end before the call does.
        unsafe probe_threads(
            Int32(count), Int64(iterations), Unmanaged.passUnretained(box).toOpaque()
        ) { context, iterations, thread in
            guard let context = unsafe context else { return }
            unsafe Unmanaged<WorkBox>.fromOpaque(context).takeUnretainedValue()
                .run(Int(iterations), Int(thread))
        }
    }
    if let failure = box.failure.withLock({ $0 }) { throw BenchmarkFailure(failure) }
    try require(spent.wall_ns > 0, "a thread does not start")
    return (spent.wall_ns, spent.cpu_ns)
}
