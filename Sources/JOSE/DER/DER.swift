// Reads DER values by position, and writes them into memory of the exact size.

import JOSEBytes

/// Reads DER values one after another; each must have the expected tag.
struct DERReader {
    private(set) var at: Int
    let end: Int

    init(_ range: Range<Int>) {
        at = range.lowerBound
        end = range.upperBound
    }

    var isAtEnd: Bool { at == end }

    func tag(_ bytes: Span<UInt8>) -> UInt8? { at < end ? bytes[at] : nil }

    @inline(__always)
    mutating func next(_ tag: UInt8, _ bytes: Span<UInt8>) throws(JOSEError) -> Range<Int> {
        guard let element = StrictDER.element(bytes, at: at, before: end), element.tag == tag else {
            throw .malformed(.key, "the DER of the key file does not have the expected structure")
        }
        at = element.contents.upperBound
        return element.contents
    }

    /// Reads a non-negative INTEGER. The returned range excludes a zero byte for the sign.
    mutating func number(_ bytes: Span<UInt8>) throws(JOSEError) -> Range<Int> {
        let range = try next(DER.integer, bytes)
        guard !range.isEmpty else {
            throw .malformed(.key, "an INTEGER in the key file has no contents")
        }
        guard bytes[range.lowerBound] < 0x80 else {
            throw .malformed(.key, "an INTEGER in the key file is negative")
        }
        guard range.count > 1, bytes[range.lowerBound] == 0 else { return range }
        guard bytes[range.lowerBound + 1] >= 0x80 else {
            throw .malformed(.key, "an INTEGER in the key file is not minimally encoded")
        }
        return (range.lowerBound + 1)..<range.upperBound
    }

    mutating func small(_ bytes: Span<UInt8>) throws(JOSEError) -> UInt32 {
        let range = try number(bytes)
        guard range.count <= 4 else {
            throw .limitExceeded(.key, "an INTEGER in the key file has more than 32 bits")
        }
        return range.reduce(0) { $0 << 8 | UInt32(bytes[$1]) }
    }

    mutating func skip(_ bytes: Span<UInt8>) throws(JOSEError) {
        guard let tag = tag(bytes) else {
            throw .malformed(.key, "the key file ends too early")
        }
        _ = try next(tag, bytes)
    }

    func finish() throws(JOSEError) {
        guard isAtEnd else { throw .malformed(.key, "the key file has data after its values") }
    }
}

enum DER {
    static let boolean: UInt8 = 0x01
    static let integer: UInt8 = 0x02
    static let bitString: UInt8 = 0x03
    static let octetString: UInt8 = 0x04
    static let null: UInt8 = 0x05
    static let identifier: UInt8 = 0x06
    static let utcTime: UInt8 = 0x17
    static let generalizedTime: UInt8 = 0x18
    static let sequence: UInt8 = 0x30
    static let set: UInt8 = 0x31

    /// Returns the size in bytes of a value whose contents have `count` bytes.
    static func size(_ count: Int) -> Int {
        var size = count + 2
        var rest = count
        if count >= 0x80 { while rest > 0 { (size, rest) = (size + 1, rest >> 8) } }
        return size
    }

    /// Returns the size in bytes of the contents of a non-negative INTEGER.
    static func numberSize(_ number: Span<UInt8>) -> Int {
        number.count + (number.isEmpty || number[0] >= 0x80 ? 1 : 0)
    }

    static func append(_ tag: UInt8, _ count: Int, to out: inout OutputSpan<UInt8>) {
        out.append(tag)
        if count < 0x80 {
            out.append(UInt8(count))
        } else {
            let octets = size(count) - count - 2
            out.append(0x80 | UInt8(octets))
            for index in (0..<octets).reversed() {
                out.append(UInt8(truncatingIfNeeded: count >> (8 * index)))
            }
        }
    }

    static func value(_ tag: UInt8, _ contents: [UInt8]) -> [UInt8] {
        [UInt8](capacity: size(contents.count)) { out in
            append(tag, contents.count, to: &out)
            out.append(copying: contents.span)
        }
    }

    /// The contents of the OBJECT IDENTIFIER; empty if there are fewer than two arcs.
    static func identifier(_ dotted: StaticString) -> [UInt8] {
        let arcs = dotted.description.pieces(at: UInt8(ascii: ".")).compactMap { UInt64($0) }
        return arcs.count >= 2 ? identifier(arcs) : []
    }

    static func identifier(_ arcs: [UInt64]) -> [UInt8] {
        ([40 * arcs[0] + arcs[1]] + arcs.dropFirst(2)).flatMap { arc in
            var groups = [UInt8(arc & 0x7f)]
            var rest = arc >> 7
            while rest > 0 { (groups, rest) = ([UInt8(rest & 0x7f) | 0x80] + groups, rest >> 7) }
            return groups
        }
    }

    static func append(number: Span<UInt8>, to out: inout OutputSpan<UInt8>) {
        let count = numberSize(number)
        append(integer, count, to: &out)
        if count > number.count { out.append(0) }
        out.append(copying: number)
    }
}

enum OID {
    static let rsaPSS: [UInt8] = [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x0a]
    static let pbes2: [UInt8] = [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x05, 0x0d]
    static let pbkdf2: [UInt8] = [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x05, 0x0c]
    static let scrypt: [UInt8] = [0x2b, 0x06, 0x01, 0x04, 0x01, 0xda, 0x47, 0x04, 0x0b]
    /// HMAC; the next byte names the hash.
    static let hmac: [UInt8] = [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x02]
    /// AES; the next byte names the size and the mode.
    static let aes: [UInt8] = [0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x01]

    static func matches(_ bytes: Span<UInt8>, _ range: Range<Int>, _ identifier: [UInt8]) -> Bool {
        equal(bytes.extracting(range), identifier.span)
    }
}
