// An option of a command as data, and the options that several commands take.

import JOSE

struct Option: Sendable {
    let name: String
    let alias: String?
    /// The placeholder for the value in the help; nil for a flag.
    let value: String?
    let help: String
    let repeats: Bool
    var values = OptionValues.any
    /// Whether the value may be omitted. A value is then given only as `--name=value`.
    var isValueOptional = false

    static func value(
        _ name: String, _ value: String, _ help: String, alias: String? = nil,
        repeats: Bool = false, _ values: OptionValues = .any
    ) -> Option {
        Option(
            name: name, alias: alias, value: value, help: help, repeats: repeats, values: values)
    }

    /// The option takes only these values. `help` makes the help text from their list.
    static func choice(
        _ name: String, _ value: String, _ values: [String], _ help: (String) -> String
    ) -> Option {
        Option(
            name: name, alias: nil, value: value, help: help(listed(values)), repeats: false,
            values: .closed(values))
    }

    static func flag(_ name: String, _ help: String) -> Option {
        Option(name: name, alias: nil, value: nil, help: help, repeats: false)
    }

    /// Returns `a, b or c`.
    static func listed(_ names: [String]) -> String {
        names.count < 2
            ? names.joined()
            : "\(names.dropLast().joined(separator: ", ")) or \(names[names.count - 1])"
    }

    var takesURI: Bool { value?.hasSuffix("URI") == true }

    var takesFile: Bool { value.map { $0.contains("FILE") || $0 == "PATH" } ?? false }

    var description: String {
        help + (alias.map { " (also --\($0))" } ?? "") + (repeats ? "; may be repeated" : "")
    }

    var flags: [String] { ["--" + name] + (alias.map { ["--" + $0] } ?? []) }

    var spelling: String {
        let form = value.map { isValueOptional ? "[=\($0)]" : " " + $0 } ?? ""
        return "--" + name + form
    }
}

enum OptionValues: Sendable {
    case any
    /// Completion offers these values. Others are allowed.
    case suggested([String])
    /// A comma-separated list of these values or others.
    case commaSeparated([String])
    /// The parser rejects other values.
    case closed([String])

    var all: [String] {
        switch self {
        case .any: []
        case .suggested(let values), .commaSeparated(let values), .closed(let values): values
        }
    }

    /// Includes algorithms that the installed OpenSSL lacks.
    static func names<Algorithm: AlgorithmEntry>(_: Algorithm.Type) -> OptionValues {
        .suggested(Algorithm.entries.map(\.description))
    }

    static func list<Algorithm: AlgorithmEntry>(_: Algorithm.Type) -> OptionValues {
        .commaSeparated(Algorithm.entries.map(\.description))
    }

    static let keyAlgorithms = OptionValues.suggested(
        SignatureAlgorithm.entries.map(\.description)
            + KeyManagementAlgorithm.entries.map(\.description))
}

let privateKeyHelp = "private JWK or JWK Set, or pkcs11: URI of a key"

extension Option {
    static let help = flag("help", "show this help")
    static let json = flag("json", "write the result or error as JSON")
    static let fips = Option(
        name: "fips", alias: nil, value: "FILE",
        help: "all cryptography by the FIPS provider, with FILE or OpenSSL's fipsmodule.cnf",
        repeats: false, isValueOptional: true)
    static let everywhere = [fips, json, help]

    static let out = value("out", "FILE", "write the result to a file (default: standard output)")
    static let raw = flag("raw", "write unescaped bytes even to a terminal")
    static let force = flag("force", "replace an existing file")
    static let outputNames = ["out", "public"]
    static let maxBytes = value("max-bytes", "N", "maximum token size (default 262144)")
    static let maxInflated = value(
        "max-inflated", "N", "with --zip: maximum decompressed size (default 250000)")
    static let compress = value(
        "zip", "NAME", "compress before encrypting: DEF (the reader must allow it)",
        .names(CompressionAlgorithm.self))
    static let compressions = value(
        "zip", "NAMES", "allowed compression: DEF (default: none)",
        .list(CompressionAlgorithm.self))
    static let signature = value(
        "alg", "NAME", "signature algorithm (default: the key's alg)",
        .names(SignatureAlgorithm.self))
    static let content = value(
        "enc", "NAME", "content encryption algorithm (default A128CBC-HS256)",
        .names(ContentEncryptionAlgorithm.self))
    static let keyID = value("kid", "KID", "use the key with this kid")
    static let at = value(
        "at", "TIME", "check for this time: RFC 3339 or seconds since 1970 (default: now)")
    static let signatures = value(
        "alg", "NAMES", "allowed signature algorithms, as A,B (default: recommended for the key)",
        .list(SignatureAlgorithm.self))
    static let keyManagement = value(
        "key-alg", "NAMES", "allowed key management (default: recommended for the key)",
        .list(KeyManagementAlgorithm.self))
    static let critical = value(
        "crit", "NAME", "accept this crit extension, which you check yourself", repeats: true)
    static let contents = value(
        "enc", "NAMES", "allowed content encryption (default: recommended)",
        .list(ContentEncryptionAlgorithm.self))
}
