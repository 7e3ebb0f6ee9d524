// RejectedAlgorithm: registered algorithms that this library rejects on purpose.

package struct RejectedAlgorithm: Sendable {
    package let name: StaticString
    package let reference: StaticString
    package let reason: StaticString
    /// What the sender should do instead, as the end of an error message.
    package let remedy: StaticString

    /// True for a signature algorithm, false for an encryption algorithm.
    package let isSignatureAlgorithm: Bool

    private static let sha1: StaticString = "Prohibited in JOSE: SHA-1 does not resist collisions."

    private static let withoutAuthentication: [StaticString] = [
        "A128CBC", "A192CBC", "A256CBC", "A128CTR", "A192CTR", "A256CTR",
    ]

    /// All rejected algorithms. Names that no table has are rejected too.
    package static let all =
        [
            RejectedAlgorithm(
                name: "none", reference: "RFC 7518, 3.6",
                reason: "A signature that anyone can make.",
                remedy: "the sender must sign", isSignatureAlgorithm: true),
            RejectedAlgorithm(
                name: "RSA1_5", reference: "RFC 7518, 4.2",
                reason: "A padding oracle: with OpenSSL 3.0, errors reveal valid padding.",
                remedy: "use RSA-OAEP-256 or RSA-OAEP", isSignatureAlgorithm: false),
            RejectedAlgorithm(
                name: "RS1", reference: "JOSE registry", reason: sha1,
                remedy: "use RS256 or PS256", isSignatureAlgorithm: true),
            RejectedAlgorithm(
                name: "HS1", reference: "JOSE registry", reason: sha1,
                remedy: "use HS256", isSignatureAlgorithm: true),
        ]
        + withoutAuthentication.map {
            RejectedAlgorithm(
                name: $0, reference: "JOSE registry",
                reason: "Prohibited in JOSE: the ciphertext is not authenticated.",
                remedy: "use A128CBC-HS256 or A256GCM", isSignatureAlgorithm: false)
        }
}
