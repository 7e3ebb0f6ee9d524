// Whose certificate a leaf must be: a chain alone proves only that some authority below an anchor
// issued it.

import JOSEBytes

/// Whose certificate a key's leaf must be, besides leading to a trust anchor.
///
/// A chain to an anchor proves that an authority issued the certificate, and not to whom. Demand an
/// identity wherever the anchor certifies others too: a public or a sector's authority, a
/// federation, another team of your company. Pass it to ``TrustStore/restricted(to:)`` or
/// ``CertificateRule/require(_:of:)``.
///
/// ```swift
/// let rule = CertificateRule.require(roots, of: try .dnsName("idp.example"))
/// ```
///
/// Values are compared byte for byte and never as patterns: a wildcard in a certificate matches
/// nothing but itself. The names of hosts are compared without the case of ASCII letters. Source:
/// RFC 5280, 4.1.2.6, 4.2.1.4, 4.2.1.6 and 7.2.
public struct CertificateIdentity: Sendable {
    private let demand: Demand

    private indirect enum Demand: Sendable {
        case attribute(SubjectAttribute, String)
        case subject([UInt8])
        case dnsName(String)
        case uri(String)
        case emailAddress(String)
        case policy(String, [UInt8])
        case all([CertificateIdentity])
        case any([CertificateIdentity])
    }

    private init(_ demand: Demand) { self.demand = demand }
}

extension CertificateIdentity {
    /// One attribute of the subject, such as its `organizationIdentifier`.
    ///
    /// - Parameters:
    ///   - attribute: Which attribute. A subject that has it more than once does not match.
    ///   - value: Its value in UTF-8, whole. Values in the certificate that are neither UTF8String,
    ///     PrintableString nor IA5String do not match.
    /// - Throws: `misuse` for an empty value.
    public static func subject(
        _ attribute: SubjectAttribute, _ value: String
    ) throws(JOSEError) -> CertificateIdentity {
        guard !value.isEmpty else { throw .misuse("a certificate identity is empty") }
        return CertificateIdentity(.attribute(attribute, value))
    }

    /// The whole subject, byte for byte.
    ///
    /// - Parameter der: The Name as it is in the certificate, in DER.
    /// - Throws: `misuse` if that is not one DER SEQUENCE.
    public static func subjectName(_ der: [UInt8]) throws(JOSEError) -> CertificateIdentity {
        guard der.first == DER.sequence, StrictDER.isOneValue(der.span) else {
            throw .misuse("the subject of a certificate identity is not one Name in DER")
        }
        return CertificateIdentity(.subject(der))
    }

    /// A dNSName of the subject's alternative names.
    ///
    /// - Parameter name: The name of a host in ASCII (A-labels), without a wildcard's meaning and
    ///   without a dot at its end.
    /// - Throws: `misuse` for an empty name and for characters outside ASCII.
    public static func dnsName(_ name: String) throws(JOSEError) -> CertificateIdentity {
        CertificateIdentity(.dnsName(try ascii(name)))
    }

    /// A URI of the subject's alternative names, byte for byte.
    ///
    /// - Parameter uri: The whole URI, such as a SPIFFE ID.
    /// - Throws: `misuse` for an empty URI and for characters outside ASCII.
    public static func uri(_ uri: String) throws(JOSEError) -> CertificateIdentity {
        CertificateIdentity(.uri(try ascii(uri)))
    }

    /// An rfc822Name of the subject's alternative names; the case of its host does not matter (RFC
    /// 5280, 7.5).
    ///
    /// - Parameter address: The whole address. The subject's own `emailAddress` attribute is not
    ///   consulted.
    /// - Throws: `misuse` unless it is ASCII and has an at sign.
    public static func emailAddress(_ address: String) throws(JOSEError) -> CertificateIdentity {
        let address = try ascii(address)
        guard address.utf8.contains(UInt8(ascii: "@")) else {
            throw .misuse("the e-mail address of a certificate identity has no @")
        }
        return CertificateIdentity(.emailAddress(address))
    }

    /// A certificate policy.
    ///
    /// The leaf must name the policy itself. Every certificate between it and the anchor must name
    /// it too, or `anyPolicy` where no certificate inhibits that. A chain that maps policies does
    /// not match.
    ///
    /// - Parameter identifier: Its object identifier in numbers and dots, such as `0.4.0.1862.1.1`.
    /// - Throws: `misuse` if it is no object identifier.
    public static func policy(_ identifier: String) throws(JOSEError) -> CertificateIdentity {
        CertificateIdentity(.policy(identifier, try ObjectIdentifierText.contents(identifier)))
    }

