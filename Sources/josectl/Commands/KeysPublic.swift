// josectl keys public: writes the public part of keys.

import JOSE
import JOSEBytes

extension Command {
    static let keysPublic = Command(
        name: "keys public",
        summary: "write the public part of keys, without private members",
        arguments: "[FILE|URI...]", maxArguments: 16,
        details: """
            The result of a single JWK is a JWK, otherwise a JWK Set. A key in a PKCS#11 token has \
            x5c if the token stores its certificates.
            """,
        options: [.out, .force] + Option.externalKey,
        example: "josectl keys public private.jwks --out public.jwks"
    ) { invocation in
        let words = invocation.line.arguments
        var files: [KeyFile] = []
        for word in words.isEmpty ? ["-"] : words {
            files.append(try await invocation.inputKeys(word))
        }
        let isSet = files.count > 1 || files[0].isSet
        let sets = try files.map { try $0.ownSet() }
        for (file, set) in zip(files, sets) {
            invocation.output.note(skipped: set.skipped, of: file)
        }
        let set = JWKSet(keys: sets.flatMap(\.keys))
        guard !set.keys.isEmpty else {
            throw Rejection(.keyNotFound, step: "key-set", message: "the files contain no key")
        }
        let published = try set.publicKeys
        let text = try isSet ? published.json() : set.keys[0].publicJSON()
        let json = printable(json: Array(text.utf8))
        return try invocation.writeResult(json, isText: true, .open) { writer in
            writer.member(isSet ? "jwks" : "jwk", json: json)
        }
    }
}
