// Which of several verifiers judges a token: the one of the issuer that the token claims to have.

import JOSEBytes

/// A closed table from issuers to the verifiers that demand exactly them.
struct IssuerTable<Verifier: Sendable>: Sendable {
    /// By the bytes of the issuer: texts that Unicode calls equal are different issuers.
    private let verifiers: [[UInt8]: Verifier]
    let decrypter: JWEDecrypter?
    /// What the `cty` of an encrypted token must be.
    let contentType: ContentTypeRule
    private let limits: JOSELimits

    /// Throws `misuse` for no verifier, one for any issuer or for tokens that are not just signed, and two for one issuer.
    init(
        _ verifiers: [(verifier: Verifier, layers: JWTLayers)], _ encryption: EncryptionRule,
        contentType: ContentTypeRule, _ limits: JOSELimits
    ) throws(JOSEError) {
        self.contentType = contentType
        guard !verifiers.isEmpty else {
            throw .misuse("verifiers: is empty: a table has one verifier or more")
        }
        var table: [[UInt8]: Verifier] = [:]
        for (verifier, layers) in verifiers {
            guard let issuer = layers.policy.issuer.text else {
                throw .misuse("a verifier of a table has issuer .any: name its issuer")
            }
            guard layers.decrypter == nil else {
                throw .misuse(
                    "a verifier of a table requires encryption: give the rule to the table")
            }
            guard table.updateValue(verifier, forKey: Array(issuer.utf8)) == nil else {
                throw .misuse("two verifiers of a table have one issuer")
            }
        }
        self.verifiers = table
        decrypter = try encryption.decrypter(limits)
        self.limits = limits
    }

    /// The whole token keeps the table's limit.
    func checkSize(_ token: Span<UInt8>) throws(JOSEError) {
        guard token.count <= limits.tokenBytes else {
            throw .tooLarge(token.count, limits)
        }
    }

    /// The verifier of the issuer that a signed token claims to have, which nobody has proved yet and nobody else sees.
    ///
    /// The token may have been inside an encrypted one: the claims are read in memory that is wiped.
    ///
    /// Throws `malformed`, `limitExceeded`, and `claimRejected` where there is no issuer or none of the table.
    func select(_ token: Span<UInt8>, _ trace: Trace?) throws(JOSEError) -> Verifier {
        guard let trace else { return try selected(token, nil) }
        do throws(JOSEError) {
            return try selected(token, trace)
        } catch {
            trace.form(token, .signed, error)
            throw error
        }
    }

    private func selected(_ token: Span<UInt8>, _ trace: Trace?) throws(JOSEError) -> Verifier {
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
        guard let verifier = verifiers[issuer] else {
            // Nobody has proved the issuer: it is not shown.
            trace?.advise(
                "Compare the issuers of the table with the provider's, character by character: a slash at "
                    + "the end, http and https, test and production.")
            throw .claimRejected("iss", "no verifier of the table is for this issuer")
        }
        trace?.passed(.claims, "there is a verifier for the issuer that the token names")
        return verifier
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
