// A validated key keeps its validation result in every set that contains it.

import JOSE
import Testing

@Suite("Certificates: validated chains in key sets")
struct ValidatedChainTests {
    private static let now = TestChains.now
    private let store: TrustStore
    private let certified: JWK

    init() throws {
        let root = try TestAuthority(TestKeys.bare(TestKeys.stranger))
        let leaf = try root.leaf(TestKeys.signing) {
            ($0.start, $0.end) = (TestChains.now - 1_000, TestChains.now + 1_000)
        }
        store = try TrustStore(anchors: [root.certificate])
        certified = try TestChains.key(TestKeys.named(TestKeys.signing, "a"), [leaf])
    }

    private func validated(_ purpose: CertificatePurpose) throws -> JWK {
        try certified.validated(by: store, purpose: purpose, at: TestChains.date(Self.now))
    }

    private var bare: JWK { TestKeys.named(TestKeys.client, "bare") }

    /// All ways to create a set of a key with this result and a key without one.
    private func sets(_ purpose: CertificatePurpose) throws -> [(String, PublicJWKSet)] {
        let keys = [bare, try validated(purpose)]
        let made = try PublicJWKSet(keys: keys)
        return [
            ("made", made),
            ("made of public keys", try PublicJWKSet(keys: keys.map { try $0.publicKey })),
            ("own, published", try JWKSet(keys: keys).publicKeys),
            ("of its own keys", try PublicJWKSet(keys: made.keys())),
            ("a part", try PublicJWKSet(keys: made.keys().filter { $0.validatedChain != nil })),
            ("by keyID", try PublicJWKSet(keys: [made.key(keyID: "a")])),
            ("computing otherwise", made.withAcceleration(.noKernels)),
            ("standing in", made.markedStale()),
            (
                "own, computing otherwise",
                try JWKSet(keys: keys).withAcceleration(.noKernels).publicKeys
            ),
        ]
    }

    private func token(_ key: JWK, _ keyID: String?) throws -> String {
        try JWTIssuer(
            key: TestKeys.named(key, keyID), algorithm: .rs256, lifetime: .seconds(86_000)
        ).issue(["sub": "a"], at: TestChains.date(Self.now - 2_000))
    }

    private func verifier(_ set: PublicJWKSet) throws -> JWTVerifier {
        try JWTVerifier.checking(signature: .rs256(keys: set))
    }

    private static let moments: [(Int64, Bool)] = [
        (0, true), (1_001, false), (1_000, true), (-1_001, false), (-1_000, true), (0, true),
        (50_000, false),
    ]

