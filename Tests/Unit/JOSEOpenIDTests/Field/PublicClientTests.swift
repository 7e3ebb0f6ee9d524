// Native apps: clients without a secret, whose codes are protected by the code challenge (RFC
// 8252).

import Foundation
import JOSE
import JOSEOpenID
import Testing

@Suite("Public clients")
struct PublicClientTests {
    private static let redirect = "http://127.0.0.1/cb"

    private static var rules: OpenIDProfile {
        var profile = OpenIDProfile.openID
        profile.name = "native"
        profile.client.authentication = .publicClient
        return profile
    }

    private let provider: OpenIDProvider
    private let client: RegisteredClient
    private let party: RelyingParty

    private static func registration(
        _ profile: OpenIDProfile = rules, secret: ClientSecret? = nil
    ) -> ClientRegistration {
        var registration = ClientRegistration(
            clientID: TestEnvironment.clientID, redirectURIs: [redirect], secret: secret)
        registration.profile = profile
        return registration
    }

    private static func party(
        _ metadata: ProviderMetadata, _ profile: OpenIDProfile = rules, secret: ClientSecret? = nil
    ) throws -> RelyingParty {
        try TestEnvironment.party(
            profile, metadata, redirectURI: "http://127.0.0.1:51004/cb", keys: JWKSet(keys: []),
            secret: secret)
    }

    init() throws {
        let metadata = try ProviderMetadata(
            issuer: TestEnvironment.issuer,
            authorizationEndpoint: TestEnvironment.issuer + "/authorization",
            tokenEndpoint: TestEnvironment.issuer + "/token",
            jwksURI: TestEnvironment.issuer + "/jwkSet",
            pushedRequestEndpoint: TestEnvironment.issuer + "/par", profile: .openID,
            clientProfiles: [Self.rules])
        provider = try OpenIDProvider(
            profile: .openID, metadata: metadata, keys: TestKeys.provider,
            replays: MemoryReplayStore(), pushedRequests: MemoryPushedRequestStore())
        client = try provider.client(Self.registration(), keys: PublicJWKSet(keys: []))
        party = try Self.party(metadata)
    }

    private func receive(_ started: AuthorizationStart) async throws -> ReceivedAuthorization {
        let request = try await client.receive(started)
        return request
    }

    @Test("a code is redeemed with client_id and the code verifier only")
    func login() async throws {
        let started = try await party.start(AuthorizationRequest(), at: TestEnvironment.now)
        let grant = try await client.grant(try await receive(started), at: TestEnvironment.now)
        let request = try await party.tokenRequest(grant.code, started.session)
        #expect(request.parameters["client_id"] == TestEnvironment.clientID)
        #expect(request.authorization == nil && request.parameters["client_secret"] == nil)
        let received = try await client.receive(request)
        // The code alone is useless.
        for verifier in [nil, String(repeating: "a", count: 43)] {
            let body = try changed(request.body, ["code_verifier": verifier])
            let thief = try await client.receiveTokenRequest(body, at: TestEnvironment.now)
            let claim = verifier == nil ? "code_verifier" : "code_challenge"
            await expectRejection("claim-rejected \(claim)") {
                try await client.redeem(thief, grant, at: TestEnvironment.now)
            }
        }
        try await client.redeem(received, grant, at: TestEnvironment.now)
        await expectRejection("replayed") {
            try await client.redeem(received, grant, at: TestEnvironment.now)
        }
    }

    @Test("a request without code challenge is rejected")
    func challenge() async throws {
        let started = try await party.start(AuthorizationRequest(), at: TestEnvironment.now)
        let bare = try changed(
            query(started.url), ["code_challenge": nil, "code_challenge_method": nil])
        let rejected = try await client.browse(bare).rejected()
        #expect(rejected.error.code == .invalidRequest)
    }

    @Test("a client that authenticates (secret, header or assertion) is not a public client")
    func proofs() async throws {
        let started = try await party.start(AuthorizationRequest(), at: TestEnvironment.now)
        let body = try await party.tokenRequest("c", started.session).body
        // An empty parameter counts as absent (RFC 6749 3.2).
        for text in [body, body + "&client_secret="] {
            _ = try await client.receiveTokenRequest(text, at: TestEnvironment.now)
        }
        let cases: [(String, [String: String?], String?)] = [
            ("client_secret", ["client_secret": "s"], nil),
            ("client_id", ["client_assertion": "a.b.c"], nil),
            ("client_id", [:], "Basic Y2xpZW50LTE6"), ("client_id", [:], ""),
            ("client_id", ["client_id": nil], nil), ("client_id", ["client_id": "client-2"], nil),
            ("client_id", ["client_id": ""], nil),
        ]
        for (claim, change, header) in cases {
            let error = await expectRejection("claim-rejected \(claim)", "\(change)") {
                _ = try await client.receiveTokenRequest(
                    changed(body, change), authorization: header,
                    at: TestEnvironment.now)
            }
            let response = provider.error(rejecting: try need(error))
            #expect(response.code == .invalidClient)
        }
    }

