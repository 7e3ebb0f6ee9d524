// A URL prefix that matches whole path segments.

import JOSE
import JOSEBytes

/// An `https` URL that matches URLs with the same host, port and first path segments. Queries are
/// ignored. Paths that servers and caches read differently never match: those with dot segments,
/// empty segments, `;` or percent-escapes (`%2e%2e`, `%2f`, `%252e`).
struct URLPrefix {
    private let host: String
    private let port: Int
    private let path: [String]

    /// Nil unless the text is an https URL without query and with an unambiguous path.
    init?(_ text: String) {
        guard let url = WebURL(text), !url.hasQuery, let path = URLPrefix.segments(url.path)
        else { return nil }
        host = url.host
        port = url.port ?? 443
        self.path = path.last?.isEmpty == true ? path.dropLast() : path
    }

    func matches(_ text: String) -> Bool {
        guard let url = WebURL(text), url.host.isExactly(host), url.port ?? 443 == port,
            let segments = URLPrefix.segments(url.path), segments.count >= path.count
        else { return false }
        return zip(segments, path).allSatisfy { $0.isExactly($1) }
    }

    /// Returns the segments of a path; nil for an ambiguous path.
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

    /// Whether a byte is a `pchar` (RFC 3986) other than `%` and `;`.
    private static func isPlain(_ byte: UInt8) -> Bool {
        byte.isUnreserved || "!$&'()*+,=:@".utf8.contains(byte)
    }
}
