// Which of several verifiers judges a token: the one of the issuer that the token claims to have.

import JOSEBytes

/// A closed table from issuers to the verifiers that demand exactly them.
struct IssuerTable<Verifier: Sendable>: Sendable {
    /// By the bytes of the issuer: texts that Unicode calls equal are different issuers.
    private let verifiers: [[UInt8]: Verifier]
    let decrypter: JWEDecrypter?
    private let limits: JOSELimits

    /// Throws `misuse` for no verifier, one for any issuer or for tokens that are not just signed, and two for one issuer.
    init(
        _ verifiers: [(verifier: Verifier, layers: JWTLayers)], _ encryption: EncryptionRule,
        _ limits: JOSELimits
    ) throws(JOSEError) {
        guard !verifiers.isEmpty else { throw .misuse("a table has one verifier or more") }
        var table: [[UInt8]: Verifier] = [:]
        for (verifier, layers) in verifiers {
            guard let issuer = layers.policy.issuer.text else {
                throw .misuse("a verifier of a table names its issuer")
            }
            guard layers.decrypter == nil else {
                throw .misuse("the table decrypts, its verifiers judge what is inside")
            }
            guard table.updateValue(verifier, forKey: Array(issuer.utf8)) == nil else {
                throw .misuse("a table has one verifier for an issuer")
            }
        }
        self.verifiers = table
        decrypter = try encryption.decrypter(limits)
        self.limits = limits
    }

    /// The whole token keeps the table's limit.
    func checkSize(_ token: Span<UInt8>) throws(JOSEError) {
        guard token.count <= limits.tokenBytes else {
            throw .limitExceeded(.token, "the token is too large")
        }
    }

    /// The verifier of the issuer that a signed token claims to have, which nobody has proved yet and nobody else sees.
    ///
    /// Throws `malformed`, `limitExceeded`, and `claimRejected` where there is no issuer or none of the table.
    func select(_ token: Span<UInt8>, _ trace: Trace?) throws(JOSEError) -> Verifier {
        let parts = try CompactJWS(token, limits)
        guard let payload = Base64URL.decode(token.extracting(parts.payload)) else {
            throw .payloadNotBase64URL
        }
        let claims: JSONDocument
        do {
            claims = try JSONDocument(payload, maximumDepth: limits.jsonDepth)
        } catch {
            throw JOSEError(error, at: .payload)
        }
        guard claims.kind(at: 0) == .object else {
            throw .malformed(.payload, "the claims are not an object")
        }
        guard let index = claims.member("iss") else {
            throw .claimRejected("iss", "it is missing")
        }
        guard let issuer = claims.string(at: index) else {
            throw .claimRejected("iss", "it is not a string")
        }
        guard let verifier = verifiers[Array(issuer.utf8)] else {
            throw .claimRejected("iss", "no verifier is for this issuer")
        }
        trace?.passed(.claims, "there is a verifier for the issuer that the token names")
        return verifier
    }
}
