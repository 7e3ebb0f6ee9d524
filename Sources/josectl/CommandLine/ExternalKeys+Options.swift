// The options for keys in PKCS#11 tokens, and the rules for combining them.

import JOSE
import JOSEBytes
import JOSEPKCS11

extension Option {
    static let module = value("module", "PATH", "PKCS#11 module for pkcs11: URIs of keys")
    static let pinFile = value(
        "pin-file", "FILE", "with --module: file with the PIN, which others may not read")
    static let wait = value(
        "wait", "SECONDS",
        "with --module: time limit for each operation, 1 to 3600 (default 300)")
    /// The options of every command that takes the pkcs11: URI of a key.
    static let externalKey = [module, pinFile, wait]
}

extension Command {
    fileprivate func uris(_ line: ParsedCommandLine) -> [String] {
        let values = options.filter(\.takesURI).flatMap { line.all($0.name) }
        let arguments = takesURIs ? line.arguments : []
        return (values + arguments).filter(PKCS11URI.isURI)
    }

    private var takesURIs: Bool { arguments.contains("URI") }
}

extension ExternalKeys {
    /// Returns nil without `--module`. Sets `ExternalKeys.timeout` if `--wait` is given. Throws
    /// `UsageError` for a pkcs11: URI without `--module`, for `--module` without a URI (except in
    /// `batch`), and for a PIN that is for no token or for several.
    convenience init?(_ line: ParsedCommandLine, of command: Command) throws {
        let uris = try command.uris(line).map { try PKCS11URI(word: $0) }
        let pinFile = line["pin-file"]
        guard pinFile != "-" else {
            throw UsageError("--pin-file must be a file, not standard input")
        }
        guard let module = line["module"] else {
            guard uris.isEmpty else {
                throw UsageError(
                    "a pkcs11: URI requires --module PATH, the PKCS#11 module of the token")
            }
            for option in ["pin-file", "wait"] where line.has(option) {
                throw UsageError("--\(option) requires --module")
            }
            return nil
        }
        guard !uris.isEmpty || command.readsKeysFromInput else {
            throw UsageError("--module requires a pkcs11: URI of a key")
        }
        let jobs = try line.integer("jobs", 1...256) ?? 1
        if let seconds = try line.integer("wait", 1...3_600) {
            ExternalKeys.setTimeout(.seconds(seconds))
        }
        let pin = try pinFile.map { ($0, try ExternalKeys.pinToken(of: uris, in: command)) }
        guard pin != nil || !command.readsKeysFromInput || uris.isEmpty else {
            throw UsageError("--token requires --pin-file: it names the token that the PIN is for")
        }
        self.init(module: module, pin: pin, sessions: min(max(jobs, 8), 64))
    }

    /// Returns the only token that gets the PIN.
    private static func pinToken(of uris: [PKCS11URI], in command: Command) throws -> PKCS11URI {
        let tokens = Set(uris.map(\.ofToken))
        guard let token = tokens.first else {
            throw UsageError("--pin-file requires --token, the token that the PIN is for")
        }
        guard tokens.count == 1 else {
            throw UsageError(
                "--pin-file is for one token: all pkcs11: URIs must name it by the same attributes")
        }
        return token
    }

    /// Rejects PINs in arguments, which other users can see. The error does not repeat them.
    static func rejectPINs(in words: [String]) throws {
        // URI schemes are case-insensitive (RFC 3986, 3.1).
        for word in words.map({ $0.lowercasedASCII })
        where word.contains("pkcs11:") && word.contains("pin-value") {
            throw UsageError(
                "a PIN must not be in a URI or on the command line; use --pin-file")
        }
    }
}
