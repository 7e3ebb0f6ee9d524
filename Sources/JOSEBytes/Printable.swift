// Text that others chose, made fit for a log or a terminal: the one judgement of what may be shown as it is.

/// Foreign text in a form that cannot forge a line, move a cursor, hide or turn around what stands beside it.
///
/// Controls, format characters (marks of direction, zero widths, tags), what is invisible by default, separators other
/// than the space, private and unassigned code points, vowels and finals of Hangul that are no syllable's own (text in
/// NFD has them) become `\u{202e}`. A `\` stands before a reverse solidus, a
/// quotation mark and an apostrophe, so that the original can be told.
///
/// - Parameters:
///   - text: Any text.
///   - most: The bytes of the result at most, the mark `…` of a cut among them; at least 3.
///
/// Costs one pass over what is shown; plain ASCII comes back as it is, without an allocation.
package func printable(_ text: String, atMost most: Int = 200) -> String {
    let bytes = text.utf8.span
    var isPlain = bytes.count <= most
    var index = 0
    while isPlain, index < bytes.count {
        isPlain = PrintableText.isPlain(bytes[index])
        index += 1
    }
    return isPlain ? text : PrintableText(text, .message, atMost: most).text
}

/// JSON text that stays the same value and fits on one line: line ends and tabs between values go, what must not be
/// shown becomes `\u202e` in the strings.
///
/// - Parameters:
///   - json: A text that was read as strict JSON, or written by us.
///   - most: The bytes of the result at most; a text that is cut ends in `…` and is JSON no more.
package func printable(json: [UInt8], atMost most: Int = .max) -> [UInt8] {
    let isPlain = json.count <= most && !json.contains { $0 < 0x20 || $0 >= 0x7f }
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
    return PrintableText(String(decoding: line, as: UTF8.self), .json, atMost: most).bytes
}

/// A distinguished name in the form of RFC 2253, whose own escapes stay: the rest as its pairs of digits, `\E2\80\AE`.
package func printable(name: String) -> String {
    PrintableText(name, .distinguishedName, atMost: .max).text
}

/// A payload as a terminal may show it: with its lines and tabs, the rest as in a message; nil where it is fit as it is.
///
/// Bytes that are no UTF-8 are shown as `\x{ff}`.
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
    let escaped = PrintableText(text, .payload, atMost: .max)
    return escaped.isChanged ? escaped.bytes : nil
}

/// A text on its way to where it may be shown.
private struct PrintableText {
    /// How that stands in the text which is not shown as it is.
    enum Notation {
        case message, json, distinguishedName, payload
    }

    private(set) var bytes: [UInt8] = []
    /// Whether a character is not shown as it is; a reverse solidus that was doubled is one that is.
    private(set) var isChanged = false
    private let notation: Notation
    /// How many marks may still be put on the last character.
    private var markRoom = 0

    private static let cutMark = Array("…".utf8)

    var text: String { String(decoding: bytes, as: UTF8.self) }

    init(_ text: String, _ notation: Notation, atMost most: Int) {
        self.notation = notation
        // Where the text could be cut with room for the mark.
        var end = 0
        for scalar in text.unicodeScalars {
            append(scalar)
            if bytes.count > most {
                bytes.removeLast(bytes.count - end)
                bytes += PrintableText.cutMark
                return
            }
            if bytes.count <= most - PrintableText.cutMark.count { end = bytes.count }
        }
    }

    /// Whether an ASCII character stands in every notation as it is.
    static func isPlain(_ byte: UInt8) -> Bool {
        byte >= 0x20 && byte < 0x7f && byte != UInt8(ascii: "\\") && byte != UInt8(ascii: "\"")
            && byte != UInt8(ascii: "'")
    }

    private mutating func append(_ scalar: Unicode.Scalar) {
        if scalar.isASCII, PrintableText.isPlain(UInt8(truncatingIfNeeded: scalar.value)) {
            bytes.append(UInt8(truncatingIfNeeded: scalar.value))
            markRoom = scalar.isLetterOrDigit ? 2 : 0
            return
        }
        switch scalar {
        case "\\", "\"", "'":
            markRoom = 0
            if notation == .message || notation == .payload && scalar == "\\" {
                bytes.append(UInt8(ascii: "\\"))
            }
            bytes.append(UInt8(truncatingIfNeeded: scalar.value))
        case "\n" where notation == .payload, "\t" where notation == .payload:
            markRoom = 0
            bytes.append(UInt8(truncatingIfNeeded: scalar.value))
        // Ours means a cut.
        case "…" where notation == .message: escape(scalar)
        default:
            if isShown(scalar) { bytes.append(contentsOf: scalar.utf8) } else { escape(scalar) }
        }
    }

    /// Whether a character may be shown; one that is put on the character before it must have one, and not as a pile.
    private mutating func isShown(_ scalar: Unicode.Scalar) -> Bool {
        let properties = scalar.properties
        // U+2800 is a symbol without dots: as good as invisible.
        guard !properties.isDefaultIgnorableCodePoint, scalar.value != 0x2800 else { return false }
        // Letters without a width of their own that join into what stands before them, or vanish there, without bound:
        // the medial vowels and final consonants of Hangul. Text as it is written has whole syllables, U+AC00 to U+D7A3.
        guard !(0x1160...0x11ff ~= scalar.value || 0xd7b0...0xd7ff ~= scalar.value) else {
            return false
        }
        switch properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator,
            .paragraphSeparator, .spaceSeparator:
            return false
        case .nonspacingMark, .spacingMark, .enclosingMark:
            guard markRoom > 0 else { return false }
            markRoom -= 1
            return true
        default:
            markRoom = 2
            return true
        }
    }

    private mutating func escape(_ scalar: Unicode.Scalar) {
        isChanged = true
        markRoom = 0
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
    /// Of ASCII.
    fileprivate var isLetterOrDigit: Bool {
        "0"..."9" ~= self || "A"..."Z" ~= self || "a"..."z" ~= self
    }
}
