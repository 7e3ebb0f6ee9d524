// The storage of a public key set: the text, its records, and the keys prepared so far.
//
// A broken entry is one that the JSON scanner rejects. A skipped entry turned out to be unusable
// when the set was read; broken entries are skipped too. A late defect is found at the first use of
// a key. A key with a defect matches no query.

import JOSEBytes
import JOSECrypto
import Synchronization

extension PublicJWKSet {
    package final class Storage: Sendable {
        /// The JSON without a byte order mark. For a set made of keys, see `NameText`.
        package let text: [UInt8]
        /// The keys that the set was made of; empty for a set that was read.
        private let given: [JWK]
        package let records: [Record]
        /// The defects of broken entries, by index; nil if there are none.
        private let broken: [Int: KeyDefect]?
        private let limits: JOSELimits
        private let table: KeyIDTable
        /// Nil if the keys that the set was made of have different options.
        let options: OperationOptions?
        /// By the index of the entry; empty before the first key is prepared.
        private let prepared = Lock<[PreparedKey?]>([])
        /// Nil until the use of a key finds something.
        let findings = Lock<KeyFindings?>(nil)
        /// Whether `findings` has a defect.
        let hasLateDefects = Atomic<Bool>(false)

        /// May keep `text`, an array of the same bytes as `json`, instead of a copy of `json`.
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
                        guard !error.rejectsSet else { throw error.error }
                        record = Record(skipped: entry, text, tree)
                    }
                }
                // Reserves after the first entry was read, and bounded by the text's size: the
                // `count` of a hostile set must not reserve much.
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

        init(_ other: Storage, _ options: OperationOptions) {
            text = other.text
            given = other.given
            records = other.records
            broken = other.broken
            limits = other.limits
            table = other.table
            self.options = options
        }

        /// Ignores a byte order mark.
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
                // A skipped record with a kind was skipped only because libcrypto lacks the kind.
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

        /// Reads and fully checks the key at its first use, and records a defect.
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
                // The limit on JSON values depends on the size of the text: one entry alone may
                // exceed it, though the whole set does not.
                throw KeyDefect(nil, error)
            }
            return try result.get()
        }

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

/// The `kid` and `alg` values of keys that were not read from text, joined.
private struct NameText {
    private(set) var bytes: [UInt8] = []

    mutating func add(_ name: String?) -> JSONNode? {
        guard let name else { return nil }
        let start = bytes.count
        bytes += name.utf8
        return JSONNode(.string, at: start..<bytes.count)
    }
}
