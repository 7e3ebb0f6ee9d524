// What the tables say of a row besides its parameters.

/// How advisable an algorithm is today.
public enum AlgorithmStatus: String, Sendable, Hashable {
    /// A good choice; a policy may ask for all recommended rows as a group.
    case recommended
    /// Sound; used where a policy names it.
    case acceptable
    /// Kept for old peers; behind a package trait and a policy that names it.
    case legacy
}

/// A key type, `kty` (RFC 7517, 4.1).
public struct KeyType: Sendable {
    let word: StaticString
    /// The row's place in the table: its identity.
    let id: UInt8

    /// The word in the JWK, such as `RSA`.
    public var name: String { word.description }

    /// RSA (RFC 7518, 6.3).
    public static let rsa = KeyType(word: "RSA", id: 0)
}

extension KeyType: Hashable {
    /// The same type.
    public static func == (a: KeyType, b: KeyType) -> Bool { a.id == b.id }
    /// Hashes the type's identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}
