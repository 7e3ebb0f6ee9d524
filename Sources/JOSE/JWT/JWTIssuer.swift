// Makes JWTs: signed, or signed and then encrypted.

import JOSEBytes
import JOSECrypto

/// Issues JSON Web Tokens (RFC 7519) with one signing key, encrypted where a recipient is named.
///
/// Prepared once, used from many threads.
public struct JWTIssuer: Sendable {
    let signer: JWSSigner
    private let lifetimeSeconds: Int?
    private let requiresExpiration: Bool
    private let limits: JOSELimits

    /// An issuer.
    ///
    /// - Parameters:
    ///   - key: Our private signing key; its `kid` is written to the header.
    ///   - algorithm: The signature algorithm.
    ///   - lifetime: If set, `iat` and `exp` are added to claims that lack both; 1 to 253402300799 whole
    ///     seconds.
    ///   - requiresExpiration: Whether claims without `exp` are rejected, and those whose `exp` no reader takes: it is a
    ///     number of seconds, 0 to 253402300799.
    ///   - type: The header's `typ`, such as `JWT` or `at+jwt`; none is written by default.
    ///   - header: Further members of the header of every token. `alg` and `kid` are the key's, and a `cty` of `JWT`
    ///     would say that the claims are another token.
    ///   - limits: What a reader with the same limits would accept.
    /// - Throws: `keyUnusable` if the key is public or for something else, `misuse` for a lifetime out of its range, a
    ///   registered member in `header`, two types, or that `cty`.
    public init(
        key: JWK, algorithm: SignatureAlgorithm, lifetime: Duration? = nil,
        requiresExpiration: Bool = true, type: String? = nil,
        header: HeaderParameters = HeaderParameters(), limits: JOSELimits = .standard
    ) throws(JOSEError) {
        guard type == nil || header.type == nil else {
            throw .misuse("typ is given twice: as type: and in header:")
        }
        if let content = header.contentType, MediaType.equals(content, "JWT") {
            throw .misuse("cty JWT says that a JWT is inside, but claims are: leave cty out")
        }
        var header = header
        header.type = type ?? header.type
        signer = try JWSSigner(key: key, algorithm: algorithm, header: header, limits: limits)
        lifetimeSeconds = lifetime?.wholeSeconds
        if let lifetimeSeconds, !(NumericDate.lives ~= lifetimeSeconds) {
            throw .misuse("lifetime: is not 1 to 253402300799 whole seconds")
        }
        self.requiresExpiration = requiresExpiration
        self.limits = limits
    }

    /// Issues a signed token.
    ///
    /// - Parameters:
    ///   - claims: Any `Encodable` that becomes a JSON object.
    ///   - now: The time of `iat`; the system's clock where none is given.
    /// - Throws: `misuse` for claims that cannot be written or lack `exp`, whose `exp` is no date or one after the year
    ///   9999, as one in milliseconds is, or for a key that is held elsewhere; `limitExceeded`, `internal`.
    public func issue(
        _ claims: some Encodable, at now: NumericDate? = nil
    ) throws(JOSEError) -> String {
        try signer.sign(payload(claims, now))
    }

    /// Issues a signed token inside an encrypted one.
    ///
    /// - Parameters:
    ///   - claims: Any `Encodable` that becomes a JSON object.
    ///   - recipient: Whom to encrypt for; prepare it once.
    ///   - now: The time of `iat`; the system's clock where none is given.
    /// - Throws: As the signed form.
    ///
    /// Source: RFC 7519, 11.2: sign first, then encrypt.
    public func issue(
        _ claims: some Encodable, encryptedFor recipient: JWTRecipient, at now: NumericDate? = nil
    ) throws(JOSEError) -> String {
        let json = try payload(claims, now)
        return try nest(json.span, recipient, now)
    }

    /// Issues a signed token inside an encrypted one; prepare a `JWTRecipient` where a key is used more than once.
    ///
    /// - Parameters:
    ///   - claims: What the token says: a JSON object.
    ///   - key: The recipient's key.
    ///   - algorithm: How its content key is encrypted.
    ///   - content: How the content is encrypted; nil for an algorithm that does that itself.
    ///   - compression: How it is compressed before; nil for not at all.
    ///   - now: The time that it is issued; the system's clock where none is given.
    public func issue(
        _ claims: some Encodable, encryptedFor key: JWK, algorithm: KeyManagementAlgorithm,
        content: ContentEncryptionAlgorithm?, compression: CompressionAlgorithm? = nil,
        at now: NumericDate? = nil
    ) throws(JOSEError) -> String {
        let recipient = try JWTRecipient(
            key: key, algorithm: algorithm, content: content, compression: compression,
            limits: limits)
        return try issue(claims, encryptedFor: recipient, at: now)
    }

