// Verifies a JWT layer by layer down to its claims, for all verifiers.

import JOSEBytes
import JOSECrypto

/// The rules for one kind of token: its layers, the signer's keys and the claims.
final class JWTLayers: Sendable {
    enum SignatureKeys: Sendable {
        /// No signature: tokens are only encrypted.
        case none
        case local(JWSVerifier)
        /// Keys of a `KeySource`.
        case fetched(FetchedKeys)
        /// The key in the token's own header, as in proofs of possession.
        case keyInHeader
    }

    let policy: ClaimsPolicy
    private let required: [RequiredClaim]
    let decrypter: JWEDecrypter?
    let signatureKeys: SignatureKeys
    /// Rules for the header of an encrypted token around a signed one.
    private let outerType: MediaTypeRule
    private let contentType: ContentTypeRule
    private let limits: JOSELimits
    /// Whether verifying a token may suspend until a key is available.
    let maySuspend: Bool

    init(
        _ policy: ClaimsPolicy, _ encryption: EncryptionRule, _ signatureKeys: SignatureKeys,
        _ limits: JOSELimits
    ) throws(JOSEError) {
        try policy.check()
        decrypter = try encryption.decrypter(limits)
        if decrypter == nil, case .none = signatureKeys {
            throw .misuse(
                """
                neither encryption nor a signature is required: a token must be signed, \
                encrypted, or both
                """)
        }
        maySuspend =
            if case .fetched = signatureKeys { true } else {
                decrypter?.opening.hasExternalKeys == true
            }
        self.policy = policy
        self.signatureKeys = signatureKeys
        required = policy.requiredClaims.map(RequiredClaim.init)
        outerType = policy.type.outerRule
        contentType = policy.requiresContentType ? .jwt : .jwtOrAbsent
        self.limits = limits
    }

    /// Decrypts a token and verifies its signature, as the rules require, and checks the claims.
    /// `source` holds the same token: `VerifiedJWT.header()` reads the header from it.
    func verify(
        _ token: Span<UInt8>, _ source: HeaderSource, _ expectation: ClaimsExpectation,
        _ context: consuming VerificationContext
    ) throws(JOSEError) -> VerifiedJWT {
        try checkSize(token)
        prepare(&context)
        guard let decrypter else {
            return try verifySigned(token, source, localVerifier(), expectation, context)
        }
        let (type, content) = outerRules
        var opened = try decrypter.opening.open(
            token, type: type, content: content, trace: context.trace)
        return try verify(&opened, token, source, expectation, context)
    }

    /// The rules for the header of an encrypted token, around a signed token or around claims.
    var outerRules: (type: MediaTypeRule, content: ContentTypeRule) {
        isSigned ? (outerType, contentType) : (policy.type, .any)
    }

    private var isSigned: Bool {
        if case .none = signatureKeys { false } else { true }
    }

    /// Sets the rule for `typ`. Reads the clock if there are custom checks: all checks then use one
    /// time.
    func prepare(_ context: inout VerificationContext) {
        context.type = policy.type
        if !policy.customChecks.isEmpty, context.now == nil { context.now = .now }
    }

    private func localVerifier() throws(JOSEError) -> JWSVerifier {
        guard case .local(let verifier) = signatureKeys else { throw .keysNeedAsyncVerifier }
        return verifier
    }

    /// Verifies the content of an encrypted token, and wipes it if it is rejected.
    @inline(__always)
    func verify(
        _ opened: inout JWEOpening.Opened, _ token: Span<UInt8>, _ source: HeaderSource,
        _ expectation: ClaimsExpectation, _ context: borrowing VerificationContext
    ) throws(JOSEError) -> VerifiedJWT {
        guard isSigned else {
            do throws(JOSEError) {
                return try checkClaims(
                    opened.plaintext, .sha256, keyID: nil,
                    source.withHeader(count: opened.headerCount),
                    outerHeader: token.extracting(first: opened.replicatedHeaderBytes),
                    expectation, context)
            } catch {
                opened.wipe()
                throw error
            }
        }
        do throws(JOSEError) {
            try checkSize(opened.plaintext.span)
            var verified = try verifySigned(
                opened.plaintext.span, nil, localVerifier(),
                outerHeader: token.extracting(first: opened.replicatedHeaderBytes), expectation,
                context)
            verified.keepHeaders(of: &opened, source)
            return verified
        } catch {
            let cause = JWTLayers.contentError(error, inside: opened)
            opened.wipe()
            throw cause
        }
    }

