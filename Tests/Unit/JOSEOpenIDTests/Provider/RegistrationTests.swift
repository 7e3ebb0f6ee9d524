// Registrations that can never work are rejected when the client is created.

import JOSE
import JOSEOpenID
import Testing

@Suite("Registrations")
struct RegistrationTests {
    private func make(
        _ profile: OpenIDProfile, _ addresses: [String], _ keys: PublicJWKSet
    ) throws -> RegisteredClient {
        let provider = try OpenIDProvider(
            profile: profile, metadata: TestEnvironment.metadata(profile), keys: TestKeys.provider,
            replays: MemoryReplayStore(), pushedRequests: MemoryPushedRequestStore(),
            proofReplays: MemoryReplayStore())
        return try provider.client(
            ClientRegistration(
                clientID: "c", redirectURIs: addresses, secret: ClientSecret("s")), keys: keys)
    }

    private let callback = "https://rp.example/callback"

    @Test("a registration without https redirect URI is misuse if the profile requires one")
    func addresses() async throws {
        let keys = try TestKeys.party.publicKeys
        let others = ["http://rp.example/cb", "http://localhost/cb", "com.example.app:/cb"]
        for profile in [OpenIDProfile.fapi2, .fapi2MessageSigning, .itsme0, .netsEIDBroker] {
            for other in others {
                await expectRule("https redirect_uri") { _ = try make(profile, [other], keys) }
                await expectRule("https redirect_uri") {
                    _ = try make(profile, [other, other], keys)
                }
                // An unusable value next to a usable one causes no rejection.
                _ = try make(profile, [other, callback], keys)
            }
            _ = try make(profile, [callback], keys)
            _ = try make(profile, [], keys)
        }
        // RFC 8252 7: apps use private-use schemes, or listen on the loopback interface.
        for other in others { _ = try make(.openID, [other], keys) }
    }

    @Test("a registration without keys is misuse if the profile requires assertions")
    func keys() async throws {
        let encryption = try PublicJWKSet(keys: [
            JWK.generate(.rsa, use: .encryption).publicKey
        ])
        let other = try PublicJWKSet(keys: [
            JWK.generate(.curve(.p384), use: .signature).publicKey
        ])
        let none = try PublicJWKSet(keys: [])
        for keys in [none, encryption, other] {
            await expectRule("assertions") { _ = try make(.fapi2, [callback], keys) }
        }
        let good = try PublicJWKSet(keys: [
            JWK.generate(.curve(.p256), use: .signature).publicKey
        ])
        _ = try make(.fapi2, [callback], good)
        // A client with a secret needs no keys, and a stale set does not prove that they are
        // missing.
        _ = try make(.openID, [callback], none)
        _ = try make(.fapi2, [callback], none.markedStale())
    }
}