    @Test("an endpoint that requires client authentication rejects public clients")
    func endpoints() async throws {
        await expectRejection("claim-rejected client_id") {
            _ = try await client.receiveIntrospectionRequest(
                "token=t&client_id=\(TestEnvironment.clientID)",
                at: TestEnvironment.now)
        }
        var registration = Self.registration()
        registration.backchannel = BackchannelRegistration()
        await expectRule("public client") {
            _ = try provider.client(registration, keys: PublicJWKSet(keys: []))
        }
        // A pushed request names the client without authenticating it (RFC 9126 2).
        let pushed = try await party.push(AuthorizationRequest(), at: TestEnvironment.now)
        let verdict = await client.receivePushedRequest(
            pushed.request.body, at: TestEnvironment.now)
        guard case .accepted = verdict else {
            Issue.record("\(verdict)")
            return
        }
    }

    @Test("a secret, or a login without code challenge, is misuse on either side")
    func mistakes() async throws {
        let secret = ClientSecret(TestEnvironment.secret)
        await expectRule("no secret") {
            _ = try provider.client(
                Self.registration(secret: secret), keys: PublicJWKSet(keys: []))
        }
        await expectRule("no secret") { _ = try Self.party(provider.metadata, secret: secret) }
        var lax = Self.rules
        lax.authorization.requiresPKCE = false
        var fixed = Self.rules
        fixed.accessToken.rotatesRefreshTokens = false
        for (rules, text) in [(lax, "PKCE"), (fixed, "rotate")] {
            await expectRule(text) {
                _ = try provider.client(Self.registration(rules), keys: PublicJWKSet(keys: []))
            }
        }
        await expectRule("PKCE") { _ = try Self.party(provider.metadata, lax) }
        // The client's profile does not decide about the provider's refresh tokens.
        _ = try Self.party(provider.metadata, fixed)
        fixed.accessToken.hasRefreshTokens = false
        _ = try provider.client(Self.registration(fixed), keys: PublicJWKSet(keys: []))
        for address in [
            "http://app.example/cb", "HTTP://app.example/cb", "http://localhost/cb",
            "http://127.0.0.2/cb",
        ] {
            var registration = Self.registration()
            registration.redirectURIs.append(address)
            await expectRule("http URIs") {
                _ = try provider.client(registration, keys: PublicJWKSet(keys: []))
            }
        }
        for address in ["https://app.example/cb", "com.example.app:/cb", "http://[::1]/cb"] {
            var registration = Self.registration()
            registration.redirectURIs.append(address)
            _ = try provider.client(registration, keys: PublicJWKSet(keys: []))
        }
    }

    @Test("a public client cannot redeem a code that was granted without a challenge")
    func earlierCode() async throws {
        var rules = OpenIDProfile.openID
        rules.authorization.requiresPKCE = false
        var registration = Self.registration(rules, secret: ClientSecret(TestEnvironment.secret))
        let before = try provider.client(registration, keys: PublicJWKSet(keys: []))
        let started = try await party.start(AuthorizationRequest(), at: TestEnvironment.now)
        let bare = try changed(
            query(started.url), ["code_challenge": nil, "code_challenge_method": nil])
        let request = try await before.receiveAuthorizationRequest(
            bare, at: TestEnvironment.now
        ).accepted()
        let grant = try await before.grant(request, at: TestEnvironment.now)
        registration.profile = Self.rules
        let body = try await changed(
            party.tokenRequest(grant.code, started.session).body,
            ["code_verifier": nil])
        let received = try await client.receiveTokenRequest(body, at: TestEnvironment.now)
        await expectRejection("claim-rejected code_challenge") {
            try await client.redeem(received, grant, at: TestEnvironment.now)
        }
    }

