// OpenID Connect Core's defaults, and modified profiles.

import JOSE
import JOSEOpenID
import Testing

@Suite("OpenID Connect Core")
struct OpenIDTests {
    @Test("PKCE always, HTTP Basic, JSON UserInfo") func defaults() async throws {
        let env = try TestEnvironment(.openID)
        let started = try await env.party.start(AuthorizationRequest())
        let parameters = try urlParameters(started.url)
        #expect(parameters["code_challenge"] != nil)
        #expect(parameters["scope"] == "openid")
        let request = try await env.party.tokenRequest(code: "c", for: started.session)
        #expect(request.headers.contains { $0.name == "Authorization" })
    }

    @Test("max_age requires a recent auth_time") func maxAge() async throws {
        let env = try TestEnvironment(.openID)
        let login = try await Login(env) { $0.maxAge = .seconds(100) }
        for (age, isGood) in [(0, true), (160, true), (161, false), (nil, false)]
            as [(Int64?, Bool)]
        {
            var claims = login.goodClaims
            claims["auth_time"] = age.map { .integer(TestEnvironment.now.seconds - $0) }
            let token = try login.forged(claims)
            await login.expect(token, isGood ? nil : "claim-rejected auth_time")
        }
        var user = login.user
        user.time = nil
        await expectRule("auth_time is required") { _ = try await login.idToken(user: user) }
    }

    @Test("an acr without an order must be one of those requested, by acr_values or claims")
    func acrValues() async throws {
        let env = try TestEnvironment(.openID)
        var byValues = env.request
        byValues.acrValues = ["gold", "silver"]
        var byClaim = env.request
        byClaim.claims = ClaimsRequest(idToken: ["acr": .values(["gold", "silver"])])
        for request in [byValues, byClaim] {
            let login = try await Login(env, request)
            for (given, isGood) in [("gold", true), ("silver", true), ("bronze", false)] {
                let token = try login.altered(["acr": .string(given)])
                await login.expect(token, isGood ? nil : "claim-rejected acr")
            }
        }
    }

    @Test("a profile lists additional audiences, which azp may be, and sub has at most 255 bytes")
    func trustedAudiences() async throws {
        var profile = OpenIDProfile.openID
        #expect(profile.idToken.trustedAudiences == [])
        profile.idToken.trustedAudiences = ["app-1", "app-2"]
        let login = try await Login(TestEnvironment(profile))
        for (aud, azp, expected) in [
            (["client-1", "app-1"], nil, nil), (["client-1", "app-1"], "app-1", nil),
            (["app-2", "client-1"], "client-1", nil), ("client-1", "app-2", nil),
            (["client-1", "app-1", "x"], "client-1", "aud"), ("app-1", "client-1", "aud"),
            (["app-1", "app-2"], "client-1", "aud"), (["client-1", "app-1"], "x", "azp"),
            (["client-1", "App-1"], nil, "aud"), ("client-1", "app-3", "azp"),
        ] as [(JSONValue, JSONValue?, String?)] {
            let token = try login.altered(["aud": aud, "azp": azp])
            await login.expect(token, expected.map { "claim-rejected \($0)" })
        }
        for (count, isRight) in [(255, true), (256, false), (2_000, false)] {
            let token = try login.altered(["sub": .string(String(repeating: "s", count: count))])
            await login.expect(token, isRight ? nil : "claim-rejected sub")
        }
        profile.idToken.trustedAudiences = [""]
        await expectRejection("misuse") { _ = try TestEnvironment(profile) }
    }

    @Test("at_hash and c_hash fail closed when present or required") func hashes() async throws {
        let login = try await Login(TestEnvironment(.openID))
        var user = login.user
        user.accessToken = "access-1"
        user.code = "code-1"
        let token = try await login.idToken(user: user)
        _ = try await login.open(token, accessToken: "access-1", code: "code-1")
        for (access, code, name) in [
            ("access-2", "code-1", "at_hash"), ("access-1", "code-2", "c_hash"),
            (nil, "code-1", "at_hash"), ("access-1", nil, "c_hash"),
        ] as [(String?, String?, String)] {
            await expectRejection("claim-rejected \(name)") {
                _ = try await login.open(token, accessToken: access, code: code)
            }
        }
        var strict = OpenIDProfile.openID
        strict.idToken.requiresAccessTokenHash = true
        strict.idToken.requiresCodeHash = true
        let careful = try await Login(TestEnvironment(strict))
        await expectRejection("claim-rejected at_hash") {
            _ = try await careful.open(
                careful.forged(careful.goodClaims), accessToken: "a", code: "c")
        }
        await expectRejection("claim-rejected at_hash") { _ = try await careful.idToken() }
    }

    @Test("the profile can require request objects, on both sides")
    func requiredObjects() async throws {
        let env = try TestEnvironment(.openID.with { $0.requestObject.isRequired = true })
        await expectRule("requires request objects") { _ = try await env.start() }
        let plain = await query(try TestEnvironment(.openID).party.start(env.request).url)
        let rejected = try await env.client.receiveAuthorizationRequest(plain).rejected()
        #expect(rejected.error.code == .invalidRequest)
    }

    @Test("an explanation ends like the check, and shows values that the error omits")
    func explanation() async throws {
        let env = try TestEnvironment(.itsme2)
        let login = try await Login(env) {
            $0.acrValues = ["http://itsme.services/v2/claim/acr_advanced"]
        }
        let good = await env.party.explain(
            idToken: try await login.idToken(), for: login.started.session, at: .testNow)
        #expect(good.error == nil)
        #expect(good.lines.last?.text == "the claims satisfy the profile itsme2")
        var claims = login.goodClaims
        claims["acr"] = "http://itsme.services/v2/claim/acr_basic"
        let weak = await env.party.explain(
            idToken: try login.forged(claims), for: login.started.session, at: .testNow)
        #expect(weak.error?.claim == "acr")
        #expect(weak.error?.description.contains("acr_basic") == false)
        #expect(
            weak.claims.contains { $0.name == "acr" && $0.value?.contains("acr_basic") == true })
        claims["nonce"] = "x"
        let other = await env.party.explain(
            idToken: try login.forged(claims), for: login.started.session, at: .testNow)
        #expect(other.error?.claim == "nonce")
        #expect(other.description.contains("nonce is 'x', expected '"))
    }

    @Test("a missing key or secret is reported when the relying party is created")
    func missing() async {
        for (profile, code) in [(OpenIDProfile.openID, "misuse"), (.itsme2, "key-not-found")] {
            await expectRejection(code) {
                _ = try TestEnvironment.party(
                    profile, TestEnvironment.metadata(profile), keys: JWKSet(keys: []), secret: nil)
            }
        }
        for redirect in ["", "callback", "https://a.b/#x", "javascript:alert(1)", "https://a.b/ c"]
        {
            await expectRejection("misuse", redirect) {
                _ = try TestEnvironment.party(
                    .itsme2, TestEnvironment.metadata(.itsme2), redirectURI: redirect, secret: nil)
            }
        }
    }
}
