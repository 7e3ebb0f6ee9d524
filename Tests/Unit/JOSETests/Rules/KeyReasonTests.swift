// The reason for rejecting a key: its size, its type, or the algorithm that it names. Also tests
// which names a direct key may have.

import JOSE
import JOSECrypto
import Testing

@Suite("Reasons for rejected keys")
struct KeyReasonTests {

    /// A key that may name an unsuitable algorithm, as a key that was read may.
    private func secret(_ bytes: Int, algorithm: String? = nil) throws -> JWK {
        var key = try JWK(symmetricKey: [UInt8](repeating: 9, count: bytes))
        key.algorithm = algorithm.map { JOSEAlgorithm(name: $0) }
        return key
    }

    @Test("RFC 7518 3.2, 4.4, 4.7: the size of a secret is checked before OpenSSL gets it")
    func sizes() throws {
        for (algorithm, least) in [
            (SignatureAlgorithm.hs256, 32), (.hs384, 48), (.hs512, 64),
        ] {
            for signing in [true, false] {
                for bytes in [1, least - 2, least - 1] {
                    let key = try secret(bytes)
                    expectRejection(
                        "key-unusable", "\(algorithm), \(bytes)",
                        message:
                            "the symmetric key has \(8 * bytes) bits; \(algorithm) needs at least "
                            + "\(8 * least)"
                    ) {
                        _ = try key.prepared.signature(algorithm, signing: signing)
                    }
                }
                for bytes in [least, least + 1] {
                    let key = try secret(bytes)
                    _ = try key.prepared.signature(algorithm, signing: signing)
                }
            }
        }
        for (algorithm, exact) in [
            (KeyManagementAlgorithm.a128KW, 16), (.a192KW, 24), (.a256KW, 32), (.a128GCMKW, 16),
            (.a192GCMKW, 24), (.a256GCMKW, 32),
        ] {
            for wrapping in [true, false] {
                for bytes in [1, exact - 1, exact + 1, exact + 3, 2 * exact] {
                    let key = try secret(bytes)
                    expectRejection(
                        "key-unusable", "\(algorithm), \(bytes)",
                        message:
                            "the symmetric key has \(8 * bytes) bits; \(algorithm) needs exactly "
                            + "\(8 * exact)"
                    ) {
                        _ = try key.prepared.keyManagement(algorithm, wrapping: wrapping)
                    }
                }
                let key = try secret(exact)
                _ = try key.prepared.keyManagement(algorithm, wrapping: wrapping)
            }
        }
    }

    @Test("a key that suits some algorithms has a reason for each other one")
    func reasons() throws {
        let token = { (algorithm: String) in
            Independent.base64URL("{\"alg\":\"\(algorithm)\"}".utf8) + ".e30.AAAA"
        }
        let rows: [(algorithm: SignatureAlgorithm, reason: String)] = [
            (.hs512, "the symmetric key has 256 bits; HS512 needs at least 512"),
            (.rs256, "the key is oct; RS256 needs RSA"),
            (.hs384, "the symmetric key has 256 bits; HS384 needs at least 384"),
            (.es256, "the key is oct; ES256 needs P-256"),
        ]
        for shift in rows.indices {
            let order = Array(rows[shift...] + rows[..<shift])
            let verifier = try JWSVerifier(
                key: secret(32), algorithms: order.map(\.algorithm) + [.hs256])
            for (algorithm, reason) in rows {
                expectRejection("key-unusable", "\(algorithm)", message: reason) {
                    _ = try verifier.verify(token("\(algorithm)"))
                }
            }
            let signer = try JWSSigner(key: secret(32), algorithm: .hs256)
            #expect(try verifier.verify(signer.sign("x")).payload == [0x78])
        }
        for algorithms in [[.hs256], [.hs512, .hs256], SignatureAlgorithm.all] {
            expectRejection("key-unusable") {
                _ = try JWSVerifier(key: secret(31), algorithms: algorithms)
            }
        }
    }

    @Test("a secret of one byte is read and written, an empty one is rejected")
    func shortest() throws {
        for (text, wanted) in [
            ("", "malformed"), ("AA", "accepted"), ("AQ", "accepted"), ("AQI", "accepted"),
            ("A", "malformed"), ("AR", "malformed"),
        ] {
            let verdict = try Rejection.verdict {
                let key = try JWK(json: "{\"kty\":\"oct\",\"k\":\"\(text)\"}")
                let written = try KeyText.members(key.privateJSON())
                #expect(written["k"]?.string == text)
            }
            #expect(verdict == wanted, "\(text)")
        }
    }

