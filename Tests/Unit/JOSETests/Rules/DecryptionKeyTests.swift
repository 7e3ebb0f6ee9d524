// The key for an encrypted token, the keys that may be tried if the token names none, and the keys
// that may sign or encrypt.

import JOSE
import Testing

@Suite("Key selection: decryption, signing and encryption")
struct DecryptionKeyTests {
    private static let ours = TestKeys.named(TestKeys.decrypting, "ours", use: .encryption)
    private static let other = TestKeys.named(TestKeys.stranger, "other", use: .encryption)
    private static let third = TestKeys.named(TestKeys.client, "third", use: .encryption)

    private func token(_ keyID: String?) throws -> String {
        try JWEEncrypter.rsa(TestKeys.named(TestKeys.decrypting, keyID)).encrypt("secret")
    }

    private func verdict(
        _ keys: [JWK], _ keyID: String?, _ missing: MissingKeyIDRule = .requireUnique
    ) throws -> String {
        let token = try token(keyID)
        return try Rejection.verdict {
            let decrypter = try JWEDecrypter.rsa(keys: keys, missingKeyID: missing)
            let opened = try decrypter.decrypt(token)
            #expect(opened.unauthenticatedPlaintext == Array("secret".utf8))
            #expect(opened.keyID == "ours")
        }
    }

