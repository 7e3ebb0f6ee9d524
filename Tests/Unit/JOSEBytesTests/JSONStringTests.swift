// Strings: UTF-8 without repair, escapes, surrogates.

import Testing

@testable import JOSEBytes

@Suite struct JSONStringTests {
    func quoted(_ bytes: [UInt8]) -> [UInt8] { [0x22] + bytes + [0x22] }

    func value(_ text: String) -> String? {
        guard let document = try? JSONDocument(Array(text.utf8), maxDepth: 4) else {
            return nil
        }
        return document.string(at: 0)
    }

    @Test(
        "RFC 3629 3: ill-formed sequences are rejected, never repaired",
        arguments: [
            [0x80], [0xbf], [0xc0, 0x80], [0xc1, 0xbf], [0xc2], [0xc2, 0x20], [0xc2, 0xc2],
            [0xc3, 0x28], [0xe0, 0x80, 0x80],
            [0xe0, 0x9f, 0xbf], [0xe2, 0x82], [0xe2, 0x28, 0xa1], [0xe2, 0x82, 0x28],
            [0xed, 0xa0, 0x80], [0xed, 0xbf, 0xbf],
            [0xf0, 0x80, 0x80, 0x80], [0xf0, 0x8f, 0xbf, 0xbf], [0xf0, 0x9f, 0x98],
            [0xf0, 0x9f, 0x98, 0x28],
            [0xf4, 0x90, 0x80, 0x80], [0xf5, 0x80, 0x80, 0x80], [0xf8, 0x88, 0x80, 0x80, 0x80],
            [0xfe], [0xff], [0xe9],
            [0xc3, 0xa9, 0x80],
        ] as [[UInt8]])
    func illFormed(_ bytes: [UInt8]) {
        for before in [0, 1, 7, 8, 9, 15, 16, 17, 40] {
            let lead = [UInt8](repeating: 0x61, count: before)
            #expect(failure(quoted(lead + bytes)) == .utf8)
            #expect(failure(quoted(lead + bytes + lead)) == .utf8)
            #expect(failure([0x7b] + quoted(lead + bytes) + Array(":1}".utf8)) == .utf8)
        }
        #expect(failure(bytes) != nil)
    }

    @Test(
        "RFC 3629 4: every pair and many triples of bytes give the standard library's result")
    func everySequence() {
        func agrees(_ bytes: [UInt8]) -> Bool {
            (failure(quoted(bytes)) == nil) == (String(validating: bytes, as: UTF8.self) != nil)
        }
        for a in UInt8(0x80)...0xff {
            for b in UInt8(0x80)...0xff where !agrees([a, b]) { Issue.record("\(a) \(b)") }
        }
        var generator = Generator(seed: 8)
        let edges: [UInt8] = [0x61, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0]
        for lead in UInt8(0xe0)...0xff {
            for b in edges {
                for c in edges {
                    let d = edges.randomElement(using: &generator) ?? 0
                    for text in [[lead, b, c], [lead, b, c, d]] where !agrees(text) {
                        Issue.record("\(text)")
                    }
                }
            }
        }
    }

    @Test("Every scalar value is accepted as UTF-8 and as an escape, and reads back")
    func scalars() {
        for value in stride(from: UInt32(0x20), through: 0x10ffff, by: 61) {
            guard let scalar = Unicode.Scalar(value), value != 0x22, value != 0x5c else { continue }
            let text = String(Character(scalar))
            if self.value("\"x\(text)\"") != "x" + text { Issue.record("U+\(value)") }
            let escaped = text.utf16.map { unit in
                let digits = String(unit, radix: 16, uppercase: unit % 2 == 0)
                return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }
            if self.value("\"x\(escaped.joined())\"") != "x" + text { Issue.record("U+\(value)") }
        }
    }

    @Test("RFC 8259 7: escapes are decoded, any other escape is rejected")
    func escapes() {
        #expect(value("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"") == "\"\\/\u{8}\u{c}\n\r\t")
        #expect(value("\"\\u0041\\u00e9\\u20AC\\ud83d\\uDE00\"") == "Aé€😀")
        #expect(value("\"\\u0000\"") == "\0")
        for byte in UInt8.min...UInt8.max {
            let known = Array("\"\\/bfnrt".utf8).contains(byte)
            #expect((failure(quoted([0x5c, byte])) == nil) == known)
        }
        for text in [
            "\\u", "\\u1", "\\u12", "\\u123", "\\u12g4", "\\u 123", "\\u+123", "\\U0041", "\\x41",
            "\\0", "\\u{41}",
        ] {
            #expect(failure("\"\(text)\"") == .syntax)
        }
        #expect(failure("\"\\\"") == .syntax)
        #expect(failure("\"\\") == .syntax)
    }

    @Test(
        "RFC 7493 2.1: a surrogate without its other half is rejected",
        arguments: [
            "\\ud800", "\\udfff", "\\udc00\\ud800", "\\ud800\\ud800", "\\ud800x", "\\ud800\\n",
            "\\ud83d\\u0041", "\\uD800\\",
            "\\udbff\\ue000", "x\\ud800", "\\ud83d\\ude00\\ude00",
        ])
    func surrogates(_ text: String) {
        #expect(failure("\"\(text)\"") != nil)
        #expect(failure("{\"\(text)\":1}") != nil)
    }

