// Issues JWTs: signed, or signed and then encrypted.

import JOSEBytes
import JOSECrypto

/// Issues JSON Web Tokens (RFC 7519), signed with one key and encrypted if you pass a recipient.
///
/// Create it once and use it from any thread.
public struct JWTIssuer: Sendable {
    let signer: JWSSigner
    private let lifetimeSeconds: Int?
    private let requiresExpiration: Bool
    private let limits: JOSELimits

    /// Creates an issuer.
    ///
    /// - Parameters:
    ///   - key: Your private signing key; its `kid` is written to the header.
    ///   - algorithm: The signature algorithm.
    ///   - lifetime: 1 to 253402300799 whole seconds. If set, the issuer adds `iat` and `exp`;
    ///     claims that already have one of them throw `misuse`. JSON text is not changed
    ///     (`issue(json:encryptedFor:)`).
    ///   - requiresExpiration: Whether a token without `exp` is `misuse`. If true, `exp` must be
    ///     a number of seconds from 0 to 253402300799.
    ///   - type: The header's `typ`, such as `JWT` or `at+jwt`; none is written by default.
    ///   - header: Further members of every header. `cty` must not be `JWT`, which would declare a
    ///     nested token.
    ///   - limits: Limits on the token. Pass those that its readers apply.
    /// - Throws: As `JWSSigner.init(key:algorithm:header:limits:)`, and `misuse` for a lifetime out
    ///   of range, two types, or `cty` `JWT`.
    public init(
        key: JWK, algorithm: SignatureAlgorithm, lifetime: Duration? = nil,
        requiresExpiration: Bool = true, type: String? = nil,
        header: HeaderParameters = HeaderParameters(), limits: JOSELimits = .standard
    ) throws(JOSEError) {
        guard type == nil || header.type == nil else {
            throw .misuse("'type' and the typ of 'header' are both set: set one")
        }
        if let content = header.contentType, MediaType.equals(content, "JWT") {
            throw .misuse("cty JWT declares a nested token, but the payload is claims: omit cty")
        }
        var header = header
        header.type = type ?? header.type
        signer = try JWSSigner(key: key, algorithm: algorithm, header: header, limits: limits)
        lifetimeSeconds = lifetime?.wholeSeconds
        if let lifetimeSeconds, !(NumericDate.lifetimes ~= lifetimeSeconds) {
            throw .misuse("'lifetime' is not 1 to 253402300799 whole seconds")
        }
        self.requiresExpiration = requiresExpiration
        self.limits = limits
    }

    /// Issues a signed token.
    ///
    /// - Parameters:
    ///   - claims: Any `Encodable` value that becomes a JSON object.
    ///   - now: The time of `iat`; the system clock by default.
    /// - Throws: `misuse` for claims that cannot be written, for `iat` or `exp` in the claims if
    ///   the issuer has a `lifetime`, and for an external key. If `requiresExpiration` is true,
    ///   `misuse` for an `exp` that is missing or outside 1970 to 9999 (such as in milliseconds).
    ///   `limitExceeded`; `internal`.
    public func issue(
        _ claims: some Encodable, at now: NumericDate? = nil
    ) throws(JOSEError) -> String {
        try signer.sign(payload(claims, now))
    }

    /// Issues a signed token inside an encrypted one.
    ///
    /// - Parameters:
    ///   - claims: Any `Encodable` value that becomes a JSON object.
    ///   - recipient: The recipient; create it once.
    ///   - now: The time of `iat`; the system clock by default.
    /// - Throws: As `issue(_:at:)`; `untrustedKey` for expired certificates of the recipient's key.
    ///
    /// Source: RFC 7519, 11.2: sign first, then encrypt.
    public func issue(
        _ claims: some Encodable, encryptedFor recipient: JWTRecipient, at now: NumericDate? = nil
    ) throws(JOSEError) -> String {
        let json = try payload(claims, now)
        return try nest(json.span, recipient, now)
    }

    /// Issues JSON text as claims. The text is parsed strictly and signed unchanged: the issuer
    /// adds no `iat` and no `exp`, whatever its `lifetime`.
    ///
    /// - Parameters:
    ///   - claims: UTF-8 text of a JSON object.
    ///   - recipient: The recipient of an encrypted token; nil for a token that is only signed.
    /// - Throws: `malformed` if the text is not a strict JSON object. Otherwise as
    ///   `issue(_:encryptedFor:at:)`, but the text may have `iat` and `exp` despite a `lifetime`.
    public func issue(
        json claims: [UInt8], encryptedFor recipient: JWTRecipient? = nil
    ) throws(JOSEError) -> String {
        try check(json: claims)
        return try issue(checked: claims.span, encryptedFor: recipient)
    }

    func check(json claims: [UInt8]) throws(JOSEError) {
        try JSONText.scanned(claims.span, limits, at: .output) { (text, tree) throws(JOSEError) in
            guard tree[0].kind == .object else {
                throw .malformed(.output, "the claims are JSON, but not an object")
            }
            if requiresExpiration {
                try JWTIssuer.checkExpiration(text, tree, ifMissing: .noExpirationInJSON)
            }
        }
    }

    /// The caller must have checked the claims, as `check(json:)` does.
    package func issue(
        checked claims: Span<UInt8>, encryptedFor recipient: JWTRecipient?,
        at now: NumericDate? = nil
    ) throws(JOSEError) -> String {
        guard let recipient else { return try signer.sign(claims) }
        return try nest(claims, recipient, now)
    }

