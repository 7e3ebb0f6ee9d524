// The calls of the page "Migrating from JWTKit", by their numbers, and tokens in both directions.

import Foundation
import JOSE
import JWTKit

/// The claims of the token.
private struct KitSession: JWTPayload {
    var iss: IssuerClaim
    var aud: AudienceClaim
    var sub: SubjectClaim
    var exp: ExpirationClaim
    var admin: Bool

    func verify(using algorithm: some JWTAlgorithm) async throws {
        try exp.verifyNotExpired()  // 6
        try aud.verifyIntendedAudience(includes: "app")
        guard iss.value == "https://op.example", admin else {  // 7
            throw JWTError.claimVerificationFailure(failedClaim: iss, reason: "iss or admin")  // 9
        }
    }
}

func jwtKit() async throws {
    let secret = String(repeating: "0123456789abcdef", count: 2)
    let keys = JWTKeyCollection()
    await keys.add(
        hmac: .init(from: secret), digestAlgorithm: .sha256, kid: "s-1")  // 1
    let key = ES256PrivateKey()
    _ = try ES256PrivateKey(pem: key.pemRepresentation)  // 2
    await keys.add(ecdsa: key, kid: "e-1")  // 3
    let session = KitSession(
        iss: "https://op.example", aud: "app", sub: "zoe",
        exp: .init(value: Date(timeIntervalSinceNow: 300)), admin: true)
    let theirs = [
        try await keys.sign(session, kid: "s-1"), try await keys.sign(session, kid: "e-1"),  // 4
    ]

    // Ours reads theirs: the same secret, and their key as PEM.
    let shared = try JOSE.JWK(
        symmetricKey: Array(secret.utf8), keyID: "s-1", algorithm: .hs256)
    var ecdsa = try KeyFileContents(Array(key.pemRepresentation.utf8)).key()
    ecdsa.keyID = "e-1"
    let algorithms = [SignatureAlgorithm.hs256, .es256]
    for (token, (key, algorithm)) in zip(theirs, zip([shared, ecdsa], algorithms)) {
        let verifier = try JWTVerifier(
            issuer: "https://op.example", audience: "app",
            signature: .required(key: key, algorithms: [algorithm]))
        try check(verifier.verify(token, as: Session.self) == .sample, "a token of JWTKit")
        try check(rejects { try verifier.verify(damaged(token)) }, "a damaged token of JWTKit")
    }

    // Theirs reads ours: a MAC, ECDSA and RSA, the keys as a key set.
    let rsa = try JOSE.JWK.generate(.rsa, keyID: "r-1", use: .signature, algorithm: .rs256)
    ecdsa.algorithm = .es256
    try await keys.add(jwksJSON: PublicJWKSet(keys: [ecdsa.publicKey, rsa.publicKey]).json())  // 5
    for (key, algorithm) in [(shared, SignatureAlgorithm.hs256), (ecdsa, .es256), (rsa, .rs256)] {
        let token = try JWTIssuer(key: key, algorithm: algorithm, lifetime: .seconds(300))
            .issue(Session.sample)
        let read = try await keys.verify(token, as: KitSession.self)  // 8
        try check(read.sub.value == "zoe", "a token of ours at JWTKit")
        do {
            _ = try await keys.verify(damaged(token), as: KitSession.self)
            throw Failure(text: "JWTKit takes a damaged token")
        } catch is JWTError {}
    }
}
