// The way of a JWT through its layers to its claims, shared by the verifiers.

import JOSEBytes
import JOSECrypto

/// The rules for claims and for encryption; the signature's judge comes with each call.
final class JWTLayers: Sendable {
    let policy: ClaimsPolicy
    let decrypter: JWEDecrypter?
    private let limits: JOSELimits

    init(
        _ policy: ClaimsPolicy, _ encryption: EncryptionRule, _ limits: JOSELimits
    ) throws(JOSEError) {
        switch try encryption.rule.get() {
        case .none: decrypter = nil
        case .required(let rule): decrypter = rule
        }
        self.policy = policy
        self.limits = limits
    }

    /// Opens the layers that the rules name, in their order, and judges the claims.
    ///
    /// - Parameter verifier: The signature's judge; nil where tokens are only encrypted.
    func verify(
        _ token: Span<UInt8>, _ verifier: JWSVerifier?, _ expectation: ClaimsExpectation,
        _ now: NumericDate?, _ trace: Trace?
    ) throws(JOSEError) -> VerifiedJWT {
        guard let decrypter else {
            guard let verifier else { throw .misuse("a token must be signed, encrypted, or both") }
            return try verifySigned(token, verifier, expectation, now, trace)
        }
        guard let verifier else {
            let opened = try decrypter.opening.open(token, type: policy.type, trace: trace)
            return try judge(
                opened.plaintext, .sha256, keyID: nil, token, opened, expectation, now, trace)
        }
        var opened = try decrypter.opening.open(token, type: .jwt, nested: true, trace: trace)
        defer { opened.wipe() }
        let verified = try verifySigned(opened.plaintext.span, verifier, expectation, now, trace)
        try checkReplicated(token, opened, verified)
        return verified
    }

    /// The signed layer and the claims.
    ///
    /// - Parameter header: The token's header, where it was read before.
    func verifySigned(
        _ token: Span<UInt8>, _ verifier: JWSVerifier, header: AdmittedHeader? = nil,
        _ expectation: ClaimsExpectation, _ now: NumericDate?, _ trace: Trace?
    ) throws(JOSEError) -> VerifiedJWT {
        let checked = try verifier.check.verify(
            token, header: header, type: policy.type, at: now, trace: trace)
        let payload = try checked.payloadBytes(token)
        return try judge(
            payload, checked.algorithm.tokenHash, keyID: verifier.check.keyID(checked.keyIndex),
            token,
            nil, expectation, now, trace)
    }

    private func judge(
        _ payload: consuming [UInt8], _ tokenHash: HashAlgorithm?, keyID: String?,
        _ token: Span<UInt8>,
        _ opened: JWEOpening.Opened?, _ expectation: ClaimsExpectation, _ now: NumericDate?,
        _ trace: Trace?
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
        try check.check(policy, expectation, trace)
        try check.checkHashes(expectation, tokenHash)
        trace?.judged("at_hash", expectation.accessToken != nil, "fits the access token")
        trace?.judged("c_hash", expectation.code != nil, "fits the code")
        let verified = VerifiedJWT(
            document: document, keyID: keyID, leewaySeconds: policy.leewaySeconds)
        if let opened { try checkReplicated(token, opened, verified) }
        return verified
    }

    /// Claims that stand in the encrypted token's header too must be equal (RFC 7519, 5.3).
    func checkReplicated(
        _ token: Span<UInt8>, _ opened: JWEOpening.Opened, _ verified: VerifiedJWT
    ) throws(JOSEError) {
        guard opened.hasReplicatedClaims else { return }
        let header = try ProtectedHeader(encoded: token.extracting(first: opened.headerCount))
        for name in ["iss", "sub", "aud"] where header.has(name) {
            guard let outer = header[name], let inner = verified[name], isSame(outer, inner) else {
                throw .claimRejected(name, "it differs from the one in the header")
            }
        }
    }

    /// Compares texts byte for byte, unlike `==`.
    private func isSame(_ a: JSONValue, _ b: JSONValue) -> Bool {
        switch (a, b) {
        case (.string(let a), .string(let b)): a.isExactly(b)
        case (.array(let a), .array(let b)):
            a.count == b.count && !zip(a, b).contains { !isSame($0, $1) }
        default: false
        }
    }
}
