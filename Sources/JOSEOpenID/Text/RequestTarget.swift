// The address of a request as its sender and its receiver both see it, whatever the spelling.

import JOSE
import JOSEBytes

/// An `https` address without query and fragment, after the normalisations of RFC 3986, 6.2.2 and 6.2.3: case of scheme, host
/// and escapes, escapes of unreserved characters, dot segments, the default port, the empty path (RFC 9449, 4.3).
struct RequestTarget: Equatable {
    private let host: [UInt8]
    private let port: Int
    private let path: [UInt8]

    /// Nil for anything else.
    init?(_ text: String) {
        // The letters of the scheme stand in any case.
        let scheme = text.utf8.prefix(5)
        guard scheme.lazy.map({ $0 | 0x20 }).elementsEqual("https".utf8) else { return nil }
        let rest = RequestTarget.withoutQuery(text).utf8.dropFirst(5)
        guard let address = WebAddress("https" + String(decoding: rest, as: UTF8.self)) else {
            return nil
        }
        host = Array(address.hostText.utf8)
        port = address.port ?? 443
        path = RequestTarget.normalised(address.path.utf8)
    }

    /// Whether both are addresses, and the same one. What is spelled alike, as nearly all are, is read once.
    static func areSame(_ a: String, _ b: String) -> Bool {
        guard let target = RequestTarget(a) else { return false }
        return withoutQuery(a).isExactly(b) || RequestTarget(b) == target
    }

    /// What stands before the query and the fragment: what `htu` is to hold (RFC 9449, 4.2).
    static func withoutQuery(_ text: String) -> String {
        let kept = text.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        return kept.count == text.utf8.count ? text : String(decoding: kept, as: UTF8.self)
    }

    /// The path with one spelling of each escape and without dot segments (RFC 3986, 5.2.4); in one pass, as each of a
    /// stranger's slashes would else be a segment in memory.
    private static func normalised(_ path: String.UTF8View) -> [UInt8] {
        let (slash, dot) = (UInt8(ascii: "/"), UInt8(ascii: "."))
        var out: [UInt8] = []
        out.reserveCapacity(path.count)
        var rest = path.dropFirst()
        while true {
            let raw = rest.prefix { $0 != slash }
            let isLast = raw.endIndex == rest.endIndex
            let start = out.count
            out.append(slash)
            append(raw, to: &out)
            let segment = out[(start + 1)...]
            let isParent = segment.elementsEqual([dot, dot])
            if isParent || segment.elementsEqual([dot]) {
                out.removeLast(out.count - start)
                if isParent { out.removeLast(out.count - (out.lastIndex(of: slash) ?? 0)) }
                if isLast { out.append(slash) }
            }
            guard !isLast else { return out }
            rest = rest[raw.endIndex...].dropFirst()
        }
    }

    /// Escapes of unreserved characters undone, all others in capitals; they are whole, as `WebAddress` saw to.
    private static func append(_ segment: Substring.UTF8View, to out: inout [UInt8]) {
        var rest = segment.makeIterator()
        while let byte = rest.next() {
            guard byte == UInt8(ascii: "%"), let high = rest.next(), let low = rest.next() else {
                out.append(byte)
                continue
            }
            let value =
                (PercentEncoding.number(high) ?? 0) << 4 | (PercentEncoding.number(low) ?? 0)
            if PercentEncoding.isUnreserved(value) {
                out.append(value)
            } else {
                out += [byte, capital(high), capital(low)]
            }
        }
    }

    private static func capital(_ digit: UInt8) -> UInt8 {
        0x61...0x66 ~= digit ? digit & 0xdf : digit
    }
}
