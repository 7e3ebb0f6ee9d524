// A beginning of addresses that means one server and one folder of it, whatever is written behind.

import JOSE
import JOSEBytes

/// An `https` address below which others stand: the same host and port, and whole segments of the path.
///
/// What servers and caches read in different ways stands below no prefix: dot segments, empty ones, `;` and every
/// percent-escape in the path (`%2e%2e`, `%2f`, `%252e`). A query may hold anything.
struct AddressPrefix {
    private let host: String
    private let port: Int
    private let path: [String]

    /// Nil for anything but an `https` address without query whose path has no odd segment.
    init?(_ text: String) {
        guard let address = WebURL(text), !address.hasQuery,
            let path = AddressPrefix.segments(address.path)
        else { return nil }
        host = address.hostText
        port = address.port ?? 443
        self.path = path.last?.isEmpty == true ? path.dropLast() : path
    }

    func admits(_ text: String) -> Bool {
        guard let address = WebURL(text), address.hostText.isExactly(host),
            address.port ?? 443 == port, let segments = AddressPrefix.segments(address.path),
            segments.count >= path.count
        else { return false }
        return zip(segments, path).allSatisfy { $0.isExactly($1) }
    }

    /// What stands between the slashes; nil for segments that two readers may read differently.
    private static func segments(_ path: String) -> [String]? {
        let segments = path.pieces(at: UInt8(ascii: "/")).dropFirst()
        for (place, segment) in segments.enumerated() {
            guard segment.utf8.allSatisfy(isPlain), !segment.isExactly("."),
                !segment.isExactly(".."),
                !segment.isEmpty || place == segments.count - 1
            else { return nil }
        }
        return Array(segments)
    }

    /// RFC 3986's pchar less percent-escapes and `;`.
    private static func isPlain(_ byte: UInt8) -> Bool {
        PercentEncoding.isUnreserved(byte) || "!$&'()*+,=:@".utf8.contains(byte)
    }
}
