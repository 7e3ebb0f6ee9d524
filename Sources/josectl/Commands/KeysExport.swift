// josectl keys export: writes one key as a file for other programs.

import JOSE
import JOSEBytes

extension Command {
    static let keysExport = Command(
        name: "keys export",
        summary: "write a key as PKCS#8, PKCS#12, SPKI or certificate",
        arguments: "[FILE|URI]", maxArguments: 1,
        details: """
            Without --private, the public key is written. A private key goes to a file with mode \
            0600, encrypted if a password is given. PKCS#12 requires a password and includes the \
            chain of x5c. Private keys in PKCS#11 tokens cannot be exported.
            """,
        options: [
            .keyID,
            .flag("private", "write the private key as PKCS#8"),
            .flag("pkcs12", "write the private key with its certificates as PKCS#12"),
            .flag("certificate", "write the certificates of x5c; as DER only the first"),
            .flag("der", "write DER instead of PEM"),
            .value("password-file", "FILE", "encrypt the private key with this password"),
            .out, .force,
        ] + Option.externalKey,
        example: "josectl keys export private.jwks --kid sig-1 --private --out key.pem"
    ) { invocation in
        let line = invocation.line
        let encoding: JWK.FileEncoding = line.has("der") ? .der : .pem
        guard ["private", "pkcs12", "certificate"].filter(line.has).count <= 1 else {
            throw UsageError("choose one of --private, --pkcs12 and --certificate")
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
