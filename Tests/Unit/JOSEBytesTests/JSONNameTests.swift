// Escaped names and short strings: comparing, packing, finding a character.

import Testing

@testable import JOSEBytes

@Suite struct JSONNameTests {
    /// The result of `read` for the string with `text` between its quotation marks.
    func read<T>(_ text: String, _ read: (JSONNode, Span<UInt8>) -> T) throws -> T {
        let document = try JSONDocument(Array("\"\(text)\"".utf8), maxDepth: 0)
        return read(document.nodes[0], document.bytes.span)
    }

    func value(_ text: String) throws -> String {
        try read(text) { JSON.string($0, in: $1) }
    }

    func isEqual(_ text: String, _ other: [UInt8]) throws -> Bool {
        try read(text) { JSON.equals($0, other.span, in: $1) }
    }

    func packed(_ text: String) throws -> UInt64? {
        try read(text) { PackedName($0, in: $1)?.number }
    }

    func hasDot(_ text: String) throws -> Bool {
        try read(text) { JSON.has(0x2e, $0, in: $1) }
    }

    @Test(
        "RFC 8259 8.3: an escaped string equals its value, and no other bytes",
        arguments: [
            #"\u0061"#, #"\u0061b"#, #"a\u0062"#, #"a\u0062c"#, #"\u0061\u0062"#, #"\n"#, #"a\/b"#,
            #"\u00e9"#, #"\u00e9x"#, #"x\u00e9"#, #"\u20ac"#, #"\u20acx"#, #"x\u20ac"#,
            #"\ud83d\ude00"#, #"\ud83d\ude00x"#, #"x\ud83d\ude00"#, #"\u007f\u0080"#,
            #"\u07ff\u0800"#, #"\uffff\ud800\udc00"#, #"\udbff\udfffz"#,
        ])
    func equality(_ text: String) throws {
        let value = Array(try self.value(text).utf8)
        #expect(try isEqual(text, value))
        #expect(try !isEqual(text, []))
        for end in value.indices {
            #expect(try !isEqual(text, Array(value[..<end])), "\(end) bytes")
        }
        for more: UInt8 in [0, 0x61, 0x75, 0x80] { #expect(try !isEqual(text, value + [more])) }
        for index in value.indices {
            for bit in 0..<8 {
                var other = value
                other[index] ^= 1 << UInt8(bit)
                #expect(try !isEqual(text, other), "bit \(bit) of byte \(index)")
            }
        }
    }

    @Test("RFC 8259 7: an escape reads as its scalar, at the limits of each UTF-8 length")
    func edges() throws {
        for (text, scalar) in [
            (#"\u0000"#, 0), (#"\u007f"#, 0x7f), (#"\u0080"#, 0x80), (#"\u07ff"#, 0x7ff),
            (#"\u0800"#, 0x800), (#"\ud7ff"#, 0xd7ff), (#"\ue000"#, 0xe000), (#"\uffff"#, 0xffff),
            (#"\ud800\udc00"#, 0x10000), (#"\ud800\udfff"#, 0x103ff), (#"\udbff\udc00"#, 0x10fc00),
            (#"\udbff\udfff"#, 0x10ffff), (#"\u002F"#, 0x2f), (#"\u00AF"#, 0xaf),
        ] as [(String, UInt32)] {
            let character = String(Character(try #require(Unicode.Scalar(scalar))))
            #expect(try value(text) == character, "\(text)")
            let between = try value("a\(text)b\(text)\(text)c")
            #expect(between == "a\(character)b\(character)\(character)c", "\(text)")
        }
        // The other half of a pair must be a low surrogate.
        for text in [#"\ud800\udbff"#, #"\ud800\ud800"#, #"\udbff\ue000"#, #"\ud800\udc0"#] {
            #expect(failure("\"\(text)\"") != nil, "\(text)")
        }
    }

    @Test("a name of one to eight bytes is packed, plain and escaped, and no other name")
    func packing() throws {
        #expect(try packed("") == nil)
        #expect(try packed("abcdefghi") == nil)
        let letters = Array("abcdefgh".utf8)
        for count in 1...8 {
            let name = letters.prefix(count)
            let number = name.reduce(UInt64(0)) { $0 * 256 + UInt64($1) }
            let escaped = name.map { #"\u00"# + String($0, radix: 16) }
            #expect(try packed(String(decoding: name, as: UTF8.self)) == number)
            #expect(try packed(escaped.joined()) == number)
            #expect(
                try packed(escaped[0] + String(decoding: name.dropFirst(), as: UTF8.self))
                    == number)
        }
        #expect(try packed(String(repeating: #"\u0061"#, count: 9)) == nil)
        #expect(try packed(#"\n23456789"#) == nil)
        #expect(try packed(#"\u00e9"#) == 0xc3a9)
        // A leading NUL would give the number of a shorter name.
        #expect(try packed(#"\u0000"#) == nil)
        #expect(try packed(#"\u0000a"#) == nil)
        #expect(try packed(#"\u0001a"#) == 0x161)
        #expect(try packed(#"a\u0000"#) == 0x6100)
    }

    @Test("a name is compared after unescaping, up to the requested length")
    func finding() throws {
        func found(_ text: String, most: Int) throws -> Int? {
            try read(text) { JSON.find($0, maxBytes: most, in: $1) { $0.count } }
        }
        for (text, count) in [("abc", 3), (#"\u0061\u0062\u0063"#, 3), (#"a\nc"#, 3), ("", 0)] {
            #expect(try found(text, most: 3) == count, "\(text)")
            #expect(try found(text, most: 4) == count, "\(text)")
            #expect(try found(text, most: 2) == (count > 2 ? nil : count), "\(text)")
        }
    }

    @Test("a character is found in an escaped string")
    func has() throws {
        for text in [
            #"\u002e"#, #"\n."#, #".\n"#, #"a\u002E"#, #"\n\u002e"#, #"\u002ea"#, #"aaaaaaaa\n."#,
            #"\\."#, #"\ud83d\ude00."#, #"\u00e9\u002e"#, #"a.\u00e9"#,
        ] {
            #expect(try hasDot(text), "\(text)")
        }
        for text in [
            #"\n"#, #"\u002f"#, #"a\n-/"#, #"\u012e"#, #"\u2e2e"#, #"\\u002e"#, #"\ud83d\ude2e"#,
            "", "bbbb", "bbbbbbbb", "b0b0b0b0b0b0", ",,,,,,,,",
        ] {
            #expect(try !hasDot(text), "\(text)")
        }
    }
}
