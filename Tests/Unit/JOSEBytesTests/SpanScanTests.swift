// Scanning eight bytes at a time compared with one at a time.

import JOSEBytes
import Testing

@Suite("Byte scans, eight at a time")
struct SpanScanTests {
    /// Every byte at every offset of texts that end before, at and after whole words, among the
    /// most similar bytes.
    private func forEachText(_ body: (_ text: [UInt8], _ byte: UInt8) -> Void) {
        for count in 0...18 {
            for filler in [0x20, 0x21, 0x2c, 0x41, 0x7e] as [UInt8] {
                let plain = [UInt8](repeating: filler, count: count)
                body(plain, filler)
                for position in plain.indices {
                    for byte in UInt8.min...UInt8.max {
                        var text = plain
                        text[position] = byte
                        body(text, byte)
                    }
                }
            }
        }
    }

    @Test("a run of base64 ends at white space, a control, =, a backslash or a non-ASCII byte")
    func runs() {
        forEachText { text, _ in
            let end =
                text.firstIndex { $0 <= 0x20 || $0 >= 0x80 || $0 == 0x3d || $0 == 0x5c }
                ?? text.count
            #expect(text.span.endOfBase64(from: 0) == end)
            for start in [1, 7, 8, 9] where start <= text.count {
                let end =
                    text[start...].firstIndex {
                        $0 <= 0x20 || $0 >= 0x80 || $0 == 0x3d || $0 == 0x5c
                    } ?? text.count
                #expect(text.span.endOfBase64(from: start) == end)
            }
        }
    }

    @Test("base64 is copied as base64url, and both alphabets are distinguished")
    func alphabets() {
        forEachText { text, _ in
            var copied: [UInt8] = []
            var alphabets: Base64Alphabets = []
            withScratch(of: UInt8.self, capacity: text.count + 1) { out in
                out.append(0)
                alphabets = out.append(base64: text.span)
                copied = out.span.indices.dropFirst().map { out.span[$0] }
            }
            #expect(copied == text.map { $0 == 0x2b ? 0x2d : $0 == 0x2f ? 0x5f : $0 })
            #expect(alphabets.contains(.standard) == text.contains { $0 == 0x2b || $0 == 0x2f })
            #expect(alphabets.contains(.url) == text.contains { $0 == 0x2d || $0 == 0x5f })
        }
    }

    @Test("the first offset of a byte in a range is found") func places() {
        forEachText { text, byte in
            let position = text.firstIndex(of: byte) ?? text.count
            #expect(text.span.index(of: byte, in: 0..<text.count) == position)
            guard text.count > 2 else { return }
            let part = 1..<(text.count - 1)
            #expect(
                text.span.index(of: byte, in: part)
                    == text[part].firstIndex(of: byte) ?? part.upperBound)
        }
        // A byte that differs by one, below or above, must not match next to a real match.
        for byte in [0x01, 0x26, 0x3d, 0x80, 0xff] as [UInt8] {
            for others in [[byte &- 1, byte &+ 1], [byte ^ 1, byte ^ 0x80], [0, 0xff]] {
                let others = others.filter { $0 != byte }
                for length in 0...20 {
                    let text = (0..<length).map { others[$0 % others.count] }
                    #expect((text + [byte] + text).span.index(of: byte, in: 0..<length) == length)
                    #expect(
                        (text + [byte] + text).span.index(of: byte, in: 0..<(2 * length + 1))
                            == length)
                }
            }
        }
    }

    @Test("white space, a control character or one other byte is found at every offset")
    func spaces() {
        forEachText { text, byte in
            for other in [UInt8(ascii: "="), 0x7f, 0xff, byte] {
                let wanted = text.contains { $0 <= 0x20 || $0 == other }
                #expect(text.span.containsSpace(or: other) == wanted)
            }
        }
        for count in [31, 32, 33, 64, 95, 1_000] {
            var text = (0..<count).map { $0.isMultiple(of: 2) ? UInt8(ascii: "!") : 0xff }
            #expect(text.span.containsSpace(or: UInt8(ascii: "=")) == false)
            for position in text.indices {
                for byte in [0x00, 0x0a, 0x20, 0x3d] as [UInt8] {
                    let kept = text[position]
                    text[position] = byte
                    let found = text.span.containsSpace(or: UInt8(ascii: "="))
                    #expect(found, "\(byte) at \(position)")
                    text[position] = kept
                }
            }
        }
    }

    @Test("visible ASCII except some characters, and text without control characters")
    func ranges() {
        forEachText { text, _ in
            for (lowest, first, second) in [
                (0x20, 0x7f, 0x7f), (0x21, 0x2b, 0x25), (0x20, 0x22, 0x5c), (0x80, 0, 0), (0, 0, 1),
            ] as [(UInt8, UInt8, UInt8)] {
                let wanted = text.allSatisfy {
                    $0 >= lowest && $0 < 0x7f && $0 != first && $0 != second
                }
                #expect(text.span.isASCII(from: lowest, without: first, second) == wanted)
            }
            #expect(
                text.span.hasNoControlCharacters == text.allSatisfy { $0 >= 0x20 && $0 != 0x7f })
        }
    }

    @Test("a copy replaces one byte with another") func copies() {
        forEachText { text, byte in
            let copy = [UInt8](byteCapacity: text.count + 1) { out in
                out.append(0)
                out.append(copying: text.span, with: 0x20, for: byte)
            }
            #expect(copy == [0] + text.map { $0 == byte ? 0x20 : $0 })
        }
    }

    @Test("lower case applies to ASCII only") func lowerCase() {
        for (text, lower) in [
            ("", ""), ("aZ09-_", "az09-_"), ("@[`{", "@[`{"), ("DPoP-Nonce", "dpop-nonce"),
            ("\u{212a}", "\u{212a}"), ("É\u{130}K", "É\u{130}k"),
        ] {
            #expect(text.lowercasedASCII.utf8.elementsEqual(lower.utf8))
        }
        #expect("\u{212a}".lowercased() == "k")
    }
}
