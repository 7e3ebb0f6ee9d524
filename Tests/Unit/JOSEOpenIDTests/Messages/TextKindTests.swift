// Texts of one kind are rejected by all other readers: queries, forms and JSON of a login.

import JOSE
import JOSEOpenID
import Testing

@Suite("Message texts by kind")
struct TextKindTests {
    /// All other texts that one side writes and the other reads, with their readers.
    private struct Text {
        let name: String
        let text: String
        let read: (String) async throws -> Void
    }

    private func texts(_ env: TestEnvironment) async throws -> [Text] {
        let login = try await Login(env)
        let idToken = try await login.open(try await login.idToken())
        let (party, client, session) = (env.party, env.client, login.started.session)
        let grant = try await client.grant(login.received, at: .testNow)
        let request = try await party.tokenRequest(grant.code, session)
        let authorization = request.header("Authorization")
        let denied = try await client.redirect(
            error: AuthorizationError(.accessDenied), for: login.received)
        let response = { (wantsCode: Bool) in
            { (text: String) async throws in
                let response = try await env.response(
                    text, by: session.responseMode.carrier, for: session)
                var hasCode = false
                if case .code = response { hasCode = true }
                if hasCode != wantsCode { throw Login.NoCode() }
            }
        }
        return [
            Text(name: "request", text: query(login.started.url)) { text in
                let verdict = try await client.browse(
                    text, fetch: { _ in login.started.requestObject ?? "" })
                _ = try verdict.accepted()
            },
            Text(
                name: "code",
                text: query(try await client.redirect(code: grant.code, for: login.received).url),
                read: response(true)),
            Text(name: "rejection", text: query(denied.url), read: response(false)),
            Text(name: "token request", text: request.body) { text in
                _ = try await client.receiveTokenRequest(
                    text, authorization: authorization, at: .testNow)
            },
            Text(
                name: "token answer",
                text: try TokenResponse(accessToken: "a", idToken: "x.y.z").json()
            ) { _ = try TokenResponse(json: $0) },
            Text(name: "token error", text: try TokenError(.invalidGrant).json()) {
                _ = try TokenError(json: $0)
            },
            Text(name: "metadata", text: try env.provider.discoveryDocument()) {
                _ = try TestEnvironment.read($0, env.profile)
            },
            Text(name: "keys", text: try env.provider.publishedKeys().json()) {
                _ = try PublicJWKSet(json: $0)
            },
            Text(
                name: "UserInfo",
                text: try await client.tokenIssuer().userInfo(
                    subject: TestEnvironment.subject, at: .testNow)
            ) { _ = try await party.userInfo($0, idToken) },
            Text(
                name: "activation",
                text: #"{"status":"OK","completeUrl":"https://idp.example/complete"}"#
            ) { _ = try ActivationResponse(json: $0) },
            Text(name: "ID Token", text: try await login.idToken()) {
                _ = try await login.open($0)
            },
        ]
    }

    @Test(
        "each reader accepts only the texts of its own kind",
        arguments: TestEnvironment.all)
    func pairs(_ profile: OpenIDProfile) async throws {
        let texts = try await texts(TestEnvironment(profile))
        // Each text is first read by its own reader, as some are accepted once.
        for text in texts { try await text.read(text.text) }
        for text in texts {
            for reader in texts where reader.name != text.name {
                await #expect(throws: (any Error).self, "\(text.name) as \(reader.name)") {
                    try await reader.read(text.text)
                }
            }
        }
    }
}
