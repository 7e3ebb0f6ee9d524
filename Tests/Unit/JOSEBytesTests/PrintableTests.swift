// Printing untrusted text to a log or a terminal: every character, the limit, and the way back.

import Foundation
import JOSEBytes
import Testing

@Suite("Printable text")
struct PrintableTests {
    /// Characters that must never be shown unescaped, by Unicode blocks and not by properties.
    static let unfit: [ClosedRange<UInt32>] = [
        0x00...0x1f, 0x7f...0xa0, 0xad...0xad, 0x34f...0x34f, 0x61c...0x61c, 0x115f...0x11ff,
        0x1680...0x1680, 0x17b4...0x17b5, 0x180b...0x180f, 0x2000...0x200f, 0x2028...0x202f,
        0x205f...0x206f, 0x2800...0x2800, 0x3000...0x3000, 0x3164...0x3164, 0xd7b0...0xd7ff,
        0xe000...0xf8ff,
        0xfdd0...0xfdef, 0xfe00...0xfe0f, 0xfeff...0xfeff, 0xffa0...0xffa0, 0xfff0...0xfffb,
        0xfffe...0xffff, 0x1bca0...0x1bca3, 0x1d173...0x1d17a, 0x1fffe...0x1ffff,
        0xe0000...0x10ffff,
    ]

    static func isUnfit(_ scalar: Unicode.Scalar) -> Bool {
        unfit.contains { $0 ~= scalar.value }
    }

