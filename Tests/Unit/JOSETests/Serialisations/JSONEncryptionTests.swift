// JWE in JSON: encrypted and decrypted with one recipient and with many.

import JOSE
import Testing

@Suite("JWE in JSON: recipients")
struct JSONEncryptionTests {
    static let plaintext = Array("{\"héllo\":\"wörld\"}".utf8)
    /// Three keys with different names.
    static let keys = [
        TestKeys.decrypting, TestKeys.named(TestKeys.client, "second"),
        TestKeys.named(TestKeys.stranger, "third"),
    ]

    static func recipient(_ key: JWK, _ header: [String: JSONValue] = [:]) throws -> JWERecipient {
        try JWERecipient(key: key.publicKey, algorithm: .rsaOAEP, header: header)
    }

    static func token(
        _ keys: [JWK] = keys, _ form: JSONForm? = nil, additionalData: [UInt8] = []
    ) throws -> String {
        let encrypter = try JWEJSONEncrypter(
            recipients: keys.map { try recipient($0) }, content: .a128CBCHS256)
        guard let form else {
            return try encrypter.encrypt(plaintext, additionalData: additionalData)
        }
        return try encrypter.encrypt(plaintext, as: form, additionalData: additionalData)
    }

    static func decrypter(_ keys: [JWK]) throws -> JWEDecrypter {
        try JWEDecrypter.rsa(keys: keys)
    }

