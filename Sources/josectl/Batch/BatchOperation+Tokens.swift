// The keys and response members that the operations on JWS and JWE share.

import JOSE
import JOSEBytes

extension JWK {
    /// Without a name, returns the algorithm of the key's alg. Errors name `option`.
    func signingAlgorithm(
        _ name: String?, option: String = "'alg' next to 'key'"
    ) throws -> SignatureAlgorithm {
        guard let name = name ?? algorithm?.name else {
            throw Rejection.misuse("the key has no alg; \(option) must name the algorithm")
        }
        return try .named(name)
    }
}

extension BatchRequest {
    func verificationKeys(_ handler: BatchHandler) async throws -> VerifierKeys {
        try await isSet()
            ? .set(handler.keys.publicSet(json("keys"))) : .one(handler.keys.key(json("key")))
    }

    func decryptionKeys(_ handler: BatchHandler) async throws -> DecrypterKeys {
        try await isSet()
            ? .set(handler.keys.ownSet(json("keys"))) : .one(handler.keys.key(json("key")))
    }

    /// Returns the objects that need a `key`: the elements of `list`, or the request itself. If the
    /// request has `list`, it must not have `members` itself.
    func parties(_ list: String, without members: [String]) throws -> [Int] {
        guard has("key") != has(list) else {
            throw Rejection.misuse("either 'key' or '\(list)' is required")
        }
        guard let node = node(list) else { return [0] }
        guard document.kind(at: node) == .array, !members.contains(where: has) else {
            let names = members.joined(separator: ", ")
            throw Rejection.misuse(
                "'\(list)' must be an array of objects; \(names) belong in these objects, not "
                    + "next to '\(list)'")
        }
        var objects: [Int] = []
        document.forEachElement(of: node) { objects.append($0) }
        // Checked before any key is used, as external keys may be slow.
        guard objects.count <= JOSELimits.standard.recipientCount else {
            throw Rejection(
                .limitExceeded, step: "call", message: "'\(list)' has too many entries")
        }
        return objects
    }

    func key(
        of object: Int, _ what: String, _ handler: BatchHandler
    ) async throws -> (key: JWK, algorithm: String?) {
        guard let key = document.member("key", of: object) else {
            throw Rejection.misuse("\(what) has no 'key'")
        }
        let algorithm = document.member("alg", of: object)
        let name = algorithm.flatMap { document.string(at: $0) }
        guard algorithm == nil || name != nil else {
            throw Rejection.misuse("'alg' is not a string")
        }
        return (try await handler.keys.key(document.json(at: key)), name)
    }

    private func isSet() throws -> Bool {
        guard has("key") != has("keys") else {
            throw Rejection.misuse("either 'key' or 'keys' is required")
        }
        return has("keys")
    }
}

extension JSONWriter {
    mutating func verified(_ verified: VerifiedJWS) throws {
        try opened(verified.payload, verified.header(), verified.keyID)
    }

    mutating func opened(
        _ payload: [UInt8], _ header: ProtectedHeader, _ keyID: String?
    ) throws {
        name("payload")
        string(base64URL: payload.span)
        member("header", json: Array(header.json.utf8))
        member("kid", keyID)
    }

    mutating func member(_ name: StaticString, of header: ProtectedHeader?) {
        guard let header else {
            self.name(name)
            return null()
        }
        member(name, json: Array(header.json.utf8))
    }

    mutating func member(_ name: StaticString, _ header: [String: JSONValue]) throws {
        try member(name) { writer in
            for (name, value) in header.sorted(by: { $0.key < $1.key }) {
                writer.name(name)
                try writer.value(value)
            }
        }
    }
}
