// Strict percent-encoding (RFC 7512, 2.3), by bytes.

enum URIText {
    /// Whether a byte may be unescaped in a value of the path (pk11-pchar).
    static func isInPath(_ byte: UInt8) -> Bool { isPlain(byte) || byte == UInt8(ascii: "&") }

    /// Whether a byte may be unescaped in a value of the query (pk11-qchar).
    static func isInQuery(_ byte: UInt8) -> Bool {
        isPlain(byte) || byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?")
            || byte == UInt8(ascii: "|")
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        isUnreserved(byte) || others.contains(byte)
    }

    private static let others = Array(":[]@!$'()*+,=".utf8)

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "_"), UInt8(ascii: "~"):
            true
        default: false
        }
    }

    /// Decodes a value; nil for a byte that must be escaped, or an incomplete escape.
    static func decoded(_ text: ArraySlice<UInt8>, _ isAllowed: (UInt8) -> Bool) -> [UInt8]? {
        var bytes: [UInt8] = []
        var at = text.startIndex
        while at < text.endIndex {
            if text[at] == UInt8(ascii: "%") {
                guard text.endIndex - at >= 3, let high = digit(text[at + 1]),
                    let low = digit(text[at + 2])
                else { return nil }
                bytes.append(high << 4 | low)
                at += 3
            } else {
                guard isAllowed(text[at]) else { return nil }
                bytes.append(text[at])
                at += 1
            }
        }
        return bytes
    }

    static func encoded(_ bytes: [UInt8]) -> String {
        var text = ""
        for byte in bytes {
            if isUnreserved(byte) {
                text.unicodeScalars.append(UnicodeScalar(byte))
            } else {
                text += byte < 16 ? "%0" : "%"
                text += String(byte, radix: 16, uppercase: true)
            }
        }
        return text
    }

    /// Parses a decimal number without leading zeros.
    static func number(_ digits: ArraySlice<UInt8>, max: UInt64) -> UInt64? {
        guard let first = digits.first, digits.count == 1 || first != UInt8(ascii: "0") else {
            return nil
        }
        var number: UInt64 = 0
        for digit in digits {
            guard UInt8(ascii: "0")...UInt8(ascii: "9") ~= digit else { return nil }
            let (tens, isOver) = number.multipliedReportingOverflow(by: 10)
            let (sum, isMore) = tens.addingReportingOverflow(UInt64(digit - UInt8(ascii: "0")))
            guard !isOver, !isMore, sum <= max else { return nil }
            number = sum
        }
        return number
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
