// Opens and verifies JWTs: layers, algorithms, keys and claims are one policy, the token decides nothing.

import JOSEBytes
import JOSECrypto

/// Verifies JSON Web Tokens (RFC 7519): signed, or signed and then encrypted.
///
/// Prepared once, used from many threads. A token with fewer, more or other layers than the rules
/// say is rejected. With fetched keys, or external ones of ours, use `AsyncJWTVerifier`.
public struct JWTVerifier: Sendable {
    let rules: JWTRules

    /// A verifier with the rules of `policy`.
    ///
    /// - Parameters:
    ///   - policy: What the claims must say.
    ///   - encryption: Whether and how tokens must be encrypted.
    ///   - signature: Whether and how they must be signed.
    ///   - limits: Bounds on the token, its claims and, where a rule has none of its own, on its
    ///     layers.
    /// - Throws: `misuse` if neither layer is required, a rule names no algorithm, or an issuer or
    ///   audience is empty; `keyUnusable` if a single key fits none of its algorithms.
    public init(
        policy: ClaimsPolicy, encryption: EncryptionRule = .notEncrypted,
        signature: SignatureRule, limits: JOSELimits = .standard
    ) throws(JOSEError) {
        rules = .one(try JWTLayers(policy, encryption, signature.signer(limits), limits))
    }

    /// A verifier with the default claims rules.
    ///
    /// - Parameters:
    ///   - issuer: The `iss` that tokens must have, byte for byte; for other rules give a policy.
    ///   - audience: The `aud` that they must name, byte for byte.
    ///   - encryption: Whether and how tokens must be encrypted.
    ///   - signature: Whether and how they must be signed.
    ///   - type: What their `typ` must say, such as `"at+jwt"`.
    ///   - limits: Bounds on the token, its claims and, where a rule has none of its own, on its
    ///     layers.
    /// - Throws: As `init(policy:encryption:signature:limits:)`.
    public init(
        issuer: String, audience: String, encryption: EncryptionRule = .notEncrypted,
        signature: SignatureRule, type: MediaTypeRule = .jwt, limits: JOSELimits = .standard
    ) throws(JOSEError) {
        try self.init(
            policy: ClaimsPolicy(issuer: issuer, audience: audience, type: type),
            encryption: encryption, signature: signature, limits: limits)
    }

    /// A verifier of signed tokens by the set that the issuer published, with the default claims
    /// rules.
    ///
    /// - Parameters:
    ///   - issuer: The `iss` that tokens must have, byte for byte; for other rules give a policy.
    ///   - audience: The `aud` that they must name, byte for byte.
    ///   - keys: The issuer's keys. Give a stale set (`PublicJWKSet.markedStale()`) to
    ///     `AsyncJWTVerifier` instead, which reports `unavailable` for a key that it lacks.
    ///   - algorithms: The only signature algorithms that are accepted.
    ///   - type: What their `typ` must say, such as `"at+jwt"`.
    ///   - limits: Bounds on the token and its claims.
    /// - Throws: `misuse` without an algorithm, and for an empty issuer or audience.
    public init(
        issuer: String, audience: String, keys: PublicJWKSet, algorithms: [SignatureAlgorithm],
        type: MediaTypeRule = .jwt, limits: JOSELimits = .standard
    ) throws(JOSEError) {
        try self.init(
            issuer: issuer, audience: audience,
            signature: .required(keys: keys, algorithms: algorithms), type: type, limits: limits)
    }

    /// A verifier for a closed list of issuers, each with a verifier that demands exactly it.
    ///
    /// The `iss` of a token that nobody has verified yet picks the verifier, byte for byte, and is
    /// shown to nobody; the verifier then judges the token as if it stood alone, its `iss`
    /// included. It costs a second reading of the claims.
    ///
    /// - Parameters:
    ///   - verifiers: For signed tokens (`.notEncrypted`), each with an issuer of its own and not
    ///     `.any`.
    ///   - encryption: Whether and how all tokens must be encrypted; the issuer is looked for
    ///     inside.
    ///   - requiresContentType: Whether an encrypted token must say by `cty` that a JWT is inside
    ///     (RFC 7519, 5.2).
    ///   - limits: Bounds on the token until its verifier is known.
    /// - Throws: `misuse` for no verifier, two for one issuer, one for any issuer, or one that
    ///   demands encryption itself; what the encryption rule says.
    public init(
        byIssuer verifiers: [JWTVerifier], encryption: EncryptionRule = .notEncrypted,
        requiresContentType: Bool = true, limits: JOSELimits = .standard
    ) throws(JOSEError) {
        rules = .byIssuer(
            try IssuerTable(
                verifiers.map(\.rules), encryption, requiresContentType: requiresContentType,
                limits))
    }

    /// Verifies a token and gives its claims.
    ///
    /// - Parameters:
    ///   - token: The compact serialisation.
    ///   - expectation: What this token must say, such as the `nonce` of its request.
    ///   - now: The time to judge by; the system's clock where none is given.
    /// - Throws: Any code of `JOSEError` but `replayed` and `unavailable`; the first error ends
    ///   the work.
    /// - Returns: The claims; having the value is the proof.
    ///
    /// Costs the raw operations, one allocation a layer and one for the claims' index. Source:
    /// RFC 7519, 7.2.
    public func verify(
        _ token: String, expecting expectation: ClaimsExpectation = .none,
        at now: NumericDate? = nil
    ) throws(JOSEError) -> VerifiedJWT {
        try rules.verify(
            token.utf8.span, HeaderSource(token), expectation, VerificationContext(now: now))
    }

    /// Verifies the bytes of a token; see `verify(_:expecting:at:)` over a string.
    public func verify(
        _ token: [UInt8], expecting expectation: ClaimsExpectation = .none,
        at now: NumericDate? = nil
    ) throws(JOSEError) -> VerifiedJWT {
        try rules.verify(
            token.span, HeaderSource(token), expectation, VerificationContext(now: now))
    }

    /// Verifies a token and decodes its claims into a type.
    ///
    /// - Parameters:
    ///   - token: The compact serialisation.
    ///   - type: The type of the claims.
    ///   - expectation: What this token must say, such as the `nonce` of its request.
    ///   - now: The time to judge by; the system's clock where none is given.
    /// - Throws: As `verify(_:expecting:at:)`, and `claimRejected` where the claims do not fit the
    ///   type.
    public func verify<Claims: Decodable>(
        _ token: String, as type: Claims.Type, expecting expectation: ClaimsExpectation = .none,
        at now: NumericDate? = nil
    ) throws(JOSEError) -> Claims {
        try verify(token, expecting: expectation, at: now).decode(type)
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
    ) -> TokenExplanation {
        let trace = Trace()
        trace.form(token.utf8.span)
        do throws(JOSEError) {
            _ = try rules.verify(
                token.utf8.span, HeaderSource(token), expectation,
                VerificationContext(now: now, trace: trace))
            trace.passed(.claims, "the claims satisfy the policy: accepted")
        } catch {
            trace.rejected(error)
        }
        return trace.explanation
    }
}

extension JWTVerifier: RedactedDescription {
    package var shownAs: String { "JWT verifier" }
}
