// Complete logins with external private keys on both sides.

import JOSE
import JOSEOpenID
import Testing

@Suite("External keys: logins")
struct ExternalKeyLoginTests {
    private static let now = NumericDate(exactly: 1_760_000_000) ?? .earliest
    private static let redirect = "https://rp.example/callback"
    private static let profiles: [OpenIDProfile] = [
        .itsme0, .itsme1, .itsme2, .signicatMobileID, .netsEIDBroker, .openID,
    ]

    /// A set with external keys, the second on a device without OAEP.
    private static func held(
        _ signing: JWK, _ decrypting: JWK
    ) throws -> (keys: JWKSet, decrypting: TestExternalKey) {
        let signing = TestKeys.named(signing, "sig", use: .signature)
        let decrypting = TestKeys.named(decrypting, "enc", use: .encryption)
        let externalKey = try TestExternalKey(decrypting, .block)
        let keys = JWKSet(keys: [
            try signing.publicKey.withExternalKey(TestExternalKey(signing)),
            try decrypting.publicKey.withExternalKey(externalKey),
        ])
        return (keys, externalKey)
    }

    @Test(
        "a complete login works with every profile, with a timeout and without",
        arguments: profiles)
    func login(_ profile: OpenIDProfile) async throws {
        let issuer = "https://idp.example/v2"
        let metadata = try ProviderMetadata(
            issuer: issuer, authorizationEndpoint: issuer + "/authorization",
            tokenEndpoint: issuer + "/token", userInfoEndpoint: issuer + "/userinfo",
            jwksURI: issuer + "/jwkSet", profile: profile, additional: [:])
        let (ours, decrypting) = try Self.held(TestKeys.client, TestKeys.decrypting)
        let theirs = try Self.held(TestKeys.signing, TestKeys.stranger).keys
        let secret = ClientSecret("secret")
        let party = try RelyingParty(
            profile: profile, metadata: metadata, clientID: "client", redirectURI: Self.redirect,
            keys: ours, secret: secret, providerKeys: theirs.publicKeys)
        let provider = try OpenIDProvider(
            profile: profile, metadata: metadata, keys: theirs, replays: MemoryReplayStore())
        let client = try provider.client(
            ClientRegistration(clientID: "client", redirectURIs: [Self.redirect], secret: secret),
            keys: ours.publicKeys)
        var request = AuthorizationRequest()
        request.scopes = Array(profile.authorization.requiredScopes.dropFirst())
        if profile.authorization.requiresServiceScope { request.serviceCode = "LOGIN" }
        if let prefix = profile.authorization.acr.methodPrefix {
            request.acrValues = [prefix + "inapp"]
        }
        if case .operations(let kinds) = profile.authorization.loginHint.format {
            request.loginHints = (kinds.last ?? []).map { $0 + "1" }
        }
        request.delivery = .byValue
        for time in [nil, ample] {
            let started = try await party.start(request, at: Self.now, timeout: time)
            let session = started.session
            let query = String(started.url.drop { $0 != "?" }.dropFirst())
            let verdict = try await client.receiveAuthorizationRequest(query, at: Self.now)
            guard case .accepted(let received) = verdict else {
                Issue.record("rejected: \(verdict)")
                return
            }
            #expect(received.isSigned)
            let grant = try await client.grant(received, at: Self.now)
            let tokens = try await party.tokenRequest(
                code: grant.code, for: session, at: Self.now, timeout: time)
            let authorization = tokens.header("Authorization")
            #expect(
                try await provider.unverifiedClientID(
                    tokenRequest: tokens.body, authorization: authorization, timeout: ample)
                    == "client")
            let proved = try await client.receiveTokenRequest(
                tokens.body, authorization: authorization, at: Self.now)
            try await client.redeem(proved, grant, at: Self.now)
            var user = UserAuthentication(
                subject: "user-1-of-32-characters-in-total", time: Self.now,
                acr: profile.authorization.acr.weakestFirst.last ?? received.acrValues.first)
            user.accessToken = "access"
            let tokenIssuer = try await client.tokenIssuer()
            expectRejection("misuse") {
                _ = try tokenIssuer.idToken(for: received, user, at: Self.now)
            }
            let token = try await tokenIssuer.idToken(
                for: received, user, at: Self.now, timeout: ample)
            let before = decrypting.callCount
            let idToken = try await party.verifyIDToken(
                token, for: session, accessToken: "access", at: Self.now, timeout: time)
            #expect(idToken.subject == user.subject)
            let callCount = decrypting.callCount - before
            for (later, code) in [(0, nil), (3_600, JOSEError.Code.claimRejected)] {
                let before = decrypting.callCount
                let explanation = await party.explain(
                    idToken: token, for: session, accessToken: "access",
                    at: Self.now.advanced(by: .seconds(later)), timeout: time)
                #expect(explanation.error?.code == code)
                // Each operation may require a PIN.
                #expect(decrypting.callCount - before == callCount)
                #expect(!explanation.lines.contains { $0.text.contains("private key is external") })
            }
            let info = try await tokenIssuer.userInfo(
                subject: idToken.subject, claims: ["name": "Zoë"], at: Self.now, timeout: ample)
            let userInfo = try await party.verifyUserInfo(
                info, for: idToken, at: Self.now, timeout: time)
            #expect(try userInfo.name == "Zoë")
        }
    }
}
