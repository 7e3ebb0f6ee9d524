// Registered names that have no row on purpose: what a reader of a rejection wants to know about them.

/// A registered algorithm that is not implemented.
package struct RejectedAlgorithm: Sendable {
    /// The registered name.
    package let name: StaticString
    /// Where the algorithm is defined.
    package let reference: StaticString
    /// Why it is not here, in a sentence.
    package let reason: StaticString
    /// What the sender does instead, as the end of an error.
    package let remedy: StaticString

    /// Whether it signs, and does not encrypt.
    package let isSignatureAlgorithm: Bool

    private static let sha1: StaticString = "Prohibited in JOSE: SHA-1 does not resist collisions."

    private static let withoutAuthentication: [StaticString] = [
        "A128CBC", "A192CBC", "A256CBC", "A128CTR", "A192CTR", "A256CTR",
    ]

    /// All that are known by name; any other name is rejected too.
    package static let all =
        [
            RejectedAlgorithm(
                name: "none", reference: "RFC 7518, 3.6",
                reason: "A signature that anyone can make.",
                remedy: "the sender must sign", isSignatureAlgorithm: true),
            RejectedAlgorithm(
                name: "RSA1_5", reference: "RFC 7518, 4.2",
                reason:
                    "With OpenSSL 3.0, errors reveal whether the padding is valid (a padding oracle).",
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
                reason: "Prohibited in JOSE: nothing authenticates the text.",
                remedy: "use A128CBC-HS256 or A256GCM", isSignatureAlgorithm: false)
        }
}
