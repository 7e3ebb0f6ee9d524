// Sets that require certificates for their keys: which keys are skipped or rejected, and when.

import JOSE
import JOSEBytes
import Testing

@Suite("Certificates: rules for sets")
struct CertificateRuleTests {
    private static let now = TestChains.now
    private let root = Result { try TestAuthority(TestKeys.bare(TestKeys.stranger)) }
    private let other = Result { try TestAuthority(TestKeys.bare(TestKeys.large), "Other") }

    private func store() throws -> TrustStore { try TrustStore(anchors: [root.get().certificate]) }

    private func text(_ keys: [JWK]) throws -> String { try JWKSet(keys: keys).publicKeys.json() }

    /// A key with a chain to the root, which is valid until `end`.
    private func certified(
        _ key: JWK, _ keyID: String?, use: KeyUse? = .signature, from start: Int64 = now - 1_000,
        until end: Int64 = now + 1_000, usage: UInt8 = 0xa0
    ) throws -> JWK {
        let leaf = try root.get().leaf(key) {
            ($0.start, $0.end) = (start, end)
            $0.extensions = [.keyUsage(usage, unused: 5)]
        }
        return try TestChains.key(TestKeys.named(key, keyID, use: use), [leaf])
    }

    /// Read with a rule that requires certificates.
    private func set(_ text: String, at time: Int64 = now) throws -> PublicJWKSet {
        try PublicJWKSet(json: text, certificates: .require(store()), at: TestChains.date(time))
    }

    private func token(_ key: JWK, _ keyID: String?) throws -> String {
        try JWTIssuer(
            key: TestKeys.named(key, keyID), algorithm: .rs256, lifetime: .seconds(86_000)
        ).issue(["sub": "a"], at: TestChains.date(Self.now - 2_000))
    }

    /// The verifier's result at that time. The asynchronous verifier must give the same.
    private func verdict(_ set: PublicJWKSet, _ token: String, _ time: Int64) async throws -> String
    {
        let time = try TestChains.date(time)
        let pair = try VerifierPair(ClaimsPolicy(issuer: .any, audience: .any), keys: set)
        let verdict = try await pair.verdict(token, at: time)
        if verdict == "untrusted-key" {
            #expect(pair.local.explain(token, at: time).error?.step == .certificate)
        }
        return verdict
    }

    @Test("each rule skips the keys that fail it and keeps the set") func rules() async throws {
        let stranger = try TestChains.key(
            TestKeys.named(TestKeys.decrypting, "bad", use: .signature),
            [other.get().leaf(TestKeys.decrypting)])
        let text = try text([
            certified(TestKeys.signing, "good"),
            TestKeys.named(TestKeys.client, "bare", use: .signature), stranger,
        ])
        let wanted: [(CertificateRule, Set<String>)] = [
            (.ignore, ["good", "bare", "bad"]),
            (.requireWhenPresent(try store()), ["good", "bare"]),
            (.require(try store()), ["good"]), (.require(try TrustStore(anchors: [])), []),
        ]
        for (rule, names) in wanted {
            let set = try PublicJWKSet(
                json: text, certificates: rule, at: TestChains.date(Self.now))
            #expect(set.count == 3)
            #expect(Set(set.keys().compactMap(\.keyID)) == names)
            #expect(set.skipped.count == 3 - names.count)
            #expect(set.skipped.allSatisfy { !$0.reason.isEmpty })
            for (name, key) in [
                ("good", TestKeys.signing), ("bare", TestKeys.client), ("bad", TestKeys.decrypting),
            ] {
                let expected = names.contains(name) ? "accepted" : "untrusted-key"
                let got = try await verdict(set, token(key, name), Self.now)
                #expect(got == expected, "\(name)")
                let taken = try Rejection.verdict { _ = try set.key(keyID: name) }
                #expect(taken == expected, "\(name), taken out")
            }
            // The same with another validation time and the prepared keys kept.
            let again = try PublicJWKSet(json: text).withCertificateRule(
                rule, at: TestChains.date(Self.now))
            #expect(again.skipped == set.skipped)
            #expect(try again.withCertificateRule(.ignore).storage === again.storage)
        }
    }

    @Test("RFC 5280 4.1.2.5: validity is checked at use, whatever it was when loaded")
    func clock() async throws {
        let text = try text([certified(TestKeys.signing, "a")])
        let token = try token(TestKeys.signing, "a")
        for loaded in [Self.now - 5_000, Self.now, Self.now + 5_000] {
            let set = try set(text, at: loaded)
            #expect(set.skipped.isEmpty == (loaded == Self.now))
            for (offset, expected) in [
                (-1_001, "untrusted-key"), (-1_000, "accepted"), (1_000, "accepted"),
                (1_001, "untrusted-key"), (0, "accepted"), (5_000, "untrusted-key"),
            ] {
                #expect(try await verdict(set, token, Self.now + Int64(offset)) == expected)
            }
        }
    }

    @Test("a token without kid uses the one key whose chain is valid now")
    func onlyOne() async throws {
        let text = try text([
            certified(TestKeys.signing, nil, until: Self.now + 10), certified(TestKeys.client, nil),
        ])
        let set = try set(text)
        let first = try token(TestKeys.signing, nil)
        let second = try token(TestKeys.client, nil)
        #expect(try await verdict(set, second, Self.now) == "key-not-found")
        #expect(try await verdict(set, second, Self.now + 11) == "accepted")
        #expect(try await verdict(set, first, Self.now + 11) == "signature-invalid")
    }

