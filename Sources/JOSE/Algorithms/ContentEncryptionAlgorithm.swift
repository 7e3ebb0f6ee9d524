// ContentEncryptionAlgorithm: the table of content encryption algorithms.

package import JOSECrypto

/// A content encryption algorithm of the JOSE registry, `enc` of a JWE (RFC 7518, 5).
public struct ContentEncryptionAlgorithm: TableEntry {
    package let staticName: StaticString
    /// The registered name, such as `A128CBC-HS256`.
    public var name: String { staticName.description }
    /// How advisable the algorithm is.
    public let status: AlgorithmStatus
    package let id: UInt8
    package let content: ContentAlgorithm
    package let reference: StaticString
    package let advice: StaticString

    /// AES-128 in CBC mode with HMAC SHA-256 (RFC 7518, 5.2.3).
    public static let a128CBCHS256 = ContentEncryptionAlgorithm(
        staticName: "A128CBC-HS256", status: .recommended, id: 0, content: .a128CBCHS256,
        reference: "RFC 7518, 5.2.3",
        advice: "Widely supported; a good first choice.")
    /// AES-192 in CBC mode with HMAC SHA-384 (RFC 7518, 5.2.4).
    public static let a192CBCHS384 = ContentEncryptionAlgorithm(
        staticName: "A192CBC-HS384", status: .acceptable, id: 1, content: .a192CBCHS384,
        reference: "RFC 7518, 5.2.4",
        advice: "Few peers support it; prefer A128CBC-HS256 or A256CBC-HS512.")
    /// AES-256 in CBC mode with HMAC SHA-512 (RFC 7518, 5.2.5).
    public static let a256CBCHS512 = ContentEncryptionAlgorithm(
        staticName: "A256CBC-HS512", status: .recommended, id: 2, content: .a256CBCHS512,
        reference: "RFC 7518, 5.2.5",
        advice: "For rules that require 256 bits.")
    /// AES-128 in Galois/Counter Mode (RFC 7518, 5.3).
    public static let a128GCM = ContentEncryptionAlgorithm(
        staticName: "A128GCM", status: .recommended, id: 3, content: .a128GCM,
        reference: "RFC 7518, 5.3",
        advice: "Fast and short; with dir, a key may encrypt at most 2^32 messages.")
    /// AES-192 in Galois/Counter Mode (RFC 7518, 5.3).
    public static let a192GCM = ContentEncryptionAlgorithm(
        staticName: "A192GCM", status: .recommended, id: 4, content: .a192GCM,
        reference: "RFC 7518, 5.3",
        advice: "As A128GCM; few peers use it.")
    /// AES-256 in Galois/Counter Mode (RFC 7518, 5.3).
    public static let a256GCM = ContentEncryptionAlgorithm(
        staticName: "A256GCM", status: .recommended, id: 5, content: .a256GCM,
        reference: "RFC 7518, 5.3",
        advice: "As A128GCM, for rules that require 256 bits.")

    /// All algorithms, supported by the installed libcrypto or not.
    package static let entries: [ContentEncryptionAlgorithm] = [
        .a128CBCHS256, .a192CBCHS384, .a256CBCHS512, .a128GCM, .a192GCM, .a256GCM,
    ]

    /// The algorithms that the installed libcrypto supports.
    public static let all = entries.filter(\.isAvailable)

    /// The supported algorithms whose status is recommended.
    public static let recommended = all.filter { $0.status == .recommended }

    /// Whether libcrypto supports the algorithm. Otherwise its use throws `unsupported`.
    public var isAvailable: Bool { missing == nil }

    package var missing: String? { content.missing }
}

extension ContentEncryptionAlgorithm {
    /// Creates the supported algorithm with this registered name; nil for any other name.
    public init?(name: String) {
        guard
            let entry = ContentEncryptionAlgorithm.all.first(where: {
                name.isExactly($0.staticName)
            })
        else { return nil }
        self = entry
    }
}
