// Errors name what a relying party has configured and can change.

import JOSE
import JOSEOpenID
import Testing

@Suite("Errors that name the profile member")
struct NamedErrorTests {
    @Test("an unexpected second audience or azp names the profile member that allows it")
    func audience() async throws {
        let login = try await Login(TestEnvironment(.openID))
        for (claim, value) in [
            ("aud", .array([.string(TestEnvironment.clientID), "https://api.example"])),
            ("azp", "another-client"),
        ] as [(String, JSONValue)] {
            let token = try login.altered([claim: value])
            let error = await expectRejection("claim-rejected \(claim)") {
                _ = try await login.open(token)
            }
            #expect(error?.message.contains("(trustedAudiences)") == true)
        }
    }

    @Test("an ID Token encrypted for an unknown key does not blame the provider's key set")
    func ownKeys() async throws {
        let login = try await Login(TestEnvironment(.itsme2))
        let token = try await login.idToken()
        let other = try TestEnvironment(
            .itsme2,
            partyKeys: JWKSet(keys: [TestKeys.partySigning, TestKeys.partyDecrypting2]))
        let advice = await other.party.explain(
            idToken: token, for: login.started.session, at: TestEnvironment.now
        ).advice
        #expect(advice?.contains("this local set") == true)
        #expect(advice?.contains("fetch it again") == false)
        // The provider's key set may be outdated.
        let strangers = try TestEnvironment(
            .itsme2, providerKeys: JWKSet(keys: [TestKeys.unrelated, TestKeys.providerDecrypting]))
        let theirs = await strangers.party.explain(
            idToken: token, for: login.started.session, at: TestEnvironment.now
        ).advice
        #expect(theirs?.contains("this local set") == false)
    }

    @Test("HS256 with public keys names the profile's member") func secret() async throws {
        let login = try await Login(TestEnvironment(.openID))
        let key = try JWK(symmetricKey: Array(repeating: 7, count: 32))
        let token = try JWTIssuer(key: key, algorithm: .hs256).issue(
            JSONValue.object(login.goodClaims))
        let advice = await login.env.party.explain(
            idToken: token, for: login.started.session, at: TestEnvironment.now
        ).advice
        #expect(advice?.contains("idToken.signature") == true)
    }

    @Test("a provider without the profile's client authentication names the member")
    func authentication() async throws {
        var members = try TestEnvironment.metadata(.openID).members
        for list: JSONValue in [["private_key_jwt"], ["tls_client_auth"], []] {
            members["token_endpoint_auth_methods_supported"] = list
            let text = try jsonText(members)
            for profile in [OpenIDProfile.openID, .signicatMobileID] {
                let error = await expectRejection(
                    "claim-rejected token_endpoint_auth_methods_supported"
                ) {
                    _ = try ProviderMetadata(
                        json: text, issuer: TestEnvironment.issuer, profile: profile)
                }
                #expect(error?.message.contains("(client.authentication)") == true)
            }
        }
    }

    @Test(
        "an unusable redirect URI is rejected with the reason, on both sides",
        arguments: [
            ("HTTPS://rp.example/cb", "lower case"), ("Https://rp.example/cb", "lower case"),
            (" https://rp.example/cb", "space"), ("https://rp.example/cb ", "space"),
            ("https://rp.example/c b", "space"), ("https://rp.example/é", "space"),
            ("https://rp.example/cb\n", "space"), ("https://rp.example/cb#a", "fragment"),
            ("/cb", "absolute"), ("", "absolute"), ("javascript:a", "absolute"),
        ])
    func redirect(_ address: String, _ reason: String) async throws {
        await expectRule(reason) {
            _ = try TestEnvironment.party(
                .openID, TestEnvironment.metadata(.openID), redirectURI: address)
        }
        await expectRule(reason) {
            _ = try TestEnvironment(.openID).provider.client(
                ClientRegistration(
                    clientID: TestEnvironment.clientID,
                    redirectURIs: [TestEnvironment.redirectURI, address],
                    secret: ClientSecret(TestEnvironment.secret)))
        }
    }
}
