// The operations on keys and key sets.

import JOSE
import JOSEBytes

extension BatchOperation {
    static let jwkParse = BatchOperation(
        name: "jwk.parse", required: ["jwk"], optional: []
    ) { request, desk, writer in
        let key = try desk.keys.key(request.json("jwk"))
        try key.checkWhole()
        writer.name("kty")
        writer.string(key.keyType.name)
        writer.name("private")
        writer.bool(key.isPrivate)
        writer.name("thumbprint")
        writer.string(try key.thumbprint())
        writer.member("public", json: Array(key.publicJSON().utf8))
    }

    static let jwksParse = BatchOperation(
        name: "jwks.parse", required: ["jwks"], optional: []
    ) { request, desk, writer in
        let set = try desk.keys.ownSet(request.json("jwks"))
        writer.keyList(set)
    }

    static let thumbprint = BatchOperation(
        name: "thumbprint", required: ["jwk"], optional: ["hash"]
    ) { request, desk, writer in
        let hash = try ThumbprintHash.wanted(request.string("hash") ?? "sha-256")
        let key = try desk.keys.key(request.json("jwk"))
        writer.name("thumbprint")
        writer.string(try key.thumbprint(hash))
        writer.name("uri")
        writer.string(try key.thumbprintURI(hash))
    }
}

extension ThumbprintHash {
    static func wanted(_ name: String) throws -> ThumbprintHash {
        guard let hash = all.first(where: { $0.name.isExactly(name) }) else {
            throw Refusal.unsupported("no such hash here; there are sha-256, sha-384, sha-512")
        }
        return hash
    }
}

extension JWK {
    /// Makes the checks that otherwise wait for the first use of the key.
    func checkWhole() throws { _ = try prepared.material.native() }
}

extension JSONWriter {
    /// The members `keys` and `skipped`.
    mutating func keyList(_ set: JWKSet) {
        name("keys")
        beginArray()
        for key in set.keys {
            beginObject()
            member("kid", key.keyID)
            member("kty", key.keyType.name)
            member("use", key.use?.name)
            member("alg", key.algorithm)
            endObject()
        }
        endArray()
        name("skipped")
        beginArray()
        for key in set.skipped {
            beginObject()
            name("index")
            integer(Int64(key.index))
            member("kid", key.keyID)
            member("member", key.member)
            member("reason", key.reason)
            endObject()
        }
        endArray()
    }
}