    /// Issues claims that are JSON text already; they are read strictly and signed as they stand.
    ///
    /// - Parameters:
    ///   - claims: UTF-8 text of a JSON object.
    ///   - recipient: For whom the token is encrypted; nil for a token that is signed alone.
    /// - Throws: `malformed` if they are not a strict JSON object, `misuse` without `exp` or where that is no date from
    ///   1970 to 9999 in seconds.
    public func issue(
        json claims: [UInt8], encryptedFor recipient: JWTRecipient? = nil
    ) throws(JOSEError) -> String {
        try check(json: claims)
        return try issue(checked: claims.span, encryptedFor: recipient)
    }

    /// Reads text that shall become the claims.
    func check(json claims: [UInt8]) throws(JOSEError) {
        try JSONText.scanned(claims.span, limits, at: .output) { (text, tree) throws(JOSEError) in
            guard tree[0].kind == .object else {
                throw .malformed(.output, "the claims are JSON, but no object")
            }
            if requiresExpiration { try JWTIssuer.checkExpiration(text, tree) }
        }
    }

    /// Issues JSON text that the caller scanned and checked itself; nothing is looked at again.
    package func issue(
        checked claims: Span<UInt8>, encryptedFor recipient: JWTRecipient?,
        at now: NumericDate? = nil
    ) throws(JOSEError) -> String {
        guard let recipient else { return try signer.sign(claims) }
        return try nest(claims, recipient, now)
    }

    /// The claims as they are signed, with those that the issuer adds.
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
                try JSONText.scanned(json.span, limits, at: .output, JWTIssuer.checkExpiration)
            }
            return json
        }
        let issued = now ?? .now
        let expiry = try issued.end(ofLife: lifetimeSeconds)
        do throws(JOSEError) {
            return try ClaimsEncoder.encodeObject(claims) { (members) throws(JOSEError) in
                members.integer("iat", issued.seconds)
                members.integer("exp", expiry.seconds)
            }
        } catch {
            guard error == .nameTwiceInClaims else { throw error }
            // Without ours no name stands twice, or the claims' own do.
            _ = try ClaimsEncoder.encodeObject(claims) { (_) throws(JOSEError) in }
            throw .datesTwice
        }
    }

    /// Whether a member's value that begins there is a number of up to 11 digits: such a date is before the year 9999.
    private static func isPlainDate(_ json: Span<UInt8>, at start: Int?) -> Bool {
        guard let start else { return false }
        var end = start
        while end < json.count, end - start < 12, json[end] &- UInt8(ascii: "0") < 10 { end += 1 }
        return 1...11 ~= end - start && end < json.count
            && (json[end] == UInt8(ascii: ",") || json[end] == UInt8(ascii: "}"))
    }

    /// Demands an `exp` that a reader takes: a date from 1970 to 9999 in seconds (RFC 7519, 2).
    private static func checkExpiration(
        _ text: Span<UInt8>, _ tree: Span<JSONNode>
    ) throws(JOSEError) {
        var name = 1
        while name < tree[0].next {
            let value = tree[name + 1]
            guard JSON.equals(tree[name], "exp", in: text) else {
                name = value.next
                continue
            }
            guard value.kind == .number, let parts = JSON.fixedPoint(value, in: text),
                NumericDate(exactly: parts.whole, attoseconds: parts.attos) != nil
            else { throw .undatedExpiration }
            return
        }
        throw .noExpiration
    }

    /// Signs into a buffer, encrypts it, wipes it.
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
        "the claims have an exp or iat, and the issuer writes both: leave them out, or lifetime:"
    )
    fileprivate static let noExpiration = JOSEError.misuse(
        "the claims have no exp: give one, or the issuer lifetime:")
    fileprivate static let undatedExpiration = JOSEError.misuse(
        "the exp of the claims is not a date from 1970 to 9999 in seconds: is it in milliseconds?")
}

/// The one for whom tokens are encrypted: a public key and algorithms, prepared once.
public struct JWTRecipient: Sendable {
    let encrypter: JWEEncrypter

    /// A recipient.
    ///
    /// - Parameters:
    ///   - key: Their public encryption key; its `kid` is written to the header.
    ///   - algorithm: The key management algorithm.
    ///   - content: The content encryption algorithm; nil for an algorithm that encrypts the content itself.
    ///   - compression: Compresses the signed token before encryption; none where nothing is said. The length of the
    ///     token then tells of its content (RFC 8725, 3.6), and its reader must allow it.
    ///   - limits: What a reader with the same limits would accept.
    /// - Throws: `keyUnusable` if the key is for something else, `misuse` for a private key, or a content encryption that
    ///   is missing or not asked for.
    public init(
        key: JWK, algorithm: KeyManagementAlgorithm, content: ContentEncryptionAlgorithm?,
        compression: CompressionAlgorithm? = nil, limits: JOSELimits = .standard
    ) throws(JOSEError) {
        encrypter = try JWEEncrypter(
            key: key, algorithm: algorithm, content: content,
            header: HeaderParameters(contentType: "JWT"), compression: compression, limits: limits)
    }
}

extension JWTIssuer: RedactedDescription {
    package var shownAs: String { "JWT issuer" }
}

extension JWTRecipient: RedactedDescription {
    package var shownAs: String { "JWT recipient" }
}
