// Refresh requests and token rotation, on both sides.

import Foundation
import JOSE
import JOSEOpenID
import Testing

@Suite("Refresh requests")
struct RefreshTests {
    /// The provider's result for the relying party's request with this token.
    private func receive(
        _ env: TestEnvironment, _ token: String, scopes: [String] = [], resources: [String] = []
    ) async throws -> ReceivedRefreshRequest {
        let request = try await env.party.refreshRequest(
            refreshToken: token, scopes: scopes, resources: resources, at: .testNow)
        #expect(request.url == "https://idp.example/v2/token")
        return try await env.client.receiveRefreshRequest(
            request.body, authorization: request.authorization, at: .testNow)
    }

    private func family(_ login: Login) throws -> IssuedRefreshToken {
        try login.env.client.family(login.received, seconds: 86_400)
    }

    @Test("each refresh token works once and returns the next one", arguments: TestEnvironment.all)
    func rotation(_ profile: OpenIDProfile) async throws {
        let env = try TestEnvironment(profile.withRefreshTokens)
        var turn = try family(try await Login(env))
        var seen: Set<String> = []
        for generation in 0..<4 {
            #expect(seen.insert(turn.token).inserted && turn.family.generation == generation)
            let proved = try await receive(env, turn.token)
            #expect(proved.familyID == turn.family.id && turn.token.hasPrefix(turn.family.id + "."))
            // As the provider stored it.
            let kept = try JSONEncoder().encode(turn.family)
            #expect(!String(decoding: kept, as: UTF8.self).contains(turn.token))
            let family = try JSONDecoder().decode(RefreshFamily.self, from: kept)
            let next = try env.client.redeem(proved, family, at: .testNow)
            #expect(next.family.id == family.id && next.family.expires == family.expires)
            turn = next
        }
    }

    @Test("RFC 9700 4.14.2: an old or unknown refresh token ends the family")
    func reuse() async throws {
        let env = try TestEnvironment(.openID)
        let first = try family(try await Login(env))
        let proved = try await receive(env, first.token)
        let second = try env.client.redeem(proved, first.family, at: .testNow)
        for token in [
            first.token, first.family.id + "." + String(repeating: "A", count: 43),
            first.family.id, first.family.id + ".",
        ] {
            let proved = try await receive(env, token)
            await expectGrantError(.invalidGrant, "replayed", token) {
                _ = try env.client.redeem(proved, second.family, at: .testNow)
            }
        }
    }

    @Test("another client's token, an expired one, and a larger scope are rejected")
    func rejected() async throws {
        let env = try TestEnvironment(.openID)
        var request = env.request
        request.scopes = ["email"]
        request.resources = ["https://api.example/a"]
        let turn = try family(try await Login(env, request))
        let other = try family(try await Login(env))
        let proved = try await receive(
            env, turn.token, scopes: ["email"], resources: ["https://api.example/a"])
        _ = try env.client.redeem(proved, turn.family, at: .testNow)
        await expectRejection("claim-rejected refresh_token") {
            _ = try env.client.redeem(proved, other.family, at: .testNow)
        }
        let client = try env.provider.client(TestEnvironment.registration("client-2"))
        await expectRejection("claim-rejected refresh_token") {
            _ = try client.redeem(proved, turn.family, at: .testNow)
        }
        await expectRejection("claim-rejected refresh_token") {
            _ = try env.client.redeem(proved, turn.family, at: TestEnvironment.at(86_400))
        }
        let scope = try await receive(env, turn.token, scopes: ["email", "profile"])
        await expectRejection("claim-rejected scope") {
            _ = try env.client.redeem(scope, turn.family, at: .testNow)
        }
        let resource = try await receive(env, turn.token, resources: ["https://api.example/b"])
        await expectGrantError(.invalidTarget, "claim-rejected resource") {
            _ = try env.client.redeem(resource, turn.family, at: .testNow)
        }
        let received = try await Login(env).received
        await expectRejection("misuse") { _ = try client.family(received, seconds: 60) }
        await expectRejection("misuse") { _ = try env.client.family(received, seconds: 0) }
    }

