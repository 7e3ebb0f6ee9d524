// The table of key kinds: their types, curves, C constants, roles and DER identifiers.

package import JOSECrypto

package struct KeyKindEntry: Sendable {
    package let kind: KeyKind
    package let type: KeyType
    /// The curve of such keys; nil for types without curves.
    package var curve: JWKCurve?
    package let native: NativeKeyKind
    package let roles: KeyRoles
    /// The algorithm identifier in DER; nil for keys without a DER encoding.
    package let identifier: KeyIdentifier?
    /// The keyUsage bits that this library may write into a certificate of such a key.
    package let usages: CertificateUsages
    /// How such keys sign certificates; nil if this library does not let them sign any.
    package var certificates: CertificateEntry?

    package var isAvailable: Bool { native.isAvailable }

    /// All entries, in the order in which key types are listed.
    package static let entries: [KeyKindEntry] = [
        KeyKindEntry(
            kind: .rsa, type: .rsa, native: .rsa, roles: [.signs, .wraps],
            identifier: KeyIdentifier(algorithm: "1.2.840.113549.1.1.1", parameters: .null),
            usages: [.digitalSignature, .keyEncipherment],
            certificates: CertificateEntry(
                algorithm: "RS256", identifier: "1.2.840.113549.1.1.11", hasNull: true)),
        .ec(
            .p256, [.signs, .agrees], "1.2.840.10045.3.1.7",
            CertificateEntry(algorithm: "ES256", identifier: "1.2.840.10045.4.3.2", isPair: true)),
        .ec(
            .p384, [.signs, .agrees], "1.3.132.0.34",
            CertificateEntry(algorithm: "ES384", identifier: "1.2.840.10045.4.3.3", isPair: true)),
        .ec(
            .p521, [.signs, .agrees], "1.3.132.0.35",
            CertificateEntry(algorithm: "ES512", identifier: "1.2.840.10045.4.3.4", isPair: true)),
        .ec(.secp256k1, .signs, "1.3.132.0.10", nil),
        .okp(
            .ed25519, .signs, "1.3.101.112", .digitalSignature,
            CertificateEntry(algorithm: "Ed25519", identifier: "1.3.101.112")),
        .okp(
            .ed448, .signs, "1.3.101.113", .digitalSignature,
            CertificateEntry(algorithm: "Ed448", identifier: "1.3.101.113")),
        .okp(.x25519, .agrees, "1.3.101.110", .keyAgreement, nil),
        .okp(.x448, .agrees, "1.3.101.111", .keyAgreement, nil),
        .mlDSA(.mlDSA44, .mlDSA44, "ML-DSA-44", "2.16.840.1.101.3.4.3.17"),
        .mlDSA(.mlDSA65, .mlDSA65, "ML-DSA-65", "2.16.840.1.101.3.4.3.18"),
        .mlDSA(.mlDSA87, .mlDSA87, "ML-DSA-87", "2.16.840.1.101.3.4.3.19"),
        KeyKindEntry(
            kind: .oct, type: .oct, native: .symmetric, roles: [.signs, .wraps], identifier: nil,
            usages: []),
    ]

    /// Returns the entry of a kind; nil unless `kind` is exactly one kind.
    package static func entry(_ kind: KeyKind) -> KeyKindEntry? {
        entries.first { $0.kind == kind }
    }

    /// In a certificate, every EC key may be for key agreement (RFC 5480, 3).
    private static func ec(
        _ curve: JWKCurve, _ roles: KeyRoles, _ identifier: StaticString,
        _ certificates: CertificateEntry?
    ) -> KeyKindEntry {
        KeyKindEntry(
            kind: curve.kind, type: curve.keyType, curve: curve, native: .curve(curve.native),
            roles: roles,
            identifier: KeyIdentifier(
                algorithm: "1.2.840.10045.2.1", parameters: .curve(identifier)),
            usages: [.digitalSignature, .keyAgreement], certificates: certificates)
    }

    private static func okp(
        _ curve: JWKCurve, _ roles: KeyRoles, _ identifier: StaticString,
        _ usages: CertificateUsages, _ certificates: CertificateEntry?
    ) -> KeyKindEntry {
        KeyKindEntry(
            kind: curve.kind, type: curve.keyType, curve: curve, native: .curve(curve.native),
            roles: roles,
            identifier: KeyIdentifier(algorithm: identifier, parameters: .none), usages: usages,
            certificates: certificates)
    }

    /// One object identifier names both the key and its signatures (RFC 9881, 2).
    private static func mlDSA(
        _ kind: KeyKind, _ set: NativeCurve, _ algorithm: StaticString, _ identifier: StaticString
    ) -> KeyKindEntry {
        KeyKindEntry(
            kind: kind, type: .akp, native: .curve(set), roles: .signs,
            identifier: KeyIdentifier(algorithm: identifier, parameters: .none),
            usages: .digitalSignature,
            certificates: CertificateEntry(algorithm: algorithm, identifier: identifier))
    }
}

package struct KeyRoles: OptionSet, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let signs = KeyRoles(rawValue: 1)
    /// Agree on a secret with an ephemeral key.
    package static let agrees = KeyRoles(rawValue: 2)
    /// Encrypt a content key that the sender chose.
    package static let wraps = KeyRoles(rawValue: 4)
}

extension [KeyKindEntry] {
    /// Returns what the first entry lacks; nil if any entry lacks nothing or the array is empty.
    func firstMissing(_ missing: (KeyKindEntry) -> String?) -> String? {
        var first: String?
        for entry in self {
            guard let name = missing(entry) else { return nil }
            first = first ?? name
        }
        return first
    }
}

/// The AlgorithmIdentifier of a key kind (RFC 5280, 4.1.1.2), with dotted object identifiers.
package struct KeyIdentifier: Sendable {
    package let algorithm: StaticString
    package let parameters: Parameters

    package enum Parameters: Sendable {
        case none, null
        /// The named curve (RFC 5480, 2.1.1).
        case curve(StaticString)
    }
}

/// The keyUsage bits of end-entity certificates (RFC 5280, 4.2.1.3).
package struct CertificateUsages: OptionSet, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let digitalSignature = CertificateUsages(rawValue: 0x80)
    package static let keyEncipherment = CertificateUsages(rawValue: 0x20)
    package static let keyAgreement = CertificateUsages(rawValue: 0x08)
}

/// How a key kind signs certificates (RFC 4055, 5; RFC 5758, 3.2; RFC 8410, 3; RFC 9881, 2).
package struct CertificateEntry: Sendable {
    /// The JOSE name of the algorithm.
    package let algorithm: StaticString
    package let identifier: StaticString
    /// Whether NULL parameters follow the identifier.
    package var hasNull = false
    /// Whether the signature is a SEQUENCE of two INTEGERs (RFC 5480, appendix A).
    package var isPair = false
}
