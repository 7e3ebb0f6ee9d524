// The main job, end to end: make a nested token, open it, refuse a tampered one.

import JOSE
import Testing

@Suite struct EndToEnd {
    struct Claims: Codable, Equatable {
        var iss: String
        var aud: String
        var sub: String
        var exp: Int
    }

    @Test("RFC 7519 11.2: signed, then encrypted, opened again; a changed character is refused")
    func nested() throws {
        let signing = try JWK.generate(use: .signature, algorithm: "RS256")
        let decrypting = try JWK.generate(use: .encryption)
        let issuer = try JWTIssuer(signingWith: signing, algorithm: .rs256)
        let claims = Claims(iss: "https://idp.example", aud: "rp", sub: "alice", exp: 4_102_444_800)
        let token = try issuer.issue(
            claims, encryptedFor: decrypting.publicKey, algorithm: .rsaOAEP256,
            content: .a128CBCHS256)
        let verifier = try JWTVerifier(
            issuer: "https://idp.example", audience: "rp",
            encryption: .required(
                keys: JWKSet([decrypting]), algorithms: [.rsaOAEP256], content: [.a128CBCHS256]),
            signature: .required(keys: PublicJWKSet([signing]), algorithms: [.rs256]))
        #expect(try verifier.verify(token, as: Claims.self) == claims)
        var bytes = Array(token.utf8)
        bytes[bytes.count - 40] ^= 1
        let error = #expect(throws: JOSEError.self) { try verifier.verify(bytes) }
        #expect(error?.code == .decryptionFailed || error?.code == .malformed)
        print(verifier.explain(token))
    }
}
