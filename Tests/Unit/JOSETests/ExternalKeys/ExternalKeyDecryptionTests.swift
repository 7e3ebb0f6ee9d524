// Decryption with external keys: every algorithm and kind of result, and wrong results of every
// kind.

import JOSE
import JOSECrypto
import Synchronization
import Testing

@Suite("External keys: decryption")
struct ExternalKeyDecryptionTests {
    static let algorithms = KeyManagementAlgorithm.all.filter { !$0.keyTypes.contains(.oct) }
    static let contents: [ContentEncryptionAlgorithm] = [
        .a128CBCHS256, .a256CBCHS512, .a128GCM, .a256GCM,
    ]

    @Test(
        "Every algorithm, kind of result and content encryption decrypts as with a local key",
        arguments: algorithms)
    func everyAlgorithm(_ algorithm: KeyManagementAlgorithm) async throws {
        for key in try Self.keys(for: algorithm) {
            for kind in algorithm.keyTypes.contains(.rsa)
                ? TestExternalKey.ResultKind.allCases : [.block]
            {
                for content in Self.contents {
                    let externalKey = try TestExternalKey(key, kind)
                    let held = try key.publicKey.withExternalKey(externalKey)
                    let token = try JWEEncrypter.with(key.publicKey, algorithm, content).encrypt(
                        "plaintext")
                    let decrypter = try JWEDecrypter.with(held, algorithm, content)
                    // From the third time on, the header is cached, or all of it except the
                    // ephemeral key.
                    for time in 1...4 {
                        let opened = try await decrypter.decrypt(token, timeout: ample)
                        #expect(opened.unauthenticatedPlaintext == Array("plaintext".utf8))
                        #expect(opened.keyID == key.keyID)
                        #expect(externalKey.callCount == time)
                    }
                    expectRejection("misuse") { _ = try decrypter.decrypt(token) }
                    #expect(externalKey.callCount == 4)
                    let here = try JWEDecrypter.with(key, algorithm, content)
                    #expect(
                        try await here.decrypt(token, timeout: ample).unauthenticatedPlaintext
                            == Array("plaintext".utf8))
                }
            }
        }
    }

    @Test(
        "apu, apv and several recipients, local and external, in the JSON serialisations")
    func json() async throws {
        let curve = try JWK.generate(.curve(.p256), keyID: "curve")
        let rsa = TestKeys.named(TestKeys.decrypting, "rsa")
        var options = RecipientOptions()
        options.partyU = [1, 2, 3]
        options.partyV = Array(repeating: 7, count: 40)
        let token = try JWEJSONEncrypter(
            recipients: [
                JWERecipient(key: curve.publicKey, algorithm: .ecdhESA256KW, options: options),
                JWERecipient(key: rsa.publicKey, algorithm: .rsaOAEP256),
            ], content: .a128GCM
        ).encrypt(Array("plaintext".utf8))
        for key in [curve, rsa] {
            let externalKey = try TestExternalKey(key, .block)
            let decrypter = try JWEDecrypter(
                key: key.publicKey.withExternalKey(externalKey),
                algorithms: [.ecdhESA256KW, .rsaOAEP256],
                content: [.a128GCM])
            let opened = try await decrypter.decryptJSON(token, timeout: ample)
            #expect(opened.unauthenticatedPlaintext == Array("plaintext".utf8))
            #expect(opened.keyID == key.keyID)
            expectRejection("misuse") { _ = try decrypter.decryptJSON(token) }
        }
        // The first recipient's external key gives a wrong result, the second key is local.
        let liar = TestExternalKey(agree: { _ in secret([UInt8](repeating: 9, count: 32)) })
        let both = try JWEDecrypter(
            keys: JWKSet(keys: [curve.publicKey.withExternalKey(liar), rsa]),
            algorithms: [.ecdhESA256KW, .rsaOAEP256], content: [.a128GCM])
        #expect(try await both.decryptJSON(token, timeout: ample).keyID == "rsa")
        #expect(liar.callCount == 1)
    }

    @Test("Without kid each eligible key is tried once, local or external")
    func tryEligible() async throws {
        let keys = [TestKeys.stranger, TestKeys.client, TestKeys.decrypting].enumerated().map {
            TestKeys.named($1, "key-\($0)")
        }
        var bare = try keys[2].publicKey
        bare.keyID = nil
        let encrypter = try JWEEncrypter.with(bare, .rsaOAEP, .a128CBCHS256)
        // Below each modulus, so that each key may be called.
        var token = ""
        repeat {
            token = try encrypter.encrypt("plaintext")
        } while try Independent.base64URL(String(token.split(separator: ".")[1]))[0] >= 0x80
        for flags in 0..<8 {
            let externalKeys = try keys.map {
                try TestExternalKey($0, flags & 1 == 0 ? .block : .contentKey)
            }
            let set = JWKSet(
                keys: try keys.indices.map { index in
                    flags >> index & 1 == 0
                        ? try keys[index].publicKey.withExternalKey(externalKeys[index])
                        : keys[index]
                })
            let decrypter = try JWEDecrypter(
                keys: set, algorithms: [.rsaOAEP], content: [.a128CBCHS256],
                missingKeyID: .tryEligible(atMost: 4))
            #expect(try await decrypter.decrypt(token, timeout: ample).keyID == "key-2")
            for index in keys.indices {
                #expect(externalKeys[index].callCount == (flags >> index & 1 == 0 ? 1 : 0))
            }
            guard flags != 7 else { continue }
            expectRejection("misuse") { _ = try decrypter.decrypt(token) }
        }
        let none = JWKSet(
            keys: try keys.prefix(2).map {
                try $0.publicKey.withExternalKey(TestExternalKey($0, .block))
            })
        let decrypter = try JWEDecrypter(
            keys: none, algorithms: [.rsaOAEP], content: [.a128CBCHS256],
            missingKeyID: .tryEligible(atMost: 4))
        let error = await expectRejection("decryption-failed") {
            _ = try await decrypter.decrypt(token, timeout: ample)
        }
        #expect(error == .decryptionFailed)
    }

    @Test("Every wrong result for an encrypted key is the same decryptionFailed")
    func wrongUnwrapping() async throws {
        let key = TestKeys.decrypting
        let device = try SoftDevice(key)
        for (algorithm, hash) in [
            (KeyManagementAlgorithm.rsaOAEP, HashAlgorithm.sha1), (.rsaOAEP256, .sha256),
        ] {
            for content in [ContentEncryptionAlgorithm.a128CBCHS256, .a256GCM] {
                var public_ = try key.publicKey
                public_.algorithm = nil
                let token = try JWEEncrypter.with(public_, algorithm, content)
                    .encrypt("plaintext")
                let encryptedKey = try Independent.base64URL(String(token.split(separator: ".")[1]))
                let request = ExternalUnwrappingRequest(
                    algorithm: algorithm, encryptedKey: encryptedKey, deadline: .now)
                let cek = try need(device.unwrap(request))
                let good = OAEP(hash: hash, key: cek, count: encryptedKey.count)
                let whole = try good.encoded()
                var responses: [(String, ExternalUnwrappedKey?, [String])] = [
                    ("no result", nil, ["unwrap failed"]),
                    ("empty", .contentKey(secret([])), ["unwrap invalid"]),
                    ("short", .contentKey(secret(Array(cek.dropLast()))), ["unwrap invalid"]),
                    ("long", .contentKey(secret(cek + [0])), ["unwrap invalid"]),
                    ("another", .contentKey(secret(cek.map { ~$0 })), []),
                    ("one bit", .contentKey(secret([cek[0] ^ 1] + cek.dropFirst())), []),
                    ("a key as a block", .block(secret(cek)), ["unwrap invalid"]),
                    ("an empty block", .block(secret([])), ["unwrap invalid"]),
                    ("a block as a key", .contentKey(secret(whole)), ["unwrap invalid"]),
                    ("a short block", .block(secret(Array(whole.dropFirst()))), ["unwrap invalid"]),
                ]
                responses += try good.damaged().map { ($0, .block(secret($1)), []) }
                for (name, response, events) in responses {
                    let reportedEvents = OperatorEvents()
                    let externalKey = TestExternalKey(unwrap: { _ in response })
                    let held = try public_.withExternalKey(
                        externalKey, options: reportedEvents.rule())
                    let decrypter = try JWEDecrypter.with(held, algorithm, content)
                    let error = await expectRejection("decryption-failed", name) {
                        _ = try await decrypter.decrypt(token, timeout: ample)
                    }
                    #expect(error == .decryptionFailed && error?.step == .decryption, "\(name)")
                    #expect(reportedEvents.all == events, "\(name)")
                    #expect(externalKey.callCount == 1)
                }
                // The unchanged original is accepted.
                for response in [
                    ExternalUnwrappedKey.contentKey(secret(cek)), .block(secret(whole)),
                ] {
                    let held = try public_.withExternalKey(
                        TestExternalKey(unwrap: { _ in response }))
                    let opened = try await JWEDecrypter.with(held, algorithm, content)
                        .decrypt(token, timeout: ample)
                    #expect(opened.unauthenticatedPlaintext.count == 9)
                }
            }
        }
    }

    @Test(
        "Every wrong result of a key agreement is the same decryptionFailed",
        arguments: [
            KeyManagementAlgorithm.ecdhES, .ecdhESA128KW,
        ])
    func wrongAgreement(_ algorithm: KeyManagementAlgorithm) async throws {
        for key in try Self.keys(for: algorithm) {
            let size = (key.sizeBits + 7) / 8
            let token = try JWEEncrypter.with(key.publicKey, algorithm, .a128CBCHS256).encrypt(
                "plaintext")
            let responses: [(ExternalKeySecret?, [String])] = [
                (nil, ["agree failed"]),
                (secret([]), ["agree invalid"]),
                (secret([UInt8](repeating: 0, count: size)), []),
                (secret([UInt8](repeating: 1, count: size)), []),
                (secret([UInt8](repeating: 1, count: size - 1)), ["agree invalid"]),
                (secret([UInt8](repeating: 1, count: size + 1)), ["agree invalid"]),
            ]
            for (response, events) in responses {
                let reportedEvents = OperatorEvents()
                let held = try key.publicKey.withExternalKey(
                    TestExternalKey(agree: { _ in response }), options: reportedEvents.rule())
                let decrypter = try JWEDecrypter.with(held, algorithm, .a128CBCHS256)
                let error = await expectRejection("decryption-failed") {
                    _ = try await decrypter.decrypt(token, timeout: ample)
                }
                #expect(error == .decryptionFailed)
                #expect(reportedEvents.all == events)
            }
        }
    }

    @Test("An external key is not called if public data show that decryption must fail")
    func notRequested() async throws {
        let rsa = TestKeys.decrypting
        let token = try JWEEncrypter.rsa(rsa).encrypt("plaintext")
        let modulus = try need(rsa.prepared.material as? RSAKeyMaterial).modulus
        let zeros = [UInt8](repeating: 0, count: 256)
        let keys: [[UInt8]] = [
            [], [1, 2, 3], [UInt8](repeating: 0xff, count: 256), [UInt8](repeating: 1, count: 255),
            modulus, modulus.dropLast() + [modulus[255] - 1], zeros, zeros.dropLast() + [1],
        ]
        let externalKey = try TestExternalKey(rsa)
        let decrypter = try JWEDecrypter.rsa(rsa.publicKey.withExternalKey(externalKey))
        var wrong = keys.map { (1, $0) }
        for (index, sizes) in [(2, [0, 15]), (3, [0, 1, 15, 17]), (4, [0, 15])] {
            wrong += sizes.map { (index, [UInt8](repeating: 1, count: $0)) }
        }
        for (index, bytes) in wrong {
            let part = TestToken.replacing(index, of: token, by: Independent.base64URL(bytes))
            let error = await expectRejection("decryption-failed") {
                _ = try await decrypter.decrypt(part, timeout: ample)
            }
            #expect(error == .decryptionFailed)
        }
        await expectRejection("algorithm-not-allowed") {
            let other = try JWEEncrypter.with(
                TestKeys.bare(rsa).publicKey, .rsaOAEP256, .a128CBCHS256)
            _ = try await decrypter.decrypt(other.encrypt("x"), timeout: ample)
        }
        await expectRejection("key-not-found") {
            let other = try TestKeys.named(rsa, "another").publicKey
            let encrypter = try JWEEncrypter.with(other, .rsaOAEP, .a128CBCHS256)
            _ = try await decrypter.decrypt(encrypter.encrypt("x"), timeout: ample)
        }
        #expect(externalKey.callCount == 0)
        // A point off the curve.
        let curve = try JWK.generate(.curve(.p256))
        let agreeing = try TestExternalKey(curve)
        let agreed = try JWEDecrypter.with(
            curve.publicKey.withExternalKey(agreeing), .ecdhES, .a128GCM)
        let x = Independent.base64URL([UInt8](repeating: 5, count: 32))
        let epk = #"{"kty":"EC","crv":"P-256","x":"\#(x)","y":"\#(x)"}"#
        let forged = TestToken.forged(#"{"alg":"ECDH-ES","enc":"A128GCM","epk":\#(epk)}"#)
        await expectRejection("decryption-failed") {
            _ = try await agreed.decrypt(forged, timeout: ample)
        }
        #expect(agreeing.callCount == 0)
    }

    @Test(
        "An asynchronous verifier decrypts with an external key: alone, in a table, explained"
    )
    func verifiers() async throws {
        let key = TestKeys.decrypting
        let externalKey = try TestExternalKey(key, .block)
        let held = try key.publicKey.withExternalKey(externalKey)
        let issuer = try JWTIssuer(
            key: TestKeys.signing, algorithm: .rs256, lifetime: .seconds(3_600))
        let token = try issuer.issue(
            ["iss": "us", "aud": "you"] as JSONValue, encryptedFor: JWTRecipient.rsa(key))
        let encryption = EncryptionRule.rsa(keys: [held])
        let signature = SignatureRule.rs256()
        let policy = ClaimsPolicy(issuer: "us", audience: "you")
        let synchronous = try JWTVerifier.checking(policy, encryption, signature: signature)
        expectRejection("misuse") { _ = try synchronous.verify(token) }
        #expect(synchronous.explain(token).error?.code == .misuse)
        let source = try PublicJWKSet(keys: [TestKeys.signing])
        func verifier(_ encryption: EncryptionRule, fetches: Bool) throws -> AsyncJWTVerifier {
            guard !fetches else { return try .checking(policy, encryption, source: source) }
            return try AsyncJWTVerifier(
                policy: policy, encryption: encryption, signature: signature)
        }
        for fetches in [false, true] {
            let single = try verifier(encryption, fetches: fetches)
            #expect(try await single.verify(token, timeout: ample).issuer == "us")
            let explanation = await single.explain(token, timeout: ample)
            #expect(explanation.error == nil)
            #expect(explanation.lines.count { $0.step == .decryption } == 1)
            let table = try AsyncJWTVerifier(
                byIssuer: [verifier(.notEncrypted, fetches: fetches)], encryption: encryption)
            #expect(try await table.verify(token, timeout: ample).issuer == "us")
        }
        #expect(try await verifier(encryption, fetches: true).verify(token).issuer == "us")
        #expect(externalKey.callCount == 7)
    }

    @Test(
        "An external key decrypts tokens without a signature or with a MAC inside"
    )
    func otherLayers() async throws {
        let key = TestKeys.decrypting
        let externalKey = try TestExternalKey(key)
        let encryption = EncryptionRule.rsa(try key.publicKey.withExternalKey(externalKey))
        let policy = ClaimsPolicy(issuer: "us", audience: "you")
        let claims = #"{"iss":"us","aud":"you","exp":4000000000}"#
        let encrypter = try JWEEncrypter.rsa(key)
        let plain = try AsyncJWTVerifier(
            policy: policy, encryption: encryption, signature: .insecureNotSigned)
        #expect(try await plain.verify(encrypter.encrypt(claims), timeout: ample).issuer == "us")
        await expectRejection("malformed") {
            _ = try await plain.verify(encrypter.encrypt("no claims"), timeout: ample)
        }
        let secret = try JWK.generate(.symmetric(bits: 256), keyID: "s")
        let issuer = try JWTIssuer(key: secret, algorithm: .hs256)
        let recipient = try JWTRecipient.rsa(key)
        let token = try issuer.issue(json: Array(claims.utf8), encryptedFor: recipient)
        let shared = try AsyncJWTVerifier(
            policy: policy, encryption: encryption,
            signature: .required(key: secret, algorithms: [.hs256]))
        #expect(try await shared.verify(token, timeout: ample).issuer == "us")
        let other = try AsyncJWTVerifier(
            policy: policy, encryption: encryption,
            signature: .required(
                key: JWK.generate(.symmetric(bits: 256), keyID: "s"), algorithms: [.hs256]))
        await expectRejection("signature-invalid") {
            _ = try await other.verify(token, timeout: ample)
        }
        // Neither accepts the other's tokens, nor tokens without the outer layer.
        await expectRejection("malformed") { _ = try await plain.verify(token, timeout: ample) }
        await expectRejection("malformed") {
            _ = try await shared.verify(encrypter.encrypt(claims), timeout: ample)
        }
        await expectRejection("malformed") {
            _ = try await shared.verify(issuer.issue(json: Array(claims.utf8)), timeout: ample)
        }
        expectRejection("misuse") {
            _ = try AsyncJWTVerifier(
                policy: policy, encryption: .notEncrypted, signature: .insecureNotSigned)
        }
    }

    @Test(
        "A malformed part is rejected as with a local key, without calling the external key"
    )
    func malformed() async throws {
        let key = TestKeys.decrypting
        let externalKey = try TestExternalKey(key)
        let here = try JWEDecrypter.rsa(key)
        let asking = try JWEDecrypter.rsa(key.publicKey.withExternalKey(externalKey))
        for size in [3, 10_000] {
            let token = try JWEEncrypter.rsa(key).encrypt(String(repeating: "x", count: size))
            let parts = token.split(separator: ".").map(String.init)
            for index in parts.indices {
                for wrong in [
                    "", "A", "A?AA", parts[index] + "A", parts[index] + "=", parts[index] + ".",
                    String(parts[index].dropLast()),
                ] {
                    let damaged = TestToken.replacing(index, of: token, by: wrong)
                    var expected: JOSEError?
                    do { _ = try here.decrypt(damaged) } catch { expected = error }
                    let before = externalKey.callCount
                    var found: JOSEError?
                    do { _ = try await asking.decrypt(damaged, timeout: ample) } catch {
                        found = error
                    }
                    #expect(found == expected && found != nil, "\(index) \(wrong.prefix(9))")
                    // An IV or a tag of a wrong size excludes the message, whatever the key
                    // returns.
                    guard found?.code != .decryptionFailed || [2, 4].contains(index) else {
                        continue
                    }
                    #expect(externalKey.callCount == before, "\(index) \(wrong.prefix(9))")
                }
            }
        }
    }

    @Test(
        "Replacing a key set during an operation affects only the next call"
    )
    func rotation() async throws {
        let (old, new) = (
            TestKeys.named(TestKeys.decrypting, "k"), TestKeys.named(TestKeys.stranger, "k")
        )
        let (asked, replaced) = (Gauge(), Gauge())
        let device = try SoftDevice(old)
        let first = TestExternalKey(unwrap: { request in
            asked.rise()
            await replaced.reach(1)
            return device.unwrap(request).map { .contentKey(secret($0)) }
        })
        let second = try TestExternalKey(new)
        func decrypter(_ key: JWK, _ externalKey: TestExternalKey) throws -> JWEDecrypter {
            try JWEDecrypter.rsa(keys: [key.publicKey.withExternalKey(externalKey)])
        }
        func token(_ key: JWK) throws -> String {
            try JWEEncrypter.rsa(key)
                .encrypt("plaintext")
        }
        let current = Mutex(try decrypter(old, first))
        let early = Task { [token = try token(old)] in
            try await current.withLock { $0 }.decrypt(token, timeout: ample)
        }
        await asked.reach(1)
        let next = try decrypter(new, second)
        current.withLock { $0 = next }
        replaced.rise()
        #expect(try await early.value.unauthenticatedPlaintext == Array("plaintext".utf8))
        #expect((first.callCount, second.callCount) == (1, 0))
        let late = try await current.withLock { $0 }.decrypt(token(new), timeout: ample)
        #expect(late.unauthenticatedPlaintext == Array("plaintext".utf8))
        await expectRejection("decryption-failed") {
            _ = try await current.withLock { $0 }.decrypt(token(old), timeout: ample)
        }
        // The key is not called if the other key's encrypted key is not below the modulus.
        #expect(first.callCount == 1 && 1...2 ~= second.callCount)
    }

    @Test(
        "Concurrent calls with one key each get their own plaintext"
    )
    func concurrent() async throws {
        let key = TestKeys.decrypting
        let device = try SoftDevice(key)
        let (asked, free) = (Gauge(), Gauge())
        let externalKey = TestExternalKey(unwrap: { request in
            asked.rise()
            await free.reach(1)
            return device.unwrap(request).map { .contentKey(secret($0)) }
        })
        let decrypter = try JWEDecrypter.rsa(key.publicKey.withExternalKey(externalKey))
        let encrypter = try JWEEncrypter.rsa(key)
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<8 {
                let token = try encrypter.encrypt("message \(number)")
                group.addTask {
                    try await decrypter.decrypt(token, timeout: ample).unauthenticatedPlaintext
                        == Array("message \(number)".utf8)
                }
            }
            await asked.reach(8)
            free.rise()
            for try await isOwn in group { #expect(isOwn) }
        }
        #expect(externalKey.callCount == 8)
    }

    @Test(
        "A table and the issuer's verifier report the same error inside an encrypted token"
    )
    func insideTable() async throws {
        let key = TestKeys.decrypting
        let encryption = EncryptionRule.rsa(try key.publicKey.withExternalKey(TestExternalKey(key)))
        let policy = ClaimsPolicy(issuer: "us", audience: "you")
        let source = try PublicJWKSet(keys: [TestKeys.signing])
        let table = try AsyncJWTVerifier(
            byIssuer: [
                AsyncJWTVerifier.checking(policy, source: source)
            ], encryption: encryption)
        let single = try AsyncJWTVerifier.checking(policy, encryption, source: source)
        let encrypter = try JWEEncrypter(
            key: key.publicKey, algorithm: .rsaOAEP, content: .a128CBCHS256,
            header: HeaderParameters(contentType: "JWT"))
        let inner = try JWTIssuer(
            key: TestKeys.signing, algorithm: .rs256, lifetime: .seconds(3_600)
        )
        .issue(["iss": "us", "aud": "you"] as JSONValue)
        for (index, wrong) in [(0, "e30"), (0, "?"), (2, "A"), (2, "")] {
            let token = try encrypter.encrypt(TestToken.replacing(index, of: inner, by: wrong))
            var (one, other): (JOSEError?, JOSEError?)
            do { _ = try await single.verify(token) } catch { one = error }
            do { _ = try await table.verify(token) } catch { other = error }
            #expect(one == other && one != nil, "\(index) \(wrong)")
        }
    }

    private static func keys(for algorithm: KeyManagementAlgorithm) throws -> [JWK] {
        guard !algorithm.keyTypes.contains(.rsa) else {
            return [TestKeys.named(TestKeys.decrypting, "held")]
        }
        return try [JWKCurve.p256, .p384, .p521, .x25519, .x448].map {
            try JWK.generate(.curve($0), keyID: "held")
        }
    }
}

