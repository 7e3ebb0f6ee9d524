// What a string node says: comparing and unescaping. The text was checked by the scanner.

extension JSON {
    /// Whether a string is that literal, after unescaping.
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

    /// Whether a string is that text, after unescaping.
    package static func equals(
        _ string: JSONNode, _ other: Span<UInt8>, in bytes: Span<UInt8>
    ) -> Bool {
        withUnescaped(string, in: bytes) { text in equal(text, other) }
    }

    /// The value of a string.
    package static func string(_ node: JSONNode, in bytes: Span<UInt8>) -> String {
        let text = bytes.extracting(node.start..<node.end)
        guard node.hasEscapes else {
            return unsafe text.withUnsafeBufferPointer { source in
                unsafe String(unsafeUninitializedCapacity: source.count) { room in
                    unsafe room.initialize(fromContentsOf: source)
                }
            }
        }
        return String(utf8Capacity: text.count) { out in unescape(text, into: &out) }
    }

    /// Lends the text of a string after unescaping.
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

    /// Appends checked text after unescaping.
    package static func unescape(_ text: Span<UInt8>, into out: inout OutputSpan<UInt8>) {
        var at = 0
        while at < text.count {
            let byte = text[at]
            guard byte == UInt8(ascii: "\\") else {
                out.append(byte)
                at += 1
                continue
            }
            let kind = text.byte(at: at + 1)
            at += 2
            switch kind {
            case UInt8(ascii: "b"): out.append(0x08)
            case UInt8(ascii: "f"): out.append(0x0c)
            case UInt8(ascii: "n"): out.append(0x0a)
            case UInt8(ascii: "r"): out.append(0x0d)
            case UInt8(ascii: "t"): out.append(0x09)
            case UInt8(ascii: "u"):
                var scalar = hexadecimal(text, at) ?? 0
                at += 4
                if scalar & 0xfc00 == 0xd800 {
                    let low = hexadecimal(text, at + 2) ?? 0
                    scalar = 0x10000 + (scalar & 0x3ff) << 10 + (low & 0x3ff)
                    at += 6
                }
                append(scalar: scalar, to: &out)
            default: out.append(kind)
            }
        }
    }

    private static func append(scalar: UInt32, to out: inout OutputSpan<UInt8>) {
        switch scalar {
        case 0..<0x80:
            out.append(UInt8(scalar))
        case 0x80..<0x800:
            out.append(UInt8(0xc0 | scalar >> 6))
            out.append(UInt8(0x80 | scalar & 0x3f))
        case 0x800..<0x10000:
            out.append(UInt8(0xe0 | scalar >> 12))
            out.append(UInt8(0x80 | scalar >> 6 & 0x3f))
            out.append(UInt8(0x80 | scalar & 0x3f))
        default:
            out.append(UInt8(0xf0 | scalar >> 18 & 7))
            out.append(UInt8(0x80 | scalar >> 12 & 0x3f))
            out.append(UInt8(0x80 | scalar >> 6 & 0x3f))
            out.append(UInt8(0x80 | scalar & 0x3f))
        }
    }
}
