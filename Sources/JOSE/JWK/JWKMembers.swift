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

    /// Members that only a private or symmetric key has (RFC 7518, 6).
    package static let secret: [JWKMember] = [.d, .p, .q, .dp, .dq, .qi, .oth, .k]

    /// The member that a name node spells; names with escapes are compared after unescaping.
    package static func find(_ name: JSONNode, in text: Span<UInt8>) -> JWKMember? {
        if name.hasEscapes {
            return JSON.packedName(name, in: text).flatMap { byPackedName($0) }
        }
        let count = name.end - name.start
        guard count > 0, count <= 8 else { return nil }
        var packed: UInt64 = 0
        for index in name.start..<name.end { packed = packed << 8 | UInt64(text[index]) }
        return byPackedName(packed)
    }

    /// The name's bytes as one big-endian number, so that one comparison finds the member.
    private static func byPackedName(_ packed: UInt64) -> JWKMember? {
        switch packed {
        case 0x6b_7479: .kty
        case 0x6b_6964: .kid
        case 0x75_7365: .use
        case 0x61_6c67: .alg
        case 0x6b_6579_5f6f_7073: .keyOps
        case 0x78_3575: .x5u
        case 0x78_3563: .x5c
        case 0x78_3574: .x5t
        case 0x7835_7423_5332_3536: .x5tS256
        case 0x6e: .n
        case 0x65: .e
        case 0x64: .d
        case 0x70: .p
        case 0x71: .q
        case 0x6470: .dp
        case 0x6471: .dq
        case 0x7169: .qi
        case 0x6f_7468: .oth
        case 0x6b: .k
        case 0x63_7276: .crv
        case 0x78: .x
        case 0x79: .y
        default: nil
        }
    }
}

/// Where the value of each known member stands among the nodes.
package struct JWKMembers {
    private var nodes: [22 of Int32] = .init(repeating: -1)

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
