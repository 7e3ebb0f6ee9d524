// The subject of a certificate or certificate request.

import JOSEBytes

/// The subject of a certificate or certificate request: the three usual attributes, or a whole name
/// as text (RFC 4514).
public struct CertificateSubject: Sendable, Hashable {
    /// The common name, CN; empty if the text of a whole name has none.
    public var commonName: String { exactCommonName.text }
    /// The organisation, O.
    public var organization: String? { exactOrganization?.text }
    /// The country code of two letters, C.
    public var country: String? { exactCountry?.text }
    private let exactCommonName: ExactString
    private let exactOrganization: ExactString?
    private let exactCountry: ExactString?
    /// The Name in DER that was parsed from text; nil if `encoded()` writes it from CN, O and C.
    private let name: [UInt8]?

    /// Creates a subject from the usual attributes, written in the order C, O, CN.
    ///
    /// - Parameters:
    ///   - commonName: `CN`.
    ///   - organization: `O`.
    ///   - country: `C`, two capital letters.
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
    ///   relative name. At most 4,096 bytes.
    /// - Throws: `misuse` with the error's position in characters from 1, or for too long a text.
    ///
    /// A type is a case-insensitive keyword (CN, O, OU, C, L, ST, street, DC, UID, serialNumber,
    /// organizationIdentifier, emailAddress, givenName, surname, title, postalCode and others of
    /// X.520), or an object identifier in dotted form. Spaces around `,`, `+` and `=` do not count.
    ///
    /// In a value, write `\` before `,`, `+`, `"`, `\`, `<`, `>`, `;`, a first `#`, and a first or
    /// last space. `\` before two hexadecimal digits makes a byte of UTF-8. A value that begins
    /// with `#` is a DER value in hexadecimal digits.
    ///
    /// A name of one CN, at most one O and C, and nothing else is always written in the order C, O,
    /// CN. C, jurisdictionC, serialNumber, dnQualifier and telephoneNumber are PrintableString, DC
    /// and emailAddress IA5String, all others UTF8String. No size may exceed RFC 5280, A.1.
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
