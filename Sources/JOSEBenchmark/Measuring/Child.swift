// Other programs: the one under comparison, this one under valgrind, and what tells of the machine.

import Foundation

/// How a program ended, and the last lines of what it said.
struct Ended {
    let status: Int32
    let output: String
    let complaint: String
}

/// Runs a program to its end.
///
/// - Parameters:
///   - program: Its path.
///   - arguments: Its words.
///   - environment: What is set beside this program's own.
/// - Throws: `BenchmarkFailure` where it cannot be started.
func runProgram(
    _ program: String, _ arguments: [String], environment: [String: String] = [:]
) throws -> Ended {
    try withTemporaryFolder { folder in
        let files = try ["output", "complaint"].map { name in
            let path = folder + "/" + name
            guard FileManager.default.createFile(atPath: path, contents: nil),
                let handle = FileHandle(forWritingAtPath: path)
            else {
                throw BenchmarkFailure("\(path): cannot be written")
            }
            return (path, handle)
        }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = files[0].1
        process.standardError = files[1].1
        do {
            try process.run()
        } catch {
            throw BenchmarkFailure("\(program): cannot be started")
        }
        process.waitUntilExit()
        let said = files.map { path, _ in
            String(decoding: FileManager.default.contents(atPath: path) ?? Data(), as: UTF8.self)
        }
        return Ended(status: process.terminationStatus, output: said[0], complaint: said[1])
    }
}

/// Where PATH has a program.
func findProgram(_ name: String) -> String? {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    return path.split(separator: ":").map { "\($0)/\(name)" }
        .first { FileManager.default.isExecutableFile(atPath: $0) }
}

/// This program's own file.
func ownProgram() throws -> String {
    if let path = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe") {
        return path
    }
    return URL(fileURLWithPath: CommandLine.arguments.first ?? "").path
}
