// A verified JWT, its claims and its headers.

package import JOSEBytes

/// A JWT whose layers, signature and claims were accepted. Only a verifier creates one.
public struct VerifiedJWT: Sendable {
    package let document: JSONDocument
    private let claims: RegisteredClaims
    // Declared here to fill the padding after `claims`.
    private let leeway: UInt16
    /// The `kid` of the key that verified the signature; nil if there is no `kid` or no signature.
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

    /// The leeway of the policy, 0 to 300 s, for a replay store.
    var leewaySeconds: Int { Int(leeway) }

    /// Keeps the headers of both tokens, and wipes the rest of the decrypted one.
    mutating func keepHeaders(of opened: inout JWEOpening.Opened, _ token: HeaderSource) {
        let count = source.headerCount
        encryptionSource = token.withHeader(count: opened.headerCount)
        opened.wipe(after: count)
        source = HeaderSource(opened.plaintext, count: count)
    }

    /// Returns the protected header of the signed token, or of the encrypted token if its content
    /// is not signed. Each call parses the header again.
    public func header() throws(JOSEError) -> ProtectedHeader { try source.read() }

    /// Returns the protected header of the encrypted token around the signed one; nil if the token
    /// is not nested.
    ///
    /// Read here the values of the extensions that `critical` of your `EncryptionRule` names.
    public func encryptionHeader() throws(JOSEError) -> ProtectedHeader? {
        try encryptionSource?.read()
    }

    /// Decodes the claims into a type.
    ///
    /// Swift compares strings by Unicode equivalence, not by bytes. Therefore these are rejected:
    /// - Two names of a dictionary, or elements of a `Set<String>`, that are equivalent but differ
    ///   in their bytes.
    /// - More than 30 combining marks in a row, in such a name or element, or in the string of an
    ///   enumeration or another type that is read from one string.
    ///
    /// `JSONObject` accepts such names, and `[String]` such elements. An enumeration accepts a
    /// string that is equivalent to its raw value: read a `JSONValue` to compare bytes.
    ///
    /// - Throws: `claimRejected` with the claim that does not match; `misuse` for a type of
    ///   Foundation without `import JOSEFoundation`.
    public func decode<Claims: Decodable>(_ type: Claims.Type) throws(JOSEError) -> Claims {
        try ClaimsDecoder.decode(type, from: document)
    }

    /// Returns any claim by name.
    public subscript(name: String) -> JSONValue? { document.json(named: name) }

    /// `iss`: the issuer of the token.
    public var issuer: String? { string(.iss) }
    /// `sub`: the subject of the token.
    public var subject: String? { string(.sub) }
    /// `aud`: the audiences. A single string is a list of one; an absent `aud` is an empty list.
    public var audience: [String] {
        guard let index = claims[.aud] else { return [] }
        var texts = document.string(at: index).map { [$0] } ?? []
        document.forEachElement(of: index) { element in
            if let text = document.string(at: element) { texts.append(text) }
        }
        return texts
    }
    /// `exp`. From this time plus the policy's leeway on, the token is rejected.
    public var expiration: NumericDate? { date(.exp) }
    /// `nbf`. Before this time minus the policy's leeway, the token is rejected.
    public var notBefore: NumericDate? { date(.nbf) }
    /// `iat`: the time of issue.
    public var issuedAt: NumericDate? { date(.iat) }
    /// `jti`: the identifier of the token.
    public var jwtID: String? { string(.jti) }
    /// The JSON text of the claims as received.
    public var json: String { String(decoding: document.bytes, as: UTF8.self) }

    private func string(_ name: RegisteredClaims.Name) -> String? {
        claims[name].flatMap { document.string(at: $0) }
    }

    private func date(_ name: RegisteredClaims.Name) -> NumericDate? {
        claims[name].flatMap { document.date(at: $0) }
    }
}

extension VerifiedJWT: RedactedDescription {}
