// The operations of batch: one row each, with the members that a request may have.

import JOSE
import JOSEBytes

/// One operation.
struct BatchOperation: Sendable {
    let name: String
    let required: [String]
    let optional: [String]
    /// Does the work and writes the members of the answer behind `ok`.
    let run: @Sendable (BatchRequest, BatchHandler, inout JSONWriter) async throws -> Void
    /// What the same work is where it only verifies a compact JWS, which is done together with others; nil where this
    /// request is not of that kind.
    var verification: (@Sendable (BatchRequest, BatchHandler) async throws -> Verification?)?

    /// A token and who judges it.
    typealias Verification = (verifier: JWSVerifier, token: String)

    /// All operations that exist, by the bytes of their names; any other is `unsupported`.
    static let all: [ExactString: BatchOperation] = Dictionary(
        uniqueKeysWithValues: [
            jwsSign, jwsVerify, jweEncrypt, jweDecrypt, jwtSeal, jwtOpen, jwkParse, jwksParse,
            chainVerify, thumbprint,
        ].map { (ExactString($0.name), $0) })
}
