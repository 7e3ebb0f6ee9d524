// The name that a certificate or a request gives to the owner of a key.

import JOSEBytes

/// The subject of a certificate or of a certificate request.
///
/// Give the three usual attributes one by one, or a whole name as text (RFC 4514).
public struct CertificateSubject: Sendable, Hashable {
    /// The common name, CN; empty where a text has none.
    public var commonName: String { exactCommonName.text }
    /// The organisation, O.
    public var organization: String? { exactOrganization?.text }
    /// Two letters, C.
    public var country: String? { exactCountry?.text }
    private let exactCommonName: ExactString
    private let exactOrganization: ExactString?
    private let exactCountry: ExactString?
    /// The whole Name of a text; nil where the three attributes are all.
    private let name: [UInt8]?

    /// A subject with at most one value of each of the three usual attributes.
    ///
    /// - Parameters:
    ///   - commonName: `CN`.
    ///   - organization: `O`.
    ///   - country: `C`, two letters.
    ///
    /// The certificate has them in the order C, O, CN, as `openssl req -subj
    /// /C=BE/O=Example/CN=client` writes them.
    public init(commonName: String, organization: String? = nil, country: String? = nil) {
        exactCommonName = ExactString(commonName)
        exactOrganization = ExactString(organization)
        exactCountry = ExactString(country)
        name = nil
    }

    /// A subject from a distinguished name as text, such as `CN=client,serialNumber=123,O=Example\,
    /// Inc,C=BE`.
    ///
    /// - Parameter text: The relative names, each `type=value`, separated by commas and in the
    ///   order of RFC 4514: the last one comes first in the certificate. `+` joins the parts of one
    ///   relative name. A type is a keyword without case (CN, O, OU, C, L, ST, street, DC, UID,
    ///   serialNumber, organizationIdentifier, emailAddress, givenName, surname, title, postalCode
    ///   and others of X.520), or an object identifier in dotted form. In a value `\` precedes `,`,
    ///   `+`, `"`, `\`, `<`, `>`, `;`, a first `#`, a first or last space, or is followed by two
    ///   hexadecimal digits of a byte of UTF-8. `#` begins the hexadecimal digits of a whole DER
    ///   value. Spaces around `,`, `+` and `=` do not count.
    /// - Throws: `misuse` with the position of what is wrong, counted from 1 in characters.
    ///
    /// A name of CN, O and C alone, each once, is written as by the other initialiser, in whatever
    /// order the text has them. C, serialNumber, dnQualifier and telephoneNumber are
    /// PrintableString, DC and emailAddress IA5String, all others UTF8String. Sizes are bounded as
    /// in RFC 5280, appendix A.1. At most 4,096 bytes.
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

    /// The whole Name (RFC 5280, 4.1.2.4).
    package func encoded() throws(JOSEError) -> [UInt8] {
        if let name { return name }
        var relativeNames: [[UInt8]] = []
        for (value, keyword) in [(country, "C"), (organization, "O"), (commonName, "CN")] {
            guard let value, let type = AttributeType.named(keyword.utf8) else { continue }
            if let failure = type.failure(value) { throw failure.error }
            relativeNames.append(
                DER.value(DER.set, NameAttribute(type, value).encoded))
        }
        return DER.value(DER.sequence, relativeNames.flatMap { $0 })
    }
}
