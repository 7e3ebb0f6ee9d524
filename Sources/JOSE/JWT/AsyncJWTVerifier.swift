// Verifies JWTs with fetched or external keys, under the same rules as JWTVerifier.

import JOSEBytes

/// Verifies JSON Web Tokens with keys that are fetched or external.
///
/// The signer's public keys come from a `KeySource`, such as a `RemoteJWKSet` or a `PublicJWKSet`.
/// The source is called only after the token's format and algorithm were accepted. Your private
/// decryption keys, for encrypted tokens, may be external (`JWK.withExternalKey(_:options:)`).
public struct AsyncJWTVerifier: Sendable {
    private let rules: JWTRules

    /// Creates a verifier with a source of keys and the rules of `policy`.
    ///
    /// - Parameters:
    ///   - policy: The rules for the claims.
    ///   - encryption: Whether and how tokens must be encrypted.
    ///   - keys: The source of the signer's keys.
    ///   - algorithms: The accepted signature algorithms.
    ///   - critical: The names of the `crit` extensions of the signed token that you check.
    ///     `encryption` has its own list for the encrypted token.
    ///   - limits: Bounds on the token, its claims and every layer whose rule has no limits.
    /// - Throws: As `JWTVerifier.init(policy:encryption:signature:limits:)`.
    public init(
        policy: ClaimsPolicy, encryption: EncryptionRule = .notEncrypted, keys: any KeySource,
        algorithms: [SignatureAlgorithm], critical: [String] = [], limits: JOSELimits = .standard
    ) throws(JOSEError) {
        let headerPolicy = try SignatureHeaderPolicy(algorithms, critical: critical, limits)
        // Keys of a set that is not stale are used without a suspension.
        let signatureKeys: JWTLayers.SignatureKeys =
            if let keys = keys as? PublicJWKSet, !keys.isStale {
                .local(JWSVerifier(unchecked: .set(keys), headerPolicy))
            } else {
                .fetched(FetchedKeys(keys, headerPolicy))
            }
        rules = .one(try JWTLayers(policy, encryption, signatureKeys, limits))
    }

    /// Creates a verifier with a source of keys and the default rules for claims.
    ///
    /// - Parameters:
    ///   - issuer: The required `iss`, compared byte for byte.
    ///   - audience: The value that `aud` must contain, compared byte for byte.
    ///   - encryption: Whether and how tokens must be encrypted.
    ///   - keys: The source of the signer's keys.
    ///   - algorithms: The accepted signature algorithms.
    ///   - type: The rule for `typ`, such as `"at+jwt"`.
    ///   - limits: Bounds on the token, its claims and every layer whose rule has no limits.
    /// - Throws: As `init(policy:encryption:keys:algorithms:critical:limits:)`.
    public init(
        issuer: String, audience: String, encryption: EncryptionRule = .notEncrypted,
        keys: any KeySource, algorithms: [SignatureAlgorithm], type: MediaTypeRule = .jwt,
        limits: JOSELimits = .standard
    ) throws(JOSEError) {
        try self.init(
            policy: ClaimsPolicy(issuer: issuer, audience: audience, type: type),
            encryption: encryption, keys: keys, algorithms: algorithms, limits: limits)
    }

    /// Creates a verifier with local signature keys. The decryption keys of `encryption` may be
    /// external.
    ///
    /// - Parameters:
    ///   - policy: The rules for the claims.
    ///   - encryption: Whether and how tokens must be encrypted.
    ///   - signature: Whether and how tokens must be signed: by a key, a shared secret, a key set,
    ///     or not at all.
    ///   - limits: Bounds on the token, its claims and every layer whose rule has no limits.
    /// - Throws: As `JWTVerifier.init(policy:encryption:signature:limits:)`.
    public init(
        policy: ClaimsPolicy, encryption: EncryptionRule, signature: SignatureRule,
        limits: JOSELimits = .standard
    ) throws(JOSEError) {
        rules = .one(try JWTLayers(policy, encryption, signature.signatureKeys(limits), limits))
    }

    /// Creates a verifier for a fixed list of issuers. For the parameters see
    /// `JWTVerifier.init(byIssuer:encryption:requiresContentType:limits:)`.
    ///
    /// For a token of a listed issuer only that issuer's source of keys is called. For any other
    /// token no source is called.
    ///
    /// - Throws: As `JWTVerifier.init(byIssuer:encryption:requiresContentType:limits:)`.
    public init(
        byIssuer verifiers: [AsyncJWTVerifier], encryption: EncryptionRule = .notEncrypted,
        requiresContentType: Bool = true, limits: JOSELimits = .standard
    ) throws(JOSEError) {
        rules = .byIssuer(
            try IssuerTable(
                verifiers.map(\.rules), encryption, requiresContentType: requiresContentType,
                limits))
    }

    /// Verifies a token and returns its claims; see `JWTVerifier.verify(_:expecting:at:)`.
    ///
    /// - Parameters:
    ///   - token: The compact serialisation.
    ///   - expectation: Values that this token must have, such as the `nonce` of its request.
    ///   - now: The time for all checks; the system clock by default.
    ///   - timeout: The maximum time for an external decryption key; the key's options may allow
    ///     less. Nil applies only those options. The source of keys has its own timeout.
    /// - Throws: As `JWTVerifier.verify(_:expecting:at:)`, and what the source throws.
    ///   `unavailable` if the source cannot return keys now, or if an external key does not
    ///   respond. Also `unavailable` if the source's set is stale (`PublicJWKSet.markedStale()`)
    ///   and a newer set might accept the token.
    nonisolated(nonsending) public func verify(
        _ token: String, expecting expectation: ClaimsExpectation = .none,
        at now: NumericDate? = nil, timeout: Duration? = nil
    ) async throws(JOSEError) -> VerifiedJWT {
        try await rules.verify(
            token, expectation, VerificationContext(now: now), before: .end(of: timeout))
    }

    /// Verifies a token and decodes its claims into a type; see
    /// `JWTVerifier.verify(_:as:expecting:at:)`.
    nonisolated(nonsending) public func verify<Claims: Decodable>(
        _ token: String, as type: Claims.Type, expecting expectation: ClaimsExpectation = .none,
        at now: NumericDate? = nil, timeout: Duration? = nil
    ) async throws(JOSEError) -> Claims {
        try await verify(token, expecting: expectation, at: now, timeout: timeout).decode(type)
    }

    /// Verifies a token and returns what happened at each step instead of throwing. For the
    /// parameters see `verify(_:expecting:at:timeout:)`.
    nonisolated(nonsending) public func explain(
        _ token: String, expecting expectation: ClaimsExpectation = .none,
        at now: NumericDate? = nil, timeout: Duration? = nil
    ) async -> TokenExplanation {
        await explained(token, expecting: expectation, at: now, timeout: timeout).explanation
    }

    /// Also returns the verified token, for callers that check its claims further.
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

extension AsyncJWTVerifier: RedactedDescription {}
