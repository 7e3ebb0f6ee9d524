// The entries of a public key set: what each says, why some are skipped, and the keys prepared so
// far.

import JOSEBytes
import JOSECrypto
import Synchronization

extension PublicJWKSet {
    /// What is noted of an entry: positions in the set's text, no copies. 32 bytes, since an entry
    /// may be two bytes of text.
    package struct Record: Sendable {
        private let entryPlace: Place
        private let keyIDPlace: Place
        private let algorithmPlace: Place
        let facts: KeyFacts
        private let kind: JSONNode.Kind
        /// Whether reading showed that it cannot be used. Why is read again when somebody asks.
        fileprivate(set) var isSkipped = false
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

    /// How the keys compute.
    enum Options: Equatable {
        case all(OperationOptions)
        /// Key by key, where they differ.
        case each([OperationOptions])

        init(_ options: [OperationOptions]) {
            guard let first = options.first else {
                self = .all([])
                return
            }
            self = options.allSatisfy { $0 == first } ? .all(first) : .each(options)
        }

        subscript(_ index: Int) -> OperationOptions {
            switch self {
            case .all(let options): options
            case .each(let options): options[index]
            }
        }
    }

    package final class Storage: Sendable {
        /// The JSON that the set was read from, without a byte order mark; of a set that was made
        /// of keys, their names.
        package let text: [UInt8]
        /// The keys that the set was made of; empty where it was read.
        private let given: [JWK]
        package let records: [Record]
        private let limits: JOSELimits
        private let table: KeyIDTable
        let options: Options
        /// One for each key; none before the first is prepared.
        private let prepared = Lock<[PreparedKey?]>([])
        /// What was found of a key when it was first used, by its place.
        private let lateDefects = Lock<[Int: KeyDefect]>([:])
        private let hasLateDefects = Atomic<Bool>(false)
        private let identities = Lock(KeyIdentities())

        /// Reads the entries of `json`; `text` is the same bytes where an array has them, which is
        /// kept in place of a copy.
        package init(
            _ json: Span<UInt8>, _ limits: JOSELimits, text: [UInt8]? = nil
        ) throws(JOSEError) {
            var records: [Record] = []
            try JWKDocument.forEachKey(json, limits) {
                (text, tree, entry, index, count) throws(JOSEError) in
                var record = Record(entry: tree[entry])
                do throws(KeyDefect) {
                    try record.read(text, tree, entry, index, limits)
                } catch {
                    guard !error.endsSet else { throw error.error }
                    record.isSkipped = true
                }
                // Once the first entry was read, and no more than a text of this size holds: not
                // for what only counts many.
                if index == 0 { records.reserveCapacity(min(count, text.count / 64)) }
                records.append(record)
            }
            let range = JSONText.withoutMark(json)
            // An array with more room than text is not kept for as long as the set.
            let kept = text.flatMap {
                $0.capacity < 2 * $0.count && range.count == $0.count ? $0 : nil
            }
            self.text =
                kept
                ?? [UInt8](capacity: range.count) { $0.append(copying: json.extracting(range)) }
            table = KeyIDTable(records, json.extracting(range))
            self.records = records
            self.limits = limits
            given = []
            options = .all([])
        }

        /// The public parts of keys, as they are.
        init(_ keys: [JWK]) throws(JOSEError) {
            var names = NameText()
            var records: [Record] = []
            var given: [JWK] = []
            records.reserveCapacity(keys.count)
            given.reserveCapacity(keys.count)
            for key in keys {
                let side = key.publicKey
                guard side.prepared.material.kind.isDisjoint(with: .oct) else {
                    throw .keyUnusable("a symmetric key has no public part")
                }
                let options = side.prepared.publicOptions
                given.append(side.prepared.options == options ? side : side.computing(options))
                let algorithm =
                    side.prepared.material.boundAlgorithm?.description ?? side.algorithm
                var record = Record(
                    entry: JSONNode(.object, at: 0..<0), keyID: names.add(side.keyID),
                    algorithm: names.add(algorithm), facts: side.facts)
                record.isSkipped = !record.facts.kind.isDisjoint(with: .unavailable)
                records.append(record)
            }
            text = names.bytes
            table = KeyIDTable(records, names.bytes.span)
            self.records = records
            self.given = given
            limits = .standard
            options = Options(given.map(\.prepared.options))
        }

        /// The same keys, to be prepared for another way of computing.
        init(_ other: Storage, _ options: Options) {
            text = other.text
            given = other.given
            records = other.records
            limits = other.limits
            table = other.table
            self.options = options
        }

        /// Whether a set with this text would be the same; a byte order mark makes no difference.
        package func isRead(from json: Span<UInt8>) -> Bool {
            let text = self.text
            return given.isEmpty
                && equal(text.span, json.extracting(JSONText.withoutMark(json)))
        }

        func forEachKey(withID keyID: Span<UInt8>, _ body: (Int) -> Void) {
            let text = self.text
            table.forEach(keyID) { index in
                guard let own = records[index].keyID, JSON.equals(own, keyID, in: text.span) else {
                    return
                }
                body(index)
            }
        }

        func fit(_ index: Int, _ query: KeyQuery) -> KeyFit {
            let record = records[index]
            guard !record.isSkipped else { return fit(record, query) }
            if hasLateDefects.load(ordering: .relaxed), lateDefect(index) != nil {
                return .defective
            }
            let text = self.text
            return record.facts.fit(
                query,
                sameAlgorithm: record.algorithm.map {
                    JSON.equals($0, query.algorithm, in: text.span)
                })
        }

        /// A key of a kind that the libcrypto that runs lacks is another matter than one that
        /// nobody could use.
        private func fit(_ record: Record, _ query: KeyQuery) -> KeyFit {
            guard !record.facts.kind.isEmpty else { return .defective }
            let text = self.text
            let fit = record.facts.fit(
                query,
                sameAlgorithm: record.algorithm.map {
                    JSON.equals($0, query.algorithm, in: text.span)
                })
            return fit == .fits ? .notHere : fit
        }

        /// The prepared key, read from the text at first use and checked whole: later defects count
        /// from then on.
        package func preparedKey(_ index: Int) throws(JOSEError) -> PreparedKey {
            if let key = prepared.withLock({ $0.isEmpty ? nil : $0[index] }) { return key }
            let made = try key(index).prepared
            do {
                _ = try made.material.native()
            } catch {
                guard error.code == .keyUnusable else { throw error }
                throw note(index, KeyDefect(nil, error))
            }
            return prepared.withLock { kept in
                if kept.isEmpty { kept = Array(repeating: nil, count: records.count) }
                if let earlier = kept[index] { return earlier }
                kept[index] = made
                return made
            }
        }

        /// The key with its metadata, read anew.
        package func key(_ index: Int) throws(JOSEError) -> JWK {
            if let defect = defect(index) { throw defect.refusal }
            let own = options[index]
            if !given.isEmpty {
                let key = given[index]
                return key.prepared.options == own ? key : key.computing(own)
            }
            let limits = self.limits
            do throws(KeyDefect) {
                let key = try reading(index) { (text, tree) throws(KeyDefect) in
                    try JWK.read(text, tree, at: 0, limits)
                }
                return own.isEmpty ? key : key.computing(own)
            } catch {
                guard !error.isInternal else { throw error.error }
                throw note(index, error)
            }
        }

        /// Lends the nodes of an entry's object, scanned by itself.
        private func reading<Value>(
            _ index: Int,
            _ body: (Span<UInt8>, Span<JSONNode>) throws(KeyDefect) -> Value
        ) throws(KeyDefect) -> Value {
            let text = self.text
            let entry = records[index].entry
            let result: Result<Value, KeyDefect>
            do throws(JOSEError) {
                result = try JSONText.document(
                    text.span.extracting(entry.start..<entry.end), limits, at: .key,
                    duplicates: .marked
                ) { (text, tree) throws(JOSEError) in
                    do throws(KeyDefect) {
                        return .success(try body(text, tree))
                    } catch {
                        return .failure(error)
                    }
                }
            } catch {
                // An entry may be denser than the whole set.
                throw KeyDefect(nil, error)
            }
            return try result.get()
        }

        /// Reads again why an entry is skipped.
        private func reread(_ index: Int) -> KeyDefect {
            let record = records[index]
            guard given.isEmpty else { return KeyDefect(.kty, .notHere) }
            guard record.entry.kind == .object else { return JWKDocument.noObject(record.entry) }
            let limits = self.limits
            do throws(KeyDefect) {
                try reading(index) { (text, tree) throws(KeyDefect) in
                    var record = Record(entry: tree[0])
                    try record.read(text, tree, 0, index, limits)
                }
                return KeyDefect(nil, .keyUnusable("the key cannot be used"))
            } catch {
                return error
            }
        }
    }
}

// MARK: Defects

extension PublicJWKSet.Storage {
    /// Why an entry cannot be used, as far as is known.
    func defect(_ index: Int) -> KeyDefect? {
        if records[index].isSkipped { return reread(index) }
        return hasLateDefects.load(ordering: .relaxed) ? lateDefect(index) : nil
    }

