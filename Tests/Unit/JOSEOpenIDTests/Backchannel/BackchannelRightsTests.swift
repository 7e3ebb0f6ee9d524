// What a backchannel request asks rights by (RFC 8707, RFC 9396), and what is granted of it.

import Foundation
import JOSE
import JOSEOpenID
import Testing

@Suite("Rights by the backchannel")
struct BackchannelRightsTests {
    @Test("FAPI 2.0, 5.3.2.1-8: at the backchannel endpoint too an assertion is for the issuer")
    func audience() async throws {
        for preset in FAPIWorld.presets { try await audience(preset) }
    }

    private func audience(_ preset: OpenIDProfile) async throws {
        let world = try FAPIWorld(preset)
        var registration = ClientRegistration(
            clientID: World.clientID, redirectURIs: [World.redirectURI])
        registration.backchannel = BackchannelRegistration()
        let metadata = try World.metadata(
            preset,
            [
                "backchannel_authentication_endpoint": .string(BackchannelWorld.endpoint),
                "backchannel_token_delivery_modes_supported": ["poll"],
            ])
        let provider = try OpenIDProvider(
            profile: preset, metadata: metadata, keys: JWKSet(keys: [world.providerKey]),
            replays: MemoryReplayStore(), pushedRequests: MemoryPushedRequestStore(),
            proofReplays: MemoryReplayStore())
        let client = try provider.client(
            registration, keys: JWKSet(keys: [world.partyKey]).publicKeys)
        for (audience, expected) in [
            (World.issuer, "accepted"), (FAPIWorld.token, "claim-rejected aud"),
            (BackchannelWorld.endpoint, "claim-rejected aud"),
        ] {
            let form = OpenIDParameters([
                OpenIDParameter("scope", "openid"), OpenIDParameter("login_hint", "a"),
                OpenIDParameter(
                    "client_assertion", try world.assertion(["aud": .string(audience)])),
                OpenIDParameter(
                    "client_assertion_type",
                    "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"),
            ])
            let told = try refusal(
                await client.receive(backchannelRequest: form.encoded, at: World.now))
            #expect(told.first == expected, "\(audience): \(told)")
        }
    }
}
