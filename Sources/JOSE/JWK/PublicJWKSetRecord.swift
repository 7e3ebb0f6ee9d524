// The record of an entry of a public key set: positions in the text, key facts, and whether it is
// skipped.

import JOSEBytes

extension PublicJWKSet {
    /// The record of an entry: positions in the set's text instead of copies. It is small, since an
    /// entry may be as short as two bytes.
    package struct Record: Sendable {
        private let entryPosition: Position
        private let keyIDPosition: Position
        private let algorithmPosition: Position
        let facts: KeyFacts
        private let kind: JSONNode.Kind
        /// Whether reading showed a defect. The reason is read again on demand.
        var isSkipped = false
    }

    /// The position of a value in the text.
    private struct Position: Sendable {
        private let start: UInt32
        private let end: UInt32

        private static let escapes: UInt32 = 1 << 31

        init(_ node: JSONNode?) {
            guard let node else {
                (start, end) = (.max, 0)
                return
            }
            start = UInt32(truncatingIfNeeded: node.start)
            end = UInt32(truncatingIfNeeded: node.end) | (node.hasEscapes ? Position.escapes : 0)
        }

        func node(_ kind: JSONNode.Kind) -> JSONNode? {
            guard start != .max else { return nil }
            return JSONNode(
                kind, at: Int(start)..<Int(end & ~Position.escapes),
                hasEscapes: end & Position.escapes != 0)
        }
    }
}

extension PublicJWKSet.Record {
    init(entry: JSONNode, keyID: JSONNode?, algorithm: JSONNode?, facts: KeyFacts) {
        entryPosition = PublicJWKSet.Position(entry)
        keyIDPosition = PublicJWKSet.Position(keyID)
        algorithmPosition = PublicJWKSet.Position(algorithm)
        kind = entry.kind
        self.facts = facts
    }

    /// The entry's node; empty for a key that was not read from text.
    var entry: JSONNode { entryPosition.node(kind) ?? JSONNode(.null, at: 0..<0) }
    var keyID: JSONNode? { keyIDPosition.node(.string) }
    var algorithm: JSONNode? { algorithmPosition.node(.string) }

    /// The record of a skipped entry: its position and its `kid`.
    init(skipped entry: Int, _ text: Span<UInt8>, _ tree: Span<JSONNode>) {
        let kid = JWKMembers(ofEntry: entry, in: text, tree)?[.kid]
        let keyID = kid.flatMap { tree[$0].kind == .string ? tree[$0] : nil }
        self.init(entry: tree[entry], keyID: keyID, algorithm: nil, facts: .none)
        isSkipped = true
    }

    /// The record of an entry that is not strict JSON; throws if it has a private or symmetric
    /// member.
    init(
        broken entry: Int, _ index: Int, _ text: Span<UInt8>, _ tree: Span<JSONNode>
    ) throws(JOSEError) {
        if let members = JWKMembers(ofEntry: entry, in: text, tree), members.hasSecret {
            throw KeyDefect.secret(members.firstSecret, index).error
        }
        self.init(skipped: entry, text, tree)
        // A `kid` with escapes may have half of a surrogate pair.
        if keyID?.hasEscapes == true {
            self.init(entry: tree[entry], keyID: nil, algorithm: nil, facts: .none)
            isSkipped = true
        }
    }

    /// Reads what selection needs and checks the format of the rest; throws the reason to skip the
    /// entry.
    ///
    /// A key of a kind that libcrypto lacks is skipped without a throw. A private or symmetric
    /// member rejects the set, so it is looked for before other defects.
    init(
        _ text: Span<UInt8>, _ tree: Span<JSONNode>, _ entry: Int, _ index: Int,
        _ limits: JOSELimits
    ) throws(KeyDefect) {
        let node = tree[entry]
        guard node.kind == .object else { throw JWKDocument.noObject(node) }
        let members = JWKMembers(of: entry, in: text, tree)
        guard !members.hasSecret else { throw .secret(members.firstSecret, index) }
        let outline = try JWKOutline(members, entry, text, tree, limits)
        guard outline.type.hasPublicPart else { throw .secret(.kty, index) }
        let kind = try outline.type.checkPublic(members, text, tree, limits)
        try outline.checkPublished(text)
        self.init(
            entry: node, keyID: outline.keyID, algorithm: outline.algorithm,
            facts: KeyFacts(kind: kind, use: outline.use, operations: outline.operations))
        isSkipped = !kind.isDisjoint(with: .unavailable)
    }
}

extension KeyDefect {
    /// Whether the whole set is rejected.
    var endsSet: Bool { error.step == .keySet || isInternal }

    static func secret(_ member: JWKMember?, _ index: Int) -> KeyDefect {
        KeyDefect(
            member,
            JOSEError(
                .keyUnusable, .keySet,
                JOSEError.Reason(
                    """
                    key {} of a public key set is private or symmetric (member {}): publish \
                    JWKSet.publicKeys, and replace every private key that was exposed
                    """,
                    .number(index + 1), .name(member?.name ?? "kty"))))
    }
}

// MARK: Use and algorithm

extension JWKOutline {
    /// Requires that `use` and `alg` are absent or supported by the library.
    @inline(__always)
    fileprivate func checkPublished(_ text: Span<UInt8>) throws(KeyDefect) {
        guard use != .other else {
            throw KeyDefect(.use, .keyUnusable("use is neither sig nor enc"))
        }
        guard let algorithm, !KnownAlgorithms.contains(algorithm, text) else { return }
        throw JWKOutline.unknown(algorithm, text)
    }

    @inline(never)
    private static func unknown(_ algorithm: JSONNode, _ text: Span<UInt8>) -> KeyDefect {
        for rejected in RejectedAlgorithm.all where JSON.equals(algorithm, rejected.name, in: text)
        {
            return KeyDefect(.alg, .keyUnusable("alg {} is not supported", .name(rejected.name)))
        }
        return KeyDefect(.alg, .keyUnusable("alg names no algorithm that this library knows"))
    }
}

/// The supported values of a key's `alg`.
private enum KnownAlgorithms {
    private static let all: [StaticString] =
        SignatureAlgorithm.entries.map(\.staticName)
        + KeyManagementAlgorithm.entries.map(\.staticName)
        + ContentEncryptionAlgorithm.entries.map(\.staticName)
    /// The names of at most eight bytes, which most keys use.
    private static let short: [PackedName] = all.compactMap { name in
        name.utf8CodeUnitCount <= 8 ? PackedName(stringLiteral: name) : nil
    }
    private static let long: [StaticString] = all.filter { $0.utf8CodeUnitCount > 8 }

    static func contains(_ name: JSONNode, _ text: Span<UInt8>) -> Bool {
        guard let packed = PackedName(name, in: text) else {
            return long.contains { JSON.equals(name, $0, in: text) }
        }
        // The most common names.
        switch packed {
        case "RS256", "ES256", "PS256", "EdDSA": return true
        default: return short.contains(packed)
        }
    }
}
