// Keys that could not be checked: no other key is used instead, and the error is not that a key is
// missing.

import JOSE
import Testing

@Suite("Undetermined keys")
struct UndeterminedKeyTests {
    /// Keys with one kid and these results.
    private struct Responses: SelectableKeys {
        let matches: [KeyMatch]

        var keyCount: Int { matches.count }
        func forEachKey(withID keyID: Span<UInt8>, _ body: (Int) -> Void) {
            for index in matches.indices { body(index) }
        }
        func names(_ index: Int) -> KeyLabels { KeyLabels([], .none) }
        func match(_ index: Int, _ query: KeyQuery) -> KeyMatch { matches[index] }
        func distinct(_ indices: [Int]) -> [Int] { indices }
        func hasAlgorithm(_ index: Int) -> Bool { true }
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
        let keys = Responses(matches: matches)
        let query = KeyQuery.verifying(.rs256)
        let kid = Array("a".utf8)
        #expect(try Rejection.verdict { _ = try keys.select(keyID: kid.span, query) } == named)
        #expect(try Rejection.verdict { _ = try keys.selectOnly(query) } == unnamed)
    }
}
