// Certificates of published keys: what a sandbox allows and production rejects.

import JOSE
import JOSEOpenID
import Testing

@Suite("Certificates in production")
struct ProductionTests {
    @Test(
        "self-signed is allowed in the sandbox and rejected in production, by both sides",
        arguments: [OpenIDProfile.itsme1, .itsme2], [false, true])
    func selfSigned(_ profile: OpenIDProfile, isIssued: Bool) async throws {
        let chain = try TestChain()
        func certified(_ keys: JWKSet) throws -> JWKSet {
            isIssued ? try chain.issued(keys) : try chain.selfSigned(keys)
        }
        let (partyKeys, providerKeys) = (
            try certified(TestKeys.party), try certified(TestKeys.provider)
        )
        // The sandbox has no requirements on certificates.
        let env = try TestEnvironment(profile, partyKeys: partyKeys, providerKeys: providerKeys)
        let login = try await Login(env)
        let token = try await login.idToken()
        _ = try await login.open(token)
        let request = try await login.tokenRequest()
        _ = try await env.client.receive(request)

        func read(_ keys: JWKSet) throws -> PublicJWKSet {
            try TestChain.read(keys, anchors: chain.anchors)
        }
        let party = try TestEnvironment.party(
            profile, env.metadata, keys: partyKeys, secret: nil, providerKeys: read(providerKeys))
        // A provider that has received no assertion yet.
        let client = try TestEnvironment(profile, partyKeys: partyKeys, providerKeys: providerKeys)
            .provider.client(
                TestEnvironment.registration(secret: nil),
                keys: read(partyKeys))
        let expected = isIssued ? nil : "untrusted-key"
        await expectResult(expected) { _ = try await party.open(token, login.started) }
        await expectResult(expected) { _ = try await client.receive(request) }
    }
}
