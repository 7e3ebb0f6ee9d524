// The options that name the module of a key in a token, and when they make sense.

import JOSE
import JOSEPKCS11

extension Option {
    static let module = value(
        "module", "PATH", "the PKCS#11 module of a key that a pkcs11: URI names")
    static let pinFile = value(
        "pin-file", "FILE", "with --module: the PIN, one line in a file that others may not read")
    /// What stands beside every option that takes the URI of a key.
    static let held = [module, pinFile]
}

extension Command {
    /// The words of a line that name keys in tokens.
    fileprivate func uris(_ line: ParsedLine) -> [String] {
        let values = options.filter(\.takesURI).flatMap { line.all($0.name) }
        let arguments = takesURIs ? line.arguments : []
        return (values + arguments).filter(PKCS11URI.isMeant)
    }

    /// Whether an argument may be the URI of a key in a token.
    private var takesURIs: Bool { arguments.contains("URI") }

    /// Whether its lines name keys, and not the command line.
    fileprivate var isFedWithURIs: Bool { !takesURIs && !options.contains(where: \.takesURI) }
}

extension HeldKeys {
    /// What the options name; nil where nothing is in a token.
    ///
    /// - Throws: `UsageError` for a key in a token without its module, and for a module without such a key.
    convenience init?(_ line: ParsedLine, of command: Command) throws {
        let uris = command.uris(line)
        for uri in uris { _ = try PKCS11URI(word: uri) }
        let pinFile = line["pin-file"]
        guard pinFile != "-" else {
            throw UsageError("--pin-file is a file: standard input is for other things")
        }
        guard let module = line["module"] else {
            guard uris.isEmpty else {
                throw UsageError(
                    "a pkcs11: URI needs --module: which PKCS#11 module knows the token")
            }
            guard pinFile == nil else { throw UsageError("--pin-file belongs to --module") }
            return nil
        }
        guard !uris.isEmpty || command.isFedWithURIs else {
            throw UsageError("--module is for a key in a token: name it by a pkcs11: URI")
        }
        let jobs = try line.integer("jobs", 1...256) ?? 1
        self.init(module: module, pinFile: pinFile, sessions: min(max(jobs, 8), 64))
    }

    /// A PIN in an argument is known to everybody already; no message repeats it.
    static func refusePINs(in words: [String]) throws {
        // Schemes of URIs have no case (RFC 3986, 3.1).
        for word in words.map({ $0.lowercased() })
        where word.contains("pkcs11:") && word.contains("pin-value") {
            throw UsageError("a PIN does not belong in a URI or on a command line: use --pin-file")
        }
    }
}
