// The JSON scanner accepts RFC 8259 and nothing else.

import Testing

@testable import JOSEBytes

@Suite struct JSONScannerTests {
    @Test("RFC 8259 2: values, white space and structure are accepted")
    func accepted() throws {
        for text in [
            "{}", "[]", " [ ] ", "\t\r\n{ \"a\" : [ 1 , -0.5e+3 , true , false , null ] }\n", "1",
            "\"\"", "\"a\\u0062\\n\\ud83d\\ude00\"", "[[],{},[{}]]", "\"é😀\"", "{\"\":{\"\":0}}",
        ] {
            #expect(fault(text) == nil, "\(text)")
        }
    }

    @Test("RFC 8259: other grammar is refused")
    func refused() {
        for text in [
            "", " ", "{", "[", "}", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "[1,]", "[,1]", "{,}",
            "01", "+1", ".5",
            "1.", "1e", "-", "NaN", "'a'", "{a:1}", "[1 2]", "nul", "truE", "{}{}", "{} x", "[1}",
            "{\"a\":1]",
            "\"\u{1}\"", "\"\\x\"", "\"\\u12g4\"", "\"abc", "\u{feff}{}", "{}\0", "/**/{}",
            "\u{c}1",
        ] {
            #expect(fault(text) != nil, "\(text)")
        }
    }

    @Test("RFC 7515 4: a member twice is refused, after unescaping")
    func duplicates() {
        #expect(fault("{\"alg\":1,\"alg\":2}") == .duplicate)
        #expect(fault("{\"alg\":1,\"\\u0061lg\":2}") == .duplicate)
        #expect(fault("{\"a\":{\"b\":[{\"c\":1,\"d\":2,\"c\":3}]}}") == .duplicate)
        #expect(fault("{\"a\":{\"a\":1},\"b\":1}") == nil)
    }

    @Test func walk() throws {
        let document = try JSONDocument(
            Array("{\"a\":[1,{\"x\":\"y\\n\"}],\"b\":-12.50e1,\"c\":true}".utf8), maximumDepth: 8)
        #expect(document.nodes[0].count == 3)
        let a = try #require(document.member("a"))
        #expect(document.nodes[a].count == 2)
        #expect(document.integer(at: try #require(document.member("b"))) == -125)
        #expect(document.bool(at: try #require(document.member(named: "c"))) == true)
        #expect(document.string(at: try #require(document.member("x", of: a + 2))) == "y\n")
    }
}
