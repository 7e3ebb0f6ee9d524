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
        for (keys, keyID, wanted) in [
            ([other, ours], "ours", "accepted"), ([other, ours], "other", "decryption-failed"),
            ([other, ours], "none", "key-not-found"),
            ([ours, TestKeys.named(other, "ours", use: .encryption)], "ours", "key-not-found"),
            ([TestKeys.named(ours, "ours", use: .signature)], "ours", "key-unusable"),
            ([TestKeys.named(ours, "ours", algorithm: "RSA-OAEP-256")], "ours", "key-unusable"),
            ([TestKeys.named(ours, "ours", operations: .decrypt)], "ours", "accepted"),
            ([TestKeys.named(ours, "ours", operations: .unwrapKey)], "ours", "accepted"),
            ([TestKeys.named(ours, "ours", operations: .sign)], "ours", "key-unusable"),
            ([try ours.publicKey], "ours", "key-unusable"),
        ] {
            #expect(try verdict(keys, keyID) == wanted, "\(keys)")
        }
        #expect(try verdict([other, ours], "none", .tryEligible(atMost: 4)) == "key-not-found")
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

    @Test("the number of tried keys is limited for the whole token") func tryingOften() throws {
        let (ours, other, third) = (Self.ours, Self.other, Self.third)
        let unnamed = [ours, other, third].map { TestKeys.bare($0) }
        let (first, second) = (unnamed[1], unnamed[2])
        let stranger = TestKeys.bare(TestKeys.signing)
        func strangers(_ count: Int) -> [JWK] { Array(repeating: stranger, count: count) }
        for (keys, recipients, bound, wanted) in [
            (unnamed, strangers(2), 6, "decryption-failed"),
            (unnamed, strangers(2), 5, "limit-exceeded"),
            (unnamed, [second, first], 6, "accepted"),
            (unnamed, [second, first], 5, "limit-exceeded"),
            // A kid is one attempt.
            ([ours, first, second], [ours, first], 4, "accepted"),
            ([ours, first, second], [ours, first], 3, "limit-exceeded"),
            // Alone it is limited by its own number, also with the defaults.
            (unnamed, [second], 1, "accepted"), (unnamed, strangers(5), 16, "decryption-failed"),
            (unnamed, strangers(6), 16, "limit-exceeded"),
        ] {
            let token = try JWEJSONEncrypter(
                recipients: recipients.map {
                    try JWERecipient(key: $0.publicKey, algorithm: .rsaOAEP)
                },
                content: .a128CBCHS256
            ).encrypt([1], as: .general)
            let decrypter = try JWEDecrypter(
                keys: JWKSet(keys: keys), algorithms: [.rsaOAEP], content: [.a128CBCHS256],
                missingKeyID: .tryEligible(atMost: 4),
                limits: JOSELimits.with { $0.recipientCount = bound })
            let verdict = try Rejection.verdict { _ = try decrypter.decryptJSON(token) }
            #expect(verdict == wanted, "\(recipients.count) of \(bound)")
        }
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
        for (key, wanted) in [
            (TestKeys.bare(key), "accepted"),
            (
                TestKeys.named(key, nil, use: .signature, algorithm: "RS256", operations: .sign),
                "accepted"
            ), (TestKeys.named(key, nil, use: .encryption), "key-unusable"),
            (TestKeys.named(key, nil, algorithm: "RS512"), "key-unusable"),
            (TestKeys.named(key, nil, operations: .verify), "key-unusable"),
            (TestKeys.named(key, nil, operations: []), "key-unusable"),
            (try key.publicKey, "key-unusable"),
        ] {
            let verdict = try Rejection.verdict { _ = try JWSSigner(key: key, algorithm: .rs256) }
            #expect(verdict == wanted)
        }
    }

    @Test("a recipient must be a public key for encryption") func encrypting() throws {
        let key = try TestKeys.decrypting.publicKey
        for (key, wanted) in [
            (TestKeys.bare(key), "accepted"),
            (TestKeys.named(key, nil, operations: .encrypt), "accepted"),
            (TestKeys.named(key, nil, operations: .wrapKey), "accepted"),
            (TestKeys.named(key, nil, operations: .decrypt), "key-unusable"),
            (TestKeys.named(key, nil, use: .signature), "key-unusable"),
            (TestKeys.named(key, nil, algorithm: "RSA-OAEP-256"), "key-unusable"),
            (TestKeys.decrypting, "misuse"),
        ] {
            let verdict = try Rejection.verdict {
                _ = try JWEEncrypter.with(key, .rsaOAEP, .a128CBCHS256)
            }
            #expect(verdict == wanted)
        }
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