    /// The JSON text of the claims, with `iat` and `exp` if the issuer adds them.
    package func payload(
        _ claims: some Encodable, _ now: NumericDate?
    ) throws(JOSEError) -> [UInt8] {
        guard let lifetimeSeconds else {
            var expiration: Int?
            let json = try ClaimsEncoder.encodeObject(claims) { (members) throws(JOSEError) in
                guard members.hasExpiration != false || !requiresExpiration else {
                    throw .noExpiration
                }
                expiration = members.expirationStart
            }
            if requiresExpiration, !JWTIssuer.isPlainDate(json.span, at: expiration) {
                try JSONText.scanned(json.span, limits, at: .output) {
                    (text, tree) throws(JOSEError) in
                    try JWTIssuer.checkExpiration(text, tree, ifMissing: .noExpiration)
                }
            }
            return json
        }
        let issued = now ?? .now
        let expiry = try issued.end(ofLifetime: lifetimeSeconds)
        do throws(JOSEError) {
            return try ClaimsEncoder.encodeObject(claims) { (members) throws(JOSEError) in
                members.integer("iat", issued.seconds)
                members.integer("exp", expiry.seconds)
            }
        } catch {
            guard error == .nameTwiceInClaims else { throw error }
            // Which name is there twice? Encoded without the issuer's dates, the claims throw again
            // if they repeat a name themselves. Otherwise they have an `iat` or `exp` of their own.
            _ = try ClaimsEncoder.encodeObject(claims) { (_) throws(JOSEError) in }
            throw .datesTwice
        }
    }

    /// Whether the value at `start` is 1 to 11 digits: such a date needs no `checkExpiration`.
    private static func isPlainDate(_ json: Span<UInt8>, at start: Int?) -> Bool {
        guard let start else { return false }
        var end = start
        while end < json.count, end - start < 12, json[end] &- UInt8(ascii: "0") < 10 { end += 1 }
        return 1...11 ~= end - start && end < json.count
            && (json[end] == UInt8(ascii: ",") || json[end] == UInt8(ascii: "}"))
    }

    /// Checks that `exp` is a date from 1970 to 9999 in seconds (RFC 7519, 2).
    private static func checkExpiration(
        _ text: Span<UInt8>, _ tree: Span<JSONNode>, ifMissing error: JOSEError
    ) throws(JOSEError) {
        guard let node = tree.memberValue("exp", in: text) else { throw error }
        guard tree[node].kind == .number, let parts = JSON.fixedPoint(tree[node], in: text),
            NumericDate(exactly: parts.whole, attoseconds: parts.attos) != nil
        else { throw .undatedExpiration }
    }

    /// Signs into a buffer, encrypts the signed token and wipes the buffer.
    private func nest(
        _ payload: Span<UInt8>, _ recipient: JWTRecipient, _ now: NumericDate? = nil
    ) throws(JOSEError) -> String {
        let size = try signer.tokenBytes(payload.count)
        return try withScratch(of: UInt8.self, capacity: size, wiping: true) {
            (inner) throws(JOSEError) in
            try signer.append(payload, to: &inner)
            return try recipient.encrypter.encrypt(inner.span, at: now)
        }
    }
}

extension JOSEError {
    fileprivate static let datesTwice = JOSEError(
        .misuse, .output,
        "the claims have exp or iat, which the issuer adds: omit both, or omit 'lifetime'")
    fileprivate static let noExpiration = JOSEError.misuse(
        "the claims have no exp: add it, or pass 'lifetime' to the issuer")
    fileprivate static let noExpirationInJSON = JOSEError.misuse(
        "the JSON claims have no exp: add it; 'lifetime' is not applied to JSON text")
    fileprivate static let undatedExpiration = JOSEError.misuse(
        "exp of the claims is not a date from 1970 to 9999 in seconds; is it in milliseconds?")
}

/// The recipient of encrypted tokens: a public or shared key and algorithms, prepared once.
public struct JWTRecipient: Sendable {
    let encrypter: JWEEncrypter

    /// Creates a recipient.
    ///
    /// - Parameters:
    ///   - key: The recipient's public key, or a shared secret; its `kid` is written to the header.
    ///   - algorithm: The key management algorithm.
    ///   - content: The content encryption algorithm, also for `dir`. nil is `misuse`: it is
    ///     reserved for algorithms without `enc` (a draft of HPKE).
    ///   - compression: Compresses the signed token before encryption. The length of a compressed
    ///     token reveals something of its content (RFC 8725, 3.6). Readers must allow compression.
    ///   - limits: Limits on the token. Pass those that its readers apply.
    /// - Throws: `keyUnusable` if the key is for another use or has a wrong size; `misuse` for a
    ///   private key, or if `content` is missing or not allowed.
    public init(
        key: JWK, algorithm: KeyManagementAlgorithm, content: ContentEncryptionAlgorithm?,
        compression: CompressionAlgorithm? = nil, limits: JOSELimits = .standard
    ) throws(JOSEError) {
        encrypter = try JWEEncrypter(
            key: key, algorithm: algorithm, content: content,
            header: HeaderParameters(contentType: "JWT"), compression: compression, limits: limits)
    }
}

extension JWTIssuer: RedactedDescription {}
extension JWTRecipient: RedactedDescription {}
