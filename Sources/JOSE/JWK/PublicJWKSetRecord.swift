// The record of an entry of a public key set: its position, and the facts that select keys.

import JOSEBytes

extension PublicJWKSet {
    /// Has positions instead of copies, to be small: a set may have many entries `{}`.
    package struct Record: Sendable {
        private let entryPosition: Position
        private let keyIDPosition: Position
        private let algorithmPosition: Position
        let facts: KeyFacts
        private let kind: JSONNode.Kind
        /// Whether reading found a defect. `Storage.reread` finds the reason again on demand.
        var isSkipped = false
    }

    /// A range of the text and whether it has JSON escapes, in 8 bytes.
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

    /// The entry's node; its range is empty for a key that was not read from text.
    var entry: JSONNode { entryPosition.node(kind) ?? JSONNode(.null, at: 0..<0) }
    var keyID: JSONNode? { keyIDPosition.node(.string) }
    var algorithm: JSONNode? { algorithmPosition.node(.string) }

    init(skipped entry: Int, _ text: Span<UInt8>, _ tree: Span<JSONNode>) {
        let kid = JWKMembers(ofEntry: entry, in: text, tree)?[.kid]
        let keyID = kid.flatMap { tree[$0].kind == .string ? tree[$0] : nil }
        self.init(entry: tree[entry], keyID: keyID, algorithm: nil, facts: .none)
        isSkipped = true
    }

    /// Throws if an entry that the JSON scanner rejects has a private or symmetric member.
    init(
        broken entry: Int, _ index: Int, _ text: Span<UInt8>, _ tree: Span<JSONNode>
    ) throws(JOSEError) {
        if let members = JWKMembers(ofEntry: entry, in: text, tree), members.hasSecret {
            throw KeyDefect.secret(members.firstSecret, index).error
        }
        self.init(skipped: entry, text, tree)
        // Leaves out a `kid` with escapes, since it may have half of a surrogate pair.
        if keyID?.hasEscapes == true {
            self.init(entry: tree[entry], keyID: nil, algorithm: nil, facts: .none)
            isSkipped = true
        }
    }

    /// Reads an entry; throws the reason to skip it. A private or symmetric member rejects the
    /// whole set, so this is checked first. A key of a kind that libcrypto lacks is skipped without
    /// a throw.
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
    var rejectsSet: Bool { error.step == .keySet || isInternal }

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
    /// Throws if `use` or `alg` is present and unknown.
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

private enum KnownAlgorithms {
    private static let all: [StaticString] =
        SignatureAlgorithm.entries.map(\.staticName)
        + KeyManagementAlgorithm.entries.map(\.staticName)
        + ContentEncryptionAlgorithm.entries.map(\.staticName)
    /// Names of at most eight bytes, which most keys use.
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
