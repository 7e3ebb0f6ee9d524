// Writing JSON: the shortest text, commas by itself, escapes only where RFC 8259 demands them.

/// Builds a JSON text in one growing array.
package struct JSONWriter {
    /// The text so far.
    package private(set) var bytes: [UInt8]
    /// Whether a comma must come before the next name or element.
    private var needsComma = false

    /// A writer with room for `capacity` bytes before it grows.
    package init(capacity: Int = 256) {
        bytes = []
        bytes.reserveCapacity(capacity)
    }

    package mutating func beginObject() { open(UInt8(ascii: "{")) }
    package mutating func endObject() { close(UInt8(ascii: "}")) }
    package mutating func beginArray() { open(UInt8(ascii: "[")) }
    package mutating func endArray() { close(UInt8(ascii: "]")) }

    /// A member's name that needs no escapes.
    package mutating func name(_ text: StaticString) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        text.withUTF8Buffer { source in unsafe bytes.append(contentsOf: source) }
        bytes.append(UInt8(ascii: "\""))
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    /// A member's name.
    package mutating func name(_ text: String) {
        separate()
        quote(text)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    /// A string.
    package mutating func string(_ text: String) {
        separate()
        quote(text)
    }

    /// A literal that needs no escapes, as a string.
    package mutating func string(_ text: StaticString) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        text.withUTF8Buffer { source in unsafe bytes.append(contentsOf: source) }
        bytes.append(UInt8(ascii: "\""))
    }

    /// The base64url text of public bytes, as a string.
    package mutating func string(base64URL source: Span<UInt8>) {
        separate()
        bytes.append(addingCapacity: Base64URL.encodedCount(source.count) + 2) { out in
            out.append(UInt8(ascii: "\""))
            out.appendBase64URL(of: source)
            out.append(UInt8(ascii: "\""))
        }
    }

    /// The base64url text of secret bytes, as a string, made without a branch or look-up on them.
    package mutating func string(secretBase64URL source: Span<UInt8>) {
        separate()
        bytes.append(addingCapacity: Base64URL.encodedCount(source.count) + 2) { out in
            out.append(UInt8(ascii: "\""))
            Base64URL.encodeSecret(source, into: &out)
            out.append(UInt8(ascii: "\""))
        }
    }

    package mutating func integer(_ value: Int64) {
        separate()
        if value < 0 { bytes.append(UInt8(ascii: "-")) }
        digits(value.magnitude)
    }

    package mutating func unsigned(_ value: UInt64) {
        separate()
        digits(value)
    }

    /// The shortest text that reads back as the same value; throws `.number` for a value that is
    /// not finite.
    package mutating func double(_ value: Double) throws(JSONFault) {
        guard value.isFinite else { throw .number }
        separate()
        let integer = value.magnitude < 0x1p53 ? Int64(value) : 0
        if Double(integer) == value {
            if value.sign == .minus { bytes.append(UInt8(ascii: "-")) }
            digits(integer.magnitude)
        } else {
            bytes.append(contentsOf: value.description.utf8)
        }
    }

    package mutating func bool(_ value: Bool) { literal(value ? "true" : "false") }

    package mutating func null() { literal("null") }

    /// A checked JSON value as it is.
    package mutating func raw(_ json: Span<UInt8>) {
        separate()
        bytes.append(addingCapacity: json.count) { out in out.append(copying: json) }
    }

    private mutating func literal(_ text: StaticString) {
        separate()
        text.withUTF8Buffer { source in unsafe bytes.append(contentsOf: source) }
    }

    private mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        needsComma = true
    }

    private mutating func open(_ bracket: UInt8) {
        separate()
        bytes.append(bracket)
        needsComma = false
    }

    private mutating func close(_ bracket: UInt8) {
        bytes.append(bracket)
        needsComma = true
    }

    private mutating func digits(_ value: UInt64) {
        bytes.append(contentsOf: String(value).utf8)
    }

    private mutating func quote(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        escape(text.utf8.span)
        bytes.append(UInt8(ascii: "\""))
    }

    private mutating func escape(_ text: Span<UInt8>) {
        for i in text.indices {
            let byte = text[i]
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                bytes.append(UInt8(ascii: "\\"))
                bytes.append(byte)
            case 0x08: bytes.append(contentsOf: "\\b".utf8)
            case 0x0c: bytes.append(contentsOf: "\\f".utf8)
            case 0x0a: bytes.append(contentsOf: "\\n".utf8)
            case 0x0d: bytes.append(contentsOf: "\\r".utf8)
            case 0x09: bytes.append(contentsOf: "\\t".utf8)
            case 0..<0x20:
                let hexadecimal = "0123456789abcdef".utf8.span
                bytes.append(contentsOf: "\\u00".utf8)
                bytes.append(hexadecimal[Int(byte >> 4)])
                bytes.append(hexadecimal[Int(byte & 15)])
            default: bytes.append(byte)
            }
        }
    }
}
