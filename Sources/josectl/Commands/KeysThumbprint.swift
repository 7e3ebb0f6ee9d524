// josectl keys thumbprint: writes RFC 7638 thumbprints or RFC 9278 URIs.

import JOSE
import JOSEBytes

extension Command {
    static let keysThumbprint = Command(
        name: "keys thumbprint",
        summary: "write the RFC 7638 thumbprint of each key",
        arguments: "[FILE|URI]", maxArguments: 1,
        options: [
            .choice("hash", "NAME", JWK.ThumbprintHash.all.map(\.name)) {
                "\($0) (default sha-256)"
            },
            .flag("uri", "write URIs (RFC 9278)"),
        ] + Option.externalKey,
        example: "josectl keys thumbprint public.jwks"
    ) { invocation in
        let line = invocation.line
        let hash = JWK.ThumbprintHash.all.first { $0.name == line["hash"] } ?? .sha256
        let file = try await invocation.inputKeys(line.arguments.first ?? "-")
        let set = try file.ownSet()
        invocation.output.note(skipped: set.skipped, of: file)
        let lines = try set.keys.map { key in
            try line.has("uri") ? key.thumbprintURI(hash) : key.thumbprint(hash)
        }
        return try invocation.writeResult(
            Array(lines.joined(separator: "\n").utf8), isText: !lines.isEmpty, .open
        ) { writer in
            writer.member("keys", objects: zip(set.keys, lines)) { writer, pair in
                writer.member("kid", pair.0.keyID)
                writer.member(line.has("uri") ? "uri" : "thumbprint", pair.1)
            }
        }
    }
}
