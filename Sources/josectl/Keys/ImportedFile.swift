// Reads key files of other programs, and sets the metadata that options give.

import JOSE
import JOSEBytes

struct ImportedFile {
    let contents: KeyFileContents
    private let path: String

    init(_ path: String, _ password: [UInt8]?) throws {
        self.path = path
        var bytes = try Files.read(
            path, atMost: JOSELimits.standard.keySetBytes, what: "the key file")
        defer { wipe(&bytes) }
        contents = try Rejection.naming(path) {
            let contents: KeyFileContents
            do throws(JOSEError) {
                contents = try KeyFileContents(bytes.span, password: password)
            } catch {
                guard error.code == .misuse, password == nil else { throw error }
                throw UsageError(
                    "\(printable(path)): the file is encrypted: --password-file FILE is required"
                )
            }
            guard !contents.keys.isEmpty || !contents.certificates.isEmpty else {
                throw JOSEError.malformed(
                    .key, "found a revocation list; expected a key or a certificate")
            }
            return contents
        }
    }

    func key() throws -> JWK { try Rejection.naming(path) { try contents.key() } }

    /// Sets the metadata that the options give. Calls `note` with warnings and the kids of entries.
    func keys(_ line: ParsedCommandLine, _ note: (String) -> Void) throws -> [JWK] {
        let entries = try Rejection.naming(path) { try contents.entries() }
        for warning in contents.warnings + entries.warnings {
            note("\(printable(path)): \(CommandLineWording.translate(warning.description))")
        }
        if !contents.revocationLists.isEmpty {
            note("\(printable(path)): the revocation lists were left out")
        }
        var chosen = entries.keys
        if let name = line["entry"] {
            chosen = chosen.filter { $0.friendlyName?.isExactly(name) ?? false }
            guard !chosen.isEmpty else {
                let names = entries.keys.compactMap(\.friendlyName).map { "'\(printable($0))'" }
                throw Rejection(
                    .keyNotFound, step: "key",
                    message: "\(printable(path)): no entry has the friendlyName of --entry; "
                        + (names.isEmpty
                            ? "no entry has one" : "found " + names.joined(separator: ", ")))
            }
        }
        let keys = try chosen.map { try ImportedFile.withMetadata($0, line) }
        if chosen.count > 1 {
            for (entry, key) in zip(chosen, keys) {
                guard let name = entry.friendlyName else { continue }
                note(
                    "\(printable(path)): '\(printable(name))' has kid \(printable(key.keyID ?? ""))"
                )
            }
        }
        return keys
    }

    private static func withMetadata(
        _ entry: KeyFileContents.Entry, _ line: ParsedCommandLine
    ) throws -> JWK {
        var key = entry.key
        if let use = line["use"] {
            key.use = use == "sig" ? .signature : .encryption
        }
        if let algorithm = line["alg"] {
            let signature = SignatureAlgorithm(name: algorithm) != nil
            guard signature || KeyManagementAlgorithm(name: algorithm) != nil else {
                throw UsageError("--alg '\(printable(algorithm))' is unknown")
            }
            key.algorithm = JOSEAlgorithm(name: algorithm)
            if key.use == nil { key.use = signature ? .signature : .encryption }
        }
        if let keyID = line["kid"] { key.keyID = keyID }
        if line.has("name-as-kid"), let name = entry.friendlyName { key.keyID = name }
        // The thumbprint of a symmetric key would be a hash of the secret.
        if key.keyID == nil, key.keyType != .oct { key.keyID = try key.thumbprint() }
        return key
    }
}
