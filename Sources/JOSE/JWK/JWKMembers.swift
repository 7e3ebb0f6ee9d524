// The members of a JWK, found in one pass over the object.

package import JOSEBytes

/// The registered members that this library reads (RFC 7517, 4; RFC 7518, 6; RFC 9964, 3).
package enum JWKMember: Int, CaseIterable, Sendable {
    case kty, kid, use, alg, keyOps, x5u, x5c, x5t, x5tS256
    case n, e, crv, x, y, pub
    // Of private and symmetric keys alone.
    case d, p, q, dp, dq, qi, oth, priv, k

    /// Whether only a private or symmetric key has it (RFC 7518, 6).
    package var isSecret: Bool { rawValue >= JWKMember.d.rawValue }

    /// The member that a name node spells, after unescaping.
    package static func find(_ name: JSONNode, in text: Span<UInt8>) -> JWKMember? {
        PackedName(name, in: text).flatMap { JWKMember($0) }
    }

    /// The member of a name: comparisons with constants.
    private init?(_ name: PackedName) {
        switch name {
        case "kty": self = .kty
        case "kid": self = .kid
        case "use": self = .use
        case "alg": self = .alg
        case "key_ops": self = .keyOps
        case "x5u": self = .x5u
        case "x5c": self = .x5c
        case "x5t": self = .x5t
        case "x5t#S256": self = .x5tS256
        case "n": self = .n
        case "e": self = .e
        case "d": self = .d
        case "p": self = .p
        case "q": self = .q
        case "dp": self = .dp
        case "dq": self = .dq
        case "qi": self = .qi
        case "oth": self = .oth
        case "k": self = .k
        case "crv": self = .crv
        case "x": self = .x
        case "y": self = .y
        case "pub": self = .pub
        case "priv": self = .priv
        default: return nil
        }
    }
}

/// Where the value of each known member stands among the nodes.
package struct JWKMembers {
    /// By the members' raw values.
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
        for index in JWKMember.d.rawValue...JWKMember.k.rawValue where nodes[index] >= 0 {
            return true
        }
        return false
    }
}
