// Recipes of the cookbook. CookbookTests runs them; more are in ArticleExamples, TokenRecipes.

import JOSE

/// The claims that this application reads from an ID Token.
struct Login: Decodable {
    var sub: String
    var email: String?
    var auth_time: NumericDate
}

/// Verifies the ID Token for one authorization request, whose nonce it must contain.
func login(_ idToken: String, nonce: String, keys: PublicJWKSet) throws -> Login {
    let verifier = try JWTVerifier(
        policy: .openID(issuer: "https://idp.example", clientID: "client-1"),
        signature: .required(keys: keys, algorithms: [.rs256, .es256]))
    return try verifier.verify(idToken, as: Login.self, expecting: .init(nonce: nonce))
}

/// Returns the region in the header of a verified token.
func region(of token: String, _ verifier: JWTVerifier) throws -> String? {
    try verifier.verify(token).header()["region"]?.string
}

/// Makes a client assertion for the token endpoint. Pass a new `jti` for each request.
func assertion(key: JWK, clientID: String, endpoint: String, jti: String) throws -> String {
    let issuer = try JWTIssuer(key: key, algorithm: .rs256, lifetime: .seconds(60))
    return try issuer.issue(["iss": clientID, "sub": clientID, "aud": endpoint, "jti": jti])
}

/// Returns the JWK Set to publish for a key file. Its certificates become `x5c`.
func published(file: [UInt8], password: String) throws -> String {
    var key = try KeyFileContents(file, password: password).key()
    key.keyID = try key.thumbprint()
    key.use = .signature
    return try JWKSet(keys: [key]).publicKeys.json()
}

/// Decrypts tokens for the new key and for the old one while senders still use it.
func decrypterForRotation(new: JWK, old: JWK) throws -> JWEDecrypter {
    try JWEDecrypter(
        keys: JWKSet(keys: [new, old]), algorithms: [.rsaOAEP256], content: [.a128CBCHS256],
        missingKeyID: .tryEligible(atMost: 2))  // for senders that name no key
}

/// Signs and verifies with one secret. Everyone who verifies can also sign.
func shared(secret: [UInt8]) throws -> (signer: JWSSigner, verifier: JWSVerifier) {
    let key = try JWK(symmetricKey: secret, keyID: "shared-1", algorithm: .hs256)
    return (
        try JWSSigner(key: key, algorithm: .hs256), try JWSVerifier(key: key, algorithms: [.hs256])
    )
}

/// Signs a body that is sent separately from the token.
func detached(_ body: [UInt8], key: JWK) throws -> String {
    try JWSSigner(key: key, algorithm: .es256).signDetached(body)
}

/// Verifies a body that was sent separately from its token.
func checkBody(_ body: [UInt8], _ token: String, keys: PublicJWKSet) throws {
    _ = try JWSVerifier(keys: keys, algorithms: [.es256]).verifyDetached(token, payload: body)
}

/// Signs a document with two keys, in JSON.
func signed(_ document: [UInt8], by first: JWK, and second: JWK) throws -> String {
    let signatories = try [first, second].map {
        try JWSJSONSigner.Signatory(signer: JWSSigner(key: $0, algorithm: .es256))
    }
    return try JWSJSONSigner(signatories: signatories).sign(document)
}

/// Returns the document if all of these keys signed it.
func document(_ token: String, keys: PublicJWKSet, signedBy keyIDs: [String]) throws -> [UInt8] {
    let verifier = try JWSVerifier(keys: keys, algorithms: [.es256])
    return try verifier.verifyJSON(token, requiring: .each(of: keyIDs)).payload
}

/// Encrypts directly to a key on a curve, without an encrypted key in the token.
func agreed(_ text: String, for theirs: JWK) throws -> String {
    try JWEEncrypter(key: theirs, algorithm: .ecdhES, content: .a256GCM).encrypt(text)
}

