// The way of a JWT through its layers to its claims, shared by the verifiers.

import JOSEBytes
import JOSECrypto

/// The rules for one kind of token: its layers, its signer's keys, and its claims.
final class JWTLayers: Sendable {
    /// Whose signature a token must have.
    enum Signer: Sendable {
        /// Nobody's: tokens are only encrypted.
        case none
        /// One by keys that are here.
        case local(JWSVerifier)
        /// One by keys that are fetched for each header.
        case fetched(FetchedKeys)
        /// One by the key in the token's own header, as proofs of possession have it.
        case keyInHeader
    }

    let policy: ClaimsPolicy
    private let required: [RequiredClaim]
    let decrypter: JWEDecrypter?
    let signer: Signer
    /// The rules for the header of an encrypted token around a signed one.
    private let outerType: MediaTypeRule
    private let contentType: ContentTypeRule
    private let limits: JOSELimits
    /// Whether a token may have to wait for a key.
    let waits: Bool

    init(
        _ policy: ClaimsPolicy, _ encryption: EncryptionRule, _ signer: Signer,
        _ limits: JOSELimits
    ) throws(JOSEError) {
        try policy.check()
        decrypter = try encryption.decrypter(limits)
        if decrypter == nil, case .none = signer {
            throw .misuse(
                """
                neither encryption nor a signature is required: a token must be signed, \
                encrypted, or both
                """)
        }
        waits =
            if case .fetched = signer { true } else { decrypter?.opening.asksExternalKeys == true }
        self.policy = policy
        self.signer = signer
        required = policy.requiredClaims.map(RequiredClaim.init)
        outerType = policy.type.outside
        contentType = policy.requiresContentType ? .jwt : .jwtOrAbsent
        self.limits = limits
    }

    /// Opens the layers that the rules name, in their order, and judges the claims.
    ///
    /// - Parameter source: The token once more, to be kept for its header.
    func verify(
        _ token: Span<UInt8>, _ source: HeaderSource, _ expectation: ClaimsExpectation,
        _ context: consuming VerificationContext
    ) throws(JOSEError) -> VerifiedJWT {
        try checkSize(token)
        prepare(&context)
        guard let decrypter else {
            let verified = try verifySigned(
                token, source, localVerifier(), expectation, context)
            try checkOwn(verified, context)
            return verified
        }
        let (type, content) = outerRules
        var opened = try decrypter.opening.open(
            token, type: type, content: content, trace: context.trace)
        return try verify(&opened, token, source, expectation, context)
    }

    /// The rules for the header of an encrypted token, around a signed one or around claims.
    var outerRules: (type: MediaTypeRule, content: ContentTypeRule) {
        isSigned ? (outerType, contentType) : (policy.type, .any)
    }

    private var isSigned: Bool {
        if case .none = signer { false } else { true }
    }

    /// What every layer of a token is judged by: its rule for `typ`, and one time for all checks
    /// where more than one looks at it; the clock is read late where nobody else does.
    func prepare(_ context: inout VerificationContext) {
        context.type = policy.type
        if !policy.ownChecks.isEmpty, context.now == nil { context.now = .now }
    }

    private func localVerifier() throws(JOSEError) -> JWSVerifier {
        guard case .local(let verifier) = signer else {
            throw .keysElsewhere
        }
        return verifier
    }

    /// Judges what was in an encrypted token, and wipes it where it is rejected.
    @inline(__always)
    func verify(
        _ opened: inout JWEOpening.Opened, _ token: Span<UInt8>, _ source: HeaderSource,
        _ expectation: ClaimsExpectation, _ context: borrowing VerificationContext
    ) throws(JOSEError) -> VerifiedJWT {
        guard isSigned else {
            do throws(JOSEError) {
                let verified = try judge(
                    opened.plaintext, .sha256, isSigned: false, keyID: nil,
                    source.first(opened.headerCount), expectation, context)
                try checkReplicated(token, opened, verified)
                try checkOwn(verified, context)
                return verified
            } catch {
                opened.wipe()
                throw error
            }
        }
        do throws(JOSEError) {
            try checkSize(opened.plaintext.span)
            let verified = try verifySigned(
                opened.plaintext.span, nil, localVerifier(), expectation, context)
            return try accept(verified, token, source, &opened, context)
        } catch {
            let cause = JWTLayers.meaning(of: error, inside: opened)
            opened.wipe()
            throw cause
        }
    }

