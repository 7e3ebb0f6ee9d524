// Validates the header of a signed token before any key is selected.

import JOSEBytes
import JOSECrypto

struct SignatureHeaderPolicy: Sendable {
    let algorithms: [SignatureAlgorithm]
    /// The `crit` extensions that the caller checks.
    let extensions: CriticalHeader.Extensions
    let limits: JOSELimits

    /// - Throws: `misuse` without an algorithm, or for an empty or registered name in `critical`;
    ///   `unsupported` for an algorithm that the FIPS provider of the process lacks.
    init(
        _ algorithms: [SignatureAlgorithm], critical: [String] = [], _ limits: JOSELimits
    ) throws(JOSEError) {
        guard !algorithms.isEmpty else {
            throw .misuse("'algorithms' is empty: name the signature algorithms to accept")
        }
        try FIPSProvider.check(algorithms, \.staticName, \.isAvailable)
        self.algorithms = algorithms
        extensions = try CriticalHeader.Extensions(critical)
        self.limits = limits
    }

    /// For explanations: an empty list accepts no algorithm.
    init(
        explaining algorithms: [SignatureAlgorithm], critical: [String], _ limits: JOSELimits
    ) throws(JOSEError) {
        self.algorithms = algorithms
        extensions = try CriticalHeader.Extensions(critical)
        self.limits = limits
    }

    /// Checks `alg` and `typ`, and returns the algorithm.
    func validate(
        _ fields: HeaderFields, _ text: Span<UInt8>, _ context: borrowing VerificationContext
    ) throws(JOSEError) -> SignatureAlgorithm {
        context.trace?.passed(.header, "JWS header \(Trace.header(text))")
        let algorithm = try algorithm(fields, text)
        context.trace?.passed(.algorithm, "\(algorithm) is allowed")
        guard context.type.allows(fields.type, in: text) else {
            throw context.type.rejection(isAbsent: fields.type == nil)
        }
        return algorithm
    }

    private func algorithm(
        _ fields: HeaderFields, _ text: Span<UInt8>
    ) throws(JOSEError) -> SignatureAlgorithm {
        guard let name = fields.algorithm else { throw .algorithmNotAllowed }
        for algorithm in algorithms where JSON.equals(name, algorithm.staticName, in: text) {
            return algorithm
        }
        if let error = macNotAllowed(name, text) { throw error }
        throw RegisteredAlgorithm.notAllowed(
            "alg", name, in: text,
            allowed: (
                algorithms.count, algorithms.first?.staticName,
                algorithms.count > 1 ? algorithms[1].staticName : nil
            ), by: .signatureAlgorithms)
    }

    /// The error for a MAC if only public-key algorithms are allowed. It does not suggest to allow
    /// the MAC: with a public key as the secret, anyone could make the token.
    @inline(never)
    private func macNotAllowed(_ name: JSONNode, _ text: Span<UInt8>) -> JOSEError? {
        guard let first = algorithms.first, !algorithms.contains(where: { $0.family == .hmac }),
            let mac = SignatureAlgorithm.entries.first(where: {
                $0.family == .hmac && JSON.equals(name, $0.staticName, in: text)
            })
        else { return nil }
        return JOSEError(
            .algorithmNotAllowed, .algorithm,
            JOSEError.Reason(
                """
                alg is {}, made with a shared secret; the policy accepts public-key signatures \
                only, such as {}
                """,
                .name(mac.staticName), .name(first.staticName)))
    }
}

/// A validated header, which outlives the call: its key may have to be fetched.
final class ValidatedHeader: Sendable {
    let algorithm: SignatureAlgorithm
    let fields: HeaderFields
    /// The decoded header, to which `fields` refers.
    let text: [UInt8]
    /// The unverified `kid` of the token.
    let keyID: String?

    init(
        _ encoded: Span<UInt8>, _ policy: SignatureHeaderPolicy,
        _ context: borrowing VerificationContext
    ) throws(JOSEError) {
        (algorithm, fields, text, keyID) = try HeaderText.read(
            encoded, policy.limits, understanding: policy.extensions
        ) {
            (fields, text, _) throws(JOSEError) in
            (
                try policy.validate(fields, text, context), fields,
                [UInt8](byteCapacity: text.count) { $0.append(copying: text) },
                fields.keyID.map { JSON.string($0, in: text) }
            )
        }
    }
}

/// The settings of one verification. Not copyable: copies in closures would cost 0.1 µs.
struct VerificationContext: ~Copyable {
    var type = MediaTypeRule.any
    /// Nil for the system clock, which is read only when the time is needed.
    var now: NumericDate?
    /// Records the steps, for an explanation only.
    var trace: Trace?
}