    @Test("RFC 7520 5.6: only a key for dir may name its content encryption")
    func contentNames() throws {
        let rows: [(KeyManagementAlgorithm, String, String)] = [
            (.direct, "A128GCM", "accepted"), (.direct, "dir", "accepted"),
            (.direct, "A256GCM", "key-unusable"), (.direct, "A128KW", "key-unusable"),
            (.direct, "a128gcm", "key-unusable"), (.a128KW, "A128KW", "accepted"),
            (.a128KW, "A128GCM", "key-unusable"), (.a128KW, "dir", "key-unusable"),
            (.a128GCMKW, "A128GCMKW", "accepted"), (.a128GCMKW, "A128GCM", "key-unusable"),
        ]
        for (algorithm, name, wanted) in rows {
            let token = try JWEEncrypter.with(secret(16), algorithm, .a128GCM).encrypt("text")
            let key = try secret(16, algorithm: name)
            // A single key, checked when the decrypter is created or for each token, and the same
            // in a set.
            let verdicts = try [
                Rejection.verdict {
                    let decrypter = try JWEDecrypter.with(key, algorithm, .a128GCM)
                    _ = try decrypter.decrypt(token)
                },
                Rejection.verdict {
                    _ = try JWEEncrypter.with(key, algorithm, .a128GCM)
                },
            ]
            #expect(verdicts == [wanted, wanted], "\(algorithm), \(name)")
            let decrypter = try JWEDecrypter(
                keys: JWKSet(keys: [key]), algorithms: [algorithm], content: [.a128GCM])
            let inSet = try Rejection.verdict { _ = try decrypter.decrypt(token) }
            #expect((inSet == "accepted") == (wanted == "accepted"), "\(algorithm), \(name)")
        }
    }

    @Test("RFC 8725 3.1: a verifier without algorithms cannot be created")
    func noAlgorithms() throws {
        let ours = TestKeys.decrypting
        let theirs = try TestKeys.signing.publicKey
        let published = try PublicJWKSet(keys: [theirs])
        var misuses: [() throws -> Any] = [
            { try JWSVerifier(key: theirs, algorithms: []) },
            { try JWSVerifier(keys: published, algorithms: []) },
            {
                try JWTVerifier.checking(
                    .any, signature: .required(keys: published, algorithms: []))
            },
        ]
        for (algorithms, content) in [([], [.a128CBCHS256]), ([.rsaOAEP], [])]
            as [([KeyManagementAlgorithm], [ContentEncryptionAlgorithm])]
        {
            let rule = EncryptionRule.required(
                keys: JWKSet(keys: [ours]), algorithms: algorithms, content: content)
            misuses += [
                { try JWEDecrypter(key: ours, algorithms: algorithms, content: content) },
                { try JWTVerifier.checking(.any, rule) },
            ]
        }
        for misuse in misuses { expectRejection("misuse") { _ = try misuse() } }
    }

    @Test("several keys are tried only for RSA-OAEP with AES-CBC, else one must be eligible")
    func tried() throws {
        let rsa = [TestKeys.bare(TestKeys.stranger), TestKeys.bare(TestKeys.decrypting)]
        let secrets = try ([8, 9] as [UInt8]).map { byte in
            try JWK(symmetricKey: [UInt8](repeating: byte, count: 16))
        }
        let curves = try [JWKCurve.p256, .p256].map { TestKeys.bare(try JWK.generate(.curve($0))) }
        let rows: [(KeyManagementAlgorithm, ContentEncryptionAlgorithm, [JWK], String)] = [
            (.rsaOAEP, .a128CBCHS256, rsa, "accepted"),
            (.rsaOAEP256, .a256CBCHS512, rsa, "accepted"),
            (.rsaOAEP, .a128GCM, rsa, "key-not-found"),
            (.rsaOAEP256, .a256GCM, rsa, "key-not-found"),
            (.a128KW, .a128CBCHS256, secrets, "key-not-found"),
            (.a128GCMKW, .a128CBCHS256, secrets, "key-not-found"),
            (.ecdhESA128KW, .a128CBCHS256, curves, "key-not-found"),
        ]
        for (algorithm, content, keys, wanted) in rows {
            let own = try need(keys.last)
            let token = try JWEEncrypter.with(TestKeys.otherSide(own), algorithm, content).encrypt(
                "text")
            let several = try JWEDecrypter(
                keys: JWKSet(keys: keys), algorithms: [algorithm], content: [content],
                missingKeyID: .tryEligible(atMost: 4))
            let verdict = try Rejection.verdict { _ = try several.decrypt(token) }
            #expect(verdict == wanted, "\(algorithm) with \(content)")
            let alone = try JWEDecrypter(
                keys: JWKSet(keys: [own]), algorithms: [algorithm], content: [content],
                missingKeyID: .tryEligible(atMost: 4))
            let opened = try alone.decrypt(token)
            #expect(opened.unauthenticatedPlaintext == Array("text".utf8))
        }
    }
}
