// Runs the cookbook's examples, which PageBlockTests finds compiled.

import JOSE
import Testing

@Suite("Cookbook")
struct CookbookTests {
    private let key = TestKeys.named(TestKeys.signing, "sig-1", use: .signature)
    private let curveKey: JWK
    private let keys: PublicJWKSet
    private let verifier: JWTVerifier

    init() throws {
        curveKey = try JWK.generate(.curve(.p256), keyID: "ec-1", use: .signature)
        keys = try PublicJWKSet(keys: [key, curveKey])
        verifier = try JWTVerifier(
            issuer: "i", audience: "a",
            signature: .required(keys: keys, algorithms: [.rs256, .es256]))
    }

    private func token(_ claims: some Encodable) throws -> String {
        try JWTIssuer(key: key, algorithm: .rs256, lifetime: .seconds(60)).issue(claims)
    }

    @Test("an ID Token is decoded as a type and rejected if a required claim is missing")
    func typed() throws {
        var claims: [String: JSONValue] = [
            "iss": "https://idp.example", "aud": "client-1", "sub": "alice", "nonce": "n",
            "auth_time": 1_760_000_000,
        ]
        let read = try login(token(claims), nonce: "n", keys: keys)
        #expect(read.sub == "alice" && read.email == nil && read.auth_time.seconds == 1_760_000_000)
        expectRejection("claim-rejected nonce") {
            _ = try login(token(claims), nonce: "other", keys: keys)
        }
        claims["auth_time"] = "today"
        expectRejection("claim-rejected auth_time") {
            _ = try login(token(claims), nonce: "n", keys: keys)
        }
    }

    @Test("the header of an accepted token") func header() throws {
        let issuer = try JWTIssuer(
            key: key, algorithm: .rs256, lifetime: .seconds(60),
            header: HeaderParameters(additional: ["region": "eu"]))
        let claims = ["iss": "i", "aud": "a"]
        #expect(try region(of: issuer.issue(claims), verifier) == "eu")
        #expect(try region(of: token(claims), verifier) == nil)
        expectRejection("claim-rejected iss") {
            _ = try region(of: issuer.issue(["iss": "other", "aud": "a"]), verifier)
        }
    }

    @Test("a tenant is found by the claimed issuer, and tokens of other issuers are rejected")
    func tenants() async throws {
        let other = try JWTVerifier(
            issuer: "j", audience: "a",
            signature: .required(key: curveKey.publicKey, algorithms: [.es256]))
        let tenants = ["i": verifier, "j": other]
        let own = try await tenantToken(token(["iss": "i", "aud": "a"])) { tenants[$0] }
        #expect(own?.issuer == "i")
        for claims in [["iss": "k", "aud": "a"], ["aud": "a"]] {
            let found = try await tenantToken(token(claims)) { tenants[$0] }
            #expect(found == nil)
        }
        // Signed with tenant i's key in the name of tenant j.
        let forged = try token(["iss": "j", "aud": "a"])
        await expectRejection("algorithm-not-allowed") {
            _ = try await tenantToken(forged) { tenants[$0] }
        }
        await expectRejection("malformed") { _ = try await tenantToken("x") { tenants[$0] } }
    }

    @Test("a token endpoint accepts the assertion") func made() throws {
        let text = try assertion(
            key: key, clientID: "rp", endpoint: "https://op.example/token", jti: "one")
        let judge = try JWTVerifier(
            issuer: "rp", audience: "https://op.example/token",
            signature: .required(keys: keys, algorithms: [.rs256]))
        let read = try judge.verify(text)
        #expect(read.subject == "rp" && read.jwtID == "one")
    }

    @Test("a key file of another program becomes a published key set") func file() throws {
        let bare = TestKeys.bare(TestKeys.signing)
        for file in [
            try bare.pkcs12File(password: "p"),
            try bare.privateKeyFile(.pem, password: Array("p".utf8)),
        ] {
            let set = try PublicJWKSet(json: published(file: file, password: "p"))
            #expect(try set.keys().map(\.keyID) == [bare.thumbprint()])
            expectRejection("decryption-failed") { _ = try published(file: file, password: "q") }
        }
    }

