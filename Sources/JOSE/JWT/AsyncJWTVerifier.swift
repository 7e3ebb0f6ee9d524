// Verifies JWTs with keys that may have to be fetched, or asked: the same rules, with waits.

import JOSEBytes

/// Verifies JSON Web Tokens with keys that are fetched or external, under the same policy value as
/// `JWTVerifier`.
///
/// The signer's keys come from a `KeySource`, such as a `RemoteJWKSet`; a `PublicJWKSet` is one
/// too. The source is asked only after the token's form and algorithm were accepted. Our own
/// decryption keys may be external (`JWK.withExternalKey(_:options:)`).
public struct AsyncJWTVerifier: Sendable {
    private let rules: JWTRules

    /// A verifier with fetched keys.
    ///
    /// - Parameters:
    ///   - policy: What the claims must say.
    ///   - encryption: Whether and how tokens must be encrypted.
    ///   - keys: Where the signer's keys come from.
    ///   - algorithms: The only signature algorithms that are accepted.
    ///   - critical: The extensions in `crit` of the signed token that the caller understands and
    ///     checks itself, by name.
    ///   - limits: Bounds on the token, its claims and, where `encryption` has none of its own, on
    ///     that layer.
    /// - Throws: `misuse` without an algorithm, and for an empty issuer or audience.
    public init(
        policy: ClaimsPolicy, encryption: EncryptionRule = .notEncrypted, keys: any KeySource,
        algorithms: [SignatureAlgorithm], critical: [String] = [], limits: JOSELimits = .standard
    ) throws(JOSEError) {
        let admission = try SignatureHeaderPolicy(algorithms, critical: critical, limits)
        // Keys that are here need no wait.
        let signer: JWTLayers.Signer =
            if let keys = keys as? PublicJWKSet, !keys.isStale {
                .local(JWSVerifier(keys, admission))
            } else {
                .fetched(FetchedKeys(keys, admission))
            }
        rules = .one(try JWTLayers(policy, encryption, signer, limits))
    }

    /// A verifier with fetched keys and the default claims rules.
    ///
    /// - Parameters:
    ///   - issuer: The `iss` that tokens must have, byte for byte; for other rules give a policy.
    ///   - audience: The `aud` that they must name, byte for byte.
    ///   - encryption: Whether and how tokens must be encrypted.
    ///   - keys: Where the signer's keys come from.
    ///   - algorithms: The only signature algorithms that are accepted.
    ///   - type: What their `typ` must say, such as `"at+jwt"`.
    ///   - limits: Bounds on the token, its claims and, where `encryption` has none of its own, on
    ///     that layer.
    /// - Throws: As the other.
    public init(
        issuer: String, audience: String, encryption: EncryptionRule = .notEncrypted,
        keys: any KeySource, algorithms: [SignatureAlgorithm], type: MediaTypeRule = .jwt,
        limits: JOSELimits = .standard
    ) throws(JOSEError) {
        try self.init(
            policy: ClaimsPolicy(issuer: issuer, audience: audience, type: type),
            encryption: encryption, keys: keys, algorithms: algorithms, limits: limits)
    }

    /// A verifier with the rules of a `JWTVerifier`, whose decryption keys may be external.
    ///
    /// - Parameters:
    ///   - policy: What the claims must say.
    ///   - encryption: Whether and how tokens must be encrypted.
    ///   - signature: Whether and how they must be signed: by a key, a secret of both sides, a
    ///     key set, or not at all.
    ///   - limits: Bounds on the token, its claims and, where a rule has none of its own, on its
    ///     layers.
    /// - Throws: As `JWTVerifier.init(policy:encryption:signature:limits:)`.
    public init(
        policy: ClaimsPolicy, encryption: EncryptionRule, signature: SignatureRule,
        limits: JOSELimits = .standard
    ) throws(JOSEError) {
        rules = .one(try JWTLayers(policy, encryption, signature.signer(limits), limits))
    }

