// Writing JSON: the shortest text, commas by itself, escapes only where RFC 8259 demands them.

internal import CJOSEBytes

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

    /// Wipes the text, which must not have outgrown its capacity; the writer is empty then.
    package mutating func wipe() {
        var span = bytes.mutableSpan
        JOSEBytes.wipe(&span)
        bytes.removeAll(keepingCapacity: true)
        needsComma = false
    }

    package mutating func beginObject() { open(UInt8(ascii: "{")) }
    package mutating func endObject() { close(UInt8(ascii: "}")) }
    package mutating func beginArray() { open(UInt8(ascii: "[")) }
    package mutating func endArray() { close(UInt8(ascii: "]")) }

    /// A member's name that needs no escapes.
    package mutating func name(_ text: StaticString) {
        value(room: text.utf8CodeUnitCount + 3) { out in
            out.append(UInt8(ascii: "\""))
            out.append(text)
            out.append(UInt8(ascii: "\""))
            out.append(UInt8(ascii: ":"))
        }
        needsComma = false
    }

    /// A member's name; a literal takes the function above.
    @_disfavoredOverload
    package mutating func name(_ text: String) {
        quote(text.utf8.span, colon: true)
        needsComma = false
    }

    /// A string.
    package mutating func string(_ text: String) {
        quote(text.utf8.span, colon: false)
    }

    /// A literal that needs no escapes, as a string.
    package mutating func string(_ text: StaticString) {
        value(room: text.utf8CodeUnitCount + 2) { out in
            out.append(UInt8(ascii: "\""))
            out.append(text)
            out.append(UInt8(ascii: "\""))
        }
    }

    /// The base64url text of public bytes, as a string.
    package mutating func string(base64URL source: Span<UInt8>) {
        value(room: Base64URL.encodedCount(source.count) + 2) { out in
            out.append(UInt8(ascii: "\""))
            out.appendBase64URL(of: source)
            out.append(UInt8(ascii: "\""))
        }
    }

    /// The base64url text of secret bytes, as a string, made without a branch or look-up on them.
    package mutating func string(secretBase64URL source: Span<UInt8>) {
        value(room: Base64URL.encodedCount(source.count) + 2) { out in
            out.append(UInt8(ascii: "\""))
            Base64URL.encodeSecret(source, into: &out)
            out.append(UInt8(ascii: "\""))
        }
    }

    package mutating func integer(_ number: Int64) {
        digits(of: number.magnitude, isNegative: number < 0)
    }

    package mutating func unsigned(_ number: UInt64) {
        digits(of: number, isNegative: false)
    }

    /// The shortest text that reads back as the same number; throws `.number` for one that is not
    /// finite.
    package mutating func double(_ number: Double) throws(JSONError) {
        guard number.isFinite else { throw .number }
        let integer = number.magnitude < 0x1p53 ? Int64(number) : 0
        if Double(integer) == number {
            digits(of: integer.magnitude, isNegative: number.sign == .minus)
        } else {
            raw(number.description.utf8.span)
        }
    }

    package mutating func bool(_ truth: Bool) { literal(truth ? "true" : "false") }

    package mutating func null() { literal("null") }

    /// A checked JSON value as it is.
    package mutating func raw(_ json: Span<UInt8>) {
        value(room: json.count) { out in out.append(copying: json) }
    }

    /// Replaces a part of the text, for members of containers that were closed before.
    package mutating func replace(_ range: Range<Int>, with text: [UInt8]) {
        bytes.replaceSubrange(range, with: text)
    }

    private mutating func literal(_ text: StaticString) {
        value(room: text.utf8CodeUnitCount) { out in out.append(text) }
    }

    /// Writes a comma where one is needed, then what `body` appends, at most `room` bytes.
    @inline(__always)
    private mutating func value(room: Int, _ body: (inout OutputSpan<UInt8>) -> Void) {
        let comma = needsComma
        needsComma = true
        bytes.append(addingCapacity: room + 1) { out in
            if comma { out.append(UInt8(ascii: ",")) }
            body(&out)
        }
    }

    private mutating func open(_ bracket: UInt8) {
        value(room: 1) { out in out.append(bracket) }
        needsComma = false
    }

    private mutating func close(_ bracket: UInt8) {
        bytes.append(bracket)
        needsComma = true
    }

    private mutating func digits(of magnitude: UInt64, isNegative: Bool) {
        value(room: 21) { out in
            if isNegative { out.append(UInt8(ascii: "-")) }
            out.append(decimal: magnitude)
        }
    }

    /// Writes a string in quotation marks, and a colon behind it if it is a name.
    private mutating func quote(_ text: Span<UInt8>, colon: Bool) {
        var isPlain = true
        value(room: text.count + 3) { out in
            out.append(UInt8(ascii: "\""))
            isPlain = out.append(plain: text)
            if isPlain {
                out.append(UInt8(ascii: "\""))
                if colon { out.append(UInt8(ascii: ":")) }
            }
        }
        if isPlain { return }
        bytes.append(addingCapacity: text.count * 6 + 2) { out in
            Self.escape(text, into: &out)
            out.append(UInt8(ascii: "\""))
            if colon { out.append(UInt8(ascii: ":")) }
        }
    }

    /// Appends text with the escapes that RFC 8259 section 7 demands.
    private static func escape(_ text: Span<UInt8>, into out: inout OutputSpan<UInt8>) {
        for i in text.indices {
            let byte = text[i]
            switch byte {
            case UInt8(ascii: "\""): out.append("\\\"")
            case UInt8(ascii: "\\"): out.append("\\\\")
            case 0x08: out.append("\\b")
            case 0x0c: out.append("\\f")
            case 0x0a: out.append("\\n")
            case 0x0d: out.append("\\r")
            case 0x09: out.append("\\t")
            case 0..<0x20:
                out.append("\\u00")
                out.append(byte < 0x10 ? UInt8(ascii: "0") : UInt8(ascii: "1"))
                let digit = byte & 15
                out.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") - 10 + digit)
            default: out.append(byte)
            }
        }
    }
}

extension OutputSpan where Element == UInt8 {
    /// Appends text, for which there must be room, if nothing in it needs an escape; else nothing.
    @inline(__always)
    fileprivate mutating func append(plain text: Span<UInt8>) -> Bool {
        precondition(text.count <= freeCapacity, "no room for the text")
        return unsafe withUnsafeMutableBufferPointer { buffer, initialized in
            unsafe text.withUnsafeBufferPointer { source in
                // Safe: the precondition above; NULL comes with a count of 0.
                guard let target = buffer.baseAddress, let from = source.baseAddress else {
                    return true
                }
                guard unsafe josebytes_copy_plain(target + initialized, from, source.count) else {
                    return false
                }
                initialized += source.count
                return true
            }
        }
    }
}
