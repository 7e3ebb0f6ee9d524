// What others chose, made fit for a line of the log. The library's tests compile this file too.

/// A text as one line that acts on no terminal: letters, digits, punctuation and symbols as they
/// are, the rest, such as controls, marks and what turns text around, as `\u{9b}`.
package func logLine(_ text: String) -> String {
    var line = ""
    for scalar in text.unicodeScalars {
        if isShown(scalar) {
            line.unicodeScalars.append(scalar)
        } else {
            line += "\\u{\(String(scalar.value, radix: 16))}"
        }
    }
    return line
}

private func isShown(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.isASCII { return 0x20..<0x7f ~= scalar.value }
    // U+2800 has no dots; vowels and finals of Hangul join into what stands before them.
    let hidden = [0x1160...0x11ff, 0x2800...0x2800, 0xd7b0...0xd7ff] as [ClosedRange<UInt32>]
    guard !scalar.properties.isDefaultIgnorableCodePoint,
        !hidden.contains(where: { $0 ~= scalar.value })
    else { return false }
    return switch scalar.properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .otherLetter, .decimalNumber,
        .letterNumber, .otherNumber, .connectorPunctuation, .dashPunctuation, .openPunctuation,
        .closePunctuation, .initialPunctuation, .finalPunctuation, .otherPunctuation, .mathSymbol,
        .currencySymbol, .otherSymbol:
        true
    default: false
    }
}
