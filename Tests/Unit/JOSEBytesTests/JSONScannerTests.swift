// The JSON scanner accepts RFC 8259 and nothing else.

import Testing

@testable import JOSEBytes

@Suite struct JSONScannerTests {
    @Test(
        "RFC 8259 2 and 3: values, structure and white space are accepted",
        arguments: [
            "{}", "[]", " [ ] ", "\t\r\n{ \"a\" : [ 1 , -0.5e+3 , true , false , null ] }\n", "1",
            "\"\"", "null",
            "true", "false", "-0", "[[],{},[{}]]", "{\"\":{\"\":0}}", "[\n[\n]\n]", "{\"a\":{}}",
            "[{},{}]",
            "{\"a\":[],\"b\":{}}",
        ])
    func accepted(_ text: String) {
        #expect(failure(text) == nil)
    }

    @Test(
        "RFC 8259 2 and 3: other structure is rejected",
        arguments: [
            "", " ", "\n", "{", "[", "}", "]", ",", ":", "\"", "{\"a\"}", "{\"a\":}", "{\"a\":1,}",
            "{\"a\":1",
            "{\"a\":1,", "{\"a\" 1}", "{\"a\"::1}", "[1,]", "[,1]", "[1,,2]", "[,]", "{,}",
            "{,\"a\":1}", "[1 2]",
            "[1", "[1,", "[\"a\"", "'a'", "{a:1}", "{'a':1}", "{1:1}", "{null:1}", "{[]:1}", "{}{}",
            "{} x",
            "{},", "[1}", "{\"a\":1]", "[1]]", "{\"a\":1}}", "1 2", "[1:2]", "{\"a\",1}", "/**/{}",
            "{}//x", "#",
            "{\"a\":/**/1}", "[\"a\" \"b\"]", "{\"a\":1 \"b\":2}", "\u{c}1", "\u{b}1", "\u{a0}1",
            "\u{2028}1",
        ])
    func rejected(_ text: String) {
        #expect(failure(text) == .syntax)
    }

    @Test(
        "RFC 8259 3: the only literals are true, false and null, in lower case",
        arguments: [
            "nul", "nulll", "NULL", "True", "truE", "tru", "falsy", "fals", "undefined", "n", "t",
            "f", "[nul]", "[tru,1]",
        ])
    func literals(_ text: String) {
        #expect(failure(text) == .syntax)
    }

    @Test(
        "RFC 8259 6: numbers that match the grammar are accepted",
        arguments: [
            "0", "-0", "1", "-1", "10", "0.0", "1.5", "-1.25", "1e5", "1E5", "1e+5", "1e-5", "0e0",
            "1.0e0", "123456789012345678901234567890",
            "1e99999999", "1e400", "1e-400", "0.1e1",
        ])
    func numbers(_ text: String) {
        #expect(failure(text) == nil)
        #expect(failure("[\(text),\(text)]") == nil)
        #expect(failure("{\"a\":\(text)}") == nil)
    }

    @Test(
        "RFC 8259 6: other numbers are rejected",
        arguments: [
            "+1", "01", "-01", "00", ".5", "1.", "-", "-.5", "1e", "1e+", "1e-", "1.e1", "0x10",
            "NaN", "Infinity", "-Infinity",
            "1_000", "1,5", "--1", "1e1.5", "1e1e1", "0b1", "１", "1.2.3", "-a", "- 1", "1 e5",
        ])
    func otherNumbers(_ text: String) {
        #expect(failure(text) != nil)
        #expect(text == "1,5" || failure("[\(text)]") != nil)
    }

    @Test("RFC 8259 6: numbers of 400 and of a million digits are read")
    func longNumbers() {
        #expect(failure(String(repeating: "7", count: 400)) == nil)
        #expect(failure("-0." + String(repeating: "9", count: 1 << 20)) == nil)
        #expect(failure("1e" + String(repeating: "9", count: 1 << 20)) == nil)
    }

