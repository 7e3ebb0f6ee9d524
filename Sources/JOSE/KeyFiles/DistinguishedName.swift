// Parses a distinguished name from text (RFC 4514).

import JOSEBytes

struct DistinguishedName {
    /// In the order of the text, which reverses the order in the certificate (RFC 4514, 2.1).
    private(set) var relativeNames: [[NameAttribute]] = []

    private static let maxBytes = 4_096

    /// Whether the name has one CN, at most one O and C, and nothing else.
    var isUsual: Bool {
        var counts: [Int] = [0, 0, 0]
        let usual = ["CN", "O", "C"]
        for attributes in relativeNames {
            guard attributes.count == 1, attributes[0].text != nil,
                let keyword = attributes[0].type?.keyword,
                let index = usual.firstIndex(where: { $0.isExactly(keyword) })
            else { return false }
            counts[index] += 1
        }
        return counts[0] == 1 && counts[1] <= 1 && counts[2] <= 1
    }

    var encoded: [UInt8] {
        let sets = relativeNames.reversed().map { attributes in
            // DER sorts the members of a SET OF by their bytes (X.690, 11.6).
            let sorted = attributes.map(\.encoded).sorted { $0.lexicographicallyPrecedes($1) }
            return DER.value(DER.set, sorted.flatMap { $0 })
        }
        return DER.value(DER.sequence, sets.flatMap { $0 })
    }

    /// Throws `misuse` with the position.
    init(_ text: [UInt8]) throws(JOSEError) {
        guard text.count <= DistinguishedName.maxBytes else {
            throw .misuse(
                "the subject has {} bytes; at most {} are allowed", .number(text.count),
                .number(DistinguishedName.maxBytes))
        }
        var reader = Reader(text)
        repeat {
            var attributes: [NameAttribute] = []
            repeat {
                let start = reader.position
                let attribute = try reader.attribute()
                guard !attributes.contains(where: { $0.identifier == attribute.identifier }) else {
                    throw reader.failure(
                        "this type is repeated: '+' joins different types; use ',' instead",
                        at: start)
                }
                attributes.append(attribute)
            } while reader.skip(UInt8(ascii: "+"))
            relativeNames.append(attributes)
        } while reader.skip(UInt8(ascii: ","))
    }
}

private struct Reader {
    private let text: [UInt8]
    private(set) var position = 0

    init(_ text: [UInt8]) { self.text = text }

    private var byte: UInt8? { position < text.count ? text[position] : nil }

    private mutating func skipSpaces() {
        while byte == 0x20 { position += 1 }
    }

    mutating func skip(_ separator: UInt8) -> Bool {
        guard byte == separator else { return false }
        position += 1
        return true
    }

    private func characterNumber(_ offset: Int) -> Int {
        1 + text.prefix(offset).count { $0 & 0xc0 != 0x80 }
    }

    func failure(_ reason: StaticString, at offset: Int) -> JOSEError {
        .misuse(
            "the subject, at character {}: {}", .number(characterNumber(offset)), .name(reason))
    }

    /// Reads one `type=value` and skips the spaces around it.
    mutating func attribute() throws(JOSEError) -> NameAttribute {
        skipSpaces()
        let start = position
        while let byte, isTypeCharacter(byte) { position += 1 }
        let end = position
        skipSpaces()
        guard end > start, skip(UInt8(ascii: "=")) else { throw noType(start) }
        let (identifier, type) = try identify(start..<end)
        skipSpaces()
        let valueStart = position
        guard byte != UInt8(ascii: "#") else {
            return NameAttribute(identifier, der: try digits())
        }
        let text = try value()
        if let type, let failure = type.check(text) {
            throw failure.error(type.keyword, at: characterNumber(valueStart))
        }
        return NameAttribute(identifier, type, text)
    }

    private func noType(_ start: Int) -> JOSEError {
        if start < text.count, text[start] == UInt8(ascii: "/") {
            return failure("separate names by commas: CN=client,O=Example,C=BE", at: start)
        }
        if start == text.count || text[start] == UInt8(ascii: ",") {
            return failure("a type and a value are missing, such as CN=client", at: start)
        }
        return failure(
            "expected type=value, such as CN=client; a comma in a value is written \\,", at: start)
    }

