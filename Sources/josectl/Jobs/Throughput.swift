// How many times a second this machine does something, on one thread.

enum Throughput {
    /// Runs a second, from the best of some short runs of this many seconds.
    nonisolated(nonsending) static func measure(
        for slice: Double = 0.06, times: Int = 5,
        _ body: nonisolated(nonsending) () async throws -> Void
    ) async throws -> Int {
        try await body()
        var best = 0.0
        for _ in 0..<times {
            let start = Process.monotonicSeconds()
            var count = 0
            var elapsed = 0.0
            while elapsed < slice {
                for _ in 0..<8 { try await body() }
                count += 8
                elapsed = Process.monotonicSeconds() - start
            }
            best = max(best, Double(count) / elapsed)
        }
        return Int(best)
    }

    /// A number with a mark between the thousands.
    static func written(_ count: Int) -> String {
        var text = String(count)
        var place = text.count - 3
        while place > 0 {
            text.insert(",", at: text.index(text.startIndex, offsetBy: place))
            place -= 3
        }
        return text
    }
}
