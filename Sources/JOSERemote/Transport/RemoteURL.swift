// Which URLs a set may be fetched from.

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
}
