// The storage of a public key set: the text, its records, and the keys prepared so far.
//
// A broken entry is not strict JSON. A skipped entry turned out to be unusable when the set was
// read; broken entries are skipped too. A late defect is found only at the first use of a key. A
// key with a defect matches no query.

import JOSEBytes
import JOSECrypto
import Synchronization

extension PublicJWKSet {
    package final class Storage: Sendable {
        /// The JSON of the set without a byte order mark; for a set made of keys, their `kid`
        /// and `alg` values, joined.
        package let text: [UInt8]
        /// The keys that the set was made of; empty for a set that was read.
        private let given: [JWK]
        package let records: [Record]
        /// The defects of broken entries, by index; nil if there are none.
        private let broken: [Int: KeyDefect]?
        private let limits: JOSELimits
        private let table: KeyIDTable
        /// The options of all keys; nil if the keys that the set was made of have
        /// different options.
        let options: OperationOptions?
        /// The prepared keys, by the index of the entry; empty before the first is prepared.
        private let prepared = Lock<[PreparedKey?]>([])
        /// What the first use of each key found: its defects, and which entries are equal. Nil
        /// before the first use.
        let findings = Lock<KeyFindings?>(nil)
        /// Whether `findings` has a defect.
        let hasLateDefects = Atomic<Bool>(false)

        /// Reads the entries of `json`. If the same bytes are in an array, pass the array as
        /// `text`: it is kept without a copy.
        package init(
            _ json: Span<UInt8>, _ limits: JOSELimits, text: [UInt8]? = nil
        ) throws(JOSEError) {
            var records: [Record] = []
            var broken: [Int: KeyDefect]?
            try JWKDocument.forEachKey(json, limits) {
                (text, tree, entry, index, count, defect) throws(JOSEError) in
                let record: Record
                if let defect {
                    record = try Record(broken: entry, index, text, tree)
                    broken = broken ?? [:]
                    broken?[index] = defect
                } else {
                    do throws(KeyDefect) {
                        record = try Record(text, tree, entry, index, limits)
                    } catch {
                        guard !error.endsSet else { throw error.error }
                        record = Record(skipped: entry, text, tree)
                    }
                }
                // Reserve capacity only after the first entry was read, and bounded by the text's
                // size, in case the count is misleading.
                if index == 0 { records.reserveCapacity(min(count, text.count / 64)) }
                records.append(record)
            }
            let range = JSONText.withoutMark(json)
            // An array with much spare capacity is not kept.
            let kept = text.flatMap {
                $0.capacity < 2 * $0.count && range.count == $0.count ? $0 : nil
            }
            self.text =
                kept
                ?? [UInt8](capacity: range.count) { $0.append(copying: json.extracting(range)) }
            table = KeyIDTable(records, json.extracting(range))
            self.records = records
            self.broken = broken
            self.limits = limits
            given = []
            options = []
        }

        /// Stores the public parts of keys.
        init(_ keys: [JWK]) throws(JOSEError) {
            var names = NameText()
            var records: [Record] = []
            var given: [JWK] = []
            records.reserveCapacity(keys.count)
            given.reserveCapacity(keys.count)
            for key in keys {
                let publicKey = try key.publicKey
                let prepared = publicKey.prepared
                given.append(
                    prepared.options == prepared.publicOptions
                        ? publicKey : publicKey.withOptions(prepared.publicOptions))
                let algorithm =
                    prepared.material.boundAlgorithm?.description ?? publicKey.algorithm?.name
                var record = Record(
                    entry: JSONNode(.object, at: 0..<0), keyID: names.add(publicKey.keyID),
                    algorithm: names.add(algorithm), facts: publicKey.facts)
                record.isSkipped = !record.facts.kind.isDisjoint(with: .unavailable)
                records.append(record)
            }
            text = names.bytes
            table = KeyIDTable(records, names.bytes.span)
            self.records = records
            broken = nil
            self.given = given
            limits = .standard
            let first = given.first?.prepared.options ?? []
            options = given.allSatisfy { $0.prepared.options == first } ? first : nil
        }

        /// Stores the same keys, to be prepared with other options (kernels or OpenSSL).
        init(_ other: Storage, _ options: OperationOptions) {
            text = other.text
            given = other.given
            records = other.records
            broken = other.broken
            limits = other.limits
            table = other.table
            self.options = options
        }

        /// Whether the set was read from the same text; a byte order mark makes no difference.
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

        func match(_ index: Int, _ query: KeyQuery) -> KeyMatch {
            let record = records[index]
            guard !record.isSkipped else {
                // A skipped record without a kind is defective. One with a kind was skipped only
                // because the provider lacks that kind.
                guard !record.facts.kind.isEmpty else { return .defective }
                let match = match(record, query)
                return match == .matches ? .unsupportedByProvider : match
            }
            if hasLateDefects.load(ordering: .relaxed), lateDefect(index) != nil {
                return .defective
            }
            return match(record, query)
        }

        private func match(_ record: Record, _ query: KeyQuery) -> KeyMatch {
            let text = self.text
            return record.facts.match(
                query,
                sameAlgorithm: record.algorithm.map {
                    JSON.equals($0, query.algorithm, in: text.span)
                })
        }

        /// Returns the prepared key. It is read and fully checked at first use; a defect is
        /// recorded.
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

        package func key(_ index: Int) throws(JOSEError) -> JWK {
            if let defect = defect(index) { throw defect.tokenError }
            if !given.isEmpty {
                let key = given[index]
                guard let options, key.prepared.options != options else { return key }
                return key.withOptions(options)
            }
            let limits = self.limits
            do throws(KeyDefect) {
                let key = try reading(index) { (text, tree) throws(KeyDefect) in
                    try JWK.read(text, tree, at: 0, limits)
                }
                return options.map { $0.isEmpty ? key : key.withOptions($0) } ?? key
            } catch {
                guard !error.isInternal else { throw error.error }
                throw note(index, error)
            }
        }

        /// Scans the object of an entry and passes its nodes to `body`.
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
                // The permitted number of JSON values depends on the text's size: an entry alone
                // can exceed it although the whole set does not.
                throw KeyDefect(nil, error)
            }
            return try result.get()
        }

        /// Reads an entry again for the reason why it is skipped.
        func reread(_ index: Int) -> KeyDefect {
            if let defect = broken?[index] { return defect }
            let record = records[index]
            guard given.isEmpty else { return KeyDefect(.kty, .unsupportedByProvider) }
            guard record.entry.kind == .object else { return JWKDocument.noObject(record.entry) }
            let limits = self.limits
            do throws(KeyDefect) {
                _ = try reading(index) { (text, tree) throws(KeyDefect) in
                    try Record(text, tree, 0, index, limits)
                }
                return KeyDefect(.kty, .unsupportedByProvider)
            } catch {
                return error
            }
        }
    }
}

/// The `kid` and `alg` values of keys that were not read from text, joined, so that records have
/// positions in them.
private struct NameText {
    private(set) var bytes: [UInt8] = []

    mutating func add(_ name: String?) -> JSONNode? {
        guard let name else { return nil }
        let start = bytes.count
        bytes += name.utf8
        return JSONNode(.string, at: start..<bytes.count)
    }
}
