// The table of content encryption algorithms: one row each.

package import JOSECrypto

/// A content encryption algorithm of the JOSE registry, `enc` of a JWE (RFC 7518, 5).
public struct ContentEncryptionAlgorithm: Sendable {
    /// The registered name as the compiler packed it.
    package let staticName: StaticString
    /// The registered name, such as `A128CBC-HS256`.
    public var name: String { staticName.description }
    /// How advisable it is.
    public let status: AlgorithmStatus
    /// The row's place in the table: its identity.
    package let id: UInt8
    package let content: ContentAlgorithm
    /// Where the algorithm is defined.
    package let reference: StaticString
    /// For whom it is, in a sentence.
    package let advice: StaticString

    /// AES-128 in CBC mode with HMAC SHA-256 (RFC 7518, 5.2.3).
    public static let a128CBCHS256 = ContentEncryptionAlgorithm(
        staticName: "A128CBC-HS256", status: .recommended, id: 0, content: .a128CBCHS256,
        reference: "RFC 7518, 5.2.3",
        advice: "What most peers know; a good first choice.")
    /// AES-192 in CBC mode with HMAC SHA-384 (RFC 7518, 5.2.4).
    public static let a192CBCHS384 = ContentEncryptionAlgorithm(
        staticName: "A192CBC-HS384", status: .acceptable, id: 1, content: .a192CBCHS384,
        reference: "RFC 7518, 5.2.4",
        advice: "Few peers know it; take one of its neighbours.")
    /// AES-256 in CBC mode with HMAC SHA-512 (RFC 7518, 5.2.5).
    public static let a256CBCHS512 = ContentEncryptionAlgorithm(
        staticName: "A256CBC-HS512", status: .recommended, id: 2, content: .a256CBCHS512,
        reference: "RFC 7518, 5.2.5",
        advice: "For rules that demand 256 bits.")
    /// AES-128 in Galois/Counter Mode (RFC 7518, 5.3).
    public static let a128GCM = ContentEncryptionAlgorithm(
        staticName: "A128GCM", status: .recommended, id: 3, content: .a128GCM,
        reference: "RFC 7518, 5.3",
        advice: "Fast and short; a shared key of dir may encrypt 2^32 messages at the most.")
    /// AES-192 in Galois/Counter Mode (RFC 7518, 5.3).
    public static let a192GCM = ContentEncryptionAlgorithm(
        staticName: "A192GCM", status: .recommended, id: 4, content: .a192GCM,
        reference: "RFC 7518, 5.3",
        advice: "As A128GCM; few peers use it.")
    /// AES-256 in Galois/Counter Mode (RFC 7518, 5.3).
    public static let a256GCM = ContentEncryptionAlgorithm(
        staticName: "A256GCM", status: .recommended, id: 5, content: .a256GCM,
        reference: "RFC 7518, 5.3",
        advice: "As A128GCM, for rules that demand 256 bits.")

    /// The table, whatever libcrypto runs here.
    package static let entries: [ContentEncryptionAlgorithm] = [
        .a128CBCHS256, .a192CBCHS384, .a256CBCHS512, .a128GCM, .a192GCM, .a256GCM,
    ]

    /// All rows that are available here.
    public static let all = entries.filter(\.isAvailable)

    /// The rows whose status is recommended, of those that are available here.
    public static let recommended = all.filter { $0.status == .recommended }

    /// Whether the libcrypto that runs has what the row takes; without, using it ends in `unsupported`.
    public var isAvailable: Bool { missing == nil }

    /// What it lacks in libcrypto.
    package var missing: String? { content.missing }
}

extension ContentEncryptionAlgorithm {
    /// The row of a registered name that is available here; nil for any other text.
    public init?(name: String) {
        guard let row = ContentEncryptionAlgorithm.all.first(where: { name.isExactly($0.staticName) })
        else { return nil }
        self = row
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
    public var description: String { name }
}
