// Request objects as a provider receives them: every claim, and every way to smuggle a parameter.

import JOSE
import JOSEOpenID
import Testing

@Suite("Request objects")
struct RequestObjectTests {
    private func good(_ env: TestEnvironment) -> [String: JSONValue] {
        let hints = env.request.loginHints.map(JSONValue.string)
        return TestEnvironment.objectClaims().with([
            "aud": .string(env.objectAudience), "scope": .string(scope(env)),
            "state": "inapp:1234567890123456789012", "acr_values": .string(acr(env)),
            "login_hint": hints.isEmpty ? nil : .array(hints),
        ])
    }

    private func scope(_ env: TestEnvironment) -> String {
        (env.profile.authorization.requiredScopes
            + (env.profile.authorization.requiresServiceScope ? ["service:LOGIN"] : []))
            .joined(separator: " ")
    }

    private func acr(_ env: TestEnvironment) -> String {
        env.profile.authorization.acr.weakestFirst.first
            ?? "urn:signicat:oidc:method:inapp"
    }

    private func receive(
        _ env: TestEnvironment, _ claims: [String: JSONValue], _ extra: String = "",
        by key: JWK = TestKeys.partySigning
    ) async throws -> AuthorizationResult {
        let object = try env.sealed(
            claims, env.profile.requestObject.layers, by: key, for: TestKeys.providerDecrypting)
        let outer = TestEnvironment.form(["request": object], scope: scope(env))
        return try await env.client.browse(outer + extra)
    }

    private func rejection(_ verdict: AuthorizationResult)
        -> (code: OAuthErrorCode, cause: String)?
    {
        guard case .rejected(let rejected) = verdict else { return nil }
        return (rejected.error.code, JOSEOpenIDTests.verdict(rejected.cause))
    }

    @Test(
        "unknown members are ignored, and strings are kept",
        arguments: TestEnvironment.all)
    func unknown(_ profile: OpenIDProfile) async throws {
        let env = try TestEnvironment(profile)
        for value in [
            1, 1.5, true, .null, [], ["a"], .object([:]), .object(["a": 1]), "a\nb",
        ] as [JSONValue] {
            let claims = good(env).with(["own": value])
            let received = try await receive(env, claims).accepted()
            #expect(received.parameters["own"] == nil)
        }
        var claims = good(env)
        claims["own"] = "a"
        let received = try await receive(env, claims).accepted()
        #expect(received.isSigned("own"))
        for value in [1.5, true, .null, ["a"], .object([:]), "a\nb"] as [JSONValue] {
            claims = good(env)
            claims["display"] = value
            #expect(try await rejection(receive(env, claims))?.code == .invalidRequestObject)
        }
    }

    @Test("iss, aud and times are checked", arguments: TestEnvironment.all)
    func claims(_ profile: OpenIDProfile) async throws {
        let env = try TestEnvironment(profile)
        for (name, value) in [
            ("iss", "client-2"), ("iss", nil), ("aud", "https://idp.example/v2/tokens"),
            ("aud", nil), ("exp", nil), ("exp", .now(-61)), ("exp", "x"), ("nbf", .now(61)),
        ] as [(String, JSONValue?)] {
            let claims = good(env).with([name: value])
            let verdict = try await receive(env, claims)
            // An optional claim is checked if it is present.
            if value == nil, !profile.requestObject.requiredClaims.contains(name) {
                _ = try verdict.accepted()
                continue
            }
            let rejected = try need(rejection(verdict))
            #expect(rejected.code == .invalidRequestObject)
            #expect(rejected.cause == "claim-rejected \(name)")
        }
    }

    @Test(
        "client_id and response_type in the object must match the query",
        arguments: TestEnvironment.all)
    func mismatch(_ profile: OpenIDProfile) async throws {
        let env = try TestEnvironment(profile)
        for (name, value) in [
            ("response_type", "token"), ("client_id", "client-2"),
            ("redirect_uri", "https://rp.example/other"),
        ] as [(String, JSONValue)] {
            let claims = good(env).with([name: value])
            let rejected = try need(rejection(try await receive(env, claims)))
            #expect(rejected.code == .invalidRequestObject)
            #expect(rejected.cause == "claim-rejected \(name)")
        }
    }

