// Registered names that have no row on purpose: what a reader of a refusal wants to know about them.

/// A registered algorithm that is not implemented.
package struct RefusedAlgorithm: Sendable {
    /// The registered name.
    package let name: StaticString
    /// Where the algorithm is defined.
    package let reference: StaticString
    /// Why it is not here, in a sentence.
    package let reason: StaticString
    /// What the sender does instead, as the end of an error.
    package let remedy: StaticString

    private static let unauthenticated: StaticString =
        "Prohibited in JOSE: nothing authenticates the text."
    /// Whether it signs, and does not encrypt.
    package var isOfSignatures: Bool {
        let names: [StaticString] = ["none", "RS1", "HS1"]
        return names.contains { name.description.isExactly($0) }
    }

    private static let authenticated: StaticString =
        "use A128CBC-HS256 or A256GCM"
    private static let sha1: StaticString = "Prohibited in JOSE: SHA-1 does not resist collisions."

    /// All that are known by name; any other name is refused too.
    package static let all: [RefusedAlgorithm] = [
        RefusedAlgorithm(
            name: "none", reference: "RFC 7518, 3.6",
            reason: "A signature that anyone can make.",
            remedy: "the sender must sign"),
        RefusedAlgorithm(
            name: "RSA1_5", reference: "RFC 7518, 4.2",
            reason:
                "With OpenSSL 3.0, errors reveal whether the padding is valid (a padding oracle).",
            remedy: "use RSA-OAEP-256 or RSA-OAEP"),
        RefusedAlgorithm(
            name: "RS1", reference: "JOSE registry", reason: sha1,
            remedy: "use RS256 or PS256"),
        RefusedAlgorithm(
            name: "HS1", reference: "JOSE registry", reason: sha1,
            remedy: "use HS256"),
        RefusedAlgorithm(
            name: "A128CBC", reference: "JOSE registry", reason: unauthenticated,
            remedy: authenticated),
        RefusedAlgorithm(
            name: "A192CBC", reference: "JOSE registry", reason: unauthenticated,
            remedy: authenticated),
        RefusedAlgorithm(
            name: "A256CBC", reference: "JOSE registry", reason: unauthenticated,
            remedy: authenticated),
        RefusedAlgorithm(
            name: "A128CTR", reference: "JOSE registry", reason: unauthenticated,
            remedy: authenticated),
        RefusedAlgorithm(
            name: "A192CTR", reference: "JOSE registry", reason: unauthenticated,
            remedy: authenticated),
        RefusedAlgorithm(
            name: "A256CTR", reference: "JOSE registry", reason: unauthenticated,
            remedy: authenticated),
    ]
}
