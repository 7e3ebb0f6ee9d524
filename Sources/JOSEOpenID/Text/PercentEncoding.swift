// Percent-encoding as forms and queries use it, in one spelling out and strictly in.

import JOSEBytes

enum PercentEncoding {
    /// Everything but the unreserved characters of RFC 3986, 2.3, becomes `%XX`.
    static func encode(_ text: String) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count + 16)
        for byte in text.utf8 {
            if isUnreserved(byte) {
                bytes.append(byte)
            } else {
                bytes.append(UInt8(ascii: "%"))
                bytes.append(digit(byte >> 4))
                bytes.append(digit(byte & 15))
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The text; nil where it is no printable ASCII, a percent sign has no two digits behind it, or the result
    /// is no UTF-8 or holds a control character.
    static func decode(_ text: Span<UInt8>) -> String? { decode(text, isJSON: false) }

    /// The same for JSON, whose white space is tab, line feed and carriage return too.
    static func json(_ text: Span<UInt8>) -> String? { decode(text, isJSON: true) }

    private static func decode(_ text: Span<UInt8>, isJSON: Bool) -> String? {
        guard !isPlain(text) else {
            return String(asciiCapacity: text.count) { $0.append(copying: text) }
        }
        guard let bytes = bytes(text),
            bytes.allSatisfy({ byte in
                byte >= 0x20 && byte != 0x7f
                    || isJSON && (byte == 0x09 || byte == 0x0a || byte == 0x0d)
            })
        else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }

    /// Whether a text stands for itself, as tokens and most other values do: visible ASCII without plus and percent signs.
    private static func isPlain(_ text: Span<UInt8>) -> Bool {
        // All bytes are looked at without a branch, many at once.
        var others: UInt8 = 0
        for index in 0..<text.count {
            let byte = text[index]
            others |= byte &- 0x21 > 0x5d ? 1 : 0
            others |= byte == UInt8(ascii: "+") ? 1 : 0
            others |= byte == UInt8(ascii: "%") ? 1 : 0
        }
        return others == 0
    }

    /// Where a byte stands first in a part of a text; the part's end where it does not.
    static func place(of byte: UInt8, in text: Span<UInt8>, _ part: Range<Int>) -> Int {
        var at = part.lowerBound
        while at < part.upperBound, text[at] != byte { at &+= 1 }
        return at
    }

    /// The bytes, whatever they are; nil where the text is no printable ASCII or a percent sign has no two digits behind
    /// it.
    static func bytes(_ text: Span<UInt8>) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        var at = 0
        while at < text.count {
            let byte = text[at]
            guard 0x21...0x7e ~= byte else { return nil }
            at += 1
            if byte == UInt8(ascii: "+") {
                bytes.append(0x20)
            } else if byte == UInt8(ascii: "%") {
                guard at + 1 < text.count, let high = number(text[at]),
                    let low = number(text[at + 1])
                else { return nil }
                bytes.append(high << 4 | low)
                at += 2
            } else {
                bytes.append(byte)
            }
        }
        return bytes
    }

    static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "_"), UInt8(ascii: "~"):
            true
        default: false
        }
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
    }

    static func number(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
