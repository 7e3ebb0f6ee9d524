// The table of signature algorithms: one row each.

package import JOSECrypto

/// A digital signature algorithm of the JOSE registry, `alg` of a JWS (RFC 7518, 3).
public struct SignatureAlgorithm: Sendable {
    /// The registered name, such as `RS256`.
    public let name: StaticString
    /// The key type that it works with.
    public let keyType: KeyType
    /// How advisable it is.
    public let status: AlgorithmStatus
    /// The row's place in the table: its identity.
    package let id: UInt8
    package let family: SignatureFamily
    package let hash: HashAlgorithm

    // name, key, family, hash, status: one line per row.
    /// RSASSA-PKCS1-v1_5 with SHA-256 (RFC 7518, 3.3).
    public static let rs256 = SignatureAlgorithm(
        name: "RS256", keyType: .rsa, status: .recommended, id: 0, family: .rsaPKCS1, hash: .sha256)

    /// All rows.
    public static let all: [SignatureAlgorithm] = [.rs256]

    /// The rows whose status is recommended.
    public static let recommended = all.filter { $0.status == .recommended }

    /// The row of a registered name; nil for any other text.
    public static func named(_ name: String) -> SignatureAlgorithm? {
        all.first { name.isExactly($0.name) }
    }
}

extension SignatureAlgorithm: Hashable {
    /// The same row.
    public static func == (a: SignatureAlgorithm, b: SignatureAlgorithm) -> Bool { a.id == b.id }
    /// Hashes the row's identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

extension SignatureAlgorithm: CustomStringConvertible {
    /// The registered name.
    public var description: String { name.description }
}