/// Returns why a chain (leaf first) is rejected at a time, or nil if it is valid and not revoked.
func rejection(
    of chain: [[UInt8]], root: [UInt8], list: [UInt8], at now: NumericDate
) throws -> String? {
    let store = try TrustStore(anchors: [root], revocationLists: [list])
    let report = try store.report(chain, purpose: .signature, at: now)
    return report.error == nil ? nil : report.message
}

/// Returns the thumbprint of a key (RFC 7638) and its URI (RFC 9278).
func names(of key: JWK) throws -> (thumbprint: String, uri: String) {
    (try key.thumbprint(), try key.thumbprintURI())
}

/// Returns whether an access token is bound to this key (RFC 9449, 6.1).
func isBound(_ token: VerifiedJWT, to key: JWK) throws -> Bool {
    try token["cnf"]?["jkt"] == .string(key.thumbprint())
}

/// Verifies many tokens in one call, with a result for each.
func payloads(_ tokens: [String], keys: PublicJWKSet) throws -> [[UInt8]?] {
    let verifier = try JWSVerifier(keys: keys, algorithms: [.rs256])
    return verifier.verifyBatch(tokens).map { try? $0.get().payload }
}

/// Issues many tokens in one call, with a result for each.
func tokens(_ subjects: [String], signedBy key: JWK) throws -> [String?] {
    let issuer = try JWTIssuer(
        key: key.withAcceleration(.withPrivateKeys), algorithm: .rs256, lifetime: .seconds(300))
    return issuer.issueBatch(subjects.map { ["sub": $0] }).map { try? $0.get() }
}

/// Returns a key for the calls with a `timeout`. Its operations run on the thread of a pool.
func served(_ key: JWK) throws -> JWK {
    try key.withAcceleration(.withPrivateKeys).served(by: PrivateKeyPool(threads: 1))
}

/// Makes a verifier that uses only EVP, and names the kernels that other keys may use.
func verifierByEVP(_ keys: PublicJWKSet) throws -> (verifier: JWSVerifier, kernels: [String]) {
    let verifier = try JWSVerifier(keys: keys.withAcceleration(.openSSLOnly), algorithms: [.rs256])
    return (verifier, KeyAcceleration.kernelsInUse)
}

/// Verifies a token as of a given time, for tests.
func wasGood(_ token: String, at seconds: Int64, _ verifier: JWTVerifier) throws -> Bool {
    let then = try NumericDate(seconds: seconds)
    return (try? verifier.verify(token, at: then)) != nil
}

/// Returns the steps of a verification and advice, as lines for a log.
func report(on token: String, _ verifier: JWTVerifier) -> [String] {
    let explanation = verifier.explain(token)
    let lines = explanation.lines.map { "\($0.step): \($0.text)" }
    return lines + [explanation.advice ?? "no cause was found"]
}

/// Verifies a token of one of many tenants. The claimed issuer selects the verifier.
func tenantToken(
    _ token: String, verifier: (_ issuer: String) async throws -> JWTVerifier?
) async throws -> VerifiedJWT? {
    guard let issuer = try UnverifiedJWT(token).unverifiedIssuer,
        let verifier = try await verifier(issuer)
    else { return nil }
    return try verifier.verify(token)
}

/// Encrypts private keys for a file. `wrapping` is a symmetric key of 256 bits.
func encryptedFile(_ keys: JWKSet, wrapping: JWK) throws -> String {
    try JWEEncrypter(
        key: wrapping, algorithm: .direct, content: .a256GCM,
        header: HeaderParameters(contentType: "jwk-set+json")
    ).encrypt(keys.privateJSON())
}

/// Reads the keys when the service starts.
func keys(inFile text: String, wrapping: JWK) throws -> JWKSet {
    let decrypter = try JWEDecrypter(key: wrapping, algorithms: [.direct], content: [.a256GCM])
    return try JWKSet(json: decrypter.decrypt(text).unauthenticatedPlaintext)
}
