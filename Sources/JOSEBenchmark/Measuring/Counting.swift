// Counts the allocations of one iteration, libcrypto's separately.

/// Counts the calls of malloc that one warm iteration makes.
///
/// `ours` is the median of five averages over many iterations. `crypto` is the least of all
/// iterations, because libcrypto renews the blinding of a private key now and then.
@_spi(Bench) public func countAllocations(of work: Work) throws -> Allocations {
    try require(
        Probe.countsMalloc,
        "calls of malloc are not counted: link the product JOSEBenchmark on Linux with glibc, "
            + "without a sanitizer"
    )
    try work(4, 0)
    let start = Probe.nanoseconds
    try work(1, 0)
    let oneIteration = max(1, Probe.nanoseconds - start)
    let iterations = Int(min(64, max(2, 20_000_000 / oneIteration)))
    var result = Allocations(ours: .infinity, crypto: .infinity)
    var counts: [Double] = []
    for _ in 0..<5 {
        // Allocations around the iterations, such as a task, are in both counts and cancel out.
        let before = Probe.allocations
        try work(iterations, 0)
        let between = Probe.allocations
        try work(2 * iterations, 0)
        let after = Probe.allocations
        let added = (after.ours - between.ours) - (between.ours - before.ours)
        counts.append(added / Double(iterations))
    }
    result.ours = counts.sorted()[2]
    for _ in 0..<iterations {
        let before = Probe.allocations
        try work(1, 0)
        let after = Probe.allocations
        result.crypto = min(result.crypto, after.crypto - before.crypto)
    }
    return result
}
