// josectl keys import: key files of other programs, as a JWK Set.

import JOSE
import JOSEBytes

extension Command {
    static let keysImport = Command(
        name: "keys import",
        summary: "make a JWK Set of PEM, DER, PKCS#12 or JWK files",
        arguments: "FILE...", argumentCount: 16,
        details: """
            Reads PKCS#1, SEC 1, PKCS#8 (encrypted by PBES2 or not), SPKI, certificates and PKCS#7 in
            PEM, DER or base64, PKCS#12 with all its entries, JWK; RSA keys, and keys on named curves.
            Certificates become x5c with x5t#S256. What is left out is named on standard error. Other
            files are rejected with the command that converts them. A private result has mode 0600.
            """,
        options: [
            .value("out", "FILE", "where the set goes; without it public keys are printed"),
            .choice("use", "USE", ["sig", "enc"]) { $0 },
            .value("alg", "NAME", "the algorithm of the key", .keyAlgorithms),
            .value("kid", "KID", "the kid (default: RFC 7638 thumbprint)"),
            .value("entry", "NAME", "of PKCS#12, only the entry with this friendlyName (alias)"),
            .flag("name-as-kid", "the friendlyName of PKCS#12 as the kid"),
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
        for path in line.arguments {
            keys += try ImportedFile(path, password?.bytes).keys(line, invocation.output.note)
        }
        guard line["kid"] == nil || !line.has("name-as-kid") else {
            throw UsageError("--kid and --name-as-kid both name the kid")
        }
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
