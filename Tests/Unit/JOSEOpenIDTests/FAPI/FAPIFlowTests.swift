// FAPI 2.0 Security Profile 5.3.2.2: authorization code flow.

import Foundation
import JOSE
import JOSEOpenID
import Testing

@Suite("FAPI 2.0: authorization code flow")
struct FAPIFlowTests {
    @Test("5.3.2.2-1: response_type is code") func responseType() async throws {
        let env = try FAPIEnvironment()
        for type in ["token", "code id_token", "id_token", "none", "Code"] {
            #expect(
                try await env.rejection(["response_type": type]) == [
                    "malformed", "unsupported_response_type", "400",
                ])
        }
        #expect(
            try await env.rejection(["response_type": nil]) == [
                "malformed", "invalid_request", "400",
            ])
    }

    @Test(
        "5.3.2.2-2 and 3: a request that was not pushed is neither sent nor accepted",
        arguments: FAPIEnvironment.presets)
    func pushedOnly(_ profile: OpenIDProfile) async throws {
        let env = try FAPIEnvironment(profile)
        await expectRule("requires pushed requests") {
            _ = try await env.party.start(AuthorizationRequest(), at: .testNow)
        }
        let parameters = try await OpenIDParameters(decoding: env.pushed().request.body).all
        let plain = OpenIDParameters(
            parameters.filter { !$0.name.hasPrefix("client_assertion") })
        for query in [
            plain.encoded, plain.encoded + "&request=" + (try env.object()),
            "client_id=\(TestEnvironment.clientID)&request=" + (try env.object()),
            "client_id=\(TestEnvironment.clientID)&request_uri=https%3A%2F%2Frp.example%2Fobject",
            "client_id=\(TestEnvironment.clientID)&request_uri=urn%3Aietf%3Aparams%3Aoauth%3Arequest_uri%3Ax",
        ] {
            do {
                let rejected = try await env.client.browse(
                    query,
                    fetch: { _ in
                        Issue.record("fetched")
                        return ""
                    }
                ).rejected()
                #expect(rejected.error.code == .invalidRequest)
            } catch let error as JOSEError {
                // By RFC 9101 there is no URI that a response could go to.
                #expect([.malformed, .claimRejected].contains(error.code), "\(error)")
            }
        }
    }

    @Test("5.3.2.2-5: S256 code challenge and its verifier are required")
    func proofKey() async throws {
        let env = try FAPIEnvironment()
        for change in [
            ["code_challenge_method": "plain"], ["code_challenge_method": nil],
            ["code_challenge": nil], ["code_challenge": nil, "code_challenge_method": nil],
            ["code_challenge": "short"],
        ] as [[String: String?]] {
            #expect(try await env.rejection(change) == ["malformed", "invalid_request", "400"])
        }
        let login = try await env.login()
        for (verifier, code) in [
            (nil, "claim-rejected code_verifier"),
            (try PKCE().verifier, "claim-rejected code_challenge"),
            ("plain", "malformed"),
        ] as [(String?, String)] {
            let request = try await login.tokenRequest()
            let proved = try await env.receive(
                token: request, body: changed(request.body, ["code_verifier": verifier]))
            await expectGrantError(.invalidGrant, code) {
                try await env.client.redeem(proved, login.grant, at: .testNow)
            }
        }
    }

    @Test("5.3.2.2-6 and 8: redirect_uri is pushed, registered, and https")
    func redirect() async throws {
        let env = try FAPIEnvironment()
        for (uri, cause) in [
            (nil, "malformed"), ("http://rp.example/callback", "malformed"),
            ("http://127.0.0.1:8080/callback", "malformed"), ("app:/callback", "malformed"),
            ("https://rp.example/callback2", "claim-rejected redirect_uri"),
            ("https://rp.example/callback#f", "malformed"),
        ] as [(String?, String)] {
            #expect(
                try await env.rejection(["redirect_uri": uri]) == [cause, "invalid_request", "400"])
        }
        let party = try env.party(env.metadata, redirectURI: "http://rp.example/callback")
        await expectRule("https") {
            _ = try await party.push(AuthorizationRequest(), prover: env.prover)
        }
    }

    @Test("5.3.2.2-7, 5.3.3.2-5: every response has iss, and one without it is rejected")
    func issuer() async throws {
        let env = try FAPIEnvironment()
        let login = try await env.login()
        #expect(login.redirect.parameters["iss"] == TestEnvironment.issuer)
        let rejected = try await env.client.redirect(
            error: AuthorizationError(.accessDenied), for: login.received, at: .testNow)
        #expect(rejected.parameters["iss"] == TestEnvironment.issuer)
        #expect(
            try await login.response(rejected)
                == .error(
                    AuthorizationError(
                        .accessDenied,
                        description: rejected.parameters["error_description"])))
        let text = login.redirect.parameters.encoded
        for issuer in [nil, "", "https://idp.example/v2/", "https://evil.example"] {
            await expectRejection("claim-rejected iss") {
                _ = try await env.party.authorizationResponse(
                    query: changed(text, ["iss": issuer]), for: login.started.session)
            }
        }
        #expect(try await login.response() == .code(login.grant.code))
    }

    @Test("5.3.2.2-9: a code works once") func once() async throws {
        let env = try FAPIEnvironment()
        let login = try await env.login()
        let proved = try await env.receive(token: login.tokenRequest())
        try await env.client.redeem(proved, login.grant, at: .testNow)
        for proved in [proved, try await env.receive(token: login.tokenRequest())] {
            await expectGrantError(.invalidGrant, "replayed") {
                try await env.client.redeem(proved, login.grant, at: .testNow)
            }
        }
    }

    @Test(
        "5.3.2.2-10 and 11: the browser is redirected with 303",
        arguments: FAPIEnvironment.presets)
    func statuses(_ profile: OpenIDProfile) async throws {
        let login = try await FAPIEnvironment(profile).login()
        #expect(try login.redirect.response().status == 303)
        // The only alternative is the 302 of a GET. 307 cannot be selected.
        for status in 300..<400 {
            let known = AuthorizationRedirect.Status(rawValue: status)
            #expect((known != nil) == (status == 302 || status == 303))
        }
    }

    @Test("5.3.2.2-12: a pushed request lives less than 600 s", arguments: FAPIEnvironment.presets)
    func reference(_ profile: OpenIDProfile) async throws {
        let env = try FAPIEnvironment(profile)
        let pushed = try await env.pushed()
        let verdict = await env.receive(pushed.request)
        let response = try PushedAuthorizationResponse(json: verdict.response().body)
        #expect(1..<600 ~= response.expiresInSeconds)
        let started = try env.party.start(pushed, response)
        let late = TestEnvironment.at(response.expiresInSeconds)
        await expectRejection("claim-rejected request_uri") {
            _ = try await env.client.receiveAuthorizationRequest(query(started.url), at: late)
        }
    }

    @Test("5.3.2.2-14, 5.3.3.2-7: a nonce of 64 characters is returned, and ours are shorter")
    func nonces() async throws {
        let env = try FAPIEnvironment()
        let pushed = try await env.pushed()
        #expect(1...64 ~= pushed.session.nonce.utf8.count)
        let nonce = String(repeating: "n", count: 64)
        let verdict = await env.receive(
            pushed.request, body: try changed(pushed.request.body, ["nonce": nonce]))
        let started = try env.party.start(pushed, verdict)
        let received = try await env.client.receive(started)
        let idToken = try await env.client.tokenIssuer().idToken(
            for: received, UserAuthentication(subject: "user-1"), at: .testNow)
        let policy = ClaimsPolicy(
            issuer: TestEnvironment.issuer, audience: TestEnvironment.clientID)
        let verified = try JWTVerifier(
            policy: policy, signature: .required(keys: env.providerKeys, algorithms: [.es256])
        ).verify(idToken, at: .testNow)
        #expect(verified["nonce"] == .string(nonce))
    }

    @Test(
        "RFC 9396 2 and 5: authorization_details are passed unchanged, pushed or signed",
        arguments: FAPIEnvironment.presets)
    func details(_ profile: OpenIDProfile) async throws {
        let env = try FAPIEnvironment(profile)
        let details: JSONValue = [
            ["type": "payment", "amount": ["currency": "EUR", "value": "1.50"], "n": 12.5],
            ["type": "account", "actions": ["read", "é"]],
        ]
        var request = AuthorizationRequest(scopes: ["payments"])
        request.authorizationDetails = details
        let login = try await env.login(request)
        #expect(login.received.authorizationDetails == details)
        #expect(login.received.scopes == ["openid", "payments"])
        #expect(try await env.login().received.authorizationDetails == nil)
        for wrong in [
            "payment", ["type": "payment"], [], ["payment"], [["type": 1]], [["type": ""]],
            [["kind": "payment"]], [["type": "payment"], 1],
        ] as [JSONValue] {
            request.authorizationDetails = wrong
            await expectRule("authorization_details") { _ = try await env.pushed(request) }
            let pushed = try await env.pushed().request
            let body =
                profile.requestObject.isRequired
                ? try changed(
                    pushed.body,
                    ["request": try env.object(["authorization_details": wrong])])
                : try changed(
                    pushed.body,
                    ["authorization_details": try env.text(wrong)])
            let reported = try JOSEOpenIDTests.rejection(await env.receive(pushed, body: body))
            let isArray = wrong.array != nil
            let isObject = profile.requestObject.isRequired && !isArray
            #expect(
                reported.dropFirst().first
                    == (isObject ? "invalid_request_object" : "invalid_authorization_details"))
        }
    }
}
