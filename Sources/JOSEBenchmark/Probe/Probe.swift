// What C measures in this process: allocations, clocks and profiles; and the CPU level.

import CJOSEBenchmark

/// Allocations of one iteration: libcrypto's, and all others.
@_spi(Bench) public struct Allocations: Equatable {
    /// Calls of malloc and its siblings: Swift's runtime, C, libc.
    public var ours: Double
    /// Allocations by libcrypto.
    public var crypto: Double
}

enum Probe {
    /// Installs the counters and returns the CPU level.
    ///
    /// Call it before libcrypto allocates and before the library detects the processor.
    static func install() throws -> String {
        try require(
            probe_install(),
            "libcrypto was already in use, so its allocations cannot be counted: call run first"
        )
        // Safe: the names are literals.
        guard let level = unsafe probe_cpu_level().map({ unsafe String(cString: $0) }) else {
            throw BenchmarkFailure("JOSE_TEST_CPU: this processor has no such CPU level")
        }
        probe_keep_heap(true)
        return level
    }

    static var countsMalloc: Bool { probe_counts_malloc() }

    /// The allocations of the calling thread since its start.
    static var allocations: Allocations {
        let now = probe_allocations_now()
        return Allocations(ours: Double(now.ours), crypto: Double(now.crypto))
    }

    /// A monotonic clock.
    @inline(__always) static var nanoseconds: UInt64 { probe_wall_ns() }

    static var isUnderValgrind: Bool { probe_under_valgrind() }
    static var hasMarks: Bool { probe_has_marks() }

    /// Has callgrind count the body and label its profile.
    static func collect(_ label: String, _ body: () throws -> Void) rethrows {
        probe_collect_start()
        try body()
        unsafe label.withCString { unsafe probe_collect_stop($0) }
    }

    /// Such as "3.0.19".
    static var libcrypto: String { unsafe String(cString: baseline_crypto_version()) }
}
