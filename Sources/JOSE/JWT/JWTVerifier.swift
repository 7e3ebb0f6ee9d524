// Opens and verifies JWTs: layers, algorithms, keys and claims are one policy, the token decides nothing.

import JOSEBytes
import JOSECrypto

/// Verifies JSON Web Tokens (RFC 7519): signed, or signed and then encrypted.
///
/// Prepared once, used from many threads. A token with fewer, more or other layers than the rules say is refused.
/// With fetched keys, or external ones of ours, use `AsyncJWTVerifier`.
public struct JWTVerifier: Sendable {
    let layers: JWTLayers
    let verifier: JWSVerifier?

    /// The rules for claims.
    public var policy: ClaimsPolicy { layers.policy }

    /// A verifier with the rules of `policy`.
    ///
    /// - Parameters:
    ///   - policy: What the claims must say.
    ///   - encryption: Whether and how tokens must be encrypted.
    ///   - signature: Whether and how they must be signed.
    ///   - limits: Bounds on the token, its claims and, where a rule has none of its own, on its layers.
    /// - Throws: `misuse` if neither layer is required, a rule names no algorithm or an empty list of audiences,
    ///   `keyUnusable` if a single key fits none of its algorithms.
    public init(
        policy: ClaimsPolicy, encryption: EncryptionRule, signature: SignatureRule,
        limits: JOSELimits = .standard
    ) throws(JOSEError) {
        layers = try JWTLayers(policy, encryption, limits)
        verifier = try signature.verifier(limits)
        guard layers.decrypter != nil || verifier != nil else {
            throw .noLayer
        }
    }

    /// A verifier with the default claims rules; see `init(policy:encryption:signature:limits:)`.
    ///
    /// - Parameters:
    ///   - issuer: The `iss` that tokens must have, or `.any`.
    ///   - audience: The `aud` that they must name, or `.any`.
    ///   - encryption: Whether and how tokens must be encrypted.
    ///   - signature: Whether and how they must be signed.
    ///   - type: What their `typ` must say, such as `"at+jwt"`.
    ///   - limits: Bounds on the token, its claims and, where a rule has none of its own, on its layers.
    /// - Throws: As the other.
    public init(
        issuer: some IssuerRuleConvertible, audience: some AudienceRuleConvertible,
        encryption: EncryptionRule, signature: SignatureRule, type: MediaTypeRule = .jwt,
        limits: JOSELimits = .standard
    ) throws(JOSEError) {
        var policy = ClaimsPolicy(issuer: issuer, audience: audience)
        policy.type = type
        try self.init(
            policy: policy, encryption: encryption, signature: signature, limits: limits)
    }

    /// A verifier for a service with several names; see `init(issuer:audience:encryption:signature:type:limits:)`.
    ///
    /// - Parameters:
    ///   - issuer: The `iss` that tokens must have, or `.any`.
    ///   - audiences: Our names, of which `aud` must have one.
    ///   - encryption: Whether and how tokens must be encrypted.
    ///   - signature: Whether and how they must be signed.
    ///   - type: What their `typ` must say, such as `"at+jwt"`.
    ///   - limits: Bounds on the token, its claims and, where a rule has none of its own, on its layers.
    /// - Throws: As the other; `misuse` for an empty list of audiences.
    public init(
        issuer: some IssuerRuleConvertible, audiences: [String], encryption: EncryptionRule,
        signature: SignatureRule, type: MediaTypeRule = .jwt, limits: JOSELimits = .standard
    ) throws(JOSEError) {
        try self.init(
            issuer: issuer, audience: .anyOf(audiences), encryption: encryption,
            signature: signature, type: type, limits: limits)
    }

    /// Verifies a token and gives its claims.
    ///
    /// - Parameters:
    ///   - token: The compact serialisation.
    ///   - expectation: What this token must say, such as the `nonce` of its request.
    ///   - now: The time to judge by; the system's clock where none is given.
    /// - Throws: Any code of `JOSEError` but `replayed` and `unavailable`; the first refusal ends the work.
    /// - Returns: The claims; having the value is the proof.
    ///
    /// Costs the raw operations, one allocation a layer and one for the claims' index. Source: RFC 7519, 7.2.
    public func verify(
        _ token: String, expecting expectation: ClaimsExpectation = .none,
        at now: NumericDate? = nil
    ) throws(JOSEError) -> VerifiedJWT {
        try layers.verify(token.utf8.span, HeaderSource(token), verifier, expectation, now, nil)
    }

    /// Verifies the bytes of a token; see `verify(_:expecting:at:)` over a string.
    public func verify(
        _ token: [UInt8], expecting expectation: ClaimsExpectation = .none,
        at now: NumericDate? = nil
    ) throws(JOSEError) -> VerifiedJWT {
        try layers.verify(token.span, HeaderSource(token), verifier, expectation, now, nil)
    }

    /// Verifies a token and decodes its claims into a type.
    ///
    /// - Parameters:
    ///   - token: The compact serialisation.
    ///   - type: The type of the claims.
    ///   - expectation: What this token must say, such as the `nonce` of its request.
    ///   - now: The time to judge by; the system's clock where none is given.
    /// - Throws: As `verify(_:expecting:at:)`, and `claimRejected` where the claims do not fit the type.
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
    ) -> Explanation {
        explained(token, expecting: expectation, at: now).explanation
    }

    /// As `explain`, with what was accepted, for callers that validate it further.
    package func explained(
        _ token: String, expecting expectation: ClaimsExpectation, at now: NumericDate?
    ) -> (explanation: Explanation, verified: VerifiedJWT?) {
        let trace = Trace()
        trace.form(token.utf8.span)
        do {
            let verified = try layers.verify(
                token.utf8.span, HeaderSource(token), verifier, expectation, now, trace)
            trace.passed(.claims, "the claims satisfy the policy: accepted")
            return (trace.explanation, verified)
        } catch {
            trace.refused(error)
            return (trace.explanation, nil)
        }
    }

    /// Judges what was inside an encrypted token, and wipes it where it is accepted.
    func verify(
        _ token: Span<UInt8>, _ source: HeaderSource, _ opened: inout JWEOpening.Opened,
        _ expectation: ClaimsExpectation, _ now: NumericDate?, _ trace: Trace?
    ) throws(JOSEError) -> VerifiedJWT {
        guard let verifier else { throw .noLayer }
        try layers.checkSize(opened.plaintext.span)
        let now = layers.judgingTime(now)
        let verified = try layers.verifySigned(
            opened.plaintext.span, nil, verifier, expectation, now, trace)
        return try layers.accept(verified, token, source, &opened, now, trace)
    }
}

extension JWTVerifier: RedactedDescription {
    package var shownAs: String { "JWT verifier" }
}
