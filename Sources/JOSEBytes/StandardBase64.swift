// StandardBase64: strict base64 with padding (RFC 4648, 4), for certificates in JSON and PEM.

package enum StandardBase64 {
    /// Decodes a text; nil if it is not canonical base64 or is empty.
    package static func decode(_ text: Span<UInt8>) -> [UInt8]? {
        guard text.count > 0, text.count % 4 == 0 else { return nil }
        var padding = 0
        if text[text.count - 1] == UInt8(ascii: "=") { padding = 1 }
        if padding == 1, text[text.count - 2] == UInt8(ascii: "=") { padding = 2 }
        let characters = text.count - padding
        // `+` and `/` become `-` and `_`. The strict decoder of base64url checks the rest.
        return withScratch(of: UInt8.self, capacity: characters) { mapped in
            for index in 0..<characters {
                switch text[index] {
                case UInt8(ascii: "+"): mapped.append(UInt8(ascii: "-"))
                case UInt8(ascii: "/"): mapped.append(UInt8(ascii: "_"))
                case UInt8(ascii: "-"), UInt8(ascii: "_"): return nil
                case let byte: mapped.append(byte)
                }
            }
            return Base64URL.decode(mapped.span)
        }
    }

    package static func encode(_ bytes: Span<UInt8>) -> String {
        var text = Base64URL.encode(bytes)
        for index in text.indices {
            if text[index] == UInt8(ascii: "-") { text[index] = UInt8(ascii: "+") }
            if text[index] == UInt8(ascii: "_") { text[index] = UInt8(ascii: "/") }
        }
        while text.count % 4 != 0 { text.append(UInt8(ascii: "=")) }
        return String(decoding: text, as: UTF8.self)
    }
}
