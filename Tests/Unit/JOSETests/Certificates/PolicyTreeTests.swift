// Chains with more policies and mappings than are processed make their own key untrusted. They are
// no system failure.

import JOSE
import JOSEBytes
import Testing

@Suite("Certificates: policy trees")
struct PolicyTreeTests {
    private static let now = TestChains.now

    /// Policies 1.1 to 1.count, and mappings of each to the next `fan` ones.
    private static func extensions(_ count: UInt8, _ fan: UInt8) -> [TestCertificate.Extension] {
        func policy(_ number: UInt8) -> [UInt8] { TestDER.tagged(0x06, [0x29 + number % count]) }
        let policies = (0..<count).flatMap { TestDER.sequence(policy($0)) }
        let mappings = (0..<count).flatMap { from in
            (0..<fan).flatMap { TestDER.sequence(policy(from) + policy(from + $0)) }
        }
        let own = TestCertificate.Extension.other(32, TestDER.sequence(policies), isCritical: false)
        guard fan > 0 else { return [own] }
        return [own, .other(33, TestDER.sequence(mappings), isCritical: true)]
    }

    /// Four certificates below a root.
    private func certified(_ count: UInt8, _ fan: UInt8) throws -> (key: JWK, root: [UInt8]) {
        let root = try TestAuthority(TestKeys.bare(TestKeys.stranger))
        var issuer = root
        var chain: [[UInt8]] = []
        for (name, key) in [
            ("High", TestKeys.client), ("Middle", TestKeys.decrypting), ("Low", TestKeys.large),
        ] {
            issuer = try TestAuthority(TestKeys.bare(key), name, by: issuer) {
                $0.extensions += Self.extensions(count, fan)
            }
            chain.insert(issuer.certificate, at: 0)
        }
        let leaf = try issuer.leaf(TestKeys.signing) { $0.extensions += Self.extensions(count, 0) }
        return (
            try TestChains.key(
                TestKeys.named(TestKeys.signing, "a", use: .signature), [leaf] + chain),
            root.certificate
        )
    }

    @Test(
        "a chain with too many mapped policies is untrusted, and its set keeps the other keys",
        arguments: [(6, 6), (7, 7), (8, 8), (15, 4)] as [(UInt8, UInt8)])
    func large(_ count: UInt8, _ fan: UInt8) throws {
        let (key, root) = try certified(count, fan)
        let neighbour = TestKeys.named(TestKeys.client, "b", use: .signature)
        let now = try TestChains.date(Self.now)
        let store = try TrustStore(anchors: [root])
        expectRejection(
            "untrusted-key", message: "the certificates have too many policies and policy mappings"
        ) {
            _ = try store.validate(key, purpose: .signature, at: now)
        }
        for keys in [[key, neighbour], [neighbour, key]] {
            let set = try PublicJWKSet(
                json: JWKSet(keys: keys).publicKeys.json(),
                certificates: .requireWhenPresent(store), at: now)
            #expect(set.keys().map(\.keyID) == ["b"])
            #expect(set.skipped.map(\.index) == [keys[0].keyID == "a" ? 0 : 1])
        }
    }

    @Test(
        "policies that are mapped one to one are processed",
        arguments: [(1, 0), (1, 1), (5, 1), (20, 1), (3, 3), (20, 0)] as [(UInt8, UInt8)])
    func small(_ count: UInt8, _ fan: UInt8) throws {
        let (key, root) = try certified(count, fan)
        let now = try TestChains.date(Self.now)
        _ = try TrustStore(anchors: [root]).validate(key, purpose: .signature, at: now)
    }
}
