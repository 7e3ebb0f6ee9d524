// The examples of the README, compiled; ReadmeTests runs them.

import JOSE

func example(
    theirJSON: String, ourPrivateJSON: String, jws: String, idToken: String
) throws -> String {
    let theirs = try PublicJWKSet(json: theirJSON)  // what the provider published
    let ours = try JWKSet(json: ourPrivateJSON)  // our private keys

    // Verify a signature.
    let payload = try JWSVerifier(keys: theirs, algorithms: [.rs256]).verify(jws).payload
    print(payload.count)

    // Open an ID Token that was signed by them and encrypted for us; prepare once, use from any thread.
    let verifier = try JWTVerifier(
        issuer: "https://idp.example", audience: "client-1",
        encryption: .required(keys: ours, algorithms: [.rsaOAEP256], content: [.a128CBCHS256]),
        signature: .required(keys: theirs, algorithms: [.rs256]))
    struct IDToken: Codable { var sub: String }
    let claims = try verifier.verify(idToken, as: IDToken.self, expecting: .init(nonce: "n-0S6"))

    // Seal: sign, then encrypt for them. The issuer adds `iat` and `exp`; all else is ours to say.
    let issuer = try JWTIssuer(
        key: ours.key(use: .signature), algorithm: .rs256, lifetime: .seconds(300))
    let recipient = try JWTRecipient(
        key: theirs.key(use: .encryption), algorithm: .rsaOAEP256, content: .a128CBCHS256)
    let told = ["iss": "client-1", "aud": "https://idp.example", "sub": claims.sub]
    return try issuer.issue(told, encryptedFor: recipient)
}

/// The program of the first page; `tools/run first-page` builds and runs it as it stands there.
func firstToken() throws -> String {
    func print(_ text: String) { said = text }
    var said = ""
    let key = try JWK.generate(.curve(.p256), use: .signature)
    let token = try JWSSigner(key: key, algorithm: .es256).sign("hello")
    let verified = try JWSVerifier(key: key.publicKey, algorithms: [.es256]).verify(token)
    print(String(decoding: verified.payload, as: UTF8.self))
    return said
}
