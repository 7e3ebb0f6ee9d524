// The key types of the JOSE registry: one row each.

/// A key type, `kty` (RFC 7517, 4.1).
public struct KeyType: Sendable {
    let staticName: StaticString
    /// The row's place in the table: its identity.
    let id: UInt8

    /// The word in the JWK, such as `RSA`.
    public var name: String { staticName.description }

    /// RSA (RFC 7518, 6.3).
    public static let rsa = KeyType(staticName: "RSA", id: 0)
    /// Elliptic curves with two coordinates (RFC 7518, 6.2).
    public static let ec = KeyType(staticName: "EC", id: 1)
    /// Octet key pairs, the Edwards and Montgomery curves (RFC 8037, 2).
    public static let okp = KeyType(staticName: "OKP", id: 2)
    /// Symmetric keys (RFC 7518, 6.4).
    public static let oct = KeyType(staticName: "oct", id: 3)

    /// Algorithm key pairs, which are for the one algorithm that they name (RFC 9964, 3).
    public static let akp = KeyType(staticName: "AKP", id: 4)

    /// All entries.
    public static let all: [KeyType] = [.rsa, .ec, .okp, .oct, .akp]
}

extension KeyType {
    /// The row of a `kty`; nil for any other text.
    public init?(name: String) {
        guard let row = KeyType.all.first(where: { name.isExactly($0.staticName) }) else { return nil }
        self = row
    }
}

extension KeyType: Hashable {
    /// The same type.
    public static func == (a: KeyType, b: KeyType) -> Bool { a.id == b.id }
    /// Hashes the type's identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

extension KeyType: CustomStringConvertible {
    /// The word in the JWK.
    public var description: String { name }
}
