// The identity that a leaf certificate must have.

import JOSEBytes

/// The identity that the leaf certificate of a key must have, besides a chain to a trust anchor.
///
/// A chain proves that an authority issued the certificate, not to whom. Require an identity if the
/// anchor also certifies others: a public or industry authority, a federation, or another team of
/// your company. Pass it to ``TrustStore/restricted(to:)`` or ``CertificateRule/require(_:of:)``.
///
/// ```swift
/// let rule = CertificateRule.require(roots, of: try .dnsName("idp.example"))
/// ```
///
/// Values are compared byte for byte and never as patterns: a wildcard in a certificate matches
/// only itself. Host names are compared without the case of ASCII letters. See RFC 5280, 4.1.2.6,
/// 4.2.1.4, 4.2.1.6 and 7.2.
public struct CertificateIdentity: Sendable {
    private let requirement: Requirement

    private indirect enum Requirement: Sendable {
        case attribute(SubjectAttribute, String)
        case subject([UInt8])
        case dnsName(String)
        case uri(String)
        case emailAddress(String)
        case policy(String, [UInt8])
        case all([CertificateIdentity])
        case any([CertificateIdentity])
    }

    private init(_ requirement: Requirement) { self.requirement = requirement }
}

extension CertificateIdentity {
    /// Requires one attribute of the subject, such as its `organizationIdentifier`.
    ///
    /// - Parameters:
    ///   - attribute: The attribute. A subject that has it more than once does not match.
    ///   - value: The whole value in UTF-8. In the certificate the value must be a UTF8String,
    ///     PrintableString or IA5String.
    /// - Throws: `misuse` if the value is empty.
    public static func subject(
        _ attribute: SubjectAttribute, _ value: String
    ) throws(JOSEError) -> CertificateIdentity {
        guard !value.isEmpty else {
            throw .misuse("CertificateIdentity.subject: the value is empty")
        }
        return CertificateIdentity(.attribute(attribute, value))
    }

    /// Requires the whole subject, byte for byte.
    ///
    /// - Parameter der: The Name in DER, as in the certificate.
    /// - Throws: `misuse` if `der` is not one DER SEQUENCE.
    public static func subjectName(_ der: [UInt8]) throws(JOSEError) -> CertificateIdentity {
        guard der.first == DER.sequence, StrictDER.isOneValue(der.span) else {
            throw .misuse("CertificateIdentity.subjectName: the bytes are not one Name in DER")
        }
        return CertificateIdentity(.subject(der))
    }

    /// Requires a dNSName among the subject's alternative names (RFC 5280, 7.2).
    ///
    /// - Parameter name: The host name in ASCII (A-labels), without a trailing dot. The case of
    ///   letters does not count, and `*` has no special meaning.
    /// - Throws: `misuse` for an empty name, a space or characters outside printable ASCII.
    public static func dnsName(_ name: String) throws(JOSEError) -> CertificateIdentity {
        CertificateIdentity(.dnsName(try ascii(name)))
    }

    /// Requires a URI among the subject's alternative names, byte for byte.
    ///
    /// - Parameter uri: The whole URI, such as a SPIFFE ID.
    /// - Throws: `misuse` for an empty URI, a space or characters outside printable ASCII.
    public static func uri(_ uri: String) throws(JOSEError) -> CertificateIdentity {
        CertificateIdentity(.uri(try ascii(uri)))
    }

    /// Requires an rfc822Name among the subject's alternative names (RFC 5280, 7.5).
    ///
    /// - Parameter address: The whole address; the case of the host does not count. The
    ///   `emailAddress` attribute of the subject is not checked.
    /// - Throws: `misuse` unless the address is printable ASCII with an at sign and no space.
    public static func emailAddress(_ address: String) throws(JOSEError) -> CertificateIdentity {
        let address = try ascii(address)
        guard address.utf8.contains(UInt8(ascii: "@")) else {
            throw .misuse("CertificateIdentity.emailAddress: the address has no @")
        }
        return CertificateIdentity(.emailAddress(address))
    }

    /// Requires a certificate policy.
    ///
    /// The leaf must name the policy itself. Every certificate between the leaf and the anchor must
    /// name it too, or `anyPolicy` if no certificate inhibits that. A chain that maps policies does
    /// not match.
    ///
    /// - Parameter identifier: The dotted object identifier, such as `0.4.0.1862.1.1`.
    /// - Throws: `misuse` if it is not an object identifier.
    public static func policy(_ identifier: String) throws(JOSEError) -> CertificateIdentity {
        CertificateIdentity(.policy(identifier, try ObjectIdentifierText.contents(identifier)))
    }

    /// Requires all of these identities.
    ///
    /// - Throws: `misuse` for an empty array.
    public static func all(_ identities: [CertificateIdentity]) throws(JOSEError)
        -> CertificateIdentity
    {
        guard !identities.isEmpty else {
            throw .misuse("CertificateIdentity.all: the array is empty")
        }
        return CertificateIdentity(.all(identities))
    }

    /// Requires at least one of these identities.
    ///
    /// - Throws: `misuse` for an empty array.
    public static func any(_ identities: [CertificateIdentity]) throws(JOSEError)
        -> CertificateIdentity
    {
        guard !identities.isEmpty else {
            throw .misuse("CertificateIdentity.any: the array is empty")
        }
        return CertificateIdentity(.any(identities))
    }

    private static func ascii(_ text: String) throws(JOSEError) -> String {
        guard !text.isEmpty, text.utf8.allSatisfy({ 0x21...0x7e ~= $0 }) else {
            throw .misuse("CertificateIdentity: a name is empty or not printable ASCII")
        }
        return text
    }

    /// A subject attribute (RFC 5280, A.1; ETSI EN 319 412-1 for `organizationIdentifier`).
    public struct SubjectAttribute: Sendable {
        let name: StaticString
        let identifier: [UInt8]
        private let dotted: String

