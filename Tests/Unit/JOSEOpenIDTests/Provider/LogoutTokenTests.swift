// Logout tokens (OpenID Connect Back-Channel Logout 1.0), and every invalid variant.

import JOSE
import JOSEOpenID
import Testing

@Suite("Logout tokens")
struct LogoutTokenTests {
    static let event = "http://schemas.openid.net/event/backchannel-logout"

    private func good(_ jti: String = "j") -> [String: JSONValue] {
        [
            "iss": .issuer, "aud": .clientID, "jti": .string(jti), "iat": .now(), "exp": .now(120),
            "events": .object([Self.event: .object([:])]), "sub": "user-1", "sid": "s-1",
        ]
    }

    private func read(
        _ env: TestEnvironment, _ claims: [String: JSONValue], type: String? = "logout+jwt",
        by key: JWK = TestKeys.providerSigning
    ) async throws -> VerifiedLogoutToken {
        let token = try env.sealed(claims, env.profile.idToken.layers, by: key, type: type)
        return try await env.party.logout(token, once: env.store)
    }

    @Test("a client accepts its provider's token once", arguments: TestEnvironment.all)
    func roundTrip(_ profile: OpenIDProfile) async throws {
        let env = try TestEnvironment(profile)
        let fetched = try TestEnvironment.fetching(profile, env.metadata)
        let subject = "user-1-of-32-characters-in-total"
        let responses = try await env.client.tokenIssuer()
        for (sub, sid) in [(subject, nil), (nil, "s-1"), (subject, "s-1")]
            as [(String?, String?)]
        {
            let token = try responses.logoutToken(subject: sub, sessionID: sid, at: .testNow)
            let form = "logout_token=" + token
            let read = try await env.party.verifyLogout(
                form: form, once: MemoryReplayStore(), at: .testNow)
            #expect(read.subject == sub && read.sessionID == sid)
            #expect(read.issuedAt == TestEnvironment.now)
            _ = try await fetched.verifyLogout(form: form, once: env.store, at: .testNow)
            await expectRejection("replayed") {
                _ = try await env.party.verifyLogout(form: form, once: env.store, at: .testNow)
            }
        }
        await expectRejection("misuse") { _ = try responses.logoutToken(subject: nil) }
        await expectRejection("misuse") {
            _ = try responses.logoutToken(subject: nil, sessionID: "")
        }
        await expectRejection("misuse") { _ = try responses.logoutToken(subject: "") }
        // No relying party would accept it, and its sessions would continue.
        await expectRejection("misuse") {
            _ = try responses.logoutToken(subject: subject, sessionID: "")
        }
    }

    @Test(
        "each wrong claim has one error code, and its jti is not claimed",
        arguments: [
            OpenIDProfile.openID, .itsme2,
        ])
    func wrong(_ profile: OpenIDProfile) async throws {
        let env = try TestEnvironment(profile)
        let other: JSONValue = .object(["http://schemas.openid.net/event/other": .object([:])])
        for (name, value) in [
            ("iss", nil), ("iss", "https://evil.example"), ("aud", nil), ("aud", "client-2"),
            ("exp", nil), ("exp", .now(-60)), ("exp", .now(601)), ("iat", nil), ("iat", .now(61)),
            ("jti", nil), ("jti", ""), ("jti", 1), ("nonce", "n"), ("events", nil),
            ("events", other), ("events", []), ("events", "a"),
            ("events", .object([Self.event: true])), ("events", .object([Self.event: .null])),
            ("sub", 1), ("aud", .array([.clientID, "client-2"])), ("azp", "client-2"),
            ("sub", .string(String(repeating: "s", count: 256))), ("sub", ""), ("sid", 1),
            ("sid", ""),
        ] as [(String, JSONValue?)] {
            let claims = good().with([name: value])
            await expectRejection("claim-rejected \(name)", "\(name) \(String(describing: value))")
            {
                _ = try await read(env, claims)
            }
        }
        let nobody = good().with(["sub": nil, "sid": nil])
        await expectRejection("claim-rejected sub") { _ = try await read(env, nobody) }
        for type in [nil, "JWT", "at+jwt", "oauth-authz-req+jwt"] as [String?] {
            await expectRejection("claim-rejected typ", "\(type ?? "none")") {
                _ = try await read(env, good(), type: type)
            }
        }
        await expectRejection("key-not-found") {
            _ = try await read(env, good(), by: TestKeys.unrelated)
        }
        #expect(env.store.count == 0)
        #expect(try await read(env, good()).sessionID == "s-1")
        await expectRejection("replayed") { _ = try await read(env, good()) }
        _ = try await read(env, good("other"))
    }

    @Test("a trusted additional audience is accepted as in an ID Token")
    func trusted() async throws {
        let env = try TestEnvironment(.openID.with { $0.idToken.trustedAudiences = ["app-1"] })
        var claims = good()
        claims["aud"] = .array([.clientID, "app-1"])
        claims["azp"] = "app-1"
        _ = try await read(env, claims)
        claims["aud"] = "app-1"
        await expectRejection("claim-rejected aud") { _ = try await read(env, claims) }
    }

    @Test("the request form and its responses") func responses() async throws {
        let env = try TestEnvironment(.openID)
        for form in ["", "logout_token=", "token=a", "logout_token=a&logout_token=b"] {
            await expectRejection("malformed", form) {
                _ = try await env.party.verifyLogout(form: form, once: env.store, at: .testNow)
            }
        }
        let good = try OpenIDHTTPResponse.loggedOut()
        #expect(good.status == 200 && good.header("cache-control") == "no-store")
        #expect(
            try OpenIDHTTPResponse.loggedOut(rejecting: .unavailable(.message, "a")).status == 503)
        let error = await expectRejection("malformed") {
            _ = try await env.party.verifyLogout(form: "", once: env.store)
        }
        let rejected = try OpenIDHTTPResponse.loggedOut(rejecting: try need(error))
        #expect(rejected.status == 400)
        #expect(try TokenError(json: rejected.body).code == .invalidRequest)
    }
}
