// Strict percent-encoding, and decoding of forms and queries (`+` is a space).

import JOSEBytes

enum PercentEncoding {
    /// Encodes all bytes except the unreserved characters of RFC 3986, 2.3 as `%XX`.
    static func encode(_ text: String) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count + 16)
        for byte in text.utf8 {
            if byte.isUnreserved {
                bytes.append(byte)
            } else {
                bytes.append(UInt8(ascii: "%"))
                bytes.append(digit(byte >> 4))
                bytes.append(digit(byte & 15))
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    enum Decoded {
        case text(String)
        /// The bytes are not UTF-8, or have a control character or more than 30 consecutive
        /// combining marks.
        case noText
        /// Bytes other than visible ASCII, or a percent sign without two hexadecimal digits.
        case malformed
    }

    /// Decodes a name or value. `isJSON` allows tab, line feed and carriage return.
    static func decode(_ encoded: Span<UInt8>, isJSON: Bool = false) -> Decoded {
        // Fast path: visible ASCII without plus and percent sign, as in tokens.
        guard !encoded.isASCII(from: 0x21, without: UInt8(ascii: "+"), UInt8(ascii: "%")) else {
            return .text(String(asciiCapacity: encoded.count) { $0.append(copying: encoded) })
        }
        guard let bytes = bytes(encoded) else { return .malformed }
        guard
            bytes.span.hasNoControlCharacters
                || isJSON
                    && bytes.allSatisfy({ byte in
                        byte >= 0x20 && byte != 0x7f || byte == 0x09 || byte == 0x0a || byte == 0x0d
                    }),
            let text = String(validating: bytes, as: UTF8.self),
            // As dictionary keys, strings with many combining marks would be slow to hash.
            text.isStreamSafe
        else { return .noText }
        return .text(text)
    }

    /// Nil if the encoding is malformed.
    static func bytes(_ text: Span<UInt8>) -> [UInt8]? {
        var isWhole = true
        let bytes = [UInt8](byteCapacity: text.count) { isWhole = decode(text, into: &$0) }
        return isWhole ? bytes : nil
    }

    /// Appends the decoded bytes. Returns false if the encoding is malformed.
    private static func decode(_ text: Span<UInt8>, into out: inout OutputSpan<UInt8>) -> Bool {
        let percent = UInt8(ascii: "%")
        var at = 0
        while at < text.count {
            let byte = text[at]
            if byte == percent {
                guard at &+ 2 < text.count, let high = text[at &+ 1].hexadecimalValue,
                    let low = text[at &+ 2].hexadecimalValue
                else { return false }
                out.append(high << 4 | low)
                at &+= 3
                continue
            }
            // A single byte between two escapes costs less without a search.
            if at &+ 1 < text.count, text[at &+ 1] == percent {
                guard 0x21...0x7e ~= byte else { return false }
                out.append(byte == UInt8(ascii: "+") ? 0x20 : byte)
                at &+= 1
                continue
            }
            let end = text.index(of: percent, in: at..<text.count)
            let run = text.extracting(at..<end)
            guard run.isASCII(from: 0x21, without: percent, percent) else { return false }
            out.append(copying: run, with: 0x20, for: UInt8(ascii: "+"))
            at = end
        }
        return true
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
    }
}
