// The checks of the URLs that this module fetches from.

import JOSEBytes

/// Allows absolute `https` URLs with a host, in printable ASCII, without user and fragment.
enum RemoteURL {
    static func isAllowed(_ url: String, _ policy: AddressPolicy) -> Bool {
        if isAllowed(url) { return true }
        // http only for three exact spellings: resolvers read `127.1` and `0x7f000001` too.
        guard policy == .loopbackAddresses, let rest = url.removingPrefix("http://"),
            isAllowed("https://" + rest)
        else { return false }
        return ["127.0.0.1", "[::1]", "localhost"].contains { host in
            guard let next = rest.removingPrefix(host)?.utf8.first else {
                return rest.utf8.count == host.utf8.count && rest.begins(with: host)
            }
            return next == UInt8(ascii: ":") || next == UInt8(ascii: "/")
                || next == UInt8(ascii: "?")
        }
    }

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

    /// The host of an allowed URL in canonical form, without the port; nil for a host that is
    /// neither a name nor an IP address in its usual form.
    ///
    /// curl and resolvers also accept `127.1`, `0x7f000001`, `017700000001`, `example.com.` and
    /// `%65xample.com`. So one server would have any number of names, each with its own
    /// `maxRequestsPerHost`.
    static func host(of url: String) -> String? {
        let bytes = url.utf8.span
        // After `https://` or `http://`.
        let start = bytes.index(of: UInt8(ascii: ":"), in: 0..<bytes.count) + 3
        let end = min(
            bytes.index(of: UInt8(ascii: "/"), in: start..<bytes.count),
            bytes.index(of: UInt8(ascii: "?"), in: start..<bytes.count))
        let bracket = bytes.index(of: UInt8(ascii: "]"), in: start..<end)
        let colon = UInt8(ascii: ":")
        guard bracket < end else {
            return WebHost.canonical(
                bytes.extracting(start..<bytes.index(of: colon, in: start..<end)))
        }
        guard bracket + 1 == end || bytes[bracket + 1] == colon else { return nil }
        return WebHost.canonical(bytes.extracting(start...bracket))
    }
}
