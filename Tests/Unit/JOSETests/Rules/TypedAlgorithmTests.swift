// Typed algorithms for generating keys, and the names of entries as strings.

import JOSE
import Testing

@Suite("Typed algorithms")
struct TypedAlgorithmTests {
    @Test("a new key has the name of the algorithm it was generated for") func made() throws {
        let secret = [UInt8](repeating: 1, count: 32)
        let keys: [(JWK, JOSEAlgorithm)] = [
            (try JWK.generate(.rsa, keyID: "k", use: .signature, algorithm: .rs256), "RS256"),
            (try JWK.generate(.rsa, algorithm: .rsaOAEP256), "RSA-OAEP-256"),
            (try JWK.generate(.curve(.p256), algorithm: .es256), "ES256"),
            (try JWK.generate(.curve(.ed25519), use: .signature, algorithm: .ed25519), "Ed25519"),
            (try JWK.generate(.curve(.x25519), algorithm: .ecdhES), "ECDH-ES"),
            (try JWK.generate(.symmetric(bits: 256), algorithm: .hs256), "HS256"),
            (try JWK.generate(.symmetric(bits: 128), algorithm: .a128KW), "A128KW"),
            (try JWK.generate(.symmetric(bits: 384), algorithm: .direct), "dir"),
            (try JWK.generate(.symmetric(bits: 256), algorithm: .a256GCM), "A256GCM"),
            (try JWK.generate(.curve(.p256), algorithm: "X-1"), "X-1"),
            (try JWK(symmetricKey: secret + secret, algorithm: .hs512), "HS512"),
            (try JWK(symmetricKey: secret, algorithm: .a256KW), "A256KW"),
        ]
        for (key, name) in keys { #expect(key.algorithm == name) }
        #expect(keys[0].0.keyID == "k" && keys[0].0.use == .signature)
        // A name without a constant is a string literal.
        let named = try JWK.generate(.curve(.p256), algorithm: "ES256")
        #expect(named.algorithm == "ES256")
        #expect(try JWK.generate(.curve(.p256), algorithm: nil).algorithm == nil)
    }

    @Test("an algorithm for another key type, size or use is rejected") func rejected() throws {
        let secret = [UInt8](repeating: 1, count: 16)
        let attempts: [() throws -> JWK] = [
            { try JWK.generate(.rsa, algorithm: .es256) },
            { try JWK.generate(.rsa, algorithm: .ecdhES) },
            { try JWK.generate(.curve(.p256), algorithm: .es384) },
            { try JWK.generate(.curve(.p256), algorithm: .rs256) },
            { try JWK.generate(.curve(.ed25519), algorithm: .ecdhES) },
            { try JWK.generate(.curve(.p256), use: .encryption, algorithm: .es256) },
            { try JWK.generate(.curve(.p256), use: .signature, algorithm: .ecdhES) },
            { try JWK.generate(.symmetric(bits: 128), algorithm: .hs256) },
            { try JWK.generate(.symmetric(bits: 256), algorithm: .a128KW) },
            { try JWK.generate(.symmetric(bits: 256), algorithm: .rs256) },
            { try JWK.generate(.symmetric(bits: 256), algorithm: .rsaOAEP) },
            { try JWK.generate(.curve(.p256), algorithm: .a256GCM) },
            { try JWK.generate(.symmetric(bits: 128), algorithm: .a256GCM) },
            { try JWK.generate(.symmetric(bits: 256), algorithm: .a256CBCHS512) },
            { try JWK(symmetricKey: secret, algorithm: .a256GCM) },
            { try JWK(symmetricKey: secret, algorithm: .hs256) },
            { try JWK(symmetricKey: secret, algorithm: .a256KW) },
            { try JWK(symmetricKey: secret, algorithm: .es256) },
        ]
        for attempt in attempts { expectRejection("key-unusable") { _ = try attempt() } }
        expectRejection("misuse") { _ = try JWK.generate(.rsa(bits: 1024), algorithm: .rs256) }
    }
}