    @Test("RFC 8259 8.1: a byte order mark and other encodings are rejected")
    func encodings() {
        #expect(failure([0xef, 0xbb, 0xbf] + Array("{}".utf8)) != nil)
        #expect(failure([0x7b, 0, 0x7d, 0]) != nil)
        #expect(failure([0, 0x7b, 0, 0x7d]) != nil)
        #expect(failure([0xff, 0xfe, 0x7b, 0, 0x7d, 0]) != nil)
        #expect(failure([0xfe, 0xff, 0, 0x7b, 0, 0x7d]) != nil)
        #expect(failure([0x7b, 0, 0, 0, 0x7d, 0, 0, 0]) != nil)
    }

    @Test("NUL does not end a text")
    func nul() {
        #expect(failure("{}\0") == .syntax)
        #expect(failure("\0{}") == .syntax)
        #expect(failure("{\"a\":1\0}") == .syntax)
        #expect(failure("{\"a\0\":1}") == .syntax)
        #expect(failure("{\"a\":\"x\0y\"}") == .syntax)
        #expect(failure("tru\0") == .syntax)
        #expect(failure("1\0") == .syntax)
    }

    @Test("A text truncated anywhere or followed by any byte is rejected")
    func cut() {
        let text = Array(
            "{\"iss\":\"h\\u00e9\",\"aud\":[\"a\",\"\u{1F600}\"],\"exp\":-1.5e3,\"x\":{\"y\":null,\"z\":true}}"
                .utf8)
        #expect(failure(text) == nil)
        for end in text.indices { #expect(failure(Array(text[..<end])) != nil) }
        for byte in UInt8.min...UInt8.max {
            let isSpace = [0x20, 0x09, 0x0a, 0x0d].contains(byte)
            #expect((failure(text + [byte]) == nil) == isSpace)
            #expect((failure([byte] + text) == nil) == isSpace)
        }
    }

    @Test("RFC 8259 9: depth is counted and does not use the stack")
    func depth() {
        for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
            for depth in 1...40 {
                let text =
                    String(repeating: open, count: depth) + "1"
                    + String(repeating: close, count: depth)
                #expect(failure(text, depth: 32) == (depth <= 32 ? nil : .depth))
            }
        }
        #expect(failure("1", depth: 0) == nil)
        #expect(failure("[]", depth: 0) == .depth)
        // Depth counts open containers, not closed ones.
        #expect(failure("[" + String(repeating: "[[]],", count: 1000) + "1]", depth: 3) == nil)
    }

    @Test("100,000 levels are read on a stack of 64 KiB")
    func depthOnSmallStack() {
        let count = 100_000
        let mixed =
            String(repeating: "[{\"a\":", count: count) + "0"
            + String(repeating: "}]", count: count)
        onSmallStack {
            #expect(failure(String(repeating: "[", count: count)) == .depth)
            #expect(failure(String(repeating: "{\"a\":", count: count)) == .depth)
            #expect(failure("{\"ignored\":" + String(repeating: "[", count: count)) == .depth)
            // Even if the limit allows it.
            #expect(failure(String(repeating: "[", count: count), depth: .max) == .syntax)
            #expect(failure(mixed, depth: .max) == nil)
        }
    }

    @Test("Too small a node buffer is a separate error")
    func capacity() {
        let text = Array("[1,2,{\"a\":\"b\"}]".utf8)
        for capacity in 0...8 {
            let found = withScratch(of: JSONNode.self, capacity: capacity) {
                nodes -> (Int, JSONError?) in
                do throws(JSONError) {
                    try JSON.scan(text.span, maxDepth: 4, into: &nodes)
                    return (nodes.count, nil)
                } catch {
                    return (nodes.count, error)
                }
            }
            #expect(found == (capacity < 6 ? (capacity, .capacity) : (6, nil)))
        }
    }

