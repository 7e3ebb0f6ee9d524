// printable(…): the only functions that make untrusted text safe for a log or terminal.

/// Returns untrusted text in a form that cannot forge a line, move a cursor, or hide or reverse the
/// text around it.
///
/// These become escapes such as `\u{202e}`: control characters, format characters (direction marks,
/// zero widths, tags), invisible characters, separators except the space, private and unassigned
/// code points, more than two combining marks after a base character, and vowels and finals of
/// Hangul outside a syllable (text in NFD has them). A `\` precedes a backslash, a quotation mark
/// and an apostrophe, so that the original can be recovered.
///
/// - Parameter limit: The maximum size of the result in bytes, at least 3. A cut text ends in `…`.
package func printable(_ text: String, atMost limit: Int = 200) -> String {
    let bytes = text.utf8.span
    var isPlain = bytes.count <= limit
    var index = 0
    while isPlain, index < bytes.count {
        isPlain = PrintableText.isPlain(bytes[index])
        index += 1
    }
    return isPlain ? text : PrintableText(text, .message, limit: limit).text
}

/// Returns strict JSON text on one line, with the same value. Line breaks and tabs between values
/// are removed, and unsafe characters in strings become escapes such as `\u202e`.
///
/// - Parameter limit: The maximum size in bytes. A cut text ends in `…` and is not JSON.
package func printable(json: [UInt8], atMost limit: Int = .max) -> [UInt8] {
    let isPlain = json.count <= limit && !json.contains { $0 < 0x20 || $0 >= 0x7f }
    guard !isPlain else { return json }
    var isInString = false
    var isEscaped = false
    var line: [UInt8] = []
    line.reserveCapacity(json.count)
    for byte in json {
        if isEscaped {
            isEscaped = false
        } else if byte == UInt8(ascii: "\"") {
            isInString.toggle()
        } else if isInString, byte == UInt8(ascii: "\\") {
            isEscaped = true
        } else if !isInString, byte < 0x20 {
            continue
        }
        line.append(byte)
    }
    return PrintableText(String(decoding: line, as: UTF8.self), .json, limit: limit).bytes
}

/// Returns a distinguished name in the form of RFC 2253 with its own escapes. Unsafe characters
/// become pairs of hexadecimal digits, `\E2\80\AE`.
package func printable(name: String) -> String {
    PrintableText(name, .distinguishedName, limit: .max).text
}

/// Returns a payload for a terminal, with its line breaks and tabs; nil if it is safe as it is. In
/// a payload that is not UTF-8, each byte except plain ASCII, line breaks and tabs becomes an
/// escape such as `\x{ff}`. So do backslashes, quotation marks and apostrophes.
package func printable(payload: [UInt8]) -> [UInt8]? {
    guard let text = String(validating: payload, as: UTF8.self) else {
        var shown: [UInt8] = []
        for byte in payload {
            if byte == 0x0a || byte == 0x09 || PrintableText.isPlain(byte) {
                shown.append(byte)
            } else {
                shown += "\\x{\(String(byte, radix: 16))}".utf8
            }
        }
        return shown
    }
    let escaped = PrintableText(text, .payload, limit: .max)
    return escaped.isChanged ? escaped.bytes : nil
}

private struct PrintableText {
    enum Notation {
        case message, json, distinguishedName, payload
    }

    private(set) var bytes: [UInt8] = []
    /// Whether a character was replaced. A `\` before a character does not count.
    private(set) var isChanged = false
    private let notation: Notation
    /// The number of combining marks that may still follow the last base character.
    private var marksLeft = 0

    private static let cutMark = Array("…".utf8)

    var text: String { String(decoding: bytes, as: UTF8.self) }

    init(_ text: String, _ notation: Notation, limit: Int) {
        self.notation = notation
        // Where the text can be cut so that `cutMark` still fits.
        var end = 0
        for scalar in text.unicodeScalars {
            append(scalar)
            if bytes.count > limit {
                bytes.removeLast(bytes.count - end)
                bytes += PrintableText.cutMark
                return
            }
            if bytes.count <= limit - PrintableText.cutMark.count { end = bytes.count }
        }
    }

    /// Whether an ASCII character is unchanged in every notation.
    static func isPlain(_ byte: UInt8) -> Bool {
        byte >= 0x20 && byte < 0x7f && byte != UInt8(ascii: "\\") && byte != UInt8(ascii: "\"")
            && byte != UInt8(ascii: "'")
    }

    private mutating func append(_ scalar: Unicode.Scalar) {
        if scalar.isASCII, PrintableText.isPlain(UInt8(truncatingIfNeeded: scalar.value)) {
            bytes.append(UInt8(truncatingIfNeeded: scalar.value))
            marksLeft = scalar.isLetterOrDigit ? 2 : 0
            return
        }
        switch scalar {
        case "\\", "\"", "'":
            marksLeft = 0
            if notation == .message || notation == .payload && scalar == "\\" {
                bytes.append(UInt8(ascii: "\\"))
            }
            bytes.append(UInt8(truncatingIfNeeded: scalar.value))
        case "\n" where notation == .payload, "\t" where notation == .payload:
            marksLeft = 0
            bytes.append(UInt8(truncatingIfNeeded: scalar.value))
        // In messages, this character only marks a cut.
        case "…" where notation == .message: escape(scalar)
        default:
            if isShown(scalar) { bytes.append(contentsOf: scalar.utf8) } else { escape(scalar) }
        }
    }

    /// Whether a character may be shown; a combining mark only if `marksLeft` is above 0.
    private mutating func isShown(_ scalar: Unicode.Scalar) -> Bool {
        let properties = scalar.properties
        // U+2800 is a symbol without dots: practically invisible.
        guard !properties.isDefaultIgnorableCodePoint, scalar.value != 0x2800 else { return false }
        // Medial vowels and final consonants of Hangul have no width of their own and join the
        // character before them, without bound. Usual text has whole syllables, U+AC00 to U+D7A3.
        guard !(0x1160...0x11ff ~= scalar.value || 0xd7b0...0xd7ff ~= scalar.value) else {
            return false
        }
        switch properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator,
            .paragraphSeparator, .spaceSeparator:
            return false
        case .nonspacingMark, .spacingMark, .enclosingMark:
            guard marksLeft > 0 else { return false }
            marksLeft -= 1
            return true
        default:
            marksLeft = 2
            return true
        }
    }

    private mutating func escape(_ scalar: Unicode.Scalar) {
        isChanged = true
        marksLeft = 0
        switch notation {
        case .message, .payload: bytes += "\\u{\(String(scalar.value, radix: 16))}".utf8
        case .json:
            for unit in scalar.utf16 {
                let digits = String(unit, radix: 16)
                bytes += "\\u\(String(repeating: "0", count: 4 - digits.utf8.count))\(digits)".utf8
            }
        case .distinguishedName:
            for byte in scalar.utf8 {
                bytes += (byte < 16 ? "\\0" : "\\").utf8
                bytes += String(byte, radix: 16, uppercase: true).utf8
            }
        }
    }
}

extension Unicode.Scalar {
    fileprivate var isLetterOrDigit: Bool {
        "0"..."9" ~= self || "A"..."Z" ~= self || "a"..."z" ~= self
    }
}