    /// Whether reading the set showed nothing against an entry.
    func isUsable(_ index: Int) -> Bool { !records[index].isSkipped }

    /// What a token is told that names an entry that cannot be used.
    func refusal(_ index: Int, _ fit: KeyFit, _ query: KeyQuery) -> JOSEError {
        (fit == .defective ? defect(index)?.refusal : nil) ?? fit.error(query, names(index))
    }

    /// The places of all entries that are known not to be usable.
    var skippedIndices: [Int] {
        guard hasLateDefects.load(ordering: .relaxed) else {
            return records.indices.filter { records[$0].isSkipped }
        }
        let late = lateDefects.withLock { Set($0.keys) }
        return records.indices.filter { records[$0].isSkipped || late.contains($0) }
    }

    /// What is reported of such an entry; nil for another one.
    func skipped(_ index: Int) -> SkippedKey? {
        guard let defect = defect(index) else { return nil }
        let text = self.text
        let keyID = records[index].keyID.map { JSON.string($0, in: text.span) }
        return SkippedKey(index: index, keyID: keyID, defect)
    }

    private func lateDefect(_ index: Int) -> KeyDefect? {
        lateDefects.withLock { $0[index] }
    }

    /// Notes what the first use of a key showed; returns what its user is told.
    private func note(_ index: Int, _ defect: KeyDefect) -> JOSEError {
        lateDefects.withLock { $0[index] = defect }
        hasLateDefects.store(true, ordering: .releasing)
        return defect.refusal
    }

