// Verifies JWTs with keys that may have to be fetched: the same rules, one wait.

import JOSEBytes

/// Verifies JSON Web Tokens with keys from a `KeySource`, under the same policy value as `JWTVerifier`.
///
/// The source is asked only after the token's form and algorithm were accepted.
public struct AsyncJWTVerifier: Sendable {
    private let layers: JWTLayers
    private let source: any KeySource
    private let algorithms: [SignatureAlgorithm]
    private let limits: Limits

    /// A verifier with fetched keys.
    ///
    /// - Parameters:
    ///   - policy: What the claims must say.
    ///   - encryption: Whether and how tokens must be encrypted.
    ///   - source: Where the signer's keys come from.
    ///   - algorithms: The only signature algorithms that are accepted.
    ///   - limits: Bounds on the token.
    /// - Throws: `misuse` without an algorithm.
    public init(
        policy: ClaimsPolicy, encryption: EncryptionRule, source: any KeySource,
        algorithms: [SignatureAlgorithm], limits: Limits = .standard
    ) throws(JOSEError) {
        guard !algorithms.isEmpty else { throw .misuse("name the algorithms to accept") }
        layers = try JWTLayers(policy, encryption, limits)
        self.source = source
        self.algorithms = algorithms
        self.limits = limits
    }

    /// Verifies a token and gives its claims; see `JWTVerifier.verify(_:expecting:at:)`.
    ///
    /// - Throws: As there, and what the source throws: `unavailable` where it cannot answer now.
    public func verify(
        _ token: String, expecting expectation: ClaimsExpectation = .none,
        at now: NumericDate? = nil
    ) async throws(JOSEError) -> VerifiedJWT {
        guard let decrypter = layers.decrypter else {
            let keys = try await source.keys(keyID: try keyID(token.utf8.span))
            let verifier = try JWSVerifier(keys: keys, algorithms: algorithms, limits: limits)
            return try layers.verifySigned(token.utf8.span, verifier, expectation, now, nil)
        }
        var opened = try decrypter.opening.open(token.utf8.span, type: .jwt, nested: true)
        defer { opened.wipe() }
        let keys = try await source.keys(keyID: try keyID(opened.plaintext.span))
        let verifier = try JWSVerifier(keys: keys, algorithms: algorithms, limits: limits)
        let verified = try layers.verifySigned(
            opened.plaintext.span, verifier, expectation, now, nil)
        try layers.checkReplicated(token.utf8.span, opened, verified)
        return verified
    }

    /// Verifies a token and decodes its claims into a type; see `JWTVerifier.verify(_:as:expecting:at:)`.
    public func verify<Claims: Decodable>(
        _ token: String, as type: Claims.Type, expecting expectation: ClaimsExpectation = .none,
        at now: NumericDate? = nil
    ) async throws(JOSEError) -> Claims {
        try await verify(token, expecting: expectation, at: now).decode(type)
    }

    /// The `kid` of a token that has the right form, type and algorithm; nothing of it is trusted.
    private func keyID(_ token: Span<UInt8>) throws(JOSEError) -> String? {
        let parts = try CompactJWS(token, limits)
        return try HeaderText.read(token.extracting(parts.header), limits) {
            (fields, text, _) throws(JOSEError) in
            guard let name = fields.algorithm,
                algorithms.contains(where: { JSON.equals(name, $0.name, in: text) })
            else { throw .algorithmNotAllowed }
            guard MediaType.satisfies(layers.policy.type, fields.type, in: text) else {
                throw .claimRejected("typ", "the token is of another type")
            }
            return fields.keyID.map { JSON.string($0, in: text) }
        }
    }
}

extension AsyncJWTVerifier: CustomStringConvertible, CustomReflectable {
    /// A constant.
    public var description: String { "JWT verifier" }
    /// Shows nothing to `dump`.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
