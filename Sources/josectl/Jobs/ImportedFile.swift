// Key files of other programs, with the metadata that options name.

import JOSE
import JOSEBytes

/// A key file of any form.
struct ImportedFile {
    let contents: KeyFileContents
    private let path: String

    init(_ path: String, _ password: [UInt8]?) throws {
        self.path = path
        var bytes = try Files.read(
            path, atMost: JOSELimits.standard.keySetBytes, what: "the key file")
        defer {
            var span = bytes.mutableSpan
            wipe(&span)
        }
        contents = try Refusal.naming(path) {
            let contents = try KeyFileContents(bytes.span, password: password)
            guard contents.revocationLists.isEmpty else {
                throw JOSEError.malformed(
                    .key, "found a revocation list; expected a key or a certificate")
            }
            return contents
        }
    }

    /// The one key of the file.
    func key() throws -> JWK { try Refusal.naming(path) { try contents.key() } }

    /// The keys with the metadata that the options name.
    func keys(_ line: ParsedLine) throws -> [JWK] {
        try Refusal.naming(path) {
            // Several plain keys in one file stay apart; certificates belong to one key.
            let keys =
                contents.certificates.isEmpty && contents.keys.count > 1
                ? contents.keys : [try contents.key()]
            return try keys.map { try ImportedFile.named($0, line) }
        }
    }

    private static func named(_ key: JWK, _ line: ParsedLine) throws -> JWK {
        var key = key
        if let use = line["use"] {
            key.use = use == "sig" ? .signature : .encryption
        }
        if let algorithm = line["alg"] {
            let signature = SignatureAlgorithm.named(algorithm) != nil
            guard signature || KeyManagementAlgorithm.named(algorithm) != nil else {
                throw UsageError("--alg '\(printable(algorithm))' is not known")
            }
            key.algorithm = algorithm
            if key.use == nil { key.use = signature ? .signature : .encryption }
        }
        if let keyID = line["kid"] { key.keyID = keyID }
        // The thumbprint of a secret would be a hash of it.
        if key.keyID == nil, key.keyType != .oct { key.keyID = try key.thumbprint() }
        return key
    }
}
