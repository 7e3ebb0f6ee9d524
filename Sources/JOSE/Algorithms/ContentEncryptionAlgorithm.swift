// The table of content encryption algorithms: one row each.

package import JOSECrypto

/// A content encryption algorithm of the JOSE registry, `enc` of a JWE (RFC 7518, 5).
public struct ContentEncryptionAlgorithm: Sendable {
    /// The registered name, such as `A128CBC-HS256`.
    public let name: StaticString
    /// How advisable it is.
    public let status: AlgorithmStatus
    /// The row's place in the table: its identity.
    package let id: UInt8
    package let content: ContentAlgorithm

    /// AES-128 in CBC mode with HMAC SHA-256 (RFC 7518, 5.2.3).
    public static let a128CBCHS256 = ContentEncryptionAlgorithm(
        name: "A128CBC-HS256", status: .recommended, id: 0, content: .a128CBCHS256)

    /// All rows.
    public static let all: [ContentEncryptionAlgorithm] = [.a128CBCHS256]

    /// The rows whose status is recommended.
    public static let recommended = all.filter { $0.status == .recommended }

    /// The row of a registered name; nil for any other text.
    public static func named(_ name: String) -> ContentEncryptionAlgorithm? {
        all.first { name.isExactly($0.name) }
    }
}

extension ContentEncryptionAlgorithm: Hashable {
    /// The same row.
    public static func == (a: ContentEncryptionAlgorithm, b: ContentEncryptionAlgorithm) -> Bool {
        a.id == b.id
    }
    /// Hashes the row's identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

extension ContentEncryptionAlgorithm: CustomStringConvertible {
    /// The registered name.
    public var description: String { name.description }
}
