// Instructions by callgrind: a program starts under valgrind, itself or another, and its profiles are read.

import Foundation

/// Instructions of each scenario, or why there are none: what lacks here, or what the program did under valgrind.
enum Instructions {
    case counted([String: Int])
    case unavailable(String)
    case failed(String)
}

/// Why callgrind cannot count here; nil where it can.
private func whatIsMissing() -> String? {
    #if os(Linux)
        if Machine.architecture == "other" { return "callgrind does not know this processor" }
    #else
        if true { return "callgrind counts on Linux alone" }
    #endif
    if Machine.lacksAVX2 { return "this processor lacks AVX2, and takes other instructions" }
    if findProgram("valgrind") == nil { return "valgrind is not installed" }
    if findProgram("strip") == nil { return "strip (binutils) is not installed" }
    return nil
}

/// Counts by a program with the command `count`, by the portable way of computing, which is the one that valgrind knows.
///
/// The program that runs is a copy without its debugging sections: valgrind 3.19 cannot read DWARF 5.
func countInstructions(_ program: String, only: String?) throws -> Instructions {
    if let missing = whatIsMissing() { return .unavailable(missing) }
    guard let valgrind = findProgram("valgrind"), let strip = findProgram("strip") else {
        return .unavailable("valgrind is not installed")
    }
    return try withTemporaryFolder { folder in
        let name = URL(fileURLWithPath: program).lastPathComponent
        let stripped = try runProgram(strip, ["-g", "-o", "\(folder)/\(name)", program])
        guard stripped.status == 0 else {
            return .unavailable("strip fails: \(stripped.complaint)")
        }
        let ended = try runProgram(
            valgrind,
            [
                "-q", "--tool=callgrind", "--instr-atstart=no",
                "--callgrind-out-file=\(folder)/callgrind.out", "\(folder)/\(name)", "count",
            ] + (only.map { ["--only", $0] } ?? []),
            environment: ["JOSE_TEST_CPU": "portable", "SWIFT_DETERMINISTIC_HASHING": "1"])
        guard ended.status == 0 else {
            let why = ended.complaint.split(separator: "\n").last.map(String.init) ?? "no word"
            return .failed("under valgrind the program ends with \(ended.status): \(why)")
        }
        let counted = try readProfiles(folder, program: "/" + name)
        return counted.isEmpty ? .failed("callgrind gave no profile") : .counted(counted)
    }
}
