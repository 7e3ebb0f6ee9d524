// The keys of a job: one JWK or a set, and what they say to an algorithm.

import JOSE
import JOSEBytes

extension Invocation {
    /// The keys of a file to verify with; entries that are skipped are reported on standard error.
    func verificationKeys(
        _ file: KeyFile, isNoting: Bool = true
    ) throws -> VerificationKeys {
        let keys = try file.verificationKeys()
        if isNoting, case .set(let set) = keys {
            let skipped = set.skipped(atMost: Output.maxNotes)
            output.note(skipped: skipped.first, skipped.count, of: file)
        }
        return keys
    }

    /// The keys of a file to decrypt with; entries that are skipped are reported on standard error.
    func decryptionKeys(_ file: KeyFile, isNoting: Bool = true) throws -> DecryptionKeys {
        let keys = try file.decryptionKeys()
        if isNoting, case .set(let set) = keys { output.note(skipped: set.skipped, of: file) }
        return keys
    }
}

extension Output {
    fileprivate static let maxNotes = 16

    /// Says which entries of a key set are skipped, and why: one line each, so many at most.
    func note(skipped: [SkippedKey], _ count: Int? = nil, of file: KeyFile) {
        let path = printable(file.path)
        for key in skipped.prefix(Output.maxNotes) {
            note("\(path): skipped \(ShellWords.translated(key.description))")
        }
        let rest = (count ?? skipped.count) - Output.maxNotes
        if rest > 0 { note("\(path): skipped \(rest) more: josectl keys lint \(path)") }
    }
}

/// Keys that verify.
enum VerificationKeys {
    case one(JWK)
    case set(PublicJWKSet)

    var isSet: Bool { if case .set = self { true } else { false } }

    func fits(_ query: KeyQuery) -> Bool {
        switch self {
        case .one(let key): key.match(query) == .matches
        case .set(let set): (0..<set.keyCount).contains { set.match($0, query) == .matches }
        }
    }
}

/// Keys that decrypt.
enum DecryptionKeys {
    case one(JWK)
    case set(JWKSet)

    func fits(_ query: KeyQuery) -> Bool {
        switch self {
        case .one(let key): key.match(query) == .matches
        case .set(let set): set.keys.contains { $0.match(query) == .matches }
        }
    }
}
