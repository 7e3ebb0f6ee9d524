// What a policy says to a signed token's header before any key is looked at.

import JOSEBytes
import JOSECrypto

/// The algorithms that a verifier accepts, and the bounds on its tokens.
struct SignatureHeaderPolicy: Sendable {
    let algorithms: [SignatureAlgorithm]
    /// The critical extensions that the caller understands and checks itself.
    let extensions: CriticalHeader.Extensions
    let limits: JOSELimits

    /// Throws `misuse` without an algorithm, and for a registered name in `critical`.
    init(
        _ algorithms: [SignatureAlgorithm], critical: [String] = [], _ limits: JOSELimits
    ) throws(JOSEError) {
        guard !algorithms.isEmpty else {
            throw .misuse("algorithms: is empty: name the signature algorithms to accept")
        }
        self.algorithms = algorithms
        extensions = try CriticalHeader.Extensions(critical)
        self.limits = limits
    }

    /// For an explanation: a list without an algorithm accepts none.
    init(
        explaining algorithms: [SignatureAlgorithm], critical: [String], _ limits: JOSELimits
    ) throws(JOSEError) {
        self.algorithms = algorithms
        extensions = try CriticalHeader.Extensions(critical)
        self.limits = limits
    }

    /// The header's algorithm, one of the policy's, in a token of the right type.
    func admit(
        _ fields: HeaderFields, _ text: Span<UInt8>, _ context: borrowing VerificationContext
    ) throws(JOSEError) -> SignatureAlgorithm {
        context.trace?.passed(.header, "JWS header \(Trace.header(text))")
        let algorithm = try algorithm(fields, text)
        context.trace?.passed(.algorithm, "\(algorithm) is allowed")
        guard MediaType.satisfies(context.type, fields.type, in: text) else {
            throw context.type.rejection(isAbsent: fields.type == nil)
        }
        return algorithm
    }

    private func algorithm(
        _ fields: HeaderFields, _ text: Span<UInt8>
    ) throws(JOSEError) -> SignatureAlgorithm {
        guard let name = fields.algorithm else { throw .algorithmNotAllowed }
        for algorithm in algorithms where JSON.equals(name, algorithm.word, in: text) {
            return algorithm
        }
        if let secret = algorithmOfSecret(name, text) { throw secret }
        throw RegisteredAlgorithm.notAllowed(
            "alg", name, in: text,
            allowed: (
                algorithms.count, algorithms.first?.word,
                algorithms.count > 1 ? algorithms[1].word : nil
            ), by: .signatureAlgorithms)
    }

    /// The error for a MAC where only public keys are allowed. It names no setting: with a public
    /// key as its secret anyone could make the token.
    @inline(never)
    private func algorithmOfSecret(_ name: JSONNode, _ text: Span<UInt8>) -> JOSEError? {
        guard let first = algorithms.first, !algorithms.contains(where: { $0.family == .hmac }),
            let mac = SignatureAlgorithm.rows.first(where: {
                $0.family == .hmac && JSON.equals(name, $0.word, in: text)
            })
        else { return nil }
        return JOSEError(
            .algorithmNotAllowed, .algorithm,
            JOSEError.Reason(
                """
                alg is {}, made with a shared secret; the policy accepts public-key signatures \
                only, such as {}
                """,
                .name(mac.word), .name(first.word)))
    }
}

/// A header that a policy admitted, kept while its key is fetched: it is not read twice.
final class ValidatedHeader: Sendable {
    let algorithm: SignatureAlgorithm
    let fields: HeaderFields
    /// The decoded header, which the fields point into.
    let text: [UInt8]
    /// Which key the token names; nothing of it is trusted.
    let keyID: String?

    /// Reads the header of a token; throws as `SignatureHeaderPolicy.admit`.
    init(
        _ encoded: Span<UInt8>, _ admission: SignatureHeaderPolicy,
        _ context: borrowing VerificationContext
    ) throws(JOSEError) {
        (algorithm, fields, text, keyID) = try HeaderText.read(
            encoded, admission.limits, understanding: admission.extensions
        ) {
            (fields, text, _) throws(JOSEError) in
            (
                try admission.admit(fields, text, context), fields,
                [UInt8](byteCapacity: text.count) { $0.append(copying: text) },
                fields.keyID.map { JSON.string($0, in: text) }
            )
        }
    }
}
