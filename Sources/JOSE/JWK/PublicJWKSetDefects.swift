// The defects of entries of a public key set, and the comparison of equal entries.

import JOSEBytes
import Synchronization

extension PublicJWKSet.Storage {
    /// The known defect of an entry, including a late defect; nil if there is none.
    func defect(_ index: Int) -> KeyDefect? {
        if records[index].isSkipped { return reread(index) }
        return hasLateDefects.load(ordering: .relaxed) ? lateDefect(index) : nil
    }

    /// Whether an entry was not skipped. It may still have a late defect.
    func isUsable(_ index: Int) -> Bool { !records[index].isSkipped }

    /// The error for a token that names an entry that does not match.
    func rejection(_ index: Int, _ match: KeyMatch, _ query: KeyQuery) -> JOSEError {
        (match == .defective ? defect(index)?.tokenError : nil) ?? match.error(query, names(index))
    }

    /// The name of an entry's key in errors.
    func names(_ index: Int) -> KeyLabels {
        let (record, text) = (records[index], text)
        guard let algorithm = record.algorithm else { return KeyLabels(record.facts.kind, .none) }
        return KeyLabels(
            record.facts.kind,
            RegisteredAlgorithm.name(algorithm, in: text.span).map { .registered($0) } ?? .other)
    }

    /// The indices of all skipped entries and of those with a late defect.
    var skippedIndices: [Int] {
        guard hasLateDefects.load(ordering: .relaxed) else {
            return records.indices.filter { records[$0].isSkipped }
        }
        let late = findings.withLock { $0.map { Set($0.defects.keys) } ?? [] }
        return records.indices.filter { records[$0].isSkipped || late.contains($0) }
    }

    /// The report of an entry with a known defect; nil for any other entry.
    func skipped(_ index: Int) -> SkippedKey? {
        guard let defect = defect(index) else { return nil }
        let text = self.text
        let keyID = records[index].keyID.map { JSON.string($0, in: text.span) }
        return SkippedKey(index: index, keyID: keyID, defect)
    }

    func lateDefect(_ index: Int) -> KeyDefect? {
        findings.withLock { $0?.defects[index] }
    }

    /// Records a late defect of an entry and of those known to be equal; returns the error for a
    /// token.
    func note(_ index: Int, _ defect: KeyDefect) -> JOSEError {
        findings.withLock { found in
            var noted = found ?? KeyFindings()
            noted.defects[index] = defect
            if let number = noted.numbers[index] {
                for (equal, other) in noted.numbers where other == number {
                    noted.defects[equal] = defect
                }
            }
            found = noted
        }
        hasLateDefects.store(true, ordering: .releasing)
        return defect.tokenError
    }

    /// Returns the first entry of each key among matching entries. Entries that are equal in kid,
    /// kty, use, alg, key and `x5c` are one key.
    ///
    /// Entries with a late defect are left out, and the defect is recorded, so that each is
    /// tried once. Two keys without a defect end the search.
    func distinct(_ indices: [Int]) throws(JOSEError) -> [Int] {
        var found: [Int] = []
        var seen: Set<Int> = []
        for index in indices {
            guard let identity = try identity(index), seen.insert(identity).inserted else {
                continue
            }
            found.append(index)
        }
        guard found.count > 1 else { return found }
        var sound: [Int] = []
        var tried = 0
        for index in found {
            do throws(JOSEError) {
                tried += 1
                _ = try preparedKey(index)
                sound.append(index)
            } catch {
                guard error.code != .internal else { throw error }
            }
            // The others may have defects too, but there is more than one key already.
            if sound.count > 1 { return sound + found.dropFirst(tried) }
        }
        return sound
    }

    /// Returns a number that is the same for equal entries, and caches it; nil for an unusable
    /// entry.
    private func identity(_ index: Int) throws(JOSEError) -> Int? {
        if let known = findings.withLock({ $0?.numbers[index] }) { return known }
        let key: JWK
        do throws(JOSEError) {
            key = try self.key(index)
        } catch {
            guard error.code != .internal else { throw error }
            return nil
        }
        let text = key.identity
        return findings.withLock { found in
            found = found ?? KeyFindings()
            return found?.number(index, text) ?? index
        }
    }
}

/// What the first use of each key found.
struct KeyFindings {
    /// Defects found at first use, by the index of the entry.
    var defects: [Int: KeyDefect] = [:]
    /// The first entry of each identity.
    private var first: [[UInt8]: Int] = [:]
    /// A number that is the same for equal entries, by the index of the entry.
    private(set) var numbers: [Int: Int] = [:]

    mutating func number(_ index: Int, _ text: [UInt8]) -> Int {
        let number = first[text] ?? index
        first[text] = number
        numbers[index] = number
        return number
    }
}

extension JWK {
    /// The identity of a key in its set, as JSON: kid, kty, use, alg, the public numbers and `x5c`.
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
