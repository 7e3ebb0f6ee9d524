// Parses an https URL into byte ranges without copying.

import JOSEBytes

/// The byte ranges of an absolute `https` URL without user information and fragment.
struct URLRanges {
    let host: Range<Int>
    let hostKind: WebHost
    let port: Int?
    let path: Range<Int>
    let hasQuery: Bool

    /// Nil for a text that is not such a URL or has more than 2,048 bytes. `isExact` requires a
    /// scheme in lower case, and forbids an empty port, which RFC 3986, 3.2.3 allows.
    init?(_ text: Span<UInt8>, isExact: Bool = true) {
        guard text.count <= 2_048, URLRanges.isSecure(text, isExact),
            URLRanges.isClean(text)
        else { return nil }
        let start = URLRanges.prefixCount
        let query = text.index(of: UInt8(ascii: "?"), in: start..<text.count)
        let slash = text.index(of: UInt8(ascii: "/"), in: start..<query)
        let authority = start..<slash
        guard text.index(of: UInt8(ascii: "@"), in: authority) == slash else { return nil }
        let colon = URLRanges.portColon(text, authority)
        if let colon, isExact || colon + 1 < slash {
            guard let port = URLRanges.port(text.extracting((colon + 1)..<slash)) else {
                return nil
            }
            self.port = port
        } else {
            port = nil
        }
        host = start..<(colon ?? slash)
        guard let kind = WebHost(text.extracting(host)) else { return nil }
        hostKind = kind
        path = slash..<query
        hasQuery = query < text.count
    }

    /// Returns what joins a URL and a query: `?`, `&`, or nothing after a trailing `?` or `&`.
    static func queryMark(after url: String) -> String {
        guard url.contains(byte: UInt8(ascii: "?")) else { return "?" }
        return url.ends(with: "?") || url.ends(with: "&") ? "" : "&"
    }

    private static let prefixCount = 8

    private static func isSecure(_ text: Span<UInt8>, _ isExact: Bool) -> Bool {
        guard text.count >= prefixCount, equal(text.extracting(5..<prefixCount), "://") else {
            return false
        }
        // `| 0x20` turns only letters into lower case letters.
        let caseBit: UInt8 = isExact ? 0 : 0x20
        var scheme: UInt64 = 0
        for at in 0..<5 { scheme = scheme << 8 | UInt64(text[at] | caseBit) }
        return scheme == 0x68_7474_7073
    }

    /// Returns the index of the colon before the port, not of one in an IPv6 address.
    private static func portColon(_ text: Span<UInt8>, _ authority: Range<Int>) -> Int? {
        for at in authority.reversed() {
            if text[at] == UInt8(ascii: ":") { return at }
            if text[at] == UInt8(ascii: "]") { return nil }
        }
        return nil
    }

    /// Whether a text has only characters of RFC 3986, complete percent-escapes, and no fragment.
    static func isClean(_ text: Span<UInt8>) -> Bool {
        for at in text.indices {
            let byte = text[at]
            guard isClean(byte) else { return false }
            if byte == UInt8(ascii: "%") {
                guard at + 2 < text.count, text[at + 1].hexadecimalValue != nil,
                    text[at + 2].hexadecimalValue != nil
                else { return false }
            }
        }
        return true
    }

    private static func isClean(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "#"), UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"),
            UInt8(ascii: "\\"), UInt8(ascii: "^"), UInt8(ascii: "`"), UInt8(ascii: "{"),
            UInt8(ascii: "|"), UInt8(ascii: "}"):
            false
        default: 0x21...0x7e ~= byte
        }
    }

    /// Nil unless the port is 1 to 65535 without leading zeros.
    static func port(_ digits: Span<UInt8>) -> Int? {
        guard 1...5 ~= digits.count, digits[0] != UInt8(ascii: "0") else { return nil }
        var number = 0
        for index in digits.indices {
            guard WebHost.isDigit(digits[index]) else { return nil }
            number = number * 10 + Int(digits[index] - 0x30)
        }
        return number <= 65_535 ? number : nil
    }
}
