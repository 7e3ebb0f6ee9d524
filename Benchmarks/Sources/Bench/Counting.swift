// Allocations of one iteration, ours and libcrypto's apart.

import CBenchProbe

struct Allocations: Equatable {
    var ours: Double
    var crypto: Double
}

/// Counts the calls of malloc that one iteration makes once everything is warm: ours on average
/// over many, the lowest of three such counts; libcrypto's where it makes the fewest, because now
/// and then it renews its blinding of a private key.
func countAllocations(of work: Work) throws -> Allocations {
    try work(4, 0)
    let start = probe_wall_ns()
    try work(1, 0)
    let once = max(1, probe_wall_ns() - start)
    let iterations = Int(min(64, max(2, 20_000_000 / once)))
    var least = Allocations(ours: .infinity, crypto: .infinity)
    for _ in 0..<3 {
        let before = probe_allocations_now()
        try work(iterations, 0)
        let after = probe_allocations_now()
        least.ours = min(least.ours, Double(after.ours - before.ours) / Double(iterations))
    }
    for _ in 0..<iterations {
        let before = probe_allocations_now()
        try work(1, 0)
        let after = probe_allocations_now()
        least.crypto = min(least.crypto, Double(after.crypto - before.crypto))
    }
    return least
}