    /// The last checks of a nested token. Wipes the decrypted bytes, except for its header.
    func accept(
        _ verified: VerifiedJWT, _ token: Span<UInt8>, _ source: HeaderSource,
        _ opened: inout JWEOpening.Opened, _ context: borrowing VerificationContext
    ) throws(JOSEError) -> VerifiedJWT {
        try checkReplicated(token, opened, verified)
        try checkOwn(verified, context)
        var verified = verified
        verified.keepHeaders(of: &opened, source)
        return verified
    }

    /// An error in the content of an encrypted token, with what the content is where the layers explain it.
    @inline(never)
    static func meaning(of error: JOSEError, inside opened: JWEOpening.Opened) -> JOSEError {
        guard error.code == .malformed else { return error }
        let content = opened.plaintext
        guard let first = content.first(where: { $0 > 0x20 }) else {
            return .malformed(
                .token, "the encrypted token is empty inside; a signed token is wanted")
        }
        // No compact token begins so, wherever its dots are.
        guard first == UInt8(ascii: "{") else { return error }
        return JOSEError.malformed(
            .token,
            "the encrypted token holds JSON that is not signed; the policy requires encryption and a signature (SignatureRule)"
        ).by(.notSigned)
    }

    /// Content that is not JSON, and that looks like a compact token.
    @inline(never)
    private func notJSON(_ failure: JSONError, _ payload: [UInt8], isSigned: Bool) -> JOSEError {
        let text = payload.span
        if failure == .syntax, payload.first == UInt8(ascii: "e"),
            Places(of: CompactToken.dot, in: text).count > 1
        {
            return isSigned
                ? .malformed(
                    .payload,
                    "the claims are another compact token: the token is nested in another order"
                )
                : JOSEError.malformed(
                    .payload,
                    "the encrypted token holds another token; the policy requires claims that are not signed"
                ).by(.signed)
        }
        return JOSEError(failure, at: .payload, in: text, depth: limits.jsonDepth)
    }

    /// The whole token keeps the verifier's limit, whatever those of its layers are.
    func checkSize(_ token: Span<UInt8>) throws(JOSEError) {
        guard token.count <= limits.tokenBytes else {
            throw .tooLarge(token.count, limits)
        }
    }

    /// The signed layer and the claims; what is to come are `checkReplicated` and `checkOwn`.
    ///
    /// - Parameters:
    ///   - source: The token once more, to be kept for its header; nil for one that will be wiped.
    ///   - header: The token's header, where it was read before.
    func verifySigned(
        _ token: Span<UInt8>, _ source: HeaderSource?, _ verifier: JWSVerifier,
        header: ValidatedHeader? = nil, _ expectation: ClaimsExpectation,
        _ context: borrowing VerificationContext
    ) throws(JOSEError) -> VerifiedJWT {
        var place = SignatureCheck.PayloadDestination.wanted
        let checked = try verifier.check.verify(
            token, payload: &place, header: header, context)
        let keyID = verifier.check.keyID(checked.keyIndex)
        var payload = try place.take(checked, of: token)
        guard let source else {
            do throws(JOSEError) {
                return try judge(
                    payload, checked.algorithm.tokenHash, isSigned: true, keyID: keyID,
                    HeaderSource.wiped.first(checked.header.upperBound), expectation, context)
            } catch {
                // It was inside of an encrypted token, and nobody is given what is rejected.
                var bytes = payload.mutableSpan
                wipe(&bytes)
                throw error
            }
        }
        return try judge(
            payload, checked.algorithm.tokenHash, isSigned: true, keyID: keyID,
            source.first(checked.header.upperBound), expectation, context)
    }

