// The operations on keys and key sets.

import JOSE
import JOSEBytes

extension BatchOperation {
    static let jwkParse = BatchOperation(
        name: "jwk.parse", required: ["jwk"], optional: []
    ) { request, handler, writer in
        let key = try await handler.keys.key(request.json("jwk"))
        try key.checkWhole()
        writer.member("kty", key.keyType.name)
        writer.member("private", key.isPrivate)
        writer.member("thumbprint", try key.thumbprint())
        if key.keyType != .oct {
            writer.member("public", json: Array(try key.publicJSON().utf8))
        }
    }

    static let jwksParse = BatchOperation(
        name: "jwks.parse", required: ["jwks"], optional: []
    ) { request, handler, writer in
        writer.keyList(try await handler.keys.ownSet(request.json("jwks")))
    }

    static let thumbprint = BatchOperation(
        name: "thumbprint", required: ["jwk"], optional: ["hash"]
    ) { request, handler, writer in
        let hash = try JWK.ThumbprintHash.named(request.string("hash") ?? "sha-256")
        let key = try await handler.keys.key(request.json("jwk"))
        writer.member("thumbprint", try key.thumbprint(hash))
        writer.member("uri", try key.thumbprintURI(hash))
    }
}

extension JWK.ThumbprintHash {
    static func named(_ name: String) throws -> JWK.ThumbprintHash {
        guard let hash = all.first(where: { $0.name.isExactly(name) }) else {
            throw Rejection.unsupported("'hash' must be sha-256, sha-384 or sha-512")
        }
        return hash
    }
}

extension JWK {
    /// Makes the checks that otherwise happen at the first use of the key.
    func checkWhole() throws { _ = try prepared.material.native() }
}

extension JSONWriter {
    mutating func keyList(_ set: JWKSet) {
        member("keys", objects: set.keys) { writer, key in
            writer.member("kid", key.keyID)
            writer.member("kty", key.keyType.name)
            writer.member("use", key.use?.name)
            writer.member("alg", key.algorithm?.name)
        }
        member("skipped", objects: set.skipped) { writer, key in
            writer.member("index", key.index)
            writer.member("kid", key.keyID)
            writer.member("member", key.member)
            writer.member("reason", key.reason)
        }
    }
}
