// Whether at most 30 combining marks follow each other, checked scalar by scalar with Unicode's own
// table.

import JOSEBytes
import Testing

@Suite("Runs of combining marks") struct StreamSafeTests {
    @Test(
        "UAX 15, 13: 31 scalars with a combining class other than 0 are too many, 30 are not"
    )
    func everyScalar() {
        for value in UInt32(0x80)...0x1ffff {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let isMark = scalar.properties.canonicalCombiningClass != .notReordered
            // Most scalars are looked up in the table anyway.
            guard isMark || value < 0x800 else { continue }
            var text = String.UnicodeScalarView()
            text.append("a")
            text.append(contentsOf: repeatElement(scalar, count: 30))
            #expect(String(text).isStreamSafe, "U+\(String(value, radix: 16))")
            text.append(scalar)
            #expect(String(text).isStreamSafe == !isMark, "U+\(String(value, radix: 16))")
        }
    }

    @Test("a letter between them starts a new run")
    func letters() {
        let marks = String(repeating: "\u{301}", count: 30)
        for letter in ["a", "\u{e9}", "\u{3b1}", "\u{5d0}", "\u{34f}"] {
            #expect((marks + letter + marks).isStreamSafe, "\(letter.unicodeScalars)")
            #expect(!(letter + marks + "\u{483}").isStreamSafe)
        }
    }
}
