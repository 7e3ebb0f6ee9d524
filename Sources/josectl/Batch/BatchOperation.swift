// The operations of `josectl batch`: one entry each, with the members of its requests.

import JOSE
import JOSEBytes

struct BatchOperation: Sendable {
    let name: String
    let required: [String]
    let optional: [String]
    /// Writes the response members after `ok`.
    let run: @Sendable (BatchRequest, BatchHandler, inout JSONWriter) async throws -> Void
    /// Returns work that runs together with that of other lines; nil if the request runs alone.
    var deferred: (@Sendable (BatchRequest, BatchHandler) async throws -> DeferredLine?)?

    static let all: [ExactString: BatchOperation] = Dictionary(
        uniqueKeysWithValues: [
            jwsSign, jwsVerify, jweEncrypt, jweDecrypt, jwtSeal, jwtOpen, jwkParse, jwksParse,
            chainVerify, thumbprint,
        ].map { (ExactString($0.name), $0) })
}
