// The subject of a certificate or certificate request.

import JOSEBytes

/// The subject of a certificate or of a certificate request.
///
/// Pass the three usual attributes, or a whole name as text (RFC 4514).
public struct CertificateSubject: Sendable, Hashable {
    /// The common name, CN; empty if a text has none.
    public var commonName: String { exactCommonName.text }
    /// The organisation, O.
    public var organization: String? { exactOrganization?.text }
    /// The country code of two letters, C.
    public var country: String? { exactCountry?.text }
    private let exactCommonName: ExactString
    private let exactOrganization: ExactString?
    private let exactCountry: ExactString?
    /// The Name in DER that was parsed from text; nil if it has only CN, O and C.
    private let name: [UInt8]?

    /// Creates a subject from the usual attributes.
    ///
    /// - Parameters:
    ///   - commonName: `CN`.
    ///   - organization: `O`.
    ///   - country: `C`, two letters.
    ///
    /// They are written in the order C, O, CN, like `openssl req -subj /C=BE/O=Example/CN=client`
    /// does.
    public init(commonName: String, organization: String? = nil, country: String? = nil) {
        exactCommonName = ExactString(commonName)
        exactOrganization = ExactString(organization)
        exactCountry = ExactString(country)
        name = nil
    }

    /// Parses a distinguished name, such as `CN=client,serialNumber=123,O=Example\, Inc,C=BE`.
    ///
    /// - Parameter text: The relative names, each `type=value`, separated by commas and in the
    ///   order of RFC 4514: the last one comes first in the certificate. `+` joins the parts of one
    ///   relative name. A type is a case-insensitive keyword (CN, O, OU, C, L, ST, street, DC, UID,
    ///   serialNumber, organizationIdentifier, emailAddress, givenName, surname, title, postalCode
    ///   and others of X.520), or an object identifier in dotted form. In a value `\` precedes `,`,
    ///   `+`, `"`, `\`, `<`, `>`, `;`, a first `#`, a first or last space, or two hexadecimal
    ///   digits of a UTF-8 byte. `#` begins the hexadecimal digits of a whole DER value. Spaces
    ///   around `,`, `+` and `=` do not count.
    /// - Throws: `misuse` with the position of the error in characters, counted from 1.
    ///
    /// A name of CN, O and C alone, each once, is always written in the order C, O, CN. C,
    /// serialNumber, dnQualifier and telephoneNumber are PrintableString, DC and emailAddress
    /// IA5String, all others UTF8String. Sizes are limited as in RFC 5280, appendix A.1. At most
    /// 4,096 bytes.
    public init(distinguishedName text: String) throws(JOSEError) {
        let parsed = try DistinguishedName(Array(text.utf8))
        let attributes = parsed.relativeNames.flatMap { $0 }
        func value(_ keyword: StaticString) -> String? {
            attributes.first { $0.type?.keyword.description == keyword.description }?.text
        }
        exactCommonName = ExactString(value("CN") ?? "")
        exactOrganization = ExactString(value("O"))
        exactCountry = ExactString(value("C"))
        name = parsed.isUsual ? nil : parsed.encoded
    }

    /// The Name in DER (RFC 5280, 4.1.2.4).
    package func encoded() throws(JOSEError) -> [UInt8] {
        if let name { return name }
        var relativeNames: [[UInt8]] = []
        for (value, keyword) in [(country, "C"), (organization, "O"), (commonName, "CN")] {
            guard let value, let type = AttributeType.named(keyword.utf8) else { continue }
            if let failure = type.check(value) { throw failure.error(type.keyword, at: nil) }
            relativeNames.append(
                DER.value(DER.set, NameAttribute(type, value).encoded))
        }
        return DER.value(DER.sequence, relativeNames.flatMap { $0 })
    }
}