    @Test("The end of a string is found at any length")
    func lengths() throws {
        for count in 0..<200 {
            let text = String(repeating: "x", count: count)
            let document = try JSONDocument(
                Array("[\"\(text)\",\"\\n\(text)\"]".utf8), maxDepth: 1)
            #expect(document.string(at: 1) == text)
            #expect(document.string(at: 2) == "\n" + text)
        }
    }

    @Test func comparing() throws {
        let document = try JSONDocument(
            Array("[\"RS256\",\"\\u0052S256\",\"RS25\",\"RS2566\",\"\"]".utf8), maxDepth: 1)
        #expect(
            (1...5).map { document.equals(at: $0, "RS256") } == [true, true, false, false, false])
        #expect(document.equals(at: 5, ""))
        #expect(!document.equals(at: 0, "RS256"))
    }

    @Test("four hexadecimal digits: every number in both cases, and no other byte")
    func hexadecimal() {
        func read(_ text: [UInt8]) -> UInt32? { JSON.hexadecimal(text.span, 1) }
        for number in 0...0xffff {
            let digits = String(number, radix: 16)
            let small = "x" + String(repeating: "0", count: 4 - digits.count) + digits
            if read(Array(small.utf8)) != UInt32(number) { Issue.record("\(small)") }
            let large = Array(("x" + small.dropFirst().uppercased()).utf8)
            if read(large) != UInt32(number) { Issue.record("\(number)") }
        }
        let valid = Set("0123456789abcdefABCDEF".utf8)
        for index in 1...4 {
            for byte in UInt8.min ... .max where !valid.contains(byte) {
                for rest in "09afAF".utf8 {
                    var text = [0x78] + [UInt8](repeating: rest, count: 4)
                    text[index] = byte
                    if read(text) != nil { Issue.record("\(byte) at \(index)") }
                }
            }
        }
        for short in 0...4 { #expect(read([UInt8](repeating: 0x30, count: short)) == nil) }
    }

    @Test("a character is found in a string at any offset")
    func has() throws {
        for count in 0...26 {
            for index in -1..<count {
                // Neighbours of the dot, with and without the highest bit.
                for other: UInt8 in [0x2d, 0x2f, 0x61] {
                    var name = [UInt8](repeating: other, count: count)
                    if index >= 0 { name[index] = 0x2e }
                    // The quotation marks, and sometimes more, are around it.
                    for behind in [0, 12] {
                        let text = quoted(name) + [UInt8](repeating: 0x20, count: behind)
                        let document = try JSONDocument(text, maxDepth: 1)
                        let found = JSON.has(0x2e, document.nodes[0], in: document.bytes.span)
                        if found != (index >= 0) { Issue.record("\(count), \(index), \(other)") }
                    }
                }
            }
        }
        let around = Array(#"[".",".........",".........","aé","....."]"#.utf8)
        let document = try JSONDocument(around, maxDepth: 2)
        let found = document.nodes.dropFirst().map { JSON.has(0x2e, $0, in: document.bytes.span) }
        #expect(found == [true, true, true, false, true])
    }

    @Test("RFC 8259 8.2: each lone surrogate is replaced, and nothing else")
    func loneSurrogates() {
        for (text, wanted) in [
            (#"\ud800"#, #"\ufffd"#), (#"\udfff"#, #"\ufffd"#), (#"\uDBFFx"#, #"\ufffdx"#),
            (#"\ud83d\ude00"#, nil), (#"\ud83d\ud83d\ude00"#, #"\ufffd\ud83d\ude00"#),
            (#"\ude00\ud83d"#, #"\ufffd\ufffd"#), (#"\ud83d\u0041"#, #"\ufffd\u0041"#),
            (#"\\ud800"#, nil), (#"\\\ud800"#, #"\\\ufffd"#),
            (#"\ud83d\\ude00"#, #"\ufffd\\ude00"#),
            (#"\ud80"#, nil), (#"\ud8"#, nil), (#"\u"#, nil), (#"\"#, nil), ("", nil),
            (#"\uZ800\ud800"#, #"\uZ800\ufffd"#), (#"a\n\ud7ff\ue000"#, nil),
        ] as [(String, String?)] {
            var out = ""
            var positions: [Int] = []
            withScratch(of: UInt8.self, capacity: text.utf8.count) { bytes in
                positions = JSON.replaceLoneSurrogates(in: text.utf8.span, into: &bytes)
                out = String(decoding: bytes.span.indices.map { bytes.span[$0] }, as: UTF8.self)
            }
            #expect(out == wanted ?? text)
            #expect(positions.isEmpty == (wanted == nil))
            for index in positions {
                #expect(Array(out.utf8).dropFirst(index).starts(with: Array(#"\ufffd"#.utf8)))
            }
        }
    }
}
