// Normalizes and compares https URLs, for the claim htu of DPoP proofs.

import JOSE
import JOSEBytes

/// An `https` URL without query and fragment, normalized by RFC 3986, 6.2.2 and 6.2.3: case,
/// escapes, dot segments, default and empty port, empty path.
struct NormalizedURL: Equatable {
    private let host: [UInt8]
    private let port: Int
    private let path: [UInt8]

    /// Nil unless the text is an https URL. Query and fragment are ignored.
    init?(_ text: String) {
        let bytes = text.utf8.span
        let url = bytes.extracting(first: NormalizedURL.count(bytes))
        guard let ranges = URLRanges(url, isExact: false) else { return nil }
        host = [UInt8](byteCapacity: ranges.host.count) { out in
            for at in ranges.host {
                out.append(0x41...0x5a ~= url[at] ? url[at] | 0x20 : url[at])
            }
        }
        port = ranges.port ?? 443
        path = NormalizedURL.normalized(url.extracting(ranges.path))
    }

    /// Whether both are https URLs and equal after normalization. Usually the bytes are equal: then
    /// only the bytes before the path are checked.
    static func areSame(_ a: String, _ b: String) -> Bool {
        let bytes = a.utf8.span
        let url = bytes.extracting(first: count(bytes))
        let other = b.utf8.span
        if equal(url, other) || equal(url, other.extracting(first: count(other))) {
            let slash = url.index(of: UInt8(ascii: "/"), in: min(8, url.count)..<url.count)
            return URLRanges(url.extracting(first: slash), isExact: false) != nil
        }
        guard let target = NormalizedURL(a) else { return false }
        return NormalizedURL(b) == target
    }

    /// Returns the value of `htu` (RFC 9449, 4.2).
    static func withoutQuery(_ text: String) -> String {
        let bytes = text.utf8.span
        return String(copying: bytes.extracting(first: count(bytes)))
    }

    /// Returns the number of bytes before query and fragment.
    private static func count(_ text: Span<UInt8>) -> Int {
        let query = text.index(of: UInt8(ascii: "?"), in: 0..<text.count)
        return text.index(of: UInt8(ascii: "#"), in: 0..<query)
    }

    /// Normalizes escapes, removes dot segments (RFC 3986, 5.2.4). Linear: the path is untrusted.
    private static func normalized(_ path: Span<UInt8>) -> [UInt8] {
        let (slash, dot) = (UInt8(ascii: "/"), UInt8(ascii: "."))
        var out: [UInt8] = []
        out.reserveCapacity(path.count + 1)
        var at = min(1, path.count)
        while true {
            let end = path.index(of: slash, in: at..<path.count)
            let start = out.count
            out.append(slash)
            append(path.extracting(at..<end), to: &out)
            let segment = out[(start + 1)...]
            let isParent = segment.elementsEqual([dot, dot])
            if isParent || segment.elementsEqual([dot]) {
                out.removeLast(out.count - start)
                if isParent { out.removeLast(out.count - (out.lastIndex(of: slash) ?? 0)) }
                if end == path.count { out.append(slash) }
            }
            guard end < path.count else { return out }
            at = end + 1
        }
    }

    /// Decodes escapes of unreserved characters and writes other escapes in upper case. The caller
    /// guarantees complete escapes (`URLRanges`).
    private static func append(_ segment: Span<UInt8>, to out: inout [UInt8]) {
        var at = 0
        while at < segment.count {
            let byte = segment[at]
            guard byte == UInt8(ascii: "%"), at + 2 < segment.count else {
                out.append(byte)
                at += 1
                continue
            }
            let (high, low) = (segment[at + 1], segment[at + 2])
            let value =
                (high.hexadecimalValue ?? 0) << 4 | (low.hexadecimalValue ?? 0)
            if value.isUnreserved {
                out.append(value)
            } else {
                out += [byte, capital(high), capital(low)]
            }
            at += 3
        }
    }

    private static func capital(_ digit: UInt8) -> UInt8 {
        0x61...0x66 ~= digit ? digit & 0xdf : digit
    }
}
