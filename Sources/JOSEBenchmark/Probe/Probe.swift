// What C knows of this process: heap requests, clocks, profiles, and the way of computing.

import CJOSEBenchmark

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
        guard let way = unsafe probe_cpu_level().map({ unsafe String(cString: $0) }) else {
            throw BenchmarkFailure("JOSE_TEST_CPU: this processor has no such way of computing")
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
