// Verifies JWTs with keys that may have to be fetched, or asked: the same rules, with waits.

import JOSEBytes

/// Verifies JSON Web Tokens with keys that are fetched or external, under the same policy value as
/// `JWTVerifier`.
///
/// The signer's keys come from a `KeySource`, such as a `RemoteJWKSet`; a `PublicJWKSet` is one
/// too. The source is asked only after the token's form and algorithm were accepted. Our own
/// decryption keys may be external (`JWK.held(by:rule:)`).
public struct AsyncJWTVerifier: Sendable {
    let layers: JWTLayers
    private let signers: Signers

    /// How the signed layer is verified.
    private enum Signers: Sendable {
        /// With fetched keys.
        case fetched(FetchedKeysVerifier)
        /// With keys that are here; nil for tokens that are only encrypted.
        case here(JWSVerifier?)
    }

    /// The rules for claims.
    public var policy: ClaimsPolicy { layers.policy }

    /// A verifier with fetched keys.
    ///
    /// - Parameters:
    ///   - policy: What the claims must say.
    ///   - encryption: Whether and how tokens must be encrypted.
    ///   - source: Where the signer's keys come from.
    ///   - algorithms: The only signature algorithms that are accepted.
    ///   - critical: The extensions in `crit` of the signed token that the caller understands and checks itself, by name.
    ///   - limits: Bounds on the token, its claims and, where `encryption` has none of its own, on that layer.
    /// - Throws: `misuse` without an algorithm or for an empty list of audiences.
    public init(
        policy: ClaimsPolicy, encryption: EncryptionRule, source: any KeySource,
        algorithms: [SignatureAlgorithm], critical: [String] = [], limits: JOSELimits = .standard
    ) throws(JOSEError) {
        let admission = try SignatureAdmission(algorithms, critical: critical, limits)
        layers = try JWTLayers(policy, encryption, limits)
        signers = .fetched(FetchedKeysVerifier(source, admission, policy.type))
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
        layers = try JWTLayers(policy, encryption, limits)
        let verifier = try signature.verifier(limits)
        guard layers.decrypter != nil || verifier != nil else { throw .noLayer }
        signers = .here(verifier)
    }

    /// A verifier with fetched keys and the default claims rules; see
    /// `init(policy:encryption:source:algorithms:critical:limits:)`.
    ///
    /// - Parameters:
    ///   - issuer: The `iss` that tokens must have, or `.any`.
    ///   - audience: The `aud` that they must name, or `.any`.
    ///   - encryption: Whether and how tokens must be encrypted.
    ///   - source: Where the signer's keys come from.
    ///   - algorithms: The only signature algorithms that are accepted.
    ///   - type: What their `typ` must say, such as `"at+jwt"`.
    ///   - critical: The extensions in `crit` of the signed token that the caller understands and checks itself, by name.
    ///   - limits: Bounds on the token, its claims and, where `encryption` has none of its own, on that layer.
    /// - Throws: As the other.
    public init(
        issuer: some IssuerRuleConvertible, audience: some AudienceRuleConvertible,
        encryption: EncryptionRule, source: any KeySource, algorithms: [SignatureAlgorithm],
        type: MediaTypeRule = .jwt, critical: [String] = [], limits: JOSELimits = .standard
    ) throws(JOSEError) {
        var policy = ClaimsPolicy(issuer: issuer, audience: audience)
        policy.type = type
        try self.init(
            policy: policy, encryption: encryption, source: source, algorithms: algorithms,
            critical: critical, limits: limits)
    }

    /// A verifier for a service with several names; see the initialiser with `audience`.
    ///
    /// - Parameters:
    ///   - issuer: The `iss` that tokens must have, or `.any`.
    ///   - audiences: Our names, of which `aud` must have one.
    ///   - encryption: Whether and how tokens must be encrypted.
    ///   - source: Where the signer's keys come from.
    ///   - algorithms: The only signature algorithms that are accepted.
    ///   - type: What their `typ` must say, such as `"at+jwt"`.
    ///   - critical: The extensions in `crit` of the signed token that the caller understands and checks itself, by name.
    ///   - limits: Bounds on the token, its claims and, where `encryption` has none of its own, on that layer.
    /// - Throws: As the other; `misuse` for an empty list of audiences.
    public init(
        issuer: some IssuerRuleConvertible, audiences: [String], encryption: EncryptionRule,
        source: any KeySource, algorithms: [SignatureAlgorithm], type: MediaTypeRule = .jwt,
        critical: [String] = [], limits: JOSELimits = .standard
    ) throws(JOSEError) {
        try self.init(
            issuer: issuer, audience: .anyOf(audiences), encryption: encryption, source: source,
            algorithms: algorithms, type: type, critical: critical, limits: limits)
    }

    /// Verifies a token and gives its claims; see `JWTVerifier.verify(_:expecting:at:)`.
    ///
    /// - Throws: As there, and what the source throws: `unavailable` where it cannot answer now, and
    ///   where its keys stand in for newer ones that may say otherwise (`PublicJWKSet.standingIn()`).
    ///
    /// A token that is encrypted to an external key of ours is opened too: within `time`, where it
    /// is given, and within what the key's rule says. The source has a bound of its own.
    nonisolated(nonsending) public func verify(
        _ token: String, expecting expectation: ClaimsExpectation = .none,
        at now: NumericDate? = nil, within time: Duration? = nil
    ) async throws(JOSEError) -> VerifiedJWT {
        try await verify(token, expectation, now, nil, time)
    }

