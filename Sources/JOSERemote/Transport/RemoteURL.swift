// Which URLs a set may be fetched from.

import JOSEBytes

/// The rule for URLs: absolute, https, a host, plain ASCII, no user, no fragment.
enum RemoteURL {
    static func isAllowed(_ url: String) -> Bool {
        let bytes = Array(url.utf8)
        let scheme = Array("https://".utf8)
        guard bytes.count <= 2_048, bytes.count > scheme.count else { return false }
        for (byte, wanted) in zip(bytes, scheme) where byte | 0x20 != wanted | 0x20 { return false }
        guard bytes.allSatisfy({ 0x21...0x7e ~= $0 && $0 != 0x5c && $0 != UInt8(ascii: "#") })
        else { return false }
        let authority = bytes.dropFirst(scheme.count).prefix {
            $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?")
        }
        guard let first = authority.first, first != UInt8(ascii: ":") else { return false }
        return !authority.contains(UInt8(ascii: "@"))
    }

    /// The host of a URL that is allowed, in lower case and without the port.
    static func host(of url: String) -> String {
        let bytes = Array(url.utf8)
        let authority = bytes.dropFirst(8).prefix {
            $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?")
        }
        let end = authority.firstIndex(of: UInt8(ascii: "]")).map { $0 + 1 }
        let host = end.map { authority[..<$0] } ?? authority.prefix { $0 != UInt8(ascii: ":") }
        return String(decoding: host, as: UTF8.self).lowercasedASCII
    }
}
