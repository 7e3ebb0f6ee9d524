// The examples of the pages about single messages behave as the pages say.

import JOSE
import JOSEOpenID
import Testing

@Suite("Message examples")
struct MessageExampleTests {
    private func party(_ env: TestEnvironment) throws -> RelyingParty {
        try RelyingParty(
            profile: env.profile, metadata: env.metadata, clientID: TestEnvironment.clientID,
            redirectURI: TestEnvironment.redirectURI, keys: TestKeys.party,
            secret: ClientSecret(TestEnvironment.secret), providerKeys: TestKeys.provider.publicKeys
        )
    }

    @Test("a pushed request on both sides, and one from an unknown client")
    func pushed() async throws {
        let env = try TestEnvironment(.openID)
        let party = try party(env)
        func start(_ clients: [String: RegisteredClient]) async throws -> AuthorizationStart {
            try await startPushed(env.request, party) {
                try await receivePushed(
                    $0.body, $0.authorization, [], env.provider, clients)
            }
        }
        let started = try await start([TestEnvironment.clientID: env.client])
        let names = try OpenIDParameters(decoding: query(started.url)).all.map(\.name)
        #expect(names == ["client_id", "request_uri"])
        guard
            case .accepted(let received) = try await env.client.receiveAuthorizationRequest(
                query(started.url))
        else { throw Login.NoCode() }
        #expect(received.state == started.session.state)
        let rejected = await #expect(throws: TokenError.self) { _ = try await start([:]) }
        #expect(rejected?.code == .invalidClient)
    }

