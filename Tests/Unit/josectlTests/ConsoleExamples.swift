// Runs the console examples of a page as printed, in order.

import Foundation
import Testing

extension Tool {
    static let root = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../..").standardizedFileURL

    static let keysArticle = "Sources/JOSE/JOSE.docc/Keys.md"
    static let tokenArticle = "Sources/JOSEPKCS11/JOSEPKCS11.docc/TokenOfYourOwn.md"

    /// The commands of a page, one line each.
    ///
    /// - Parameters: - page: Its path from the root of the repository. - part: The part between the
    /// comments `<!-- part: begin -->` and `<!-- part: end -->`. Nil for the whole page.
    static func consoleExamples(of page: String, part: String? = nil) throws -> [String] {
        var text = try String(contentsOf: root.appending(path: page), encoding: .utf8)
        if let part {
            let begin = try #require(text.range(of: "<!-- \(part): begin -->")).upperBound
            let end = try #require(text[begin...].range(of: "<!-- \(part): end -->")).lowerBound
            text = String(text[begin..<end])
        }
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

    /// The README, the pages of `docs`, the articles of every product and the pages of the
    /// examples.
    static func pages() throws -> [String] {
        let examples = try FileManager.default.contentsOfDirectory(
            atPath: root.appending(path: "Examples").path
        )
        .map { "Examples/\($0)/README.md" }
        .filter { FileManager.default.fileExists(atPath: root.appending(path: $0).path) }
        let articles = files(below: "Sources").filter { $0.contains(".docc/") }
        let paths = ["README.md"] + files(below: "docs") + articles + examples
        return paths.filter { $0.hasSuffix(".md") }.sorted()
    }

    static func files(below folder: String) -> [String] {
        let all = FileManager.default.enumerator(atPath: root.appending(path: folder).path)
        return (all?.compactMap { $0 as? String } ?? []).map { "\(folder)/\($0)" }
    }

    /// Fence names for shell commands other than console. They are not run.
    static func otherFences() throws -> [String] {
        try pages().flatMap { page in
            let text = try String(contentsOf: root.appending(path: page), encoding: .utf8)
            return text.matches(of: /(?m)^```(sh|bash|shell|zsh)$/).map { "\(page): \($0.1)" }
        }
    }

    /// Runs commands in the tool's directory until one fails.
    ///
    /// - Parameters: - commands: As ``consoleExamples(of:part:)`` returns them. - shell: The shell
    /// to use.
    func runAll(_ commands: [String], shell: String = "/bin/sh") throws -> Response {
        try write("set -eu\n" + commands.joined(separator: "\n"), to: "script")
        environment["PATH"] =
            Tool.path.deletingLastPathComponent().path + ":/usr/local/bin:/usr/bin:/bin"
        return try run(["script"], program: URL(fileURLWithPath: shell))
    }
}
