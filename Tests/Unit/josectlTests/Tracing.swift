// Runs the tool under strace, which records its system calls, and kills it or lets one call fail.

import Foundation
import Testing

/// A system call of a run: the k-th call of its name.
struct SystemCall: CustomStringConvertible {
    let name: String
    let number: Int
    /// As strace prints it.
    let text: String

    var description: String { "\(name) \(number): \(text)" }
}

extension Tool {
    private static let strace = URL(fileURLWithPath: "/usr/bin/strace")

    /// The calls of a run, from the first that names one of its outputs to the last.
    func calls(_ words: [String], from outputs: [String]) throws -> [SystemCall] {
        let log = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: log) }
        let response = try traced(["-s", "64", "-o", log.path], words)
        try #require(response.code == 0, "\(response.error)")
        var counts: [String: Int] = [:]
        var calls: [SystemCall] = []
        for line in try String(contentsOf: log, encoding: .utf8).split(separator: "\n") {
            // `PID name(arguments) = result`. strace prints a call interrupted by another thread
            // again as resumed.
            let text = line.drop { $0 != " " }.drop { $0 == " " }
            let name = text.prefix { $0 != "(" }
            guard name.count < text.count,
                name.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "_" })
            else { continue }
            counts[String(name), default: 0] += 1
            let isNamed = outputs.contains { text.contains("\"\($0)\"") } && name != "execve"
            guard !calls.isEmpty || isNamed else {
                // Earlier calls have created and changed nothing.
                for word in ["O_WRONLY", "O_RDWR", "O_CREAT"] {
                    #expect(!text.contains(word), "\(text)")
                }
                for word in ["rename", "link", "mkdir", "chmod", "truncate"] {
                    #expect(!name.hasPrefix(word), "\(text)")
                }
                continue
            }
            calls.append(
                SystemCall(
                    name: String(name), number: counts[String(name)] ?? 0, text: String(text)))
        }
        return calls
    }

    /// Runs the tool with this injection at a call, such as `signal=KILL` or `error=EIO`.
    func run(_ words: [String], at call: SystemCall, _ injection: String) throws -> Response {
        try traced(
            [
                "-o", "/dev/null", "-e", "trace=\(call.name)", "-e",
                "inject=\(call.name):\(injection):when=\(call.number)",
            ], words)
    }

    private func traced(_ options: [String], _ words: [String]) throws -> Response {
        // A sanitizer's leak checker does not work under a tracer.
        let inherited = ProcessInfo.processInfo.environment["ASAN_OPTIONS"].map { $0 + ":" } ?? ""
        environment["ASAN_OPTIONS"] = inherited + "detect_leaks=0"
        defer { environment["ASAN_OPTIONS"] = nil }
        return try run(["-f", "-qqq"] + options + [Tool.built.path] + words, program: Tool.strace)
    }
}
