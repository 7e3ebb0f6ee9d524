// Escapes and truncates untrusted error texts for logs.

import JOSEBytes

/// Escapes `error_description` and `error_uri`. RFC 6749, 5.2 allows printable ASCII without `"`
/// and `\`, but providers send line breaks, accents and quotation marks. `"` and `\` get a
/// backslash. Other invalid characters become `\u{e9}`, bytes that are not UTF-8 become `\x{e9}`,
/// and an empty text becomes nil.
enum EscapedText {
    /// The maximum size of a result, in bytes. A longer text is cut and ends in `...`.
    static let maxBytes = 2_048

    static func description(_ bytes: Span<UInt8>) -> String? { escape(bytes, keepsSpaces: true) }

    /// Escapes spaces too, which a URL does not have.
    static func uri(_ bytes: Span<UInt8>) -> String? { escape(bytes, keepsSpaces: false) }

    static func description(_ text: String) -> String? { description(text.utf8.span) }

    static func uri(_ text: String) -> String? { uri(text.utf8.span) }

    /// Decodes the value of a query or form. Invalid percent-escapes are kept.
    static func decoded(_ encoded: Span<UInt8>) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(encoded.count)
        var at = 0
        while at < encoded.count {
            let byte = encoded[at]
            if byte == UInt8(ascii: "%"), at + 2 < encoded.count,
                let high = encoded[at + 1].hexadecimalValue,
                let low = encoded[at + 2].hexadecimalValue
            {
                bytes.append(high << 4 | low)
                at += 3
            } else {
                bytes.append(byte == UInt8(ascii: "+") ? 0x20 : byte)
                at += 1
            }
        }
        return bytes
    }

    private static func escape(_ bytes: Span<UInt8>, keepsSpaces: Bool) -> String? {
        guard !bytes.isEmpty else { return nil }
        if bytes.count <= maxBytes,
            bytes.isASCII(
                from: keepsSpaces ? 0x20 : 0x21, without: UInt8(ascii: "\""), UInt8(ascii: "\\"))
        {
            return String(copying: bytes)
        }
        var line: [UInt8] = []
        var at = 0
        while at < bytes.count {
            let piece = escapedCharacter(bytes, &at, keepsSpaces)
            guard
                line.count + piece.count <= maxBytes - 3
                    || line.count + piece.count <= maxBytes
                        && at == bytes.count
            else {
                line += "...".utf8
                break
            }
            line += piece
        }
        return String(decoding: line, as: UTF8.self)
    }

    /// Returns the escaped character at an index, and advances the index.
    private static func escapedCharacter(
        _ bytes: Span<UInt8>, _ at: inout Int, _ keepsSpaces: Bool
    ) -> [UInt8] {
        let first = bytes[at]
        if first < 0x80 {
            at += 1
            switch first {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): return [UInt8(ascii: "\\"), first]
            case 0x20 where keepsSpaces, 0x21...0x7e: return [first]
            default: return Array("\\u{\(String(first, radix: 16))}".utf8)
            }
        }
        for count in 2...4 where at + count <= bytes.count {
            let slice = bytes.extracting(at..<(at + count))
            let copy = [UInt8](byteCapacity: count) { $0.append(copying: slice) }
            guard let scalar = String(validating: copy, as: UTF8.self)?.unicodeScalars.first
            else { continue }
            at += count
            return Array("\\u{\(String(scalar.value, radix: 16))}".utf8)
        }
        at += 1
        return Array("\\x{\(String(first, radix: 16))}".utf8)
    }
}
