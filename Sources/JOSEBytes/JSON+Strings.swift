// Compares and unescapes string nodes, whose text the scanner has checked.

extension JSON {
    package static func equals(
        _ string: JSONNode, _ text: StaticString, in bytes: Span<UInt8>
    ) -> Bool {
        if !string.hasEscapes && string.end - string.start != text.utf8CodeUnitCount {
            return false
        }
        return text.withUTF8Buffer { source in
            // Safe: the literal outlives the call.
            equals(string, unsafe Span(_unsafeElements: source), in: bytes)
        }
    }

    package static func equals(
        _ string: JSONNode, _ other: Span<UInt8>, in bytes: Span<UInt8>
    ) -> Bool {
        let text = bytes.extracting(string.start..<string.end)
        guard string.hasEscapes else { return equal(text, other) }
        return equalsUnescaped(text, other)
    }

    /// Compares while unescaping, up to the first difference: `other` bounds the cost.
    private static func equalsUnescaped(_ text: Span<UInt8>, _ other: Span<UInt8>) -> Bool {
        var at = 0
        var index = 0
        while at < text.count {
            guard index < other.count else { return false }
            if text[at] != UInt8(ascii: "\\") {
                guard text[at] == other[index] else { return false }
                at += 1
                index += 1
                continue
            }
            let (bytes, count) = encoded(escapedScalar(text, &at))
            guard other.count - index >= count else { return false }
            for offset in 0..<count {
                guard
                    other[index + offset] == UInt8(truncatingIfNeeded: bytes >> UInt32(8 * offset))
                else { return false }
            }
            index += count
        }
        return index == other.count
    }

    static func packedName(_ name: JSONNode, in bytes: Span<UInt8>) -> PackedName? {
        withShortName(name, maxBytes: 8, in: bytes) { PackedName($0) }
    }

    /// Whether a string, after unescaping, contains `character` (ASCII, not NUL).
    package static func has(_ character: UInt8, _ string: JSONNode, in bytes: Span<UInt8>) -> Bool {
        guard string.hasEscapes else {
            return hasPlain(character, bytes, string.start, string.end)
        }
        let text = bytes.extracting(string.start..<string.end)
        var at = 0
        while at < text.count {
            if text[at] == UInt8(ascii: "\\") {
                if escapedScalar(text, &at) == UInt32(character) { return true }
            } else {
                if text[at] == character { return true }
                at += 1
            }
        }
        return false
    }

    private static func hasPlain(
        _ character: UInt8, _ text: Span<UInt8>, _ start: Int, _ end: Int
    ) -> Bool {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let pattern = ones &* UInt64(character)
        // A matching byte is 0 in `zero`. The result has the high bit of the lowest such byte.
        func matches(_ word: UInt64) -> Bool {
            let zero = word ^ pattern
            return (zero &- ones) & ~zero & (ones &* 0x80) != 0
        }
        var at = start
        while at &+ 8 < end {
            if matches(text.word(at: at)) { return true }
            at &+= 8
        }
        // The zeros above a short last word never match: the character is not NUL.
        return matches(text.lastWord(start, end))
    }

    /// Calls `body` with an unescaped name of at most `maxBytes` bytes; nil for a longer name.
    package static func find(
        _ name: JSONNode, maxBytes: Int, in bytes: Span<UInt8>, _ body: (Span<UInt8>) -> Int?
    ) -> Int? {
        withShortName(name, maxBytes: maxBytes, in: bytes, body)
    }

    // Not `package`: other modules would call it through the runtime's type metadata.
    @inline(__always)
    private static func withShortName<R>(
        _ name: JSONNode, maxBytes: Int, in bytes: Span<UInt8>, _ body: (Span<UInt8>) -> R?
    ) -> R? {
        // An escape has at most six characters for each byte.
        guard name.end - name.start <= (name.hasEscapes ? 6 * maxBytes : maxBytes) else {
            return nil
        }
        return withUnescaped(name, in: bytes) { $0.count <= maxBytes ? body($0) : nil }
    }

    package static func string(_ node: JSONNode, in bytes: Span<UInt8>) -> String {
        let text = bytes.extracting(node.start..<node.end)
        guard node.hasEscapes else {
            return unsafe text.withUnsafeBufferPointer { source in
                unsafe String(unsafeUninitializedCapacity: source.count) { buffer in
                    unsafe buffer.initialize(fromContentsOf: source)
                }
            }
        }
        return String(utf8Capacity: text.count) { out in unescape(text, into: &out) }
    }

    @inline(__always)
    static func withUnescaped<R>(
        _ node: JSONNode, in bytes: Span<UInt8>, _ body: (Span<UInt8>) -> R
    ) -> R {
        let text = bytes.extracting(node.start..<node.end)
        guard node.hasEscapes else { return body(text) }
        // Unescaping never makes a text longer.
        return withScratch(of: UInt8.self, capacity: text.count) { out in
            unescape(text, into: &out)
            return body(out.span)
        }
    }

    /// Appends a text after unescaping. The scanner must have checked the text.
    package static func unescape(_ text: Span<UInt8>, into out: inout OutputSpan<UInt8>) {
        var at = 0
        while at < text.count {
            guard text[at] == UInt8(ascii: "\\") else {
                let end = text.index(of: UInt8(ascii: "\\"), in: at..<text.count)
                out.append(copying: text.extracting(at..<end))
                at = end
                continue
            }
            let scalar = escapedScalar(text, &at)
            guard scalar >= 0x80 else {
                out.append(UInt8(truncatingIfNeeded: scalar))
                continue
            }
            var (bytes, count) = encoded(scalar)
            while count > 0 {
                out.append(UInt8(truncatingIfNeeded: bytes))
                bytes >>= 8
                count &-= 1
            }
        }
    }

    /// Returns the scalar of the escape at `at`, and moves `at` after the escape.
    @inline(__always)
    static func escapedScalar(_ text: Span<UInt8>, _ at: inout Int) -> UInt32 {
        let kind = text.byte(at: at + 1)
        at += 2
        switch kind {
        case UInt8(ascii: "b"): return 0x08
        case UInt8(ascii: "f"): return 0x0c
        case UInt8(ascii: "n"): return 0x0a
        case UInt8(ascii: "r"): return 0x0d
        case UInt8(ascii: "t"): return 0x09
        case UInt8(ascii: "u"):
            let scalar = hexadecimal(text, at) ?? 0
            at += 4
            guard scalar & 0xfc00 == 0xd800 else { return scalar }
            let low = hexadecimal(text, at + 2) ?? 0
            at += 6
            return 0x10000 + (scalar & 0x3ff) << 10 + (low & 0x3ff)
        default: return UInt32(kind)
        }
    }

    /// Returns the UTF-8 of a scalar, its first byte lowest, and the number of bytes.
    @inline(__always)
    private static func encoded(_ scalar: UInt32) -> (bytes: UInt32, count: Int) {
        let last = 0x80 | scalar & 0x3f
        switch scalar {
        case 0..<0x80: return (scalar, 1)
        case 0x80..<0x800: return (0xc0 | scalar >> 6 | last << 8, 2)
        case 0x800..<0x10000:
            return (0xe0 | scalar >> 12 | (0x80 | scalar >> 6 & 0x3f) << 8 | last << 16, 3)
        default:
            let middle = (0x80 | scalar >> 12 & 0x3f) << 8 | (0x80 | scalar >> 6 & 0x3f) << 16
            return (0xf0 | scalar >> 18 & 7 | middle | last << 24, 4)
        }
    }
}
