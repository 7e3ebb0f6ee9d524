// Counts instructions: runs this program or another under callgrind and reads its profiles.

import Foundation

/// Instructions of each scenario, or why there are none: not supported on this machine, or the
/// program failed.
enum Instructions {
    case counted([String: Int])
    case unavailable(String)
    case failed(String)
}

/// Why callgrind cannot count on this machine; nil if it can.
private func missingRequirement() -> String? {
    #if os(Linux)
        if Machine.architecture == "other" { return "callgrind does not support this processor" }
    #else
        if true { return "callgrind counts only on Linux" }
    #endif
    if Machine.lacksAVX2 { return "this processor lacks AVX2 and runs other kernels" }
    if findProgram("valgrind") == nil { return "valgrind is not installed" }
    if findProgram("strip") == nil { return "strip (binutils) is not installed" }
    return nil
}

/// Counts by running the program's `count` command under callgrind, at the portable CPU level,
/// which valgrind supports.
///
/// A copy without debugging sections runs, because valgrind 3.19 cannot read DWARF 5.
func countInstructions(_ program: String, only: String?) throws -> Instructions {
    if let missing = missingRequirement() { return .unavailable(missing) }
    guard let valgrind = findProgram("valgrind"), let strip = findProgram("strip") else {
        return .unavailable("valgrind is not installed")
    }
    return try withTemporaryFolder { folder in
        let name = URL(fileURLWithPath: program).lastPathComponent
        let stripped = try runProgram(strip, ["-g", "-o", "\(folder)/\(name)", program])
        guard stripped.status == 0 else {
            return .unavailable("strip fails: \(stripped.errorOutput)")
        }
        let ended = try runProgram(
            valgrind,
            [
                "-q", "--tool=callgrind", "--instr-atstart=no",
                "--callgrind-out-file=\(folder)/callgrind.out", "\(folder)/\(name)", "count",
            ] + (only.map { ["--only", $0] } ?? []),
            environment: ["JOSE_TEST_CPU": "portable", "SWIFT_DETERMINISTIC_HASHING": "1"])
        guard ended.status == 0 else {
            let why = ended.errorOutput.split(separator: "\n").last ?? "no error output"
            return .failed("under valgrind the program exits with \(ended.status): \(why)")
        }
        let counted = try readProfiles(folder, program: "/" + name)
        return counted.isEmpty ? .failed("callgrind wrote no profile") : .counted(counted)
    }
}
