// Runs the examples of the migration pages, and checks that what becomes stricter is rejected.

import Foundation
import JOSE
import Testing

@Suite("Migrating from other libraries")
struct ComingFromTests {
    private let key: JWK
    private let pem: [UInt8]
    private let jwks: String
    private let session = Session(iss: "https://op.example", aud: "app", sub: "zoe", admin: true)
    private let body = Array("a body".utf8)

    init() throws {
        key = try JWK.generate(.curve(.p256), keyID: "e-1", use: .signature)
        pem = try key.privateKeyFile(.pem, password: Array("pass".utf8))
        jwks = try JWKSet(keys: [key]).publicKeys.json()
    }

    private func token(_ claims: some Encodable) throws -> String {
        try JWTIssuer(key: key, algorithm: .es256, lifetime: .seconds(60)).issue(claims)
    }

    @Test("JWTKit: sign with a secret and a PEM key, verify with a set") func jwtKit() throws {
        let secret = [UInt8](repeating: 7, count: 32)
        let made = try afterJWTKit(
            secret: secret, pem: key.privateKeyFile(.pem), theirJSON: jwks,
            theirToken: token(session))
        #expect(made.theirs == session)
        _ = try JWSVerifier(keys: PublicJWKSet(json: jwks), algorithms: [.es256]).verify(made.ours)
        let shared = try JWK(symmetricKey: secret, algorithm: .hs256)
        _ = try JWSVerifier(key: shared, algorithms: [.hs256]).verify(made.shared)
        // A secret that is shorter than the hash, and an admin claim that is a string.
        expectRejection("key-unusable") {
            _ = try JWK(symmetricKey: Array("secret".utf8), algorithm: .hs256)
        }
        let text = ["iss": "https://op.example", "aud": "app", "sub": "zoe", "admin": "true"]
        expectRejection("claim-rejected admin") {
            _ = try afterJWTKit(
                secret: secret, pem: key.privateKeyFile(.pem), theirJSON: jwks,
                theirToken: token(text))
        }
        // Without exp, and with an empty audience.
        let endless = try JWTIssuer(key: key, algorithm: .es256, requiresExpiration: false)
        expectRejection("claim-rejected exp") {
            _ = try afterJWTKit(
                secret: secret, pem: key.privateKeyFile(.pem), theirJSON: jwks,
                theirToken: endless.issue(session))
        }
    }

    @Test("JWSETKit: claims, several signatures, detached payloads, encryption") func jwsetKit()
        throws
    {
        let made = try afterJWSETKit(
            der: key.privateKeyFile(.der), theirJSON: jwks, theirToken: token(session), body: body)
        #expect(made.claims == session && made.opened == body)
        let verifier = try JWSVerifier(key: key.publicKey, algorithms: [.es256])
        _ = try verifier.verify(made.issued)
        _ = try verifier.verifyDetached(made.jws[1], payload: body)
        _ = try verifier.verifyJSON(made.jws[0], requiring: .any)
        expectRejection("signature-invalid") {
            _ = try verifier.verifyDetached(made.jws[1], payload: [1])
        }
    }

    @Test("jose: keys, tokens verified with a set, signed and encrypted bytes") func jose() throws {
        let made = try afterJose(
            pem: key.privateKeyFile(.pem), jwk: key.privateJSON(), jwks: jwks,
            token: token(session),
            text: body)
        #expect(made.subject == "zoe" && made.payloads == [body, body])
        #expect(made.thumbprint.utf8.count == 43)
        // aud is required: a token without it or with another type is rejected.
        expectRejection("claim-rejected aud") {
            _ = try afterJose(
                pem: key.privateKeyFile(.pem), jwk: key.privateJSON(), jwks: jwks,
                token: token(["iss": "https://op.example", "sub": "zoe"]), text: body)
        }
    }

    @Test("Nimbus: signature and claims in one call, MAC, encryption, nested") func nimbus() throws
    {
        let secret = [UInt8](repeating: 9, count: 32)
        let made = try afterNimbus(
            jwks: jwks, token: token(session), secret: secret, text: body)
        #expect(made.subject == "zoe" && made.nested == "zoe" && made.read == [body, body])
        var other = session
        other.iss = "https://op.example/"
        expectRejection("claim-rejected iss") {
            _ = try afterNimbus(jwks: jwks, token: token(other), secret: secret, text: body)
        }
    }

    @Test("jwcrypto: a PEM file with a password, tokens, encryption") func jwcrypto() throws {
        let made = try afterJwcrypto(
            pem: pem, password: Array("pass".utf8), jwks: jwks, token: token(session), text: body)
        #expect(made.subject == "zoe" && made.read == [body, body])
        #expect(!made.exported.contains("\"d\""))
        expectRejection("decryption-failed") {
            _ = try afterJwcrypto(
                pem: pem, password: Array("word".utf8), jwks: jwks, token: token(session),
                text: body)
        }
    }

    @Test("cjose: a JWK, a header, signed and encrypted bytes") func cjose() throws {
        let key = try JWK.generate(.rsa, keyID: "r-1", use: .signature)
        let token = try JWSSigner(key: key, algorithm: .rs256).sign(body)
        let made = try afterCjose(jwk: key.privateJSON(), token: token, text: body)
        #expect(made.read == [body, body])
        #expect(!made.public.contains("\"d\""))
        // Another algorithm with the same key: cjose trusts the token's alg.
        let other = try JWSSigner(key: key, algorithm: .ps256).sign(body)
        expectRejection("algorithm-not-allowed") {
            _ = try afterCjose(jwk: key.privateJSON(), token: other, text: body)
        }
    }
}
