// Makes well-known URLs of issuers and resources (RFC 8414, 3.1; RFC 9728, 3.1).

import JOSEBytes

enum WellKnownURL {
    /// Inserts `/.well-known/` and a suffix between the host and the path of a valid URL.
    /// `keepsSlash` keeps a slash at the end of the path, except for the path `/`.
    static func make(_ suffix: String, of url: String, keepsSlash: Bool) -> String {
        let bytes = url.utf8.span
        let host = bytes.index(of: UInt8(ascii: "/"), in: 0..<bytes.count) + 2
        let query = bytes.index(of: UInt8(ascii: "?"), in: min(host, bytes.count)..<bytes.count)
        let path = bytes.index(of: UInt8(ascii: "/"), in: min(host, query)..<query)
        var end = query
        if path < end, bytes[end - 1] == UInt8(ascii: "/"), !keepsSlash || end - path == 1 {
            end -= 1
        }
        return String(copying: bytes.extracting(first: path)) + "/.well-known/" + suffix
            + String(copying: bytes.extracting(path..<end))
            + String(copying: bytes.extracting(query..<bytes.count))
    }
}
