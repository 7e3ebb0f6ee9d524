// Requirements on certificates before a key set is published: the complete chain, none self-signed.

import JOSE
import Testing

@Suite("Certificates of published keys")
struct PublishedCertificateTests {
    private static let now = TestChains.now
    private let root: TestAuthority
    private let middle: TestAuthority

    init() throws {
        root = try TestAuthority(TestKeys.bare(TestKeys.stranger))
        middle = try TestAuthority(TestKeys.bare(TestKeys.client), "Middle", by: root)
    }

    private func set(_ chains: [[UInt8]]?..., use: KeyUse = .signature) throws -> PublicJWKSet {
        try PublicJWKSet(
            keys: chains.enumerated().map { index, chain in
                let key = TestKeys.named(TestKeys.bare(TestKeys.signing), "k\(index)", use: use)
                return try chain.map { try TestChains.key(key, $0) } ?? key
            })
    }

    private func verdict(
        _ set: PublicJWKSet, _ rule: PublishedCertificateRule, at time: Int64 = now
    ) throws -> String {
        let time = try TestChains.date(time)
        do throws(JOSEError) {
            try set.checkCertificates(rule, at: time)
            return "accepted"
        } catch {
            return Rejection.text(error) + ": " + error.message
        }
    }

    @Test("a chain goes from leaf to root, with any number of intermediates")
    func complete() throws {
        let direct = [try root.leaf(TestKeys.signing), root.certificate]
        let long = [try middle.leaf(TestKeys.signing), middle.certificate, root.certificate]
        for rule in [PublishedCertificateRule.any, .completeChain, .completeChainOrSelfSigned] {
            #expect(try verdict(set(direct, long), rule) == "accepted")
        }
    }

    @Test("missing and self-signed certificates are reported, and a sandbox accepts self-signed")
    func incomplete() throws {
        let leaf = try root.leaf(TestKeys.signing)
        let below = try middle.leaf(TestKeys.signing)
        let selfSigned = try TestAuthority(TestKeys.bare(TestKeys.signing), "Own").certificate
        let whole = [leaf, root.certificate]
        for (chain, reason, sandbox) in [
            (nil, "no certificates", false), ([leaf], "before the root", false),
            ([below, middle.certificate], "before the root", false),
            ([selfSigned], "self-signed", true),
            ([below, root.certificate], "not followed", false),
            ([leaf, root.certificate, selfSigned], "not followed", false),
            ([leaf, leaf, root.certificate], "twice", false),
        ] as [([[UInt8]]?, String, Bool)] {
            for keys in [try set(chain), try set(whole, chain), try set(chain, whole)] {
                #expect(try verdict(keys, .any) == "accepted")
                let strict = try verdict(keys, .completeChain)
                #expect(strict.hasPrefix("untrusted-key") && strict.contains(reason), "\(strict)")
                #expect((try verdict(keys, .completeChainOrSelfSigned) == "accepted") == sandbox)
            }
        }
    }

    @Test("validity and key usage are checked as a reader does") func judged() throws {
        let keys = try set([root.leaf(TestKeys.signing), root.certificate])
        let own = try set([TestAuthority(TestKeys.bare(TestKeys.signing), "Own").certificate])
        for (time, reason) in [(Self.now + 400 * 86_400_000, "expired"), (1, "not valid yet")] {
            for (keys, rule) in [
                (keys, PublishedCertificateRule.completeChain), (own, .completeChainOrSelfSigned),
            ] {
                let said = try verdict(keys, rule, at: time)
                #expect(said.contains(reason), "\(said)")
            }
        }
        let signing = try root.leaf(TestKeys.signing) {
            $0.extensions = [.keyUsage(0x80, unused: 7)]
        }
        #expect(try verdict(set([signing, root.certificate]), .completeChain) == "accepted")
        let other = try set([signing, root.certificate], use: .encryption)
        #expect(try verdict(other, .completeChain).contains("keyUsage"))
    }
}
