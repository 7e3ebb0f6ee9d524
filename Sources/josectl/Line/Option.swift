// What options a command takes, as data.

import JOSE

/// One option of a command.
struct Option: Sendable {
    /// The name without its dashes.
    let name: String
    /// Another name for the same.
    let alias: String?
    /// What stands for the value in the help; nil for a flag.
    let value: String?
    let help: String
    /// Whether it may be given more than once.
    let repeats: Bool
    /// What its value may be, where that is known.
    var words = OptionWords.unknown

    static func value(
        _ name: String, _ value: String, _ help: String, alias: String? = nil,
        repeats: Bool = false, _ words: OptionWords = .unknown
    ) -> Option {
        Option(
            name: name, alias: alias, value: value, help: help, repeats: repeats, words: words)
    }

    /// An option whose value is one of these words and nothing else.
    ///
    /// - Parameter help: Its line in the help, around the list of the words.
    static func choice(
        _ name: String, _ value: String, _ words: [String], _ help: (String) -> String
    ) -> Option {
        Option(
            name: name, alias: nil, value: value, help: help(listed(words)), repeats: false,
            words: .closed(words))
    }

    static func flag(_ name: String, _ help: String) -> Option {
        Option(name: name, alias: nil, value: nil, help: help, repeats: false)
    }

    /// `a, b or c`.
    static func listed(_ names: [String]) -> String {
        names.count < 2
            ? names.joined()
            : "\(names.dropLast().joined(separator: ", ")) or \(names[names.count - 1])"
    }

    /// Whether its value may be the URI of a key in a token.
    var takesURI: Bool { value?.hasSuffix("URI") == true }

    /// What the help says of it.
    var sentence: String { help + (alias.map { "; --\($0) is the same" } ?? "") }

    var spelling: String { "--" + name + (value.map { " " + $0 } ?? "") }
}

/// Options that more than one command takes.
extension Option {
    static let help = flag("help", "this text")
    static let json = flag("json", "answer in JSON")
    static let everywhere = [json, help]

    static let out = value("out", "FILE", "write the result there instead of standard output")
    static let raw = flag("raw", "write to a terminal whatever the bytes do to it")
    static let force = flag("force", "replace a file that exists already")
    /// Options that name a place to write to.
    static let places = ["out", "public"]
    static let maxBytes = value("max-bytes", "N", "accept tokens up to this size (default 262144)")
    static let maxInflated = value(
        "max-inflated", "N", "with --zip: plaintexts up to this size (default 250000)")
    static let compress = value(
        "zip", "NAME", "compress before encrypting: DEF, which the reader must allow",
        .names(CompressionAlgorithm.self))
    static let compressions = value(
        "zip", "NAMES", "compression to accept: DEF (default: none)",
        .list(CompressionAlgorithm.self))
    static let signature = value(
        "alg", "NAME", "the signature algorithm (default: the key's alg)",
        .names(SignatureAlgorithm.self))
    static let content = value(
        "enc", "NAME", "the content encryption algorithm (default A128CBC-HS256)",
        .names(ContentEncryptionAlgorithm.self))
    static let keyID = value("kid", "KID", "the key of the set with this kid")
    static let at = value("at", "TIME", "judge at this time: RFC 3339, or seconds since 1970")
    static let signatures = value(
        "alg", "NAMES", "signatures to accept, as A,B (default: recommended ones that fit)",
        .list(SignatureAlgorithm.self))
    static let keyManagement = value(
        "key-alg", "NAMES", "key management to accept (default: recommended ones that fit)",
        .list(KeyManagementAlgorithm.self))
    static let critical = value(
        "crit", "NAME", "an extension in crit that you check yourself; may be repeated",
        repeats: true)
    static let contents = value(
        "enc", "NAMES", "content encryption to accept (default: recommended ones)",
        .list(ContentEncryptionAlgorithm.self))
}
