// Runs other programs: the one to compare with, valgrind, and tools that describe the machine.

import Foundation

/// The exit status and the output of a program.
struct Ended {
    let status: Int32
    let output: String
    let errorOutput: String
}

/// Runs a program to its end.
///
/// - Parameters:
///   - program: Its path.
///   - arguments: Its arguments.
///   - environment: Variables added to this program's environment.
/// - Throws: `BenchmarkFailure` if it cannot be started.
func runProgram(
    _ program: String, _ arguments: [String], environment: [String: String] = [:]
) throws -> Ended {
    try withTemporaryFolder { folder in
        let files = try ["output", "errors"].map { name in
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
        let outputs = files.map { path, _ in
            String(decoding: FileManager.default.contents(atPath: path) ?? Data(), as: UTF8.self)
        }
        return Ended(status: process.terminationStatus, output: outputs[0], errorOutput: outputs[1])
    }
}

/// Finds a program in PATH.
func findProgram(_ name: String) -> String? {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    return path.split(separator: ":").map { "\($0)/\(name)" }
        .first { FileManager.default.isExecutableFile(atPath: $0) }
}

func ownProgram() throws -> String {
    if let path = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe") {
        return path
    }
    return URL(fileURLWithPath: CommandLine.arguments.first ?? "").path
}
