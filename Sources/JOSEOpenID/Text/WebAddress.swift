// An https address taken apart, so far as the rules for endpoints and references look at it.

import JOSEBytes

/// An absolute `https` URL without user information and fragment (RFC 3986).
struct WebAddress {
    /// The host; an address of either version of IP in the one spelling that it has here.
    let host: WebHost
    /// The port where one is written.
    let port: Int?
    let hasQuery: Bool
    /// The host as it stands, in lower case.
    let hostText: String
    /// The path as it stands, at least a slash.
    let path: String

    /// Nil for anything else, and for a text over 2,048 bytes.
    init?(_ text: String) {
        guard text.utf8.count <= 2_048, text.utf8.starts(with: "https://".utf8) else { return nil }
        let bytes = Array(text.utf8)
        guard WebAddress.isClean(bytes[...]) else { return nil }
        let rest = bytes.dropFirst(8)
        guard !rest.contains(UInt8(ascii: "#")) else { return nil }
        let authority = rest.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
        guard !authority.contains(UInt8(ascii: "@")) else { return nil }
        let closing = authority.lastIndex(of: UInt8(ascii: "]"))
        let colon = authority.lastIndex(of: UInt8(ascii: ":"))
        var name = authority
        var port: Int?
        if let colon, colon > closing ?? -1 {
            let digits = authority[(colon + 1)...]
            guard (1...5).contains(digits.count), digits.first != UInt8(ascii: "0"),
                digits.allSatisfy({ 0x30...0x39 ~= $0 }),
                let number = Int(String(decoding: digits, as: UTF8.self)), 1...65_535 ~= number
            else { return nil }
            port = number
            name = authority[..<colon]
        }
        guard let host = WebHost(name) else { return nil }
        self.host = host
        hostText = String(decoding: name, as: UTF8.self).lowercasedASCII
        let path = rest.dropFirst(authority.count).prefix { $0 != UInt8(ascii: "?") }
        self.path = path.isEmpty ? "/" : String(decoding: path, as: UTF8.self)
        self.port = port
        hasQuery = rest.contains(UInt8(ascii: "?"))
    }

    /// Whether a text may be a redirect URI: absolute, clean, no fragment (RFC 6749, 3.1.2). Any scheme, as apps use
    /// their own.
    static func isRedirect(_ text: String) -> Bool {
        guard text.utf8.count <= 2_048 else { return false }
        if text.utf8.starts(with: "https:".utf8) { return WebAddress(text) != nil }
        let bytes = Array(text.utf8)
        guard isClean(bytes[...]), !bytes.contains(UInt8(ascii: "#")),
            let colon = bytes.firstIndex(of: UInt8(ascii: ":")), colon + 1 < bytes.count,
            let first = bytes.first, WebHost.isLetter(first)
        else { return false }
        let scheme = String(decoding: bytes[..<colon], as: UTF8.self).lowercasedASCII
        guard
            bytes[..<colon].allSatisfy({
                PercentEncoding.isUnreserved($0) && $0 != UInt8(ascii: "_")
                    && $0 != UInt8(ascii: "~") || $0 == UInt8(ascii: "+")
            })
        else { return false }
        return !["https", "javascript", "data", "file", "vbscript", "about", "blob"].contains(
            scheme)
    }

    /// RFC 3986's characters only, with whole percent-escapes.
    private static func isClean(_ bytes: ArraySlice<UInt8>) -> Bool {
        var at = bytes.startIndex
        while at < bytes.endIndex {
            let byte = bytes[at]
            guard 0x21...0x7e ~= byte, !isRefused(byte) else { return false }
            if byte == UInt8(ascii: "%") {
                guard at + 2 < bytes.endIndex, PercentEncoding.number(bytes[at + 1]) != nil,
                    PercentEncoding.number(bytes[at + 2]) != nil
                else { return false }
            }
            at += 1
        }
        return true
    }

    private static func isRefused(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\\"),
            UInt8(ascii: "^"), UInt8(ascii: "`"), UInt8(ascii: "{"), UInt8(ascii: "|"),
            UInt8(ascii: "}"):
            true
        default: false
        }
    }
}