    @Test("with kid: the key with that kid, or a rejection") func named() throws {
        let (ours, other) = (Self.ours, Self.other)
        #expect(try verdict([other, ours], "ours") == "accepted")
        #expect(try verdict([other, ours], "other") == "decryption-failed")
        #expect(try verdict([other, ours], "none") == "key-not-found")
        #expect(try verdict([other, ours], "none", .tryEligible(atMost: 4)) == "key-not-found")
        #expect(
            try verdict([ours, TestKeys.named(other, "ours", use: .encryption)], "ours")
                == "key-not-found")
        #expect(
            try verdict([TestKeys.named(ours, "ours", use: .signature)], "ours") == "key-unusable")
        #expect(
            try verdict([TestKeys.named(ours, "ours", algorithm: "RSA-OAEP-256")], "ours")
                == "key-unusable")
        #expect(
            try verdict([TestKeys.named(ours, "ours", operations: .decrypt)], "ours") == "accepted")
        #expect(
            try verdict([TestKeys.named(ours, "ours", operations: .unwrapKey)], "ours")
                == "accepted")
        #expect(
            try verdict([TestKeys.named(ours, "ours", operations: .sign)], "ours") == "key-unusable"
        )
        #expect(try verdict([ours.publicKey], "ours") == "key-unusable")
    }

    @Test("RFC 7517 4.5: two local keys with one kid") func doubled() throws {
        let right = TestKeys.named(Self.ours, "ours", use: .encryption, algorithm: "RSA-OAEP")
        let otherAlgorithm = TestKeys.named(
            Self.other, "ours", use: .encryption, algorithm: "RSA-OAEP-256")
        #expect(try verdict([right, otherAlgorithm], "ours") == "accepted")
        #expect(try verdict([right, right], "ours") == "accepted")
        let another = TestKeys.named(Self.other, "ours", use: .encryption, algorithm: "RSA-OAEP")
        #expect(try verdict([right, another], "ours") == "key-not-found")
        let otherUse = TestKeys.named(Self.other, "ours", use: .signature)
        #expect(try verdict([otherUse, right], "ours") == "accepted")
        #expect(try verdict([otherUse, otherUse], "ours") == "key-not-found")
    }

    @Test("RFC 7517 4.3: contradictory use and key_ops are rejected") func contradiction() throws {
        let operations: [KeyOperations] = [[.decrypt, .sign], [.unwrapKey, .verify]]
        for each in operations {
            let key = TestKeys.named(Self.ours, "ours", use: .encryption, operations: each)
            #expect(try verdict([key], "ours") == "key-unusable")
            #expect(try verdict([key], nil) == "key-not-found")
        }
    }

    @Test("without kid: the only eligible key, or a rejection") func unnamed() throws {
        #expect(try verdict([Self.ours], nil) == "accepted")
        #expect(try verdict([Self.other, Self.ours], nil) == "key-not-found")
        #expect(
            try verdict([TestKeys.named(Self.other, "s", use: .signature), Self.ours], nil)
                == "accepted")
        #expect(try verdict([], nil) == "key-not-found")
    }

    @Test("without kid, trying several keys: limited, filtered, one error") func trying() throws {
        let (ours, other, third) = (Self.ours, Self.other, Self.third)
        #expect(try verdict([other, ours], nil, .tryEligible(atMost: 2)) == "accepted")
        #expect(try verdict([other, third, ours], nil, .tryEligible(atMost: 4)) == "accepted")
        #expect(
            try verdict([other, third, ours], nil, .tryEligible(atMost: 2)) == "decryption-failed")
        #expect(try verdict([other, third], nil, .tryEligible(atMost: 4)) == "decryption-failed")
        // Unsuitable keys do not count: other uses, other sizes, public halves.
        let unfit = [
            TestKeys.named(other, "s", use: .signature), TestKeys.bare(TestKeys.large),
            try third.publicKey,
            TestKeys.named(third, "a", algorithm: "RSA-OAEP-256"),
        ]
        #expect(try verdict(unfit + [other, ours], nil, .tryEligible(atMost: 2)) == "accepted")
        #expect(try verdict([ours], nil, .tryEligible(atMost: 8)) == "accepted")
        for count in [-1, 0, 1, 9, 1_000] {
            #expect(try verdict([ours], nil, .tryEligible(atMost: count)) == "misuse")
        }
    }

    @Test("the number of tried keys is limited for the whole token") func tryingOften()
        throws
    {
        let (ours, other, third) = (Self.ours, Self.other, Self.third)
        func verdict(_ keys: [JWK], _ recipients: [JWK], _ bound: Int) throws -> String {
            let limits = JOSELimits.with { $0.recipientCount = bound }
            let token = try JWEJSONEncrypter(
                recipients: recipients.map {
                    try JWERecipient(key: $0.publicKey, algorithm: .rsaOAEP)
                },
                content: .a128CBCHS256
            ).encrypt([1], as: .general)
            let decrypter = try JWEDecrypter(
                keys: JWKSet(keys: keys), algorithms: [.rsaOAEP], content: [.a128CBCHS256],
                missingKeyID: .tryEligible(atMost: 4), limits: limits)
            return try Rejection.verdict { _ = try decrypter.decryptJSON(token) }
        }
        let unnamed = [ours, other, third].map { TestKeys.bare($0) }
        let strangers = [TestKeys.bare(TestKeys.signing), TestKeys.bare(TestKeys.signing)]
        #expect(try verdict(unnamed, strangers, 6) == "decryption-failed")
        #expect(try verdict(unnamed, strangers, 5) == "limit-exceeded")
        #expect(try verdict(unnamed, [unnamed[2], unnamed[1]], 6) == "accepted")
        #expect(try verdict(unnamed, [unnamed[2], unnamed[1]], 5) == "limit-exceeded")
        // A kid is one attempt.
        #expect(
            try verdict([ours] + unnamed.dropFirst(), [ours, unnamed[1]], 4) == "accepted")
        #expect(
            try verdict([ours] + unnamed.dropFirst(), [ours, unnamed[1]], 3) == "limit-exceeded")
        // Alone it is limited by its own number, also with the defaults.
        #expect(try verdict(unnamed, [unnamed[2]], 1) == "accepted")
        let many = [JWK](repeating: strangers[0], count: 6)
        #expect(try verdict(unnamed, Array(many.dropLast()), 16) == "decryption-failed")
        #expect(try verdict(unnamed, many, 16) == "limit-exceeded")
    }

    @Test("trying several keys ends in the same error as any other failure")
    func oneError() throws {
        let decrypter = try JWEDecrypter.rsa(
            keys: [Self.other, Self.third], missingKeyID: .tryEligible(atMost: 4))
        let token = try token(nil)
        let error = expectRejection("decryption-failed") { _ = try decrypter.decrypt(token) }
        #expect(error == .decryptionFailed)
    }

    @Test("RFC 7517 4.2 to 4.4: a key signs only with its intended use and algorithm")
    func signing() throws {
        let key = TestKeys.signing
        func verdict(_ key: JWK) throws -> String {
            try Rejection.verdict { _ = try JWSSigner(key: key, algorithm: .rs256) }
        }
        #expect(try verdict(TestKeys.bare(key)) == "accepted")
        #expect(
            try verdict(
                TestKeys.named(key, nil, use: .signature, algorithm: "RS256", operations: .sign))
                == "accepted")
        #expect(try verdict(TestKeys.named(key, nil, use: .encryption)) == "key-unusable")
        #expect(try verdict(TestKeys.named(key, nil, algorithm: "RS512")) == "key-unusable")
        #expect(try verdict(TestKeys.named(key, nil, operations: .verify)) == "key-unusable")
        #expect(try verdict(TestKeys.named(key, nil, operations: [])) == "key-unusable")
        #expect(try verdict(key.publicKey) == "key-unusable")
    }

    @Test("a recipient must be a public key for encryption") func encrypting() throws {
        let key = try TestKeys.decrypting.publicKey
        func verdict(_ key: JWK) throws -> String {
            try Rejection.verdict {
                _ = try JWEEncrypter(key: key, algorithm: .rsaOAEP, content: .a128CBCHS256)
            }
        }
        #expect(try verdict(TestKeys.bare(key)) == "accepted")
        for operation in [KeyOperations.encrypt, .wrapKey] {
            #expect(try verdict(TestKeys.named(key, nil, operations: operation)) == "accepted")
        }
        #expect(try verdict(TestKeys.named(key, nil, operations: .decrypt)) == "key-unusable")
        #expect(try verdict(TestKeys.named(key, nil, use: .signature)) == "key-unusable")
        #expect(try verdict(TestKeys.named(key, nil, algorithm: "RSA-OAEP-256")) == "key-unusable")
        #expect(try verdict(TestKeys.decrypting) == "misuse")
    }

    @Test("selecting a key from a local set: exactly one, or a rejection") func picking() throws {
        let set = JWKSet(keys: [TestKeys.signing, Self.ours, Self.other])
        #expect(try set.key(use: .signature).keyID == "sig-1")
        #expect(try set.key(use: .encryption, keyID: "other").keyID == "other")
        #expect(try set.key(keyID: "ours").keyID == "ours")
        expectRejection("key-not-found") { _ = try set.key(use: .encryption) }
        expectRejection("key-not-found") { _ = try set.key(keyID: "none") }
        // The same entry twice is one key; another key with this kid is a second one.
        #expect(try JWKSet(keys: [Self.ours, Self.ours]).key(keyID: "ours").keyID == "ours")
        expectRejection("key-not-found") {
            let another = TestKeys.named(Self.other, "ours")
            _ = try JWKSet(keys: [Self.ours, another]).key(keyID: "ours")
        }
        let published = try set.publicKeys
        #expect(try published.key(use: .signature).keyID == "sig-1")
        #expect(try published.key(use: .signature, keyID: "sig-1").keyID == "sig-1")
        expectRejection("key-not-found") {
            _ = try published.key(use: .encryption, keyID: "sig-1")
        }
        #expect(try published.key(keyID: "ours").isPrivate == false)
        expectRejection("key-not-found") { _ = try published.key(use: .encryption) }
        expectRejection("key-not-found") { _ = try published.key(keyID: "none") }
    }
}
