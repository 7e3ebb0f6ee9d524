// Reproducible random numbers: the seed is fixed, or JOSE_TEST_SEED, and is printed.

import Foundation

/// SplitMix64.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var z = state
        z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
        return z ^ (z >> 31)
    }

    /// The seed of this run, which is also printed.
    static func seed(for purpose: String) -> UInt64 {
        let given = ProcessInfo.processInfo.environment["JOSE_TEST_SEED"].flatMap { UInt64($0) }
        let seed = given ?? 20_260_101
        print("\(purpose): JOSE_TEST_SEED=\(seed)")
        return seed
    }

    /// Eight bytes at a time, since single bytes took most of the time of slow builds.
    mutating func bytes(_ count: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: (count + 7) & ~7)
        bytes.withUnsafeMutableBytes { raw in
            for at in stride(from: 0, to: raw.count, by: 8) {
                raw.storeBytes(of: next(), toByteOffset: at, as: UInt64.self)
            }
        }
        bytes.removeLast(bytes.count - count)
        return bytes
    }
}
