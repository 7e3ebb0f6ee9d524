// Parameters and tokens of browser logins in backchannel requests (CIBA Core 1.0, 7.1).

import JOSE
import JOSEOpenID
import Testing

@Suite("Backchannel requests and browser parameters")
struct BackchannelForeignTests {
    private static let browserLoginParameters = [
        "response_type", "response_mode", "redirect_uri", "state", "nonce", "code_challenge",
        "code_challenge_method", "dpop_jkt", "prompt", "display", "idp_params",
    ]
    private static let claims = ["iss", "sub", "aud", "exp", "nbf", "iat", "jti"]

    @Test("unsupported parameters are misuse as additional parameters")
    func made() async throws {
        let sides = try BackchannelEnvironment()
        for name in Self.browserLoginParameters + Self.claims + [
            "max_age", "ui_locales", "login_hint", "login_hint_token", "id_token_hint", "resource",
            "authorization_details", "client_id", "client_secret", "client_assertion",
            "client_assertion_type", "request", "request_uri", "user_code", "requested_expiry",
            "client_notification_token", "binding_message", "acr_values", "scope",
        ] {
            for isSigned in [false, true] {
                var request = sides.request
                request.isSigned = isSigned
                request.additional = [OpenIDParameter(name, "60")]
                await expectRule("additional") { _ = try await sides.send(request) }
            }
        }
        var request = sides.request
        request.additional = [OpenIDParameter("own", "a"), OpenIDParameter("own", "b")]
        await expectRule("twice") { _ = try await sides.send(request) }
        request.additional = [
            OpenIDParameter("own", "a"), OpenIDParameter("claims", #"{"id_token":{}}"#),
        ]
        #expect(try await sides.send(request).request.parameters["own"] == "a")
    }

    /// The provider's result for a plain form with this parameter.
    private func plain(_ sides: BackchannelEnvironment, _ name: String, _ value: String)
        async throws -> BackchannelResult
    { await sides.receive(try sides.form(["scope": "openid", "login_hint": "a", name: value])) }

    @Test("a plain form rejects the browser parameters that a signed request rejects")
    func foreign() async throws {
        let sides = try BackchannelEnvironment()
        for name in Self.browserLoginParameters + Self.claims {
            let received = try await plain(sides, name, "x").accepted()
            #expect(received.parameters[name] == nil, "\(name)")
            // It has no effect on tokens. The relying party that sent it reads it.
            var pending = try sides.client.pending(received, at: .testNow)
            pending.decision = .granted
            let token = try await sides.client.tokenIssuer().idToken(
                for: pending, UserAuthentication(subject: BackchannelEnvironment.subject),
                at: .testNow)
            #expect(try !Base64URLText.part(1, of: token).contains("nonce"), "\(name)")
        }
    }

    @Test("max_age has one rule, in a form and in an object")
    func age() async throws {
        let sides = try BackchannelEnvironment()
        func signed(_ value: JSONValue) async throws -> BackchannelResult {
            var claims = BackchannelEnvironment.claims("j-\(UInt64.random(in: 0 ... .max))")
            claims["max_age"] = value
            return await sides.receive(try sides.form(["request": try sides.object(claims)]))
        }
        for value in ["abc", "-5", "01", "1.5", "+1", " 1", "9223372036854775807", "253402300800"] {
            let expected = ["malformed", "invalid_request", "400"]
            #expect(try rejection(await plain(sides, "max_age", value)) == expected, "\(value)")
            #expect(try rejection(await signed(.string(value))) == expected, "\(value)")
        }
        #expect(
            try rejection(await signed(.integer(.max))) == ["malformed", "invalid_request", "400"])
        for verdict in [
            try await plain(sides, "max_age", "60"), try await signed(60), try await signed("60"),
        ] {
            let received = try verdict.accepted()
            var pending = try sides.client.pending(received, at: .testNow)
            pending.decision = .granted
            // The provider enforces it: no token for an older authentication, or one without time.
            for time in [nil, TestEnvironment.at(-121)] {
                await expectRejection("misuse") {
                    _ = try await sides.client.tokenIssuer().idToken(
                        for: pending,
                        UserAuthentication(subject: BackchannelEnvironment.subject, time: time),
                        at: .testNow)
                }
            }
            _ = try await sides.client.tokenIssuer().idToken(
                for: pending,
                UserAuthentication(
                    subject: BackchannelEnvironment.subject, time: TestEnvironment.now),
                at: .testNow)
        }
    }

    @Test("an ID Token with auth_req_id is rejected for a login, even with the right nonce")
    func login() async throws {
        let name = "urn:openid:params:jwt:claim:auth_req_id"
        let login = try await Login(TestEnvironment(.openID))
        _ = try await login.open(login.forged(login.goodClaims))
        for value in ["r", "", 1, [:]] as [JSONValue] {
            await expectRejection("claim-rejected \(name)", "\(value)") {
                _ = try await login.open([name: value])
            }
        }
        // Our provider issues neither such a token nor one that reads as a logout token.
        await expectRejection("misuse") { _ = try await login.idToken([name: "r"]) }
        let sides = try BackchannelEnvironment()
        var pending = try await sides.waiting().pending
        pending.decision = .granted
        await expectRejection("misuse") {
            _ = try await sides.client.tokenIssuer().idToken(
                for: pending, UserAuthentication(subject: BackchannelEnvironment.subject),
                claims: ["events": ["a": "b"]], at: .testNow)
        }
    }
}
