// Verifies JWTs with keys that may have to be fetched: the same rules, one wait.

import JOSEBytes

/// Verifies JSON Web Tokens with keys from a `KeySource`, under the same policy value as `JWTVerifier`.
///
/// The source is asked only after the token's form and algorithm were accepted.
public struct AsyncJWTVerifier: Sendable {
    private let layers: JWTLayers
    private let verifiers: FetchedKeysVerifier

    /// The rules for claims.
    public var policy: ClaimsPolicy { layers.policy }

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
        algorithms: [SignatureAlgorithm], limits: JOSELimits = .standard
    ) throws(JOSEError) {
        let admission = try SignatureAdmission(algorithms, limits)
        layers = try JWTLayers(policy, encryption, limits)
        verifiers = FetchedKeysVerifier(source, admission, policy.type)
    }

    /// Verifies a token and gives its claims; see `JWTVerifier.verify(_:expecting:at:)`.
    ///
    /// - Throws: As there, and what the source throws: `unavailable` where it cannot answer now.
    public func verify(
        _ token: String, expecting expectation: ClaimsExpectation = .none,
        at now: NumericDate? = nil
    ) async throws(JOSEError) -> VerifiedJWT {
        try await verify(token, expectation, now, nil)
    }

    /// Verifies a token and decodes its claims into a type; see `JWTVerifier.verify(_:as:expecting:at:)`.
    public func verify<Claims: Decodable>(
        _ token: String, as type: Claims.Type, expecting expectation: ClaimsExpectation = .none,
        at now: NumericDate? = nil
    ) async throws(JOSEError) -> Claims {
        try await verify(token, expecting: expectation, at: now).decode(type)
    }

    /// Does what `verify` does and says what happened, step by step, instead of throwing.
    public func explain(
        _ token: String, expecting expectation: ClaimsExpectation = .none,
        at now: NumericDate? = nil
    ) async -> Explanation {
        let trace = Trace()
        do {
            _ = try await verify(token, expectation, now, trace)
            trace.passed(.claims, "the claims satisfy the policy: accepted")
        } catch {
            trace.refused(error)
        }
        return trace.explanation
    }

    private func verify(
        _ token: String, _ expectation: ClaimsExpectation, _ now: NumericDate?, _ trace: Trace?
    ) async throws(JOSEError) -> VerifiedJWT {
        guard let decrypter = layers.decrypter else {
            let admitted = try verifiers.admit(token.utf8.span, trace)
            let verifier = try await verifiers.verifier(for: admitted)
            let verified = try layers.verifySigned(
                token.utf8.span, verifier, header: admitted.header, expectation, now, trace)
            verifiers.remember(admitted, of: token.utf8.span)
            return verified
        }
        var opened = try decrypter.opening.open(
            token.utf8.span, type: .jwt, nested: true, trace: trace)
        defer { opened.wipe() }
        let admitted = try verifiers.admit(opened.plaintext.span, trace)
        let verifier = try await verifiers.verifier(for: admitted)
        let verified = try layers.verifySigned(
            opened.plaintext.span, verifier, header: admitted.header, expectation, now, trace)
        try layers.checkReplicated(token.utf8.span, opened, verified)
        verifiers.remember(admitted, of: opened.plaintext.span)
        return verified
    }
}

extension AsyncJWTVerifier: RedactedDescription {
    package var shownAs: String { "JWT verifier" }
}
