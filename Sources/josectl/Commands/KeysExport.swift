// josectl keys export: one key of a set as a file for other programs.

import JOSE
import JOSEBytes

extension Command {
    static let keysExport = Command(
        name: "keys export",
        summary: "write a key as PKCS#8, PKCS#12, SPKI or certificate",
        arguments: "[FILE|URI]", argumentCount: 1,
        details: """
            Without --private it is the public key. A private key goes to a file of mode 0600, encrypted
            where there is a password. PKCS#12 always has one, and holds the chain of x5c too. What is in a token
            has no private file.
            """,
        options: [
            .keyID,
            .flag("private", "the private key, as PKCS#8"),
            .flag("pkcs12", "the private key with its certificates, as PKCS#12"),
            .flag("certificate", "the certificates of x5c; in DER the first alone"),
            .flag("der", "DER instead of PEM"),
            .value("password-file", "FILE", "encrypt the private key or the PKCS#12 file with it"),
            .out, .force,
        ] + Option.held,
        example: "josectl keys export private.jwks --kid sig-1 --private --out key.pem"
    ) { invocation in
        let line = invocation.line
        let encoding: KeyFileEncoding = line.has("der") ? .der : .pem
        guard ["private", "pkcs12", "certificate"].filter(line.has).count <= 1 else {
            throw UsageError("--private, --pkcs12 and --certificate are different files")
        }
        let isPrivate = line.has("private") || line.has("pkcs12")
        guard isPrivate || line["password-file"] == nil else {
            throw UsageError("--password-file needs --private or --pkcs12")
        }
        guard !line.has("pkcs12") || line["password-file"] != nil else {
            throw UsageError("--pkcs12 needs --password-file")
        }
        let key = try await invocation.ownKeys(line.arguments.first ?? "-").only(line["kid"])
        guard isPrivate else {
            let file =
                try line.has("certificate")
                ? key.certificateFile(encoding) : key.publicKeyFile(encoding)
            try invocation.outputs.write(file, .open)
            return .accepted
        }
        _ = try line.required("out")
        let password = try invocation.newPassword("password-file")
        var bytes =
            if line.has("pkcs12"), let password {
                try key.pkcs12File(password: password.bytes)
            } else {
                try key.withPrivateKeyFile(encoding, password: password?.bytes) { file in
                    file.indices.map { file[$0] }
                }
            }
        defer { wipe(&bytes) }
        try invocation.outputs.write(bytes, .secret)
        return .accepted
    }
}
