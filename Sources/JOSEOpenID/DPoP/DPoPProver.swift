// Makes DPoP proofs (RFC 9449, 4) with a client's key.

public import JOSE
import JOSEBytes

/// Makes DPoP proofs with a client's key. Create it once and use it from many threads.
public struct DPoPProver: Sendable {
    private let issuer: JWTIssuer
    /// The algorithm that signs the proofs.
    public let algorithm: SignatureAlgorithm
    /// The key's thumbprint (base64url of SHA-256): the value of `dpop_jkt`, and of `jkt` in `cnf`.
    public let keyThumbprint: String

    /// Creates a prover with an existing key.
    ///
    /// - Parameters:
    ///   - key: A private key on P-256 or Ed25519, or an RSA key of at most 4,096 bits with
    ///     e=65537. Proofs contain only its public part.
    ///   - algorithm: By default the first of `DPoPRules.standard` that the key supports.
    /// - Throws: `keyUnusable` for another key.
    public init(key: JWK, algorithm: SignatureAlgorithm? = nil) throws(JOSEError) {
        try HeaderKey.check(key)
        let all = DPoPRules.standard.algorithms
        guard let chosen = algorithm ?? all.first(where: { key.match(.signing($0)) == .matches })
        else {
            throw .keyUnusable("the key cannot sign DPoP proofs")
        }
        var anonymous = key
        anonymous.keyID = nil
        var header = HeaderParameters(type: DPoPVerifier.type)
        header.embeddedKey = try anonymous.publicKey
        issuer = try JWTIssuer(
            key: anonymous, algorithm: chosen, requiresExpiration: false, header: header,
            limits: DPoPRules.limits)
        self.algorithm = chosen
        keyThumbprint = try key.thumbprint()
    }

    /// Creates a prover with a new P-256 key, for ES256.
    ///
    /// - Throws: `internal` if no random numbers are available.
    public static func fresh() throws(JOSEError) -> DPoPProver {
        try DPoPProver(key: .generate(.curve(.p256), algorithm: .es256))
    }

    /// Makes the proof for one request: the value of its header `DPoP`.
    ///
    /// - Parameters:
    ///   - method: The request's method, such as `POST`.
    ///   - url: The request's https URL. Its query and fragment are not part of the proof.
    ///   - accessToken: The access token of the request; nil at the token endpoint.
    ///   - nonce: The nonce that the server sent, if any.
    ///   - now: The time of `iat`; the system's clock by default.
    /// - Throws: `misuse` for an invalid method or URL; `internal`.
    public func proof(
        method: String, url: String, accessToken: String? = nil, nonce: DPoPNonce? = nil,
        at now: NumericDate? = nil
    ) throws(JOSEError) -> String {
        try unsigned(method, url, accessToken: accessToken, nonce: nonce, at: now).signed()
    }

    func unsigned(
        _ method: String, _ url: String, accessToken: String?, nonce: DPoPNonce?,
        at now: NumericDate?
    ) throws(JOSEError) -> UnsignedToken {
        guard OpenIDHTTPResponse.isToken(method) else {
            throw .misuse("the method is not a valid HTTP method")
        }
        guard NormalizedURL(url) != nil else {
            throw .misuse("the URL of a request with a DPoP proof must be an https URL")
        }
        let json = try ClaimsEncoder.object { (members) throws(JOSEError) in
            members.string("jti", try RandomString.make(bits: 128))
            members.string("htm", method)
            members.string("htu", NormalizedURL.withoutQuery(url))
            members.integer("iat", (now ?? .now).seconds)
            if let accessToken { members.string("ath", try SHA256String.make(of: accessToken)) }
            if let nonce { members.string("nonce", nonce.text) }
        }
        return UnsignedToken(issuer: issuer, claims: json)
    }

    /// Makes the headers `Authorization` and `DPoP` of a request to a protected resource.
    ///
    /// - Parameters:
    ///   - method: The HTTP method, such as `GET`.
    ///   - url: The resource's https URL.
    ///   - accessToken: The access token.
    ///   - nonce: The nonce that the resource sent, if any.
    ///   - now: The time of `iat`; the system's clock by default.
    /// - Throws: The errors of `proof(method:url:accessToken:nonce:at:)`; `malformed` for an access
    ///   token with characters that a header cannot have.
    public func headers(
        method: String, url: String, accessToken: String, nonce: DPoPNonce? = nil,
        at now: NumericDate? = nil
    ) throws(JOSEError) -> [OpenIDParameter] {
        let proof = try resourceProof(method, url, accessToken, nonce, now)
        return DPoPProver.headers(accessToken, try proof.signed())
    }

    /// Makes the headers with a key that may be external. For the parameters see
    /// `headers(method:url:accessToken:nonce:at:)`. `timeout` is the time limit for an external
    /// key; its `ExternalKeyOptions` may allow less.
    ///
    /// - Throws: The errors of that function; `unavailable` if the key does not respond in time.
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
            throw .malformed(.message, "the access token has characters that a header cannot have")
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

/// A nonce from a server's header `DPoP-Nonce`, for the next proof to that server (RFC 9449, 8).
public struct DPoPNonce: Sendable {
    let text: String

    /// Reads the header's value. Use the newest nonce of a server for all requests to that server.
    ///
    /// - Throws: `malformed` unless the value is 1 to 1,024 visible ASCII characters without `"`
    ///   and `\`.
    public init(header: String) throws(JOSEError) {
        guard 1...1_024 ~= header.utf8.count, header.isErrorText, !header.utf8.contains(0x20) else {
            throw .malformed(.message, "the nonce is not well-formed")
        }
        text = header
    }
}

extension DPoPProver: RedactedDescription {}
extension DPoPNonce: RedactedDescription {}
