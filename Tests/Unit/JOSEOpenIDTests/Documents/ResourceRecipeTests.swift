// Runs the examples of the pages about protected APIs, services, logout and known providers.

import JOSE
import JOSEOpenID
import Testing

@Suite("Examples of APIs, services and logout")
struct ResourceRecipeTests {
    private let rsa = TestKeys.providerSigning
    private let ec: JWK

    init() throws { ec = try JWK.generate(.curve(.p256), keyID: "ec", use: .signature) }

    private func token(
        _ issuer: String, _ scope: String, by key: JWK, _ algorithm: SignatureAlgorithm
    ) throws -> String {
        "Bearer "
            + (try JWTIssuer(key: key, algorithm: algorithm, lifetime: .seconds(60), type: "at+jwt")
                .issue([
                    "iss": issuer, "aud": ToolAPI.resource, "sub": "zoe", "client_id": "c",
                    "jti": "j", "scope": scope,
                ]))
    }

    @Test("an API with two issuers, and a client that finds the trusted one") func api()
        async throws
    {
        let api = try ToolAPI(
            company: PublicJWKSet(keys: [rsa.publicKey]),
            partner: PublicJWKSet(keys: [ec.publicKey]))
        let idp = "https://idp.example"
        let good = try await api.call(token(idp, "tools:read", by: rsa, .rs256))
        #expect(good.status == 200 && good.body == "https://idp.example zoe")
        let partner = try await api.call(
            token("https://login.partner.example", "tools:read", by: ec, .es256))
        #expect(partner.body == "https://login.partner.example zoe")
        #expect(try await api.call(token(idp, "tools:read", by: ec, .es256)).status == 401)
        #expect(try await api.call(token(idp, "other", by: rsa, .rs256)).status == 403)
        let rejected = try await api.call(nil)
        #expect(rejected.status == 401)
        var fetched: [String] = []
        func find(_ trusted: [String]) async throws -> String? {
            try await issuer(for: ToolAPI.resource, rejected, trusted: trusted) { url in
                fetched.append(url)
                return try api.metadata().body
            }
        }
        #expect(try await find([idp]) == idp)
        #expect(try await find(["https://evil.example"]) == nil)
        #expect(
            Set(fetched) == ["https://tools.example/.well-known/oauth-protected-resource/mcp"])
    }

    @Test("a service gets a token and revokes it") func services() async throws {
        var profile = OpenIDProfile.openID
        profile.accessToken.hasClientCredentials = true
        let metadata = try TestEnvironment.metadata(
            profile, ["revocation_endpoint": "https://idp.example/v2/revoke"])
        let provider = try TestEnvironment.provider(profile, metadata)
        let secret = ClientSecret("s")
        var registration = ClientRegistration(
            clientID: "reports", redirectURIs: [], secret: secret)
        registration.clientCredentialsScopes = ["read"]
        let client = try provider.client(registration)
        let revoked = Revoked()
        let endpoints = ServiceEndpoints(
            provider: provider, find: { $0 == "reports" ? client : nil },
            revoke: { request in
                guard request.token != "another-client's" else {
                    return TokenError(.unauthorizedClient)
                }
                await revoked.add(request.token)
                return nil
            })
        let service = try service(
            provider.discoveryDocument(), issuer: TestEnvironment.issuer, secret: secret,
            providerKeys: TestKeys.provider.publicKeys)
        var used: [String] = []
        try await withToken(
            service,
            post: { request in
                request.url.hasSuffix("/revoke")
                    ? try await endpoints.revoked(request.body, request.authorization)
                    : try await endpoints.token(request.body, request.authorization)
            }, { used.append($0) })
        #expect(used.count == 1)
        #expect(await revoked.all == used)
        struct Failed: Error {}
        await #expect(throws: Failed.self) {
            try await withToken(
                service,
                post: { request in
                    request.url.hasSuffix("/revoke")
                        ? try await endpoints.revoked(request.body, request.authorization)
                        : try await endpoints.token(request.body, request.authorization)
                },
                {
                    used.append($0)
                    throw Failed()
                })
        }
        #expect(used.count == 2)
        #expect(await revoked.all == used)
        let stranger = try await endpoints.token(
            "grant_type=client_credentials&client_id=x", nil)
        #expect(try TokenError(response: stranger).code == .invalidClient)
        #expect(try await endpoints.revoked("token=a&client_id=reports", nil).status == 400)
        let foreign = try await service.revocationRequest(token: "another-client's")
        let response = try await endpoints.revoked(foreign.body, foreign.authorization)
        #expect(response.status == 400)
        #expect(try TokenError(response: response).code == .unauthorizedClient)
        #expect(await revoked.all == used)
    }

    private actor Revoked {
        private(set) var all: [String] = []
        func add(_ token: String) { all.append(token) }
    }

    @Test("a logout returns to the app, and the user is asked where the request is not clear")
    func logout() async throws {
        let env = try TestEnvironment(
            .openID, additional: ["end_session_endpoint": "https://idp.example/v2/logout"])
        let client = try env.provider.client {
            $0.postLogoutRedirectURIs = ["https://app.example/bye"]
        }
        let idToken = try jwt(
            [
                "iss": .string(TestEnvironment.issuer), "aud": .string(TestEnvironment.clientID),
                "sub": "user-1", "sid": "s-1", "iat": .now(), "exp": .now(60),
            ], by: TestKeys.providerSigning)
        var ended = 0
        let url = try await signOut(env.party, idToken: idToken, state: "s") { ended += 1 }
        #expect(ended == 1)
        func ask(_ parameters: String, _ subject: String, confirmed: Bool = false) async throws
            -> OpenIDHTTPResponse
        {
            try await endSession(
                parameters, env.provider, user: (subject, "s-1"), isConfirmed: confirmed,
                find: { $0 == TestEnvironment.clientID ? client : nil }, end: { ended += 1 })
        }
        let back = try await ask(query(url), "user-1")
        #expect(back.header("Location") == "https://app.example/bye?state=s" && ended == 2)
        #expect(try await ask(query(url), "user-2").body == "Sign out?")
        for parameters in ["", "state=s", "client_id=unknown&state=s"] {
            #expect(try await ask(parameters, "user-1").body == "Sign out?", "\(parameters)")
            let confirmed = try await ask(parameters, "user-1", confirmed: true)
            #expect(confirmed.status == 200 && confirmed.header("Location") == nil)
        }
        #expect(ended == 5)
        let evil = try await ask(
            "client_id=client-1&post_logout_redirect_uri=https%3A%2F%2Fevil.example", "user-1",
            confirmed: true)
        #expect(evil.status == 400 && evil.header("Location") == nil && ended == 5)
    }

    @Test("Keycloak: access tokens, and no ID or refresh tokens") func keycloak() async throws {
        let realm = "https://sso.example/realms/main"
        let verifier = try keycloakAccessTokens(
            realm: realm, audience: "api", keys: PublicJWKSet(keys: [rsa.publicKey]))
        func verify(_ change: [String: JSONValue?], type: String? = "JWT") async throws {
            let claims: [String: JSONValue] = [
                "iss": .string(realm), "aud": ["account", "api"], "azp": "app", "typ": "Bearer",
                "sub": "u",
            ]
            let issuer = try JWTIssuer(
                key: rsa, algorithm: .rs256, lifetime: .seconds(60), type: type)
            _ = try await verifier.verify(try issuer.issue(claims.with(change)))
        }
        try await verify([:])
        try await verify(["aud": "api"], type: nil)
        for type in ["ID", "Refresh", "DPoP", "bearer", nil] {
            await expectRejection("claim-rejected typ", type ?? "no typ") {
                try await verify(["typ": type.map { .string($0) }])
            }
        }
        await expectRejection("claim-rejected aud") { try await verify(["aud": "account"]) }
        await expectRejection("claim-rejected iss") {
            try await verify(["iss": "https://sso.example/realms/other"])
        }
        await expectRejection("claim-rejected typ", "RFC 9068") {
            try await verify([:], type: "at+jwt")
        }
    }

    @Test("Entra: access tokens with the API's scope or role, and no ID Tokens") func entra()
        async throws
    {
        let keys = try PublicJWKSet(keys: [rsa.publicKey])
        let base = "https://login.microsoftonline.com/"
        let verifier = try entraAccessTokens(
            tenants: ["t1", "t2"], audience: "api", scope: "Docs.Read", role: "Docs.Read.All"
        ) { _ in keys }
        func verify(_ change: [String: JSONValue?]) async throws {
            let claims: [String: JSONValue] = [
                "iss": .string(base + "t2/v2.0"), "aud": "api", "azp": "app", "iat": .now(),
                "exp": .now(300), "sub": "u",
            ]
            let token = try jwt(claims.with(change), by: rsa)
            _ = try await verifier.verify(token, at: TestEnvironment.now)
        }
        try await verify(["scp": "Docs.Read"])
        try await verify(["scp": "x Docs.Read y"])
        try await verify(["roles": ["Docs.Read.All"]])
        try await verify(["scp": "x", "roles": ["x", "Docs.Read.All"]])
        for issuer in ["t3/v2.0", "common/v2.0", "{tenantid}/v2.0", "t1/v1.0"] {
            await expectRejection("claim-rejected iss", issuer) {
                try await verify(["scp": "Docs.Read", "iss": .string(base + issuer)])
            }
        }
        // A token of an app without a role, or for another scope.
        for change: [String: JSONValue?] in [
            [:], ["scp": ""], ["scp": "Docs.Read.All"], ["scp": "Docs.ReadX"], ["roles": []],
            ["roles": ["Docs.Read"]], ["roles": "Docs.Read.All"], ["scp": ["Docs.Read"]],
        ] {
            await expectRejection("claim-rejected scp", "\(change)") { try await verify(change) }
        }
        // ID Tokens of the same app registration, with and without roles.
        for claim in ["nonce", "at_hash", "c_hash"] {
            for rights: [String: JSONValue?] in [[:], ["roles": ["Docs.Read.All"]]] {
                await expectRejection("claim-rejected \(claim)") {
                    try await verify(rights.merging([claim: "x"]) { $1 })
                }
            }
        }
        await expectRejection("claim-rejected azp", "an ID Token with roles and without nonce") {
            try await verify(["azp": nil, "roles": ["Docs.Read.All"]])
        }
    }

    @Test("known providers: their issuers, claims and secrets") func providers() async throws {
        let keys = try PublicJWKSet(keys: [rsa.publicKey])
        func made(_ claims: [String: String]) throws -> String {
            try JWTIssuer(key: rsa, algorithm: .rs256, lifetime: .seconds(60)).issue(claims)
        }
        let pool = "https://cognito-idp.eu-west-1.amazonaws.com/p"
        let cognito = try cognitoAccessTokens(
            region: "eu-west-1", pool: "p", client: "c", keys: keys)
        let good = ["iss": pool, "client_id": "c", "token_use": "access", "sub": "u"]
        _ = try await cognito.verify(made(good))
        for (name, value) in [("client_id", "d"), ("token_use", "id"), ("iss", pool + "2")] {
            await expectRejection("claim-rejected \(name)") {
                var claims = good
                claims[name] = value
                _ = try await cognito.verify(made(claims))
            }
        }
        let google = try googleIDTokens(client: "c", apps: ["android"], keys: keys)
        for issuer in ["https://accounts.google.com", "accounts.google.com"] {
            _ = try await google.verify(made(["iss": issuer, "aud": "c", "sub": "u"]))
        }
        await expectRejection("claim-rejected iss") {
            _ = try await google.verify(
                made(["iss": "http://accounts.google.com", "aud": "c", "sub": "u"]))
        }
        // The app's client ID is the authorized party; another app's is not.
        let app = ["iss": "https://accounts.google.com", "aud": "c", "sub": "u", "azp": "android"]
        _ = try await google.verify(made(app))
        let alone = try googleIDTokens(client: "c", apps: [], keys: keys)
        await expectRejection("claim-rejected azp", "no apps") {
            _ = try await alone.verify(made(app))
        }
        await expectRejection("claim-rejected azp", "another app") {
            _ = try await google.verify(made(app.merging(["azp": "other"]) { $1 }))
        }
        await expectRejection("claim-rejected aud", "for the app, not for the server") {
            _ = try await google.verify(made(app.merging(["aud": "android"]) { $1 }))
        }
        let secret = try appleSecret(key: ec, team: "T", client: "app")
        let party = try TestEnvironment.party(
            .openID, TestEnvironment.metadata(.openID), clientID: "app", secret: secret)
        let started = try await party.start(AuthorizationRequest(), at: TestEnvironment.now)
        let header = try await party.tokenRequest(code: "c", for: started.session).authorization
        #expect(header?.hasPrefix("Basic ") == true)
    }
}
