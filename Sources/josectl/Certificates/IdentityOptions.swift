// The options that state whose certificate the leaf must be.

import JOSE
import JOSEBytes

enum IdentityOptions {
    static let options: [Option] = [
        .value(
            "subject", "NAME=VALUE",
            "required subject attribute: CN, O, OU, C, serialNumber, organizationIdentifier or OID",
            repeats: true),
        .value(
            "san", "KIND:NAME", "required alternative name, as dns:, uri: or email:NAME",
            repeats: true),
        .value("policy", "OID", "certificate policy that the chain must allow", repeats: true),
    ]

    static func identity(_ line: ParsedCommandLine) throws -> CertificateIdentity? {
        let all =
            try line.all("subject").map { try parse("subject", $0, subject) }
            + line.all("san").map { try parse("san", $0, alternative) }
            + line.all("policy").map {
                try parse("policy", $0) { (text) throws(JOSEError) in try .policy(text) }
            }
        guard !all.isEmpty else { return nil }
        return all.count == 1 ? all[0] : try .all(all)
    }

    private static func parse(
        _ option: String, _ text: String,
        _ read: (String) throws(JOSEError) -> CertificateIdentity
    ) throws -> CertificateIdentity {
        do throws(JOSEError) {
            return try read(text)
        } catch {
            throw UsageError("--\(option) \(printable(text)): \(error.reason)")
        }
    }

    private static func subject(_ text: String) throws(JOSEError) -> CertificateIdentity {
        guard let (name, value) = split(text, UInt8(ascii: "=")) else {
            throw .misuse("expected NAME=VALUE")
        }
        let known: [(StaticString, CertificateIdentity.SubjectAttribute)] = [
            ("CN", .commonName), ("O", .organization), ("OU", .organizationalUnit),
            ("C", .country), ("serialNumber", .serialNumber),
            ("organizationIdentifier", .organizationIdentifier),
        ]
        for (knownName, attribute) in known where name.isExactly(knownName) {
            return try .subject(attribute, value)
        }
        return try .subject(.init(identifier: name), value)
    }

    private static func alternative(_ text: String) throws(JOSEError) -> CertificateIdentity {
        guard let (kind, name) = split(text, UInt8(ascii: ":")) else {
            throw .misuse("expected KIND:NAME, such as dns:idp.example")
        }
        if kind.isExactly("dns") { return try .dnsName(name) }
        if kind.isExactly("uri") { return try .uri(name) }
        if kind.isExactly("email") { return try .emailAddress(name) }
        throw .misuse("the kind must be dns, uri or email")
    }

    private static func split(_ text: String, _ separator: UInt8) -> (String, String)? {
        guard let index = text.utf8.firstIndex(of: separator) else { return nil }
        return (
            String(Substring(text.utf8[..<index])),
            String(Substring(text.utf8[text.utf8.index(after: index)...]))
        )
    }
}