    @Test("a broken x5c rejects its own key, not the set") func broken() async throws {
        let good = try certified(TestKeys.signing, "good").publicJSON()
        let bare = try KeyText.publicKey("\"kid\":\"bad\",\"x5c\":[\"AAAA\"]", TestKeys.client)
        for order in [[good, bare], [bare, good]] {
            let set = try PublicJWKSet(
                json: KeyText.set(order), certificates: .requireWhenPresent(store()),
                at: TestChains.date(Self.now))
            #expect(set.keys().map(\.keyID) == ["good"])
            #expect(set.skipped.count == 1)
            #expect(
                try await verdict(set, token(TestKeys.signing, "good"), Self.now) == "accepted")
        }
    }

    @Test("RFC 5280 4.2.1.3: a chain for signatures is not valid for encryption")
    func purpose() throws {
        let cases: [(UInt8, String, String)] = [
            (0x80, "accepted", "untrusted-key"), (0x20, "untrusted-key", "accepted"),
        ]
        for (usage, signing, encrypting) in cases {
            // Without `use` the set allows the uses of the leaf.
            let text = try text([certified(TestKeys.signing, "a", use: nil, usage: usage)])
            let set = try set(text)
            let key = try set.key(keyID: "a")
            #expect(try Rejection.verdict { _ = try JWSVerifier.rs256(key) } == signing)
            #expect(
                try Rejection.verdict {
                    _ = try JWEEncrypter.with(key, .rsaOAEP256, .a128CBCHS256)
                } == encrypting)
        }
        let wrong = try text([certified(TestKeys.signing, "a", usage: 0x20)])
        #expect(try set(wrong).keys().isEmpty)
    }

    @Test("an encrypter checks the chain of its key for each token") func encrypter() throws {
        let text = try text([certified(TestKeys.decrypting, "e", use: .encryption)])
        let set = try set(text)
        let recipient = try JWTRecipient(
            key: set.key(use: .encryption), algorithm: .rsaOAEP256, content: .a128CBCHS256)
        let issuer = try JWTIssuer(
            key: TestKeys.signing, algorithm: .rs256, lifetime: .seconds(300))
        for (offset, expected) in [(0, "accepted"), (1_000, "accepted"), (1_001, "untrusted-key")] {
            let time = try TestChains.date(Self.now + Int64(offset))
            let got = try Rejection.verdict {
                _ = try issuer.issue(["sub": "a"], encryptedFor: recipient, at: time)
            }
            #expect(got == expected)
        }
    }

    @Test("X.509 versions 1 and 2 are rejected anywhere in a chain") func oldVersion() throws {
        let root = try root.get()
        let now = try TestChains.date(Self.now)
        let leaf = try root.leaf(TestKeys.signing) { $0.version = 1 }
        expectRejection("untrusted-key", says: "version 3") {
            _ = try TestChains.key(TestKeys.signing, [leaf])
                .validated(by: store(), purpose: .signature, at: now)
        }
        let middle = try TestAuthority(TestKeys.client, "Middle", by: root) { $0.version = 1 }
        expectRejection("untrusted-key") {
            _ = try TestChains.key(
                TestKeys.signing, [middle.leaf(TestKeys.signing), middle.certificate]
            ).validated(by: store(), purpose: .signature, at: now)
        }
        let old = try TestAuthority(TestKeys.client) { $0.version = 1 }
        expectRejection("malformed") { _ = try TrustStore(anchors: [old.certificate]) }
    }

    @Test("an issuer needs basicConstraints, keyUsage, validity and its own key")
    func issuers() throws {
        let (now, end) = (try TestChains.date(Self.now), try TestChains.date(Self.now + 100))
        let subject = CertificateSubject(commonName: "a")
        func issue(_ authority: JWK) throws -> JWK {
            try TestKeys.bare(TestKeys.signing).withCertificate(
                issuedBy: authority, subject: subject, from: now, until: end)
        }
        func authority(_ change: (inout TestCertificate) -> Void) throws -> JWK {
            let key = TestKeys.bare(TestKeys.stranger)
            return try TestChains.key(key, [TestAuthority(key, change: change).certificate])
        }
        let good = try issue(try authority { _ in })
        _ = try good.validated(by: store(), purpose: .signature, at: now)
        let (none, late) = ("does not allow issuing certificates", "is not valid at that time")
        let bad: [(String, (inout TestCertificate) -> Void)] = [
            (none, { $0.extensions = [.keyUsage(0x06, unused: 1)] }),
            (none, { $0.extensions = [.basicConstraints(isCA: false)] }),
            (none, { $0.extensions[1] = .keyUsage(0x80, unused: 7) }),
            (late, { $0.end = Self.now - 1 }), (late, { $0.start = Self.now + 1 }),
            ("", { $0.version = 1 }),
        ]
        for (index, (words, change)) in bad.enumerated() {
            let error = expectRejection("key-unusable", "\(index)") {
                _ = try issue(try authority(change))
            }
            #expect(error?.message.hasSuffix(words) == true, "\(index)")
        }
        expectRejection("key-unusable", "no certificate") {
            _ = try issue(TestKeys.bare(TestKeys.stranger))
        }
        // The certificate of another key is never used as the authority's.
        expectRejection("key-unusable") {
            _ = try TestKeys.client.withCertificates([root.get().certificate])
        }
        expectRejection("key-unusable") {
            _ = try TestChains.key(TestKeys.client, [root.get().certificate])
        }
    }
}
