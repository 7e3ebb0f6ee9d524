// Signicat MobileID InApp.

import JOSE
import JOSEOpenID
import Testing

@Suite("Signicat MobileID")
struct SignicatTests {
    let env: TestEnvironment

    init() throws { env = try TestEnvironment(.signicatMobileID) }

    private static let registration = AuthorizationRequest.mobileIDRegistration(
        method: "reg", deviceName: "Phone & co", artifact: "a-1", externalReference: "abc")
    private static let authentication = AuthorizationRequest.mobileIDAuthentication(
        method: "auth", deviceID: "d-1", externalReference: "abc")

    @Test(
        "the request: scope, state <method>:<random>, acr_values, ordered operation hints",
        arguments: [
            (registration, "reg", ["deviceName-Phone & co", "artifact-a-1", "externalRef-abc"]),
            (authentication, "auth", ["deviceId-d-1", "externalRef-abc"]),
        ], [true, false])
    func request(
        _ made: (AuthorizationRequest, String, [String]), _ usesPKCE: Bool
    ) async throws {
        var (request, method, hints) = made
        #expect(request.usesPKCE)
        request.usesPKCE = usesPKCE
        let login = try await Login(env, request)
        let parameters = try urlParameters(login.started.url)
        #expect(parameters["response_type"] == "code")
        #expect(parameters["scope"] == "openid profile mobileid")
        #expect(parameters["acr_values"] == "urn:signicat:oidc:method:" + method)
        let state = try need(parameters["state"])
        #expect(state.hasPrefix(method + ":") && state.utf8.count >= method.utf8.count + 1 + 22)
        #expect(parameters.values("login_hint") == hints)
        #expect(login.received.loginHints == hints)
        guard usesPKCE else {
            #expect(parameters["code_challenge"] == nil)
            #expect(parameters["code_challenge_method"] == nil)
            return #expect(login.started.session.codeVerifier == nil)
        }
        #expect(parameters["code_challenge_method"] == "S256")
        let verifier = try need(login.started.session.codeVerifier)
        #expect(try PKCE(verifier: verifier).challenge == parameters["code_challenge"])
        #expect(!login.started.url.contains(verifier))
    }

    @Test("values that the provider does not support are rejected when built")
    func forbidden() async {
        let changes: [(inout AuthorizationRequest) -> Void] = [
            { $0.acrValues = [] }, { $0.acrValues = ["inapp"] },
            { $0.acrValues = ["urn:signicat:oidc:method:"] }, { $0.acrValues += $0.acrValues },
        ]
        for change in changes {
            await expectRule("exactly one method") { _ = try await env.start(change) }
        }
        await expectRule("scope lacks") { _ = try await env.start { $0.scopes = ["profile"] } }
        for hint in ["deviceName-", "phone-1", "", "deviceid-1"] {
            await expectRule("login_hint") { _ = try await env.start { $0.loginHints = [hint] } }
        }
    }

    @Test(
        "all hints belong to one operation, each once, on both sides",
        arguments: [
            [], ["externalRef-1"], ["deviceId-1"], ["deviceName-1", "externalRef-1"],
            ["deviceName-1", "artifact-1"], ["artifact-1", "externalRef-1"],
            ["deviceName-1", "deviceId-1", "externalRef-1"], ["deviceId-1", "artifact-1"],
            ["deviceId-1", "artifact-1", "externalRef-1"], ["deviceId-1", "deviceId-2"],
            ["deviceId-1", "externalRef-1", "externalRef-2"], ["deviceId-1", "externalRef-"],
            ["deviceId-1", "externalRef-1", "x-1"], ["deviceId-1", "externalref-1"],
            ["deviceName-1", "artifact-1", "externalRef-1", "deviceId-1"],
        ])
    func hints(_ hints: [String]) async throws {
        await expectRule("login_hint") { _ = try await env.start { $0.loginHints = hints } }
        let good = await query(try env.start().url)
        let bad =
            good.split(separator: "&").filter { !$0.hasPrefix("login_hint=") }
            .joined(separator: "&") + hints.map { "&login_hint=" + $0 }.joined()
        let rejected = try await env.client.receiveAuthorizationRequest(bad).rejected()
        #expect(rejected.error.code == .invalidRequest)
        #expect(rejected.cause.message.contains("login_hint"))
    }

    @Test("the order of the hints does not matter") func order() async throws {
        for request in [Self.registration, Self.authentication] {
            var other = request
            other.loginHints.reverse()
            #expect(try await Login(env, other).received.loginHints == other.loginHints)
        }
    }

