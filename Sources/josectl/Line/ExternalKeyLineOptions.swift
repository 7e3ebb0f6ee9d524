// The options that name the module of a key in a token, and when they make sense.

import JOSE
import JOSEBytes
import JOSEPKCS11

extension Option {
    static let module = value(
        "module", "PATH", "the PKCS#11 module of a key that a pkcs11: URI names")
    static let pinFile = value(
        "pin-file", "FILE", "with --module: the PIN, one line in a file that others may not read")
    static let wait = value(
        "wait", "SECONDS",
        "with --module: how long module and token may take for anything, 1 to 3600 (default 300)")
    /// What stands beside every option that takes the URI of a key.
    static let held = [module, pinFile, wait]
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
}

extension ExternalKeys {
    /// What the options name; nil where nothing is in a token.
    ///
    /// - Throws: `UsageError` for a key in a token without its module, for a module without such a key, and for a PIN of
    ///   which nothing, or more than one thing, says the token.
    convenience init?(_ line: ParsedLine, of command: Command) throws {
        let uris = try command.uris(line).map { try PKCS11URI(word: $0) }
        let pinFile = line["pin-file"]
        guard pinFile != "-" else {
            throw UsageError("--pin-file is a file: standard input is for other things")
        }
        guard let module = line["module"] else {
            guard uris.isEmpty else {
                throw UsageError(
                    "a pkcs11: URI needs --module: which PKCS#11 module knows the token")
            }
            for option in ["pin-file", "wait"] where line.has(option) {
                throw UsageError("--\(option) belongs to --module")
            }
            return nil
        }
        guard !uris.isEmpty || command.isFedWithKeys else {
            throw UsageError("--module is for a key in a token: name it by a pkcs11: URI")
        }
        let jobs = try line.integer("jobs", 1...256) ?? 1
        if let seconds = try line.integer("wait", 1...3_600) {
            ExternalKeys.waits(.seconds(seconds))
        }
        let pin = try pinFile.map { ($0, try ExternalKeys.owner(of: uris, in: command)) }
        guard pin != nil || !command.isFedWithKeys || uris.isEmpty else {
            throw UsageError("--token belongs to --pin-file: which token the PIN is for")
        }
        self.init(module: module, pin: pin, sessions: min(max(jobs, 8), 64))
    }

    /// The one token that a PIN is for: no other is shown it.
    private static func owner(of uris: [PKCS11URI], in command: Command) throws -> PKCS11URI {
        let tokens = Set(uris.map(\.ofToken))
        guard let token = tokens.first else {
            throw UsageError("--pin-file needs --token: which token the PIN is for")
        }
        guard tokens.count == 1 else {
            throw UsageError(
                "--pin-file is for one token: name it by the same words in all pkcs11: URIs")
        }
        return token
    }

    /// A PIN in an argument is known to everybody already; no message repeats it.
    static func rejectPINs(in words: [String]) throws {
        // Schemes of URIs have no case (RFC 3986, 3.1).
        for word in words.map({ $0.lowercasedASCII })
        where word.contains("pkcs11:") && word.contains("pin-value") {
            throw UsageError("a PIN does not belong in a URI or on a command line: use --pin-file")
        }
    }
}
