// A distinguished name as text (RFC 4514), read by hand with the position of what is wrong.

import JOSEBytes

struct DistinguishedName {
    /// The relative names in the order of the text, which is the reverse of the certificate's (RFC
    /// 4514, 2.1).
    private(set) var relativeNames: [[NameAttribute]] = []

    private static let maxBytes = 4_096

    /// Whether it has CN, O and C alone, each at most once and CN once: such names have one fixed
    /// order.
    var isUsual: Bool {
        var counts: [Int] = [0, 0, 0]
        let usual = ["CN", "O", "C"]
        for attributes in relativeNames {
            guard attributes.count == 1, attributes[0].text != nil,
                let keyword = attributes[0].type?.keyword,
                let place = usual.firstIndex(where: { $0.isExactly(keyword) })
            else { return false }
            counts[place] += 1
        }
        return counts[0] == 1 && counts[1] <= 1 && counts[2] <= 1
    }

    /// The whole Name.
    var encoded: [UInt8] {
        let sets = relativeNames.reversed().map { attributes in
            // DER sorts the members of a SET OF by their bytes (X.690, 11.6).
            let sorted = attributes.map(\.encoded).sorted { $0.lexicographicallyPrecedes($1) }
            return DER.value(DER.set, sorted.flatMap { $0 })
        }
        return DER.value(DER.sequence, sets.flatMap { $0 })
    }

    /// Reads a text; throws `misuse` with the position.
    init(_ text: [UInt8]) throws(JOSEError) {
        guard text.count <= DistinguishedName.maxBytes else {
            throw .misuse(
                "the subject has {} bytes; at most {} are read", .number(text.count),
                .number(DistinguishedName.maxBytes))
        }
        var reader = Reader(text)
        repeat {
            var attributes: [NameAttribute] = []
            repeat {
                let start = reader.at
                let attribute = try reader.attribute()
                guard !attributes.contains(where: { $0.identifier == attribute.identifier }) else {
                    throw reader.failure("'+' joins values of different types", at: start)
                }
                attributes.append(attribute)
            } while reader.skip(UInt8(ascii: "+"))
            relativeNames.append(attributes)
        } while reader.skip(UInt8(ascii: ","))
    }
}

/// Reads the parts of the text, forward only.
private struct Reader {
    private let text: [UInt8]
    private(set) var at = 0

    init(_ text: [UInt8]) { self.text = text }

    private var byte: UInt8? { at < text.count ? text[at] : nil }

    private mutating func skipSpaces() {
        while byte == 0x20 { at += 1 }
    }

    /// Whether the text goes on with this separator, which is then left behind.
    mutating func skip(_ separator: UInt8) -> Bool {
        guard byte == separator else { return false }
        at += 1
        return true
    }

    /// `misuse` with the position in characters.
    func failure(_ reason: StaticString, at place: Int) -> JOSEError {
        var position = 1
        for index in 0..<min(place, text.count) where text[index] & 0xc0 != 0x80 { position += 1 }
        return .misuse("the subject, at character {}: {}", .number(position), .name(reason))
    }

    /// One `type=value`, with the spaces around it.
    mutating func attribute() throws(JOSEError) -> NameAttribute {
        skipSpaces()
        let start = at
        while let byte, isTypeCharacter(byte) { at += 1 }
        let end = at
        skipSpaces()
        guard end > start, skip(UInt8(ascii: "=")) else { throw noType(start) }
        let (identifier, type) = try identify(start..<end)
        skipSpaces()
        let valueStart = at
        guard byte != UInt8(ascii: "#") else {
            return NameAttribute(identifier, der: try digits())
        }
        let text = try value()
        if let type, let failure = type.failure(text) {
            throw self.failure(reason(failure), at: valueStart)
        }
        return NameAttribute(identifier, type, text)
    }

    /// Why no type and `=` are here.
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

    private func reason(_ failure: AttributeType.Fault) -> StaticString {
        switch failure {
        case .size(_, let sizes):
            switch sizes.upperBound {
            case 2: "the country must be two capital letters"
            case 32: "the value must have 1 to 32 characters"
            case 40: "the value must have 1 to 40 characters"
            case 63: "the value must have 1 to 63 characters"
            case 64: "the value must have 1 to 64 characters"
            case 128: "the value must have 1 to 128 characters"
            case 255: "the value must have 1 to 255 characters"
            case 256: "the value must have 1 to 256 characters"
            default: "the value must have 1 to 1,024 characters"
            }
        case .country: "the country must be two capital letters"
        case .printable:
            "the value may only have letters, digits, spaces and '()+,-./:=? (PrintableString)"
        case .ia5: "the value must be ASCII (IA5String)"
        }
    }

