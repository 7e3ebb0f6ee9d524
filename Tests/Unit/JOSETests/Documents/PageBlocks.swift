// The Swift code of the pages and where it is compiled: verbatim in a file of
// Tests/Unit/*/Documents.

import Foundation

/// Text as lines without indentation, which differs between a page and a test function.
private func trimmed(_ text: some StringProtocol) -> [String] {
    text.split(separator: "\n", omittingEmptySubsequences: false)
        .map { $0.trimmingCharacters(in: .whitespaces) }
}

/// A block of Swift code on a page: its imports, and the lines after them.
struct PageBlock: CustomStringConvertible {
    let page: String
    let line: Int
    let imports: Set<String>
    let lines: ArraySlice<String>

    var description: String { "\(page):\(line)" }

    fileprivate init(page: String, line: Int, lines: [String]) {
        (self.page, self.line) = (page, line)
        let code = lines.firstIndex { !$0.isEmpty && !$0.hasPrefix("import ") } ?? lines.endIndex
        imports = Set(lines[..<code].filter { !$0.isEmpty })
        self.lines = lines[code...]
    }

    /// Whether a line starts like a declaration, a statement or a call of a static member.
    var looksLikeSwift: Bool {
        !imports.isEmpty
            || lines.contains {
                $0.prefixMatch(of: /(let|var|func|struct|try|guard) |\.\w+\(/) != nil
            }
    }

    /// The blocks of a page whose fence has the language `swift`, or another one.
    static func blocks(of text: String, on page: String, language wanted: String = "swift")
        -> [PageBlock]
    {
        var found: [PageBlock] = []
        var (start, language, block) = (0, "", [String]())
        for (index, line) in trimmed(text).enumerated() {
            if start == 0, line.hasPrefix("```") {
                (start, language, block) = (index + 2, String(line.dropFirst(3)), [])
            } else if start > 0, line == "```" {
                if language == wanted {
                    found.append(PageBlock(page: page, line: start, lines: block))
                }
                start = 0
            } else if start > 0 {
                block.append(line)
            }
        }
        return found
    }
}

/// A file that the tests compile.
struct CompiledFile {
    private let lines: [String]
    private let imports: Set<String>

    init(_ text: String) {
        lines = trimmed(text)
        imports = Set(lines.filter { $0.hasPrefix("import ") })
    }

    func holds(_ block: PageBlock) -> Bool {
        guard block.imports.isSubset(of: imports), let first = block.lines.first else {
            return false
        }
        return lines.indices.contains { start in
            lines[start] == first && lines[start...].starts(with: block.lines)
        }
    }
}

/// The pages and files of the repository.
struct Pages {
    let root: URL

    /// The files of one kind below a folder, as paths from the root.
    private func files(below folder: String, _ kind: String) -> [String] {
        let start = root.appending(path: folder)
        let all = FileManager.default.enumerator(atPath: start.path)?.compactMap { $0 as? String }
        return (all ?? []).filter { $0.hasSuffix("." + kind) }.map { "\(folder)/\($0)" }.sorted()
    }

    private func text(_ path: String) throws -> String {
        try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    /// The README, the project's pages, and the articles of each product's catalogue.
    var paths: [String] {
        ["README.md"] + files(below: "docs", "md")
            + files(below: "Sources", "md").filter { $0.contains(".docc/") }
    }

    func blocks() throws -> [PageBlock] {
        try paths.flatMap { PageBlock.blocks(of: try text($0), on: $0) }
    }

    /// Blocks that look like Swift and whose fence has no language.
    func unnamed() throws -> [PageBlock] {
        try paths.flatMap { PageBlock.blocks(of: try text($0), on: $0, language: "") }
            .filter(\.looksLikeSwift)
    }

    /// The files that the tests compile, the manifests of the examples, and the examples with web
    /// frameworks, which `tools/run frameworks` compiles.
    func compiled() throws -> [CompiledFile] {
        let tests = files(below: "Tests/Unit", "swift").filter { $0.contains("/Documents/") }
        let manifests = files(below: "Examples", "swift").filter {
            $0.hasSuffix("/Package.swift") && $0.split(separator: "/").count == 3
        }
        let apps = ["HummingbirdApp", "VaporApp"].flatMap {
            files(below: "Examples/\($0)/Sources", "swift")
        }
        return try (tests + manifests + apps).map { CompiledFile(try text($0)) }
    }
}
