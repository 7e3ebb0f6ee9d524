// Verifies JWTs: one policy sets the layers, algorithms, keys and claims.

import JOSEBytes
import JOSECrypto

/// Verifies JSON Web Tokens (RFC 7519): signed, encrypted, or signed and then encrypted.
///
/// Create it once and use it from any thread. A token must have exactly the layers that the rules
/// require. Use `AsyncJWTVerifier` if keys are fetched or your decryption keys are external.
public struct JWTVerifier: Sendable {
    let rules: JWTRules

    /// Creates a verifier with the rules of `policy`.
    ///
    /// - Parameters:
    ///   - policy: The rules for the claims.
    ///   - encryption: Whether and how tokens must be encrypted.
    ///   - signature: Whether and how tokens must be signed.
    ///   - limits: Bounds on the token, its claims and every layer whose rule has no limits.
    /// - Throws: `misuse` if neither layer is required, or for an invalid policy or rule, such as
    ///   an empty issuer or list of algorithms; `keyUnusable` if the key of a rule matches none of
    ///   its algorithms; `unsupported` for an algorithm that a FIPS provider lacks.
    public init(
        policy: ClaimsPolicy, encryption: EncryptionRule = .notEncrypted,
        signature: SignatureRule, limits: JOSELimits = .standard
    ) throws(JOSEError) {
        rules = .one(try JWTLayers(policy, encryption, signature.signatureKeys(limits), limits))
    }

    /// Creates a verifier with the default rules for claims.
    ///
    /// - Parameters:
    ///   - issuer: The required `iss`, compared byte for byte.
    ///   - audience: The value that `aud` must contain, compared byte for byte.
    ///   - encryption: Whether and how tokens must be encrypted.
    ///   - signature: Whether and how tokens must be signed.
    ///   - type: The rule for `typ`, such as `"at+jwt"`.
    ///   - limits: Bounds on the token, its claims and every layer whose rule has no limits.
    /// - Throws: As `init(policy:encryption:signature:limits:)`.
    public init(
        issuer: String, audience: String, encryption: EncryptionRule = .notEncrypted,
        signature: SignatureRule, type: MediaTypeRule = .jwt, limits: JOSELimits = .standard
    ) throws(JOSEError) {
        try self.init(
            policy: ClaimsPolicy(issuer: issuer, audience: audience, type: type),
            encryption: encryption, signature: signature, limits: limits)
    }

    /// Creates a verifier for signed tokens with the issuer's key set and the default rules for
    /// claims.
    ///
    /// - Parameters:
    ///   - issuer: The required `iss`, compared byte for byte.
    ///   - audience: The value that `aud` must contain, compared byte for byte.
    ///   - keys: The issuer's keys. Pass a stale set (`PublicJWKSet.markedStale()`) to
    ///     `AsyncJWTVerifier` instead: it reports `unavailable` for a key that the set lacks.
    ///   - algorithms: The accepted signature algorithms.
    ///   - type: The rule for `typ`, such as `"at+jwt"`.
    ///   - limits: Bounds on the token and its claims.
    /// - Throws: As `init(policy:encryption:signature:limits:)`.
    public init(
        issuer: String, audience: String, keys: PublicJWKSet, algorithms: [SignatureAlgorithm],
        type: MediaTypeRule = .jwt, limits: JOSELimits = .standard
    ) throws(JOSEError) {
        try self.init(
            issuer: issuer, audience: audience,
            signature: .required(keys: keys, algorithms: algorithms), type: type, limits: limits)
    }

    /// Creates a verifier for a fixed list of issuers, with one verifier for each issuer.
    ///
    /// The unverified `iss` of a token, compared byte for byte, selects the verifier. That verifier
    /// then checks the whole token, including `iss`. The unverified `iss` is never returned or
    /// logged. Costs a second parse of the claims.
    ///
    /// - Parameters:
    ///   - verifiers: Verifiers of signed tokens (`.notEncrypted`). Each has its own issuer, not
    ///     `.any`.
    ///   - encryption: Whether and how all tokens must be encrypted; `iss` is read from the
    ///     decrypted token.
    ///   - requiresContentType: Whether the header of an encrypted token must have `cty` `JWT` (RFC
    ///     7519, 5.2).
    ///   - limits: Bounds on the token until its verifier is known.
    /// - Throws: `misuse` for an empty list, and if two verifiers share an issuer or a verifier
    ///   accepts any issuer, requires encryption or is `byIssuer`. Also what `encryption` throws.
    public init(
        byIssuer verifiers: [JWTVerifier], encryption: EncryptionRule = .notEncrypted,
        requiresContentType: Bool = true, limits: JOSELimits = .standard
    ) throws(JOSEError) {
        rules = .byIssuer(
            try IssuerTable(
                verifiers.map(\.rules), encryption, requiresContentType: requiresContentType,
                limits))
    }

    /// Verifies a token and returns its claims.
    ///
    /// - Parameters:
    ///   - token: The compact serialisation.
    ///   - expectation: Values that this token must have, such as the `nonce` of its request.
    ///   - now: The time for all checks; the system clock by default.
    /// - Throws: Any code of `JOSEError` except `replayed` and `unavailable`; the first failed
    ///   check is reported.
    /// - Returns: The verified claims.
    ///
    /// Costs the raw cryptographic operations, one allocation for each layer and one for the index
    /// of the claims. Source: RFC 7519, 7.2.
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

    /// Verifies a token and decodes its claims into a type; see `verify(_:expecting:at:)`.
    ///
    /// - Throws: As `verify(_:expecting:at:)`, and as `VerifiedJWT.decode(_:)`.
    public func verify<Claims: Decodable>(
        _ token: String, as type: Claims.Type, expecting expectation: ClaimsExpectation = .none,
        at now: NumericDate? = nil
    ) throws(JOSEError) -> Claims {
        try verify(token, expecting: expectation, at: now).decode(type)
    }

    /// Returns what happened at each step instead of throwing; see `verify(_:expecting:at:)`.
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

extension JWTVerifier: RedactedDescription {}
