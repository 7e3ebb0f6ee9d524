// What a trust store and a set cache about chains. A cached result never applies to another query
// (RFC 5280 section 6).

import JOSEBytes
import Testing

@testable import JOSE

@Suite("Certificates: cached results")
struct TrustMemoryTests {
    private static let now = TestChains.now
    private let root: TestAuthority
    private let middle: TestAuthority
    private let leaf: [UInt8]

    init() throws {
        root = try TestAuthority(TestKeys.bare(TestKeys.stranger))
        middle = try TestAuthority(TestKeys.bare(TestKeys.client), "Middle", by: root)
        leaf = try middle.leaf(TestKeys.signing) { $0.extensions = [.keyUsage(0x80, unused: 7)] }
    }

    private func key(_ chain: [[UInt8]]) throws -> JWK {
        try TestChains.key(TestKeys.bare(TestKeys.signing), chain)
    }

    @Test("a trust store gives the same result for a chain in any order of calls")
    func store() throws {
        // Another certificate of the same authority, by the same issuer.
        let twin = try TestAuthority(TestKeys.bare(TestKeys.client), "Middle", by: root) {
            $0.serial = 9
        }
        let other = try TestAuthority(TestKeys.bare(TestKeys.client), "Other", by: root)
        let good = try key([leaf, middle.certificate])
        let same = try key([leaf, twin.certificate])
        let short = try key([leaf])
        let wrong = try key([leaf, other.certificate])
        let queries: [(JWK, CertificatePurpose, Int64, String)] = [
            (good, .signature, 0, "accepted"), (good, .encryption, 0, "key-unusable"),
            (short, .signature, 0, "untrusted-key"), (wrong, .signature, 0, "untrusted-key"),
            (same, .signature, 0, "accepted"), (same, .encryption, 0, "key-unusable"),
            (good, .signature, 100_000_001, "untrusted-key"),
            (good, .signature, -100_000_001, "untrusted-key"),
            (good, .signature, 100_000_000, "accepted"),
            (good, .signature, -100_000_000, "accepted"),
        ]
        for reversed in [false, true] {
            let store = try TrustStore(anchors: [root.certificate])
            let order = reversed ? Array(queries.indices.reversed()) : Array(queries.indices)
            for index in order + order {
                let (key, purpose, offset, wanted) = queries[index]
                let time = try TestChains.date(Self.now + offset)
                let verdict = try Rejection.verdict {
                    let proof = try store.validate(key, purpose: purpose, at: time)
                    #expect(proof.purpose == purpose)
                    #expect(proof.notBefore.seconds == 1_700_000_000)
                    #expect(proof.notAfter.seconds == 1_900_000_000)
                }
                #expect(verdict == wanted, "question \(index)")
            }
        }
    }

    @Test("a set keeps results separately for each key and purpose") func set() throws {
        let usages: [(UInt8, Bool, Bool)] = [
            (0x80, true, false), (0x20, false, true), (0xa0, true, true), (0x20, false, true),
            (0x80, true, false),
        ]
        var keys: [JWK] = []
        for (bits, _, _) in usages {
            let leaf = try root.leaf(TestKeys.signing) {
                $0.extensions = [.keyUsage(bits, unused: 5)]
            }
            keys.append(try key([leaf]))
        }
        let text = try JWKSet(keys: keys).publicKeys.json()
        let now = try TestChains.date(Self.now)
        let queries = usages.indices.flatMap { [($0, true), ($0, false)] }
        for reversed in [false, true] {
            let set = try PublicJWKSet(
                json: text, certificates: .require(TrustStore(anchors: [root.certificate])),
                at: now)
            #expect(set.skipped.isEmpty)
            let trust = try need(set.trust)
            let order = reversed ? Array(queries.reversed()) : queries
            for (index, isSigning) in order + queries {
                let wanted = isSigning ? usages[index].1 : usages[index].2
                let got = trust.match(index, isSigning ? .signature : .encryption, at: now)
                #expect((got == .matches) == wanted, "key \(index), signing \(isSigning)")
            }
        }
    }

