// The proof that a JWT was verified, and the ways to its claims.

package import JOSEBytes

/// A JWT whose layers, signature and claims were accepted; only a verifier makes one.
public struct VerifiedJWT: Sendable {
    package let document: JSONDocument
    private let claims: RegisteredClaims
    // Behind the claims, whose words end with room for it.
    private let leeway: UInt16
    /// The `kid` of the key that verified; nil where it has none or the token was only encrypted.
    public let keyID: String?
    private var source: HeaderSource
    private var encryptionSource: HeaderSource?

    init(
        document: JSONDocument, claims: RegisteredClaims, keyID: String?, leewaySeconds: Int,
        source: HeaderSource
    ) {
        self.document = document
        self.claims = claims
        self.keyID = keyID
        leeway = UInt16(clamping: leewaySeconds)
        self.source = source
    }

    /// The leeway of the policy that accepted its times, 0 to 300: a replay store must know it.
    var leewaySeconds: Int { Int(leeway) }

    /// Wipes what the token was read from, except its header, which it keeps.
    mutating func keepHeaders(of opened: inout JWEOpening.Opened, _ token: HeaderSource) {
        let count = source.headerCount
        encryptionSource = token.first(opened.headerCount)
        opened.wipe(after: count)
        source = HeaderSource(opened.plaintext, count: count)
    }

    /// The protected header of the signed token, or of the encrypted one where none was inside; read again from the
    /// token at each call.
    public func header() throws(JOSEError) -> ProtectedHeader { try source.read() }

    /// The protected header of the encrypted token around the signed one; nil where the token is not nested.
    ///
    /// Read here what `crit` of that header names and you told the verifier that you check.
    public func encryptionHeader() throws(JOSEError) -> ProtectedHeader? {
        try encryptionSource?.read()
    }

    /// The claims decoded into a type.
    ///
    /// A dictionary, a `Set<String>`, an enumeration and other types that are read from one string
    /// compare strings as Unicode does. Names and strings in them that are canonically equivalent
    /// but differ in their bytes are rejected, and those with more than 30 combining marks in a
    /// row. `JSONObject` and `[String]` keep both.
    ///
    /// - Throws: `claimRejected` with the claim that does not fit, `misuse` for a type of Foundation.
    public func decode<Claims: Decodable>(_ type: Claims.Type) throws(JOSEError) -> Claims {
        try ClaimsDecoder.decode(type, from: document)
    }

    /// Any claim by name.
    public subscript(name: String) -> JSONValue? { document.json(named: name) }

    /// `iss`: who issued the token.
    public var issuer: String? { string(.iss) }
    /// `sub`: whom it is about.
    public var subject: String? { string(.sub) }
    /// `aud`: whom it is for; one text is a list of one, none an empty list.
    public var audience: [String] {
        guard let index = claims[.aud] else { return [] }
        var texts = document.string(at: index).map { [$0] } ?? []
        document.forEachElement(of: index) { element in
            if let text = document.string(at: element) { texts.append(text) }
        }
        return texts
    }
    /// `exp`: from when on it is rejected.
    public var expiration: NumericDate? { date(.exp) }
    /// `nbf`: from when on it counts.
    public var notBefore: NumericDate? { date(.nbf) }
    /// `iat`: when it was issued.
    public var issuedAt: NumericDate? { date(.iat) }
    /// `jti`: the token's own name.
    public var jwtID: String? { string(.jti) }
    /// The claims' JSON text as it was received.
    public var json: String { String(decoding: document.bytes, as: UTF8.self) }

    private func string(_ name: RegisteredClaims.Name) -> String? {
        claims[name].flatMap { document.string(at: $0) }
    }

    private func date(_ name: RegisteredClaims.Name) -> NumericDate? {
        claims[name].flatMap { document.date(at: $0) }
    }
}

extension VerifiedJWT: RedactedDescription {
    package var shownAs: String { "verified JWT" }
}
