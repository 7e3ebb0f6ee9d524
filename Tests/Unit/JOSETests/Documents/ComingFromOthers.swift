// The calls of the pages for jose (JavaScript) and Nimbus (Java). ComingFromTests runs them.

import JOSE

/// The calls of the table, by their numbers.
func afterJose(
    pem: [UInt8], jwk: String, jwks: String, token: String, text: [UInt8]
) throws -> (thumbprint: String, issued: String, subject: String?, payloads: [[UInt8]]) {
    let made = try JWK.generate(.curve(.p256), use: .signature, algorithm: .es256)  // 1
    let thumbprint = try made.thumbprint()  // 2; made.publicJSON() and made.privateJSON() export
    let key = try KeyFileContents(pem).key()  // 3
    let other = try JWK(json: jwk)  // 4
    let issued = try JWTIssuer(key: key, algorithm: .es256, lifetime: .seconds(300))  // 5
        .issue(["iss": "https://op.example", "aud": "app", "sub": "zoe"])

    let keys = try PublicJWKSet(json: jwks)  // 6
    let verifier = try JWTVerifier(  // 7
        issuer: "https://op.example", audience: "app",
        signature: .required(keys: keys, algorithms: [.es256]))
    let verified = try verifier.verify(token)

    let jws = try JWSSigner(key: other, algorithm: .es256).sign(text)  // 8
    let payload = try JWSVerifier(key: other.publicKey, algorithms: [.es256]).verify(jws).payload

    let ours = try JWK.generate(.rsa, use: .encryption)
    let jwe = try JWEEncrypter(  // 9
        key: ours.publicKey, algorithm: .rsaOAEP256, content: .a256GCM
    ).encrypt(text)
    let plain = try JWEDecrypter(key: ours, algorithms: [.rsaOAEP256], content: [.a256GCM])
        .decrypt(jwe).unauthenticatedPlaintext
    return (thumbprint, issued, verified.subject, [payload, plain])
}

/// The calls of the table, by their numbers.
func afterNimbus(
    jwks: String, token: String, secret: [UInt8], text: [UInt8]
) throws -> (issued: String, subject: String?, read: [[UInt8]], nested: String?) {
    let key = try JWK.generate(.curve(.p256), keyID: "e-1", use: .signature)  // 1
    let keys = try PublicJWKSet(json: jwks)  // 2
    let claims = ["iss": "https://op.example", "aud": "app", "sub": "zoe"]
    let issuer = try JWTIssuer(key: key, algorithm: .es256, lifetime: .seconds(300))
    let issued = try issuer.issue(claims)  // 3
    let verifier = try JWTVerifier(  // 4 and 5: signature and claims in one call
        issuer: "https://op.example", audience: "app",
        signature: .required(keys: keys, algorithms: [.es256]))
    let subject = try verifier.verify(token).subject

    let shared = try JWK(symmetricKey: secret, algorithm: .hs256)  // 6
    let mac = try JWSSigner(key: shared, algorithm: .hs256).sign(text)
    let checked = try JWSVerifier(key: shared, algorithms: [.hs256]).verify(mac).payload

    let ours = try JWK.generate(.rsa, use: .encryption)
    let jwe = try JWEEncrypter(  // 7
        key: ours.publicKey, algorithm: .rsaOAEP256, content: .a256GCM
    ).encrypt(text)
    let plain = try JWEDecrypter(key: ours, algorithms: [.rsaOAEP256], content: [.a256GCM])  // 8
        .decrypt(jwe).unauthenticatedPlaintext

    let sealed = try issuer.issue(  // 9: signed, then encrypted, with cty
        claims,
        encryptedFor: JWTRecipient(
            key: ours.publicKey, algorithm: .rsaOAEP256, content: .a256GCM))
    let reader = try JWTVerifier(  // 10
        issuer: "https://op.example", audience: "app",
        encryption: .required(
            keys: JWKSet(keys: [ours]), algorithms: [.rsaOAEP256], content: [.a256GCM]),
        signature: .required(key: key.publicKey, algorithms: [.es256]))
    return (issued, subject, [checked, plain], try reader.verify(sealed).subject)
}
