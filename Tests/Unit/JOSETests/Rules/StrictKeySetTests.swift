// The tolerant reader of key sets compared with a strict one: every difference has a name.

import JOSEBytes
import Testing

@testable import JOSE

/// A strict reader: every entry must be a key without a defect.
private enum StrictKeySet {
    /// What the tolerant reader accepts and this one rejects.
    enum Difference: String, CaseIterable {
        case byteOrderMark = "a byte order mark before the document"
        case duplicateInEntry = "a member twice in an entry, or in an object in it"
        case duplicateElsewhere = "a member twice in another member of the set"
        case entryNoObject = "an entry that is no object"
        case entryDefect = "an entry with a defect"
        case nullMember = "null for a member of a key"
        case leadingZeros = "zero bytes before n or e"
        case certificates = "malformed x5c, x5t or x5t#S256"
        case unknownLabel = "an unknown use or alg"
        case equalEntries = "an entry twice"
        case sharedName = "one kid for several keys, or for one key with several uses or algs"
    }

    /// The thumbprints of all keys, or the differences for which this reader rejects the text. Nil
    /// if it is not a set.
    static func read(_ text: String) -> Result<[String], Differences>? {
        var found: Set<Difference> = []
        var bytes = Array(text.utf8)
        if bytes.starts(with: [0xef, 0xbb, 0xbf]) {
            found.insert(.byteOrderMark)
            bytes.removeFirst(3)
        }
        // The tests' parser, which keeps the last of two duplicate members.
        guard let value = try? VectorValue(json: String(decoding: bytes, as: UTF8.self)),
            case .object(let set) = value, case .array(let entries)? = set["keys"]
        else { return nil }
        if (try? JSONDocument(bytes, maxDepth: 32)) == nil {
            let isInside = StrictKeySetTests.duplicates.contains { text.contains($0) }
            if isInside { found.insert(.duplicateInEntry) }
            if !isInside || text.contains(#""c":1,"c""#) { found.insert(.duplicateElsewhere) }
        }
        var prints: [String] = []
        var kids: Set<String> = []
        var labels: Set<[String]> = []
        for entry in entries {
            guard case .object(let members) = entry else {
                found.insert(.entryNoObject)
                continue
            }
            if members.values.contains(where: { if case .null = $0 { true } else { false } }) {
                found.insert(.nullMember)
            }
            guard let key = try? JWK(json: entry.json), let print = try? key.thumbprint() else {
                found.insert(.entryDefect)
                continue
            }
            if key.hasLeadingZeros { found.insert(.leadingZeros) }
            if key.certificateDefect != nil { found.insert(.certificates) }
            let names =
                SignatureAlgorithm.entries.map(\.name) + KeyManagementAlgorithm.entries.map(\.name)
            if let use = key.use, use != .signature, use != .encryption {
                found.insert(.unknownLabel)
            }
            if let alg = key.algorithm?.name, !names.contains(alg) { found.insert(.unknownLabel) }
            let own = [key.keyID, key.use.map { "\($0)" }, key.algorithm?.name].map { $0 ?? "" }
            if let name = key.keyID, !kids.insert(name).inserted {
                found.insert(labels.contains(own + [print]) ? .equalEntries : .sharedName)
            }
            labels.insert(own + [print])
            prints.append(print)
        }
        return found.isEmpty ? .success(prints) : .failure(Differences(all: found))
    }

    struct Differences: Error { let all: Set<Difference> }
}

@Suite("Third-party key sets: tolerant and strict readers")
struct StrictKeySetTests {
    /// The text that the mutations below insert to create a duplicate member.
    static let duplicates = [#""e":"AQAB","e""#, #""x-a":[{"b":1,"b":2}]"#]

    private typealias Mutation = (name: String, change: @Sendable (String) -> String)

    /// The text with this value as the exponent of its first key.
    private static func inFirst(_ text: String, _ members: String) -> String {
        text.replacing(#""e":"AQAB""#, with: members, maxReplacements: 1)
    }

    /// The text with this entry appended.
    private static func added(_ text: String, _ members: String, _ key: JWK) -> String {
        guard let entry = try? KeyText.publicKey(members, key), text.hasSuffix("]}") else {
            return text
        }
        return text.dropLast(2) + ",\(entry)]}"
    }

    private static let mutations: [Mutation] = [
        ("mark", { "\u{feff}" + $0 }),
        ("twice", { inFirst($0, #""e":"AQAB","e":"AQAB""#) }),
        ("twice inside", { inFirst($0, #""e":"AQAB","x-a":[{"b":1,"b":2}]"#) }),
        ("twice elsewhere", { #"{"meta":{"c":1,"c":2},"# + $0.dropFirst() }),
        ("null", { $0.replacing("[", with: "[null,", maxReplacements: 1) }),
        ("number", { $0.replacing("[", with: "[7,", maxReplacements: 1) }),
        ("no kty", { $0.replacing(#""kty":"RSA","#, with: "", maxReplacements: 1) }),
        ("kid null", { $0.replacing(#""kid":"a""#, with: #""kid":null"#) }),
        ("zeros", { $0.replacing(#""e":"AQAB""#, with: #""e":"AAEAAQ""#) }),
        ("x5c", { $0.replacing(#""kid":"a""#, with: #""kid":"a","x5c":"MII""#) }),
        ("x5t", { $0.replacing(#""kid":"a""#, with: #""kid":"a","x5t":"AA:BB""#) }),
        ("use", { $0.replacing(#""kid":"a""#, with: #""kid":"a","use":"tls""#) }),
        ("alg", { $0.replacing(#""kid":"a""#, with: #""kid":"a","alg":"XX""#) }),
        ("entry twice", { added($0, #""kid":"a""#, TestKeys.signing) }),
        ("another alg", { added($0, #""kid":"a","alg":"RS512""#, TestKeys.signing) }),
        ("another key", { added($0, #""kid":"a""#, TestKeys.decrypting) }),
        ("other member", { #"{"x":1,"# + $0.dropFirst() }),
        ("cut", { String($0.dropLast()) }),
        ("top twice", { #"{"keys":[],"# + $0.dropFirst() }),
        ("keys null", { _ in #"{"keys":null}"# }),
        ("private", { $0.replacing(#""kid":"a""#, with: #""kid":"a","d":null"#) }),
    ]

    @Test("the tolerant reader accepts all that the strict one accepts, and lists the difference")
    func differences() throws {
        let key = try KeyText.publicKey(#""kid":"a""#)
        let other = try KeyText.publicKey(#""kid":"b""#, TestKeys.stranger)
        let plain = KeyText.set([key, other])
        var random = SeededGenerator(seed: SeededGenerator.seed(for: "strict key sets"))
        var seen: Set<StrictKeySet.Difference> = []
        var agreed = 0
        for round in 0..<800 {
            var text = plain
            let first = Self.mutations[round % Self.mutations.count]
            text = first.change(text)
            for _ in 0..<Int.random(in: 0...2, using: &random) {
                text = (Self.mutations.randomElement(using: &random) ?? first).change(text)
            }
            let tolerant = try? PublicJWKSet(json: text)
            switch StrictKeySet.read(text) {
            case .success(let prints)?:
                guard let tolerant else {
                    // A private member rejects the set, whatever the key is.
                    #expect(text.contains(#""d":null"#) || text.contains(#""keys":[],"#), "\(text)")
                    continue
                }
                agreed += 1
                #expect(try tolerant.keys().map { try $0.thumbprint() } == prints)
                #expect(tolerant.skipped.isEmpty)
            case .failure(let differences)?:
                guard let tolerant else { continue }
                if differences.all.isSubset(of: [.equalEntries, .sharedName]) {
                    #expect(tolerant.keys().count > 2 && tolerant.skipped.isEmpty)
                }
                seen.formUnion(differences.all)
                // It is reported, unless nothing was skipped.
                let isSilent: Set<StrictKeySet.Difference> = [
                    .byteOrderMark, .duplicateElsewhere, .nullMember, .leadingZeros, .certificates,
                    .equalEntries, .sharedName,
                ]
                #expect(
                    !tolerant.skipped.isEmpty || differences.all.isSubset(of: isSilent), "\(text)")
            case nil: #expect(tolerant == nil, "\(text)")
            }
        }
        #expect(seen == Set(StrictKeySet.Difference.allCases))
        #expect(agreed > 10)
    }
}