    /// Names the cause if the decrypted content is empty or unsigned JSON; else returns `error`.
    @inline(never)
    static func contentError(
        _ error: JOSEError, inside opened: JWEOpening.Opened
    ) -> JOSEError {
        guard error.code == .malformed else { return error }
        guard let first = opened.plaintext.first(where: { $0 > 0x20 }) else {
            return .malformed(
                .token, "the encrypted token's content is empty; a signed token is required")
        }
        // No compact token begins with a brace.
        guard first == UInt8(ascii: "{") else { return error }
        return JOSEError.malformed(
            .token,
            """
            the encrypted token holds JSON that is not signed; the policy requires encryption and \
            a signature (SignatureRule)
            """
        ).withSetting(.notSigned)
    }

    /// The error for claims that are not JSON, but may be another token.
    @inline(never)
    private func notJSON(_ failure: JSONError, _ payload: [UInt8]) -> JOSEError {
        let text = payload.span
        if failure == .syntax, payload.first == UInt8(ascii: "e"),
            ByteOffsets(of: CompactToken.dot, in: text).count > 1
        {
            return isSigned
                ? .malformed(
                    .payload,
                    """
                    the signed content is another token, not claims; the policy does not allow \
                    these layers
                    """
                )
                : JOSEError.malformed(
                    .payload,
                    """
                    the encrypted token holds another token; the policy requires claims that are \
                    not signed
                    """
                ).withSetting(.signed)
        }
        return JOSEError(failure, at: .payload, in: text, depth: limits.jsonDepth)
    }

    /// Checks a token, outer or inner, by the verifier's limit; the layers may have other limits.
    func checkSize(_ token: Span<UInt8>) throws(JOSEError) {
        guard token.count <= limits.tokenBytes else {
            throw .tooLarge(token.count, limits)
        }
    }

    /// Verifies the signed layer and checks the claims.
    ///
    /// - Parameters:
    ///   - source: The same token, for `VerifiedJWT.header()`; nil for a decrypted token.
    ///   - fetched: The fetched keys, with which `verifier` verifies; nil for local keys.
    ///   - outerHeader: As in `checkClaims`.
    func verifySigned(
        _ token: Span<UInt8>, _ source: HeaderSource?, _ verifier: JWSVerifier,
        fetched: FetchedKeys.Fetched? = nil, outerHeader: Span<UInt8> = Span(),
        _ expectation: ClaimsExpectation, _ context: borrowing VerificationContext
    ) throws(JOSEError) -> VerifiedJWT {
        // A long payload is decoded during verification.
        var early = SignatureCheck.EarlyPayload.wanted
        let checked: SignatureCheck.SelectedToken
        do throws(JOSEError) {
            checked = try verifier.check.verify(
                token, payload: &early, header: fetched?.header, context)
        } catch {
            throw fetched?.adjusted(error) ?? error
        }
        let keyID = verifier.check.keyID(checked.keyIndex)
        var payload = try early.take(checked, of: token)
        guard let source else {
            do throws(JOSEError) {
                return try checkClaims(
                    payload, checked.algorithm.tokenHash, keyID: keyID,
                    HeaderSource.wiped.withHeader(count: checked.header.upperBound),
                    outerHeader: outerHeader,
                    expectation, context)
            } catch {
                // The claims were encrypted, and no caller receives them.
                var bytes = payload.mutableSpan
                wipe(&bytes)
                throw error
            }
        }
        return try checkClaims(
            payload, checked.algorithm.tokenHash, keyID: keyID,
            source.withHeader(count: checked.header.upperBound), outerHeader: outerHeader,
            expectation, context
        )
    }

    /// Verifies a token whose key is in its header, after the caller checked its size and header.
    func verify(
        _ token: String, _ pending: SignatureCheck.PendingToken, _ now: NumericDate
    ) throws(JOSEError) -> VerifiedJWT {
        let text = token.utf8.span
        try SignatureCheck.verify(text, pending)
        let verified = pending.selected
        return try checkClaims(
            verified.payloadBytes(text), verified.algorithm.tokenHash, keyID: nil,
            HeaderSource(token, count: verified.header.upperBound), outerHeader: Span(), .none,
            VerificationContext(now: now))
    }

