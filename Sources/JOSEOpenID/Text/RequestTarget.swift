// The address of a request as its sender and its receiver both see it, whatever the spelling.

import JOSE
import JOSEBytes

/// An `https` address without query and fragment, after the normalisations of RFC 3986, 6.2.2 and 6.2.3: case of scheme, host
/// and escapes, escapes of unreserved characters, dot segments, the default and the empty port, the empty path (RFC 9449, 4.3).
struct RequestTarget: Equatable {
    private let host: [UInt8]
    private let port: Int
    private let path: [UInt8]

    /// Nil for anything else.
    init?(_ text: String) {
        let bytes = text.utf8.span
        let address = bytes.extracting(first: RequestTarget.count(bytes))
        guard let places = RequestTarget.places(address) else { return nil }
        host = [UInt8](byteCapacity: places.host.count) { out in
            for at in places.host {
                out.append(0x41...0x5a ~= address[at] ? address[at] | 0x20 : address[at])
            }
        }
        port = places.port ?? 443
        path = RequestTarget.normalised(address.extracting(places.path))
    }

    /// Whether both are addresses, and the same one. What is spelled alike, as nearly all are, is the same wherever it is https with a
    /// host, whatever else clients write into its path.
    static func areSame(_ a: String, _ b: String) -> Bool {
        let bytes = a.utf8.span
        let address = bytes.extracting(first: count(bytes))
        let other = b.utf8.span
        if equal(address, other) || equal(address, other.extracting(first: count(other))) {
            let slash = address.place(
                of: UInt8(ascii: "/"), in: min(8, address.count)..<address.count)
            return places(address.extracting(first: slash)) != nil
        }
        guard let target = RequestTarget(a) else { return false }
        return RequestTarget(b) == target
    }

    /// What stands before the query and the fragment: what `htu` is to hold (RFC 9449, 4.2).
    static func withoutQuery(_ text: String) -> String {
        let bytes = text.utf8.span
        let count = count(bytes)
        return String(copying: bytes.extracting(first: count))
    }

    /// How many bytes stand before the query and the fragment.
    private static func count(_ text: Span<UInt8>) -> Int {
        let query = text.place(of: UInt8(ascii: "?"), in: 0..<text.count)
        return text.place(of: UInt8(ascii: "#"), in: 0..<query)
    }

    /// The letters of the scheme stand in any case, and no port is the default one.
    private static func places(_ address: Span<UInt8>) -> AddressPlaces? {
        AddressPlaces(address, isExact: false)
    }

    /// The path with one spelling of each escape and without dot segments (RFC 3986, 5.2.4); in one pass, as each of a
    /// stranger's slashes would else be a segment in memory.
    private static func normalised(_ path: Span<UInt8>) -> [UInt8] {
        let (slash, dot) = (UInt8(ascii: "/"), UInt8(ascii: "."))
        var out: [UInt8] = []
        out.reserveCapacity(path.count + 1)
        // Behind the first slash, which an empty path does not have.
        var at = min(1, path.count)
        while true {
            let end = path.place(of: slash, in: at..<path.count)
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

    /// Escapes of unreserved characters undone, all others in capitals; they are whole, as `AddressPlaces` saw to.
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
                (PercentEncoding.number(high) ?? 0) << 4 | (PercentEncoding.number(low) ?? 0)
            if PercentEncoding.isUnreserved(value) {
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
