// The calls of the migration pages for jwcrypto and cjose. ComingFromTests runs them.

import JOSE

/// The calls of the table, by their numbers.
func afterJwcrypto(
    pem: [UInt8], password: [UInt8], jwks: String, token: String, text: [UInt8]
) throws -> (exported: String, issued: String, subject: String?, read: [[UInt8]]) {
    let made = try JWK.generate(.curve(.p256), use: .signature)  // 1
    let key = try KeyFileContents(pem, password: password).key()  // 2
    let exported = try key.publicJSON()  // 3; privateJSON(), thumbprint()
    let keys = try PublicJWKSet(json: jwks)  // 4

    let jws = try JWSSigner(key: made, algorithm: .es256).sign(text)  // 5
    let verifier = try JWSVerifier(key: made.publicKey, algorithms: [.es256])  // 6
    let payload = try verifier.verify(jws).payload

    let issued = try JWTIssuer(key: key, algorithm: .es256, lifetime: .seconds(300))  // 7
        .issue(["iss": "https://op.example", "aud": "app", "sub": "zoe"])
    let jwtVerifier = try JWTVerifier(  // 8
        issuer: "https://op.example", audience: "app",
        signature: .required(keys: keys, algorithms: [.es256]))
    let subject = try jwtVerifier.verify(token).subject

    let ours = try JWK.generate(.rsa, use: .encryption)
    let jwe = try JWEEncrypter(  // 9
        key: ours.publicKey, algorithm: .rsaOAEP256, content: .a256CBCHS512
    ).encrypt(text)
    let plain = try JWEDecrypter(key: ours, algorithms: [.rsaOAEP256], content: [.a256CBCHS512])
        .decrypt(jwe).unauthenticatedPlaintext  // 10
    return (exported, issued, subject, [payload, plain])
}

/// The calls of the table, by their numbers. Nothing has to be released.
func afterCjose(
    jwk: String, token: String, text: [UInt8]
) throws -> (public: String, signed: String, read: [[UInt8]]) {
    let made = try JWK.generate(.rsa, use: .encryption)  // 1
    let key = try JWK(json: jwk)  // 2
    let publicJSON = try key.publicJSON()  // 3; key.privateJSON() has all members
    let signer = try JWSSigner(  // 4: alg is the algorithm, kid the key's
        key: key, algorithm: .rs256, header: HeaderParameters(type: "JWT"))
    let signed = try signer.sign(text)  // 5
    let verifier = try JWSVerifier(key: key.publicKey, algorithms: [.rs256])  // 6
    let payload = try verifier.verify(token).payload  // 7

    let jwe = try JWEEncrypter(  // 8
        key: made.publicKey, algorithm: .rsaOAEP, content: .a128CBCHS256
    ).encrypt(text)
    let decrypter = try JWEDecrypter(  // 9
        key: made, algorithms: [.rsaOAEP], content: [.a128CBCHS256])
    let plain = try decrypter.decrypt(jwe).unauthenticatedPlaintext  // 10
    return (publicJSON, signed, [payload, plain])
}
