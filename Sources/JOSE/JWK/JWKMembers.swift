// Finds the members of a JWK in one pass over the object.

package import JOSEBytes

/// The registered members that this library reads (RFC 7517, 4; RFC 7518, 6; RFC 9964, 3).
package enum JWKMember: Int, CaseIterable, Sendable {
    case kty, kid, use, alg, keyOps, x5u, x5c, x5t, x5tS256
    case n, e, crv, x, y, pub
    // The cases from here on are members of private and symmetric keys only (`isSecret`).
    case d, p, q, dp, dq, qi, oth, priv, k

    package var isSecret: Bool { rawValue >= JWKMember.d.rawValue }

    package var name: StaticString { JWKMember.names[rawValue] }

    private static let names: [StaticString] = [
        "kty", "kid", "use", "alg", "key_ops", "x5u", "x5c", "x5t", "x5t#S256",
        "n", "e", "crv", "x", "y", "pub",
        "d", "p", "q", "dp", "dq", "qi", "oth", "priv", "k",
    ]

    /// The member whose name this node is, after unescaping; nil for unknown names.
    @inline(__always)
    package static func find(_ name: JSONNode, in text: Span<UInt8>) -> JWKMember? {
        PackedName(name, in: text).flatMap { JWKMember($0) }
    }

    /// Compares with constants, the most common names first.
    private init?(_ name: PackedName) {
        switch name {
        case "kty": self = .kty
        case "n": self = .n
        case "e": self = .e
        case "kid": self = .kid
        case "use": self = .use
        case "alg": self = .alg
        case "crv": self = .crv
        case "x": self = .x
        case "y": self = .y
        case "key_ops": self = .keyOps
        case "x5u": self = .x5u
        case "x5c": self = .x5c
        case "x5t": self = .x5t
        case "x5t#S256": self = .x5tS256
        case "d": self = .d
        case "p": self = .p
        case "q": self = .q
        case "dp": self = .dp
        case "dq": self = .dq
        case "qi": self = .qi
        case "oth": self = .oth
        case "k": self = .k
        case "pub": self = .pub
        case "priv": self = .priv
        default: return nil
        }
    }
}

/// The nodes of the values of the known members. A member with the value `null` counts as absent,
/// except a private or symmetric one: its name alone shows that the key is not public.
package struct JWKMembers {
    /// Indexed by the members' raw values; -1 if absent.
    private var nodes: [32 of Int32] = .init(repeating: -1)
    /// Whether there is a private or symmetric member, even if its value is null.
    package private(set) var hasSecret = false

    package init(of object: Int, in text: Span<UInt8>, _ tree: Span<JSONNode>) {
        var index = object + 1
        let end = tree[object].next
        while index < end {
            let value = tree[index + 1]
            if let member = JWKMember.find(tree[index], in: text) {
                if member.isSecret { hasSecret = true }
                if value.kind != .null || member.isSecret {
                    nodes[member.rawValue] = Int32(truncatingIfNeeded: index + 1)
                }
            }
            index = value.next
        }
    }

    init?(ofEntry entry: Int, in text: Span<UInt8>, _ tree: Span<JSONNode>) {
        guard tree[entry].kind == .object else { return nil }
        self.init(of: entry, in: text, tree)
    }

    static func keyID(
        ofEntry entry: Int, in text: Span<UInt8>, _ tree: Span<JSONNode>
    ) -> String? {
        guard let kid = JWKMembers(ofEntry: entry, in: text, tree)?[.kid],
            tree[kid].kind == .string
        else { return nil }
        return JSON.string(tree[kid], in: text)
    }

    package subscript(_ member: JWKMember) -> Int? {
        let index = nodes[member.rawValue]
        return index < 0 ? nil : Int(index)
    }

    var firstSecret: JWKMember? {
        JWKMember.allCases.first { $0.isSecret && self[$0] != nil }
    }

    /// Returns the first member that occurs again; ignores unknown names and inner objects.
    static func firstTwice(
        of object: Int, in text: Span<UInt8>, _ tree: Span<JSONNode>
    ) -> JWKMember? {
        var seen: UInt32 = 0
        var index = object + 1
        while index < tree[object].next {
            if let member = JWKMember.find(tree[index], in: text) {
                let bit = UInt32(1) << UInt32(member.rawValue)
                if seen & bit != 0 { return member }
                seen |= bit
            }
            index = tree[index + 1].next
        }
        return nil
    }
}
