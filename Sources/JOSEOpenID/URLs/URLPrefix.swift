// A URL prefix that matches whole path segments on the same host and port.

import JOSE
import JOSEBytes

/// An `https` URL prefix: the same host and port, and whole segments of the path.
///
/// Paths that servers and caches read differently match no prefix: those with dot segments, empty
/// segments, `;` or percent-escapes (`%2e%2e`, `%2f`, `%252e`). The query is not checked.
struct URLPrefix {
    private let host: String
    private let port: Int
    private let path: [String]

    /// Nil for other texts, a query, and an ambiguous path.
    init?(_ text: String) {
        guard let url = WebURL(text), !url.hasQuery, let path = URLPrefix.segments(url.path)
        else { return nil }
        host = url.host
        port = url.port ?? 443
        self.path = path.last?.isEmpty == true ? path.dropLast() : path
    }

    /// Whether a URL begins with this prefix.
    func matches(_ text: String) -> Bool {
        guard let url = WebURL(text), url.host.isExactly(host), url.port ?? 443 == port,
            let segments = URLPrefix.segments(url.path), segments.count >= path.count
        else { return false }
        return zip(segments, path).allSatisfy { $0.isExactly($1) }
    }

    /// Returns the segments of a path; nil for an ambiguous one.
    private static func segments(_ path: String) -> [String]? {
        let segments = path.pieces(at: UInt8(ascii: "/")).dropFirst()
        for (index, segment) in segments.enumerated() {
            guard segment.utf8.allSatisfy(isPlain), !segment.isExactly("."),
                !segment.isExactly(".."),
                !segment.isEmpty || index == segments.count - 1
            else { return nil }
        }
        return Array(segments)
    }

    /// Whether a byte is a `pchar` of RFC 3986, except percent-escapes and `;`.
    private static func isPlain(_ byte: UInt8) -> Bool {
        byte.isUnreserved || "!$&'()*+,=:@".utf8.contains(byte)
    }
}
