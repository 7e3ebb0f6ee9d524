// The members of a JWK, found in one pass over the object.

package import JOSEBytes

/// The registered members that this library reads (RFC 7517, 4; RFC 7518, 6).
package enum JWKMember: Int, CaseIterable, Sendable {
    case kty, kid, use, alg, keyOps, x5u, x5c, x5t, x5tS256
    case n, e, d, p, q, dp, dq, qi, oth, k, crv, x, y

    package var name: StaticString { JWKMember.names[rawValue] }

    private static let names: [StaticString] = [
        "kty", "kid", "use", "alg", "key_ops", "x5u", "x5c", "x5t", "x5t#S256",
        "n", "e", "d", "p", "q", "dp", "dq", "qi", "oth", "k", "crv", "x", "y",
    ]

    private static let table = PackedNames(names)

    /// Members that only a private or symmetric key has (RFC 7518, 6).
    package static let secret: [JWKMember] = [.d, .p, .q, .dp, .dq, .qi, .oth, .k]

    /// The member that a name node spells, after unescaping.
    package static func find(_ name: JSONNode, in text: Span<UInt8>) -> JWKMember? {
        PackedName(name, in: text).flatMap { table.place($0) }.flatMap { JWKMember(rawValue: $0) }
    }
}

/// Where the value of each known member stands among the nodes.
package struct JWKMembers {
    /// As many as `PackedNames` has places.
    private var nodes: [32 of Int32] = .init(repeating: -1)

    package init(of object: Int, in text: Span<UInt8>, _ tree: Span<JSONNode>) {
        var index = object + 1
        let end = tree[object].next
        while index < end {
            if let member = JWKMember.find(tree[index], in: text) {
                nodes[member.rawValue] = Int32(truncatingIfNeeded: index + 1)
            }
            index = tree[index + 1].next
        }
    }

    /// The index of the member's value; nil where it is absent.
    package subscript(_ member: JWKMember) -> Int? {
        let index = nodes[member.rawValue]
        return index < 0 ? nil : Int(index)
    }

    package var hasSecret: Bool {
        for member in JWKMember.secret where self[member] != nil { return true }
        return false
    }
}
