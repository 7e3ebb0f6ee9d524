// The examples of JOSE's first articles, compiled; FirstArticleTests runs them.

import JOSE

/// The landing page.
func verified(_ text: String, by theirs: PublicJWKSet) throws -> VerifiedJWT {
    let verifier = try JWTVerifier(
        issuer: "https://idp.example", audience: "client-1",
        signature: .required(keys: theirs, algorithms: [.es256]))
    let token = try verifier.verify(text)
    return token
}

/// Getting started: what the program says, without its line end.
func gettingStarted() throws -> (subject: String, expiration: NumericDate) {
    var said: (subject: String, expiration: NumericDate) = ("", .earliest)
    func print(_ subject: String, _ expiration: NumericDate) { said = (subject, expiration) }
    let key = try JWK.generate(.curve(.p256), keyID: "sig-1", use: .signature)
    let issuer = try JWTIssuer(key: key, algorithm: .es256, lifetime: .seconds(300))
    let token = try issuer.issue(["iss": "https://idp.example", "aud": "client-1", "sub": "alice"])
    let verifier = try JWTVerifier(
        issuer: "https://idp.example", audience: "client-1",
        signature: .required(key: key.publicKey, algorithms: [.es256]))
    let verified = try verifier.verify(token)
    print(verified.subject ?? "", verified.expiration ?? .earliest)
    return said
}

/// Signs a text, and verifies it as whoever has the published keys does.
func signed(_ text: String, with key: JWK, published: PublicJWKSet) throws -> [UInt8] {
    let token = try JWSSigner(key: key, algorithm: .es256).sign(text)
    let verifier = try JWSVerifier(keys: published, algorithms: [.es256, .rs256])
    return try verifier.verify(token).payload
}

/// Encrypts a text to a public key, and opens it with the private one.
func sealed(_ text: String, for theirs: JWK, openedWith ours: JWKSet) throws -> [UInt8] {
    let encrypter = try JWEEncrypter(key: theirs, algorithm: .ecdhESA256KW, content: .a256GCM)
    let token = try encrypter.encrypt(text)
    let decrypter = try JWEDecrypter(
        keys: ours, algorithms: [.ecdhESA256KW], content: [.a256GCM])
    return try decrypter.decrypt(token).unauthenticatedPlaintext
}

/// Claims that only the receiver can read, and that only the sender can have written.
func told(
    _ claims: [String: String], by ours: JWK, to theirs: JWK
) throws -> String {
    let issuer = try JWTIssuer(key: ours, algorithm: .es256, lifetime: .seconds(300))
    let recipient = try JWTRecipient(key: theirs, algorithm: .rsaOAEP256, content: .a128CBCHS256)
    return try issuer.issue(claims, encryptedFor: recipient)
}

/// The other side: both layers are demanded, so a token with one of them is rejected.
func reader(of theirs: PublicJWKSet, for ours: JWKSet) throws -> JWTVerifier {
    try JWTVerifier(
        issuer: "client-1", audience: "https://idp.example",
        encryption: .required(
            keys: ours, algorithms: [.rsaOAEP256], content: [.a128CBCHS256]),
        signature: .required(keys: theirs, algorithms: [.es256]))
}

/// Signing keys, the newest first. All are published, one signs.
struct Rotation {
    private(set) var keys: [JWK]

    /// Adds a key, which is published from now on.
    mutating func add(_ key: JWK) { keys.insert(key, at: 0) }

    /// The set to publish: each key for as long as a token of it may be valid.
    func published() throws -> String { try JWKSet(keys: keys).publicKeys.json() }

    /// Signs with the newest key, or with the previous one until all verifiers have fetched the newest.
    func issuer(newestIsKnown: Bool) throws -> JWTIssuer {
        let key = newestIsKnown || keys.count == 1 ? keys[0] : keys[1]
        return try JWTIssuer(key: key, algorithm: .es256, lifetime: .seconds(300))
    }

    /// Drops the oldest key, after its last token has expired.
    mutating func drop() { keys.removeLast() }
}

/// Access tokens are short here; a photo comes in the ID Token of that one provider.
func limits(forPhotos hasPhotos: Bool) -> JOSELimits {
    var limits = JOSELimits()
    limits.tokenBytes = hasPhotos ? 1_048_576 : 16_384
    return limits
}
