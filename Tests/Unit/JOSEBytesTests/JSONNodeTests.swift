// The nodes that the scanner creates: counts, offsets and order, in whole documents.

import Testing

@testable import JOSEBytes

@Suite struct JSONNodeTests {
    /// Checks the value at `index` and all inside it. Returns the index after it.
    func check(_ document: JSONDocument, _ index: Int) throws -> Int {
        let node = document.nodes[index]
        try #require(node.start >= 0 && node.start <= node.end)
        let text = Array(document.text(at: index))
        var at = index + 1
        switch node.kind {
        case .object, .array:
            let isObject = node.kind == .object
            #expect(text.first == (isObject ? 0x7b : 0x5b))
            #expect(text.last == (isObject ? 0x7d : 0x5d))
            var count = 0
            while at < node.next {
                if isObject {
                    let name = document.nodes[at]
                    #expect(name.kind == .string && name.next == at + 1)
                    #expect(document.bytes[name.start - 1] == 0x22)
                    #expect(document.bytes[name.end] == 0x22)
                    at += 1
                }
                let value = document.nodes[at]
                #expect(value.start > node.start && value.end < node.end)
                at = try check(document, at)
                count += 1
            }
            #expect(node.count == count)
        case .string:
            #expect(document.bytes[node.start - 1] == 0x22 && document.bytes[node.end] == 0x22)
            #expect(node.hasEscapes == text.contains(0x5c))
        default:
            #expect(!text.contains { $0 <= 0x20 || $0 == 0x2c || $0 == 0x5d || $0 == 0x7d })
        }
        #expect(node.next == at)
        return at
    }

    @Test("every container has its number of values and its end")
    func generated() throws {
        var generator = Generator(seed: 16)
        for _ in 0..<60 {
            var writer = JSONWriter()
            Value.random(&generator, depth: 3).write(&writer)
            let document = try JSONDocument(writer.bytes, maxDepth: 5)
            let end = try check(document, 0)
            #expect(end == document.nodes.count)
        }
    }

    @Test(
        "empty and following containers are counted, too",
        arguments: [
            "{}", "[]", "[[]]", "[{}]", "[[],[]]", "{\"a\":{}}", "{\"a\":1,\"b\":{},\"c\":[]}",
            "[1,[2,[3,[],4],5],6]", " [ 1 , { \"a\" : [ ] , \"b\" : 2 } , 3 ] ",
            "{\"a\":{\"b\":1,\"c\":{\"d\":1,\"e\":2}},\"f\":[{},{}],\"g\":3}", "7", "\"x\"",
            " true ",
        ])
    func written(_ text: String) throws {
        let document = try JSONDocument(Array(text.utf8), maxDepth: 5)
        let end = try check(document, 0)
        #expect(end == document.nodes.count)
    }

    @Test("RFC 8259 9: depth counts open containers, also after closed ones")
    func depth() {
        for text in ["[[],[],[[]]]", "[{},{\"a\":1},[[]]]", "[[[]]]", "{\"a\":{},\"b\":[{}]}"] {
            #expect(failure(text, depth: 2) == .depth, "\(text)")
            #expect(failure(text, depth: 3) == nil, "\(text)")
        }
    }

    @Test("more brackets than a text can have are a grammar error, not too many nodes")
    func brackets() {
        for count in 1...12 {
            #expect(failure(String(repeating: "[", count: count)) == .syntax)
            #expect(failure(String(repeating: "[", count: count) + "1") == .syntax)
        }
    }

    @Test("names without escapes are counted separately from those with escapes")
    func plainNames() {
        let members = (0..<1_100).map { "{\"n\($0)\":0}" }
        #expect(failure("[" + members.joined(separator: ",") + "]") == nil)
    }
}
