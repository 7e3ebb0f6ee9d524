// Making proofs of possession (RFC 9449, 4): one for each request, by the key that tokens are bound to.

public import JOSE
import JOSEBytes

/// A client's key for proofs of possession; prepared once, used from many threads.
public struct DPoPProver: Sendable {
    private let issuer: JWTIssuer
    /// The algorithm of the proofs.
    public let algorithm: SignatureAlgorithm
    /// `jkt`: the key's thumbprint, base64url of SHA-256; for `dpop_jkt`, and what `cnf` of a bound token holds.
    public let keyThumbprint: String

    /// A prover.
    ///
    /// - Parameters:
    ///   - key: A private key on P-256 or Ed25519, or an RSA key of 4,096 bits at the most with e = 65537. Its public numbers alone
    ///     are written.
    ///   - algorithm: The algorithm; the first of `DPoPRules.standard` that fits the key if left out.
    /// - Throws: `keyUnusable` for another key.
    public init(key: JWK, algorithm: SignatureAlgorithm? = nil) throws(JOSEError) {
        try HeaderKey.check(key)
        let all = DPoPRules.standard.algorithms
        guard let chosen = algorithm ?? all.first(where: { key.match(.signing($0)) == .matches }) else {
            throw .keyUnusable("the key signs no proofs")
        }
        var named = key
        named.keyID = nil
        var header = HeaderParameters(type: DPoPVerifier.type)
        header.embeddedKey = try named.publicKey
        issuer = try JWTIssuer(
            key: named, algorithm: chosen, requiresExpiration: false, header: header,
            limits: DPoPRules.limits)
        self.algorithm = chosen
        keyThumbprint = try key.thumbprint()
    }

    /// A prover with a new key on P-256, for ES256.
    ///
    /// - Throws: `internal` without random numbers.
    public static func fresh() throws(JOSEError) -> DPoPProver {
        try DPoPProver(key: .generate(.curve(.p256), algorithm: .es256))
    }

    /// Makes the proof for one request: the value of its header `DPoP`.
    ///
    /// - Parameters:
    ///   - method: The request's method, such as `POST`.
    ///   - url: The request's https address; query and fragment are left out of the proof.
    ///   - accessToken: The access token that the request brings; none at the token endpoint.
    ///   - nonce: The nonce that the server gave, where it did.
    ///   - now: The time of `iat`; the system's clock where none is given.
    /// - Throws: `misuse` for a method or an address that no request has, or a nonce that no server gives; `internal`.
    public func proof(
        method: String, url: String, accessToken: String? = nil, nonce: DPoPNonce? = nil,
        at now: NumericDate? = nil
    ) throws(JOSEError) -> String {
        try unsigned(method, url, accessToken: accessToken, nonce: nonce, at: now).signed()
    }

    /// The proof for one request, before it is signed.
    func unsigned(
        _ method: String, _ url: String, accessToken: String?, nonce: DPoPNonce?,
        at now: NumericDate?
    ) throws(JOSEError) -> UnsignedToken {
        guard OpenIDHTTPResponse.isToken(method) else { throw .misuse("the method is none of HTTP") }
        guard RequestTarget(url) != nil else {
            throw .misuse("a request with a proof goes to an https address")
        }
        let json = try ClaimsEncoder.object { (members) throws(JOSEError) in
            members.string("jti", try FreshText.make(bits: 128))
            members.string("htm", method)
            members.string("htu", RequestTarget.withoutQuery(url))
            members.integer("iat", (now ?? .now).seconds)
            if let accessToken { members.string("ath", try FreshText.digest(of: accessToken)) }
            if let nonce { members.string("nonce", nonce.text) }
        }
        return UnsignedToken(issuer: issuer, claims: json)
    }

    /// The headers of a request to a protected resource: the access token and its proof.
    ///
    /// - Parameters:
    ///   - method: The HTTP method, such as `GET`.
    ///   - url: The resource's address.
    ///   - accessToken: The access token.
    ///   - nonce: The nonce that the resource asked for.
    ///   - now: The time of the proof; the system's clock where none is given.
    /// - Throws: As `proof`; `malformed` for a token that cannot be sent.
    public func headers(
        method: String, url: String, accessToken: String, nonce: DPoPNonce? = nil,
        at now: NumericDate? = nil
    ) throws(JOSEError) -> [OpenIDParameter] {
        let proof = try resourceProof(method, url, accessToken, nonce, now)
        return DPoPProver.headers(accessToken, try proof.signed())
    }

    /// The same with a key that may be external.
    ///
    /// - Parameters:
    ///   - method: The HTTP method, such as `GET`.
    ///   - url: The resource's address.
    ///   - accessToken: The access token.
    ///   - nonce: The nonce that the resource asked for.
    ///   - now: The time of the proof; the system's clock where none is given.
    ///   - timeout: How long the key may take, within what its rule says; nil for that alone.
    /// - Throws: As there, and `unavailable` where the key does not answer.
    nonisolated(nonsending) public func headers(
        method: String, url: String, accessToken: String, nonce: DPoPNonce? = nil,
        at now: NumericDate? = nil, timeout: Duration?
    ) async throws(JOSEError) -> [OpenIDParameter] {
        let proof = try resourceProof(method, url, accessToken, nonce, now)
        return DPoPProver.headers(accessToken, try await proof.signed(before: .end(of: timeout)))
    }

    private func resourceProof(
        _ method: String, _ url: String, _ accessToken: String, _ nonce: DPoPNonce?,
        _ now: NumericDate?
    ) throws(JOSEError) -> UnsignedToken {
        guard BearerToken.isWellFormed(accessToken) else {
            throw .malformed(.message, "the access token cannot stand in a request")
        }
        return try unsigned(method, url, accessToken: accessToken, nonce: nonce, at: now)
    }

    private static func headers(_ accessToken: String, _ proof: String) -> [OpenIDParameter] {
        [
            OpenIDParameter("Authorization", "DPoP " + accessToken),
            OpenIDParameter("DPoP", proof),
        ]
    }
}

extension DPoPProver: RedactedDescription {
    package var shownAs: String { "DPoP prover" }
}

/// A nonce that a server gave in the header `DPoP-Nonce`: the next proof for that server holds it (RFC 9449, 8).
public struct DPoPNonce: Sendable {
    let text: String

    /// Reads the header's value, whose newest one counts for all further requests to the server that sent it.
    ///
    /// - Throws: `malformed` unless it is 1 to 1,024 visible characters without quotation mark and reverse solidus.
    public init(header: String) throws(JOSEError) {
        guard 1...1_024 ~= header.utf8.count, header.isErrorText, !header.utf8.contains(0x20) else {
            throw .malformed(.message, "the nonce is not well-formed")
        }
        text = header
    }
}

extension DPoPNonce: RedactedDescription {
    package var shownAs: String { "DPoP nonce" }
}