    @Test("two keys decrypt, by kid and without it, a third does not") func twoKeys() throws {
        let new = TestKeys.named(TestKeys.decrypting, "new", use: .encryption)
        let old = TestKeys.named(TestKeys.stranger, "old", use: .encryption)
        let decrypter = try decrypterForRotation(new: new, old: old)
        func sealed(_ key: JWK) throws -> String {
            try JWEEncrypter(
                key: key.publicKey, algorithm: .rsaOAEP256, content: .a128CBCHS256
            ).encrypt("x")
        }
        for key in [new, old] {
            for name in [key.keyID, nil] {
                let token = try sealed(TestKeys.named(key, name, use: .encryption))
                #expect(try decrypter.decrypt(token).unauthenticatedPlaintext == [0x78])
            }
        }
        let third = TestKeys.named(TestKeys.client, nil, use: .encryption)
        expectRejection("decryption-failed") { _ = try decrypter.decrypt(sealed(third)) }
    }

    @Test("a shared secret signs and verifies, a short one does neither") func secret() throws {
        let (signer, verifier) = try shared(secret: [UInt8](repeating: 7, count: 32))
        #expect(try verifier.verify(signer.sign("x")).payload == [0x78])
        expectRejection("key-unusable") { _ = try shared(secret: [UInt8](repeating: 7, count: 31)) }
    }

    @Test("a detached body verifies, another body does not") func apart() throws {
        let token = try detached([1, 2], key: curveKey)
        try checkBody([1, 2], token, keys: keys)
        expectRejection("signature-invalid") { try checkBody([1, 3], token, keys: keys) }
    }

    @Test("a document needs both signatures") func signatures() throws {
        let second = try JWK.generate(.curve(.p256), keyID: "ec-2", use: .signature)
        let both = try PublicJWKSet(keys: [curveKey, second])
        let token = try signed([1, 2], by: curveKey, and: second)
        #expect(try document(token, keys: both, signedBy: ["ec-1", "ec-2"]) == [1, 2])
        let twice = try signed([1, 2], by: curveKey, and: curveKey)
        let verdict = try Rejection.verdict {
            _ = try document(twice, keys: both, signedBy: ["ec-1", "ec-2"])
        }
        #expect(verdict != "accepted")
    }

    @Test("ECDH-ES: the encrypted key is empty, and the key decrypts") func agreement() throws {
        let theirs = try JWK.generate(.curve(.x25519), use: .encryption)
        let token = try agreed("x", for: theirs.publicKey)
        #expect(token.split(separator: ".", omittingEmptySubsequences: false)[1].isEmpty)
        let decrypter = try JWEDecrypter(key: theirs, algorithms: [.ecdhES], content: [.a256GCM])
        #expect(try decrypter.decrypt(token).unauthenticatedPlaintext == [0x78])
    }

    @Test("a chain with a revocation list is valid, or the error reports the revocation")
    func revoked() throws {
        let root = try TestAuthority(TestKeys.bare(TestKeys.stranger))
        let leaf = try root.leaf(TestKeys.signing)
        let now = try need(NumericDate(exactly: 1_760_000_000))
        let list = try root.revocationList(from: 1_700_000_000, until: 1_900_000_000)
        #expect(try rejection(of: [leaf], root: root.certificate, list: list, at: now) == nil)
        let late = try need(NumericDate(exactly: 1_900_000_001))
        #expect(try rejection(of: [leaf], root: root.certificate, list: list, at: late) != nil)
    }

    @Test("thumbprints: a key ID, a URI and a token that is bound to the key")
    func prints() throws {
        let (name, uri) = try names(of: curveKey)
        #expect(uri == "urn:ietf:params:oauth:jwk-thumbprint:sha-256:" + name)
        let claims: [String: JSONValue] = ["iss": "i", "aud": "a", "cnf": ["jkt": .string(name)]]
        let bound = try verifier.verify(token(claims))
        #expect(try isBound(bound, to: curveKey))
        #expect(try !isBound(bound, to: key))
    }

