// Selects the verifier of a token by the issuer that the token names.

import JOSEBytes

/// The rules of a verifier: for one kind of token, or for each issuer of a fixed table.
enum JWTRules: Sendable {
    case one(JWTLayers)
    case byIssuer(IssuerTable)

    /// Decrypts a token and verifies its signature, as the rules require, and checks the claims.
    @inline(__always)
    func verify(
        _ token: Span<UInt8>, _ source: HeaderSource, _ expectation: ClaimsExpectation,
        _ context: consuming VerificationContext
    ) throws(JOSEError) -> VerifiedJWT {
        switch self {
        case .one(let layers): try layers.verify(token, source, expectation, context)
        case .byIssuer(let table): try table.verify(token, source, expectation, context)
        }
    }

    /// Verifies as the synchronous `verify` does, with fetched keys or external decryption keys.
    ///
    /// - Parameter end: The deadline for an external key; nil applies only its own timeout.
    nonisolated(nonsending) func verify(
        _ token: String, _ expectation: ClaimsExpectation,
        _ context: consuming VerificationContext, before end: ContinuousClock.Instant?
    ) async throws(JOSEError) -> VerifiedJWT {
        switch self {
        case .one(let layers):
            try await layers.verify(token, expectation, context, before: end)
        case .byIssuer(let table):
            try await table.verify(token, expectation, context, before: end)
        }
    }
}

/// Maps each issuer of a fixed list to the rules for its tokens.
final class IssuerTable: Sendable {
    /// The table is indexed by the bytes of the issuer, since strings that are canonically
    /// equivalent in Unicode are different issuers.
    private let table: [[UInt8]: JWTLayers]
    private let decrypter: JWEDecrypter?
    /// The rule for `cty` of an encrypted token.
    private let contentType: ContentTypeRule
    private let limits: JOSELimits

    /// Throws `misuse` for an empty list, for rules that accept any issuer or require encryption,
    /// and for two rules with the same issuer.
    init(
        _ rules: [JWTRules], _ encryption: EncryptionRule, requiresContentType: Bool,
        _ limits: JOSELimits
    ) throws(JOSEError) {
        contentType = requiresContentType ? .jwt : .jwtOrAbsent
        guard !rules.isEmpty else {
            throw .misuse("'byIssuer' is empty: pass at least one verifier")
        }
        var table: [[UInt8]: JWTLayers] = [:]
        for rules in rules {
            guard case .one(let layers) = rules else {
                throw .misuse(
                    "a verifier of 'byIssuer' has an issuer table of its own: pass its verifiers")
            }
            guard let issuers = layers.policy.issuer.texts else {
                throw .misuse("a verifier of 'byIssuer' accepts any issuer: set its issuer")
            }
            guard layers.decrypter == nil else {
                throw .misuse(
                    """
                    a verifier of 'byIssuer' requires encryption: pass 'encryption' next to \
                    'byIssuer' instead
                    """)
            }
            for issuer in issuers {
                guard (table.updateValue(layers, forKey: Array(issuer.utf8)) ?? layers) === layers
                else {
                    throw .misuse("two verifiers of 'byIssuer' have the same issuer")
                }
            }
        }
        self.table = table
        decrypter = try encryption.decrypter(limits)
        self.limits = limits
    }

    func verify(
        _ token: Span<UInt8>, _ source: HeaderSource, _ expectation: ClaimsExpectation,
        _ context: consuming VerificationContext
    ) throws(JOSEError) -> VerifiedJWT {
        try checkSize(token)
        guard let decrypter else {
            let layers = try select(token, context.trace)
            return try layers.verify(token, source, expectation, context)
        }
        var opened = try decrypter.opening.open(
            token, type: .jwt, content: contentType, trace: context.trace)
        return try verify(&opened, token, source, expectation, context)
    }

    /// How an encrypted token is opened; nil if tokens are not encrypted.
    func opening(of token: String) throws(JOSEError) -> JWEOpening.BatchEntry? {
        guard let decrypter else { return nil }
        try checkSize(token.utf8.span)
        return JWEOpening.BatchEntry(
            decrypter.opening, token, type: .jwt, content: contentType)
    }

