// Scans strings: finds their end, validates UTF-8 and escapes.

internal import CJOSEBytes

extension JSON {
    /// Scans a string from after its opening quotation mark. Returns the index of the closing mark.
    @inline(__always)
    static func scanString(
        _ text: Span<UInt8>, _ start: Int
    ) throws(JSONError) -> (end: Int, hasEscapes: Bool) {
        // Most strings end within 16 bytes.
        if let count = plainCount16(text, start),
            text.byte(at: start &+ count) == UInt8(ascii: "\"")
        {
            return (start &+ count, false)
        }
        return try scanAnyString(text, start)
    }

    private static func scanAnyString(
        _ text: Span<UInt8>, _ start: Int
    ) throws(JSONError) -> (end: Int, hasEscapes: Bool) {
        var at = start
        var hasEscapes = false
        var nonASCIICount = 0
        while true {
            at += plainCount(text, at)
            let byte = text.byte(at: at)
            if byte == UInt8(ascii: "\"") {
                return (at, hasEscapes)
            } else if byte == UInt8(ascii: "\\") {
                hasEscapes = true
                // Escapes come in runs.
                repeat {
                    at = try scanEscape(text, at)
                } while text.byte(at: at) == UInt8(ascii: "\\")
            } else if byte < 0x80 {
                // A control character (RFC 8259, 7), or the end of the text.
                throw .syntax
            } else {
                // The vector check pays off for long non-ASCII text, but not in a name. The loop
                // checks the bytes that the vector check leaves.
                if nonASCIICount >= vectorThreshold { at += textCount(text, at) }
                while text.byte(at: at) >= 0x80 {
                    at = try scanSequence(text, at)
                    nonASCIICount += 1
                    if nonASCIICount == vectorThreshold { break }
                }
            }
        }
    }

    /// The number of non-ASCII characters after which the vector check is used.
    private static let vectorThreshold = 8

    /// As `plainCount`, but at most 16. Nil if the whole text has fewer than 16 bytes.
    @inline(__always)
    private static func plainCount16(_ text: Span<UInt8>, _ start: Int) -> Int? {
        guard start >= 0 else { return nil }
        let rest = text.count &- start
        guard rest >= 16 || rest >= 0 && text.count >= 16 else { return nil }
        return unsafe text.withUnsafeBufferPointer { buffer in
            // Safe: the guards.
            unsafe buffer.baseAddress.map { base in
                rest >= 16
                    ? unsafe josebytes_plain16(base + start)
                    : unsafe josebytes_plain_last(base + text.count, rest)
            }
        }
    }

    /// Returns the number of plain bytes from `start`: ASCII without quotation marks, backslashes
    /// and control characters.
    @inline(__always)
    static func plainCount(_ text: Span<UInt8>, _ start: Int) -> Int {
        let rest = text.extracting(droppingFirst: start)
        return unsafe rest.withUnsafeBufferPointer { buffer in
            // Safe: the kernel reads `count` bytes.
            guard let base = buffer.baseAddress else { return 0 }
            return unsafe josebytes_plain_count(base, buffer.count)
        }
    }

    /// Returns the size of well-formed UTF-8 from `start`; see `josebytes_text_count`.
    @inline(__always)
    private static func textCount(_ text: Span<UInt8>, _ start: Int) -> Int {
        let rest = text.extracting(droppingFirst: start)
        return unsafe rest.withUnsafeBufferPointer { buffer in
            // Safe: the kernel reads `count` bytes.
            guard let base = buffer.baseAddress else { return 0 }
            return unsafe josebytes_text_count(base, buffer.count)
        }
    }

    /// Scans one UTF-8 sequence of two or more bytes (RFC 3629, 4).
    @inline(__always)
    private static func scanSequence(_ text: Span<UInt8>, _ at: Int) throws(JSONError) -> Int {
        let lead = text.byte(at: at)
        let second = text.byte(at: at + 1)
        switch lead {
        case 0xc2...0xdf:
            guard isContinuation(second) else { throw .utf8 }
            return at + 2
        case 0xe0...0xef:
            // No overlong encodings, no surrogates.
            let low: UInt8 = lead == 0xe0 ? 0xa0 : 0x80
            let high: UInt8 = lead == 0xed ? 0x9f : 0xbf
            guard second >= low, second <= high, isContinuation(text.byte(at: at + 2)) else {
                throw .utf8
            }
            return at + 3
        case 0xf0...0xf4:
            // No overlong encodings, nothing above U+10FFFF.
            let low: UInt8 = lead == 0xf0 ? 0x90 : 0x80
            let high: UInt8 = lead == 0xf4 ? 0x8f : 0xbf
            guard second >= low, second <= high, isContinuation(text.byte(at: at + 2)),
                isContinuation(text.byte(at: at + 3))
            else { throw .utf8 }
            return at + 4
        default:
            throw .utf8
        }
    }

    @inline(__always)
    private static func isContinuation(_ byte: UInt8) -> Bool { byte & 0xc0 == 0x80 }

    /// Scans an escape from its backslash. A surrogate pair is one escape.
    private static func scanEscape(_ text: Span<UInt8>, _ at: Int) throws(JSONError) -> Int {
        switch text.byte(at: at + 1) {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"),
            UInt8(ascii: "f"), UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            return at + 2
        case UInt8(ascii: "u"):
            guard let unit = hexadecimal(text, at + 2) else { throw .syntax }
            switch unit {
            case 0xd800...0xdbff:
                guard text.byte(at: at + 6) == UInt8(ascii: "\\"),
                    text.byte(at: at + 7) == UInt8(ascii: "u"),
                    let low = hexadecimal(text, at + 8), 0xdc00...0xdfff ~= low
                else { throw .utf8 }
                return at + 12
            case 0xdc00...0xdfff:
                throw .utf8
            default:
                return at + 6
            }
        default:
            throw .syntax
        }
    }

    /// Returns the value of four hexadecimal digits; nil if one of them is invalid. All four are
    /// processed at once, as the bytes of a number with the first digit lowest.
    @inline(__always)
    static func hexadecimal(_ text: Span<UInt8>, _ start: Int) -> UInt32? {
        guard let digits = text.halfWord(at: start) else { return nil }
        // Letters have bit 6. Small letters have bit 5, capital letters do not.
        let letters = digits >> 6 & 0x0101_0101
        let small = digits | letters << 5
        let values = digits & 0x0f0f_0f0f &+ letters &* 9
        // The digits are valid if `values`, written as lower-case digits, equal `small`.
        let aboveNine = (values &+ 0x7676_7676) >> 7 & 0x0101_0101
        guard values & 0xf0f0_f0f0 == 0,
            values &+ 0x3030_3030 &+ aboveNine &* 39 == small
        else { return nil }
        let reversed = values.byteSwapped
        let pairs = (reversed | reversed >> 4) & 0x00ff_00ff
        return (pairs | pairs >> 8) & 0xffff
    }
}
