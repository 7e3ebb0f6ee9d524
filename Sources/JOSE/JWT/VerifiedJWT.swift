// The proof that a JWT was verified, and the ways to its claims.

package import JOSEBytes

/// A JWT whose layers, signature and claims were accepted; only a verifier makes one.
public struct VerifiedJWT: Sendable {
    package let document: JSONDocument
    /// The `kid` of the key that verified; nil where it has none or the token was only encrypted.
    public let keyID: String?
    /// The leeway of the policy that accepted its times, 0 to 300: a replay store must know it.
    let leewaySeconds: Int

    init(document: JSONDocument, keyID: String?, leewaySeconds: Int) {
        self.document = document
        self.keyID = keyID
        self.leewaySeconds = leewaySeconds
    }

    /// The claims decoded into a type.
    ///
    /// - Throws: `claimRejected` with the claim that does not fit, `misuse` for a type of Foundation.
    public func decode<Claims: Decodable>(_ type: Claims.Type) throws(JOSEError) -> Claims {
        try ClaimsDecoder.decode(type, from: document)
    }

    /// Any claim by name.
    public subscript(name: String) -> JSONValue? {
        guard let index = document.member(named: name) else { return nil }
        return try? ClaimsDecoder.decode(JSONValue.self, from: document, at: index)
    }

    /// `iss`: who issued the token.
    public var issuer: String? { string("iss") }
    /// `sub`: whom it is about.
    public var subject: String? { string("sub") }
    /// `jti`: the token's own name.
    public var tokenID: String? { string("jti") }
    /// The claims' JSON text as it was received.
    public var json: String { String(decoding: document.bytes, as: UTF8.self) }

    private func string(_ name: StaticString) -> String? {
        document.member(name).flatMap { document.string(at: $0) }
    }
}

extension VerifiedJWT: RedactedDescription {
    package var shownAs: String { "verified JWT" }
}
