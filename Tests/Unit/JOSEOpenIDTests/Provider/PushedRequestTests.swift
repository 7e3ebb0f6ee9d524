// Pushed authorization requests (RFC 9126), both sides, and every invalid variant.

import Foundation
import JOSE
import JOSEOpenID
import Testing

@Suite("Pushed requests")
struct PushedRequestTests {
    static let endpoint = "https://idp.example/v2/par"

    @Test(
        "a full login: push, 201, a browser URL with only the reference, code, tokens",
        arguments: TestEnvironment.all, [false, true])
    func login(_ profile: OpenIDProfile, _ byValue: Bool) async throws {
        let env = try TestEnvironment(profile)
        let login = try await PushedLogin(env, env.request(byValue: byValue))
        let form = login.pushed.request.parameters
        #expect(login.pushed.request.url == Self.endpoint)
        #expect(form["client_id"] == TestEnvironment.clientID && form["request_uri"] == nil)
        #expect((form["request"] != nil) == byValue && (form["response_type"] == nil) == byValue)

        let response = try login.kept.response()
        #expect(response.status == 201 && response.header("Cache-Control") == "no-store")
        #expect(response.header("content-type") == "application/json")
        #expect(try PushedAuthorizationResponse(json: response.body).expiresInSeconds == 60)
        let random = login.kept.reference.dropFirst("urn:ietf:params:oauth:request_uri:".count)
        #expect(login.kept.reference.hasPrefix("urn:ietf:params:oauth:request_uri:"))
        #expect(random.utf8.count == 43)

        let outer = try urlParameters(login.started.url)
        #expect(outer.all.map(\.name) == ["client_id", "request_uri"])
        let received = try await login.receive()
        #expect(received.isSigned == byValue && received.pushedReference == login.kept.reference)
        #expect(received.nonce == login.started.session.nonce)
        for name in ["client_assertion", "client_assertion_type", "client_secret"] {
            #expect(received.parameters[name] == nil)
        }
        let grant = try await env.client.grant(received, at: .testNow)
        let back = try await env.client.redirect(code: grant.code, for: received)
        #expect(try await env.response(back, for: login.started.session) == .code(grant.code))
        let tokens = try await env.party.tokenRequest(grant.code, login.started.session)
        let proved = try await env.client.receive(tokens)
        try await env.client.redeem(proved, grant, at: .testNow)
    }

    @Test("RFC 9126 4: a request is used up by its grant, not by loading the page")
    func once() async throws {
        let env = try TestEnvironment(.openID)
        let store = MemoryPushedRequestStore()
        let other = try TestEnvironment(.openID, pushed: store)
        for env in [env, other] {
            let login = try await PushedLogin(env)
            let pages = [try await login.receive(), try await login.receive()]
            _ = try await env.client.grant(pages[1], at: .testNow)
            await expectRejection("replayed") {
                _ = try await env.client.grant(pages[0], at: .testNow)
            }
            await expectRejection("claim-rejected request_uri") { _ = try await login.receive() }
        }
        #expect(store.count == 0)
    }

    @Test("exactly one of 64 concurrent grants of one request succeeds") func race() async throws {
        let login = try await PushedLogin(try TestEnvironment(.openID))
        let received = try await login.receive()
        let granted = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<64 {
                group.addTask { (try? await login.env.client.grant(received, at: .testNow)) != nil }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(granted == 1)
    }

    @Test("a rejected user does not use up the request and may retry until it expires")
    func denied() async throws {
        let login = try await PushedLogin(try TestEnvironment(.openID))
        let received = try await login.receive()
        _ = try await login.env.client.redirect(
            error: AuthorizationError(.accessDenied), for: received)
        _ = try await login.env.client.grant(try await login.receive(), at: .testNow)
    }

    @Test("another client's, expired and unknown references have one error code and a page")
    func foreign() async throws {
        let env = try TestEnvironment(.openID)
        let login = try await PushedLogin(env)
        let other = try env.provider.client(TestEnvironment.registration("client-2"))
        let reference = "request_uri=" + login.kept.reference
        // A redirect URI that would be used if any query parameter counted.
        let address = "&redirect_uri=https%3A%2F%2Frp.example%2Fcallback"
        let good = "client_id=client-1&\(reference)"
        let cases: [(String, RegisteredClient, String, Int64)] = [
            ("claim-rejected request_uri", other, "client_id=client-2&\(reference)", 0),
            ("claim-rejected client_id", other, good, 0),
            ("claim-rejected client_id", env.client, reference, 0),
            ("claim-rejected request_uri", env.client, good, 60),
            ("claim-rejected request_uri", env.client, good + "A", 0),
            ("claim-rejected request_uri", env.client, String(good.dropLast()), 0),
            ("malformed", env.client, good + "&request=e30.e30.e30", 0),
        ]
        for (code, client, query, seconds) in cases {
            await expectRejection(code, query) {
                let verdict = try await client.receiveAuthorizationRequest(
                    query + address,
                    at: TestEnvironment.at(seconds))
                if case .rejected = verdict { Issue.record("redirected: \(query)") }
            }
        }
        let last = TestEnvironment.at(59)
        _ = try await login.receive(good, at: last)
    }

    @Test("parameters next to the reference are ignored") func bare() async throws {
        let login = try await PushedLogin(try TestEnvironment(.openID))
        let further =
            "&scope=email&state=evil&redirect_uri=https%3A%2F%2Fevil.example&response_type=token"
        let received = try await login.receive(query(login.started.url) + further)
        #expect(
            received.redirectURI == TestEnvironment.redirectURI && received.scopes == ["openid"])
        #expect(received.state == login.started.session.state)
    }

