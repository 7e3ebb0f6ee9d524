// josectl keys export: one key of a set as a file for other programs.

import JOSE
import JOSEBytes

extension Command {
    static let keysExport = Command(
        name: "keys export",
        summary: "write a key as PKCS#8, SPKI or certificate, in PEM or DER",
        arguments: "[FILE]", argumentCount: 1,
        details: """
            Without --private it is the public key. A private key goes to a file of mode 0600, encrypted
            where there is a password.
            """,
        options: [
            .keyID,
            .flag("private", "the private key, as PKCS#8"),
            .flag("certificate", "the certificates of x5c; in DER the first alone"),
            .flag("der", "DER instead of PEM"),
            .value("password-file", "FILE", "encrypt the private key with this password"),
            .out, .force,
        ],
        example: "josectl keys export private.jwks --kid sig-1 --private --out key.pem"
    ) { invocation in
        let line = invocation.line
        let encoding: KeyFileEncoding = line.has("der") ? .der : .pem
        guard !(line.has("private") && line.has("certificate")) else {
            throw UsageError("--private and --certificate are two files")
        }
        guard line.has("private") || line["password-file"] == nil else {
            throw UsageError("--password-file needs --private")
        }
        let keys = try KeyFile(line.arguments.first ?? "-").ownSet().keys
            .filter { line["kid"] == nil || $0.keyID == line["kid"] }
        guard keys.count == 1, let key = keys.first else {
            let reason = keys.isEmpty ? "no key has this kid" : "name one of the keys by --kid"
            throw Refusal(.keyNotFound, step: "key", message: reason)
        }
        guard line.has("private") else {
            let file =
                try line.has("certificate")
                ? key.certificateFile(encoding) : key.publicKeyFile(encoding)
            guard let out = line["out"], out != "-" else {
                try Descriptor.output.write(file)
                return .accepted
            }
            try PendingFile(file, at: out, .open, replaces: line.has("force")).commit()
            return .accepted
        }
        let out = try line.required("out")
        let password = try invocation.password("password-file")
        var bytes = try key.withPrivateKeyFile(encoding, password: password) { file in
            file.indices.map { file[$0] }
        }
        defer {
            var span = bytes.mutableSpan
            wipe(&span)
        }
        if out == "-" {
            try Descriptor.output.write(bytes)
        } else {
            try PendingFile(bytes, at: out, .secret, replaces: line.has("force")).commit()
        }
        return .accepted
    }
}