    /// The text that was made printable; nil if it cannot be recovered.
    private func original(_ shown: String) -> String? {
        var text = ""
        var rest = shown.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            guard scalar == "\\" else {
                guard scalar != "…" else { return nil }
                text.unicodeScalars.append(scalar)
                continue
            }
            guard let next = rest.popFirst() else { return nil }
            guard next == "u" else {
                text.unicodeScalars.append(next)
                continue
            }
            guard rest.popFirst() == "{", let end = rest.firstIndex(of: "}"),
                let value = UInt32(String(rest[..<end]), radix: 16),
                let found = Unicode.Scalar(value)
            else { return nil }
            text.unicodeScalars.append(found)
            rest = rest[rest.index(after: end)...]
        }
        return text
    }

    @Test("every Unicode character: unprintable ones are escaped, and all can be recovered")
    func everyCharacter() {
        var shownCount = 0
        for value in UInt32(0)...0x10ffff {
            // Beyond the first two planes and the tags there are only ideographs and private use.
            guard value < 0x20000 || 0xe0000...0xe0fff ~= value || value % 257 == 0 else {
                continue
            }
            guard let scalar = Unicode.Scalar(value) else { continue }
            let text = "a\(scalar)b"
            let shown = printable(text)
            if Self.isUnfit(scalar) {
                if shown != "a\\u{\(String(value, radix: 16))}b" {
                    Issue.record("U+\(String(value, radix: 16)) is shown as \(shown)")
                }
            } else if shown == text {
                shownCount += 1
            }
            guard let recovered = original(shown) else {
                Issue.record("U+\(String(value, radix: 16)) cannot be told from \(shown)")
                continue
            }
            if Array(recovered.utf8) != Array(text.utf8) {
                Issue.record("U+\(String(value, radix: 16)) became \(shown)")
            }
        }
        // Letters, marks, numbers, characters of a recent Unicode version.
        #expect(shownCount > 80_000)
    }

    @Test(
        "printable characters are shown, all others are escaped",
        arguments: [
            ("", ""), ("https://a.b/c?d=e f", "https://a.b/c?d=e f"), ("Grüße, 世界", "Grüße, 世界"),
            ("a'b\"c\\", "a\\'b\\\"c\\\\"), ("\u{1b}[2J", "\\u{1b}[2J"),
            ("a\r\nb", "a\\u{d}\\u{a}b"),
            ("\u{9b}1m\u{7f}", "\\u{9b}1m\\u{7f}"), ("\u{202e}x\u{2069}", "\\u{202e}x\\u{2069}"),
            ("a\u{2028}b", "a\\u{2028}b"), ("a\u{a0}b", "a\\u{a0}b"), ("…", "\\u{2026}"),
            ("\u{e0041}\u{10ffff}", "\\u{e0041}\\u{10ffff}"), ("สวัสดี", "สวัสดี"),
            ("e\u{301}", "e\u{301}"), ("\u{301}e", "\\u{301}e"), ("'\u{301}", "\\'\\u{301}"),
            (" \u{301}", " \\u{301}"), ("한글", "한글"), ("\u{1112}\u{a960}", "\u{1112}\u{a960}"),
            ("\u{1112}\u{1161}\u{11ab}", "\u{1112}\\u{1161}\\u{11ab}"),
            ("a\u{1161}\u{11ff}\u{d7b0}", "a\\u{1161}\\u{11ff}\\u{d7b0}"),
            ("z\u{300}\u{301}\u{302}\u{303}", "z\u{300}\u{301}\\u{302}\\u{303}"),
        ])
    func shown(_ text: String, _ wanted: String) {
        #expect(Array(printable(text).utf8) == Array(wanted.utf8))
    }

    @Test("a limit in bytes cuts only between characters and marks the cut")
    func bound() {
        #expect(printable("abcdef", atMost: 6) == "abcdef")
        #expect(printable("abcdefg", atMost: 6) == "abc…")
        #expect(printable("ab\u{202e}", atMost: 9) == "ab…")
        #expect(printable("ab\u{202e}", atMost: 10) == "ab\\u{202e}")
        #expect(printable("aaaaaaaaaa\u{202e}", atMost: 8) == "aaaaa…")
        #expect(printable(String(repeating: "\u{e000}", count: 9), atMost: 3) == "…")
        for most in 3...40 {
            for text in ["\u{202e}x'", "世界", "\"\\", "x", "👍\u{1f3fd}", "\u{0}"] {
                let shown = printable(String(repeating: text, count: 41), atMost: most)
                #expect(shown.utf8.count <= most && shown.utf8.count > most - 13)
                #expect(shown.hasSuffix("…"))
            }
        }
    }

    @Test(
        "JSON stays the same value, on one line",
        arguments: [
            "{\"a\":1}", "{\n\t\"a\" :\r\n [ 1 , \"\\n\\\"\\\\\" ] }",
            "\"\u{7f}\u{9b}\u{202e}\u{2028}\"",
            "{\"\u{200b}k\":\"\u{e0041}\u{10ffff}\",\"\\u202e\":\"\\ud83d\\ude00\"}",
            "[\"a\\\\\",\n\"b\"]", "\"👍\u{200d}👍\"", "\"\u{301}\"", "1e2",
        ])
    func json(_ text: String) throws {
        let line = printable(json: Array(text.utf8))
        for scalar in String(decoding: line, as: UTF8.self).unicodeScalars {
            #expect(!Self.isUnfit(scalar), "\(scalar.value)")
        }
        func value(_ bytes: [UInt8]) throws -> NSObject? {
            try JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed)
                as? NSObject
        }
        #expect(try value(line) == value(Array(text.utf8)))
        #expect(printable(json: line) == line)
        _ = try JSONDocument(line, maxDepth: 8)
    }

    @Test("long JSON is cut and the cut is marked") func cutJSON() {
        let text = Array("{\"a\":\"\u{202e}bcdefghij\"}".utf8)
        #expect(
            String(decoding: printable(json: text, atMost: 17), as: UTF8.self)
                == "{\"a\":\"\\u202ebc…")
        #expect(printable(json: text, atMost: 30).last == UInt8(ascii: "}"))
    }

    @Test("RFC 2253: the remainder of a name uses the escapes of the RFC")
    func names() {
        #expect(printable(name: "CN=a\\, b\\\",O=Käse") == "CN=a\\, b\\\",O=Käse")
        #expect(printable(name: "CN=\u{202e}x\u{9b}") == "CN=\\E2\\80\\AEx\\C2\\9B")
        #expect(printable(name: "CN=\u{1}") == "CN=\\01")
    }

    @Test("a payload on a terminal: unchanged if harmless, otherwise escaped except line breaks")
    func payloads() {
        func shown(_ text: String) -> String? {
            printable(payload: Array(text.utf8)).map { String(decoding: $0, as: UTF8.self) }
        }
        for fit in ["", "hello", "a\n\tb\n", "{\"a\":\"it's\\n\"}", "Grüße …"] {
            #expect(shown(fit) == nil)
        }
        #expect(shown("a\n\u{1b}[31mb\\\"") == "a\n\\u{1b}[31mb\\\\\"")
        #expect(shown("a\r\nb") == "a\\u{d}\nb")
        #expect(shown("\u{202e}") == "\\u{202e}")
        #expect(printable(payload: [0x61, 0xff, 0x0a, 0x1b]) == Array("a\\x{ff}\n\\x{1b}".utf8))
    }
}