    @Test("The limit on nodes holds for the densest texts")
    func bound() throws {
        for text in [
            "1", "[]", "[1]", "[1,1,1,1]", "{\"\":1,\"a\":2}", "[[[[[]]]]]", "[[],[],[]]",
            "[{\"\":[]}]",
        ] {
            let document = try JSONDocument(Array(text.utf8), maxDepth: 32)
            #expect(document.nodes.count <= JSON.nodeCapacityBound(text.utf8.count))
        }
        let dense = "[" + String(repeating: "1,", count: 5000) + "1]"
        #expect(failure(dense, depth: 1) == nil)
        // A document may have one node for each eight bytes, plus 2,688.
        #expect(throws: JSONError.capacity) {
            try JSONDocument(Array(dense.utf8), maxDepth: 1)
        }
        let short = "[" + String(repeating: "1,", count: 3000) + "1]"
        #expect(try JSONDocument(Array(short.utf8), maxDepth: 1).nodes.count == 3002)
        #expect(nodeCapacity(dense) == 10_003 / 8 + 2_688)
        #expect(nodeCapacity("[1,{\"a\":2}]") == 5)
    }

    @Test("a caller's limit on nodes holds for short and long texts")
    func ownBound() throws {
        for count in [1, 7, 600, 3_000] {
            let text = Array(
                ("[" + [String](repeating: "10000000", count: count).joined(separator: ",") + "]")
                    .utf8)
            let all = try JSONDocument(text, maxDepth: 1, maxNodes: count + 1)
            #expect(all.nodes.count == count + 1)
            // Short texts get a few extra nodes before nodes are counted.
            guard count > 600 else { continue }
            #expect(throws: JSONError.capacity) {
                try JSONDocument(text, maxDepth: 1, maxNodes: count)
            }
        }
    }

    @Test("escaped names are counted in the whole text")
    func escapedNames() {
        func text(_ count: Int) -> String {
            let members = (0..<count).map { #"{"\u0061\#($0)":"\u0061","b":0}"# }
            return "[" + members.joined(separator: ",") + "]"
        }
        #expect(failure(text(1_024)) == nil)
        #expect(failure(text(1_025)) == .tooLarge)
        #expect(failure(text(1_026)) == .tooLarge)
    }

    @Test("digits are read eight at a time, and no other byte is read as a digit")
    func digits() {
        for count in 1...26 {
            let digits = (0..<count).map { UInt8(ascii: "0") + UInt8(($0 + 1) % 10) }
            #expect(failure(digits) == nil && failure([0x5b] + digits + [0x5d]) == nil)
            for index in 0..<count {
                for byte in UInt8.min ... .max where !(0x30...0x39).contains(byte) {
                    // Bytes that occur in a number or next to it.
                    if [0x20, 0x09, 0x0a, 0x0d, 0x2d, 0x2e, 0x45, 0x65].contains(byte) { continue }
                    var text = digits
                    text[index] = byte
                    if failure(text) == nil { Issue.record("\(byte) at \(index) of \(count)") }
                }
            }
        }
    }

    @Test("Memory is reserved for as many nodes as the text can have, at every length")
    func signs() {
        var random = SystemRandomNumberGenerator()
        let alphabet = Array(",:[{}]\"ax0;+-\u{1}Zz{".utf8) + [0xfb, 0xdb]
        for count in [Int](0...1_000) + [4_096, 20_011] {
            let text = (0..<count).map { _ in alphabet.randomElement(using: &random) ?? 0 }
            let signs = text.count { Array(",:[{".utf8).contains($0) }
            #expect(
                nodeCapacity(text) == min(JSON.nodeCapacity(count), signs + 1), "\(count) bytes")
        }
    }

    @Test("A text of 256 MB is rejected before it is read")
    func size() {
        #expect(failure([UInt8](repeating: 0x20, count: 1 << 28)) == .tooLarge)
    }
}
