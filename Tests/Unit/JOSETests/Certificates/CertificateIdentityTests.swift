// The identity that a certificate must have: what a store restricted to one identity accepts, and
// similar identities that it rejects.

import JOSE
import JOSEBytes
import Testing

@Suite("Certificates: identity")
struct CertificateIdentityTests {
    private static let now = TestChains.now
    private typealias Extension = TestCertificate.Extension

    private let root = Result { try TestAuthority(TestKeys.bare(TestKeys.stranger)) }

    private func store() throws -> TrustStore { try TrustStore(anchors: [root.get().certificate]) }

    /// subjectAltName with these names: tag and value.
    private static func names(_ all: [(UInt8, String)]) -> Extension {
        .other(
            17, TestDER.sequence(all.flatMap { TestDER.tagged($0, Array($1.utf8)) }),
            isCritical: false)
    }

    /// certificatePolicies with these identifiers.
    private static func policies(_ all: [[UInt8]]) -> Extension {
        .other(
            32, TestDER.sequence(all.flatMap { TestDER.sequence(TestDER.tagged(0x06, $0)) }),
            isCritical: false)
    }

    private static let usage = Extension.keyUsage(0xa0, unused: 5)
    private static let bank: [UInt8] = [0x04, 0x00, 0x8e, 0x46, 0x01]  // 0.4.0.1862.1
    private static let anyPolicy: [UInt8] = [0x55, 0x1d, 0x20, 0x00]

    private func certified(_ change: (inout TestCertificate) -> Void) throws -> JWK {
        let leaf = try root.get().leaf(TestKeys.signing, change: change)
        return try TestChains.key(TestKeys.named(TestKeys.signing, "a"), [leaf])
    }

    /// The result of a restricted store for a key. Validation, report and set must agree.
    private func verdict(
        _ identity: CertificateIdentity, _ key: JWK, _ store: TrustStore
    ) throws -> String {
        let now = try TestChains.date(Self.now)
        let own = store.restricted(to: identity)
        let verdict = try Rejection.verdict {
            _ = try own.validate(key, purpose: .signature, at: now)
        }
        // Whatever is cached without an identity or for this one.
        _ = try store.validate(key, purpose: .signature, at: now)
        for _ in 0..<2 {
            let again = try Rejection.verdict {
                _ = try own.validate(key, purpose: .signature, at: now)
            }
            #expect(again == verdict)
        }
        let report = try own.report(
            need(key.certificateChain), purpose: .signature, at: now)
        #expect((report.error.map(Rejection.text) ?? "accepted") == verdict)
        if verdict != "accepted" {
            #expect(report.certificateIndex == 0)
            #expect(report.message.utf8.count > 0)
        }
        let set = try PublicJWKSet(
            json: JWKSet(keys: [key]).publicKeys.json(),
            certificates: .require(store, of: identity),
            at: now)
        #expect(set.skipped.isEmpty == (verdict == "accepted"))
        return verdict
    }

    private func expect(
        _ expected: String, _ identity: CertificateIdentity, _ key: JWK,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let got = try verdict(identity, key, store())
        #expect(got == expected, "\(identity)", sourceLocation: sourceLocation)
    }

    @Test("a required alternative name must match completely and in its own type")
    func alternatives() throws {
        let key = try certified {
            $0.extensions = [
                Self.usage,
                Self.names([
                    (0x82, "IDP.example"), (0x82, "*.wild.example"), (0x86, "spiffe://a/b"),
                    (0x81, "Ann@Mail.example"), (0x82, "nul.example\0.evil"),
                ]),
            ]
        }
        for identity in try [
            CertificateIdentity.dnsName("idp.example"), .dnsName("IDP.EXAMPLE"),
            .dnsName("*.wild.example"), .uri("spiffe://a/b"), .emailAddress("Ann@mail.EXAMPLE"),
            .all([.dnsName("idp.example"), .uri("spiffe://a/b")]),
            .any([.dnsName("other.example"), .uri("spiffe://a/b")]),
        ] {
            try expect("accepted", identity, key)
        }
        for identity in try [
            CertificateIdentity.dnsName("dp.example"), .dnsName("idp.example."),
            .dnsName("x.wild.example"), .dnsName("wild.example"), .dnsName("nul.example"),
            .dnsName("spiffe://a/b"), .uri("spiffe://a/B"), .uri("spiffe://a/b/"),
            .uri("IDP.example"), .emailAddress("ann@mail.example"),
            .emailAddress("Ann@mail.example.evil"), .dnsName("Ann@Mail.example"),
            .subject(.commonName, "idp.example"), .policy("1.2.3"),
            .all([.dnsName("idp.example"), .uri("spiffe://a/c")]),
            .any([.dnsName("other.example"), .uri("spiffe://a/c")]),
        ] {
            try expect("untrusted-key", identity, key)
        }
    }

