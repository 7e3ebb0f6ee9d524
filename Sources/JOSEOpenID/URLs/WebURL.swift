// An https URL, and the check of redirect URIs.

import JOSE
import JOSEBytes

/// An absolute `https` URL without user information and fragment (RFC 3986).
struct WebURL {
    private let text: String
    private let ranges: URLRanges

    /// Nil for a text that is not such a URL or has more than 2,048 bytes.
    init?(_ text: String) {
        guard let ranges = URLRanges(text.utf8.span) else { return nil }
        self.text = text
        self.ranges = ranges
    }

    /// `allowsLoopbackHTTP` also accepts `http` with exactly `127.0.0.1`, `[::1]` or `localhost`.
    init?(_ text: String, allowsLoopbackHTTP: Bool) {
        guard allowsLoopbackHTTP, let rest = text.removingPrefix("http://") else {
            self.init(text)
            return
        }
        self.init("https://" + rest)
        guard WebURL.loopbackHosts.contains(where: part(ranges.host).isExactly) else { return nil }
    }

    private static let loopbackHosts = ["127.0.0.1", "[::1]", "localhost"]

    var port: Int? { ranges.port }
    var hasQuery: Bool { ranges.hasQuery }
    /// The host in lower case.
    var host: String { part(ranges.host).lowercasedASCII }
    /// The path; `/` if the URL has none.
    var path: String { ranges.path.isEmpty ? "/" : part(ranges.path) }

    var hasAddressOrLocalName: Bool { ranges.hostKind == .address || WebHost.isLocal(host) }

    private func part(_ range: Range<Int>) -> String {
        String(copying: text.utf8.span.extracting(range))
    }

    /// Whether a text is an absolute URI without fragment, as redirect URIs and resources must be
    /// (RFC 6749, 3.1.2; RFC 8707, 2). Schemes of native apps are allowed.
    static func isURIWithoutFragment(_ text: String) -> Bool {
        guard text.utf8.count <= 2_048 else { return false }
        if text.begins(with: "https:") { return WebURL(text) != nil }
        let bytes = text.utf8.span
        let colon = bytes.index(of: UInt8(ascii: ":"), in: 0..<bytes.count)
        guard URLRanges.isClean(bytes), colon + 1 < bytes.count, WebHost.isLetter(bytes[0])
        else {
            return false
        }
        for at in 0..<colon where !isOfScheme(bytes[at]) { return false }
        let scheme = String(copying: bytes.extracting(first: colon)).lowercasedASCII
        if scheme.isExactly("http"), !hasHost(bytes.extracting((colon + 1)..<bytes.count)) {
            return false
        }
        return !["https", "javascript", "data", "file", "vbscript", "about", "blob"].contains(
            scheme)
    }

    /// Whether the text after `http:` has the host that RFC 9110, 4.2.1 requires.
    private static func hasHost(_ rest: Span<UInt8>) -> Bool {
        let slash = UInt8(ascii: "/")
        guard rest.count > 2, rest[0] == slash, rest[1] == slash else { return false }
        let query = rest.index(of: UInt8(ascii: "?"), in: 2..<rest.count)
        let end = rest.index(of: slash, in: 2..<query)
        let user = rest.index(of: UInt8(ascii: "@"), in: 2..<end)
        let host = user == end ? 2 : user + 1
        return host < end && rest[host] != UInt8(ascii: ":")
    }

    static func redirectFailure(_ text: String) -> StaticString {
        if text.lowercasedASCII.begins(with: "https:"), !text.begins(with: "https:") {
            return "redirect_uri must begin with https in lower case"
        }
        return text.utf8.contains(where: { !(0x21...0x7e ~= $0) })
            ? "redirect_uri has a space, a line break or a character that a URL must escape"
            : "redirect_uri must be an absolute URI without fragment"
    }

    private static func isOfScheme(_ byte: UInt8) -> Bool {
        byte.isUnreserved && byte != UInt8(ascii: "_")
            && byte != UInt8(ascii: "~") || byte == UInt8(ascii: "+")
    }
}
