// Token revocation (RFC 7009), on both sides.

import JOSE
import JOSEOpenID
import Testing

@Suite("Token revocation")
struct RevocationTests {
    static let url = "https://idp.example/v2/revoke"

    private func environment(_ profile: OpenIDProfile = .openID) throws -> TestEnvironment {
        try TestEnvironment(
            profile.withRefreshTokens, additional: ["revocation_endpoint": .string(Self.url)])
    }

    private func receive(
        _ client: RegisteredClient, _ request: TokenRequest
    ) async throws -> RegisteredClient.ReceivedRevocation {
        try await client.receiveRevocationRequest(
            request.body, authorization: request.authorization, at: .testNow)
    }

    @Test(
        "RFC 7009 2.1: a client revokes its own refresh token, and no other",
        arguments: TestEnvironment.all)
    func own(_ profile: OpenIDProfile) async throws {
        let env = try environment(profile)
        let login = try await Login(env)
        let issued = try env.client.family(login.received)
        let other = try env.client.family(login.received)
        let request = try await env.party.revocationRequest(
            token: issued.token, hint: "refresh_token", at: .testNow)
        #expect(request.url == Self.url)
        let received = try await receive(env.client, request)
        #expect(received.token == issued.token && received.hint == "refresh_token")
        #expect(received.clientID == TestEnvironment.clientID)
        #expect(received.familyID == issued.family.id)
        #expect(env.client.isAllowed(toRevoke: issued.family, by: received))
        #expect(!env.client.isAllowed(toRevoke: other.family, by: received))
        #expect(!"\(received)".contains(issued.token))
        let stranger = try env.provider.client(TestEnvironment.registration("client-2"))
        #expect(!stranger.isAllowed(toRevoke: issued.family, by: received))
    }

    /// The token of a family after one refresh, and the family.
    private func rotated(
        _ env: TestEnvironment, _ issued: IssuedRefreshToken
    ) async throws -> IssuedRefreshToken {
        let request = try await env.party.refreshRequest(refreshToken: issued.token, at: .testNow)
        let received = try await env.client.receiveRefreshRequest(
            request.body, authorization: request.authorization, at: .testNow)
        return try env.client.redeem(received, issued.family, at: .testNow)
    }

    /// Which tokens of a family revoke it: the valid one, the one before its refresh, and texts
    /// that share its beginning.
    private func revoking(_ env: TestEnvironment) async throws -> [String: Bool] {
        let login = try await Login(env)
        let old = try env.client.family(login.received)
        let current = try await rotated(env, old)
        let id = old.family.id
        var result: [String: Bool] = [:]
        for (name, token) in [
            ("current", current.token), ("old", old.token), ("garbage", id + ".garbage"),
            ("empty", id + "."), ("bare", id), ("longer", current.token + ".x"),
            ("shorter", String(current.token.dropLast())),
        ] {
            let received = try await receive(
                env.client, env.party.revocationRequest(token: token, at: .testNow))
            #expect(received.familyID == id)
            result[name] = env.client.isAllowed(toRevoke: current.family, by: received)
        }
        return result
    }