    @Test("RFC 9126 3: next to a pushed object only client authentication counts")
    func objectAlone() async throws {
        let env = try TestEnvironment(.openID)
        let pushed = try await env.party.push(env.request(byValue: true), at: .testNow)
        for further in [
            "&scope=email", "&redirect_uri=https%3A%2F%2Fevil.example", "&response_type=token",
            "&state=evil", "&own=1",
        ] {
            let verdict = await env.client.receivePushedRequest(
                pushed.request.body + further, authorization: pushed.request.authorization,
                at: .testNow)
            let kept = try verdict.accepted()
            let login = try await env.client.browse(
                "client_id=client-1&request_uri=\(kept.reference)")
            let received = try login.accepted()
            #expect(received.redirectURI == TestEnvironment.redirectURI && received.isSigned)
            #expect(received.scopes == ["openid"] && received.parameters["own"] == nil)
        }
    }

    @Test("each defect of a pushed request has one cause, one error and one status")
    func failures() async throws {
        let env = try TestEnvironment(.openID)
        let pushed = try await env.party.push(env.request(byValue: false), at: .testNow)
        let (body, header) = (pushed.request.body, try need(pushed.request.authorization))
        func with(_ old: String, _ new: String) -> String { body.replacing(old, with: new) }
        let cases: [(String, String?, [String])] = [
            (body + "&request_uri=https%3A%2F%2Frp.example", header, malformed()),
            (
                body + "&request_uri=urn%3Aietf%3Aparams%3Aoauth%3Arequest_uri%3Aa", header,
                malformed()
            ),
            (
                with("client_id=client-1&", ""), header,
                ["claim-rejected client_id", "invalid_request", "400"]
            ),
            (
                with("client_id=client-1&", "client_id=client-2&"), header,
                ["claim-rejected client_id", "invalid_client", "401"]
            ),
            (body, nil, ["claim-rejected client_secret", "invalid_client", "400"]),
            (
                body, "Basic Y2xpZW50LTE6d3Jvbmc=",
                ["claim-rejected client_secret", "invalid_client", "401"]
            ),
            (body + "&client_secret=a", header, malformed()),
            (body + "&client_assertion=a", header, malformed()),
            (
                with("rp.example%2Fcallback", "evil.example"), header,
                ["claim-rejected redirect_uri", "invalid_request", "400"]
            ), (with("scope=openid", "scope=email"), header, malformed("invalid_scope")),
            (
                with("response_type=code", "response_type=token"), header,
                malformed("unsupported_response_type")
            ), (with("code_challenge=", "other="), header, malformed()),
            (with("S256", "plain"), header, malformed()),
            (body + "&response_mode=query.jwt", header, malformed()),
            (body + "&resource=r", header, malformed("invalid_target")),
            (body + "&scope=openid", header, malformed()),
            (body + "&state=%FF", header, malformed()),
            ("", header, ["claim-rejected client_id", "invalid_request", "400"]),
            (
                body + "&a=" + String(repeating: "a", count: 65_536), header,
                ["limit-exceeded", "invalid_request", "413"]
            ),
            (
                "client_id=client-1&request=e30.e30.e30", header,
                ["malformed", "invalid_request_object", "400"]
            ),
        ]
        for (body, header, expected) in cases {
            let verdict = await env.client.receivePushedRequest(
                body, authorization: header, at: .testNow)
            #expect(try rejection(verdict) == expected, "\(body.prefix(300))")
        }
    }

