// What the tests of JOSEBytes share.

@testable import JOSEBytes

/// A small generator with a seed, so that a failure can be repeated.
struct Generator: RandomNumberGenerator {
    var state: UInt64
    init(seed: UInt64) { state = seed }
    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var z = state
        z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
        return z ^ (z >> 31)
    }
    mutating func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8(truncatingIfNeeded: next() >> 32) }
    }
}

/// Scans a text that may be no UTF-8; nil for no fault.
func fault(_ text: [UInt8], depth: Int = 32) -> JSONFault? {
    do {
        _ = try JSONDocument(text, maximumDepth: depth)
        return nil
    } catch {
        return error
    }
}

func fault(_ text: String, depth: Int = 32) -> JSONFault? { fault(Array(text.utf8), depth: depth) }