        private init(_ name: StaticString, _ dotted: StaticString) {
            self.name = name
            identifier = DER.identifier(dotted)
            self.dotted = ""
        }

        /// Creates an attribute with a dotted object identifier.
        ///
        /// - Throws: `misuse` if it is not an object identifier.
        public init(identifier: String) throws(JOSEError) {
            name = "attribute"
            dotted = identifier
            self.identifier = try ObjectIdentifierText.contents(identifier)
        }

        /// `CN`.
        public static let commonName = SubjectAttribute("commonName", "2.5.4.3")
        /// The `serialNumber` of the subject, not of the certificate.
        public static let serialNumber = SubjectAttribute("serialNumber", "2.5.4.5")
        /// `C`.
        public static let country = SubjectAttribute("countryName", "2.5.4.6")
        /// `O`.
        public static let organization = SubjectAttribute("organizationName", "2.5.4.10")
        /// `OU`.
        public static let organizationalUnit = SubjectAttribute(
            "organizationalUnitName", "2.5.4.11")
        /// `organizationIdentifier`, such as `PSDDE-BAFIN-123456`.
        public static let organizationIdentifier = SubjectAttribute(
            "organizationIdentifier", "2.5.4.97")

        var text: String { dotted.isEmpty ? name.description : dotted }
    }
}

extension CertificateIdentity: CustomStringConvertible {
    /// The requirement in words, escaped and bounded, for logs.
    public var description: String { describe(0) }

    private func describe(_ depth: Int) -> String {
        switch requirement {
        case .attribute(let attribute, let value):
            "subject \(attribute.text) \(printable(value))"
        case .subject(let der): "a subject of \(der.count) bytes"
        case .dnsName(let name): "dNSName \(printable(name))"
        case .uri(let uri): "URI \(printable(uri))"
        case .emailAddress(let address): "rfc822Name \(printable(address))"
        case .policy(let dotted, _): "policy \(printable(dotted))"
        case .all(let all): CertificateIdentity.list(all, " and ", depth)
        case .any(let all): CertificateIdentity.list(all, " or ", depth)
        }
    }

    /// Shows at most four items of a list, and at most two levels of nested lists.
    private static func list(
        _ all: [CertificateIdentity], _ separator: String, _ depth: Int
    ) -> String {
        guard depth < 2 else { return "\(all.count) identities" }
        let shown = all.prefix(4).map { $0.describe(depth + 1) }
        let more = all.count > 4 ? ["\(all.count - 4) more"] : []
        let text = (shown + more).joined(separator: separator)
        return depth > 0 && all.count > 1 ? "(\(text))" : text
    }
}

// MARK: - Checking

extension CertificateIdentity {
    /// Throws `untrustedKey`, `malformed`. `certificates` is the chain without the anchor.
    func check(_ certificates: ArraySlice<[UInt8]>) throws(JOSEError) {
        guard let leaf = certificates.first else {
            throw .untrustedKey("the key has no certificates (x5c)")
        }
        let names = try LeafNames(leaf.span)
        let found: Bool
        switch requirement {
        case .attribute(let attribute, let value):
            found = try names.hasOne(attribute.identifier, value.utf8.span, leaf.span)
        case .subject(let der):
            found = equal(leaf.span.extracting(names.outline.subject), der.span)
        case .dnsName(let name):
            found = try names.hasAlternative(0x82, leaf.span) { isSameHost($0, name.utf8.span) }
        case .uri(let uri):
            found = try names.hasAlternative(0x86, leaf.span) { equal($0, uri.utf8.span) }
        case .emailAddress(let address):
            found = try names.hasAlternative(0x81, leaf.span) {
                isSameMailbox($0, address.utf8.span)
            }
        case .policy(_, let identifier):
            found = try CertificatePolicies.allow(identifier, certificates)
        case .all(let all):
            for one in all { try one.check(certificates) }
            return
        case .any(let all):
            for one in all {
                do throws(JOSEError) {
                    return try one.check(certificates)
                } catch  where error.code == .untrustedKey {
                    continue
                }
            }
            found = false
        }
        guard found else {
            throw .untrustedKey(CertificateIdentity.reason, .name(kind))
        }
    }

    /// `concernsIdentity` recognises the error by this text.
    fileprivate static let reason: StaticString =
        "the leaf certificate does not have the required {} (CertificateIdentity)"

    private var kind: StaticString {
        switch requirement {
        case .attribute(let attribute, _): attribute.name
        case .subject: "subject"
        case .dnsName: "dNSName"
        case .uri: "URI"
        case .emailAddress: "rfc822Name"
        case .policy: "certificate policy"
        case .all, .any: "names and policies"
        }
    }
}

extension JOSEError {
    /// Whether the error means that the certificate lacks the required identity.
    package var concernsIdentity: Bool {
        code == .untrustedKey
            && reason.text.description.isExactly(CertificateIdentity.reason)
    }
}

private func isSameHost(_ a: Span<UInt8>, _ b: Span<UInt8>) -> Bool {
    guard a.count == b.count else { return false }
    for index in a.indices where a[index].lowercasedASCII != b[index].lowercasedASCII {
        return false
    }
    return true
}

/// The case of letters counts in the local part, not in the host.
private func isSameMailbox(_ a: Span<UInt8>, _ b: Span<UInt8>) -> Bool {
    guard a.count == b.count else { return false }
    guard let at = b.indices.last(where: { b[$0] == UInt8(ascii: "@") }) else { return false }
    return equal(a.extracting(first: at + 1), b.extracting(first: at + 1))
        && isSameHost(a.extracting(droppingFirst: at + 1), b.extracting(droppingFirst: at + 1))
}