    private func malformed(_ code: String = "invalid_request") -> [String] {
        ["malformed", code, "400"]
    }

    @Test("a pushed object of another client or for another provider is rejected")
    func foreignObjects() async throws {
        let env = try TestEnvironment(.openID)
        let header = try await need(env.party.push(env.request, at: .testNow).request.authorization)
        var claims = TestEnvironment.objectClaims()
        func push(by key: JWK = TestKeys.partySigning) async throws -> [String] {
            let object = try env.sealed(claims, .signed, by: key)
            return try rejection(
                await env.client.receivePushedRequest(
                    "request=" + object, authorization: header, at: .testNow))
        }
        #expect(try await push() == ["accepted"])
        #expect(try await push(by: TestKeys.unrelated)[1] == "invalid_request_object")
        for (name, value, code) in [
            ("iss", "client-2", "claim-rejected iss"),
            ("aud", "https://o.example", "claim-rejected aud"),
            ("client_id", "client-2", "claim-rejected client_id"),
            ("client_id", nil, "claim-rejected client_id"),
            ("sub", "client-1", "claim-rejected sub"),
            ("request", "a", "malformed"), ("request_uri", "https://rp.example/o", "malformed"),
            ("exp", .now(-60), "claim-rejected exp"),
        ] as [(String, JSONValue?, String)] {
            let good = claims
            claims[name] = value
            #expect(try await push() == [code, "invalid_request_object", "400"], "\(name)")
            claims = good
        }
        // A pushed form has no query that the object could differ from.
        claims["client_id"] = "client-2"
        let foreign = await env.client.receivePushedRequest(
            "request=" + (try env.sealed(claims, .signed, by: TestKeys.partySigning)),
            authorization: header, at: .testNow)
        let rejected = try foreign.rejected()
        #expect(rejected.cause.message.contains("it is another client's"))
        claims["client_id"] = .clientID
        claims["redirect_uri"] = "https://evil.example"
        #expect(
            try await push() == ["claim-rejected redirect_uri", "invalid_request", "400"])
    }

    @Test("RFC 9126 2: an assertion names the issuer once, unless the profile adds this endpoint")
    func assertions() async throws {
        let env = try TestEnvironment(.netsEIDBroker)
        let pushed = try await env.party.push(env.request, at: .testNow)
        func form(_ audience: JSONValue, _ jti: String) throws -> OpenIDParameters {
            let assertion = try env.partySealed([
                "iss": .clientID, "sub": .clientID, "aud": audience, "jti": .string(jti),
                "exp": .now(60),
            ])
            return OpenIDParameters(
                pushed.request.parameters.all.map {
                    $0.name == "client_assertion" ? OpenIDParameter($0.name, assertion) : $0
                })
        }
        let taken: [(JSONValue, String)] = [(.issuer, "a"), ([.issuer], "d")]
        for (audience, jti) in taken {
            let body = try form(audience, jti).encoded
            let first = await env.client.receivePushedRequest(body, at: .testNow)
            #expect(try rejection(first) == ["accepted"])
            let second = await env.client.receivePushedRequest(body, at: .testNow)
            #expect(try rejection(second) == ["replayed", "invalid_client", "400"])
        }
        for audience in [
            "https://idp.example/v2/authorization", [.issuer, "https://o.example"],
            "https://idp.example/v2/token", .string(Self.endpoint), [.string(Self.endpoint)],
        ] as [JSONValue] {
            let verdict = await env.client.receivePushedRequest(
                try form(audience, "e").encoded, at: .testNow)
            #expect(try rejection(verdict) == ["claim-rejected aud", "invalid_client", "400"])
        }
        // An assertion used here is used up: the token endpoint rejects it, and also one for this
        // endpoint.
        func token(_ audience: JSONValue, _ jti: String) async throws {
            let assertion = try need(try form(audience, jti)["client_assertion"])
            try await env.client.verify(assertion: assertion, at: .testNow)
        }
        await expectRejection("replayed") { try await token(.issuer, "a") }
        await expectRejection("claim-rejected aud") { try await token(.string(Self.endpoint), "f") }
    }
}