    /// Checks the claims by the policy, then against the outer header, then by the custom checks.
    ///
    /// If this throws, only the caller's array refers to the bytes of `payload`: the caller can
    /// wipe them in place.
    ///
    /// - Parameter outerHeader: The encrypted token's header in base64url; empty if it replicates
    ///   no claim.
    private func checkClaims(
        _ payload: consuming [UInt8], _ tokenHash: HashAlgorithm?, keyID: String?,
        _ source: HeaderSource, outerHeader: Span<UInt8>, _ expectation: ClaimsExpectation,
        _ context: borrowing VerificationContext
    ) throws(JOSEError) -> VerifiedJWT {
        if let trace = context.trace { trace.beginning(of: payload.span) }
        let document: JSONDocument
        do {
            document = try JSONDocument(copy payload, maxDepth: limits.jsonDepth)
        } catch {
            context.trace?.payloadIsNotJSON()
            throw notJSON(error, payload)
        }
        guard document.kind(at: 0) == .object else {
            throw .malformed(.payload, "the claims are JSON, but not an object")
        }
        let check = ClaimsCheck(document, at: context.now ?? .now)
        if let trace = context.trace {
            try explain(check, expectation, tokenHash, trace)
        } else {
            try check.check(policy, required, expectation, nil)
            try check.checkHashes(expectation, tokenHash)
        }
        if !outerHeader.isEmpty { try checkReplicated(outerHeader, document) }
        if !policy.customChecks.isEmpty { try checkCustom(document, context) }
        return VerifiedJWT(
            document: document, claims: check.claims, keyID: keyID,
            leewaySeconds: policy.leewaySeconds, source: source)
    }

    /// Checks the registered claims; records their values and the cause of a rejection.
    @inline(never)
    private func explain(
        _ check: ClaimsCheck, _ expectation: ClaimsExpectation, _ tokenHash: HashAlgorithm?,
        _ trace: Trace
    ) throws(JOSEError) {
        let diagnosis = ClaimDiagnosis(
            check: check, policy: policy, expectation: expectation, trace: trace)
        trace.claims(diagnosis.facts())
        do throws(JOSEError) {
            try check.check(policy, required, expectation, trace)
            try check.checkHashes(expectation, tokenHash)
        } catch {
            diagnosis.explain(error)
            throw error
        }
        trace.checkedHash("at_hash", check.claims[.atHash] != nil, expectation.accessToken != nil)
        trace.checkedHash("c_hash", check.claims[.cHash] != nil, expectation.code != nil)
    }

    private func checkCustom(
        _ document: JSONDocument, _ context: borrowing VerificationContext
    ) throws(JOSEError) {
        let claims = ClaimsReader(document: document, now: context.now ?? .now)
        for check in policy.customChecks {
            do throws(JOSEError) {
                try check.check(claims)
            } catch {
                context.trace?.rejected(check.claim, document)
                throw error
            }
            context.trace?.passed(.claims, "\(printable(check.claim)) satisfies a custom check")
        }
    }

    /// Claims in the encrypted token's header must equal those inside (RFC 7519, 5.3).
    private func checkReplicated(
        _ outerHeader: Span<UInt8>, _ claims: JSONDocument
    ) throws(JOSEError) {
        let header = try ProtectedHeader(encoded: outerHeader)
        for name in ["iss", "sub", "aud"] where header.has(name) {
            guard let outer = header[name], let inner = claims.json(named: name),
                isSame(outer, inner)
            else {
                throw .claimRejected(
                    name, "it differs from the one in the encrypted token's header")
            }
        }
    }

    /// Whether both are the same string, byte for byte, or the same array of strings.
    private func isSame(_ a: JSONValue, _ b: JSONValue) -> Bool {
        switch (a, b) {
        case (.string(let a), .string(let b)): a.isExactly(b)
        case (.array(let a), .array(let b)):
            a.count == b.count && !zip(a, b).contains { !isSame($0, $1) }
        default: false
        }
    }
}

extension JOSEError {
    /// Never thrown by a verifier that a public initialiser creates.
    static let keysNeedAsyncVerifier = JOSEError.misuse(
        "the keys of these tokens are not local: use AsyncJWTVerifier")
}
