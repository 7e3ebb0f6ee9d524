// StrictDER: checks and reads DER (X.690, 10) without recursion.

package enum StrictDER {
    package struct Element: Sendable {
        /// The identifier octet. Tag numbers above 30 are rejected.
        package let tag: UInt8
        package let contents: Range<Int>
    }

    /// Reads the value at `start` within `bytes[..<end]`; nil if it is not DER.
    package static func element(
        _ bytes: Span<UInt8>, at start: Int, before end: Int
    ) -> Element? {
        guard start >= 0, end <= bytes.count, end - start >= 2 else { return nil }
        let tag = bytes[start]
        guard tag & 0x1f != 0x1f else { return nil }
        var at = start + 2
        var length = Int(bytes[start + 1])
        if length >= 0x80 {
            let octets = length & 0x7f
            guard octets >= 1, octets <= 4, end - at >= octets, bytes[at] != 0 else { return nil }
            length = 0
            for index in at..<(at + octets) { length = length << 8 | Int(bytes[index]) }
            guard length >= 0x80 else { return nil }
            at += octets
        }
        guard length <= end - at else { return nil }
        return Element(tag: tag, contents: at..<(at + length))
    }

    /// Whether `bytes` are one SEQUENCE by tag and length. Its contents are not checked.
    package static func isFramed(_ bytes: Span<UInt8>) -> Bool {
        guard let element = element(bytes, at: 0, before: bytes.count) else { return false }
        return element.tag == 0x30 && element.contents.upperBound == bytes.count
    }

    /// Whether `bytes` are exactly one value that is DER at all levels, at most 32. One pass.
    /// Contents of primitive values are not checked, except BOOLEAN, INTEGER and NULL.
    package static func isOneValue(_ bytes: Span<UInt8>) -> Bool {
        var ends: [32 of Int] = .init(repeating: 0)
        ends[0] = bytes.count
        var depth = 0
        var at = 0
        guard bytes.count > 0 else { return false }
        while true {
            guard let element = element(bytes, at: at, before: ends[depth]) else { return false }
            guard isWellFormed(element, bytes) else { return false }
            if element.tag & 0x20 != 0, !element.contents.isEmpty {
                guard depth + 1 < 32 else { return false }
                depth += 1
                ends[depth] = element.contents.upperBound
                at = element.contents.lowerBound
            } else {
                at = element.contents.upperBound
            }
            while depth > 0, at == ends[depth] { depth -= 1 }
            if depth == 0 { return at == bytes.count }
        }
    }

    /// Returns the number of values in a value that satisfies `isOneValue`. It includes values in
    /// octet strings that begin like a SEQUENCE or SET. If such octets are not DER, libcrypto
    /// may still parse them as BER: every two bytes count as a value.
    package static func elementCount(_ bytes: Span<UInt8>) -> Int {
        var ends: [64 of Int] = .init(repeating: 0)
        ends[0] = bytes.count
        var depth = 0
        var at = 0
        var count = 0
        while at < bytes.count {
            if let element = element(bytes, at: at, before: ends[depth]) {
                count += 1
                let contents = element.contents
                let holdsSequence =
                    element.tag == 0x04 && !contents.isEmpty
                    && bytes[contents.lowerBound] & 0xfe == 0x30
                if element.tag & 0x20 != 0 || holdsSequence, !contents.isEmpty, depth < 63 {
                    depth += 1
                    ends[depth] = contents.upperBound
                    at = contents.lowerBound
                } else {
                    at = contents.upperBound
                }
            } else {
                // Only the contents of an octet string can be other than DER here.
                count += (ends[depth] - at + 1) / 2
                at = ends[depth]
            }
            while depth > 0, at == ends[depth] { depth -= 1 }
        }
        return count
    }

    private static func isWellFormed(_ element: Element, _ bytes: Span<UInt8>) -> Bool {
        let contents = element.contents
        switch element.tag {
        case 0x01:
            guard contents.count == 1 else { return false }
            return bytes[contents.lowerBound] == 0 || bytes[contents.lowerBound] == 0xff
        case 0x02:
            guard contents.count >= 1 else { return false }
            guard contents.count >= 2 else { return true }
            let first = bytes[contents.lowerBound]
            let second = bytes[contents.lowerBound + 1]
            return !(first == 0 && second < 0x80) && !(first == 0xff && second >= 0x80)
        case 0x05: return contents.isEmpty
        default: return true
        }
    }
}