    @Test("each refresh token returns the next, and reuse of an old one ends the family")
    func refresh() async throws {
        let env = try TestEnvironment(.openID)
        let families = RefreshFamilies()
        let login = try await Login(env)
        let first = try await families.first(
            env.client, login.received, respondingTo: nil)
        func refresh(
            _ token: String,
            access: @Sendable (ReceivedRefreshRequest) async throws -> String = { _ in "access-2" }
        ) async throws -> OpenIDHTTPResponse {
            let request = try await env.party.refreshRequest(refreshToken: token)
            return try await families.refresh(
                request.body, request.authorization, [], env.client, access: access)
        }
        let made = AccessTokens()
        // If no refresh token can be issued, the client keeps its old one.
        await #expect(throws: CancellationError.self) {
            try await refresh(first) { _ in throw CancellationError() }
        }
        let response = try await refresh(first)
        let second = try need(AccessTokenResponse(json: response.body).refreshToken)
        #expect(second != first)
        let old = try await refresh(first) { _ in await made.next() }
        #expect(try old.status == 400 && TokenError(json: old.body).code == .invalidGrant)
        let ended = try await refresh(second) { _ in await made.next() }
        #expect(await made.count == 0, "an access token for what is rejected")
        #expect(try ended.status == 400 && TokenError(json: ended.body).code == .invalidGrant)
        let strange = try await families.refresh(
            "grant_type=refresh_token&refresh_token=x", nil, [], env.client
        ) { _ in "a" }
        #expect(try TokenError(json: strange.body).code == .invalidClient)
    }

    @Test("concurrent use of one refresh token: one response, and the family ends")
    func twice() async throws {
        let env = try TestEnvironment(.openID)
        let families = RefreshFamilies()
        let first = try await families.first(
            env.client, Login(env).received, respondingTo: nil)
        let request = try await env.party.refreshRequest(refreshToken: first)
        let again = try await env.party.refreshRequest(refreshToken: first)
        let response = try await families.refresh(
            request.body, request.authorization, [], env.client
        ) { _ in
            let other = try await families.refresh(
                again.body, again.authorization, [], env.client
            ) { _ in "a" }
            #expect(other.status == 200)
            return "b"
        }
        #expect(try TokenError(json: response.body).code == .invalidGrant)
    }

    private actor AccessTokens {
        private(set) var count = 0

        func next() -> String {
            count += 1
            return "access-\(count)"
        }
    }

    @Test("malformed client requests get an error response and throw nothing")
    func strangers() async throws {
        let env = try TestEnvironment(.openID)
        let logins = DeviceLogins(try BackchannelEnvironment().client)
        let ciba = "grant_type=urn:openid:params:grant-type:ciba"
        let clients = [TestEnvironment.clientID: env.client]
        for (response, code) in [
            (try await receivePushed("%", nil, [], env.provider, clients), .invalidRequest),
            (try await receivePushed("", nil, [], env.provider, clients), .invalidClient),
            (try await receivePushed("", "Basic %", [], env.provider, clients), .invalidClient),
            (try await logins.token("%", nil, []) { _ in "a" }, .invalidRequest),
            (try await logins.token(ciba, nil, []) { _ in "a" }, .invalidRequest),
            (
                try await logins.token(ciba + "&auth_req_id=x&client_assertion=e.e.e", nil, []) {
                    _ in "a"
                }, .invalidClient
            ),
        ] as [(OpenIDHTTPResponse, OAuthErrorCode)] {
            let error = try TokenError(json: response.body)
            #expect(error.code == code && error.description != nil && response.status / 100 == 4)
        }
    }

    @Test("a refresh request with a DPoP proof returns a bound token, not a bearer token")
    func boundRefresh() async throws {
        let env = try FAPIEnvironment(nonces: DPoPNonces())
        func nonce(_ response: OpenIDHTTPResponse) throws -> DPoPNonce {
            try DPoPNonce(header: need(response.header("DPoP-Nonce")))
        }
        let rejected = try await receivePushed(
            env.party.push(AuthorizationRequest(), prover: env.prover).request.body, nil,
            [env.prover.proof(method: "POST", url: FAPIEnvironment.push)], env.provider,
            [TestEnvironment.clientID: env.client])
        let fresh = try nonce(rejected)
        let pushed = try await env.party.push(
            AuthorizationRequest(), prover: env.prover, nonce: fresh)
        let kept = await env.client.receivePushedRequest(
            pushed.request.body, proofs: pushed.request.proofs)
        let started = try env.party.start(
            pushed, PushedAuthorizationResponse(json: kept.response().body))
        guard
            case .accepted(let request) = try await env.client.receiveAuthorizationRequest(
                query(started.url))
        else { throw Login.NoCode() }
        let families = RefreshFamilies()
        let token = try await families.first(env.client, request, respondingTo: nil)
        func refresh(_ nonce: DPoPNonce?) async throws -> (TokenRequest, OpenIDHTTPResponse) {
            let asked = try await env.party.refreshRequest(
                refreshToken: token, prover: env.prover, nonce: nonce)
            let response = try await families.refresh(
                asked.body, asked.authorization, asked.proofs, env.client
            ) { $0.keyThumbprint ?? "nothing" }
            return (asked, response)
        }
        let (_, first) = try await refresh(nil)
        #expect(try TokenError(json: first.body).code == .useDPoPNonce)
        let (asked, second) = try await refresh(nonce(first))
        let tokens = try AccessTokenResponse(json: second.body, to: asked)
        #expect(tokens.accessToken == env.prover.keyThumbprint && tokens.type == .dpop)
    }

    /// A key source that is unavailable.
    private struct Away: KeySource {
        func keys(keyID: String?) async throws(JOSEError) -> PublicJWKSet {
            throw .unavailable(.keySet, "away")
        }
    }

    @Test("a resource server: from the header to the response") func api() async throws {
        let key = try JWK.generate(.curve(.p256), keyID: "k", use: .signature)
        let issuer = try JWTIssuer(
            key: key, algorithm: .es256, lifetime: .seconds(60), type: "at+jwt")
        func token(_ scope: String, _ audience: String = ReadingAPI.name) throws -> String {
            "Bearer "
                + (try issuer.issue([
                    "iss": "https://op.example", "aud": audience, "sub": "zoe", "client_id": "c",
                    "jti": "j", "scope": scope,
                ]))
        }
        let api = try ReadingAPI(
            issuer: "https://op.example", keys: PublicJWKSet(keys: [key.publicKey]))
        let good = try await api.get(token("read"))
        #expect(good.status == 200 && good.body == "zoe")
        func rejected(_ authorization: String?, _ status: Int, _ error: String?) async throws {
            let response = try await api.get(authorization)
            let challenge = response.header("WWW-Authenticate") ?? ""
            #expect(response.status == status, "\(challenge)")
            #expect(challenge.hasPrefix("Bearer "))
            #expect(challenge.contains("error=") == (error != nil))
            if let error { #expect(challenge.contains(error)) }
        }
        try await rejected(nil, 401, nil)
        try await rejected(token("read", "https://other.example"), 401, "invalid_token")
        try await rejected("Bearer e.e.e", 401, "invalid_token")
        try await rejected(token("write"), 403, "insufficient_scope")
        let away = try ReadingAPI(issuer: "https://op.example", keys: Away())
        #expect(try await away.get(token("read")).status == 503)
    }

    @Test("a logout token ends a session once") func logout() async throws {
        let env = try TestEnvironment(.openID)
        let party = try party(env)
        let token = try await env.client.tokenIssuer().logoutToken(
            subject: "user-1", sessionID: "s-1")
        var ended: [String?] = []
        let first = try await loggedOut("logout_token=" + token, party, env.store) {
            ended += [$0, $1]
        }
        #expect(first.status == 200 && ended == ["user-1", "s-1"])
        let again = try await loggedOut("logout_token=" + token, party, env.store) {
            ended += [$0, $1]
        }
        #expect(again.status == 400 && ended.count == 2)
    }

    @Test("a user without a browser: pending, then approved, and denied", arguments: [true, false])
    func device(_ says: Bool) async throws {
        let sides = try BackchannelEnvironment()
        let logins = DeviceLogins(sides.client)
        let party = try RelyingParty(
            profile: sides.env.profile, metadata: sides.env.metadata,
            clientID: TestEnvironment.clientID,
            redirectURI: TestEnvironment.redirectURI, keys: TestKeys.party,
            secret: ClientSecret(TestEnvironment.secret), providerKeys: TestKeys.provider.publicKeys
        )
        let login = DeviceLogin(party: party) { request in
            request.url == BackchannelEnvironment.endpoint
                ? try await logins.receive(request.body, request.authorization)
                : try await logins.token(request.body, request.authorization, []) { _ in "access-1"
                }
        }
        let wait = try await login.start(telephone: "+32470000000", shows: "W4SCT")
        let (nobody, kept) = try await login.poll(wait)
        #expect(nobody == nil)
        let next = try need(kept)
        try await logins.decide(wait.requestID, says ? .reaching(sides.env.profile) : nil)
        let (user, over) = try await login.poll(next)
        #expect(over == nil)
        #expect(user?.subject == (says ? "user-1-of-32-characters-in-total" : nil))
    }
}