    @Test("a provider rejects plain PKCE, half a challenge, and a state of another method")
    func provider() async throws {
        let good = await query(try env.start { $0.usesPKCE = true }.url)
        let parameters = try OpenIDParameters(decoding: good)
        let challenge = try need(parameters["code_challenge"])
        let state = try need(parameters["state"])
        for bad in [
            good.replacing("code_challenge_method=S256", with: "code_challenge_method=plain"),
            good.replacing("&code_challenge_method=S256", with: ""),
            good.replacing("&code_challenge=\(challenge)", with: ""),
            good.replacing(challenge, with: challenge.dropLast()),
            good.replacing("state=inapp%3A", with: "state=sms%3A"),
            good.replacing("&state=\(state.replacing(":", with: "%3A"))", with: ""),
        ] {
            #expect(bad != good)
            let rejected = try await env.client.receiveAuthorizationRequest(bad).rejected()
            #expect(rejected.error.code == .invalidRequest)
        }
    }

    @Test("the token request uses HTTP Basic, both parts form-encoded, and sends the verifier")
    func tokenRequest() async throws {
        let login = try await Login(env)
        let request = try await env.party.tokenRequest(code: "c 1", for: login.started.session)
        let header = try need(request.header("Authorization"))
        // client-1:s3cr%3At%20%26%20more%2F%C3%A9
        #expect(header == "Basic Y2xpZW50LTE6czNjciUzQXQlMjAlMjYlMjBtb3JlJTJGJUMzJUE5")
        #expect(request.parameters["client_assertion"] == nil)
        #expect(request.parameters["client_id"] == TestEnvironment.clientID)
        // The guide prints JSON as the form's media type, which is assumed to be a mistake.
        #expect(
            request.header("Content-Type")
                == "application/x-www-form-urlencoded")
        #expect(
            request.body.hasPrefix(
                "grant_type=authorization_code&code=c%201&redirect_uri=https%3A%2F%2Frp.example"))
    }

    @Test(
        "the first response: status, activationCode, statusUrl, completeUrl, or an error",
        arguments: [
            (
                #"{"status":"OK","activationCode":"123","statusUrl":"https://idp.example/status","completeUrl":"https://idp.example/complete?x=1"}"#,
                started("https://idp.example/complete?x=1", "123", "https://idp.example/status")
            ),
            // An authentication has no activationCode.
            (
                #"{"status":"OK","statusUrl":"https://idp.example/s","completeUrl":"https://idp.example/c"}"#,
                started("https://idp.example/c", nil, "https://idp.example/s")
            ),
            (
                #"{"status":"OK","error":null,"activationCode":null,"statusUrl":null,"completeUrl":"https://a.b/"}"#,
                started("https://a.b/", nil, nil)
            ),
            (
                #"{"status":"ERROR","error":{"code":"urn:signicat:error:idp:ACCESS_DENIED","message":"no"}}"#,
                .failed(code: "urn:signicat:error:idp:ACCESS_DENIED", message: "no")
            ),
            (
                #"{"status":"ERROR","error":null,"completeUrl":null}"#,
                .failed(code: "ERROR", message: nil)
            ),
            (
                #"{"status":null,"error":{"code":"x","message":null}}"#,
                .failed(code: "x", message: nil)
            ),
        ] as [(String, ActivationResponse)])
    func activation(_ json: String, _ response: ActivationResponse) throws {
        #expect(try ActivationResponse(json: json) == response)
    }

    private static func started(
        _ complete: String, _ code: String?, _ status: String?
    ) -> ActivationResponse {
        .started(
            ActivationStart(activationCode: code, statusURL: status, completeURL: complete))
    }

    @Test("an activation message is escaped and limited, and a code has OAuth's syntax")
    func hostileTexts() async throws {
        func json(_ code: String, _ message: String) -> String {
            #"{"status":"ERROR","error":{"code":"\#(code)","message":"\#(message)"}}"#
        }
        for (message, expected) in [
            (
                #"m\r\nSet-Cookie: a=b\u202e\u001b[2J"#,
                #"m\u{d}\u{a}Set-Cookie: a=b\u{202e}\u{1b}[2J"#
            ),
            ("verweigert: ü", #"verweigert: \u{fc}"#), ("no", "no"),
        ] {
            let read = try ActivationResponse(json: json("X", message))
            #expect(read == .failed(code: "X", message: expected))
        }
        #expect(try ActivationResponse(json: json("X", "")) == .failed(code: "X", message: nil))
        let long = String(repeating: "é", count: 50_000)
        guard case .failed(_, let message?, _) = try ActivationResponse(json: json("X", long))
        else {
            Issue.record("no message")
            return
        }
        #expect(message.utf8.count <= 2_048 && message.hasSuffix("..."))
        for code in [
            "", #"X\nINFO root signed in"#, #"\u001b[2J"#, "ü", #"a\"b"#, #"a\\b"#,
            String(repeating: "x", count: 129), String(repeating: "x", count: 200_000),
        ] {
            await expectRejection("malformed", "\(code.prefix(20))") {
                _ = try ActivationResponse(json: json(code, "m"))
            }
        }
        for code in ["", "a\nb", String(repeating: "x", count: 129)] {
            await expectRejection("misuse") {
                _ = try ActivationResponse.failed(code: code, message: nil).response()
            }
        }
    }

    @Test("UserInfo after a registration: sub and name, the account")
    func registrationUserInfo() async throws {
        let login = try await Login(env, Self.registration)
        let token = try await login.idToken()
        let idToken = try await login.open(token)
        let info = try await env.party.verifyUserInfo(
            #"{"sub":"\#(idToken.subject)","name":"abc"}"#, for: idToken)
        #expect(try info.name == "abc")
        #expect(try info.externalReference == nil)
    }

    @Test("an error keeps its completeUrl, which ends with the OAuth error")
    func completeURL() async throws {
        // As the guide prints it, with undocumented members.
        let failed = try ActivationResponse(
            json: """
                {"completeUrl":"https://id.signicat.com/complete","status":"ERROR","error":\
                {"code":"urn:signicat:error:idp:ACCESS_DENIED",\
                "message":"Access denied. Wrong credentials."},"x":1}
                """)
        #expect(
            failed
                == .failed(
                    code: "urn:signicat:error:idp:ACCESS_DENIED",
                    message: "Access denied. Wrong credentials.",
                    completeURL: "https://id.signicat.com/complete"))
        let alone = try ActivationResponse(
            json: #"{"status":"ERROR","completeUrl":"https://id.signicat.com/complete"}"#)
        guard case .failed(_, nil, "https://id.signicat.com/complete") = alone else {
            Issue.record("\(alone)")
            return
        }
        let session = try await env.start().session
        let text =
            "The Resource Owner did not complete the login. urn:signicat:error:idp:ACCESS_DENIED; "
            + "Access denied. Wrong credentials."
        let response = urlForm([
            "error": "access_denied", "error_description": text, "state": session.state,
        ]).encoded
        #expect(
            try await env.party.authorizationResponse(query: response, for: session)
                == .error(AuthorizationError(.accessDenied, description: text)))
    }

    @Test(
        "hostile first responses are rejected",
        arguments: [
            "", "[]", "{}", #"{"status":"OK"}"#, #"{"status":"ok","completeUrl":"https://a.b/"}"#,
            #"{"status":"OK","completeUrl":"http://a.b/"}"#, #"{"status":"OK","completeUrl":1}"#,
            #"{"status":"OK","completeUrl":"javascript:alert(1)"}"#,
            #"{"status":"OK","completeUrl":"https://a.b/","statusUrl":"ftp://a.b/"}"#,
            #"{"status":"OK","completeUrl":"https://a.b/","completeUrl":"https://c.d/"}"#,
            #"{"status":"OK","completeUrl":"https://a.b/","error":{"code":"x"}}"#,
            #"{"status":"ERROR","error":"x"}"#, #"{"status":"ERROR","error":{}}"#,
            #"{"status":"OK","completeUrl":"https://a.b/","error":{}}"#,
            #"{"status":"OK","completeUrl":"https://a.b/","error":""}"#,
            #"{"status":"OK","completeUrl":"https://a.b/","error":false}"#,
            #"{"status":"ERROR","error":{"code":null}}"#, #"{"status":null,"error":null}"#,
            #"{"status":"OK","completeUrl":null,"error":null}"#,
            #"{"status":"ERROR","error":{"code":"x"},"completeUrl":"http://a.b/"}"#,
            #"{"status":"ERROR","error":{"code":"x"},"completeUrl":1}"#,
            #"{"status":"ERROR","completeUrl":"javascript:alert(1)"}"#,
        ])
    func hostileActivation(_ json: String) async {
        await expectRejection("malformed", json) { _ = try ActivationResponse(json: json) }
    }

    @Test("UserInfo: sub, name or externalRef, deviceName, as JSON") func userInfo() async throws {
        let login = try await Login(env)
        let idToken = try await env.party.open(try await login.idToken(), login.started)
        let info = try await env.party.verifyUserInfo(
            #"{"sub":"user-1-of-32-characters-in-total","externalRef":"abc","deviceName":"Phone"}"#,
            for: idToken,
            contentType: "application/json;charset=UTF-8")
        #expect(try info.externalReference == "abc")
        #expect(try info.deviceName == "Phone")
        #expect(try info.name == nil)
        for bad in [
            #"{"sub":"user-2"}"#, "{}", #"{"sub":1}"#, #"{"sub":null}"#,
        ] {
            await expectRejection("claim-rejected sub", bad) {
                _ = try await env.party.verifyUserInfo(bad, for: idToken)
            }
        }
        for bad in [
            "", "null",
            #"{"sub":"user-1-of-32-characters-in-total","sub":"user-1-of-32-characters-in-total"}"#,
            #"["sub"]"#,
        ] {
            await expectRejection("malformed", bad) {
                _ = try await env.party.verifyUserInfo(bad, for: idToken)
            }
        }
        for (name, value) in [("aud", "client-2"), ("iss", "https://x.y")] {
            await expectRejection("claim-rejected \(name)") {
                _ = try await env.party.verifyUserInfo(
                    #"{"sub":"\#(TestEnvironment.subject)","\#(name)":"\#(value)"}"#, for: idToken)
            }
        }
    }
}
