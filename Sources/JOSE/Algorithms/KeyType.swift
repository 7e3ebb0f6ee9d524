// KeyType: the key types of the JOSE registry.

/// A key type, `kty` (RFC 7517, 4.1).
public struct KeyType: TableEntry {
    let staticName: StaticString
    package let id: UInt8

    /// The name in a JWK, such as `RSA`.
    public var name: String { staticName.description }

    /// RSA (RFC 7518, 6.3).
    public static let rsa = KeyType(staticName: "RSA", id: 0)
    /// Elliptic curve keys with two coordinates (RFC 7518, 6.2).
    public static let ec = KeyType(staticName: "EC", id: 1)
    /// Octet key pairs on Edwards and Montgomery curves (RFC 8037, 2).
    public static let okp = KeyType(staticName: "OKP", id: 2)
    /// Symmetric keys (RFC 7518, 6.4).
    public static let oct = KeyType(staticName: "oct", id: 3)
    /// Algorithm key pairs, each for the one algorithm that it names (RFC 9964, 3).
    public static let akp = KeyType(staticName: "AKP", id: 4)

    /// All key types.
    public static let all: [KeyType] = [.rsa, .ec, .okp, .oct, .akp]
}

extension KeyType {
    /// Creates the key type with this `kty`; nil for any other name.
    public init?(name: String) {
        guard let type = KeyType.all.first(where: { name.isExactly($0.staticName) }) else {
            return nil
        }
        self = type
    }
}
