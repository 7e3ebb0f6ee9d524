// JSONWriter: writes compact JSON with commas and only the escapes that RFC 8259 requires.

internal import CJOSEBytes

package struct JSONWriter {
    package private(set) var bytes: [UInt8]
    private var needsComma = false

    /// Creates a writer that can write `capacity` bytes before it reallocates.
    package init(capacity: Int = 256) {
        bytes = []
        bytes.reserveCapacity(capacity)
    }

    /// Wipes and empties the text. It must not have outgrown its capacity: copies would remain.
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

    /// Writes a member's name that needs no escapes.
    package mutating func name(_ text: StaticString) {
        value(capacity: text.utf8CodeUnitCount + 3) { out in
            out.append(UInt8(ascii: "\""))
            out.append(text)
            out.append(UInt8(ascii: "\""))
            out.append(UInt8(ascii: ":"))
        }
        needsComma = false
    }

    /// Writes a member's name that is not a literal, with escapes if needed.
    @_disfavoredOverload
    package mutating func name(_ text: String) {
        quote(text.utf8.span, colon: true)
        needsComma = false
    }

    package mutating func string(_ text: String) {
        quote(text.utf8.span, colon: false)
    }

    /// Writes a literal that needs no escapes as a string.
    package mutating func string(_ text: StaticString) {
        value(capacity: text.utf8CodeUnitCount + 2) { out in
            out.append(UInt8(ascii: "\""))
            out.append(text)
            out.append(UInt8(ascii: "\""))
        }
    }

    /// Writes public bytes as a base64url string.
    package mutating func string(base64URL source: Span<UInt8>) {
        value(capacity: Base64URL.encodedCount(source.count) + 2) { out in
            out.append(UInt8(ascii: "\""))
            out.appendBase64URL(of: source)
            out.append(UInt8(ascii: "\""))
        }
    }

    /// Writes secret bytes as a base64url string, without a branch or table lookup on them.
    package mutating func string(secretBase64URL source: Span<UInt8>) {
        value(capacity: Base64URL.encodedCount(source.count) + 2) { out in
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

    /// Writes a text that reads back as the same number. Throws `.number` if not finite.
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

    /// Writes a valid JSON value unchanged.
    package mutating func raw(_ json: Span<UInt8>) {
        value(capacity: json.count) { out in out.append(copying: json) }
    }

    /// Replaces a part of the text, for members that are added to closed containers.
    package mutating func replace(_ range: Range<Int>, with text: [UInt8]) {
        bytes.replaceSubrange(range, with: text)
    }

    private mutating func literal(_ text: StaticString) {
        value(capacity: text.utf8CodeUnitCount) { out in out.append(text) }
    }

    /// Writes a comma if needed, then what `body` appends, at most `capacity` bytes.
    @inline(__always)
    private mutating func value(capacity: Int, _ body: (inout OutputSpan<UInt8>) -> Void) {
        let comma = needsComma
        needsComma = true
        bytes.append(addingCapacity: capacity + 1) { out in
            if comma { out.append(UInt8(ascii: ",")) }
            body(&out)
        }
    }

    private mutating func open(_ bracket: UInt8) {
        value(capacity: 1) { out in out.append(bracket) }
        needsComma = false
    }

    private mutating func close(_ bracket: UInt8) {
        bytes.append(bracket)
        needsComma = true
    }

    private mutating func digits(of magnitude: UInt64, isNegative: Bool) {
        value(capacity: 21) { out in
            if isNegative { out.append(UInt8(ascii: "-")) }
            out.append(decimal: magnitude)
        }
    }

    private mutating func quote(_ text: Span<UInt8>, colon: Bool) {
        var isPlain = true
        value(capacity: text.count + 3) { out in
            out.append(UInt8(ascii: "\""))
            isPlain = out.append(unescaped: text)
            if isPlain {
                out.append(UInt8(ascii: "\""))
                if colon { out.append(UInt8(ascii: ":")) }
            }
        }
        if isPlain { return }
        // The comma and the opening quotation mark are already written.
        bytes.append(addingCapacity: text.count * 6 + 2) { out in
            Self.escape(text, into: &out)
            out.append(UInt8(ascii: "\""))
            if colon { out.append(UInt8(ascii: ":")) }
        }
    }

    /// Appends a text with the escapes that RFC 8259 section 7 requires.
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
    /// Appends a text; returns false if a character needs an escape. Traps if it does not fit.
    @inline(__always)
    fileprivate mutating func append(unescaped text: Span<UInt8>) -> Bool {
        precondition(text.count <= freeCapacity, "capacity too small for the text")
        return unsafe withUnsafeMutableBufferPointer { buffer, initialized in
            unsafe text.withUnsafeBufferPointer { source in
                // Safe: the precondition above; NULL comes with a count of 0.
                guard let target = buffer.baseAddress, let from = source.baseAddress else {
                    return true
                }
                guard unsafe josebytes_copy_unescaped(target + initialized, from, source.count)
                else {
                    return false
                }
                initialized += source.count
                return true
            }
        }
    }
}
