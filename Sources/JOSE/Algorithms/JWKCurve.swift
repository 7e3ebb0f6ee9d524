// The curves of the JOSE registry: one row each.

package import JOSECrypto

/// A curve or subtype of a key, `crv` (RFC 7518, 6.2.1.1; RFC 8037, 2; RFC 8812, 3.1).
public struct JWKCurve: Sendable {
    let word: StaticString
    package let native: NativeCurve
    /// The type of the keys on it.
    public let keyType: KeyType
    /// The size as people name it: the bits of the field.
    public let sizeBits: Int

    /// The word in the JWK, such as `P-256`.
    public var name: String { word.description }

    /// NIST P-256.
    public static let p256 = JWKCurve(word: "P-256", native: .p256, keyType: .ec, sizeBits: 256)
    /// NIST P-384.
    public static let p384 = JWKCurve(word: "P-384", native: .p384, keyType: .ec, sizeBits: 384)
    /// NIST P-521.
    public static let p521 = JWKCurve(word: "P-521", native: .p521, keyType: .ec, sizeBits: 521)
    /// SECG secp256k1.
    public static let secp256k1 = JWKCurve(
        word: "secp256k1", native: .secp256k1, keyType: .ec, sizeBits: 256)
    /// Ed25519, for signatures.
    public static let ed25519 = JWKCurve(
        word: "Ed25519", native: .ed25519, keyType: .okp, sizeBits: 255)
    /// Ed448, for signatures.
    public static let ed448 = JWKCurve(word: "Ed448", native: .ed448, keyType: .okp, sizeBits: 448)
    /// X25519, for key agreement.
    public static let x25519 = JWKCurve(
        word: "X25519", native: .x25519, keyType: .okp, sizeBits: 255)
    /// X448, for key agreement.
    public static let x448 = JWKCurve(word: "X448", native: .x448, keyType: .okp, sizeBits: 448)

    /// All rows.
    public static let all: [JWKCurve] = [
        .p256, .p384, .p521, .secp256k1, .ed25519, .ed448, .x25519, .x448,
    ]

    /// The row of a `crv`; nil for any other text.
    public static func named(_ name: String) -> JWKCurve? {
        all.first { name.isExactly($0.word) }
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