    @Test("a common name never counts as a dNSName")
    func noAlternatives() throws {
        let key = try certified { $0.subject = "idp.example" }
        try expect("untrusted-key", .dnsName("idp.example"), key)
        try expect("accepted", .subject(.commonName, "idp.example"), key)
        // Two extensions contradict each other; libcrypto rejects that, too.
        let twice = try certified {
            let names = Self.names([(0x82, "idp.example")])
            $0.extensions = [Self.usage, names, names]
        }
        let own = try store().restricted(to: .dnsName("idp.example"))
        let now = try TestChains.date(Self.now)
        expectRejection("untrusted-key") {
            _ = try own.validate(twice, purpose: .signature, at: now)
        }
    }

    @Test("a required subject attribute must be present once, with these exact bytes")
    func subjects() throws {
        let utf8: UInt8 = 0x0c
        let name = TestDER.name([
            (3, utf8, Array("Bank".utf8)), (10, 0x13, Array("Bank Ltd".utf8)),
            (97, utf8, Array("PSDDE-BAFIN-1".utf8)), (11, utf8, Array("a".utf8)),
            (11, utf8, Array("b".utf8)), (5, 0x1e, [0, 0x31]), (6, 0x13, Array("DE".utf8)),
        ])
        let key = try certified { $0.subjectName = name }
        for identity in try [
            CertificateIdentity.subject(.commonName, "Bank"), .subject(.organization, "Bank Ltd"),
            .subject(.organizationIdentifier, "PSDDE-BAFIN-1"), .subject(.country, "DE"),
            .subject(.init(identifier: "2.5.4.97"), "PSDDE-BAFIN-1"), .subjectName(name),
        ] {
            try expect("accepted", identity, key)
        }
        for identity in try [
            CertificateIdentity.subject(.commonName, "bank"), .subject(.commonName, "Bank "),
            .subject(.commonName, "Ban"), .subject(.organization, "Bank"),
            .subject(.organizationIdentifier, "PSDDE-BAFIN-12"),
            // Present twice, of another string type, absent.
            .subject(.organizationalUnit, "a"), .subject(.organizationalUnit, "b"),
            .subject(.serialNumber, "1"), .subject(.init(identifier: "2.5.4.42"), "Bank"),
            .subjectName(TestDER.name("Bank")),
        ] {
            try expect("untrusted-key", identity, key)
        }
    }

    @Test("names that Swift considers equal must also be equal in bytes")
    func composed() throws {
        let key = try certified { $0.subject = "caf\u{e9}" }
        try expect("accepted", .subject(.commonName, "caf\u{e9}"), key)
        try expect("untrusted-key", .subject(.commonName, "cafe\u{301}"), key)
    }

    /// Leaf, intermediate and root with these extensions, and whether the root is sent.
    private func chain(
        _ leaf: [Extension], _ middle: [Extension], _ last: [Extension] = [],
        sendsRoot: Bool = false
    ) throws -> (JWK, TrustStore) {
        let root = try TestAuthority(TestKeys.bare(TestKeys.stranger)) { $0.extensions += last }
        let authority = try TestAuthority(TestKeys.bare(TestKeys.client), "Middle", by: root) {
            $0.extensions += middle
        }
        let bottom = try authority.leaf(TestKeys.signing) { $0.extensions += leaf }
        let chain = [bottom, authority.certificate] + (sendsRoot ? [root.certificate] : [])
        return (
            try TestChains.key(TestKeys.named(TestKeys.signing, "a"), chain),
            try TrustStore(anchors: [root.certificate])
        )
    }

    @Test(
        "RFC 5280 6.1: the leaf names the policy and each authority below the anchor allows it"
    )
    func policies() throws {
        let other: [UInt8] = [0x2a, 0x03]
        let demanded = try CertificateIdentity.policy("0.4.0.1862.1")
        let named = Self.policies([other, Self.bank])
        let any = Self.policies([Self.anyPolicy])
        let inhibits = Extension.other(54, [0x02, 0x01, 0x05], isCritical: true)
        let maps = Extension.other(
            33,
            TestDER.sequence(
                TestDER.sequence(
                    TestDER.tagged(0x06, other) + TestDER.tagged(0x06, Self.bank))),
            isCritical: false)
        let rows: [(String, [Extension], [Extension])] = [
            ("accepted", [named], [named]), ("accepted", [named], [any]),
            ("accepted", [named], [named, inhibits]),
            ("untrusted-key", [], [named]), ("untrusted-key", [named], []),
            ("untrusted-key", [any], [any]), ("untrusted-key", [any], [named]),
            ("untrusted-key", [Self.policies([other])], [named]),
            ("untrusted-key", [named], [Self.policies([other])]),
            ("untrusted-key", [named], [any, inhibits]),
            ("untrusted-key", [named], [named, maps]),
        ]
        for (position, (expected, leaf, middle)) in rows.enumerated() {
            for sendsRoot in [false, true] {
                let (key, store) = try chain(leaf, middle, sendsRoot: sendsRoot)
                #expect(try verdict(demanded, key, store) == expected, "row \(position)")
            }
        }
        // Another one with the same prefix, and a longer one.
        let (key, store) = try chain([named], [named])
        for text in ["0.4.0.1862", "0.4.0.1862.1.1", "0.4.0.1862.2"] {
            #expect(try verdict(.policy(text), key, store) == "untrusted-key", "\(text)")
        }
    }

