// Readers for single JWK members: strings, base64url numbers, use, key_ops.

package import JOSEBytes
package import JOSECrypto

/// Readers of one member each; all refuse a wrong JSON type as `malformed`.
package enum JWKFields {
    /// Four times the words that are registered (RFC 7517, 4.3).
    private static let mostOperations = 32

    package static func string(
        _ member: JWKMember, _ members: JWKMembers, _ text: Span<UInt8>, _ tree: Span<JSONNode>
    ) throws(JOSEError) -> String? {
        guard let index = members[member] else { return nil }
        guard tree[index].kind == .string else {
            throw .malformed(.key, "a JWK member that must be a string is not one")
        }
        return JSON.string(tree[index], in: text)
    }

    /// The base64url text of a member, as a byte range; escapes never stand in base64url.
    package static func base64URLRange(
        _ member: JWKMember, _ members: JWKMembers, _ tree: Span<JSONNode>
    ) throws(JOSEError) -> Range<Int>? {
        guard let index = members[member] else { return nil }
        let node = tree[index]
        guard node.kind == .string, !node.hasEscapes else {
            throw .malformed(.key, "a JWK member that must be base64url is not")
        }
        return node.start..<node.end
    }

    package static func bytes(
        _ member: JWKMember, _ members: JWKMembers, _ text: Span<UInt8>, _ tree: Span<JSONNode>
    ) throws(JOSEError) -> [UInt8]? {
        guard let range = try base64URLRange(member, members, tree) else { return nil }
        guard let bytes = Base64URL.decode(text.extracting(range)) else {
            throw .malformed(.key, "a JWK member is not strict base64url")
        }
        return bytes
    }

    /// A private member, decoded without a branch or look-up on its value into wiped memory.
    package static func secret(
        _ member: JWKMember, _ members: JWKMembers, _ text: Span<UInt8>, _ tree: Span<JSONNode>
    ) throws(JOSEError) -> SecretBytes? {
        guard let range = try base64URLRange(member, members, tree) else { return nil }
        let characters = text.extracting(range)
        guard let count = Base64URL.decodedCount(characters.count), count > 0 else {
            throw .malformed(.key, "a private JWK member is not strict base64url")
        }
        return try SecretBytes(count: count) { (out) throws(JOSEError) in
            guard Base64URL.decodeSecret(characters, into: &out) else {
                throw .malformed(.key, "a private JWK member is not strict base64url")
            }
        }
    }

    static func use(
        _ members: JWKMembers, _ text: Span<UInt8>, _ tree: Span<JSONNode>
    ) throws(JOSEError) -> KeyFacts.Use {
        guard let index = members[.use] else { return .absent }
        guard tree[index].kind == .string else { throw .malformed(.key, "use is not a string") }
        switch PackedName(tree[index], in: text) {
        case "sig": return .signature
        case "enc": return .encryption
        default: return .other
        }
    }

    package static func operations(
        _ members: JWKMembers, _ text: Span<UInt8>, _ tree: Span<JSONNode>
    ) throws(JOSEError) -> KeyOperations? {
        guard let array = members[.keyOps] else { return nil }
        guard tree[array].kind == .array else { throw .malformed(.key, "key_ops is not an array") }
        guard tree[array].count <= mostOperations else {
            throw .limitExceeded(.key, "key_ops has too many entries")
        }
        var operations: KeyOperations = []
        var index = array + 1
        while index < tree[array].next {
            guard tree[index].kind == .string else {
                throw .malformed(.key, "key_ops holds something that is not a string")
            }
            for entry in KeyOperations.words where JSON.equals(tree[index], entry.word, in: text) {
                guard operations.insert(entry.operation).inserted else {
                    throw .malformed(.key, "key_ops names an operation twice")
                }
            }
            index = tree[index].next
        }
        return operations
    }
}
