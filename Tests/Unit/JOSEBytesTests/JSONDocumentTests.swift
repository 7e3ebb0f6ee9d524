// Finding members in a checked text.

import Testing

@testable import JOSEBytes

@Suite struct JSONDocumentTests {
    @Test func members() throws {
        let document = try JSONDocument(
            Array(
                "{\"a\":[1,{\"x\":\"y\\n\"}],\"b\":-12.50e1,\"c\":true,\"\\u0064\":null,\"e\":false}"
                    .utf8),
            maxDepth: 8)
        #expect(document.nodes[0].count == 5)
        #expect(document.kind(at: 0) == .object)
        let a = try #require(document.member("a"))
        #expect(document.kind(at: a) == .array)
        #expect(document.nodes[a].count == 2)
        #expect(Array(document.text(at: a)) == Array("[1,{\"x\":\"y\\n\"}]".utf8))
        #expect(document.integer(at: try #require(document.member("b"))) == -125)
        #expect(document.bool(at: try #require(document.member(named: "c"))) == true)
        #expect(document.bool(at: try #require(document.member("e"))) == false)
        #expect(document.bool(at: a) == nil)
        #expect(document.isNull(at: try #require(document.member("d"))))
        #expect(document.isNull(at: try #require(document.member(named: "d"))))
        #expect(document.string(at: try #require(document.member("x", of: a + 2))) == "y\n")
        #expect(document.string(at: a) == nil)
        #expect(document.integer(at: a) == nil)
        #expect(document.member("x") == nil)
        #expect(document.member("A") == nil)
        #expect(document.member("") == nil)
        #expect(document.member("a", of: a) == nil)
    }

    @Test("finding several members in one pass equals finding them one by one")
    func several() throws {
        let long = String(repeating: "n", count: 63)
        let longer = String(repeating: "n", count: 80)
        let document = try JSONDocument(
            Array(
                "{\"ab\":1,\"\":2,\"b\\u0061\":{\"ab\":3},\"\(long)\":4,\"\(longer)\":5,\"zz\":[6]}"
                    .utf8),
            maxDepth: 8)
        let names = ["ba", "", "bb", "ab", long, longer, longer + "n", "abc", "AB", "\u{0}ab"]
        let found = document.members(named: names)
        #expect(found == names.map { document.member(named: $0) })
        #expect(found.count { $0 != nil } == 5)
        let inner = try #require(found[0])
        #expect(document.members(named: names, of: inner)[3] == inner + 2)
        #expect(document.members(named: names, of: inner).count { $0 != nil } == 1)
        let array = try #require(document.member("zz"))
        #expect(document.members(named: names, of: array) == names.map { _ in nil })
        #expect(document.members(named: []) == [])
    }

    @Test func walks() throws {
        let document = try JSONDocument(
            Array("{\"a\":{\"b\":[]},\"c\":[[1],{\"d\":2},3]}".utf8), maxDepth: 8)
        var names: [String?] = []
        document.forEachMember { name, value in
            names.append(document.string(at: name))
            #expect(value == name + 1)
        }
        #expect(names == ["a", "c"])
        var kinds: [JSONNode.Kind] = []
        document.forEachElement(of: try #require(document.member("c"))) { value in
            kinds.append(document.kind(at: value))
        }
        #expect(kinds == [.array, .object, .number])
        document.forEachMember(of: try #require(document.member("c"))) { _, _ in
            Issue.record("an array has no members")
        }
        document.forEachElement(of: 0) { _ in Issue.record("an object has no elements") }
    }
}
