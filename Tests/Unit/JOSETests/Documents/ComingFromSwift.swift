// The calls of the migration pages for JWTKit and JWSETKit. ComingFromTests runs them.

import JOSE

/// The claims of the token.
struct Session: Codable, Equatable {
    var iss: String
    var aud: String
    var sub: String
    var admin: Bool
}

/// The calls of the table, by their numbers.
func afterJWTKit(
    secret: [UInt8], pem: [UInt8], theirJSON: String, theirToken: String
) throws -> (shared: String, ours: String, theirs: Session) {
    let shared = try JWK(symmetricKey: secret, keyID: "s-1", algorithm: .hs256)  // 1
    var key = try KeyFileContents(pem).key()  // 2
    key.keyID = "e-1"  // 3
    let session = Session(iss: "https://op.example", aud: "app", sub: "zoe", admin: true)
    let issuer = try JWTIssuer(key: key, algorithm: .es256, lifetime: .seconds(300))  // 4
    let ours = try issuer.issue(session)
    let byMAC = try JWTIssuer(key: shared, algorithm: .hs256, lifetime: .seconds(300)).issue(
        session)

    let theirs = try PublicJWKSet(json: theirJSON)  // 5
    var policy = ClaimsPolicy(issuer: "https://op.example", audience: "app")  // 6: exp and nbf too
    policy.require("admin", as: Bool.self) { $0 }  // 7
    let verifier = try JWTVerifier(
        policy: policy, signature: .required(keys: theirs, algorithms: [.es256]))
    // 9: throws a JOSEError, whose claim is "exp" if the token has expired.
    let read = try verifier.verify(theirToken, as: Session.self)  // 8
    return (byMAC, ours, read)
}

/// The calls of the table, by their numbers.
func afterJWSETKit(
    der: [UInt8], theirJSON: String, theirToken: String, body: [UInt8]
) throws -> (issued: String, claims: Session, jws: [String], opened: [UInt8]) {
    let session = Session(iss: "https://op.example", aud: "app", sub: "zoe", admin: true)  // 1
    let key = try KeyFileContents(der).key()  // 2
    let issuer = try JWTIssuer(key: key, algorithm: .es256, lifetime: .seconds(300))
    let issued = try issuer.issue(session)  // 3

    let theirs = try PublicJWKSet(json: theirJSON)  // 4
    let verifier = try JWTVerifier(  // 5
        issuer: "https://op.example", audience: "app",
        signature: .required(keys: theirs, algorithms: [.es256]))
    let claims = try verifier.verify(theirToken, as: Session.self)  // 6

    let signer = try JWSSigner(key: key, algorithm: .es256)
    let several = try JWSJSONSigner(signatories: [.init(signer: signer)]).sign(body)  // 7
    let detached = try signer.signDetached(body)  // 8

    let recipient = try JWK.generate(.curve(.p256), use: .encryption)
    let sealed = try JWEEncrypter(  // 9
        key: recipient.publicKey, algorithm: .ecdhESA256KW, content: .a256GCM
    ).encrypt(body)
    let opened = try JWEDecrypter(  // 10
        key: recipient, algorithms: [.ecdhESA256KW], content: [.a256GCM]
    ).decrypt(sealed)
    return (issued, claims, [several, detached], opened.unauthenticatedPlaintext)
}