    @Test("RFC 7009 2.1: who only knows the family's id revokes nothing without authentication")
    func guessed() async throws {
        var native = OpenIDProfile.openID
        native.client.authentication = .publicClient
        native.accessToken.proofs = .ignored
        let env = try environment(native)
        #expect(
            try await revoking(env) == [
                "current": true, "old": false, "garbage": false, "empty": false, "bare": false,
                "longer": false, "shorter": false,
            ])
    }

    @Test("an authenticated client may revoke by an old token, but only if tokens rotate")
    func old() async throws {
        let rotating = try await revoking(environment())
        #expect(rotating["current"] == true && rotating["old"] == true)
        let env = try environment(
            OpenIDProfile.openID.with { $0.accessToken.rotatesRefreshTokens = false })
        let kept = try await revoking(env)
        #expect(kept.filter(\.value).keys.sorted() == ["current", "old"], "they are the same")
    }

    @Test("a request to another provider revokes nothing")
    func otherProvider() async throws {
        let env = try environment()
        let login = try await Login(env)
        let issued = try env.client.family(login.received)
        let request = try await env.party.revocationRequest(token: issued.token, at: .testNow)
        let issuer = "https://other.example"
        let metadata = try TestEnvironment.metadata(
            at: issuer, env.profile, additional: ["revocation_endpoint": .string(Self.url)])
        let other = try TestEnvironment.provider(env.profile, metadata).client(
            TestEnvironment.registration())
        let received = try await receive(other, request)
        #expect(!env.client.isAllowed(toRevoke: issued.family, by: received))
        #expect(!other.isAllowed(toRevoke: issued.family, by: received))
    }

    @Test("RFC 7009 2.1 and 2.2: any token and hint is read; success has no body")
    func opaque() async throws {
        let env = try environment()
        for (token, hint) in [("opaque", nil), ("a.b.c", "x"), ("~", "access_token")]
            as [(String, String?)]
        {
            let received = try await receive(
                env.client, env.party.revocationRequest(token: token, hint: hint, at: .testNow))
            #expect(received.token == token && received.hint == hint)
        }
        let response = try OpenIDHTTPResponse.revoked()
        #expect(response.status == 200 && response.body.isEmpty)
        #expect(response.header("Cache-Control") == "no-store")
        let unsupported = try TokenError(.unsupportedTokenType).response()
        #expect(unsupported.status == 400)
        #expect(try TokenError(response: unsupported).code == .unsupportedTokenType)
    }

    @Test("a client must authenticate as registered; hostile forms are rejected")
    func rejected() async throws {
        let env = try environment()
        let request = try await env.party.revocationRequest(token: "t", at: .testNow)
        await expectTokenError(.invalidClient, "claim-rejected client_secret") {
            _ = try await env.client.receiveRevocationRequest("token=t", at: .testNow)
        }
        for (body, code, rejection) in [
            ("", .invalidRequest, "malformed"), ("token=", .invalidRequest, "malformed"),
            ("token=a&token=b", .invalidRequest, "malformed"),
            ("token=%ff", .invalidRequest, "malformed"),
            ("token=a&token_type_hint=%00", .invalidRequest, "malformed"),
            ("token=a&client_id=other", .invalidClient, "claim-rejected client_id"),
            ("token=a&client_secret=x", .invalidRequest, "malformed"),
        ] as [(String, OAuthErrorCode, String)] {
            await expectTokenError(code, rejection, body) {
                _ = try await env.client.receiveRevocationRequest(
                    body, authorization: request.authorization, at: .testNow)
            }
        }
        await expectRejection("malformed") { _ = try await env.party.revocationRequest(token: "") }
        await expectRejection("malformed") {
            _ = try await env.party.revocationRequest(token: "é")
        }
        await expectRejection("misuse", "no endpoint") {
            _ = try await TestEnvironment(.openID).party.revocationRequest(token: "t")
        }
    }

    @Test("RFC 7009 5: a client assertion is used once, and its audience covers the endpoint")
    func assertions() async throws {
        let env = try environment(.itsme2)
        let request = try await env.party.revocationRequest(token: "t", at: .testNow)
        _ = try await receive(env.client, request)
        await expectRejection("replayed") { _ = try await receive(env.client, request) }
        // An assertion for the token endpoint alone is not one for this endpoint.
        var other = OpenIDProfile.itsme2
        other.client.audience = .tokenEndpoint
        let party = try TestEnvironment.party(other, env.metadata)
        let narrowed = try await party.revocationRequest(token: "t", at: .testNow)
        _ = try await receive(env.client, narrowed)
    }

    @Test("RFC 7009 2.1: a public client sends its client_id, and no other client's")
    func publicClients() async throws {
        var native = OpenIDProfile.openID
        native.client.authentication = .publicClient
        let metadata = try TestEnvironment.metadata(
            at: TestEnvironment.issuer, .openID, clientProfiles: [native],
            additional: ["revocation_endpoint": .string(Self.url)])
        let client = try TestEnvironment.provider(.openID, metadata).client {
            $0.secret = nil
            $0.profile = native
        }
        let request = try await TestEnvironment.party(native, metadata, secret: nil)
            .revocationRequest(token: "t", at: .testNow)
        #expect(request.parameters["client_id"] == TestEnvironment.clientID)
        #expect(try await receive(client, request).token == "t")
        for body in ["token=t", "token=t&client_id=other"] {
            await expectRejection("claim-rejected client_id", body) {
                _ = try await client.receiveRevocationRequest(body)
            }
        }
        // RFC 8414 2: the methods of the endpoint.
        #expect(
            metadata.list("revocation_endpoint_auth_methods_supported")
                == metadata.list("token_endpoint_auth_methods_supported"))
    }
}
