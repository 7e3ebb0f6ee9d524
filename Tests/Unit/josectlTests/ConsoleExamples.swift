// The console examples of a page, run as they stand, one behind the other.

import Foundation
import Testing

extension Tool {
    static let root = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../..").standardizedFileURL

    static let keysArticle = "Sources/JOSE/JOSE.docc/Keys.md"
    static let tokenArticle = "Sources/JOSEPKCS11/JOSEPKCS11.docc/TokenOfYourOwn.md"

    /// The commands of a page, each on one line.
    ///
    /// - Parameters:
    ///   - page: Its path from the root of the repository.
    ///   - part: The part between the comments `<!-- part: begin -->` and `<!-- part: end -->`; the whole page where none is named.
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

    /// The README, the pages of `docs` and the articles of every product.
    static func pages() throws -> [String] {
        let articles = FileManager.default.enumerator(atPath: root.appending(path: "Sources").path)
        let docs = FileManager.default.enumerator(atPath: root.appending(path: "docs").path)
        let paths =
            ["README.md"] + (docs?.compactMap { $0 as? String } ?? []).map { "docs/" + $0 }
            + (articles?.compactMap { $0 as? String } ?? []).filter { $0.contains(".docc/") }
            .map { "Sources/" + $0 }
        return paths.filter { $0.hasSuffix(".md") }.sorted()
    }

    /// Runs commands in the tool's folder until one fails.
    func runAll(_ commands: [String]) throws -> Answer {
        try write("set -eu\n" + commands.joined(separator: "\n"), to: "script")
        environment["PATH"] =
            Tool.path.deletingLastPathComponent().path + ":/usr/local/bin:/usr/bin:/bin"
        return try run(["script"], program: URL(fileURLWithPath: "/bin/sh"))
    }
}