    @Test("RFC 6749 6: a refresh never returns a scope that was requested but not granted")
    func granted() async throws {
        let env = try TestEnvironment(.openID)
        let login = try await Login(env) {
            $0.scopes = ["email", "profile"]
            $0.resources = ["https://api.example/a", "https://api.example/b"]
        }
        let first = try env.client.refreshFamily(
            for: login.received, granting: ["openid", "email"],
            resources: ["https://api.example/a"], lifetime: .seconds(3_600), at: .testNow)
        func refresh(
            _ turn: IssuedRefreshToken, _ scopes: [String], _ resources: [String] = []
        ) async throws -> IssuedRefreshToken {
            let kept = try coded(turn.family)
            return try env.client.redeem(
                await receive(env, turn.token, scopes: scopes, resources: resources), kept,
                at: .testNow)
        }
        // As long as the family lives.
        var turn = first
        for _ in 0..<3 {
            #expect(turn.family.scopes == ["openid", "email"])
            #expect(turn.family.resources == ["https://api.example/a"])
            for scopes in [["profile"], ["email", "profile"], ["address"]] {
                await expectRejection("claim-rejected scope") {
                    _ = try await refresh(turn, scopes)
                }
            }
            await expectRejection("claim-rejected resource") {
                _ = try await refresh(turn, ["email"], ["https://api.example/b"])
            }
            turn = try await refresh(turn, ["email"], ["https://api.example/a"])
        }
        let none = try env.client.refreshFamily(
            for: login.received, granting: [], resources: [], lifetime: .seconds(3_600),
            at: .testNow)
        _ = try await refresh(none, [])
        await expectRejection("claim-rejected scope") { _ = try await refresh(none, ["openid"]) }
        await expectRejection("claim-rejected resource") {
            _ = try await refresh(none, [], ["https://api.example/a"])
        }
        let all = try family(login)
        #expect(all.family.scopes == login.received.scopes)
        #expect(all.family.resources == login.received.resources)
    }

    @Test("malformed refresh requests are rejected") func forms() async throws {
        let env = try TestEnvironment(.openID)
        let good = try await env.party.refreshRequest(refreshToken: "a.b", at: .testNow)
        let header = good.authorization
        for (body, header, code) in [
            (good.body, nil, "claim-rejected client_secret"),
            (good.body, "Basic Y2xpZW50LTE6d3Jvbmc=", "claim-rejected client_secret"),
            (good.body + "&client_id=client-2", header, "claim-rejected client_id"),
            (good.body + "&client_assertion=a", header, "malformed"),
            (good.body + "&resource=r", header, "claim-rejected resource"),
            (good.body + "&refresh_token=c", header, "malformed"),
            ("grant_type=refresh_token", header, "malformed"),
            ("refresh_token=a", header, "malformed"),
            ("grant_type=authorization_code&refresh_token=a", header, "unsupported"),
        ] as [(String, String?, String)] {
            await expectRejection(code, body) {
                _ = try await env.client.receiveRefreshRequest(
                    body, authorization: header, at: .testNow)
            }
        }
        await expectRejection("malformed") {
            _ = try await env.party.refreshRequest(refreshToken: "")
        }
        await expectRejection("malformed") {
            _ = try await env.party.refreshRequest(refreshToken: "é")
        }
        await expectRejection("misuse") {
            _ = try await env.party.refreshRequest(refreshToken: "a", resources: ["r"])
        }
    }

