// Where the parts of an https address stand in its text: nothing of it is copied.

import JOSEBytes

/// The places of an absolute `https` URL without user information and fragment (RFC 3986).
struct AddressPlaces {
    /// The host as it stands.
    let host: Range<Int>
    let hostKind: WebHost
    /// The port where one is written.
    let port: Int?
    /// The path as it stands, which may be nothing.
    let path: Range<Int>
    let hasQuery: Bool

    /// Nil for anything else, and for a text over 2,048 bytes.
    ///
    /// - Parameter isExact: Whether the scheme must stand in lower case, and a colon has a port behind it. That of an address need not
    ///   (RFC 3986, 3.2.3).
    init?(_ text: Span<UInt8>, isExact: Bool = true) {
        guard text.count <= 2_048, AddressPlaces.isSecure(text, isExact),
            AddressPlaces.isClean(text)
        else { return nil }
        let start = AddressPlaces.prefixCount
        let query = text.place(of: UInt8(ascii: "?"), in: start..<text.count)
        let slash = text.place(of: UInt8(ascii: "/"), in: start..<query)
        let authority = start..<slash
        guard text.place(of: UInt8(ascii: "@"), in: authority) == slash else { return nil }
        let colon = AddressPlaces.portColon(text, authority)
        if let colon, isExact || colon + 1 < slash {
            guard let port = AddressPlaces.port(text.extracting((colon + 1)..<slash)) else {
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

    /// What joins a URL and a query: nothing behind a `?` or `&` at its end.
    static func queryMark(behind url: String) -> String {
        guard url.holds(UInt8(ascii: "?")) else { return "?" }
        return url.ends(with: "?") || url.ends(with: "&") ? "" : "&"
    }

    /// `https://`.
    private static let prefixCount = 8

    private static func isSecure(_ text: Span<UInt8>, _ isExact: Bool) -> Bool {
        guard text.count >= prefixCount, equal(text.extracting(5..<prefixCount), "://") else {
            return false
        }
        // No byte but a letter becomes one.
        let difference: UInt8 = isExact ? 0 : 0x20
        var scheme: UInt64 = 0
        for at in 0..<5 { scheme = scheme << 8 | UInt64(text[at] | difference) }
        return scheme == 0x68_7474_7073
    }

    /// The colon before a port; the others are those of an address in brackets.
    private static func portColon(_ text: Span<UInt8>, _ authority: Range<Int>) -> Int? {
        for at in authority.reversed() {
            if text[at] == UInt8(ascii: ":") { return at }
            if text[at] == UInt8(ascii: "]") { return nil }
        }
        return nil
    }

    /// RFC 3986's characters only, with whole percent-escapes, and no fragment.
    static func isClean(_ text: Span<UInt8>) -> Bool {
        for at in text.indices {
            let byte = text[at]
            guard isClean(byte) else { return false }
            if byte == UInt8(ascii: "%") {
                guard at + 2 < text.count, PercentEncoding.number(text[at + 1]) != nil,
                    PercentEncoding.number(text[at + 2]) != nil
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

    /// 1 to 65535, without leading zeros.
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
