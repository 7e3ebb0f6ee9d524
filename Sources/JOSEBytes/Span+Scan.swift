// Searches and checks text, eight bytes at a time.

extension Span where Element == UInt8 {
    /// Returns the index of the first `byte` in a range; the end of the range if there is none.
    package func index(of byte: UInt8, in range: Range<Int>) -> Int {
        precondition(range.lowerBound >= 0 && range.upperBound <= count, "range out of bounds")
        var at = range.lowerBound
        while at &+ 8 <= range.upperBound {
            // The lowest mark is exact.
            let marks = Marks.of(byte, in: word(at: at)) & Marks.highs
            if marks != 0 { return at &+ marks.trailingZeroBitCount >> 3 }
            at &+= 8
        }
        while at < range.upperBound, self[at] != byte { at &+= 1 }
        return at
    }

    /// Whether all bytes are from `lowest` to the tilde (0x7e), and none is `first` or `second`.
    /// `lowest` must be at most 0x80.
    package func isASCII(from lowest: UInt8, without first: UInt8, _ second: UInt8) -> Bool {
        hasNoMarks { word in
            Marks.below(lowest, in: word) | word | Marks.of(0x7f, in: word)
                | Marks.of(first, in: word) | Marks.of(second, in: word)
        }
    }

    /// Returns the index, from `start`, of the first byte that cannot be base64: `=`, a backslash,
    /// 0x00 to 0x20, or above 0x7f; `count` if there is none. The timing depends on the positions
    /// of these bytes, not on the bytes between them.
    package func endOfBase64(from start: Int) -> Int {
        precondition(start >= 0 && start <= count, "start out of bounds")
        var at = start
        while at &+ 8 <= count {
            let word = word(at: at)
            // The lowest mark is exact.
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

    package var isASCII: Bool { hasNoMarks { $0 } }

    package var hasNoControlCharacters: Bool {
        hasNoMarks { Marks.below(0x20, in: $0) | Marks.of(0x7f, in: $0) }
    }

    /// Whether `marks` marks no byte in any word of eight bytes. The last two words may overlap.
    @inline(__always)
    private func hasNoMarks(_ marks: (UInt64) -> UInt64) -> Bool {
        guard count >= 8 else {
            // The missing bytes of the word repeat the first byte.
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

/// Marks bytes of a word in their highest bit. The lowest mark is right, but a mark above it may be
/// wrong (Warren, "Hacker's Delight", 6-1).
private enum Marks {
    static let ones: UInt64 = 0x0101_0101_0101_0101
    static let highs: UInt64 = 0x8080_8080_8080_8080

    @inline(__always)
    static func of(_ byte: UInt8, in word: UInt64) -> UInt64 {
        let other = word ^ (ones &* UInt64(byte))
        return (other &- ones) & ~other
    }

    /// Marks the bytes below `number`, which is at most 0x80.
    @inline(__always)
    static func below(_ number: UInt8, in word: UInt64) -> UInt64 {
        (word &- ones &* UInt64(number)) & ~word
    }
}

extension String {
    package var hasNoControlCharacters: Bool { utf8.span.hasNoControlCharacters }

    /// Whether all characters are visible ASCII or the space (RFC 6749, appendix A).
    package var isPrintableASCII: Bool { utf8.span.isASCII(from: 0x20, without: 0x7f, 0x7f) }
}