    @Test("RFC 9449 5: refresh tokens are bound to the key that the client proved")
    func boundRefresh() async throws {
        var rules = Self.rules
        rules.accessToken.proofs = .accepted
        let provider = try OpenIDProvider(
            profile: .openID, metadata: provider.metadata, keys: TestKeys.provider,
            replays: MemoryReplayStore(), pushedRequests: MemoryPushedRequestStore(),
            proofReplays: MemoryReplayStore())
        let client = try provider.client(Self.registration(rules), keys: PublicJWKSet(keys: []))
        let party = try Self.party(provider.metadata, rules)
        let prover = try DPoPProver.fresh()
        for isBound in [true, false] {
            let started = try await party.start(AuthorizationRequest(), at: TestEnvironment.now)
            let request = try await client.receive(started)
            let grant = try await client.grant(request, at: TestEnvironment.now)
            let sent = try await party.tokenRequest(
                code: grant.code, for: started.session, prover: isBound ? prover : nil,
                at: TestEnvironment.now)
            let proved = try await client.receiveTokenRequest(
                sent.body, proofs: sent.proofs, at: TestEnvironment.now)
            try await client.redeem(proved, grant, at: TestEnvironment.now)
            await expectRule("pass the token request") {
                _ = try client.refreshFamily(
                    for: request, lifetime: .seconds(60), at: TestEnvironment.now)
            }
            let turn = try client.refreshFamily(
                for: request, lifetime: .seconds(60), respondingTo: proved, at: TestEnvironment.now)
            let kept = try coded(turn.family)
            func rotate(_ prover: DPoPProver?) async throws -> IssuedRefreshToken {
                let sent = try await party.refreshRequest(
                    refreshToken: turn.token, prover: prover, at: TestEnvironment.now)
                let request = try await client.receiveRefreshRequest(
                    sent.body, proofs: sent.proofs, at: TestEnvironment.now)
                return try client.redeem(request, kept, at: TestEnvironment.now)
            }
            for other in [nil, try DPoPProver.fresh()] {
                if isBound {
                    await expectRejection("claim-rejected refresh_token") {
                        _ = try await rotate(other)
                    }
                } else {
                    _ = try await rotate(other)
                }
            }
            _ = try await rotate(prover)
            // An old token without its key does not end the family.
            let old = try await party.refreshRequest(
                refreshToken: kept.id + ".old", prover: isBound ? .fresh() : nil,
                at: TestEnvironment.now)
            let guess = try await client.receiveRefreshRequest(
                old.body, proofs: old.proofs, at: TestEnvironment.now)
            await expectRejection(isBound ? "claim-rejected refresh_token" : "replayed") {
                _ = try client.redeem(guess, kept, at: TestEnvironment.now)
            }
            // If every token is bound, an older unbound one is rejected. Bound tokens need not
            // rotate (RFC 9700 2.2.2).
            var fixed = rules
            fixed.accessToken.rotatesRefreshTokens = false
            var strict = Self.registration(fixed)
            strict.bindsAccessTokens = true
            let later = try provider.client(strict, keys: PublicJWKSet(keys: []))
            let again = try await party.refreshRequest(
                refreshToken: turn.token, prover: prover, at: TestEnvironment.now)
            let received = try await later.receiveRefreshRequest(
                again.body, proofs: again.proofs, at: TestEnvironment.now)
            if isBound {
                _ = try later.redeem(received, kept, at: TestEnvironment.now)
            } else {
                await expectRejection("claim-rejected refresh_token") {
                    _ = try later.redeem(received, kept, at: TestEnvironment.now)
                }
            }
            var another = Self.registration(rules)
            another.clientID = "client-2"
            let stranger = try provider.client(another, keys: PublicJWKSet(keys: []))
            await expectRule("another client") {
                _ = try stranger.refreshFamily(
                    for: request, lifetime: .seconds(60), respondingTo: proved,
                    at: TestEnvironment.now
                )
            }
        }
    }

    @Test("a public client's rules never apply to another client of the provider")
    func others() async throws {
        let confidential = try provider.client(
            ClientRegistration(
                clientID: TestEnvironment.clientID, redirectURIs: [Self.redirect],
                secret: ClientSecret(TestEnvironment.secret)), keys: PublicJWKSet(keys: []))
        let started = try await party.start(AuthorizationRequest(), at: TestEnvironment.now)
        let body = try await party.tokenRequest("c", started.session).body
        await expectRejection("claim-rejected client_secret") {
            _ = try await confidential.receiveTokenRequest(body, at: TestEnvironment.now)
        }
        await expectRule("client secret") {
            var registration = Self.registration()
            registration.profile = nil
            _ = try provider.client(registration, keys: PublicJWKSet(keys: []))
        }
        let methods = provider.metadata.list("token_endpoint_auth_methods_supported")
        #expect(methods == ["client_secret_basic", "client_secret_post", "none"])
    }

    @Test("metadata without the method 'none' still serve public clients")
    func unlisted() throws {
        for methods: JSONValue? in [nil, ["client_secret_basic"], ["private_key_jwt"]] {
            var members = provider.metadata.members
            members["token_endpoint_auth_methods_supported"] = methods
            let metadata = try TestEnvironment.read(members, Self.rules)
            _ = try Self.party(metadata)
        }
    }
}
