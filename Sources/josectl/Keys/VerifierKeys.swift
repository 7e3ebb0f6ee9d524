// The keys to verify or decrypt with: one JWK or a set.

import JOSE
import JOSEBytes

extension Invocation {
    func verificationKeys(
        _ file: KeyFile, notesSkipped: Bool = true
    ) throws -> VerifierKeys {
        let keys = try file.verificationKeys()
        if notesSkipped, case .set(let set) = keys {
            let skipped = set.skipped(atMost: Output.maxNotes)
            output.note(skipped: skipped.first, skipped.count, of: file)
        }
        return keys
    }

    func decryptionKeys(
        _ file: KeyFile, notesSkipped: Bool = true
    ) throws -> DecrypterKeys {
        let keys = try file.decryptionKeys()
        if notesSkipped, case .set(let set) = keys {
            output.note(skipped: set.skipped, of: file)
        }
        return keys
    }
}

extension Output {
    fileprivate static let maxNotes = 16

    /// Lists at most `maxNotes` entries. `count` is the number of all skipped entries.
    func note(skipped: [SkippedKey], _ count: Int? = nil, of file: KeyFile) {
        let path = printable(file.path)
        for key in skipped.prefix(Output.maxNotes) {
            note("\(path): skipped \(CommandLineWording.translate(key.description))")
        }
        let rest = (count ?? skipped.count) - Output.maxNotes
        if rest > 0 { note("\(path): skipped \(rest) more; see `josectl keys lint \(path)`") }
    }
}

extension VerifierKeys {
    var isSet: Bool { if case .set = self { true } else { false } }

    func match(_ query: KeyQuery) -> Bool {
        switch self {
        case .one(let key): key.match(query) == .matches
        case .set(let set): (0..<set.keyCount).contains { set.match($0, query) == .matches }
        }
    }
}

extension DecrypterKeys {
    /// Whether decrypting several tokens together is faster, and no key is external.
    var runTogether: Bool {
        let keys =
            switch self {
            case .one(let key): [key]
            case .set(let set): set.keys
            }
        return keys.allSatisfy { $0.prepared.externalKey == nil }
            && keys.contains { $0.prepared.gainsFromBatch }
    }

    func match(_ query: KeyQuery) -> Bool {
        switch self {
        case .one(let key): key.match(query) == .matches
        case .set(let set): set.keys.contains { $0.match(query) == .matches }
        }
    }
}
