// Reads single JWK members: strings, base64url numbers, `use`, `key_ops`.

package import JOSEBytes
package import JOSECrypto

/// All functions throw `malformed` for a wrong JSON type.
package enum JWKFields {
    /// Four times the number of registered values (RFC 7517, 4.3).
    private static let maxOperations = 32

    /// The node of a member that must be a string; nil if the member is absent.
    @inline(__always)
    static func node(
        _ member: JWKMember, _ members: JWKMembers, _ tree: Span<JSONNode>
    ) throws(KeyDefect) -> JSONNode? {
        guard let index = members[member] else { return nil }
        let node = tree[index]
        guard node.kind == .string else { throw notString(member) }
        return node
    }

    @inline(never)
    private static func notString(_ member: JWKMember) -> KeyDefect {
        .malformed(member, "{} is not a string")
    }

    /// The byte range of a base64url member, which must not have JSON escapes; nil if it is absent.
    @inline(__always)
    static func base64URLRange(
        _ member: JWKMember, _ members: JWKMembers, _ tree: Span<JSONNode>
    ) throws(KeyDefect) -> Range<Int>? {
        guard let node = try node(member, members, tree) else { return nil }
        guard !node.hasEscapes else { throw hasEscapes(member) }
        return node.start..<node.end
    }

    @inline(never)
    private static func hasEscapes(_ member: JWKMember) -> KeyDefect {
        .malformed(member, "{} is not base64url: it has JSON escapes")
    }

    package static func bytes(
        _ member: JWKMember, _ members: JWKMembers, _ text: Span<UInt8>, _ tree: Span<JSONNode>
    ) throws(KeyDefect) -> [UInt8]? {
        guard let range = try base64URLRange(member, members, tree) else { return nil }
        return try bytes(member, text.extracting(range))
    }

    @inline(__always)
    static func bytes(
        _ member: JWKMember, _ characters: Span<UInt8>
    ) throws(KeyDefect) -> [UInt8] {
        guard let bytes = Base64URL.decode(characters) else {
            throw notBase64URL(member, characters)
        }
        return bytes
    }

    static func notBase64URL(_ member: JWKMember, _ text: Span<UInt8>) -> KeyDefect {
        for index in text.indices {
            switch text[index] {
            case ...0x20:
                return .malformed(member, "{} is not base64url: it has white space")
            case UInt8(ascii: "="):
                return .malformed(member, "{} is not base64url: it has padding (=)")
            case UInt8(ascii: "+"), UInt8(ascii: "/"):
                return .malformed(
                    member,
                    "{} is not base64url: it has + or /, which base64url writes as - and _")
            default: break
            }
        }
        return .malformed(member, "{} is not base64url (RFC 7515, 2)")
    }

    /// The decoded size in bytes of a base64url member, which is checked but not decoded.
    static func byteCount(
        _ member: JWKMember, _ characters: Span<UInt8>
    ) throws(KeyDefect) -> Int {
        guard Base64URL.isValid(characters), let count = Base64URL.decodedCount(characters.count)
        else { throw notBase64URL(member, characters) }
        return count
    }

    /// A private member, decoded in constant time into memory that is wiped.
    package static func secret(
        _ member: JWKMember, _ members: JWKMembers, _ text: Span<UInt8>, _ tree: Span<JSONNode>
    ) throws(KeyDefect) -> SecretBytes? {
        guard let range = try base64URLRange(member, members, tree) else { return nil }
        let characters = text.extracting(range)
        guard let count = Base64URL.decodedCount(characters.count), count > 0 else {
            throw .malformed(member, "{} is empty or not base64url (RFC 7515, 2)")
        }
        return try SecretBytes(count: count) { (out) throws(KeyDefect) in
            guard Base64URL.decodeSecret(characters, into: &out) else {
                throw .malformed(member, "{} is not base64url (RFC 7515, 2)")
            }
        }
    }

    @inline(__always)
    static func use(
        _ members: JWKMembers, _ text: Span<UInt8>, _ tree: Span<JSONNode>
    ) throws(KeyDefect) -> KeyFacts.Use {
        guard let node = try node(.use, members, tree) else { return .absent }
        switch PackedName(node, in: text) {
        case "sig": return .signature
        case "enc": return .encryption
        default: return .other
        }
    }

    package static func operations(
        _ members: JWKMembers, _ text: Span<UInt8>, _ tree: Span<JSONNode>
    ) throws(KeyDefect) -> KeyOperations? {
        guard let array = members[.keyOps] else { return nil }
        guard tree[array].kind == .array else {
            throw .malformed(.keyOps, "{} is not an array")
        }
        guard tree[array].count <= maxOperations else {
            throw KeyDefect(
                .keyOps,
                .limitExceeded(
                    .key, "key_ops has {} entries; at most {} are allowed",
                    .number(tree[array].count), .number(maxOperations)))
        }
        var operations: KeyOperations = []
        var index = array + 1
        while index < tree[array].next {
            guard tree[index].kind == .string else {
                throw .malformed(.keyOps, "{} has an entry that is not a string")
            }
            for entry in KeyOperations.names where JSON.equals(tree[index], entry.name, in: text) {
                guard operations.insert(entry.operation).inserted else {
                    throw .malformed(.keyOps, "{} names {} twice", .name(entry.name))
                }
            }
            index = tree[index].next
        }
        return operations
    }
}