    private func isTypeCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, UInt8(ascii: "-"), UInt8(ascii: "."): true
        default: false
        }
    }

    // MARK: Types

    private func identify(
        _ range: Range<Int>
    ) throws(JOSEError) -> (identifier: [UInt8], type: AttributeType?) {
        if let type = AttributeType.named(text[range]) {
            return (type.identifier, type)
        }
        var digits = range
        // RFC 2253, 4, and many programs write `OID.` before the numbers.
        if range.count > 4, text[range.lowerBound + 3] == UInt8(ascii: "."),
            text[range.lowerBound] | 0x20 == UInt8(ascii: "o"),
            text[range.lowerBound + 1] | 0x20 == UInt8(ascii: "i"),
            text[range.lowerBound + 2] | 0x20 == UInt8(ascii: "d")
        {
            digits = (range.lowerBound + 4)..<range.upperBound
        }
        guard 0x30...0x39 ~= text[digits.lowerBound] else {
            throw failure(
                """
                unknown type: use CN, O, OU, C, L, ST, serialNumber, organizationIdentifier or \
                an object identifier such as 2.5.4.97
                """,
                at: range.lowerBound)
        }
        guard let identifier = identifier(digits) else {
            throw failure("not an object identifier such as 2.5.4.97", at: range.lowerBound)
        }
        return (identifier, AttributeType.identified(identifier))
    }

    /// Returns the contents of an OBJECT IDENTIFIER (X.690, 8.19); nil if it is invalid.
    private func identifier(_ range: Range<Int>) -> [UInt8]? {
        guard range.count <= 128 else { return nil }
        var arcs: [UInt64] = []
        var number: UInt64?
        for index in range {
            let byte = text[index]
            if byte == UInt8(ascii: ".") {
                guard let arc = number else { return nil }
                arcs.append(arc)
                number = nil
                continue
            }
            // A digit after 0 is rejected: the number has a leading zero.
            guard 0x30...0x39 ~= byte, number != 0 else { return nil }
            let (product, overflow) = (number ?? 0).multipliedReportingOverflow(by: 10)
            let (sum, carry) = product.addingReportingOverflow(UInt64(byte - 0x30))
            guard !overflow, !carry, sum < 1 << 62 else { return nil }
            number = sum
        }
        guard let last = number else { return nil }
        arcs.append(last)
        guard arcs.count >= 2, arcs[0] <= 2, arcs[0] == 2 || arcs[1] < 40 else { return nil }
        return DER.identifier(arcs)
    }

    // MARK: Values

    /// Reads `#` and the hexadecimal digits of one DER value.
    private mutating func digits() throws(JOSEError) -> [UInt8] {
        let start = position
        position += 1
        var der: [UInt8] = []
        while let byte = pair(position) {
            der.append(byte)
            position += 2
        }
        skipSpaces()
        try checkEnd()
        guard StrictDER.isOneValue(der.span) else {
            throw failure(
                """
                '#' must be followed by one DER value in hexadecimal; write \\# for a text that \
                begins with #
                """,
                at: start)
        }
        return der
    }

    private func pair(_ offset: Int) -> UInt8? {
        guard offset + 1 < text.count, let high = text[offset].hexadecimalValue,
            let low = text[offset + 1].hexadecimalValue
        else { return nil }
        return high << 4 | low
    }

    /// Reads up to `,`, `+` or the end. Trailing spaces count only if they are escaped.
    private mutating func value() throws(JOSEError) -> String {
        let start = position
        var bytes: [UInt8] = []
        var kept = 0
        while let byte, byte != UInt8(ascii: ","), byte != UInt8(ascii: "+") {
            let byteStart = position
            position += 1
            let isEscaped = byte == UInt8(ascii: "\\")
            if !isEscaped { try checkPlain(byte, byteStart) }
            let unescaped = isEscaped ? try escaped(byteStart) : byte
            guard unescaped >= 0x20, unescaped != 0x7f else {
                throw failure("a control character is in the value", at: byteStart)
            }
            bytes.append(unescaped)
            if isEscaped || byte != 0x20 { kept = bytes.count }
        }
        bytes.removeLast(bytes.count - kept)
        guard !bytes.isEmpty else { throw failure("the value is empty", at: start) }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw failure(
                "the value is not UTF-8: escape all bytes of a character, such as \\C3\\A9",
                at: start)
        }
        return text
    }

    private mutating func escaped(_ start: Int) throws(JOSEError) -> UInt8 {
        if let byte = pair(position) {
            position += 2
            return byte
        }
        switch byte {
        case UInt8(ascii: " "), UInt8(ascii: "\""), UInt8(ascii: "#"), UInt8(ascii: "+"),
            UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "<"), UInt8(ascii: "="),
            UInt8(ascii: ">"), UInt8(ascii: "\\"):
            defer { position += 1 }
            return text[position]
        default:
            throw failure(
                "'\\' is followed by one of ,+\"\\<>;=# and space, or by two hexadecimal digits",
                at: start)
        }
    }

    private func checkPlain(_ byte: UInt8, _ start: Int) throws(JOSEError) {
        switch byte {
        case UInt8(ascii: "\""):
            throw failure(
                "a quotation mark is written \\\"; values are not quoted", at: start)
        case UInt8(ascii: ";"):
            throw failure(
                "a semicolon in a value is written \\;; separate names by commas", at: start)
        case UInt8(ascii: "<"), UInt8(ascii: ">"):
            throw failure("< and > in a value are written \\< and \\>", at: start)
        default: break
        }
    }

    private func checkEnd() throws(JOSEError) {
        guard byte == nil || byte == UInt8(ascii: ",") || byte == UInt8(ascii: "+") else {
            throw failure("expected hexadecimal digits, ',', '+' or the end", at: position)
        }
    }
}
