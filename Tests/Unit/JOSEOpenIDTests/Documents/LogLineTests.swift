// The log of Examples/Login: untrusted text does not control a terminal.

import Testing

@Suite("Log of the login example")
struct LogLineTests {
    @Test("letters, digits, punctuation and symbols are logged unchanged")
    func shown() {
        for text in [
            "", "provider: rejects the request: unknown client a_b-1", "Zo\u{eb} \u{2026} \u{20ac}",
            "\u{4e2d}\u{6587}", "\u{416}\u{e9}\u{df}", "\u{ac00}", "a\\b \"c\" 'd' {e}",
            "\u{1f600}",
        ] { #expect(logLine(text).utf8.elementsEqual(text.utf8)) }
    }

    @Test("C0 and C1 controls, invisible characters and bidirectional marks are escaped")
    func escaped() {
        for value: UInt32 in [
            0x00, 0x07, 0x08, 0x09, 0x0a, 0x0d, 0x1b, 0x1f, 0x7f, 0x80, 0x85, 0x90, 0x9b, 0x9d,
            0x9f, 0xa0, 0xad, 0x301, 0x34f, 0x61c, 0x115f, 0x1160, 0x11ff, 0x180e, 0x2000, 0x200b,
            0x200d, 0x200e, 0x200f, 0x2028, 0x2029, 0x202a, 0x202b, 0x202c, 0x202d, 0x202e, 0x2060,
            0x2066, 0x2067, 0x2068, 0x2069, 0x20dd, 0x2800, 0x3000, 0x3164, 0xd7b0, 0xd7fb, 0xe000,
            0xfe0f, 0xfeff, 0xffa0, 0xfff9, 0xffff, 0xe0001, 0xe0041, 0x10fffd,
        ] {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let line = logLine("a\(Character(scalar))b\r\n")
            let wanted = "a\\u{\(String(value, radix: 16))}b\\u{d}\\u{a}"
            #expect(line.utf8.elementsEqual(wanted.utf8), "\(String(value, radix: 16))")
        }
    }

    @Test("every scalar that is hidden, combines or controls a terminal is escaped")
    func every() {
        for value in Array(UInt32(0)...0x1ffff) + Array(0xe0000...0xe01ff) {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let line = logLine(String(Character(scalar)))
            let category = scalar.properties.generalCategory
            let isHidden = [
                .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator,
                .paragraphSeparator, .nonspacingMark, .enclosingMark, .spacingMark,
            ].contains(category)
            if isHidden {
                #expect(line.utf8.elementsEqual("\\u{\(String(value, radix: 16))}".utf8))
            }
            #expect(!line.isEmpty)
        }
    }
}
