// The algorithm that a key or a header names (RFC 7517, 4.4): typed if it is known, otherwise kept
// byte for byte.

import JOSE
import Testing

@Suite("Algorithm names of keys and headers")
struct NamedAlgorithmTests {
    @Test("each known algorithm is found by name in exactly one table")
    func known() {
        for row in SignatureAlgorithm.entries {
            let named = JOSEAlgorithm(row)
            #expect(named == JOSEAlgorithm(name: row.name) && named.signature == row)
            #expect(named.keyManagement == nil && named.contentEncryption == nil)
        }
        for row in KeyManagementAlgorithm.entries {
            let named = JOSEAlgorithm(row)
            #expect(named == JOSEAlgorithm(name: row.name) && named.keyManagement == row)
            #expect(named.signature == nil && named.contentEncryption == nil)
        }
        for row in ContentEncryptionAlgorithm.entries {
            let named = JOSEAlgorithm(row)
            #expect(named == JOSEAlgorithm(name: row.name) && named.contentEncryption == row)
            #expect(named.signature == nil && named.keyManagement == nil)
        }
    }

    @Test("the constants have the registered names")
    func constants() {
        let signatures: [JOSEAlgorithm] = [
            .rs256, .rs384, .rs512, .ps256, .ps384, .ps512, .es256, .es384, .es512, .es256K,
            .edDSA, .ed25519, .ed448, .hs256, .hs384, .hs512, .mlDSA44, .mlDSA65, .mlDSA87,
        ]
        #expect(signatures == SignatureAlgorithm.entries.map { JOSEAlgorithm($0) })
        let management: [JOSEAlgorithm] = [
            .rsaOAEP, .rsaOAEP256, .rsaOAEP384, .rsaOAEP512, .a128KW, .a192KW, .a256KW, .direct,
            .ecdhES, .ecdhESA128KW, .ecdhESA192KW, .ecdhESA256KW, .a128GCMKW, .a192GCMKW,
            .a256GCMKW,
        ]
        let rows = KeyManagementAlgorithm.entries.filter { $0.status != .legacy }
        #expect(management == rows.map { JOSEAlgorithm($0) })
        let content: [JOSEAlgorithm] = [
            .a128CBCHS256, .a192CBCHS384, .a256CBCHS512, .a128GCM, .a192GCM, .a256GCM,
        ]
        #expect(content == ContentEncryptionAlgorithm.entries.map { JOSEAlgorithm($0) })
    }

    @Test(
        "an unregistered name is read, kept and written back byte for byte",
        arguments: [
            "X-1", "rs256", "RS256 ", " RS256", "RS\u{200b}256", "\u{e9}", "e\u{301}", "none",
            "RSA1_5", "A128CBC", "\u{212a}",
        ])
    func unknown(_ name: String) throws {
        let key = try JWK(json: KeyText.publicKey("\"alg\":\"\(name)\""))
        let algorithm = try need(key.algorithm)
        #expect(Array(algorithm.name.utf8) == Array(name.utf8))
        #expect(algorithm.signature == nil && algorithm.keyManagement == nil)
        #expect(algorithm.contentEncryption == nil)
        let again = try JWK(json: key.publicJSON())
        #expect(again.algorithm.map { Array($0.name.utf8) } == Array(name.utf8))
        // A key for another algorithm verifies nothing.
        expectRejection("key-unusable") { _ = try JWSVerifier.rs256(key) }
    }

    @Test("canonically equivalent names are two algorithms")
    func exactly() {
        #expect(JOSEAlgorithm(name: "\u{e9}") != JOSEAlgorithm(name: "e\u{301}"))
        #expect(JOSEAlgorithm(name: "\u{212a}") != JOSEAlgorithm(name: "K"))
        #expect(JOSEAlgorithm(name: "rs256") != .rs256)
        #expect(Set<JOSEAlgorithm>([.rs256, "RS256", "rs256", "\u{e9}", "e\u{301}"]).count == 4)
    }

    @Test("the headers of accepted tokens have typed algorithms")
    func headers() throws {
        let key = try JWK.generate(.curve(.p256), algorithm: .es256)
        let token = try JWSSigner(key: key, algorithm: .es256).sign("x")
        let header = try JWSVerifier(key: key.publicKey, algorithms: [.es256]).verify(token)
            .header()
        #expect(header.algorithm == .es256 && header.algorithm?.signature == .es256)
        #expect(header.encryption == nil)
        let shared = try JWK.generate(.symmetric(bits: 256), algorithm: .a256GCM)
        let sealed = try JWEEncrypter.with(shared, .direct, .a256GCM)
            .encrypt("x")
        let outer = try JWEDecrypter.with(shared, .direct, .a256GCM)
            .decrypt(sealed).header()
        #expect(outer.algorithm == .direct && outer.encryption == .a256GCM)
        #expect(outer.algorithm?.signature == nil)
    }
}