    private func isTypeCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, UInt8(ascii: "-"), UInt8(ascii: "."): true
        default: false
        }
    }

    // MARK: types

    private func identify(
        _ range: Range<Int>
    ) throws(JOSEError) -> (identifier: [UInt8], type: AttributeType?) {
        if let type = AttributeType.named(text[range]) {
            return (type.identifier, type)
        }
        var digits = range
        // RFC 2253, 4, and many programs write OID. before the numbers.
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

    /// The contents of an OBJECT IDENTIFIER (X.690, 8.19) in dotted form; nil for what is none.
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
            guard 0x30...0x39 ~= byte, number != 0 else { return nil }
            let (product, overflow) = (number ?? 0).multipliedReportingOverflow(by: 10)
            let (sum, carry) = product.addingReportingOverflow(UInt64(byte - 0x30))
            guard !overflow, !carry, sum < 1 << 62 else { return nil }
            number = sum
        }
        guard let last = number else { return nil }
        arcs.append(last)
        guard arcs.count >= 2, arcs[0] <= 2, arcs[0] == 2 || arcs[1] < 40 else { return nil }
        var bytes: [UInt8] = []
        for arc in [40 * arcs[0] + arcs[1]] + arcs.dropFirst(2) {
            var groups = [UInt8(arc & 0x7f)]
            var rest = arc >> 7
            while rest > 0 {
                groups.append(UInt8(rest & 0x7f) | 0x80)
                rest >>= 7
            }
            bytes += groups.reversed()
        }
        return bytes
    }

    // MARK: values

    /// `#` and the digits of one DER value.
    private mutating func digits() throws(JOSEError) -> [UInt8] {
        let start = at
        at += 1
        var der: [UInt8] = []
        while let byte = pair(at) {
            der.append(byte)
            at += 2
        }
        skipSpaces()
        try checkEnd()
        guard StrictDER.isOneValue(der.span) else {
            throw failure(
                "'#' must be followed by one DER value in hexadecimal; a text that begins with # is written \\#",
                at: start)
        }
        return der
    }

    /// The byte of two hexadecimal digits.
    private func pair(_ place: Int) -> UInt8? {
        guard place + 1 < text.count, let high = digit(text[place]),
            let low = digit(text[place + 1])
        else { return nil }
        return high << 4 | low
    }

    private func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x41 + 10
        case 0x61...0x66: byte - 0x61 + 10
        default: nil
        }
    }

    /// A text up to `,`, `+` or the end; spaces at its end count only where they are escaped.
    private mutating func value() throws(JOSEError) -> String {
        let start = at
        var bytes: [UInt8] = []
        var kept = 0
        while let byte, byte != UInt8(ascii: ","), byte != UInt8(ascii: "+") {
            let place = at
            at += 1
            let isEscaped = byte == UInt8(ascii: "\\")
            if !isEscaped { try checkPlain(byte, place) }
            let value = isEscaped ? try escaped(place) : byte
            guard value >= 0x20, value != 0x7f else {
                throw failure("a control character is in the value", at: place)
            }
            bytes.append(value)
            if isEscaped || byte != 0x20 { kept = bytes.count }
        }
        bytes.removeLast(bytes.count - kept)
        guard !bytes.isEmpty else { throw failure("the value is empty", at: start) }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw failure("the value is not UTF-8: an escaped byte is part of a character", at: start)
        }
        return text
    }

    /// What `\` stands for; the place is behind it then.
    private mutating func escaped(_ place: Int) throws(JOSEError) -> UInt8 {
        if let byte = pair(at) {
            at += 2
            return byte
        }
        switch byte {
        case UInt8(ascii: " "), UInt8(ascii: "\""), UInt8(ascii: "#"), UInt8(ascii: "+"),
            UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "<"), UInt8(ascii: "="),
            UInt8(ascii: ">"), UInt8(ascii: "\\"):
            defer { at += 1 }
            return text[at]
        default:
            throw failure(
                "'\\' is followed by one of ,+\"\\<>;=# and space, or by two hexadecimal digits",
                at: place)
        }
    }

    private func checkPlain(_ byte: UInt8, _ place: Int) throws(JOSEError) {
        switch byte {
        case UInt8(ascii: "\""):
            throw failure("a quotation mark is written \\\"; values need none around them", at: place)
        case UInt8(ascii: ";"):
            throw failure(
                "a semicolon in a value is written \\;; names are separated by commas", at: place)
        case UInt8(ascii: "<"), UInt8(ascii: ">"):
            throw failure("< and > in a value are written \\< and \\>", at: place)
        default: break
        }
    }

    private func checkEnd() throws(JOSEError) {
        guard byte == nil || byte == UInt8(ascii: ",") || byte == UInt8(ascii: "+") else {
            throw failure("expected hexadecimal digits, a comma or the end", at: at)
        }
    }
}
