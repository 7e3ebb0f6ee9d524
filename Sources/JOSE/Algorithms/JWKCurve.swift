// JWKCurve: the curves of the JOSE registry. KeyKindTable has their other properties.

package import JOSECrypto

/// An elliptic curve of a key, `crv` (RFC 7518, 6.2.1.1; RFC 8037, 2; RFC 8812, 3.1).
public struct JWKCurve: TableEntry {
    let staticName: StaticString
    package let native: NativeCurve
    /// `EC` or `OKP`.
    public let keyType: KeyType
    /// The size of the field in bits: 521 for P-521, 255 for Ed25519 and X25519.
    public let sizeBits: Int
    package let kind: KeyKind
    /// The index of the kind's bit.
    package var id: UInt8 { UInt8(truncatingIfNeeded: kind.rawValue.trailingZeroBitCount) }

    /// The name in a JWK, such as `P-256`.
    public var name: String { staticName.description }

    /// NIST P-256, for ES256 and ECDH-ES (RFC 7518, 6.2.1.1).
    public static let p256 = JWKCurve(
        staticName: "P-256", native: .p256, keyType: .ec, sizeBits: 256, kind: KeyKind(bit: 2))
    /// NIST P-384, for ES384 and ECDH-ES.
    public static let p384 = JWKCurve(
        staticName: "P-384", native: .p384, keyType: .ec, sizeBits: 384, kind: KeyKind(bit: 3))
    /// NIST P-521, for ES512 and ECDH-ES.
    public static let p521 = JWKCurve(
        staticName: "P-521", native: .p521, keyType: .ec, sizeBits: 521, kind: KeyKind(bit: 4))
    /// SECG secp256k1, for ES256K only (RFC 8812).
    public static let secp256k1 = JWKCurve(
        staticName: "secp256k1", native: .secp256k1, keyType: .ec, sizeBits: 256,
        kind: KeyKind(bit: 5))
    /// Ed25519, for signatures.
    public static let ed25519 = JWKCurve(
        staticName: "Ed25519", native: .ed25519, keyType: .okp, sizeBits: 255, kind: KeyKind(bit: 6)
    )
    /// Ed448, for signatures.
    public static let ed448 = JWKCurve(
        staticName: "Ed448", native: .ed448, keyType: .okp, sizeBits: 448, kind: KeyKind(bit: 7))
    /// X25519, for key agreement.
    public static let x25519 = JWKCurve(
        staticName: "X25519", native: .x25519, keyType: .okp, sizeBits: 255, kind: KeyKind(bit: 8))
    /// X448, for key agreement.
    public static let x448 = JWKCurve(
        staticName: "X448", native: .x448, keyType: .okp, sizeBits: 448, kind: KeyKind(bit: 9))

    /// All curves, supported by the installed libcrypto or not.
    package static let entries = KeyKindEntry.entries.compactMap(\.curve)

    /// The curves that the installed libcrypto supports.
    public static let all = entries.filter(\.isAvailable)

    /// Whether libcrypto supports keys on this curve. Otherwise their use throws `unsupported`.
    public var isAvailable: Bool { missing == nil }

    package var missing: String? { native.missing }
}

extension JWKCurve {
    /// Creates the supported curve with this `crv`; nil for any other name.
    public init?(name: String) {
        guard let curve = JWKCurve.all.first(where: { name.isExactly($0.staticName) }) else {
            return nil
        }
        self = curve
    }
}
