// Peak memory of one large operation, as multiples of the token it makes or opens.

import CJOSEBenchmark
@_spi(Bench) import JOSEBenchmark
import CBenchProbe
import Foundation

/// Resident memory at its highest while `work` ran, above what was resident without the token.
/// The token counts too: the caller keeps it.
func peakBytes(tokenBytes: Int, _ work: Work) throws -> Int {
    probe_keep_heap(false)
    defer { probe_keep_heap(true) }
    process_reset_peak()
    let before = process_resident_bytes()
    try work(1, 0)
    return Int(process_peak_bytes()) - Int(before) + tokenBytes
}

func printMemory(_ env: TestEnvironment) throws {
    print("\npeak memory, token included, as multiples of the token (bound 3)")
    for (name, tokenBytes, work) in try memoryWorks(env) {
        let peak = try peakBytes(tokenBytes: tokenBytes, work)
        let ratio = Double(peak) / Double(tokenBytes)
        print(
            pad("  " + name, -30) + pad(number(ratio, 2), 8)
                + pad("\(peak / 1_000_000) MB", 10) + (ratio <= 3 ? "" : "  <-- bound"))
    }
}
