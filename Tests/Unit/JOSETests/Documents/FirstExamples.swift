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

/// Signs a string, and verifies it with the published keys.
func signed(_ text: String, with key: JWK, published: PublicJWKSet) throws -> [UInt8] {
    let token = try JWSSigner(key: key, algorithm: .es256).sign(text)
    let verifier = try JWSVerifier(keys: published, algorithms: [.es256, .rs256])
    return try verifier.verify(token).payload
}

/// Encrypts a string to a public key, and decrypts it with the private key.
func encrypted(_ text: String, for recipient: JWK, decryptedWith keys: JWKSet) throws -> [UInt8] {
    let encrypter = try JWEEncrypter(key: recipient, algorithm: .ecdhESA256KW, content: .a256GCM)
    let token = try encrypter.encrypt(text)
    let decrypter = try JWEDecrypter(
        keys: keys, algorithms: [.ecdhESA256KW], content: [.a256GCM])
    return try decrypter.decrypt(token).unauthenticatedPlaintext
}

/// Issues claims that only the recipient can read and only the sender can have written.
func nested(_ claims: [String: String], by sender: JWK, to recipient: JWK) throws -> String {
    let issuer = try JWTIssuer(key: sender, algorithm: .es256, lifetime: .seconds(300))
    let recipient = try JWTRecipient(key: recipient, algorithm: .rsaOAEP256, content: .a128CBCHS256)
    return try issuer.issue(claims, encryptedFor: recipient)
}

/// Requires both layers: a token with only one of them is rejected.
func nestedVerifier(senderKeys: PublicJWKSet, keys: JWKSet) throws -> JWTVerifier {
    try JWTVerifier(
        issuer: "client-1", audience: "https://idp.example",
        encryption: .required(
            keys: keys, algorithms: [.rsaOAEP256], content: [.a128CBCHS256]),
        signature: .required(keys: senderKeys, algorithms: [.es256]))
}

/// Signing keys, the newest first. All are published, one signs.
struct Rotation {
    private(set) var keys: [JWK]

    /// Adds a key, which is published from now on.
    mutating func add(_ key: JWK) { keys.insert(key, at: 0) }

    /// The set to publish: each key for as long as a token of it may be valid.
    func published() throws -> String { try JWKSet(keys: keys).publicKeys.json() }

    /// Signs with the newest key, or with the previous one until all verifiers have fetched the
    /// newest.
    func issuer(newestIsKnown: Bool) throws -> JWTIssuer {
        let key = newestIsKnown || keys.count == 1 ? keys[0] : keys[1]
        return try JWTIssuer(key: key, algorithm: .es256, lifetime: .seconds(300))
    }

    /// Drops the oldest key, after its last token has expired.
    mutating func drop() { keys.removeLast() }
}

/// Returns wide limits for ID Tokens with photos, or narrow ones for access tokens.
func limits(forPhotos hasPhotos: Bool) -> JOSELimits {
    var limits = JOSELimits()
    limits.tokenBytes = hasPhotos ? 1_048_576 : 16_384
    return limits
}
