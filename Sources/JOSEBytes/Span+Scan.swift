// What readers of forms and claims ask of every value, eight bytes at a time.

extension Span where Element == UInt8 {
    /// Where a byte stands first in a part of a text; the part's end where it does not.
    package func place(of byte: UInt8, in part: Range<Int>) -> Int {
        precondition(part.lowerBound >= 0 && part.upperBound <= count, "a part outside the bytes")
        var at = part.lowerBound
        while at &+ 8 <= part.upperBound {
            // Exact up to the first mark.
            let marks = Marks.of(byte, in: word(at: at)) & Marks.highs
            if marks != 0 { return at &+ marks.trailingZeroBitCount >> 3 }
            at &+= 8
        }
        while at < part.upperBound, self[at] != byte { at &+= 1 }
        return at
    }

    /// Whether all bytes are ASCII from `lowest`, which is at most 0x80, to the tilde, and none is
    /// one of two.
    package func isASCII(from lowest: UInt8, without first: UInt8, _ second: UInt8) -> Bool {
        allWords { word in
            Marks.below(lowest, in: word) | word | Marks.of(0x7f, in: word)
                | Marks.of(first, in: word) | Marks.of(second, in: word)
        }
    }

    /// Where the first byte is, from `start`, that cannot be a character of base64: white space,
    /// `=`, a reverse solidus, a control or one beyond ASCII; `count` where there is none.
    ///
    /// Its time depends on where these are, not on the characters between them.
    package func endOfBase64(from start: Int) -> Int {
        precondition(start >= 0 && start <= count, "a start outside the bytes")
        var at = start
        while at &+ 8 <= count {
            let word = word(at: at)
            // Exact up to the first mark.
            let marks =
                (Marks.below(0x21, in: word) | Marks.of(UInt8(ascii: "="), in: word)
                    | Marks.of(UInt8(ascii: "\\"), in: word) | word) & Marks.highs
            if marks != 0 { return at &+ marks.trailingZeroBitCount >> 3 }
            at &+= 8
        }
        while at < count {
            let byte = self[at]
            guard byte > 0x20, byte < 0x80, byte != UInt8(ascii: "="), byte != UInt8(ascii: "\\")
            else { return at }
            at &+= 1
        }
        return at
    }

    /// Whether all bytes are ASCII.
    package var isASCII: Bool { allWords { $0 } }

    /// Whether no byte is a control character of ASCII.
    package var hasNoControlCharacters: Bool {
        allWords { Marks.below(0x20, in: $0) | Marks.of(0x7f, in: $0) }
    }

    /// Whether a look at eight bytes marks none of them anywhere. Bytes may be looked at twice.
    @inline(__always)
    private func allWords(_ marks: (UInt64) -> UInt64) -> Bool {
        guard count >= 8 else {
            // What is missing of the word is the first byte again.
            guard let first = isEmpty ? nil : self[0] else { return true }
            let rest = (Marks.ones &* UInt64(first)) << UInt64(8 &* count)
            return marks(lastWord(0, count) | rest) & Marks.highs == 0
        }
        var all: UInt64 = 0
        var at = 0
        while at &+ 8 <= count {
            all |= marks(word(at: at))
            at &+= 8
        }
        return (all | marks(word(at: count &- 8))) & Marks.highs == 0
    }
}

/// Marks in the highest bit of a byte; whether there is one is exact, and the lowest one is
/// (Warren, "Hacker's Delight", 6-1).
private enum Marks {
    static let ones: UInt64 = 0x0101_0101_0101_0101
    static let highs: UInt64 = 0x8080_8080_8080_8080

    /// The bytes that are this one.
    @inline(__always)
    static func of(_ byte: UInt8, in word: UInt64) -> UInt64 {
        let other = word ^ (ones &* UInt64(byte))
        return (other &- ones) & ~other
    }

    /// The bytes below a number, which is at most 0x80.
    @inline(__always)
    static func below(_ number: UInt8, in word: UInt64) -> UInt64 {
        (word &- ones &* UInt64(number)) & ~word
    }
}

extension String {
    /// Whether no character is a control character of ASCII.
    package var hasNoControlCharacters: Bool { utf8.span.hasNoControlCharacters }

    /// Whether all characters are visible ASCII or the space (RFC 6749, appendix A).
    package var isPrintableASCII: Bool { utf8.span.isASCII(from: 0x20, without: 0x7f, 0x7f) }
}
