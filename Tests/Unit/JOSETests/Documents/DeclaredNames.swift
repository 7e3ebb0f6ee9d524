// The declarations of the sources: types, their members with types, and the labels of functions.

import Foundation

/// An index of declarations, read from files in the format of `swift format`: types start in the
/// first column, members are indented by four columns.
struct DeclaredNames: Sendable {
    /// The declarations of the products that the tables of rules name.
    static let products = Result {
        try DeclaredNames(
            below: ["JOSE", "JOSEOpenID", "JOSERemote"].map {
                VectorFile.folder.deletingLastPathComponent().appending(path: "Sources/\($0)")
            })
    }

    /// One member of a type.
    private struct Member: Sendable {
        /// The name of its type, if the declaration has one.
        var type: String?
        /// The labels of a function or initialiser.
        var labels: [String]?
    }

    private var types: [String: [String: [Member]]] = [:]

    /// - Parameter folders: Folders with Swift files.
    init(below folders: [URL]) throws {
        for folder in folders {
            let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
            while let file = files?.nextObject() as? URL {
                guard file.pathExtension == "swift" else { continue }
                read(try String(contentsOf: file, encoding: .utf8))
            }
        }
    }

    /// Whether a name is declared: `Type`, `Type.member`, `Type.function(label:)`, or a path of
    /// members of `OpenIDProfile` such as `idToken.layers`.
    func has(_ name: String) -> Bool {
        var pieces = name.split(separator: "(", maxSplits: 1, omittingEmptySubsequences: false)
        let labels = pieces.count == 2 ? String(pieces.removeLast()) : nil
        var path = pieces[0].split(separator: ".", omittingEmptySubsequences: false).map(
            String.init)
        guard let first = path.first, let initial = first.first, initial.isLetter else {
            return false
        }
        var type = "OpenIDProfile"
        if initial.isUppercase {
            type = path.removeFirst()
            if path.isEmpty { return types[type] != nil && labels == nil }
        }
        for (index, piece) in path.enumerated() {
            guard let members = types[type]?[piece] else { return false }
            guard index < path.endIndex - 1 else {
                guard let labels else { return true }
                return members.contains { DeclaredNames.fits(labels, $0.labels ?? []) }
            }
            guard let next = members.compactMap(\.type).first else { return false }
            type = next
        }
        return false
    }

    /// Whether labels such as `query:for:)` are among those of a function, in order.
    private static func fits(_ text: String, _ labels: [String]) -> Bool {
        guard text.hasSuffix(":)") else { return false }
        var rest = labels[...]
        for label in text.dropLast(2).split(separator: ":", omittingEmptySubsequences: false) {
            guard let index = rest.firstIndex(of: String(label)) else { return false }
            rest = rest[(index + 1)...]
        }
        return true
    }

    private static let kinds: Set<Substring> = [
        "struct", "enum", "class", "actor", "protocol", "extension",
    ]

    private mutating func read(_ text: String) {
        var type: String?
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() {
            let indentation = line.utf8.prefix { $0 == UInt8(ascii: " ") }.count
            guard indentation == 0 || indentation == 4 else { continue }
            let words = line.split(separator: " ")
            if indentation == 0 {
                if line == "}" { type = nil }
                if let kind = words.firstIndex(where: Self.kinds.contains), kind + 1 < words.count {
                    let name = Self.identifier(words[kind + 1])
                    type = name
                    types[name] = types[name] ?? [:]
                }
            } else if let type {
                read(words, of: type, lines[index...].prefix(12))
            }
        }
    }

    /// Reads the first line of a member.
    private mutating func read(
        _ words: [Substring], of type: String, _ lines: ArraySlice<Substring>
    ) {
        guard let first = words.first, !first.hasPrefix("//"),
            let keyword = words.firstIndex(where: { word in
                ["var", "let", "func", "case"].contains(word) || word.hasPrefix("init(")
            })
        else { return }
        let isInitializer = words[keyword].hasPrefix("init(")
        guard isInitializer || keyword + 1 < words.count else { return }
        let name = isInitializer ? "init" : Self.identifier(words[keyword + 1])
        var entry = Member()
        switch words[keyword] {
        case "var", "let":
            // The first type name after the colon, the equals sign or the arrow.
            entry.type = words.dropFirst(keyword + 2).lazy
                .map { $0.drop { "[(".contains($0) } }
                .first { $0.first?.isUppercase == true }.map(Self.identifier)
        case "case": break
        default: entry.labels = Self.labels(lines.joined(separator: " "))
        }
        types[type]?[name, default: []].append(entry)
        guard words[keyword] == "case" else { return }
        for word in words.dropFirst(keyword + 2) where !word.contains(":") {
            types[type]?[Self.identifier(word), default: []].append(Member())
        }
    }

    private static func identifier(_ word: Substring) -> String {
        String(word.drop { $0 == "`" }.prefix { $0.isLetter || $0.isNumber || $0 == "_" })
    }

    /// The labels between the first parenthesis and its closing one.
    private static func labels(_ text: String) -> [String] {
        var (depth, parameters) = (0, [""])
        for character in text.drop(while: { $0 != "(" }) {
            switch character {
            case "(", "[", "{": depth += 1
            case ")", "]", "}": depth -= 1
            case "," where depth == 1: parameters.append("")
            default: parameters[parameters.endIndex - 1].append(character)
            }
            if depth == 0 { return names(parameters) }
        }
        return names(parameters)
    }

    private static func names(_ parameters: [String]) -> [String] {
        parameters.compactMap {
            $0.split(whereSeparator: { " :".contains($0) }).first.map(String.init)
        }
    }
}
