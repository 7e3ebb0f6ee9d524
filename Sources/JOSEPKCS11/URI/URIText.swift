// Strict percent-encoding (RFC 7512, 2.3), by bytes.

import JOSEBytes

enum URIText {
    /// Bytes that need no escape in a value of the path (pk11-pchar).
    static func isInPath(_ byte: UInt8) -> Bool { isPlain(byte) || byte == UInt8(ascii: "&") }

    /// Bytes that need no escape in a value of the query (pk11-qchar).
    static func isInQuery(_ byte: UInt8) -> Bool {
        isPlain(byte) || byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?")
            || byte == UInt8(ascii: "|")
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        byte.isUnreserved || others.contains(byte)
    }

    private static let others = Array(":[]@!$'()*+,=".utf8)

    /// Nil for a byte that must be escaped, or an incomplete escape.
    static func decoded(_ text: ArraySlice<UInt8>, _ isAllowed: (UInt8) -> Bool) -> [UInt8]? {
        var bytes: [UInt8] = []
        var at = text.startIndex
        while at < text.endIndex {
            if text[at] == UInt8(ascii: "%") {
                guard text.endIndex - at >= 3, let high = text[at + 1].hexadecimalValue,
                    let low = text[at + 2].hexadecimalValue
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
            if byte.isUnreserved {
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
}