    @Test(
        "RFC 7516 7.2: every algorithm, flattened and general, with one recipient",
        arguments: KeyManagementAlgorithm.all)
    func rows(_ algorithm: KeyManagementAlgorithm) throws {
        for content in [ContentEncryptionAlgorithm.a128CBCHS256, .a256GCM] {
            let own = TestKeys.named(try TestKeys.decrypter(for: algorithm), "k")
            let recipient = try JWERecipient(
                key: TestKeys.otherSide(own), algorithm: algorithm, options: TestKeys.options)
            let encrypter = try JWEJSONEncrypter(
                recipients: [recipient], content: content, unprotectedHeader: ["x": 1])
            let decrypter = try JWEDecrypter.with(own, algorithm, content)
            for form in [JSONForm.flattened, .general] {
                for size in [0, 1, 16, 65_536] {
                    let plaintext = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 7) }
                    let aad = Array("aad".utf8.prefix(size))
                    let token = try encrypter.encrypt(plaintext, as: form, additionalData: aad)
                    let opened = try decrypter.decryptJSON(token)
                    #expect(opened.unauthenticatedPlaintext == plaintext)
                    #expect(opened.additionalData == aad)
                    #expect(opened.keyID == "k")
                    #expect(opened.header?.algorithm == JOSEAlgorithm(algorithm))
                    #expect(opened.unprotectedHeader == ["x": 1])
                    #expect(opened.recipientHeader == [:])
                    expectRejection("malformed") { _ = try decrypter.decrypt(token) }
                }
            }
        }
    }

    @Test("every two algorithms that wrap a key, together in one token")
    func pairs() throws {
        let rows = KeyManagementAlgorithm.all.filter { $0.status != .legacy }
        let keys = try rows.map { TestKeys.named(try TestKeys.decrypter(for: $0), "\($0)") }
        for (a, first) in zip(rows, keys) {
            for (b, second) in zip(rows, keys) {
                let recipients = try [(a, first), (b, second)].map {
                    try JWERecipient(key: TestKeys.otherSide($1), algorithm: $0, header: ["n": 1])
                }
                let isDirect = [a, b].contains { ["dir", "ECDH-ES"].contains("\($0)") }
                guard !isDirect else {
                    expectRejection("misuse") {
                        _ = try JWEJSONEncrypter(recipients: recipients, content: .a128CBCHS256)
                    }
                    continue
                }
                let token = try JWEJSONEncrypter(recipients: recipients, content: .a128CBCHS256)
                    .encrypt(Self.plaintext, as: .general, additionalData: [1, 2, 3])
                for (algorithm, key) in [(a, first), (b, second)] {
                    let opened = try JWEDecrypter.with(key, algorithm, .a128CBCHS256).decryptJSON(
                        token)
                    #expect(opened.unauthenticatedPlaintext == Self.plaintext, "\(a) \(b)")
                    #expect(opened.recipientHeader["alg"] == .string("\(algorithm)"))
                    #expect(opened.recipientHeader["n"] == 1)
                    #expect(opened.header?.encryption == .a128CBCHS256)
                }
            }
        }
    }

    @Test("1, 2 and 16 recipients are encrypted to and decrypt, 17 and none are rejected")
    func counts() throws {
        for count in [1, 2, 16] {
            let named = (0..<count).map { TestKeys.named(Self.keys[$0 % 3], "k\($0)") }
            let token = try Self.token(named)
            // The default form is the general one, which can have several recipients.
            #expect(try VectorValue(json: token)["recipients"]?.array?.count == count)
            for key in named {
                let opened = try Self.decrypter([key]).decryptJSON(token)
                #expect(opened.unauthenticatedPlaintext == Self.plaintext)
                #expect(opened.keyID == key.keyID)
            }
            let all = try Self.decrypter(named.reversed()).decryptJSON(token)
            #expect(all.keyID == "k0")
        }
        let many = Array(repeating: TestKeys.decrypting, count: 17)
        expectRejection("limit-exceeded") { _ = try Self.token(many) }
        expectRejection("misuse") { _ = try Self.token([]) }
        expectRejection("misuse") { _ = try Self.token(Self.keys, .flattened) }
    }

    @Test("kid, algorithm and use select the local recipient")
    func ours() throws {
        let token = try Self.token()
        for key in Self.keys {
            #expect(try Self.decrypter([key]).decryptJSON(token).keyID == key.keyID)
        }
        expectRejection("key-not-found") {
            _ = try Self.decrypter([TestKeys.named(TestKeys.decrypting, "other")])
                .decryptJSON(token)
        }
        let bare = try JWEDecrypter.rsa(TestKeys.bare(TestKeys.client))
        #expect(try bare.decryptJSON(token).unauthenticatedPlaintext == Self.plaintext)
        // A key with the right name and the wrong numbers fails, and no other key is tried.
        expectRejection("decryption-failed") {
            _ = try Self.decrypter([TestKeys.named(TestKeys.large, "second")]).decryptJSON(token)
        }
        expectRejection("algorithm-not-allowed") {
            _ = try JWEDecrypter.with(
                TestKeys.named(TestKeys.decrypting, "enc-1"), .rsaOAEP256, .a128CBCHS256
            ).decryptJSON(token)
        }
        expectRejection("algorithm-not-allowed") {
            _ = try JWEDecrypter.with(TestKeys.decrypting, .rsaOAEP, .a256GCM).decryptJSON(token)
        }
        expectRejection("key-unusable") {
            let signing = TestKeys.named(TestKeys.decrypting, "enc-1", use: .signature)
            _ = try Self.decrypter([signing]).decryptJSON(token)
        }
        let text = try Self.decrypter([Self.keys[1]]).explainJSON(token).description
        #expect(text.contains("recipient 1 skipped"))
        #expect(!text.contains("wörld"))
    }

    @Test("the protected header and the additional data are authenticated, byte for byte")
    func authenticated() throws {
        let decrypter = try Self.decrypter([Self.keys[0]])
        let token = try Self.token(additionalData: Array("bound".utf8))
        #expect(try decrypter.decryptJSON(token).additionalData == Array("bound".utf8))
        let protected = try need(VectorValue(json: token)["protected"]?.string)
        let other = try Independent.base64URL(
            Array("{ ".utf8) + Independent.base64URL(protected).dropFirst())
        for (name, value) in [
            ("aad", nil), ("aad", VectorValue.string("Ym91bmU")), ("aad", .string("Ym91bmRl")),
            ("protected", .string(other)),
            ("iv", .string(Independent.base64URL([UInt8](repeating: 0, count: 16)))),
            ("iv", .string("AAAA")), ("iv", .string("")), ("iv", nil),
            ("tag", .string(Independent.base64URL([UInt8](repeating: 0, count: 16)))),
            ("tag", .string("")), ("tag", nil), ("ciphertext", .string("")),
            ("ciphertext", .string("AAAA")),
        ] {
            let changed = try VectorValue.edited(token) { $0[name] = value }
            expectRejection("decryption-failed", name) { _ = try decrypter.decryptJSON(changed) }
        }
        // An aad that was not present when encrypting.
        let plain = try VectorValue.edited(Self.token()) { $0["aad"] = .string("Ym91bmQ") }
        expectRejection("decryption-failed") { _ = try decrypter.decryptJSON(plain) }
    }

    @Test("swapped, changed and missing encrypted keys: one failure, or another recipient's key")
    func encryptedKeys() throws {
        let whole = try Self.token()
        let list = try need(VectorValue(json: whole)["recipients"]?.array)
        func token(_ edit: (inout [[String: VectorValue]]) -> Void) throws -> String {
            var entries = try list.map { try need($0.object) }
            edit(&entries)
            return try VectorValue.edited(whole) {
                $0["recipients"] = .array(entries.map { .object($0) })
            }
        }
        let first = try Self.decrypter([Self.keys[0]])
        for corrupted in [
            try token { $0[0]["encrypted_key"] = $0[1]["encrypted_key"] },
            try token { $0[0]["encrypted_key"] = .string("") },
            try token { $0[0]["encrypted_key"] = nil },
            try token { $0[0]["encrypted_key"] = .string("AAAA") },
            try token {
                $0[0]["header"] = $0[1]["header"]; $0[1]["header"] = list[0]["header"]
            },
        ] {
            expectRejection("decryption-failed") { _ = try first.decryptJSON(corrupted) }
        }
        // A second local key decrypts what the first does not.
        let both = try Self.decrypter(Array(Self.keys.prefix(2)))
        let broken = try token { $0[0]["encrypted_key"] = .string("AAAA") }
        #expect(try both.decryptJSON(broken).keyID == "second")
        // Recipients may be added and removed without affecting the others: the list is not
        // authenticated.
        let fewer = try token { $0.removeFirst() }
        #expect(try both.decryptJSON(fewer).keyID == "second")
        expectRejection("key-not-found") { _ = try first.decryptJSON(fewer) }
    }

    @Test("members that an encrypter must not write are rejected")
    func making() throws {
        for name in ["alg", "enc", "kid", "zip", "crit", "epk", "iv", "tag", "p2c", "apu"] {
            expectRejection("misuse", name) {
                _ = try Self.recipient(TestKeys.decrypting, [name: "x"])
            }
            expectRejection("misuse", name) {
                _ = try JWEJSONEncrypter(
                    recipients: [Self.recipient(TestKeys.decrypting)], content: .a128CBCHS256,
                    unprotectedHeader: [name: "x"])
            }
        }
        let header = HeaderParameters(additional: ["x": 1])
        for (shared, own) in [
            (["x": JSONValue.integer(1)], [:]), ([:], ["x": JSONValue.integer(1)]),
        ] {
            expectRejection("misuse") {
                _ = try JWEJSONEncrypter(
                    recipients: [Self.recipient(TestKeys.decrypting, own)], content: .a128CBCHS256,
                    header: header, unprotectedHeader: shared)
            }
        }
        expectRejection("misuse") {
            _ = try JWEJSONEncrypter(
                recipients: [Self.recipient(TestKeys.decrypting, ["y": 1])], content: .a128CBCHS256,
                header: header, unprotectedHeader: ["y": 1])
        }
        expectRejection("misuse") {
            _ = try JWERecipient(key: TestKeys.decrypting, algorithm: .rsaOAEP)
        }
        let limits = JOSELimits.with { $0.tokenBytes = 2_000 }
        let small = try JWEJSONEncrypter(
            recipients: [Self.recipient(TestKeys.decrypting)], content: .a128CBCHS256,
            limits: limits)
        expectRejection("limit-exceeded") {
            _ = try small.encrypt([UInt8](repeating: 0, count: 1_500), as: .flattened)
        }
        expectRejection("limit-exceeded") {
            _ = try small.encrypt(
                [], as: .flattened, additionalData: [UInt8](repeating: 0, count: 1_500))
        }
        // Two recipients may each have a member of the same name.
        let two = try JWEJSONEncrypter(
            recipients: [
                Self.recipient(Self.keys[0], ["x": 1]), Self.recipient(Self.keys[1], ["x": 2]),
            ],
            content: .a128CBCHS256)
        let opened = try Self.decrypter([Self.keys[1]])
            .decryptJSON(two.encrypt([1], as: .general))
        #expect(opened.recipientHeader["x"] == 2)
    }
}
