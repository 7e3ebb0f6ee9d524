// josectl keys public: what may be published of a key file.

import JOSE
import JOSEBytes

extension Command {
    static let keysPublic = Command(
        name: "keys public",
        summary: "the public part of key sets and keys, without any private member",
        arguments: "[FILE|URI...]", argumentCount: 16,
        details: """
            Of a single key it is a JWK, of all else a set. A key in a token has x5c where the token has its
            certificates.
            """,
        options: [.out, .force] + Option.held,
        example: "josectl keys public private.jwks --out public.jwks"
    ) { invocation in
        let words = invocation.line.arguments
        var files: [KeyFile] = []
        for word in words.isEmpty ? ["-"] : words {
            files.append(try await invocation.shownKeys(word))
        }
        let isSet = files.count > 1 || files[0].isSet
        let sets = try files.map { try $0.ownSet() }
        for (file, set) in zip(files, sets) {
            invocation.output.note(skipped: set.skipped, of: file)
        }
        let set = JWKSet(keys: sets.flatMap(\.keys))
        guard !set.keys.isEmpty else {
            throw Rejection(.keyNotFound, step: "key-set", message: "there is no key to publish")
        }
        // A set can only be made of public parts; a single key is read back as a stranger would.
        let published = try set.publicKeys
        let text = try isSet ? published.json() : set.keys[0].publicJSON()
        let json = printable(json: Array(text.utf8))
        return try invocation.give(json, isText: true, .open) { writer in
            writer.member(isSet ? "jwks" : "jwk", json: json)
        }
    }
}
