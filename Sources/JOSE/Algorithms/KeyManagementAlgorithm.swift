// The table of key management algorithms: one row each.

package import JOSECrypto

/// A key management algorithm of the JOSE registry, `alg` of a JWE (RFC 7518, 4).
public struct KeyManagementAlgorithm: Sendable {
    /// The registered name, such as `RSA-OAEP-256`.
    public let name: StaticString
    /// The key type that it works with.
    public let keyType: KeyType
    /// How advisable it is.
    public let status: AlgorithmStatus
    /// The row's place in the table: its identity.
    package let id: UInt8
    package let family: KeyManagementFamily
    package let hash: HashAlgorithm

    /// RSAES-OAEP with SHA-1 and MGF1 with SHA-1 (RFC 7518, 4.3).
    public static let rsaOAEP = KeyManagementAlgorithm(
        name: "RSA-OAEP", keyType: .rsa, status: .recommended, id: 0, family: .rsaOAEP, hash: .sha1)
    /// RSAES-OAEP with SHA-256 and MGF1 with SHA-256 (RFC 7518, 4.3).
    public static let rsaOAEP256 = KeyManagementAlgorithm(
        name: "RSA-OAEP-256", keyType: .rsa, status: .recommended, id: 1, family: .rsaOAEP,
        hash: .sha256)

    /// All rows.
    public static let all: [KeyManagementAlgorithm] = [.rsaOAEP, .rsaOAEP256]

    /// The rows whose status is recommended.
    public static let recommended = all.filter { $0.status == .recommended }

    /// The row of a registered name; nil for any other text.
    public static func named(_ name: String) -> KeyManagementAlgorithm? {
        all.first { name.isExactly($0.name) }
    }
}

extension KeyManagementAlgorithm: Hashable {
    /// The same row.
    public static func == (a: KeyManagementAlgorithm, b: KeyManagementAlgorithm) -> Bool {
        a.id == b.id
    }
    /// Hashes the row's identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

extension KeyManagementAlgorithm: CustomStringConvertible {
    /// The registered name.
    public var description: String { name.description }
}