    /// Verifies a token and decodes its claims into a type; see `JWTVerifier.verify(_:as:expecting:at:)`.
    nonisolated(nonsending) public func verify<Claims: Decodable>(
        _ token: String, as type: Claims.Type, expecting expectation: ClaimsExpectation = .none,
        at now: NumericDate? = nil, within time: Duration? = nil
    ) async throws(JOSEError) -> Claims {
        try await verify(token, expecting: expectation, at: now, within: time).decode(type)
    }

    /// Does what `verify` does and says what happened, step by step, instead of throwing.
    ///
    /// - Parameters:
    ///   - token: The compact serialisation.
    ///   - expectation: What this token must say, such as the `nonce` of its request.
    ///   - now: The time to judge by; the system's clock where none is given.
    ///   - time: How long an external key may take.
    nonisolated(nonsending) public func explain(
        _ token: String, expecting expectation: ClaimsExpectation = .none,
        at now: NumericDate? = nil, within time: Duration? = nil
    ) async -> Explanation {
        await explained(token, expecting: expectation, at: now, within: time).explanation
    }

    /// As `explain`, with what was accepted; see `JWTVerifier.explained(_:expecting:at:)`.
    nonisolated(nonsending) package func explained(
        _ token: String, expecting expectation: ClaimsExpectation, at now: NumericDate?,
        within time: Duration?
    ) async -> (explanation: Explanation, verified: VerifiedJWT?) {
        let trace = Trace()
        trace.form(token.utf8.span)
        do {
            let verified = try await verify(token, expectation, now, trace, time)
            trace.passed(.claims, "the claims satisfy the policy: accepted")
            return (trace.explanation, verified)
        } catch {
            trace.refused(error)
            return (trace.explanation, nil)
        }
    }

    nonisolated(nonsending) func verify(
        _ token: String, _ expectation: ClaimsExpectation, _ now: NumericDate?, _ trace: Trace?,
        _ time: Duration?
    ) async throws(JOSEError) -> VerifiedJWT {
        try layers.checkSize(token.utf8.span)
        let now = layers.judgingTime(now)
        guard let decrypter = layers.decrypter else {
            return try await verifySigned(token, expectation, now, trace)
        }
        let (type, content) = layers.outerRules(isSigned: isSigned)
        var opened = try await decrypter.opening.open(
            token, type: type, content: content, trace: trace,
            before: .end(of: time))
        return try await verify(token, &opened, expectation, now, trace)
    }

    private var isSigned: Bool {
        if case .here(nil) = signers { false } else { true }
    }

    /// Judges a token that is only signed.
    nonisolated(nonsending) private func verifySigned(
        _ token: String, _ expectation: ClaimsExpectation, _ now: NumericDate?, _ trace: Trace?
    ) async throws(JOSEError) -> VerifiedJWT {
        switch signers {
        case .here(let verifier):
            return try layers.verify(
                token.utf8.span, HeaderSource(token), verifier, expectation, now, trace)
        case .fetched(let verifiers):
            let admitted = try verifiers.admit(token.utf8.span, trace)
            let fetched = try await verifiers.verifier(for: admitted)
            let verified = try verifySigned(
                token.utf8.span, HeaderSource(token), admitted, fetched, expectation, now, trace)
            try layers.checkOwn(verified, now, trace)
            verifiers.remember(admitted, of: token.utf8.span)
            return verified
        }
    }

    /// Judges what was inside an encrypted token, and wipes it where it is rejected.
    nonisolated(nonsending) func verify(
        _ token: String, _ opened: inout JWEOpening.Opened, _ expectation: ClaimsExpectation,
        _ now: NumericDate?, _ trace: Trace?
    ) async throws(JOSEError) -> VerifiedJWT {
        let now = layers.judgingTime(now)
        guard case .fetched(let verifiers) = signers else {
            guard case .here(let verifier) = signers else { throw .noLayer }
            return try layers.verify(
                &opened, token.utf8.span, HeaderSource(token), verifier, expectation, now, trace)
        }
        do throws(JOSEError) {
            try layers.checkSize(opened.plaintext.span)
            let admitted = try verifiers.admit(opened.plaintext.span, trace)
            let fetched = try await verifiers.verifier(for: admitted)
            let verified = try verifySigned(
                opened.plaintext.span, nil, admitted, fetched, expectation, now, trace)
            verifiers.remember(admitted, of: opened.plaintext.span)
            return try layers.accept(
                verified, token.utf8.span, HeaderSource(token), &opened, now, trace)
        } catch {
            let cause = layers.meaning(of: error, inside: opened)
            opened.wipe()
            throw cause
        }
    }

    private func verifySigned(
        _ token: Span<UInt8>, _ source: HeaderSource?, _ admitted: FetchedKeysVerifier.Admitted,
        _ fetched: FetchedKeysVerifier.Fetched, _ expectation: ClaimsExpectation,
        _ now: NumericDate?, _ trace: Trace?
    ) throws(JOSEError) -> VerifiedJWT {
        do throws(JOSEError) {
            return try layers.verifySigned(
                token, source, fetched.verifier, header: admitted.header, expectation, now, trace)
        } catch {
            throw fetched.meaning(of: error, admitted)
        }
    }
}
