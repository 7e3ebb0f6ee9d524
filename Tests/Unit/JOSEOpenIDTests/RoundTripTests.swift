// Full logins, relying party against provider, under every profile.

import Foundation
import JOSE
import JOSEOpenID
import Testing

@Suite("Round trips")
struct RoundTripTests {
    struct Photo: Codable {
        var picture: String
    }

    /// About 60 KB of base64.
    static let photo = Photo(
        picture: Data((0..<45_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
            .base64EncodedString())

    @Test(
        "a full login: request, code, token request, ID Token with a photo, UserInfo",
        arguments: TestEnvironment.all, ["plain", "by value", "by reference"])
    func login(_ profile: OpenIDProfile, _ way: String) async throws {
        let env = try TestEnvironment(profile)
        var request = env.request
        request.delivery =
            switch way {
            case "plain": RequestObjectDelivery.none
            case "by value": .byValue
            default: .byReference(TestEnvironment.requestURI)
            }
        guard way != "by reference" || profile.requestObject.allowsReference else {
            return await expectRule("request_uri") { _ = try await env.party.start(request) }
        }
        let login = try await Login(env, request)
        #expect(login.received.isSigned == (way != "plain"))
        #expect(login.received.nonce == login.started.session.nonce)
        #expect(login.received.redirectURI == TestEnvironment.redirectURI)
        #expect((login.started.requestObject != nil) == (way == "by reference"))

        // The code is returned and exchanged for tokens.
        let grant = try await env.client.grant(login.received, at: .testNow)
        let redirect = try await env.client.redirect(code: grant.code, for: login.received)
        let response = try await env.response(redirect, for: login.started.session)
        guard case .code(let code) = response else { throw Login.NoCode() }
        let tokenRequest = try await login.tokenRequest(code)
        let authorization = tokenRequest.header("Authorization")
        #expect(
            try env.provider.unverifiedClientID(
                tokenRequest: tokenRequest.body, authorization: authorization)
                == TestEnvironment.clientID)
        let received = try await env.client.receiveTokenRequest(
            tokenRequest.body, authorization: authorization, at: .testNow)
        try await env.client.redeem(received, grant, at: .testNow)

        // ID Token and UserInfo.
        var user = login.user
        user.accessToken = "access-1"
        let responses = try await env.client.tokenIssuer()
        let token = try responses.idToken(
            for: login.received, user, claims: Self.photo, at: .testNow)
        let body = try TokenResponse(accessToken: "access-1", idToken: token, expiresInSeconds: 60)
            .json()
        let tokens = try TokenResponse(json: body)
        let idToken = try await env.party.verifyIDToken(
            tokens.idToken, for: login.started.session, accessToken: tokens.accessToken, code: code,
            at: .testNow)
        #expect(idToken.subject == "user-1-of-32-characters-in-total")
        #expect(try idToken.decode(Photo.self).picture == Self.photo.picture)
        let info = try responses.userInfo(
            subject: idToken.subject, claims: ["name": "Zoë"], at: .testNow)
        let userInfo = try await env.party.verifyUserInfo(
            info, for: idToken, contentType: responses.userInfoMediaType, at: .testNow)
        #expect(try userInfo.name == "Zoë")
        #expect(userInfo.subject == "user-1-of-32-characters-in-total")
    }

    @Test("a full login works with key sets fetched on both sides", arguments: TestEnvironment.all)
    func fetched(_ profile: OpenIDProfile) async throws {
        let env = try TestEnvironment(profile)
        let party = try TestEnvironment.fetching(profile, env.metadata)
        let client = try env.provider.client(TestEnvironment.registration())
        let request = env.request(byValue: true)
        let started = try await party.start(request, at: .testNow)
        let received = try await client.receive(started)
        let grant = try await client.grant(received, at: .testNow)
        let tokenRequest = try await party.tokenRequest(grant.code, started.session)
        let proved = try await client.receive(tokenRequest)
        try await client.redeem(proved, grant, at: .testNow)
        let user = TestEnvironment.user(profile.authorization.acr.weakestFirst.last)
        let responses = try await client.tokenIssuer()
        let idToken = try await party.open(
            responses.idToken(for: received, user, at: .testNow), started)
        let info = try responses.userInfo(subject: TestEnvironment.subject, at: .testNow)
        let userInfo = try await party.userInfo(info, idToken)
        #expect(userInfo.subject == idToken.subject)
    }

    @Test("an authorization session survives encoding by any coder", arguments: TestEnvironment.all)
    func session(_ profile: OpenIDProfile) async throws {
        let login = try await Login(TestEnvironment(profile))
        let data = try JSONEncoder().encode(login.started.session)
        let session = try JSONDecoder().decode(AuthorizationSession.self, from: data)
        let token = try await login.idToken()
        let idToken = try await login.env.party.verifyIDToken(token, for: session, at: .testNow)
        #expect(idToken.subject == "user-1-of-32-characters-in-total")
        let grant = try await login.env.client.grant(login.received, at: .testNow)
        let kept = try coded(grant)
        #expect(kept.code == grant.code)
        #expect(kept.request.parameters == grant.request.parameters)
    }
}
