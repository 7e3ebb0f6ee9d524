// The console examples of a page, run as they stand, one behind the other.

import Foundation
import Testing

extension Tool {
    /// The commands of a page, by its path in the repository, each on one line.
    static func consoleExamples(of page: String) throws -> [String] {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../" + page).standardizedFileURL
        let text = try String(contentsOf: file, encoding: .utf8)
        var commands: [String] = []
        for block in text.components(separatedBy: "```console\n").dropFirst() {
            for line in block.components(separatedBy: "```")[0].split(separator: "\n") {
                if line.hasPrefix("$ ") {
                    commands.append(String(line.dropFirst(2)))
                } else if let last = commands.last, last.hasSuffix("\\") {
                    commands[commands.count - 1] = String(last.dropLast()) + line
                }
            }
        }
        return commands
    }

    /// Runs commands in the tool's folder until one fails.
    func runAll(_ commands: [String]) throws -> Answer {
        try write("set -eu\n" + commands.joined(separator: "\n"), to: "script")
        environment["PATH"] =
            Tool.path.deletingLastPathComponent().path + ":/usr/local/bin:/usr/bin:/bin"
        return try run(["script"], program: URL(fileURLWithPath: "/bin/sh"))
    }
}
