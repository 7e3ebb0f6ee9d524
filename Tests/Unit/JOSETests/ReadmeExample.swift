// The example of the README, compiled; ReadmeTests compares the two texts. Change both together.

// example: begin
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
        key: ours.key(use: .signature), algorithm: .rs256, lifetimeSeconds: 300)
    let recipient = try JWTRecipient(
        key: theirs.key(use: .encryption), algorithm: .rsaOAEP256, content: .a128CBCHS256)
    let told = ["iss": "client-1", "aud": "https://idp.example", "sub": claims.sub]
    return try issuer.issue(told, encryptedFor: recipient)
}
// example: end
