// Tasks of JOSE's cookbook, compiled; CookbookTests runs them. Others stand in ArticleExamples and TokenRecipes.

import JOSE

/// What we want of an ID Token.
struct Login: Decodable {
    var sub: String
    var email: String?
    var auth_time: NumericDate
}

/// Reads the answer to one request, which is known by its nonce.
func login(_ idToken: String, nonce: String, keys: PublicJWKSet) throws -> Login {
    let verifier = try JWTVerifier(
        policy: .openID(issuer: "https://idp.example", clientID: "client-1"),
        signature: .required(keys: keys, algorithms: [.rs256, .es256]))
    return try verifier.verify(idToken, as: Login.self, expecting: .init(nonce: nonce))
}

/// The region that an accepted token's header names; before it was accepted nobody can ask.
func region(of token: String, _ verifier: JWTVerifier) throws -> String? {
    try verifier.verify(token).header()["region"]?.string
}

/// An assertion that proves who we are to the token endpoint; with a `jti` of its own for each request.
func assertion(key: JWK, clientID: String, endpoint: String, jti: String) throws -> String {
    let issuer = try JWTIssuer(key: key, algorithm: .rs256, lifetime: .seconds(60))
    return try issuer.issue(["iss": clientID, "sub": clientID, "aud": endpoint, "jti": jti])
}

/// What another program left us, as the JSON to publish; the file's certificates come along as `x5c`.
func published(file: [UInt8], password: String) throws -> String {
    var key = try KeyFileContents(file, password: password).key()
    key.keyID = try key.thumbprint()
    key.use = .signature
    return try JWKSet(keys: [key]).publicKeys.json()
}

/// Opens what was encrypted for the new key, and for the old one until nobody has it any more.
func opener(new: JWK, old: JWK) throws -> JWEDecrypter {
    try JWEDecrypter(
        keys: JWKSet(keys: [new, old]), algorithms: [.rsaOAEP256], content: [.a128CBCHS256],
        missingKeyID: .tryEligible(atMost: 2))  // for senders that name no key
}

/// Signs and verifies with one secret: whoever can do the one can do the other.
func shared(secret: [UInt8]) throws -> (signer: JWSSigner, verifier: JWSVerifier) {
    let key = try JWK(symmetricKey: secret, keyID: "shared-1", algorithm: .hs256)
    return (
        try JWSSigner(key: key, algorithm: .hs256), try JWSVerifier(key: key, algorithms: [.hs256])
    )
}

/// Signs a body that is sent as it is, beside the token.
func detached(_ body: [UInt8], key: JWK) throws -> String {
    try JWSSigner(key: key, algorithm: .es256).signDetached(body)
}

/// Verifies a body that came beside its token.
func checkBody(_ body: [UInt8], _ token: String, keys: PublicJWKSet) throws {
    _ = try JWSVerifier(keys: keys, algorithms: [.es256]).verifyDetached(token, payload: body)
}

/// A document that two sign, in JSON.
func signed(_ document: [UInt8], by first: JWK, and second: JWK) throws -> String {
    let signatories = try [first, second].map {
        try JWSJSONSigner.Signatory(signer: JWSSigner(key: $0, algorithm: .es256))
    }
    return try JWSJSONSigner(signatories: signatories).sign(document)
}

/// The document, if those have signed it.
func document(_ token: String, keys: PublicJWKSet, signedBy keyIDs: [String]) throws -> [UInt8] {
    let verifier = try JWSVerifier(keys: keys, algorithms: [.es256])
    return try verifier.verifyJSON(token, requiring: .each(of: keyIDs)).payload
}

/// Encrypts straight to a key on a curve: no encrypted key travels.
func agreed(_ text: String, for theirs: JWK) throws -> String {
    try JWEEncrypter(key: theirs, algorithm: .ecdhES, content: .a256GCM).encrypt(text)
}

/// Why a chain is rejected at a time, the leaf first; nil if it leads to the root and nothing in it was revoked.
func rejection(
    of chain: [[UInt8]], root: [UInt8], list: [UInt8], at now: NumericDate
) throws -> String? {
    let store = try TrustStore(anchors: [root], revocationLists: [list])
    let report = try store.report(chain, purpose: .signature, at: now)
    return report.error == nil ? nil : report.message
}

/// The name that a key has everywhere (RFC 7638), and as a URI (RFC 9278).
func names(of key: JWK) throws -> (thumbprint: String, uri: String) {
    (try key.thumbprint(), try key.thumbprintURI())
}

/// Whether an access token is bound to this key (RFC 9449, 6.1).
func isBound(_ token: VerifiedJWT, to key: JWK) throws -> Bool {
    try token["cnf"]?["jkt"] == .string(key.thumbprint())
}

/// Verifies many tokens in one call; each has its own answer.
func payloads(_ tokens: [String], keys: PublicJWKSet) throws -> [[UInt8]?] {
    let verifier = try JWSVerifier(keys: keys, algorithms: [.rs256])
    return verifier.verifyBatch(tokens).map { try? $0.get().payload }
}

/// A verifier by OpenSSL's EVP alone, and the kernels that other keys of this process may use.
func verifierByEVP(_ keys: PublicJWKSet) throws -> (verifier: JWSVerifier, kernels: [String]) {
    let verifier = try JWSVerifier(keys: keys.withAcceleration(.openSSLOnly), algorithms: [.rs256])
    return (verifier, KeyAcceleration.kernelsInUse)
}

/// Judges a token as of a time, for tests.
func wasGood(_ token: String, at seconds: Int64, _ verifier: JWTVerifier) throws -> Bool {
    let then = try NumericDate(seconds: seconds)
    return (try? verifier.verify(token, at: then)) != nil
}

/// What was tried with a token, line by line, and what to do, for our log.
func account(of token: String, _ verifier: JWTVerifier) -> [String] {
    let explanation = verifier.explain(token)
    let lines = explanation.lines.map { "\($0.step): \($0.text)" }
    return lines + [explanation.advice ?? "no cause was found"]
}

/// Verifies a token of one of many tenants, whose issuer is looked up before anything is verified.
func tenantToken(
    _ token: String, verifier: (_ issuer: String) async throws -> JWTVerifier?
) async throws -> VerifiedJWT? {
    guard let issuer = try UnverifiedJWT(token).unverifiedIssuer,
        let verifier = try await verifier(issuer)
    else { return nil }
    return try verifier.verify(token)
}
