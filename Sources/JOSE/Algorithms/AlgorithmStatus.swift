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
public struct KeyType: Sendable, Hashable {
    /// The word in the JWK, such as `RSA`.
    public let name: String

    /// RSA (RFC 7518, 6.3).
    public static let rsa = KeyType(name: "RSA")
}