    /// The signature and the claims of a token whose size was looked at, whose header was admitted and which brought its key.
    func verify(
        _ token: String, _ unjudged: SignatureCheck.PendingToken, _ now: NumericDate
    ) throws(JOSEError) -> VerifiedJWT {
        let text = token.utf8.span
        let context = VerificationContext(now: now)
        try SignatureCheck.verify(text, unjudged)
        let accepted = unjudged.accepted
        let verified = try judge(
            accepted.payloadBytes(text), accepted.algorithm.tokenHash, isSigned: true, keyID: nil,
            HeaderSource(token, count: accepted.header.upperBound), .none, context)
        try checkOwn(verified, context)
        return verified
    }

    private func judge(
        _ payload: consuming [UInt8], _ tokenHash: HashAlgorithm?, isSigned: Bool,
        keyID: String?,
        _ source: HeaderSource, _ expectation: ClaimsExpectation,
        _ context: borrowing VerificationContext
    ) throws(JOSEError) -> VerifiedJWT {
        if let trace = context.trace { trace.beginning(of: payload.span) }
        let document: JSONDocument
        do {
            document = try JSONDocument(copy payload, maxDepth: limits.jsonDepth)
        } catch {
            context.trace?.payloadIsNoJSON()
            throw notJSON(error, payload, isSigned: isSigned)
        }
        guard document.kind(at: 0) == .object else {
            throw .malformed(.payload, "the claims are JSON, but no object")
        }
        let check = ClaimsCheck(document, at: context.now ?? .now)
        if let trace = context.trace {
            try explain(check, expectation, tokenHash, trace)
        } else {
            try check.check(policy, required, expectation, nil)
            try check.checkHashes(expectation, tokenHash)
        }
        return VerifiedJWT(
            document: document, claims: check.claims, keyID: keyID,
            leewaySeconds: policy.leewaySeconds, source: source)
    }

    /// Checks the claims, and notes what they are and why one is rejected.
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
        trace.judged("at_hash", expectation.accessToken != nil, "fits the access token")
        trace.judged("c_hash", expectation.code != nil, "fits the code")
    }

    /// What the program checks itself, after all else.
    func checkOwn(
        _ verified: VerifiedJWT, _ context: borrowing VerificationContext
    ) throws(JOSEError) {
        guard !policy.ownChecks.isEmpty else { return }
        let claims = ClaimsReader(document: verified.document, now: context.now ?? .now)
        for check in policy.ownChecks {
            do throws(JOSEError) {
                try check.judge(claims)
            } catch {
                context.trace?.rejected(check.claim, verified.document)
                throw error
            }
            context.trace?.passed(
                .claims, "\(printable(check.claim)) satisfies a check of the program's own")
        }
    }

    /// Claims that stand in the encrypted token's header too must be equal (RFC 7519, 5.3).
    func checkReplicated(
        _ token: Span<UInt8>, _ opened: JWEOpening.Opened, _ verified: VerifiedJWT
    ) throws(JOSEError) {
        guard opened.hasReplicatedClaims else { return }
        let header = try ProtectedHeader(encoded: token.extracting(first: opened.headerCount))
        for name in ["iss", "sub", "aud"] where header.has(name) {
            guard let outer = header[name], let inner = verified[name], isSame(outer, inner) else {
                throw .claimRejected(
                    name, "it differs from the one in the encrypted token's header")
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

extension JOSEError {
    /// The public initialisers make no verifier that throws this.
    static let keysElsewhere = JOSEError.misuse(
        "the keys of these tokens are not here: use AsyncJWTVerifier")
}
