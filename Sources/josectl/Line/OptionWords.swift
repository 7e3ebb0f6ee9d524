// What the value of an option may be: for the parser, and for those who complete a command line.

import JOSE

/// The words that a value may be.
enum OptionWords: Sendable {
    /// Anything: a name, a number, a file where the option's value says so.
    case unknown
    /// One of these, or another.
    case open([String])
    /// Several of these with commas between them, or others.
    case several([String])
    /// One of these and nothing else.
    case closed([String])

    var all: [String] {
        switch self {
        case .unknown: []
        case .open(let words), .several(let words), .closed(let words): words
        }
    }

    /// The names of a table's rows, those too that libcrypto here does not have.
    static func names<Row: AlgorithmEntry>(_: Row.Type) -> OptionWords {
        .open(Row.rows.map(\.description))
    }

    /// The same, where a list is wanted.
    static func list<Row: AlgorithmEntry>(_: Row.Type) -> OptionWords {
        .several(Row.rows.map(\.description))
    }
}

extension OptionWords {
    /// What a key may be for.
    static let keyAlgorithms = OptionWords.open(
        SignatureAlgorithm.rows.map(\.description)
            + KeyManagementAlgorithm.rows.map(\.description))
}

extension Option {
    /// Whether its value may be the name of a file.
    var takesFile: Bool { value.map { $0.contains("FILE") || $0 == "PATH" } ?? false }

    /// Whether its value is the name of a folder.
    var takesFolder: Bool { value == "DIR" }
}
