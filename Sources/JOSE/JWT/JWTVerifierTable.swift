// Verifies JWTs of several issuers, each by its own rules and keys.

import JOSEBytes

/// Verifies JSON Web Tokens of a closed list of issuers, each by the verifier that demands exactly this issuer.
///
/// The `iss` of a token that nobody has verified yet picks the verifier, byte for byte, and is shown to nobody; the verifier
/// then judges the token as if it stood alone, its `iss` included. Prepared once, used from many threads.
public struct JWTVerifierTable: Sendable {
    private let table: IssuerTable<JWTVerifier>

    /// A table of verifiers.
    ///
    /// - Parameters:
    ///   - verifiers: For signed tokens (`.notEncrypted`), each with an issuer of its own and not `.any`.
    ///   - encryption: Whether and how all tokens must be encrypted; the issuer is looked for inside.
    ///   - requiresContentType: Whether an encrypted token must say by `cty` that a JWT is inside (RFC 7519, 5.2).
    ///   - limits: Bounds on the token until its verifier is known.
    /// - Throws: `misuse` for no verifier, two for one issuer, one for any issuer, or one that demands encryption itself;
    ///   what the encryption rule says.
    public init(
        verifiers: [JWTVerifier], encryption: EncryptionRule = .notEncrypted,
        requiresContentType: Bool = true, limits: JOSELimits = .standard
    ) throws(JOSEError) {
        table = try IssuerTable(
            verifiers.map { ($0, $0.layers) }, encryption,
            contentType: requiresContentType ? .jwt : .jwtOrAbsent, limits)
    }

    /// Verifies a token by the verifier of its issuer and gives its claims.
    ///
    /// - Parameters:
    ///   - token: The compact serialisation.
    ///   - expectation: What this token must say, such as the `nonce` of its request.
    ///   - now: The time to judge by; the system's clock where none is given.
    /// - Throws: `claimRejected` with `iss` where it is missing, no text or not in the table; else as
    ///   `JWTVerifier.verify(_:expecting:at:)`.
    /// - Returns: The claims; their `issuer` says whose rules they satisfied.
    ///
    /// Costs a second reading of the claims besides the verification.
    public func verify(
        _ token: String, expecting expectation: ClaimsExpectation = .none,
        at now: NumericDate? = nil
    ) throws(JOSEError) -> VerifiedJWT {
        try verify(token, expectation, now, nil)
    }

    /// Verifies a token and decodes its claims into a type; see `verify(_:expecting:at:)`.
    public func verify<Claims: Decodable>(
        _ token: String, as type: Claims.Type, expecting expectation: ClaimsExpectation = .none,
        at now: NumericDate? = nil
    ) throws(JOSEError) -> Claims {
        try verify(token, expectation, now, nil).decode(type)
    }

    /// Does what `verify` does and says what happened, step by step, instead of throwing.
    ///
    /// - Parameters:
    ///   - token: The compact serialisation.
    ///   - expectation: What this token must say, such as the `nonce` of its request.
    ///   - now: The time to judge by; the system's clock where none is given.
    public func explain(
        _ token: String, expecting expectation: ClaimsExpectation = .none,
        at now: NumericDate? = nil
    ) -> Explanation {
        let trace = Trace()
        trace.form(token.utf8.span)
        do {
            _ = try verify(token, expectation, now, trace)
            trace.passed(.claims, "the claims satisfy the policy: accepted")
        } catch {
            trace.refused(error)
        }
        return trace.explanation
    }

    private func verify(
        _ token: String, _ expectation: ClaimsExpectation, _ now: NumericDate?, _ trace: Trace?
    ) throws(JOSEError) -> VerifiedJWT {
        let text = token.utf8.span
        try table.checkSize(text)
        guard let decrypter = table.decrypter else {
            let chosen = try table.select(text, trace)
            return try chosen.layers.verify(
                text, HeaderSource(token), chosen.verifier, expectation, now, trace)
        }
        var opened = try decrypter.opening.open(
            text, type: .jwt, content: table.contentType, trace: trace)
        do throws(JOSEError) {
            let chosen = try table.select(opened.plaintext.span, trace)
            return try chosen.verify(
                text, HeaderSource(token), &opened, expectation, now, trace)
        } catch {
            let cause = JWTLayers.meaning(of: error, inside: opened)
            opened.wipe()
            throw cause
        }
    }
}

extension JWTVerifierTable: RedactedDescription {
    package var shownAs: String { "JWT verifier table" }
}
