// What is noted of an entry of a public key set when the set is read: positions, what the key is
// for, and whether it can be used.

import JOSEBytes

extension PublicJWKSet {
    /// What is noted of an entry: positions in the set's text, no copies. 32 bytes, since an entry
    /// may be two bytes of text.
    package struct Record: Sendable {
        private let entryPlace: Place
        private let keyIDPlace: Place
        private let algorithmLocation: Place
        let facts: KeyFacts
        private let kind: JSONNode.Kind
        /// Whether reading showed that it cannot be used. Why is read again when somebody asks.
        var isSkipped = false
    }

    /// Where a value is in the text.
    private struct Place: Sendable {
        private let start: UInt32
        private let end: UInt32

        private static let escapes: UInt32 = 1 << 31

        init(_ node: JSONNode?) {
            guard let node else {
                (start, end) = (.max, 0)
                return
            }
            start = UInt32(truncatingIfNeeded: node.start)
            end = UInt32(truncatingIfNeeded: node.end) | (node.hasEscapes ? Place.escapes : 0)
        }

        func node(_ kind: JSONNode.Kind) -> JSONNode? {
            guard start != .max else { return nil }
            return JSONNode(
                kind, at: Int(start)..<Int(end & ~Place.escapes),
                hasEscapes: end & Place.escapes != 0)
        }
    }
}

extension PublicJWKSet.Record {
    init(entry: JSONNode, keyID: JSONNode?, algorithm: JSONNode?, facts: KeyFacts) {
        entryPlace = PublicJWKSet.Place(entry)
        keyIDPlace = PublicJWKSet.Place(keyID)
        algorithmLocation = PublicJWKSet.Place(algorithm)
        kind = entry.kind
        self.facts = facts
    }

    /// Where it is; of a key that was not read from a text, nowhere.
    var entry: JSONNode { entryPlace.node(kind) ?? JSONNode(.null, at: 0..<0) }
    var keyID: JSONNode? { keyIDPlace.node(.string) }
    var algorithm: JSONNode? { algorithmLocation.node(.string) }

    /// An entry that is skipped: where it is, and its `kid`.
    init(skipped entry: Int, _ text: Span<UInt8>, _ tree: Span<JSONNode>) {
        let kid = JWKMembers(ofEntry: entry, in: text, tree)?[.kid]
        let keyID = kid.flatMap { tree[$0].kind == .string ? tree[$0] : nil }
        self.init(entry: tree[entry], keyID: keyID, algorithm: nil, facts: .none)
        isSkipped = true
    }

    /// An entry that is no strict JSON; throws where it has a private or symmetric member.
    init(
        broken entry: Int, _ index: Int, _ text: Span<UInt8>, _ tree: Span<JSONNode>
    ) throws(JOSEError) {
        if let members = JWKMembers(ofEntry: entry, in: text, tree), members.hasSecret {
            throw KeyDefect.secret(members.firstSecret, index).error
        }
        self.init(skipped: entry, text, tree)
        // One with escapes may have half of a surrogate pair.
        if keyID?.hasEscapes == true {
            self.init(entry: tree[entry], keyID: nil, algorithm: nil, facts: .none)
            isSkipped = true
        }
    }

    /// Reads what selection needs and checks the form of the rest; throws why an entry is skipped.
    ///
    /// A key that only the libcrypto that runs lacks is skipped without a throw. A private or
    /// symmetric member ends the set; it is looked for before anything makes the entry be skipped.
    init(
        _ text: Span<UInt8>, _ tree: Span<JSONNode>, _ entry: Int, _ index: Int,
        _ limits: JOSELimits
    ) throws(KeyDefect) {
        let node = tree[entry]
        guard node.kind == .object else { throw JWKDocument.noObject(node) }
        let members = JWKMembers(of: entry, in: text, tree)
        guard !members.hasSecret else { throw .secret(members.firstSecret, index) }
        let outline = try JWKOutline(members, entry, text, tree, limits)
        guard outline.row.hasPublicPart else { throw .secret(.kty, index) }
        let kind = try outline.row.checkPublic(members, text, tree, limits)
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
    /// Whether others can mean a key for something that this library does: its `use` and `alg` are
    /// known.
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
        for rejected in RejectedAlgorithm.all where JSON.equals(algorithm, rejected.name, in: text) {
            return KeyDefect(.alg, .keyUnusable("alg {} is not supported", .name(rejected.name)))
        }
        return KeyDefect(.alg, .keyUnusable("alg names no algorithm that this library knows"))
    }
}

/// The names that `alg` of a key may have.
private enum KnownAlgorithms {
    private static let all: [StaticString] =
        SignatureAlgorithm.rows.map(\.word) + KeyManagementAlgorithm.rows.map(\.word)
        + ContentEncryptionAlgorithm.rows.map(\.word)
    /// Those of at most eight bytes, which are most of those that keys have.
    private static let short: [PackedName] = all.compactMap { word in
        word.utf8CodeUnitCount <= 8 ? PackedName(stringLiteral: word) : nil
    }
    private static let long: [StaticString] = all.filter { $0.utf8CodeUnitCount > 8 }

    static func contains(_ name: JSONNode, _ text: Span<UInt8>) -> Bool {
        guard let packed = PackedName(name, in: text) else {
            return long.contains { JSON.equals(name, $0, in: text) }
        }
        // Most keys are for one of these.
        switch packed {
        case "RS256", "ES256", "PS256", "EdDSA": return true
        default: return short.contains(packed)
        }
    }
}
