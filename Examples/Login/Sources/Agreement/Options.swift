// The command-line options of both programs.

/// The values of `--NAME VALUE` options.
package struct Options: Sendable {
    private let values: [String: String]

    /// The output of `--help`.
    package static let usage = """
        both programs:
          --profile NAME          rules of the messages; default: itsme2
          --keys FOLDER           keys and certificates; default: the current folder
          --issuer URL            issuer of the provider; default: https://idp.localhost:8443;
                                  http for a local provider on 127.0.0.1, [::1] or localhost
          --client-id ID          default: login-client
          --provider-port N       default: 8443
          --site-port N           port of the relying party; default: 8444
          --algorithm NAME        algorithm of all signatures; HS256 needs a secret of 32 bytes
          --user-info FORMAT      json, signed or nested
          --client-authentication METHOD
                                  client_secret_basic, client_secret_post or private_key_jwt
          --basic ENCODING        encoded or unencoded
        relying-party:
          --authorities FILE      CAs of the TLS connection, PEM
          --key-roots FILE        trust anchors of the provider's keys, PEM
        provider:
          --clients FILE          additional clients, JSON
          --listen N              port to listen on, for a proxy
          --token-seconds N       lifetime of access tokens; default: 300
        profiles: \(Agreement.profiles.map(\.key).joined(separator: ", "))
        """

    private static let known = [
        "profile", "keys", "provider-port", "site-port", "issuer", "client-id", "authorities",
        "key-roots", "clients", "listen", "token-seconds", "algorithm", "user-info",
        "client-authentication", "basic",
    ]

    /// - Throws: `Disagreement` for an unknown option, a missing value and a repeated option.
    init(_ arguments: some Sequence<String>) throws {
        var values: [String: String] = [:]
        var arguments = arguments.makeIterator()
        while let option = arguments.next() {
            guard let name = Options.known.first(where: { option == "--" + $0 }) else {
                throw Disagreement(description: "no such option: \(option)\n" + Options.usage)
            }
            guard let value = arguments.next(), values.updateValue(value, forKey: name) == nil
            else { throw Disagreement(description: "\(option) needs exactly one value") }
        }
        self.values = values
    }

    package subscript(_ name: String) -> String? { values[name] }

    /// Returns the value of an option with fixed choices; nil if it is absent.
    ///
    /// - Throws: `Disagreement` with the choices.
    func choice<Value>(_ name: String, _ values: KeyValuePairs<String, Value>) throws -> Value? {
        guard let text = self.values[name] else { return nil }
        guard let value = values.first(where: { $0.key == text })?.value else {
            let known = values.map(\.key).joined(separator: ", ")
            throw Disagreement(description: "--\(name) \(text): use one of \(known)")
        }
        return value
    }

    /// Returns a port, 1 to 65535.
    package func port(_ name: String, usual: UInt16) throws -> UInt16 {
        UInt16(try number(name, usual: Int64(usual), in: 1...65_535))
    }

    /// Returns a number within a range.
    package func number(
        _ name: String, usual: Int64, in range: ClosedRange<Int64>
    ) throws -> Int64 {
        guard let text = values[name] else { return usual }
        guard let number = Int64(text), range.contains(number) else {
            throw Disagreement(
                description: "--\(name) \(text): use a number from "
                    + "\(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }
}

/// An error that keeps a program from starting.
package struct Disagreement: Error, CustomStringConvertible {
    package let description: String
    package init(description: String) { self.description = description }
}
