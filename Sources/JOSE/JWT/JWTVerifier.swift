// Opens and verifies JWTs: layers, algorithms, keys and claims are one policy, the token decides nothing.

import JOSEBytes
import JOSECrypto

/// Verifies JSON Web Tokens (RFC 7519): signed, or signed and then encrypted.
///
/// Prepared once, used from many threads. A token with fewer, more or other layers than the rules say is refused.
public struct JWTVerifier: Sendable {
    /// The rules for claims.
    public let policy: ClaimsPolicy
    private let decrypter: JWEDecrypter?
    private let verifier: JWSVerifier?
    private let limits: Limits

    /// A verifier with the rules of `policy`.
    ///
    /// - Parameters:
    ///   - policy: What the claims must say.
    ///   - encryption: Whether and how tokens must be encrypted.
    ///   - signature: Whether and how they must be signed.
    ///   - limits: Bounds on the claims; the layers have their own.
    /// - Throws: `misuse` if neither layer is required or a rule names no algorithm, `keyUnusable` if a single
    ///   key fits none of its algorithms.
    public init(
        policy: ClaimsPolicy, encryption: EncryptionRule, signature: SignatureRule,
        limits: Limits = .standard
    ) throws(JOSEError) {
        switch try encryption.rule.get() {
        case .none: decrypter = nil
        case .required(let rule): decrypter = rule
        }
        switch try signature.rule.get() {
        case .none: verifier = nil
        case .required(let rule): verifier = rule
        }
        guard decrypter != nil || verifier != nil else {
            throw .misuse("a token must be signed, encrypted, or both")
        }
        self.policy = policy
        self.limits = limits
    }

    /// A verifier with the default claims rules; see `init(policy:encryption:signature:limits:)`.
    ///
    /// - Parameters:
    ///   - issuer: The `iss` that tokens must have, or `.any`.
    ///   - audience: The `aud` that they must name, or `.any`.
    ///   - encryption: Whether and how tokens must be encrypted.
    ///   - signature: Whether and how they must be signed.
    /// - Throws: As the other.
    public init(
        issuer: IssuerRule, audience: AudienceRule, encryption: EncryptionRule,
        signature: SignatureRule
    ) throws(JOSEError) {
        try self.init(
            policy: ClaimsPolicy(issuer: issuer, audience: audience), encryption: encryption,
            signature: signature)
    }

    /// Verifies a token and gives its claims.
    ///
    /// - Parameters:
    ///   - token: The compact serialisation.
    ///   - expectation: What this token must say, such as the `nonce` of its request.
    ///   - now: The time to judge by; the system's clock where none is given.
    /// - Throws: Any code of `JOSEError` but `untrustedKey` and `replayed`; the first refusal ends the work.
    /// - Returns: The claims; having the value is the proof.
    ///
    /// Costs the raw operations, one allocation a layer and one for the claims' index. Source: RFC 7519, 7.2.
    public func verify(
        _ token: String, expecting expectation: ClaimsExpectation = .none,
        at now: NumericDate? = nil
    ) throws(JOSEError) -> VerifiedJWT {
        try verify(token.utf8.span, expectation, now, nil)
    }

    /// Verifies the bytes of a token; see `verify(_:expecting:at:)` over a string.
    public func verify(
        _ token: [UInt8], expecting expectation: ClaimsExpectation = .none,
        at now: NumericDate? = nil
    ) throws(JOSEError) -> VerifiedJWT {
        try verify(token.span, expectation, now, nil)
    }

    /// Verifies a token and decodes its claims into a type.
    ///
    /// - Throws: As `verify(_:expecting:at:)`, and `claimRejected` where the claims do not fit the type.
    public func verify<Claims: Decodable>(
        _ token: String, as type: Claims.Type, expecting expectation: ClaimsExpectation = .none,
        at now: NumericDate? = nil
    ) throws(JOSEError) -> Claims {
        try verify(token.utf8.span, expectation, now, nil).decode(type)
    }

    /// Does what `verify` does and says what happened, step by step, instead of throwing.
    public func explain(
        _ token: String, expecting expectation: ClaimsExpectation = .none,
        at now: NumericDate? = nil
    ) -> Explanation {
        let trace = Trace()
        do {
            _ = try verify(token.utf8.span, expectation, now, trace)
            trace.passed(.claims, "the claims satisfy the policy: accepted")
        } catch {
            trace.refused(error)
        }
        return trace.explanation
    }
}

extension JWTVerifier {
    private func verify(
        _ token: Span<UInt8>, _ expectation: ClaimsExpectation, _ now: NumericDate?, _ trace: Trace?
    ) throws(JOSEError) -> VerifiedJWT {
        guard let decrypter else { return try verifySigned(token, expectation, now, trace) }
        guard verifier != nil else {
            let opened = try decrypter.open(token, type: policy.type, trace: trace)
            return try judge(
                opened.plaintext, .sha256, keyID: nil, token, opened, expectation, now)
        }
        let opened = try decrypter.open(token, type: .jwt, nested: true, trace: trace)
        var inner = opened.plaintext
        defer {
            var bytes = inner.mutableSpan
            wipe(&bytes)
        }
        let verified = try verifySigned(inner.span, expectation, now, trace)
        try checkReplicated(token, opened, verified)
        return verified
    }

    private func verifySigned(
        _ token: Span<UInt8>, _ expectation: ClaimsExpectation, _ now: NumericDate?, _ trace: Trace?
    ) throws(JOSEError) -> VerifiedJWT {
        guard let verifier else { throw .misuse("no signature rule") }
        let checked = try verifier.check(token, type: policy.type, trace: trace)
        let payload = try JWSVerifier.payload(checked, token)
        return try judge(
            payload, checked.algorithm.hash, keyID: verifier.keyID(checked), token, nil,
            expectation, now)
    }

    private func judge(
        _ payload: consuming [UInt8], _ hash: HashAlgorithm, keyID: String?, _ token: Span<UInt8>,
        _ opened: JWEDecrypter.Opened?, _ expectation: ClaimsExpectation, _ now: NumericDate?
    ) throws(JOSEError) -> VerifiedJWT {
        let document: JSONDocument
        do {
            document = try JSONDocument(payload, maximumDepth: limits.jsonDepth)
        } catch {
            throw JOSEError(error, at: .payload)
        }
        guard document.kind(at: 0) == .object else {
            throw .malformed(.payload, "the claims are not an object")
        }
        let check = ClaimsCheck(document, at: now ?? .now)
        try check.check(policy, expectation)
        try check.checkHashes(expectation, hash)
        let verified = VerifiedJWT(document: document, keyID: keyID)
        if let opened { try checkReplicated(token, opened, verified) }
        return verified
    }

    /// Claims that stand in the encrypted token's header too must be equal (RFC 7519, 5.3).
    private func checkReplicated(
        _ token: Span<UInt8>, _ opened: JWEDecrypter.Opened, _ verified: VerifiedJWT
    ) throws(JOSEError) {
        guard opened.hasReplicatedClaims else { return }
        let header = try ProtectedHeader(encoded: token.extracting(first: opened.headerCount))
        for name in ["iss", "sub", "aud"] {
            guard let outer = header[name] else { continue }
            guard outer == verified[name] else {
                throw .claimRejected(name, "it differs from the one in the header")
            }
        }
    }
}
