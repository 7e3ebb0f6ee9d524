// The table of the attribute types of distinguished names.

import JOSEBytes

struct AttributeType: Sendable {
    let keyword: StaticString
    let aliases: [StaticString]
    /// The contents of the OBJECT IDENTIFIER in DER.
    let identifier: [UInt8]
    let stringType: StringType
    /// The allowed number of characters: at most the bounds of RFC 5280, appendix A.1, and X.520.
    let sizes: ClosedRange<Int>

    enum StringType: UInt8 {
        case utf8 = 0x0c
        case printable = 0x13
        case ia5 = 0x16
    }

    private init(
        _ keyword: StaticString, _ dotted: StaticString, _ aliases: [StaticString] = [],
        _ stringType: StringType = .utf8, _ sizes: ClosedRange<Int> = 1...1_024
    ) {
        self.keyword = keyword
        self.aliases = aliases
        identifier = DER.identifier(dotted)
        self.stringType = stringType
        self.sizes = sizes
    }

    /// Sources: RFC 4514, 3; RFC 4519; X.520; ETSI EN 319 412-1 (organizationIdentifier); PKCS #9;
    /// the CA/Browser Forum.
    private static let all: [AttributeType] = [
        AttributeType("CN", "2.5.4.3", ["commonName"], .utf8, 1...64),
        AttributeType("surname", "2.5.4.4", ["SN"]),
        AttributeType("serialNumber", "2.5.4.5", [], .printable, 1...64),
        AttributeType("C", "2.5.4.6", ["countryName", "country"], .printable, 2...2),
        AttributeType("L", "2.5.4.7", ["localityName", "locality"], .utf8, 1...128),
        AttributeType("ST", "2.5.4.8", ["stateOrProvinceName", "S"], .utf8, 1...128),
        AttributeType("street", "2.5.4.9", ["streetAddress"], .utf8, 1...128),
        AttributeType("O", "2.5.4.10", ["organizationName", "organization"], .utf8, 1...64),
        AttributeType("OU", "2.5.4.11", ["organizationalUnitName"], .utf8, 1...64),
        AttributeType("title", "2.5.4.12", ["T"], .utf8, 1...64),
        AttributeType("description", "2.5.4.13"),
        AttributeType("businessCategory", "2.5.4.15", [], .utf8, 1...128),
        AttributeType("postalCode", "2.5.4.17", [], .utf8, 1...40),
        AttributeType("postOfficeBox", "2.5.4.18", [], .utf8, 1...40),
        AttributeType("telephoneNumber", "2.5.4.20", [], .printable, 1...32),
        AttributeType("name", "2.5.4.41"),
        AttributeType("givenName", "2.5.4.42", ["GN"]),
        AttributeType("initials", "2.5.4.43"),
        AttributeType("generationQualifier", "2.5.4.44"),
        AttributeType("dnQualifier", "2.5.4.46", [], .printable),
        AttributeType("pseudonym", "2.5.4.65", [], .utf8, 1...128),
        AttributeType("organizationIdentifier", "2.5.4.97"),
        AttributeType("UID", "0.9.2342.19200300.100.1.1", ["userId"], .utf8, 1...256),
        AttributeType("DC", "0.9.2342.19200300.100.1.25", ["domainComponent"], .ia5, 1...63),
        AttributeType("emailAddress", "1.2.840.113549.1.9.1", ["E", "email"], .ia5, 1...255),
        AttributeType(
            "jurisdictionL", "1.3.6.1.4.1.311.60.2.1.1", ["jurisdictionLocalityName"], .utf8,
            1...128),
        AttributeType(
            "jurisdictionST", "1.3.6.1.4.1.311.60.2.1.2", ["jurisdictionStateOrProvinceName"],
            .utf8, 1...128),
        AttributeType(
            "jurisdictionC", "1.3.6.1.4.1.311.60.2.1.3", ["jurisdictionCountryName"], .printable,
            2...2),
    ]

    /// Finds a type by a keyword or alias, which are case-insensitive (RFC 4512, 1.4).
    static func named(_ keyword: some Collection<UInt8>) -> AttributeType? {
        all.first { type in
            ([type.keyword] + type.aliases).contains { isKeyword(keyword, $0) }
        }
    }

    static func identified(_ identifier: [UInt8]) -> AttributeType? {
        all.first { $0.identifier == identifier }
    }

    private static func isKeyword(
        _ text: some Collection<UInt8>, _ keyword: StaticString
    ) -> Bool {
        guard text.count == keyword.utf8CodeUnitCount else { return false }
        let lower = { (byte: UInt8) in 0x41...0x5a ~= byte ? byte | 0x20 : byte }
        return text.lazy.map(lower).elementsEqual(keyword.description.utf8.lazy.map(lower))
    }
}

extension AttributeType {
    enum ValueError {
        case size(max: Int)
        case characters(allowed: StaticString)

        /// `character` is where the value begins in a parsed text, from 1; nil without a text.
        func error(_ keyword: StaticString, at character: Int?) -> JOSEError {
            let keyword = JOSEError.Value.name(keyword)
            switch (self, character) {
            case (.size(let max), nil):
                return .misuse(
                    "the subject's {} must have 1 to {} characters", keyword, .number(max))
            case (.size(let max), let character?):
                return .misuse(
                    "the subject, at character {}: {} must have 1 to {} characters",
                    .number(character), keyword, .number(max))
            case (.characters(let allowed), nil):
                return .misuse("the subject's {} must be {}", keyword, .name(allowed))
            case (.characters(let allowed), let character?):
                return .misuse(
                    "the subject, at character {}: {} must be {}", .number(character), keyword,
                    .name(allowed))
            }
        }
    }

    /// Returns nil for a valid value.
    func check(_ text: String) -> ValueError? {
        let bytes = text.utf8
        // A country code.
        if sizes.upperBound == 2 {
            let isValid = bytes.count == 2 && bytes.allSatisfy { 0x41...0x5a ~= $0 }
            return isValid ? nil : .characters(allowed: "two capital letters")
        }
        guard sizes ~= text.unicodeScalars.count else { return .size(max: sizes.upperBound) }
        switch stringType {
        case .utf8: return nil
        case .ia5: return bytes.allSatisfy { $0 < 0x80 } ? nil : .characters(allowed: "ASCII")
        case .printable:
            return bytes.allSatisfy(AttributeType.isPrintable)
                ? nil
                : .characters(
                    allowed: "letters, digits, spaces and the characters ' ( ) + , - . / : = ?")
        }
    }

    private static func isPrintable(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, 0x20, 0x27...0x29, 0x2b...0x2f, 0x3a, 0x3d,
            0x3f:
            true
        default: false
        }
    }
}

struct NameAttribute: Sendable {
    /// Nil for an object identifier that the table does not have, and for a value in DER.
    let type: AttributeType?
    /// Nil for a value in DER.
    let text: String?
    let identifier: [UInt8]
    private let value: [UInt8]

    init(_ type: AttributeType, _ text: String) {
        self.init(type.identifier, type, text)
    }

    init(_ identifier: [UInt8], _ type: AttributeType?, _ text: String) {
        self.type = type
        self.text = text
        self.identifier = identifier
        value = DER.value((type?.stringType ?? .utf8).rawValue, Array(text.utf8))
    }

    init(_ identifier: [UInt8], der value: [UInt8]) {
        type = nil
        text = nil
        self.identifier = identifier
        self.value = value
    }

    var encoded: [UInt8] {
        DER.value(DER.sequence, DER.value(DER.identifier, identifier) + value)
    }
}
