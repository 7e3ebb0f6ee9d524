// From the start of a process to its first verified token, beside a program that does nothing.

import CBenchProbe
import Foundation

/// The two small programs stand beside this one.
func printColdStart() throws {
    let folder = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent().path
    var verify: [Double] = []
    var empty: [Double] = []
    for _ in 0..<30 {
        verify.append(Double(probe_spawn_ns(folder + "/ColdVerify")) / 1e6)
        empty.append(Double(probe_spawn_ns(folder + "/ColdEmpty")) / 1e6)
    }
    try require(verify.best > 0 && empty.best > 0, "the cold programs do not run")
    let extra = verify.best - empty.best
    print(
        """

        cold start, best of 30, in ms: first verified token \(number(verify.best, 2)), \
        an empty program linked the same way \(number(empty.best, 2)), \
        difference \(number(extra, 2)) (bound 3)\(extra <= 3 ? "" : "  <-- bound")
        """)
}
