// The operations of batch: one entry each, with the members of its requests.

import JOSE
import JOSEBytes

/// An operation of `josectl batch`, which a line selects by its `op`.
struct BatchOperation: Sendable {
    let name: String
    let required: [String]
    let optional: [String]
    /// Runs the operation and writes the response members after `ok`.
    let run: @Sendable (BatchRequest, BatchHandler, inout JSONWriter) async throws -> Void
    /// Returns the work that is done together with that of other lines; nil if the request gains
    /// nothing from that.
    var deferred: (@Sendable (BatchRequest, BatchHandler) async throws -> DeferredLine?)?

    /// All operations by their names; any other name is `unsupported`.
    static let all: [ExactString: BatchOperation] = Dictionary(
        uniqueKeysWithValues: [
            jwsSign, jwsVerify, jweEncrypt, jweDecrypt, jwtSeal, jwtOpen, jwkParse, jwksParse,
            chainVerify, thumbprint,
        ].map { (ExactString($0.name), $0) })
}
