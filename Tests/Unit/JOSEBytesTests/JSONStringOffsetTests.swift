// Bytes that end or break a string, at every offset of the words in which it is read.

import Testing

@testable import JOSEBytes

@Suite struct JSONStringOffsetTests {
    func quoted(_ bytes: [UInt8]) -> [UInt8] { [0x22] + bytes + [0x22] }

    @Test("RFC 8259 7: a byte before the end is found at every offset of the first two words")
    func beforeTheEnd() {
        let behind = [UInt8](repeating: 0x20, count: 20)
        let edges: [UInt8] = [
            0, 0x1f, 0x20, 0x21, 0x23, 0x44, 0x5b, 0x5d, 0x7e, 0x7f, 0x80, 0xa2, 0xdc, 0xff,
        ]
        for count in 1...18 {
            for index in 0..<count {
                for byte in count == 16 ? [UInt8](0...0xff) : edges {
                    // A quotation mark and a backslash are tested below.
                    if byte == 0x22 || byte == 0x5c { continue }
                    var text = [UInt8](repeating: 0x61, count: count)
                    text[index] = byte
                    let found = failure(quoted(text) + behind)
                    let expected: JSONError? =
                        byte < 0x20 ? .syntax : byte >= 0x80 ? .utf8 : nil
                    if found != expected { Issue.record("\(byte) at \(index) of \(count)") }
                }
            }
        }
    }

    @Test("RFC 8259 7: an escape is read at every offset, and the string ends after it")
    func escapes() throws {
        for (escape, value) in [(#"\""#, "\""), (#"\\"#, "\\"), (#"\n"#, "\n"), (#"\u0022"#, "\"")]
        {
            for before in 0..<36 {
                for after in [0, 1, 7, 20] {
                    let first = String(repeating: "x", count: before)
                    let last = String(repeating: "y", count: after)
                    let whole = first + value + last
                    let text = "[\"\(first)\(escape)\(last)\",\"\",\"z\",\"\(last)\"]"
                    let document = try JSONDocument(Array(text.utf8), maxDepth: 1)
                    let strings = (1..<document.nodes.count).map { document.string(at: $0) }
                    if strings != [whole, "", "z", last] {
                        Issue.record("\(escape) at \(before), \(after) behind it")
                    }
                }
            }
        }
    }

    @Test("RFC 8259 7: a quotation mark ends a string, so invalid text after it is rejected")
    func quotation() {
        for before in 0..<36 {
            let first = String(repeating: "x", count: before)
            for behind in ["\"", "\"\"", "x", "\\", "x\"", "\\\""] {
                let text = "\"\(first)\"\(behind)"
                #expect(failure(text) == .syntax, "\(text)")
                #expect(failure("[\(text)" + String(repeating: "]", count: 20)) == .syntax)
            }
        }
    }

    @Test("RFC 8259 7: an unterminated string is rejected at every length")
    func unterminated() {
        for count in 0..<40 {
            let text = "\"" + String(repeating: "x", count: count)
            #expect(failure(text) == .syntax)
            #expect(failure(text + "\\") == .syntax)
            #expect(failure(text + "\\\"") == .syntax)
            #expect(failure("[\(text)") == .syntax)
            #expect(failure("{\(text)") == .syntax)
            #expect(failure(text + "\"") == nil)
        }
    }

    @Test("RFC 3629 3: the byte after a sequence is checked like any other byte")
    func behindSequences() {
        for sequence in ["é", "€", "😀"] {
            let bytes = Array(sequence.utf8)
            for byte in UInt8.min ... .max where byte != 0x22 && byte != 0x5c {
                let expected: JSONError? = byte < 0x20 ? .syntax : byte >= 0x80 ? .utf8 : nil
                let found = failure(quoted(bytes + [byte]))
                if found != expected { Issue.record("\(byte) behind \(sequence)") }
            }
        }
    }
}
