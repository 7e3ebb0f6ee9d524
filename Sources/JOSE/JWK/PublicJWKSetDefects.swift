// The defects of the entries of a public key set, and which entries are equal.

import JOSEBytes
import Synchronization

extension PublicJWKSet.Storage {
    /// Returns a defect that reading found, or a late one, which only the first use of a key finds.
    func defect(_ index: Int) -> KeyDefect? {
        if records[index].isSkipped { return reread(index) }
        return hasLateDefects.load(ordering: .relaxed) ? lateDefect(index) : nil
    }

    /// Does not consider late defects.
    func isUsable(_ index: Int) -> Bool { !records[index].isSkipped }

    /// The error for a token that names an entry that does not match.
    func rejection(_ index: Int, _ match: KeyMatch, _ query: KeyQuery) -> JOSEError {
        (match == .defective ? defect(index)?.tokenError : nil) ?? match.error(query, names(index))
    }

    func names(_ index: Int) -> KeyLabels {
        let (record, text) = (records[index], text)
        guard let algorithm = record.algorithm else { return KeyLabels(record.facts.kind, .none) }
        return KeyLabels(
            record.facts.kind,
            RegisteredAlgorithm.name(algorithm, in: text.span).map { .registered($0) } ?? .other)
    }

    /// The indices of the entries that reading skipped, and of those with a late defect.
    var skippedIndices: [Int] {
        guard hasLateDefects.load(ordering: .relaxed) else {
            return records.indices.filter { records[$0].isSkipped }
        }
        let late = findings.withLock { $0.map { Set($0.defects.keys) } ?? [] }
        return records.indices.filter { records[$0].isSkipped || late.contains($0) }
    }

    func skipped(_ index: Int) -> SkippedKey? {
        guard let defect = defect(index) else { return nil }
        let text = self.text
        let keyID = records[index].keyID.map { JSON.string($0, in: text.span) }
        return SkippedKey(index: index, keyID: keyID, defect)
    }

    func lateDefect(_ index: Int) -> KeyDefect? {
        findings.withLock { $0?.defects[index] }
    }

    /// Records a late defect of an entry and of those known to be equal; returns its `tokenError`.
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

    /// Entries that are equal in kid, kty, use, alg, key and `x5c` are one key. If several keys
    /// remain, prepares one after another, and leaves out those with a defect, until two have none.
    /// Defects are recorded, so that no defective key is prepared twice.
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
            // Two usable keys are an ambiguity, whatever the later ones are.
            if sound.count > 1 { return sound + found.dropFirst(tried) }
        }
        return sound
    }

    /// Returns a number that equal entries have in common; nil for an unusable entry.
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
    /// The late defects, by the index of the entry.
    var defects: [Int: KeyDefect] = [:]
    /// The first entry of each identity; see `JWK.identity`.
    private var first: [[UInt8]: Int] = [:]
    /// For each entry, a number that equal entries have in common.
    private(set) var numbers: [Int: Int] = [:]

    mutating func number(_ index: Int, _ identity: [UInt8]) -> Int {
        let number = first[identity] ?? index
        first[identity] = number
        numbers[index] = number
        return number
    }
}

extension JWK {
    /// The members by which entries are equal, as JSON: kid, kty, use, alg, public numbers, `x5c`.
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