    /// The first of each key among entries that are eligible together: entries that are equal in
    /// kid, kty, use, alg, key and `x5c` are one. Those whose first use shows a defect are left
    /// out, where no more than 16 keys are left.
    func distinct(_ indices: [Int]) throws(JOSEError) -> [Int] {
        var found: [Int] = []
        var seen: Set<Int> = []
        for index in indices {
            guard let identity = try identity(index), seen.insert(identity).inserted else {
                continue
            }
            found.append(index)
        }
        guard found.count > 1, found.count <= PublicJWKSet.Storage.mostPrepared else {
            return found
        }
        var sound: [Int] = []
        for index in found {
            do throws(JOSEError) {
                _ = try preparedKey(index)
                sound.append(index)
            } catch {
                guard error.code != .internal else { throw error }
            }
        }
        return sound
    }

    private static let mostPrepared = 16

    /// The same number for equal entries; nil for one that reading shows to be unusable.
    /// Remembered.
    private func identity(_ index: Int) throws(JOSEError) -> Int? {
        if let known = identities.withLock({ $0.numbers[index] }) { return known }
        let key: JWK
        do throws(JOSEError) {
            key = try self.key(index)
        } catch {
            guard error.code != .internal else { throw error }
            return nil
        }
        let text = key.identity
        return identities.withLock { $0.number(index, text) }
    }
}

/// Which entries of a set are equal.
private struct KeyIdentities {
    private var first: [[UInt8]: Int] = [:]
    private(set) var numbers: [Int: Int] = [:]

