// The options of the two programs: the same for both, so that one line starts either.

/// What stands behind `--NAME`.
package struct Options: Sendable {
    private let values: [String: String]

    /// What `--help` prints.
    package static let usage = """
        options of both:  --profile NAME  --keys FOLDER  --provider-port N  --site-port N  --issuer ADDRESS  --client-id NAME
                          --algorithm NAME (HS256: the secret signs ID Tokens; it has 32 bytes at least)  --user-info json|signed|nested
                          --client-authentication client_secret_basic|client_secret_post|private_key_jwt
                          --basic encoded|unencoded
        relying-party:    --authorities FILE  --key-roots FILE
        provider:         --clients FILE  --listen N  --token-seconds N
        profiles:         \(Agreement.profiles.map(\.key).joined(separator: ", "))
        """

    private static let known = [
        "profile", "keys", "provider-port", "site-port", "issuer", "client-id", "authorities",
        "key-roots", "clients", "listen", "token-seconds", "algorithm", "user-info",
        "client-authentication", "basic",
    ]

    /// - Throws: `Disagreement` for a word that is no option, one without value and one that comes twice.
    init(_ words: some Sequence<String>) throws {
        var values: [String: String] = [:]
        var words = words.makeIterator()
        while let word = words.next() {
            guard let name = Options.known.first(where: { word == "--" + $0 }) else {
                throw Disagreement(description: "no such option: \(word)\n" + Options.usage)
            }
            guard let value = words.next(), values.updateValue(value, forKey: name) == nil else {
                throw Disagreement(description: "\(word) has one value")
            }
        }
        self.values = values
    }

    package subscript(_ name: String) -> String? { values[name] }

    /// What an option's value means; nil where it is not given.
    ///
    /// - Throws: `Disagreement` that names the value and those that there are.
    func choice<Value>(_ name: String, _ values: KeyValuePairs<String, Value>) throws -> Value? {
        guard let word = self.values[name] else { return nil }
        guard let value = values.first(where: { $0.key == word })?.value else {
            let known = values.map(\.key).joined(separator: ", ")
            throw Disagreement(description: "--\(name) \(word): it is one of \(known)")
        }
        return value
    }

    /// A port: 1 to 65535.
    package func port(_ name: String, usual: UInt16) throws -> UInt16 {
        UInt16(try number(name, usual: Int64(usual), in: 1...65_535))
    }

    /// A number within a range.
    package func number(
        _ name: String, usual: Int64, in range: ClosedRange<Int64>
    ) throws -> Int64 {
        guard let text = values[name] else { return usual }
        guard let number = Int64(text), range.contains(number) else {
            throw Disagreement(
                description: "--\(name) is a number, \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }
}

/// What keeps a program from starting.
package struct Disagreement: Error, CustomStringConvertible {
    package let description: String
    package init(description: String) { self.description = description }
}
