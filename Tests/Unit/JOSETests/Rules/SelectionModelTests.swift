// Key selection compared with a second implementation, for every small set, and the iteration over
// keys with one kid.

import JOSE
import JOSECrypto
import Testing

@Suite("Key selection: every small set")
struct SelectionModelTests {
    private struct Key {
        let isNamed: Bool
        let match: KeyMatch
        /// Entries with the same number are one key.
        let number: Int
    }

    /// Keys with only the properties that selection uses.
    private struct Model: SelectableKeys {
        let keys: [Key]

        var keyCount: Int { keys.count }
        func forEachKey(withID keyID: Span<UInt8>, _ body: (Int) -> Void) {
            for index in keys.indices where keys[index].isNamed { body(index) }
        }
        func names(_ index: Int) -> KeyLabels { KeyLabels([], .none) }
        func match(_ index: Int, _ query: KeyQuery) -> KeyMatch {
            keys[index].match
        }
        func distinct(_ indices: [Int]) -> [Int] {
            var found: [Int] = []
            for index in indices
            where !found.contains(where: { keys[$0].number == keys[index].number }) {
                found.append(index)
            }
            return found
        }
        func hasAlgorithm(_ index: Int) -> Bool { false }
    }

    /// All sets of up to three keys.
    private static let models: [Model] = {
        let kinds = (0..<8).map { bits in
            Key(
                isNamed: bits & 1 == 1, match: bits & 2 == 2 ? .matches : .wrongUse,
                number: bits >> 2)
        }
        var all: [[Key]] = [[]]
        var longest: [[Key]] = [[]]
        for _ in 0..<3 {
            longest = longest.flatMap { set in kinds.map { set + [$0] } }
            all += longest
        }
        return all.map { Model(keys: $0) }
    }()

    private func outcome(_ body: () throws -> Int) throws -> String {
        do {
            return String(try body())
        } catch let error as JOSEError {
            return Rejection.text(error)
        }
    }

    @Test("RFC 7517 4.5: the one key that matches a kid, where equal entries are one key")
    func named() throws {
        let query = KeyQuery.verifying(.rs256)
        let keyID = Array("a".utf8)
        #expect(Self.models.count == 585)
        for model in Self.models {
            let named = model.keys.indices.filter { model.keys[$0].isNamed }
            let matching = named.filter { model.keys[$0].match == .matches }
            var wanted = "key-not-found"
            if named.count == 1 {
                wanted = matching.first.map { String($0) } ?? "key-unusable"
            } else if let first = matching.first,
                Set(matching.map { model.keys[$0].number }).count == 1
            {
                wanted = String(first)
            }
            let got = try outcome { try model.select(keyID: keyID.span, query) }
            #expect(got == wanted, "\(model.keys)")
        }
    }

    @Test("a token without kid uses the one key that matches, with or without a kid")
    func unnamed() throws {
        let query = KeyQuery.verifying(.rs256)
        for model in Self.models {
            let matching = model.keys.indices.filter { model.keys[$0].match == .matches }
            let isOne = Set(matching.map { model.keys[$0].number }).count == 1
            let wanted = isOne ? "\(matching[0])" : "key-not-found"
            let got = try outcome { try model.selectOnly(query) }
            #expect(got == wanted, "\(model.keys)")
        }
    }

    @Test(
        "a system failure is `internal`, wherever the key is",
        arguments: [
            ([.undetermined], "internal", "internal"),
            ([.undetermined, .matches], "internal", "internal"),
            ([.matches, .undetermined], "internal", "internal"),
            ([.undetermined, .untrusted], "internal", "internal"),
            ([.untrusted, .undetermined], "internal", "internal"),
            ([.untrusted], "untrusted-key", "key-not-found"),
            ([.untrusted, .wrongType], "key-not-found", "key-not-found"),
            ([.matches, .untrusted], "accepted", "accepted"),
            ([.wrongType, .matches], "accepted", "accepted"),
        ] as [([KeyMatch], String, String)])
    func selection(_ matches: [KeyMatch], _ named: String, _ unnamed: String) throws {
        let keys = Model(
            keys: matches.enumerated().map { Key(isNamed: true, match: $1, number: $0) })
        let query = KeyQuery.verifying(.rs256)
        let keyID = Array("a".utf8)
        #expect(try Rejection.verdict { _ = try keys.select(keyID: keyID.span, query) } == named)
        #expect(try Rejection.verdict { _ = try keys.selectOnly(query) } == unnamed)
    }

    @Test(
        "the keys with one kid, once each and in order, in sets of every size",
        arguments: [1, 15, 16, 17, 18, 31, 32, 33, 64, 65, 130, 1_000])
    func walk(_ count: Int) throws {
        // Of eight keys one is written with an escape and one has no kid.
        let texts = (0..<count).map { (index) -> String in
            switch index % 8 {
            case 6: #"{"kty":"X","kid":"\u006b\#(index % 7)"}"#
            case 7: #"{"kty":"X"}"#
            default: #"{"kty":"X","kid":"k\#(index % 7)"}"#
            }
        }
        let set = try PublicJWKSet(json: KeyText.set(texts))
        #expect(set.count == count)
        for name in 0..<8 {
            let keyID = Array("k\(name)".utf8)
            var found: [Int] = []
            set.forEachKey(withID: keyID.span) { found.append($0) }
            #expect(found == (0..<count).filter { $0 % 8 != 7 && $0 % 7 == name }, "k\(name)")
        }
    }

    @Test("values of a set are not read as names, in any position") func values() throws {
        for text in [
            #"{"x":"keys","keys":[]}"#, #"{"x":"keys","y":5,"keys":[]}"#,
            #"{"x":["keys",7],"keys":[],"z":"keys"}"#, #"{"x":{"keys":7},"keys":[]}"#,
        ] {
            #expect(try PublicJWKSet(json: text).count == 0, "\(text)")
            #expect(try JWKSet(json: text).keys.isEmpty, "\(text)")
        }
        // Values of a key do not end the set, either.
        let key = #"{"kty":"X","kid":"keys","x":["d",{"k":1}]}"#
        #expect(try PublicJWKSet(json: KeyText.set([key, key])).count == 2)
    }
}
