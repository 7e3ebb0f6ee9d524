// Reads the metadata of a JWK: of a single key or of an entry of a set.

import JOSEBytes

struct JWKOutline {
    let keyID: JSONNode?
    let algorithm: JSONNode?
    let use: KeyFacts.Use
    let operations: KeyOperations?
    let type: KeyTypeEntry

    /// Rejects an unknown `kty` last, so that a member of a wrong JSON type is always `malformed`.
    init(
        _ members: JWKMembers, _ object: Int, _ text: Span<UInt8>, _ tree: Span<JSONNode>,
        _ limits: JOSELimits
    ) throws(KeyDefect) {
        guard !tree[object].hasDuplicates else {
            throw JWKOutline.duplicate(object, text, tree)
        }
        guard let kty = try JWKFields.node(.kty, members, tree) else {
            throw KeyDefect.malformed(.kty, "{} is missing")
        }
        keyID = try JWKFields.node(.kid, members, tree)
        if let keyID, keyID.end - keyID.start > limits.keyIDBytes {
            throw KeyDefect(
                .kid,
                .limitExceeded(
                    .key, "kid has {} bytes; at most {} are allowed (JOSELimits.keyIDBytes)",
                    .number(keyID.end - keyID.start), .number(limits.keyIDBytes)))
        }
        use = try JWKFields.use(members, text, tree)
        operations =
            members[.keyOps] == nil ? nil : try JWKFields.operations(members, text, tree)
        algorithm = try JWKFields.node(.alg, members, tree)
        guard let type = KeyTypeEntry(kty, in: text) else {
            throw KeyDefect(
                .kty, .keyUnusable("the key type (kty) is not supported: RSA, EC, OKP, AKP or oct"))
        }
        self.type = type
    }

    private static func duplicate(
        _ object: Int, _ text: Span<UInt8>, _ tree: Span<JSONNode>
    ) -> KeyDefect {
        guard let member = JWKMembers.firstTwice(of: object, in: text, tree) else {
            return KeyDefect(
                nil, .malformed(.key, "the key, or an object in it, has a member twice"))
        }
        return .malformed(member, "the key has the member {} twice")
    }
}