    @Test("Core 6.1: the object's values supersede the query and count as signed")
    func superseding() async throws {
        var profile = OpenIDProfile.openID
        profile.requestObject.isSelfContained = false
        for isSelfContained in [true, false] {
            profile.requestObject.isSelfContained = isSelfContained
            let env = try TestEnvironment(profile)
            var claims = good(env)
            claims["scope"] = "openid email profile"
            let received = try await receive(
                env, claims, "&nonce=m&state=other&acr_values=weak&prompt=login"
            ).accepted()
            #expect(received.scopes == ["openid", "email", "profile"])
            #expect(received.nonce == "n" && received.state == claims["state"]?.string)
            for name in ["scope", "nonce", "state", "redirect_uri", "response_type"] {
                #expect(received.parameters.values(name).count == 1, "\(name)")
                #expect(received.isSigned(name), "\(name)")
            }
            // Query-only parameters are unsigned, and count if the profile allows it.
            #expect(received.parameters.values("prompt") == (isSelfContained ? [] : ["login"]))
            #expect(!received.isSigned("prompt"))
            // The query cannot extend the object, nor change the redirect URI.
            claims["scope"] = "openid"
            let narrow = try await receive(env, claims, "&claims_locales=nl").accepted()
            #expect(narrow.scopes == ["openid"])
            claims["redirect_uri"] = "https://rp.example/other"
            let rejected = try need(rejection(try await receive(env, claims)))
            #expect(rejected.cause == "claim-rejected redirect_uri")
        }
    }

    @Test(
        "a nested request parameter and values of invalid type are rejected",
        arguments: TestEnvironment.all)
    func smuggled(_ profile: OpenIDProfile) async throws {
        let env = try TestEnvironment(profile)
        for (name, value) in [
            ("request", "x"), ("request_uri", "https://rp.example:443/o"), ("state", 1.5),
            ("state", ["a", "b"]), ("state", nil as JSONValue), ("display", ["a": 1]),
            ("nonce", "a\u{0}b"), ("prompt", true), ("claims", "x"), ("login_hint", [1]),
            ("claims", [1]),
        ] as [(String, JSONValue)] {
            let claims = good(env).with([name: value])
            let rejected = try need(rejection(try await receive(env, claims)))
            #expect(rejected.code == .invalidRequestObject, "\(name)")
            #expect(rejected.cause == "malformed", "\(name)")
        }
    }

    @Test(
        "parameters outside the object count only if the profile merges them",
        arguments: TestEnvironment.all)
    func assembled(_ profile: OpenIDProfile) async throws {
        let env = try TestEnvironment(profile)
        let received = try await receive(
            env, good(env), "&x_extra=1&claims_locales=nl"
        ).accepted()
        #expect((received.parameters["x_extra"] == "1") == !profile.requestObject.isSelfContained)
        #expect(received.parameters["request"] == nil)
    }

    @Test("the object's redirect URI must be registered, and no other URI is redirected to")
    func redirect() async throws {
        let env = try TestEnvironment(.itsme2)
        let claims = good(env).with(["redirect_uri": "https://evil.example/"])
        let object = try env.partySealed(claims, .signedThenEncrypted)
        let outer = urlForm([
            "response_type": "code", "client_id": TestEnvironment.clientID, "scope": scope(env),
            "request": object,
        ])
        await expectRejection("claim-rejected redirect_uri") {
            _ = try await env.client.browse(outer.encoded)
        }
    }

    @Test("request together with request_uri, no fetcher, and a failed fetch are rejected")
    func references() async throws {
        let env = try TestEnvironment(.itsme2)
        let base =
            "response_type=code&client_id=client-1&scope=openid%20service%3ALOGIN"
            + "&redirect_uri=https%3A%2F%2Frp.example%2Fcallback"
            + "&request_uri=https%3A%2F%2Frp.example%3A443%2Fobjects%2F1"
        let both = try await env.client.receiveAuthorizationRequest(base + "&request=x")
        #expect(rejection(both)?.code == .invalidRequest)
        let without = try await env.client.receiveAuthorizationRequest(base)
        #expect(rejection(without)?.code == .requestURINotSupported)
        let broken = try await env.client.receiveAuthorizationRequest(
            base, fetch: { _ in throw Login.NoCode() })
        #expect(rejection(broken)?.code == .invalidRequestURI)
        let garbage = try await env.client.receiveAuthorizationRequest(
            base, fetch: { _ in "garbage" })
        #expect(rejection(garbage)?.code == .invalidRequestObject)
    }

    @Test("another client's request is rejected") func otherClient() async throws {
        let env = try TestEnvironment(.openID)
        for bad in ["client_id=client-2", "client_id=", "response_type=code", ""] {
            await expectRejection("claim-rejected client_id", bad) {
                _ = try await env.client.receiveAuthorizationRequest(bad)
            }
        }
    }
}