    @Test(
        "a key with another identity is skipped with a reason, and other keys stay"
    )
    func sets() throws {
        let names = [("a", "a.example"), ("b", "b.example")]
        let keys = try zip([TestKeys.signing, TestKeys.client], names).map { key, name in
            let leaf = try root.get().leaf(key) {
                $0.extensions = [Self.usage, Self.names([(0x82, name.1)])]
            }
            return try TestChains.key(TestKeys.named(key, name.0, use: .signature), [leaf])
        }
        let bare = TestKeys.named(TestKeys.decrypting, "bare", use: .signature)
        let text = try JWKSet(keys: keys + [bare]).publicKeys.json()
        let now = try TestChains.date(Self.now)
        let demanded = try CertificateIdentity.dnsName("a.example")
        for (rule, wanted) in [
            (CertificateRule.require(try store(), of: demanded), ["a"]),
            (.requireWhenPresent(try store(), of: demanded), ["a", "bare"]),
        ] {
            let set = try PublicJWKSet(json: text, certificates: rule, at: now)
            #expect(set.keys().compactMap(\.keyID) == wanted)
            let skipped = try need(set.skipped.first { $0.index == 1 })
            #expect(skipped.reason.utf8.count < 300)
            #expect(skipped.reason.contains("a.example"))
            #expect(!skipped.reason.contains("b.example"))
            let verifier = try JWTVerifier.checking(
                ClaimsPolicy(issuer: .any, audience: .any), signature: .rs256(keys: set))
            for (key, name) in [(TestKeys.signing, "a"), (TestKeys.client, "b")] {
                let token = try JWTIssuer(
                    key: TestKeys.named(key, name), algorithm: .rs256, lifetime: .seconds(600)
                ).issue(["sub": "a"], at: now)
                let verdict = try Rejection.verdict { _ = try verifier.verify(token, at: now) }
                #expect(verdict == (name == "a" ? "accepted" : "untrusted-key"))
            }
        }
        // Two rules with one store: results cached for one do not apply to the other.
        let store = try store()
        for (name, wanted) in [("a.example", "a"), ("b.example", "b"), ("a.example", "a")] {
            let set = try PublicJWKSet(
                json: text, certificates: .require(store, of: .dnsName(name)), at: now)
            #expect(set.keys().compactMap(\.keyID) == [wanted])
        }
    }

    @Test("an empty identity requirement is misuse") func misuse() throws {
        let wrong: [() throws -> CertificateIdentity] = [
            { try .dnsName("") }, { try .dnsName("a b") }, { try .dnsName("b\u{fc}cher.example") },
            { try .uri("") }, { try .emailAddress("ann") }, { try .emailAddress("") },
            { try .subject(.commonName, "") }, { try .subjectName([]) },
            { try .subjectName([0x30]) }, { try .subjectName([0x31, 0x00]) },
            { try .all([]) }, { try .any([]) },
            { try .subject(.init(identifier: "2.5.4."), "a") },
        ]
        for make in wrong { expectRejection("misuse") { _ = try make() } }
        for text in [
            "", "1", "1.", ".1", "1..2", "3.1", "1.40", "0.40", "01.2", "1.02", "1.2.x", "1.2.-3",
            "1.2.\u{661}", " 1.2", "1.2.9999999999999999999",
        ] {
            expectRejection("misuse", text) { _ = try CertificateIdentity.policy(text) }
        }
    }

    @Test("the description is escaped and bounded") func description() throws {
        let long = String(repeating: "x", count: 5_000)
        let all = try (0..<50).map { try CertificateIdentity.uri("\(long)\($0)") }
        #expect(try CertificateIdentity.all(all).description.utf8.count < 2_000)
        let turned = try CertificateIdentity.subject(.commonName, "a\u{202e}b")
        #expect(!turned.description.unicodeScalars.contains("\u{202e}"))
    }
}