    mutating func number(_ index: Int, _ text: [UInt8]) -> Int {
        let number = first[text] ?? index
        first[text] = number
        numbers[index] = number
        return number
    }
}

/// The names of keys that were not read from a text, put together so that a record finds them by
/// position.
private struct NameText {
    private(set) var bytes: [UInt8] = []

    mutating func add(_ name: String?) -> JSONNode? {
        guard let name else { return nil }
        let start = bytes.count
        bytes += name.utf8
        return JSONNode(.string, at: start..<bytes.count)
    }
}

extension PublicJWKSet.Record {
    fileprivate init(entry: JSONNode, keyID: JSONNode?, algorithm: JSONNode?, facts: KeyFacts) {
        entryPlace = PublicJWKSet.Place(entry)
        keyIDPlace = PublicJWKSet.Place(keyID)
        algorithmPlace = PublicJWKSet.Place(algorithm)
        kind = entry.kind
        self.facts = facts
    }

    /// Where it is; of a key that was not read from a text, nowhere.
    var entry: JSONNode { entryPlace.node(kind) ?? JSONNode(.null, at: 0..<0) }
    var keyID: JSONNode? { keyIDPlace.node(.string) }
    var algorithm: JSONNode? { algorithmPlace.node(.string) }

    fileprivate init(entry: JSONNode, keyID: JSONNode? = nil) {
        self.init(entry: entry, keyID: keyID, algorithm: nil, facts: .none)
    }

    /// Reads what selection needs and checks the form of the rest.
    ///
    /// A private or symmetric member ends the set; it is looked for before anything makes the entry
    /// be skipped.
    fileprivate mutating func read(
        _ text: Span<UInt8>, _ tree: Span<JSONNode>, _ entry: Int, _ index: Int,
        _ limits: JOSELimits
    ) throws(KeyDefect) {
        let node = tree[entry]
        guard node.kind == .object else { throw JWKDocument.noObject(node) }
        let members = JWKMembers(of: entry, in: text, tree)
        var keyID: JSONNode?
        if let kid = members[.kid], tree[kid].kind == .string { keyID = tree[kid] }
        self = PublicJWKSet.Record(entry: node, keyID: keyID)
        guard !members.hasSecret else { throw .secret(members.firstSecret, index) }
        let outline = try JWKOutline(members, entry, text, tree, limits)
        guard outline.row.hasPublicPart else { throw .secret(.kty, index) }
        let kind = try outline.row.checkPublic(members, text, tree, limits)
        try outline.checkPublished(text)
        self = PublicJWKSet.Record(
            entry: node, keyID: outline.keyID, algorithm: outline.algorithm,
            facts: KeyFacts(kind: kind, use: outline.use, operations: outline.operations))
        guard kind.isDisjoint(with: .unavailable) else { throw KeyDefect(.kty, .notHere) }
    }
}

extension KeyDefect {
    /// Whether the whole set is rejected.
    fileprivate var endsSet: Bool { error.step == .keySet || isInternal }

    fileprivate static func secret(_ member: JWKMember?, _ index: Int) -> KeyDefect {
        KeyDefect(
            member,
            JOSEError(
                .keyUnusable, .keySet,
                JOSEError.Reason(
                    "key {} of a public key set is private or symmetric (member {}): publish JWKSet.publicKeys, and make known private keys new",
                    .number(index + 1), .name(member?.name ?? "kty"))))
    }
}

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
        for refused in RefusedAlgorithm.all where JSON.equals(algorithm, refused.name, in: text) {
            return KeyDefect(.alg, .keyUnusable("alg {} is not supported", .name(refused.name)))
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
        if let packed = PackedName(name, in: text) { return short.contains(packed) }
        return long.contains { JSON.equals(name, $0, in: text) }
    }
}

extension JWK {
    /// What makes a key one of its set: kid, kty, use, alg, the public numbers and `x5c`; the text
    /// that says so.
    fileprivate var identity: [UInt8] {
        var key = self
        key.keyOperations = nil
        key.certificates = certificates.map {
            CertificateMembers(chain: $0.chain, sha256Thumbprint: nil)
        }
        var writer = JSONWriter()
        key.writePublic(to: &writer)
        return writer.bytes
    }
}
