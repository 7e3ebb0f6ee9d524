// From the start of a process to its first verified token, beside a program that does nothing.

@_spi(Bench) import JOSEBenchmark
import CBenchProbe
import Foundation

/// The two small programs stand beside this one.
func printColdStart() throws {
    let folder = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent().path
    var verify = (wall: Double.infinity, cpu: Double.infinity)
    var empty = verify
    for _ in 0..<40 {
        try keepLower(&verify, process_spawn(folder + "/ColdVerify"))
        try keepLower(&empty, process_spawn(folder + "/ColdEmpty"))
    }
    let extra = verify.cpu - empty.cpu
    print(
        """

        cold start, best of 40, in ms by the clock (and of processor time)
          first verified token \(number(verify.wall, 2)) (\(number(verify.cpu, 2))), \
        an empty program linked the same way \(number(empty.wall, 2)) (\(number(empty.cpu, 2)))
          difference \(number(verify.wall - empty.wall, 2)) (\(number(extra, 2))), \
        bound 3\(extra <= 3 ? "" : "  <-- bound")
        """)
}

private func keepLower(_ best: inout (wall: Double, cpu: Double), _ times: process_times) throws {
    try require(times.wall_ns > 0, "the cold programs do not run")
    best.wall = min(best.wall, Double(times.wall_ns) / 1e6)
    best.cpu = min(best.cpu, Double(times.cpu_ns) / 1e6)
}
