// The keys that each side publishes, and the certificates that the profile requires for them.

import JOSE
import JOSEOpenID
import Testing

@Suite("Published keys")
struct PublishedKeyTests {
    private let chain: TestChain

    init() throws { chain = try TestChain() }

    /// The published keys of the provider, the relying party and the asynchronous one, which must
    /// reject equally.
    private func publish(
        _ profile: OpenIDProfile, _ keys: JWKSet, at seconds: Int64 = 0
    ) throws -> [String] {
        let env = try TestEnvironment(profile, partyKeys: keys, providerKeys: keys)
        let fetching = try TestEnvironment.fetching(
            profile, env.metadata, keys: keys, source: keys.publicKeys)
        return [
            try env.provider.publishedKeys(at: TestEnvironment.at(seconds)).json(),
            try env.party.publishedKeys(at: TestEnvironment.at(seconds)).json(),
            try fetching.publishedKeys(at: TestEnvironment.at(seconds)).json(),
            try env.provider.keySetResponse(at: TestEnvironment.at(seconds)).body,
        ]
    }

    @Test("by default any key is published, and never a private member") func anything() throws {
        for keys in [TestKeys.provider, try chain.issued(TestKeys.provider)] {
            for text in try publish(.itsme2, keys) {
                #expect(try PublicJWKSet(json: text).keys().count == keys.keys.count)
                #expect(text.contains("x5c") == (keys.keys[0].certificateChain != nil))
            }
        }
    }

    @Test("production requires full chains, a sandbox also accepts self-signed certificates")
    func chains() async throws {
        var production = OpenIDProfile.itsme2
        production.publishedCertificates = .completeChain
        var sandbox = OpenIDProfile.itsme2
        sandbox.publishedCertificates = .completeChainOrSelfSigned
        let whole = try chain.issued(TestKeys.provider)
        let own = try chain.selfSigned(TestKeys.provider)
        let short = JWKSet(
            keys: try whole.keys.map {
                try $0.withCertificates(Array(need($0.certificateChain).prefix(1)))
            })
        let mixed = JWKSet(keys: [whole.keys[0], TestKeys.providerDecrypting])
        for (profile, keys, isPublished) in [
            (production, whole, true), (production, own, false), (production, short, false),
            (production, mixed, false), (production, TestKeys.provider, false),
            (sandbox, whole, true), (sandbox, own, true), (sandbox, short, false),
            (sandbox, mixed, false),
        ] {
            if isPublished {
                #expect(try publish(profile, keys).allSatisfy { $0.contains("x5c") })
                await expectRejection("untrusted-key") { _ = try publish(profile, keys, at: 2_000) }
            } else {
                await expectRejection("untrusted-key") { _ = try publish(profile, keys) }
                await expectRejection("untrusted-key", "an answer of HTTP") {
                    _ = try OpenIDHTTPResponse.keySet(keys, for: profile, at: .testNow)
                }
                let provider = try TestEnvironment(profile, partyKeys: keys, providerKeys: keys)
                    .provider
                await expectRejection("untrusted-key", "the provider's answer") {
                    _ = try provider.keySetResponse(at: .testNow)
                }
            }
        }
    }

    @Test("keys that cannot be published are rejected, and the provider keeps the old keys")
    func rotation() async throws {
        var production = OpenIDProfile.itsme2
        production.publishedCertificates = .completeChain
        let whole = try chain.issued(TestKeys.provider)
        let provider = try TestEnvironment(production, partyKeys: whole, providerKeys: whole)
            .provider
        let before = try provider.publishedKeys(at: .testNow).json()
        let other = TestKeys.unrelated
        for (keys, seconds) in [
            (JWKSet(keys: [other]), Int64(0)), (try chain.selfSigned(JWKSet(keys: [other])), 0),
            (JWKSet(keys: whole.keys + [other]), 0), (whole, 2_000), (whole, -2_000),
        ] {
            await expectRejection("untrusted-key") {
                try provider.rotate(to: keys, at: TestEnvironment.at(seconds))
            }
            #expect(try provider.publishedKeys(at: .testNow).json() == before)
        }
        let more = JWKSet(keys: whole.keys + (try chain.issued(JWKSet(keys: [other]))).keys)
        try provider.rotate(to: more, at: .testNow)
        #expect(try provider.publishedKeys(at: .testNow).json() == more.publicKeys.json())
    }
}
