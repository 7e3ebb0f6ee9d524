// The examples of the README, compiled; ReadmeTests runs them.

import JOSE

/// The program of "Issue a JWT"; `tools/run first-page` builds and runs it as printed.
func firstToken() throws -> String {
    func print(_ text: String) { printed = text }
    var printed = ""
    let key = try JWK.generate(.curve(.p256), keyID: "2026-11", use: .signature)
    let issuer = try JWTIssuer(key: key, algorithm: .es256, lifetime: .seconds(300))
    let token = try issuer.issue(["iss": "https://idp.example", "aud": "my-api", "sub": "alice"])
    let verifier = try JWTVerifier(
        issuer: "https://idp.example", audience: "my-api",
        keys: JWKSet(keys: [key]).publicKeys, algorithms: [.es256])
    print(try verifier.verify(token).subject ?? "no subject")
    return printed
}

/// Issues a nested JWT for `theirs`, and makes the verifier of those sent to `ours`.
func nestedToken(
    _ issuer: JWTIssuer, _ claims: [String: String], theirs: PublicJWKSet, ours: JWKSet
) throws -> (nested: String, verifier: JWTVerifier) {
    let recipient = try JWTRecipient(
        key: theirs.key(use: .encryption), algorithm: .rsaOAEP256, content: .a128CBCHS256)
    let nested = try issuer.issue(claims, encryptedFor: recipient)  // you send this
    let verifier = try JWTVerifier(
        issuer: "https://partner.example", audience: "https://idp.example",
        encryption: .required(keys: ours, algorithms: [.rsaOAEP256], content: [.a128CBCHS256]),
        signature: .required(keys: theirs, algorithms: [.rs256]))
    return (nested, verifier)
}
