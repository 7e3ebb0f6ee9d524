// The scanner reads the same values that the writer wrote.

import Testing

@testable import JOSEBytes

@Suite struct JSONWriterTests {
    func written(_ body: (inout JSONWriter) throws -> Void) rethrows -> String {
        var writer = JSONWriter(capacity: 0)
        try body(&writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    @Test func structure() throws {
        let text = try written { json in
            json.beginObject()
            json.name("a")
            json.beginArray()
            json.integer(1)
            json.beginObject()
            json.endObject()
            json.beginArray()
            json.endArray()
            json.string("x")
            json.bool(true)
            json.null()
            json.endArray()
            json.name("b" as String)
            json.unsigned(.max)
            json.name("c")
            json.beginObject()
            json.name("d")
            json.bool(false)
            json.endObject()
            json.name("e")
            json.raw("[1, 2]".utf8.span)
            json.name("f")
            json.string(base64URL: [0xfb, 0xff].span)
            json.name("g")
            json.string(secretBase64URL: [0xfb, 0xff].span)
            json.name("h")
            try json.double(1.5)
            json.name("i")
            json.string("RS256" as StaticString)
            json.endObject()
        }
        #expect(
            text
                == "{\"a\":[1,{},[],\"x\",true,null],\"b\":18446744073709551615,"
                + "\"c\":{\"d\":false},"
                + "\"e\":[1, 2],\"f\":\"-_8\",\"g\":\"-_8\",\"h\":1.5,\"i\":\"RS256\"}")
    }

    @Test("RFC 8259 7: only characters that must be escaped are escaped")
    func escapes() {
        #expect(
            written { $0.string("\"\\/\u{8}\u{c}\n\r\t\u{0}\u{1f}\u{7f}é😀" as String) }
                == "\"\\\"\\\\/\\b\\f\\n\\r\\t\\u0000\\u001f\u{7f}é😀\"")
        #expect(written { $0.name("a\"b" as String) } == "\"a\\\"b\":")
        #expect(
            written { $0.string("é" + String(repeating: "x", count: 40) + "\n" as String) }
                == "\"é" + String(repeating: "x", count: 40) + "\\n\"")
    }

    @Test func everyStringReadsBack() throws {
        var generator = Generator(seed: 11)
        for _ in 0..<2000 {
            let count = Int.random(in: 0..<60, using: &generator)
            let scalars = (0..<count).compactMap { _ in
                Unicode.Scalar(
                    UInt32.random(
                        in:
                            0...([0x22, 0x7f, 0x900, 0x10ffff].randomElement(using: &generator) ?? 0),
                        using: &generator))
            }
            let text = String(String.UnicodeScalarView(scalars))
            let json = written { $0.string(text) }
            let document = try JSONDocument(Array(json.utf8), maxDepth: 0)
            #expect(document.string(at: 0) == text)
            #expect(document.string(at: 0)?.utf8.count == text.utf8.count)
        }
    }

    @Test("RFC 8259 7: a character to escape is found at every offset of every length")
    func everyPlace() {
        let escapes: [(Character, String)] = [
            ("\"", "\\\""), ("\\", "\\\\"), ("\u{0}", "\\u0000"), ("\u{1f}", "\\u001f"),
        ]
        for count in 0...200 {
            let plain = String(repeating: "~", count: count)
            #expect(written { $0.string(plain) } == "\"\(plain)\"")
            for position in 0..<count {
                let (before, after) = (plain.prefix(position), plain.dropFirst(position + 1))
                for (character, escape) in escapes {
                    let text = "\(before)\(character)\(after)"
                    guard written({ $0.string(text) }) == "\"\(before)\(escape)\(after)\"" else {
                        Issue.record("\(escape) at \(position) of \(count)")
                        return
                    }
                }
            }
        }
    }

    @Test func numbers() throws {
        for value in [0, 1, -1, 9, 10, 99, 100, .max, .min] as [Int64] {
            #expect(written { $0.integer(value) } == String(value))
        }
        for value in [0, 1, 10, .max] as [UInt64] {
            #expect(written { $0.unsigned(value) } == String(value))
        }
        for (value, text) in [
            (0, "0"), (-0.0, "-0"), (1, "1"), (-1, "-1"), (0.1, "0.1"), (1e15, "1000000000000000"),
            (0x1p53, "9007199254740992.0"),
            (1e100, "1e+100"), (.leastNonzeroMagnitude, "5e-324"),
            (1_311_280_970.25, "1311280970.25"),
        ] {
            #expect(try written { try $0.double(value) } == text)
        }
        for value in [Double.nan, .infinity, -.infinity, .signalingNaN] {
            #expect(throws: JSONError.number) { try written { try $0.double(value) } }
        }
        var generator = Generator(seed: 12)
        for _ in 0..<5000 {
            let value = Double(bitPattern: generator.next())
            guard value.isFinite else { continue }
            let document = try JSONDocument(
                Array(written { try? $0.double(value) }.utf8), maxDepth: 0)
            #expect(JSON.double(document.nodes[0], in: document.bytes.span) == value)
        }
    }

    @Test("a wiped writer is empty, its memory is zero, and it can be used again") func wiped() {
        var writer = JSONWriter(capacity: 64)
        writer.beginObject()
        writer.name("k")
        writer.string("secret")
        let size = writer.bytes.count
        let position = unsafe writer.bytes.withUnsafeBufferPointer { $0.baseAddress }
        writer.wipe()
        #expect(writer.bytes.isEmpty)
        // The writer still owns the memory.
        for index in 0..<size { #expect(unsafe position?[index] == 0) }
        writer.beginArray()
        writer.endArray()
        #expect(writer.bytes == Array("[]".utf8))
    }
}