    private func expectBounded(
        _ set: PublicJWKSet, _ name: String,
        reason: String = "the key's certificates are not valid at this time"
    ) throws {
        let verifier = try verifier(set)
        let token = try token(TestKeys.signing, "a")
        for (offset, isExternal) in Self.moments {
            let time = try TestChains.date(Self.now + offset)
            let verdict = try Rejection.verdict { _ = try verifier.verify(token, at: time) }
            #expect(verdict == (isExternal ? "accepted" : "untrusted-key"), "\(name), \(offset)")
            let explanation = verifier.explain(token, at: time)
            #expect(explanation.error.map(Rejection.text) == (isExternal ? nil : "untrusted-key"))
            #expect(
                explanation.description.contains("key 'a' skipped: \(reason)") == !isExternal,
                "\(name), \(offset)")
        }
    }

    @Test("RFC 5280 6: the chain's validity is checked at each use, in every set")
    func time() throws {
        let single = try JWTVerifier.checking(signature: .rs256(validated(.signature).publicKey))
        let signed = try token(TestKeys.signing, "a")
        for (offset, isExternal) in Self.moments {
            let time = try TestChains.date(Self.now + offset)
            let verdict = try Rejection.verdict { _ = try single.verify(signed, at: time) }
            #expect(verdict == (isExternal ? "accepted" : "untrusted-key"))
        }
        for (name, set) in try sets(.signature) { try expectBounded(set, name) }
        let text = try PublicJWKSet(keys: [certified, bare]).json()
        let trusted = try PublicJWKSet(
            json: text, certificates: .requireWhenPresent(store), at: TestChains.date(Self.now))
        try expectBounded(trusted, "trusted", reason: "")
        let part = try PublicJWKSet(keys: trusted.keys().filter { $0.keyID == "a" })
        try expectBounded(part, "a part of a trusted one")
    }

    @Test("other keys of the set need no chain and get no validation result")
    func neighbours() throws {
        let signed = try token(TestKeys.client, "bare")
        let unnamed = try token(TestKeys.client, nil)
        let late = try TestChains.date(Self.now + 1_001)
        for (_, set) in try sets(.signature) where set.count == 2 {
            let verifier = try verifier(set)
            for offset in [0, 1_001, 50_000] as [Int64] {
                let time = try TestChains.date(Self.now + offset)
                _ = try verifier.verify(signed, at: time)
            }
            // Without kid the only key is the one that is valid.
            _ = try verifier.verify(unnamed, at: late)
            #expect(try set.key(keyID: "bare").validatedChain == nil)
            let proof = try validated(.signature).validatedChain
            #expect(try set.key(keyID: "a").validatedChain == proof)
            #expect(set.keys().count == 2 && set.skipped.isEmpty)
        }
    }

    @Test("a chain validated for one purpose is not valid for the other") func purpose() throws {
        let time = try TestChains.date(Self.now)
        let late = try TestChains.date(Self.now + 1_001)
        let signed = try token(TestKeys.signing, "a")
        let issuer = try JWTIssuer(
            key: TestKeys.bare(TestKeys.client), algorithm: .rs256, lifetime: .seconds(60))
        func encrypt(_ set: PublicJWKSet, _ now: NumericDate) throws {
            let recipient = try JWTRecipient(
                key: set.key(keyID: "a"), algorithm: .rsaOAEP, content: .a128GCM)
            _ = try issuer.issue(["sub": "a"], encryptedFor: recipient, at: now)
        }
        let query = KeyQuery.verifying(.rs256)
        for (name, set) in try sets(.encryption) {
            let index = set.count - 1
            #expect(set.match(index, query) == .untrusted, "\(name)")
            expectRejection("untrusted-key", name) {
                _ = try verifier(set).verify(signed, at: time)
            }
            let lines = try verifier(set).explain(signed, at: time).description
            #expect(lines.contains("key 'a' skipped: the key's certificates are not trusted"))
            try encrypt(set, time)
            expectRejection("untrusted-key", name) { try encrypt(set, late) }
        }
        for (name, set) in try sets(.signature) {
            let index = set.count - 1
            #expect(set.match(index, query) == .matches, "\(name)")
            #expect(set.match(index, .encrypting(.rsaOAEP)) == .untrusted, "\(name)")
            expectRejection("untrusted-key", name) { try encrypt(set, time) }
        }
    }

    @Test("exported JSON carries no validation result, and a rule validates again")
    func judgedAnew() throws {
        let plain = try PublicJWKSet(keys: [certified, bare])
        let set = try PublicJWKSet(keys: [validated(.signature), bare])
        #expect(plain.trust == nil)
        #expect(set.trust?.validUntil?.seconds == Self.now + 1_000)
        #expect(set.json() == plain.json())
        #expect(try PublicJWKSet(json: set.json()).trust == nil)
        let late = try TestChains.date(Self.now + 1_001)
        let signed = try token(TestKeys.signing, "a")
        _ = try verifier(plain).verify(signed, at: late)
        let rule = CertificateRule.require(try TrustStore(anchors: []))
        let strict = try set.withCertificateRule(rule, at: TestChains.date(Self.now))
        #expect(strict.skipped.count == 2)
    }
}
