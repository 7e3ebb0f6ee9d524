// Percent-encoding as forms and queries use it, in one spelling out and strictly in.

import JOSEBytes

enum PercentEncoding {
    /// Everything but the unreserved characters of RFC 3986, 2.3, becomes `%XX`.
    static func encode(_ text: String) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count + 16)
        for byte in text.utf8 {
            if isUnreserved(byte) {
                bytes.append(byte)
            } else {
                bytes.append(UInt8(ascii: "%"))
                bytes.append(digit(byte >> 4))
                bytes.append(digit(byte & 15))
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// What an encoded text holds.
    enum Decoded {
        case text(String)
        /// It is well encoded, and the bytes are no UTF-8, hold a control character or more than 30 marks behind each other.
        case noText
        /// It is no printable ASCII, or a percent sign has no two digits behind it.
        case malformed
    }

    /// - Parameter isJSON: Whether the white space of JSON may stand in it: tab, line feed and carriage return too.
    static func decode(_ encoded: Span<UInt8>, isJSON: Bool = false) -> Decoded {
        // What stands for itself, as tokens and most other values do: visible ASCII without plus and percent signs.
        guard !encoded.isASCII(from: 0x21, without: UInt8(ascii: "+"), UInt8(ascii: "%")) else {
            return .text(String(asciiCapacity: encoded.count) { $0.append(copying: encoded) })
        }
        guard let bytes = bytes(encoded) else { return .malformed }
        guard
            bytes.span.holdsNoControl
                || isJSON
                    && bytes.allSatisfy({ byte in
                        byte >= 0x20 && byte != 0x7f || byte == 0x09 || byte == 0x0a || byte == 0x0d
                    }),
            let text = String(validating: bytes, as: UTF8.self),
            // A program has tables of clients, codes and users by such texts.
            text.isStreamSafe
        else { return .noText }
        return .text(text)
    }

    /// The bytes, whatever they are; nil where the text is malformed.
    static func bytes(_ text: Span<UInt8>) -> [UInt8]? {
        var isWhole = true
        let bytes = [UInt8](byteCapacity: text.count) { isWhole = decode(text, into: &$0) }
        return isWhole ? bytes : nil
    }

    /// Returns false for a malformed text.
    private static func decode(_ text: Span<UInt8>, into out: inout OutputSpan<UInt8>) -> Bool {
        let percent = UInt8(ascii: "%")
        var at = 0
        while at < text.count {
            let byte = text[at]
            if byte == percent {
                guard at &+ 2 < text.count, let high = number(text[at &+ 1]),
                    let low = number(text[at &+ 2])
                else { return false }
                out.append(high << 4 | low)
                at &+= 3
                continue
            }
            // A letter alone between two escapes is not worth the search for its end.
            if at &+ 1 < text.count, text[at &+ 1] == percent {
                guard 0x21...0x7e ~= byte else { return false }
                out.append(byte == UInt8(ascii: "+") ? 0x20 : byte)
                at &+= 1
                continue
            }
            let end = text.place(of: percent, in: at..<text.count)
            let run = text.extracting(at..<end)
            guard run.isASCII(from: 0x21, without: percent, percent) else { return false }
            out.append(copying: run, with: 0x20, for: UInt8(ascii: "+"))
            at = end
        }
        return true
    }

    static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "_"), UInt8(ascii: "~"):
            true
        default: false
        }
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
    }

    @inline(__always)
    static func number(_ digit: UInt8) -> UInt8? {
        let decimal = digit &- UInt8(ascii: "0")
        let letter = (digit | 0x20) &- UInt8(ascii: "a")
        guard decimal < 10 || letter < 6 else { return nil }
        return decimal < 10 ? decimal : letter &+ 10
    }
}
