// The curves of the JOSE registry: the constants. What else is known of one stands in its row of KeyKindTable.

package import JOSECrypto

/// A curve or subtype of a key, `crv` (RFC 7518, 6.2.1.1; RFC 8037, 2; RFC 8812, 3.1).
public struct JWKCurve: Sendable {
    let staticName: StaticString
    package let native: NativeCurve
    /// The type of the keys on it.
    public let keyType: KeyType
    /// The size as people name it: the bits of the field.
    public let sizeBits: Int
    /// The one kind of the keys on it.
    package let kind: KeyKind

    /// The word in the JWK, such as `P-256`.
    public var name: String { staticName.description }

    /// NIST P-256.
    public static let p256 = JWKCurve(
        staticName: "P-256", native: .p256, keyType: .ec, sizeBits: 256, kind: KeyKind(bit: 2))
    /// NIST P-384.
    public static let p384 = JWKCurve(
        staticName: "P-384", native: .p384, keyType: .ec, sizeBits: 384, kind: KeyKind(bit: 3))
    /// NIST P-521.
    public static let p521 = JWKCurve(
        staticName: "P-521", native: .p521, keyType: .ec, sizeBits: 521, kind: KeyKind(bit: 4))
    /// SECG secp256k1.
    public static let secp256k1 = JWKCurve(
        staticName: "secp256k1", native: .secp256k1, keyType: .ec, sizeBits: 256, kind: KeyKind(bit: 5))
    /// Ed25519, for signatures.
    public static let ed25519 = JWKCurve(
        staticName: "Ed25519", native: .ed25519, keyType: .okp, sizeBits: 255, kind: KeyKind(bit: 6))
    /// Ed448, for signatures.
    public static let ed448 = JWKCurve(
        staticName: "Ed448", native: .ed448, keyType: .okp, sizeBits: 448, kind: KeyKind(bit: 7))
    /// X25519, for key agreement.
    public static let x25519 = JWKCurve(
        staticName: "X25519", native: .x25519, keyType: .okp, sizeBits: 255, kind: KeyKind(bit: 8))
    /// X448, for key agreement.
    public static let x448 = JWKCurve(
        staticName: "X448", native: .x448, keyType: .okp, sizeBits: 448, kind: KeyKind(bit: 9))

    /// The table, whatever libcrypto runs here.
    package static let entries = KeyKindEntry.entries.compactMap(\.curve)

    /// All curves that are available here.
    public static let all = entries.filter(\.isAvailable)

    /// Whether the libcrypto that runs has keys on the curve; without, making or using one ends in `unsupported`.
    public var isAvailable: Bool { missing == nil }

    /// What its keys lack in libcrypto.
    package var missing: String? { native.missing }
}

extension JWKCurve {
    /// The row of a `crv` that is available here; nil for any other text.
    public init?(name: String) {
        guard let row = JWKCurve.all.first(where: { name.isExactly($0.staticName) }) else { return nil }
        self = row
    }
}

extension JWKCurve: Hashable {
    /// The same curve.
    public static func == (a: JWKCurve, b: JWKCurve) -> Bool { a.native == b.native }
    /// Hashes the curve's identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(native) }
}

extension JWKCurve: CustomStringConvertible {
    /// The word in the JWK.
    public var description: String { name }
}