    @Test("a batch has one result for each token") func batch() throws {
        let signer = try JWSSigner(key: key, algorithm: .rs256)
        let good = try signer.sign("x")
        #expect(try payloads([good, "x", good], keys: keys) == [[0x78], nil, [0x78]])
    }

    @Test("a batch issues a token for each subject, and a pool signs the same") func issuing()
        async throws
    {
        let verifier = try JWSVerifier(keys: keys, algorithms: [.rs256])
        let made = try tokens(["a", "b"], signedBy: key)
        #expect(made.count == 2)
        for token in made { _ = try verifier.verify(need(token)) }
        let pooled = try JWSSigner(key: served(key), algorithm: .rs256)
        let alone = try JWSSigner(key: key, algorithm: .rs256)
        #expect(
            try await pooled.sign(Array("x".utf8), timeout: .seconds(60)) == alone.sign("x"))
    }

    @Test("OpenSSL alone gives the same results, and every kernel has a name") func byEVP() throws {
        let (verifier, kernels) = try verifierByEVP(keys)
        let good = try JWSSigner(key: key, algorithm: .rs256).sign("x")
        #expect(try verifier.verify(good).payload == [0x78])
        let other = String(good.dropLast(8)) + "AAAAAAAA"
        expectRejection("signature-invalid") { _ = try verifier.verify(other) }
        #expect(Set(kernels).isSubset(of: ["rsa", "rsa-x8", "content", "rsa-fma", "rsa-fma-x4"]))
    }

    @Test("a token is accepted by one clock and expired by another") func clock() throws {
        let then = try NumericDate(seconds: 1_600_000_000)
        let old = try JWTIssuer(key: key, algorithm: .rs256, lifetime: .seconds(60))
            .issue(["iss": "i", "aud": "a"], at: then)
        #expect(try wasGood(old, at: 1_600_000_030, verifier))
        #expect(try !wasGood(old, at: 1_600_000_900, verifier))
    }

    @Test("an explanation names the step that rejected") func why() throws {
        let lines = report(on: try token(["iss": "other", "aud": "a"]), verifier)
        #expect(lines.count > 3)
        #expect(lines.dropLast().last?.hasPrefix("claims: ") == true)
        #expect(lines.contains("claims: iss is 'other', expected 'i'"), "\(lines)")
    }

    @Test("keys at rest: read with their wrapping key, and not from a damaged file") func atRest()
        throws
    {
        let wrapping = try JWK.generate(.symmetric(bits: 256), keyID: "w")
        let file = try encryptedFile(JWKSet(keys: [key, curveKey]), wrapping: wrapping)
        let read = try JOSETests.keys(inFile: file, wrapping: wrapping)
        #expect(read.keys.map(\.keyID) == ["sig-1", "ec-1"])
        #expect(try read.privateJSON() == JWKSet(keys: [key, curveKey]).privateJSON())
        let parts = file.split(separator: ".", omittingEmptySubsequences: false)
        #expect(parts.count == 5 && parts[1].isEmpty)
        let other = try JWK.generate(.symmetric(bits: 256), keyID: "w")
        expectRejection("decryption-failed") {
            _ = try JOSETests.keys(inFile: file, wrapping: other)
        }
        var damaged = Array(file.utf8)
        damaged[damaged.count / 2] ^= 1
        #expect(throws: JOSEError.self) {
            _ = try JOSETests.keys(
                inFile: String(decoding: damaged, as: UTF8.self), wrapping: wrapping)
        }
        let small = try JWK.generate(.symmetric(bits: 128))
        #expect(throws: JOSEError.self) {
            _ = try encryptedFile(JWKSet(keys: [key]), wrapping: small)
        }
    }
}
