// Selects the rules for a token by the unverified issuer that the token names.

import JOSEBytes

enum JWTRules: Sendable {
    case one(JWTLayers)
    case byIssuer(IssuerTable)

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

    /// - Parameter end: The deadline for an external key; nil applies only the key's own timeout.
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

final class IssuerTable: Sendable {
    /// Indexed by the issuer's bytes: strings that Swift finds equal may be different issuers.
    private let table: [[UInt8]: JWTLayers]
    private let decrypter: JWEDecrypter?
    private let contentType: ContentTypeRule
    private let limits: JOSELimits

    /// Throws `misuse` for an empty list, for rules that accept any issuer, require encryption or
    /// are a table, and for two rules with the same issuer. Also throws what `encryption` throws.
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

    /// Returns nil if the table does not require encryption.
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

    private func checkSize(_ token: Span<UInt8>) throws(JOSEError) {
        guard token.count <= limits.tokenBytes else {
            throw .tooLarge(token.count, limits)
        }
    }

    /// Wipes the decrypted content if it throws.
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

    /// Returns the rules for the token's issuer, which is not verified yet, never returned and
    /// never logged. Wipes the decoded claims, since the token may have been encrypted.
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
