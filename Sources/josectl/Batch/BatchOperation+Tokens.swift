// What the operations on JWS and JWE share: keys, and the members of their answers.

import JOSE
import JOSEBytes

extension JWK {
    /// The algorithm that a caller names or, where none is named, the one that the key is for.
    ///
    /// - Parameter option: What names one where the key has none.
    func signingAlgorithm(
        _ name: String?, option: String = "alg"
    ) throws -> SignatureAlgorithm {
        guard let name = name ?? algorithm?.name else {
            throw Rejection.misuse("the key has no alg: \(option) names the algorithm")
        }
        return try .wanted(name)
    }
}

extension BatchRequest {
    func verificationKeys(_ desk: BatchHandler) async throws -> VerificationKeys {
        try await isSet()
            ? .set(desk.keys.publicSet(json("keys"))) : .one(desk.keys.key(json("key")))
    }

    func decryptionKeys(_ desk: BatchHandler) async throws -> DecryptionKeys {
        try await isSet() ? .set(desk.keys.ownSet(json("keys"))) : .one(desk.keys.key(json("key")))
    }

    /// The objects with a key each: the elements of a list or, with `key`, the request itself.
    ///
    /// - Parameter members: What a request with a list has in its elements only.
    func parties(_ list: String, without members: [String]) throws -> [Int] {
        guard has("key") != has(list) else { throw Rejection.misuse("give 'key' or '\(list)'") }
        guard let node = node(list) else { return [0] }
        guard document.kind(at: node) == .array, !members.contains(where: has) else {
            throw Rejection.misuse("'\(list)' is a list with all that concerns each of them")
        }
        var objects: [Int] = []
        document.forEachElement(of: node) { objects.append($0) }
        // Before any of their keys is looked for in a token.
        guard objects.count <= JOSELimits.standard.recipientCount else {
            throw Rejection(
                .limitExceeded, step: "call", message: "'\(list)' has too many entries")
        }
        return objects
    }

    /// The members `key` and `alg` of one of them.
    func key(
        of object: Int, _ what: String, _ desk: BatchHandler
    ) async throws -> (key: JWK, algorithm: String?) {
        guard let key = document.member("key", of: object) else {
            throw Rejection.misuse("\(what) without 'key'")
        }
        let algorithm = document.member("alg", of: object)
        let name = algorithm.flatMap { document.string(at: $0) }
        guard algorithm == nil || name != nil else {
            throw Rejection.misuse("'alg' is not a string")
        }
        return (try await desk.keys.key(document.json(at: key)), name)
    }

    private func isSet() throws -> Bool {
        guard has("key") != has("keys") else { throw Rejection.misuse("give 'key' or 'keys'") }
        return has("keys")
    }
}

extension JSONWriter {
    /// The members of a verified JWS.
    mutating func verified(_ verified: VerifiedJWS) throws {
        try opened(verified.payload, verified.header(), verified.keyID)
    }

    /// A token as it stands; one of the JSON serialisations is an object.
    mutating func member(token: String, _ form: TokenForm) {
        name("token")
        if form == .compact { string(token) } else { raw(token.utf8.span) }
    }

    /// The members of an opened token.
    mutating func opened(
        _ payload: [UInt8], _ header: ProtectedHeader, _ keyID: String?
    ) throws {
        name("payload")
        string(base64URL: payload.span)
        member("header", json: Array(header.json.utf8))
        member("kid", keyID)
    }

    /// A protected header, or null.
    mutating func member(_ name: StaticString, of header: ProtectedHeader?) {
        guard let header else {
            self.name(name)
            return null()
        }
        member(name, json: Array(header.json.utf8))
    }

    /// An unprotected header.
    mutating func member(_ name: StaticString, _ header: [String: JSONValue]) throws {
        try member(name) { writer in
            for (name, value) in header.sorted(by: { $0.key < $1.key }) {
                writer.name(name)
                try writer.value(value)
            }
        }
    }
}