    /// A verifier for a closed list of issuers; see
    /// `JWTVerifier.init(byIssuer:encryption:requiresContentType:limits:)`.
    ///
    /// No source of keys is asked for a token of an issuer that is not in the list, and none but
    /// the issuer's own for others.
    ///
    /// - Parameters:
    ///   - verifiers: For signed tokens (`.notEncrypted`), each with an issuer of its own and not
    ///     `.any`.
    ///   - encryption: Whether and how all tokens must be encrypted; the issuer is looked for
    ///     inside.
    ///   - requiresContentType: Whether an encrypted token must say by `cty` that a JWT is inside
    ///     (RFC 7519, 5.2).
    ///   - limits: Bounds on the token until its verifier is known.
    /// - Throws: As there.
    public init(
        byIssuer verifiers: [AsyncJWTVerifier], encryption: EncryptionRule = .notEncrypted,
        requiresContentType: Bool = true, limits: JOSELimits = .standard
    ) throws(JOSEError) {
        rules = .byIssuer(
            try IssuerTable(
                verifiers.map(\.rules), encryption, requiresContentType: requiresContentType,
                limits))
    }

    /// Verifies a token and gives its claims; see `JWTVerifier.verify(_:expecting:at:)`.
    ///
    /// - Parameters:
    ///   - token: The compact serialisation.
    ///   - expectation: What this token must say, such as the `nonce` of its request.
    ///   - now: The time to judge by; the system's clock where none is given.
    ///   - timeout: How long an external key of ours may take, within what its rule says. The source
    ///     of keys has a bound of its own.
    /// - Throws: As there, and what the source throws: `unavailable` where it cannot answer now, and
    ///   where its keys stand in for newer ones that may say otherwise (`PublicJWKSet.markedStale()`).
    nonisolated(nonsending) public func verify(
        _ token: String, expecting expectation: ClaimsExpectation = .none,
        at now: NumericDate? = nil, timeout: Duration? = nil
    ) async throws(JOSEError) -> VerifiedJWT {
        try await rules.verify(
            token, expectation, VerificationContext(now: now), before: .end(of: timeout))
    }

    /// Verifies a token and decodes its claims into a type; see `JWTVerifier.verify(_:as:expecting:at:)`.
    nonisolated(nonsending) public func verify<Claims: Decodable>(
        _ token: String, as type: Claims.Type, expecting expectation: ClaimsExpectation = .none,
        at now: NumericDate? = nil, timeout: Duration? = nil
    ) async throws(JOSEError) -> Claims {
        try await verify(token, expecting: expectation, at: now, timeout: timeout).decode(type)
    }

    /// Does what `verify` does and says what happened, step by step, instead of throwing.
    ///
    /// - Parameters:
    ///   - token: The compact serialisation.
    ///   - expectation: What this token must say, such as the `nonce` of its request.
    ///   - now: The time to judge by; the system's clock where none is given.
    ///   - timeout: How long an external key may take.
    nonisolated(nonsending) public func explain(
        _ token: String, expecting expectation: ClaimsExpectation = .none,
        at now: NumericDate? = nil, timeout: Duration? = nil
    ) async -> TokenExplanation {
        await explained(token, expecting: expectation, at: now, timeout: timeout).explanation
    }

    /// As `explain`, with what was accepted, for callers that validate it further.
    nonisolated(nonsending) package func explained(
        _ token: String, expecting expectation: ClaimsExpectation, at now: NumericDate?,
        timeout: Duration?
    ) async -> (explanation: TokenExplanation, verified: VerifiedJWT?) {
        let trace = Trace()
        trace.form(token.utf8.span)
        do throws(JOSEError) {
            let verified = try await rules.verify(
                token, expectation, VerificationContext(now: now, trace: trace),
                before: .end(of: timeout))
            trace.passed(.claims, "the claims satisfy the policy: accepted")
            return (trace.explanation, verified)
        } catch {
            trace.rejected(error)
            return (trace.explanation, nil)
        }
    }
}

extension AsyncJWTVerifier: RedactedDescription {
    package var shownAs: String { "JWT verifier" }
}
