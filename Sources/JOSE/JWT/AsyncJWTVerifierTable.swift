// Verifies JWTs of several issuers whose keys are fetched.

import JOSEBytes

/// Verifies JSON Web Tokens of a closed list of issuers whose keys are fetched; see `JWTVerifierTable`.
///
/// No source of keys is asked for a token of an issuer that is not in the table, and none but the issuer's own for others.
public struct AsyncJWTVerifierTable: Sendable {
    private let table: IssuerTable<AsyncJWTVerifier>

    /// A table of verifiers.
    ///
    /// - Parameters:
    ///   - verifiers: For signed tokens (`.notEncrypted`), each with an issuer of its own and not `.any`.
    ///   - encryption: Whether and how all tokens must be encrypted; the issuer is looked for inside.
    ///   - requiresContentType: Whether an encrypted token must say by `cty` that a JWT is inside (RFC 7519, 5.2).
    ///   - limits: Bounds on the token until its verifier is known.
    /// - Throws: As `JWTVerifierTable.init(verifiers:encryption:limits:)`.
    public init(
        verifiers: [AsyncJWTVerifier], encryption: EncryptionRule = .notEncrypted,
        requiresContentType: Bool = true, limits: JOSELimits = .standard
    ) throws(JOSEError) {
        table = try IssuerTable(
            verifiers.map { ($0, $0.layers) }, encryption,
            contentType: requiresContentType ? .jwt : .jwtOrAbsent, limits)
    }

    /// Verifies a token by the verifier of its issuer; see `JWTVerifierTable.verify(_:expecting:at:)`.
    ///
    /// - Throws: As there, and what the issuer's source of keys throws: `unavailable` where it cannot answer now.
    public func verify(
        _ token: String, expecting expectation: ClaimsExpectation = .none,
        at now: NumericDate? = nil, within time: Duration? = nil
    ) async throws(JOSEError) -> VerifiedJWT {
        try await verify(token, expectation, now, nil, time)
    }

    /// Verifies a token and decodes its claims into a type; see `verify(_:expecting:at:)`.
    public func verify<Claims: Decodable>(
        _ token: String, as type: Claims.Type, expecting expectation: ClaimsExpectation = .none,
        at now: NumericDate? = nil, within time: Duration? = nil
    ) async throws(JOSEError) -> Claims {
        try await verify(token, expectation, now, nil, time).decode(type)
    }

    /// Does what `verify` does and says what happened, step by step, instead of throwing.
    ///
    /// - Parameters:
    ///   - token: The compact serialisation.
    ///   - expectation: What this token must say, such as the `nonce` of its request.
    ///   - now: The time to judge by; the system's clock where none is given.
    ///   - time: How long an external key may take.
    public func explain(
        _ token: String, expecting expectation: ClaimsExpectation = .none,
        at now: NumericDate? = nil, within time: Duration? = nil
    ) async -> Explanation {
        let trace = Trace()
        trace.form(token.utf8.span)
        do {
            _ = try await verify(token, expectation, now, trace, time)
            trace.passed(.claims, "the claims satisfy the policy: accepted")
        } catch {
            trace.refused(error)
        }
        return trace.explanation
    }

    private func verify(
        _ token: String, _ expectation: ClaimsExpectation, _ now: NumericDate?, _ trace: Trace?,
        _ time: Duration?
    ) async throws(JOSEError) -> VerifiedJWT {
        try table.checkSize(token.utf8.span)
        guard let decrypter = table.decrypter else {
            let chosen = try table.select(token.utf8.span, trace)
            return try await chosen.verify(token, expectation, now, trace, time)
        }
        var opened = try await decrypter.opening.open(
            token, type: .jwt, content: table.contentType, trace: trace,
            before: .end(of: time))
        let chosen: AsyncJWTVerifier
        do throws(JOSEError) {
            chosen = try table.select(opened.plaintext.span, trace)
        } catch {
            let cause = JWTLayers.meaning(of: error, inside: opened)
            opened.wipe()
            throw cause
        }
        return try await chosen.verify(token, &opened, expectation, now, trace)
    }
}

extension AsyncJWTVerifierTable: RedactedDescription {
    package var shownAs: String { "JWT verifier table" }
}
