// josectl keys import: key files of other programs, as a JWK Set.

import JOSE
import JOSEBytes

extension Command {
    static let keysImport = Command(
        name: "keys import",
        summary: "make a JWK Set of PEM, DER, PKCS#12 or JWK files",
        arguments: "FILE...", argumentCount: 16,
        details: """
            Reads PKCS#1, SEC 1, PKCS#8 (encrypted by PBES2 or not), SPKI, certificates, and PKCS#12 with
            its chain; RSA keys, and keys on named curves. Certificates become x5c with x5t#S256. A private result has mode 0600.
            """,
        options: [
            .value("out", "FILE", "where the set goes; without it public keys are printed"),
            .value("use", "USE", "sig or enc"),
            .value("alg", "NAME", "the algorithm of the key"),
            .value("kid", "KID", "the kid (default: RFC 7638 thumbprint)"),
            .value("password-file", "FILE", "the password of an encrypted file"),
            .force,
        ],
        example:
            "josectl keys import client.p12 --password-file secret --use sig --out private.jwks"
    ) { invocation in
        let line = invocation.line
        guard !line.arguments.isEmpty else { throw UsageError("name the files to import") }
        let password = try invocation.password("password-file")
        var keys: [JWK] = []
        for path in line.arguments { keys += try ImportedFile(path, password).keys(line) }
        guard keys.count == 1 || line["kid"] == nil else {
            throw UsageError("--kid names one key; there are \(keys.count)")
        }
        let set = JWKSet(keys: keys)
        let isPrivate = keys.contains(where: \.isPrivate)
        guard isPrivate else {
            return try invocation.give(
                Array(set.publicKeys.json().utf8), isText: true, .open
            ) { $0.keyList(set) }
        }
        // A private key is printed only where that is asked for by name.
        guard line["out"] != nil else {
            throw UsageError("the key is private: name a file by --out, or - to print it")
        }
        let text = Array(try set.privateJSON().utf8) + [0x0a]
        try invocation.outputs.write(text, .secret)
        if invocation.output.isJSON, !invocation.outputs.isStandardOutput("out") {
            try Descriptor.output.write(try Output.json { $0.keyList(set) })
        }
        return .accepted
    }
}

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
            guard use == "sig" || use == "enc" else { throw UsageError("--use is sig or enc") }
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
