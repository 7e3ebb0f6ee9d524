// josectl keys public: what may be published of a key file.

import JOSE
import JOSEBytes

extension Command {
    static let keysPublic = Command(
        name: "keys public",
        summary: "the public part of a key set or key, without any private member",
        arguments: "[FILE]", argumentCount: 1,
        options: [.out],
        example: "josectl keys public private.jwks --out public.jwks"
    ) { invocation in
        let file = try KeyFile(invocation.line.arguments.first ?? "-")
        let set = try file.ownSet()
        for key in set.skipped {
            invocation.output.note("key \(key.index + 1) left out: \(key.reason)")
        }
        guard !set.keys.isEmpty else {
            throw Refusal(.keyNotFound, step: "key-set", message: "there is no key to publish")
        }
        // A set can only be made of public parts; a single key is read back as a stranger would.
        let published = try set.publicKeys
        let text = file.isSet ? published.json() : set.keys[0].publicJSON()
        let json = printable(json: Array(text.utf8))
        return try invocation.give(json, isText: true, .open) { writer in
            writer.member(file.isSet ? "jwks" : "jwk", json: json)
        }
    }
}
