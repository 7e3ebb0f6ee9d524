// josectl keys import: converts key files of other programs to a JWK Set.

import JOSE
import JOSEBytes

extension Command {
    static let keysImport = Command(
        name: "keys import",
        summary: "convert PEM, DER, PKCS#12 or JWK files to a JWK Set",
        arguments: "FILE...", maxArguments: 16,
        details: """
            Reads PKCS#1, SEC 1, PKCS#8 (also encrypted with PBES2), SPKI, certificates and PKCS#7 \
            as PEM, DER or base64, PKCS#12 with all its entries, and JWK. Keys are RSA, on named \
            curves, or ML-DSA. Certificates become x5c with x5t#S256. Standard error lists what \
            was left out. Other formats are rejected with the command that converts them. A file \
            with private keys has mode 0600.
            """,
        options: [
            .value("out", "FILE", "write the set to a file; without it, public keys are printed"),
            .choice("use", "USE", ["sig", "enc"]) { "the use of the keys: \($0)" },
            .value("alg", "NAME", "the alg of the keys", .keyAlgorithms),
            .value("kid", "KID", "the kid (default: that of a JWK, else the RFC 7638 thumbprint)"),
            .value("entry", "NAME", "import only the PKCS#12 entry with this friendlyName (alias)"),
            .flag("name-as-kid", "use the PKCS#12 friendlyName as kid"),
            .value("password-file", "FILE", "the password of the encrypted file"),
            .force,
        ],
        example:
            "josectl keys import client.p12 --password-file secret --use sig --out private.jwks"
    ) { invocation in
        let line = invocation.line
        guard !line.arguments.isEmpty else { throw UsageError("name the files to import") }
        guard line["kid"] == nil || !line.has("name-as-kid") else {
            throw UsageError("choose one of --kid and --name-as-kid")
        }
        let password = try invocation.password("password-file")
        var keys: [JWK] = []
        for path in line.arguments {
            keys += try ImportedFile(path, password?.bytes).keys(line, invocation.output.note)
        }
        guard keys.count == 1 || line["kid"] == nil else {
            throw UsageError("--kid is for a single key; the files have \(keys.count)")
        }
        let set = JWKSet(keys: keys)
        let isPrivate = keys.contains(where: \.isPrivate)
        guard isPrivate else {
            return try invocation.writeResult(
                Array(set.publicKeys.json().utf8), isText: true, .open
            ) { $0.keyList(set) }
        }
        // A private key is printed only on explicit request.
        guard line["out"] != nil else {
            throw UsageError("the key is private: --out FILE is required, or --out - to print it")
        }
        let text = Array(try set.privateJSON().utf8) + [0x0a]
        try invocation.outputs.write(text, .secret)
        if invocation.output.isJSON, !invocation.outputs.isStandardOutput("out") {
            try Descriptor.output.write(try Output.json { $0.keyList(set) })
        }
        return .accepted
    }
}