    @Test("refresh responses with each combination of tokens") func responses() async throws {
        var first = TokenResponse(accessToken: "a", idToken: "i")
        #expect(try TokenResponse(json: first.json()).refreshToken == nil)
        first.refreshToken = "r"
        #expect(try TokenResponse(json: first.json()).refreshToken == "r")
        let response = AccessTokenResponse(
            accessToken: "a", refreshToken: "r", idToken: "i", expiresInSeconds: 60)
        let sent = try response.response()
        #expect(sent.status == 200 && sent.header("cache-control") == "no-store")
        let read = try AccessTokenResponse(json: sent.body)
        #expect(read.accessToken == "a" && read.refreshToken == "r" && read.idToken == "i")
        #expect(read.expiresIn == .seconds(60))
        let least = try AccessTokenResponse(
            json: AccessTokenResponse(accessToken: "a").response().body)
        #expect(least.refreshToken == nil && least.idToken == nil)
        for json in [
            "", "{}", #"{"access_token":"a"}"#, #"{"access_token":"","token_type":"Bearer"}"#,
            #"{"access_token":"a","token_type":"MAC"}"#,
            #"{"access_token":"a","token_type":"Bearer","refresh_token":1}"#,
            #"{"access_token":"a","token_type":"Bearer","expires_in":-1}"#,
        ] {
            await expectRejection("malformed", json) { _ = try AccessTokenResponse(json: json) }
        }
        await expectRejection("misuse") {
            _ = try AccessTokenResponse(accessToken: "a", expiresInSeconds: -1).response()
        }
    }

    @Test("OpenID Connect Core 12.2: the new ID Token has the same user and authentication")
    func idTokens() async throws {
        let env = try TestEnvironment(.openID)
        let login = try await Login(env)
        let before = try await login.open(try await login.idToken())
        let fetched = try TestEnvironment.fetching(env.profile, env.metadata)
        func read(_ claims: [String: JSONValue]) async throws -> VerifiedIDToken {
            let token = try login.forged(claims)
            let again = try await fetched.verifyRefreshed(token, after: before, at: .testNow)
            let read = try await env.party.verifyRefreshed(token, after: before, at: .testNow)
            #expect(again.subject == read.subject)
            return read
        }
        var good = login.goodClaims
        #expect(try await read(good).subject == before.subject)
        good["nonce"] = nil
        good["auth_time"] = nil
        let read = try await read(good)
        #expect(read.authenticatedAt == before.authenticatedAt)
        for (name, value) in [
            ("sub", "user-2"), ("sub", nil), ("iss", "https://evil.example"), ("aud", "client-2"),
            ("nonce", "other"), ("nonce", .null), ("auth_time", .now(-4)), ("exp", nil),
        ] as [(String, JSONValue?)] {
            let claims = good.with([name: value])
            await expectRejection("claim-rejected \(name)", name) {
                _ = try await env.party.verifyRefreshed(
                    try login.forged(claims), after: before, at: .testNow)
            }
        }
        // A hash that cannot be compared must not count as a match, as in the login's token.
        var hashed = good
        hashed["at_hash"] = .string(try SignatureAlgorithm.rs256.tokenHash(of: "a"))
        let token = try login.forged(hashed)
        _ = try await env.party.verifyRefreshed(
            token, after: before, accessToken: "a", at: .testNow)
        let demanding = try TestEnvironment.party(
            env.profile.with { $0.idToken.requiresAccessTokenHash = true }, env.metadata)
        let bare = try login.forged(good)
        for (party, token, accessToken, isGood) in [
            (env.party, token, nil, false), (env.party, token, "b", false),
            (fetched, token, nil, false), (fetched, token, "b", false),
            (demanding, token, "a", true), (demanding, bare, "a", false),
        ] as [(RelyingParty, String, String?, Bool)] {
            await expectResult(isGood ? nil : "claim-rejected at_hash", accessToken ?? "none") {
                _ = try await party.verifyRefreshed(
                    token, after: before, accessToken: accessToken, at: .testNow)
            }
        }
        let other = try TestEnvironment.party(env.profile, env.metadata, clientID: "client-2")
        await expectRule("another client") {
            _ = try await other.verifyRefreshed(try login.forged(good), after: before, at: .testNow)
        }
    }
}