    /// Verifies the content of an encrypted token, and wipes it if it is rejected.
    func verify(
        _ opened: inout JWEOpening.Opened, _ token: Span<UInt8>, _ source: HeaderSource,
        _ expectation: ClaimsExpectation, _ context: consuming VerificationContext
    ) throws(JOSEError) -> VerifiedJWT {
        let layers = try select(&opened, context.trace)
        layers.prepare(&context)
        return try layers.verify(&opened, token, source, expectation, context)
    }

    nonisolated(nonsending) func verify(
        _ token: String, _ expectation: ClaimsExpectation,
        _ context: consuming VerificationContext, before end: ContinuousClock.Instant?
    ) async throws(JOSEError) -> VerifiedJWT {
        try checkSize(token.utf8.span)
        guard let decrypter else {
            let layers = try select(token.utf8.span, context.trace)
            return try await layers.verify(token, expectation, context, before: end)
        }
        var opened = try await decrypter.opening.open(
            token, type: .jwt, content: contentType, trace: context.trace, before: end)
        let layers = try select(&opened, context.trace)
        layers.prepare(&context)
        return try await layers.verify(&opened, token, expectation, context)
    }

    /// Checks the size of the whole token by the table's limit.
    private func checkSize(_ token: Span<UInt8>) throws(JOSEError) {
        guard token.count <= limits.tokenBytes else {
            throw .tooLarge(token.count, limits)
        }
    }

    /// Returns the rules for the content of an encrypted token. Wipes the content before it throws.
    private func select(
        _ opened: inout JWEOpening.Opened, _ trace: Trace?
    ) throws(JOSEError) -> JWTLayers {
        do throws(JOSEError) {
            return try select(opened.plaintext.span, trace)
        } catch {
            let cause = JWTLayers.contentError(error, inside: opened)
            opened.wipe()
            throw cause
        }
    }

    /// Returns the rules of the issuer that a signed token names. The issuer is not verified yet
    /// and is never returned or logged.
    ///
    /// The claims are decoded into a buffer that is wiped after use, since the token may be the
    /// content of an encrypted one.
    ///
    /// Throws `malformed`, `limitExceeded`, and `claimRejected` if `iss` is missing or not in the
    /// table.
    private func select(_ token: Span<UInt8>, _ trace: Trace?) throws(JOSEError) -> JWTLayers {
        guard let trace else { return try selected(token, nil) }
        do throws(JOSEError) {
            return try selected(token, trace)
        } catch {
            trace.form(token, .signed, error)
            throw error
        }
    }

    private func selected(_ token: Span<UInt8>, _ trace: Trace?) throws(JOSEError) -> JWTLayers {
        let payload = token.extracting(try CompactJWS(token, limits).payload)
        guard let size = Base64URL.decodedCount(payload.count) else {
            throw .notBase64URL(payload, .payload, "the payload")
        }
        let issuer = try withScratch(of: UInt8.self, capacity: size, wiping: true) {
            (claims) throws(JOSEError) in
            guard Base64URL.decode(payload, into: &claims) else {
                throw .notBase64URL(payload, .payload, "the payload")
            }
            return try JSONText.scanned(claims.span, limits, at: .payload, IssuerTable.issuer)
        }
        guard let layers = table[issuer] else {
            // The issuer is not verified: do not show it.
            trace?.advise(
                "Compare the issuers of the table with the provider's, character by character: a "
                    + "slash at the end, http and https, test and production.")
            throw .claimRejected("iss", "no verifier of the table is for this issuer")
        }
        trace?.passed(.claims, "there is a verifier for the issuer that the token names")
        return layers
    }

    /// The bytes of `iss` in the claims.
    private static func issuer(
        _ claims: Span<UInt8>, _ nodes: Span<JSONNode>
    ) throws(JOSEError) -> [UInt8] {
        guard nodes[0].kind == .object else {
            throw .malformed(.payload, "the claims are JSON, but not an object")
        }
        guard let node = nodes.memberValue("iss", in: claims) else {
            throw .claimRejected("iss", "it is missing")
        }
        guard nodes[node].kind == .string else {
            throw .claimRejected("iss", "it is not a string")
        }
        return Array(JSON.string(nodes[node], in: claims).utf8)
    }
}
