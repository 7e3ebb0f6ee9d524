// Which of several verifiers judges a token: the one of the issuer that the token claims to have.

import JOSEBytes

/// The rules of a verifier: those for one kind of token, or those of each issuer of a closed table.
enum JWTRules: Sendable {
    case one(JWTLayers)
    case byIssuer(IssuerTable)

    /// Opens the layers that the rules name, in their order, and judges the claims.
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

    /// The same where keys are fetched, or external ones of ours are asked.
    ///
    /// - Parameter end: When an external key of ours must have answered.
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

/// A closed table from issuers to the rules that demand exactly them.
final class IssuerTable: Sendable {
    /// By the bytes of the issuer: texts that Unicode calls equal are different issuers.
    private let table: [[UInt8]: JWTLayers]
    private let decrypter: JWEDecrypter?
    /// What the `cty` of an encrypted token must be.
    private let contentType: ContentTypeRule
    private let limits: JOSELimits

    /// Throws `misuse` for no rules, those for any issuer or for tokens that are not just signed,
    /// and two for one issuer.
    init(
        _ rules: [JWTRules], _ encryption: EncryptionRule, requiresContentType: Bool,
        _ limits: JOSELimits
    ) throws(JOSEError) {
        contentType = requiresContentType ? .jwt : .jwtOrAbsent
        guard !rules.isEmpty else {
            throw .misuse("byIssuer: is empty: name one verifier or more")
        }
        var table: [[UInt8]: JWTLayers] = [:]
        for rules in rules {
            guard case .one(let layers) = rules else {
                throw .misuse("a verifier of byIssuer has verifiers of its own: name these")
            }
            guard let issuers = layers.policy.issuer.texts else {
                throw .misuse("a verifier of byIssuer has issuer .any: name its issuer")
            }
            guard layers.decrypter == nil else {
                throw .misuse("a verifier of byIssuer requires encryption: give the rule beside it")
            }
            for issuer in issuers {
                guard (table.updateValue(layers, forKey: Array(issuer.utf8)) ?? layers) === layers
                else {
                    throw .misuse("two verifiers of byIssuer have one issuer")
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

    /// The whole token keeps the table's limit.
    private func checkSize(_ token: Span<UInt8>) throws(JOSEError) {
        guard token.count <= limits.tokenBytes else {
            throw .tooLarge(token.count, limits)
        }
    }

    /// The rules for what was in an encrypted token, which is wiped where there are none.
    private func select(
        _ opened: inout JWEOpening.Opened, _ trace: Trace?
    ) throws(JOSEError) -> JWTLayers {
        do throws(JOSEError) {
            return try select(opened.plaintext.span, trace)
        } catch {
            let cause = JWTLayers.meaning(of: error, inside: opened)
            opened.wipe()
            throw cause
        }
    }

    /// The rules of the issuer that a signed token claims to have, which nobody has proved yet and
    /// nobody else sees.
    ///
    /// The token may have been inside an encrypted one: the claims are read in memory that is wiped.
    ///
    /// Throws `malformed`, `limitExceeded`, and `claimRejected` where there is no issuer or none of
    /// the table.
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
            // Nobody has proved the issuer: it is not shown.
            trace?.advise(
                "Compare the issuers of the table with the provider's, character by character: a slash at "
                    + "the end, http and https, test and production.")
            throw .claimRejected("iss", "no verifier of the table is for this issuer")
        }
        trace?.passed(.claims, "there is a verifier for the issuer that the token names")
        return layers
    }

    /// The bytes of the claims' `iss`.
    private static func issuer(
        _ claims: Span<UInt8>, _ nodes: Span<JSONNode>
    ) throws(JOSEError) -> [UInt8] {
        guard nodes[0].kind == .object else {
            throw .malformed(.payload, "the claims are JSON, but no object")
        }
        var name = 1
        while name < nodes[0].next {
            let value = nodes[name + 1]
            guard JSON.equals(nodes[name], "iss", in: claims) else {
                name = value.next
                continue
            }
            guard value.kind == .string else { throw .claimRejected("iss", "it is not a string") }
            return Array(JSON.string(value, in: claims).utf8)
        }
        throw .claimRejected("iss", "it is missing")
    }
}
