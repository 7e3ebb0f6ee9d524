// Registered names that have no row on purpose: what a reader of a refusal wants to know about them.

/// A registered algorithm that is not implemented.
package struct RefusedAlgorithm: Sendable {
    /// The registered name.
    package let name: StaticString
    /// Where the algorithm is defined.
    package let reference: StaticString
    /// Why it is not here, in a sentence.
    package let reason: StaticString

    private static let unauthenticated: StaticString =
        "Prohibited in JOSE: nothing authenticates the text."
    private static let sha1: StaticString = "Prohibited in JOSE: SHA-1 does not resist collisions."

    /// All that are known by name; any other name is refused too.
    package static let all: [RefusedAlgorithm] = [
        RefusedAlgorithm(
            name: "none", reference: "RFC 7518, 3.6",
            reason: "A signature that anyone can make."),
        RefusedAlgorithm(
            name: "RSA1_5", reference: "RFC 7518, 4.2",
            reason: "OpenSSL 3.0 tells good padding from bad: the reader would be an oracle."),
        RefusedAlgorithm(name: "RS1", reference: "JOSE registry", reason: sha1),
        RefusedAlgorithm(name: "HS1", reference: "JOSE registry", reason: sha1),
        RefusedAlgorithm(name: "A128CBC", reference: "JOSE registry", reason: unauthenticated),
        RefusedAlgorithm(name: "A192CBC", reference: "JOSE registry", reason: unauthenticated),
        RefusedAlgorithm(name: "A256CBC", reference: "JOSE registry", reason: unauthenticated),
        RefusedAlgorithm(name: "A128CTR", reference: "JOSE registry", reason: unauthenticated),
        RefusedAlgorithm(name: "A192CTR", reference: "JOSE registry", reason: unauthenticated),
        RefusedAlgorithm(name: "A256CTR", reference: "JOSE registry", reason: unauthenticated),
    ]
}