    /// All of these together.
    ///
    /// - Throws: `misuse` for none.
    public static func all(_ identities: [CertificateIdentity]) throws(JOSEError)
        -> CertificateIdentity
    {
        guard !identities.isEmpty else {
            throw .misuse("the list of certificate identities is empty")
        }
        return CertificateIdentity(.all(identities))
    }

    /// One of these at least.
    ///
    /// - Throws: `misuse` for none.
    public static func any(_ identities: [CertificateIdentity]) throws(JOSEError)
        -> CertificateIdentity
    {
        guard !identities.isEmpty else {
            throw .misuse("the list of certificate identities is empty")
        }
        return CertificateIdentity(.any(identities))
    }

    private static func ascii(_ text: String) throws(JOSEError) -> String {
        guard !text.isEmpty, text.utf8.allSatisfy({ 0x21...0x7e ~= $0 }) else {
            throw .misuse("a name of a certificate identity is empty or not printable ASCII")
        }
        return text
    }

    /// An attribute of a subject (RFC 5280, A.1; ETSI EN 319 412-1 for `organizationIdentifier`).
    public struct SubjectAttribute: Sendable {
        let name: StaticString
        let identifier: [UInt8]
        private let dotted: String

        private init(_ name: StaticString, _ dotted: StaticString) {
            self.name = name
            identifier = DER.identifier(dotted)
            self.dotted = ""
        }

        /// An attribute by its object identifier in numbers and dots.
        ///
        /// - Throws: `misuse` if it is no object identifier.
        public init(identifier: String) throws(JOSEError) {
            name = "attribute"
            dotted = identifier
            self.identifier = try ObjectIdentifierText.contents(identifier)
        }

        /// `CN`.
        public static let commonName = SubjectAttribute("commonName", "2.5.4.3")
        /// `serialNumber` of the subject, which is not that of the certificate.
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
    /// What is demanded, escaped and bounded: for people and logs.
    public var description: String { describe(0) }

    private func describe(_ depth: Int) -> String {
        switch demand {
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

    /// At most four of a list, and lists in lists two deep.
    private static func list(
        _ all: [CertificateIdentity], _ word: String, _ depth: Int
    ) -> String {
        guard depth < 2 else { return "\(all.count) demands" }
        let shown = all.prefix(4).map { $0.describe(depth + 1) }
        let more = all.count > 4 ? ["\(all.count - 4) more"] : []
        let text = (shown + more).joined(separator: word)
        return depth > 0 && all.count > 1 ? "(\(text))" : text
    }
}

// MARK: - Checking

extension CertificateIdentity {
    /// Throws `untrustedKey`, which says what kind of identity was demanded, unless the chain's
    /// leaf has it.
    ///
    /// - Parameter certificates: The leaf and what is between it and the anchor.
    func check(_ certificates: ArraySlice<[UInt8]>) throws(JOSEError) {
        guard let leaf = certificates.first else {
            throw .untrustedKey("the key carries no certificates")
        }
        let names = try LeafNames(leaf.span)
        let found: Bool
        switch demand {
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

    /// Marks the errors of this check among those of a chain.
    fileprivate static let reason: StaticString =
        "the certificate does not have the demanded {} (CertificateIdentity)"

    private var kind: StaticString {
        switch demand {
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
    /// Whether the certificate is another's than the rule demands.
    package var isOfIdentity: Bool {
        code == .untrustedKey
            && reason.text.description.isExactly(CertificateIdentity.reason)
    }
}

private func lowered(_ byte: UInt8) -> UInt8 { 0x41...0x5a ~= byte ? byte | 0x20 : byte }

private func isSameHost(_ a: Span<UInt8>, _ b: Span<UInt8>) -> Bool {
    guard a.count == b.count else { return false }
    for index in a.indices where lowered(a[index]) != lowered(b[index]) { return false }
    return true
}

/// The last at sign ends the local part, whose case may matter.
private func isSameMailbox(_ a: Span<UInt8>, _ b: Span<UInt8>) -> Bool {
    guard a.count == b.count else { return false }
    guard let at = b.indices.last(where: { b[$0] == UInt8(ascii: "@") }) else { return false }
    return equal(a.extracting(first: at + 1), b.extracting(first: at + 1))
        && isSameHost(a.extracting(droppingFirst: at + 1), b.extracting(droppingFirst: at + 1))
}
