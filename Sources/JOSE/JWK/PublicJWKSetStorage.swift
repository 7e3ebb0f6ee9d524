// The text of a public key set, where each key stands in it, and the keys prepared so far.

import JOSEBytes
package import JOSECrypto
import Synchronization

extension PublicJWKSet {
    /// What reading notes of a key: positions in the text, no copies.
    package struct Record: Sendable {
        let object: Range<Int>
        let keyID: JSONNode?
        let algorithm: JSONNode?
        let facts: KeyFacts
        /// Why the key cannot be used; nil where nothing is known against it.
        let unusable: JOSEError.Reason?

        /// The same as an error; of a kind that is known, but not to the libcrypto that runs, it is another one.
        var refusal: JOSEError? {
            guard let unusable else { return nil }
            return facts.kind.isEmpty ? JOSEError(.keyUnusable, .key, unusable) : .notHere
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
        package let text: [UInt8]
        package let records: [Record]
        package let skipped: [SkippedKey]
        private let limits: JOSELimits
        private let table: KeyIDTable
        let options: Options
        /// One for each key; none before the first is prepared.
        private let prepared = Lock<[PreparedKey?]>([])

        /// Reads the keys of `json`; `text` is the same bytes where an array has them, which is kept in place of a copy. `options`
        /// are those of each key, or nothing.
        package init(
            _ json: Span<UInt8>, _ limits: JOSELimits, text: [UInt8]? = nil,
            options: [OperationOptions] = []
        ) throws(JOSEError) {
            var records: [Record] = []
            var skipped: [SkippedKey] = []
            try JWKSetText.read(json, limits) {
                (text, tree, object, index, count) throws(JOSEError) in
                let record = try Record(text, tree, object, limits)
                // Once the first key was one, and no more than a text of this size holds: not for what only counts many.
                if index == 0 { records.reserveCapacity(min(count, text.count / 64)) }
                if let reason = record.unusable {
                    skipped.append(SkippedKey(index: index, reason: reason.description))
                }
                records.append(record)
            }
            // An array with more room than text is not kept for as long as the set.
            let kept = text.flatMap { $0.capacity < 2 * $0.count ? $0 : nil }
            self.text = kept ?? [UInt8](capacity: json.count) { $0.append(copying: json) }
            table = KeyIDTable(records, json)
            self.records = records
            self.skipped = skipped
            self.limits = limits
            self.options = Options(options)
        }

        /// The same keys, to be prepared for another way of computing.
        init(_ other: Storage, _ options: Options) {
            text = other.text
            records = other.records
            skipped = other.skipped
            limits = other.limits
            table = other.table
            self.options = options
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
            let text = self.text
            let fit = record.facts.fit(
                query,
                sameAlgorithm: record.algorithm.map {
                    JSON.equals($0, query.algorithm, in: text.span)
                })
            return fit == .fits && record.unusable != nil ? .notHere : fit
        }

        /// The prepared key; read from the text at first use.
        package func preparedKey(_ index: Int) throws(JOSEError) -> PreparedKey {
            if let key = prepared.withLock({ $0.isEmpty ? nil : $0[index] }) { return key }
            let made = try key(index).prepared
            return prepared.withLock { kept in
                if kept.isEmpty { kept = Array(repeating: nil, count: records.count) }
                if let earlier = kept[index] { return earlier }
                kept[index] = made
                return made
            }
        }

        /// The key with its metadata, read anew.
        package func key(_ index: Int) throws(JOSEError) -> JWK {
            if let refusal = records[index].refusal { throw refusal }
            let text = self.text
            let object = records[index].object
            return try JSONText.scanned(text.span.extracting(object), limits, at: .key) {
                (text, tree) throws(JOSEError) in
                let key = try JWK.read(text, tree, at: 0, limits)
                let own = options[index]
                return own.isEmpty ? key : key.computing(own)
            }
        }
    }
}

extension PublicJWKSet.Record {
    /// Reads what selection needs and checks the form of the rest; a private or symmetric member ends the set.
    init(
        _ text: Span<UInt8>, _ tree: Span<JSONNode>, _ object: Int, _ limits: JOSELimits
    ) throws(JOSEError) {
        let members = JWKMembers(of: object, in: text, tree)
        guard let type = members[.kty], tree[type].kind == .string else {
            throw .malformed(.keySet, "a JWK has no kty or one that is not a string")
        }
        let row = KeyTypeTable.row(of: tree[type], in: text)
        guard !members.hasSecret, row?.hasPublicPart ?? true else {
            throw .keyUnusable(
                "a public key set holds a private or symmetric key: of one's own keys it takes JWKSet.publicKeys"
            )
        }
        self.object = tree[object].start..<tree[object].end
        keyID = try Self.string(members[.kid], tree)
        if let keyID, keyID.end - keyID.start > limits.keyIDBytes {
            throw .limitExceeded(.keySet, "a kid is too long (JOSELimits.keyIDBytes)")
        }
        algorithm = try Self.string(members[.alg], tree)
        let use = try JWKFields.use(members, text, tree)
        let operations = try JWKFields.operations(members, text, tree)
        var kind: KeyKind = []
        var unusable: JOSEError.Reason?
        if let row {
            do {
                kind = try row.checkPublic(members, text, tree, limits)
                if !kind.isDisjoint(with: .unavailable) {
                    unusable = JOSEError.notHere.reason
                }
            } catch  where error.code == .keyUnusable {
                unusable = error.reason
            }
        } else {
            unusable = "the key type is not supported"
        }
        facts = KeyFacts(kind: kind, use: use, operations: operations)
        self.unusable = unusable
    }

    private static func string(
        _ index: Int?, _ tree: Span<JSONNode>
    ) throws(JOSEError) -> JSONNode? {
        guard let index else { return nil }
        guard tree[index].kind == .string else {
            throw .malformed(.keySet, "a JWK member that must be a string is not one")
        }
        return tree[index]
    }
}