/// An encoded message of RSAES-OAEP (RFC 8017, 7.1.1), with a fixed seed.
private struct OAEP {
    let hash: HashAlgorithm
    let key: [UInt8]
    let count: Int

    func encoded(_ change: (_ data: inout [UInt8]) -> Void = { _ in }, first: UInt8 = 0) throws
        -> [UInt8]
    {
        let empty = try Hash.digest(hash, [UInt8]().span)
        var data =
            empty + [UInt8](repeating: 0, count: count - 2 - 2 * empty.count - key.count) + [1]
            + key
        change(&data)
        let seed = (0..<empty.count).map { UInt8(truncatingIfNeeded: 17 * $0 + 3) }
        let masked = zip(data, try mask(seed, data.count)).map { $0 ^ $1 }
        return try [first] + zip(seed, mask(masked, seed.count)).map { $0 ^ $1 } + masked
    }

    /// One for each class of error: the first byte, the hash of the label, the zeros, the
    /// separator, and its offset.
    func damaged() throws -> [(String, [UInt8])] {
        let hashBytes = hash.digestBytes
        let separator = count - 1 - hashBytes - key.count - 1
        var all = [("the first byte", try encoded(first: 1))]
        for position in [0, 1, hashBytes - 1] {
            all.append(("byte \(position) of the hash", try encoded { $0[position] ^= 0x80 }))
        }
        for position in [hashBytes, hashBytes + 7, separator - 1] {
            all.append(("zero \(position)", try encoded { $0[position] = 2 }))
            all.append(("a separator at \(position)", try encoded { $0[position] = 1 }))
        }
        all.append(("no separator", try encoded { $0[separator] = 0 }))
        all.append(("another separator", try encoded { $0[separator] = 0xff }))
        let late = try encoded { ($0[separator], $0[separator + 1]) = (0, 1) }
        return all + [("a late separator", late)]
    }

    private func mask(_ seed: [UInt8], _ count: Int) throws -> [UInt8] {
        var out: [UInt8] = []
        var counter: UInt8 = 0
        while out.count < count {
            let input = seed + [0, 0, 0, counter]
            out += try Hash.digest(hash, input.span)
            counter += 1
        }
        return Array(out.prefix(count))
    }
}
