// Replaces escapes of unpaired surrogates, which the scanner rejects, so that a text can be read.

extension JSON {
    /// Appends a text with `\ufffd` for each escape of an unpaired surrogate, and returns the
    /// offsets of these escapes. The size of the text stays the same. The text need not be JSON.
    package static func replaceLoneSurrogates(
        in text: Span<UInt8>, into out: inout OutputSpan<UInt8>
    ) -> [Int] {
        var offsets: [Int] = []
        var copied = 0
        var at = 0
        while true {
            at = text.index(of: UInt8(ascii: "\\"), in: at..<text.count)
            guard at < text.count else { break }
            guard let first = unit(text, at), 0xd800...0xdfff ~= first else {
                // Another escape, or a backslash at the end.
                at = min(at + 2, text.count)
                continue
            }
            if first < 0xdc00, let second = unit(text, at + 6), 0xdc00...0xdfff ~= second {
                at += 12
                continue
            }
            out.append(copying: text.extracting(copied..<at))
            out.append("\\ufffd")
            offsets.append(at)
            at += 6
            copied = at
        }
        out.append(copying: text.extracting(copied..<text.count))
        return offsets
    }

    /// Returns the code unit of an escape `\uXXXX`; nil for any other text.
    private static func unit(_ text: Span<UInt8>, _ at: Int) -> UInt32? {
        guard text.byte(at: at) == UInt8(ascii: "\\"), text.byte(at: at + 1) == UInt8(ascii: "u")
        else { return nil }
        return hexadecimal(text, at + 2)
    }
}
