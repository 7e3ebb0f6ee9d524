// Keys of which nobody can tell whether they fit: no other key is taken in their place, and none is said to be missing.

import JOSE
import Testing

@Suite("Keys that could not be judged")
struct UndeterminedKeyTests {
    /// Keys of one kid with these answers.
    private struct Responses: SelectableKeys {
        let fits: [KeyMatch]

        var keyCount: Int { fits.count }
        func forEachKey(withID keyID: Span<UInt8>, _ body: (Int) -> Void) {
            for index in fits.indices { body(index) }
        }
        func fit(_ index: Int, _ query: KeyQuery) -> KeyMatch { fits[index] }
        func distinct(_ indices: [Int]) -> [Int] { indices }
        func labels(_ index: Int) -> KeyLabels { KeyLabels(hasUse: true, hasAlgorithm: true) }
    }

    @Test(
        "a failure of the machine is `internal`, wherever the key stands",
        arguments: [
            ([.unjudged], "internal", "internal"),
            ([.unjudged, .fits], "internal", "internal"),
            ([.fits, .unjudged], "internal", "internal"),
            ([.unjudged, .untrusted], "internal", "internal"),
            ([.untrusted, .unjudged], "internal", "internal"),
            ([.untrusted], "untrusted-key", "key-not-found"),
            ([.untrusted, .otherType], "key-not-found", "key-not-found"),
            ([.fits, .untrusted], "accepted", "accepted"),
            ([.otherType, .fits], "accepted", "accepted"),
        ] as [([KeyMatch], String, String)])
    func selection(_ fits: [KeyMatch], _ named: String, _ unnamed: String) throws {
        let keys = Responses(fits: fits)
        let query = KeyQuery.verifying(.rs256)
        let kid = Array("a".utf8)
        #expect(try Rejection.verdict { _ = try keys.select(keyID: kid.span, query) } == named)
        #expect(try Rejection.verdict { _ = try keys.selectOnly(query) } == unnamed)
    }
}