    @Test("a cached header does not mean that the chain is still valid")
    func headers() throws {
        let named = try TestChains.key(
            TestKeys.named(TestKeys.signing, "a"), [leaf, middle.certificate])
        let set = try PublicJWKSet(
            json: JWKSet(keys: [named]).publicKeys.json(),
            certificates: .require(TrustStore(anchors: [root.certificate])),
            at: TestChains.date(Self.now))
        let single = try need(set.keys().first)
        let rules: [SignatureRule] = [.rs256(keys: set), .rs256(single)]
        let token = try TestToken.signed(#"{"alg":"RS256","kid":"a"}"#, "{}")
        for rule in rules {
            let verifier = try JWTVerifier.checking(.any, signature: rule)
            let times: [(Int64, String)] = [
                (0, "accepted"), (0, "accepted"), (0, "accepted"), (100_000_000, "accepted"),
                (100_000_001, "untrusted-key"), (1, "accepted"), (-100_000_001, "untrusted-key"),
            ]
            for (offset, wanted) in times {
                let time = try TestChains.date(Self.now + offset)
                let verdict = try Rejection.verdict { _ = try verifier.verify(token, at: time) }
                #expect(verdict == wanted, "\(offset)")
            }
        }
    }

    @Test("skipped keys are listed in the order of the set, whatever the reason")
    func order() throws {
        let good = try TestChains.key(
            TestKeys.bare(TestKeys.signing), [root.leaf(TestKeys.signing)])
        let unknown = #"{"kty":"X"}"#
        let bare = try KeyText.publicKey()
        let texts = try [bare, unknown, good.publicJSON(), bare, unknown, unknown, bare]
        let set = try PublicJWKSet(
            json: KeyText.set(texts),
            certificates: .require(TrustStore(anchors: [root.certificate])),
            at: TestChains.date(Self.now))
        #expect(set.skipped.map(\.index) == [0, 1, 3, 4, 5, 6])
        #expect(set.keys().count == 1)
        let reasons = set.skipped.map(\.reason)
        #expect(reasons[0] == "the key has no certificates (x5c)")
        #expect(reasons[1] == "the key type (kty) is not supported: RSA, EC, OKP, AKP or oct")
    }

    @Test("a certificate may have 256 DER values plus one for each 32 bytes") func parts() throws {
        /// A leaf with many small extensions and one of `padding` bytes.
        func leaf(_ padding: Int) throws -> [UInt8] {
            try root.leaf(TestKeys.signing) { draft in
                for number in 0..<100 {
                    let name = [0x06, 0x04, 0x2a, 0x03, 0x01, UInt8(number)]
                    draft.extensions.append(
                        TestCertificate.Extension(der: TestDER.sequence(name + [0x04, 0x01, 0x00])))
                }
                let value = TestDER.tagged(0x04, [UInt8](repeating: 0, count: padding))
                draft.extensions.append(
                    TestCertificate.Extension(
                        der: TestDER.sequence([0x06, 0x04, 0x2a, 0x03, 0x02, 0x01] + value)))
            }
        }
        // With 300 bytes the length fields have their final size.
        let first = try leaf(300)
        let elements = StrictDER.elementCount(first.span)
        let padding = 300 + (elements - 256) * 32 - first.count
        #expect(elements > 300 && padding > 300)
        let store = try TrustStore(anchors: [root.certificate])
        for (less, wanted) in [(0, "accepted"), (1, "limit-exceeded"), (-1, "accepted")] {
            let certificate = try leaf(padding - less)
            #expect(StrictDER.elementCount(certificate.span) == elements)
            #expect(certificate.count == (elements - 256) * 32 - less)
            let verdict = try Rejection.verdict { _ = try TestChains.report([certificate], store) }
            #expect(verdict == wanted, "\(less)")
        }
    }

    @Test("X.690 8.1.3: a non-DER length hides no parts of an extension") func hidden() {
        let parts = (0..<300).flatMap { _ in [0x82, 0x00] as [UInt8] }
        let first: [[UInt8]] = [
            [], [0x82, 0x81, 0x00], [0xa4, 0x80, 0x00, 0x00], [0x9f, 0x81, 0x00, 0x00],
            [0x82, 0x82, 0x00, 0x00],
        ]
        for start in first {
            for tag in [0x30, 0x31] as [UInt8] {
                let value = TestDER.tagged(tag, start + parts)
                #expect(StrictDER.elementCount(TestDER.tagged(0x04, value).span) >= 300)
            }
        }
        // A key identifier or signature that happens to start like a SEQUENCE.
        let digest = [0x30] + [UInt8](repeating: 0xff, count: 19)
        #expect(StrictDER.elementCount(TestDER.tagged(0x04, digest).span) == 11)
    }
}
