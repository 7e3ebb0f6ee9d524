// Checks of the OpenID Foundation's test modules that no other test has. docs/conformance.md lists
// them all.

import Foundation
import JOSE
import JOSEOpenID
import Testing

@Suite("Test modules of the OpenID Foundation")
struct ConformanceTests {
    /// OpenID Connect's defaults with an optional code challenge, as the modules send none.
    private static let core = OpenIDProfile.openID.with {
        $0.authorization.requiresPKCE = false
    }

    private let env: TestEnvironment

    init() throws { env = try TestEnvironment(Self.core) }

    private func parameters(_ change: (inout AuthorizationRequest) -> Void = { _ in }) async throws
        -> [OpenIDParameter]
    {
        var request = env.request
        change(&request)
        return try await urlParameters(env.party.start(request, at: .testNow).url).all
    }

    private func verdict(_ parameters: [OpenIDParameter]) async throws -> AuthorizationResult {
        try await env.client.browse(parameters)
    }

    private func accepted(_ parameters: [OpenIDParameter]) async throws -> ReceivedAuthorization {
        try await verdict(parameters).accepted()
    }

    // MARK: OP Basic

    @Test("a missing or unsupported response_type redirects back with an error")
    func responseType() async throws {
        let good = try await parameters()
        for (type, code) in [
            (nil, OAuthErrorCode.invalidRequest), ("token", .unsupportedResponseType),
            ("code token", .unsupportedResponseType), ("id_token", .unsupportedResponseType),
            ("CODE", .unsupportedResponseType), ("none", .unsupportedResponseType),
        ] {
            let rest = good.filter { $0.name != "response_type" }
            let rejected = try await verdict(
                rest + (type.map { [OpenIDParameter("response_type", $0)] } ?? [])
            ).rejected()
            #expect(rejected.error.code == code, "\(type ?? "none")")
            #expect(
                rejected.redirect.parameters["state"] == good.first { $0.name == "state" }?.value)
        }
    }

    @Test("an ID Token uses RS256 unless another algorithm is registered")
    func defaultAlgorithm() async throws {
        let header = try Base64URLText.part(0, of: await Login(env).idToken())
        #expect(header.contains(#""alg":"RS256""#))
    }

    @Test("nonce and state are optional, and are not returned if they were not sent")
    func optional() async throws {
        let received = try await accepted(
            parameters().filter { $0.name != "nonce" && $0.name != "state" })
        #expect(received.nonce == nil && received.state == nil)
        let redirect = try await env.client.redirect(code: "c", for: received, at: .testNow)
        #expect(redirect.parameters["state"] == nil && redirect.parameters["code"] == "c")
        let token = try await env.client.tokenIssuer().idToken(
            for: received, UserAuthentication(subject: "u", time: TestEnvironment.now), at: .testNow
        )
        #expect(try !Base64URLText.part(1, of: token).contains("nonce"))
    }

    @Test("the order of parameters and of scopes does not matter")
    func order() async throws {
        let good = try await parameters { $0.scopes = ["profile", "email"] }
        let changed = good.reversed().map {
            $0.name == "scope" ? OpenIDParameter("scope", "email profile openid") : $0
        }
        let received = try await accepted(changed)
        #expect(Set(received.scopes) == ["openid", "profile", "email"])
    }

    @Test(
        "parameters that the provider may ignore cause no error",
        arguments: [
            ("display", "page"), ("display", "popup"), ("login_hint", "buffy@op.example"),
            ("ui_locales", "se"), ("claims_locales", "se"), ("acr_values", "1 2"),
            ("extra", "foobar"), ("id_token_hint", "e.e.e"),
        ])
    func tolerated(_ name: String, _ value: String) async throws {
        let received = try await accepted(parameters() + [OpenIDParameter(name, value)])
        #expect(received.parameters[name] == value)
    }

    @Test("prompt is passed to the application, and prompt=none cannot be combined")
    func prompts() async throws {
        for prompt in ["login", "none", "consent", "login consent"] {
            let received = try await accepted(parameters() + [OpenIDParameter("prompt", prompt)])
            #expect(received.parameters["prompt"] == prompt)
            let redirect = try await env.client.redirect(
                error: AuthorizationError(OAuthErrorCode(name: "login_required")), for: received)
            #expect(redirect.parameters["error"] == "login_required")
        }
        let rejected = try await verdict(
            parameters() + [OpenIDParameter("prompt", "none login")]
        ).rejected()
        #expect(rejected.error.code == .invalidRequest)
    }

    @Test("essential UserInfo claims reach the application, from query and request object")
    func essential() async throws {
        for delivery in [RequestObjectDelivery.none, .byValue] {
            let received = try await accepted(
                parameters {
                    $0.claims = ClaimsRequest(userInfo: [
                        "name": .essential, "email": .voluntary,
                    ])
                    $0.delivery = delivery
                })
            #expect(received.claims?.userInfo["name"] == .essential)
            #expect(received.claims?.userInfo["email"] == .voluntary)
        }
    }

    // MARK: RP

    @Test("without kid a set's only key is used, and none if there are several")
    func keyID() async throws {
        let login = try await Login(env)
        var bare = TestKeys.providerSigning
        bare.keyID = nil
        let token = try JWTIssuer(key: bare, algorithm: .rs256).issue(
            JSONValue.object(login.goodClaims))
        func verify(_ keys: [JWK]) async throws {
            let party = try TestEnvironment.party(
                env.profile, env.metadata, providerKeys: JWKSet(keys: keys).publicKeys)
            _ = try await party.open(token, login.started)
        }
        try await verify([TestKeys.providerSigning])
        await expectRejection("key-not-found") {
            try await verify([TestKeys.providerSigning, TestKeys.unrelated])
        }
        await expectRejection("signature-invalid") { try await verify([TestKeys.unrelated]) }
    }

    @Test("token responses may have token_type in any case, no expires_in, no scope")
    func tokenResponses() async throws {
        let login = try await Login(env)
        let request = try await login.tokenRequest()
        let bank = try await FAPIEnvironment().login().tokenRequest()
        func read(_ type: String, to request: TokenRequest) throws -> TokenResponse {
            try TokenResponse(
                json: #"{"access_token":"a","token_type":"\#(type)","id_token":"i"}"#, to: request)
        }
        for type in ["Bearer", "bearer", "BEARER", "bEARER"] {
            let tokens = try read(type, to: request)
            #expect(tokens.expiresIn == nil && tokens.scopes == nil)
        }
        for type in ["DPoP", "Bearer ", "", "mac", "be\u{130}rer"] {
            await expectRejection("malformed", type) { _ = try read(type, to: request) }
        }
        for type in ["DPoP", "dpop", "dPOP", "DPOP"] { _ = try read(type, to: bank) }
    }

    // MARK: Back-channel logout

    @Test("a logout token with alg none or another is rejected, and its jti is not claimed")
    func logoutAlgorithms() async throws {
        let good = try await env.client.tokenIssuer().logoutToken(subject: "user-1", at: .testNow)
        let parts = good.split(separator: ".").map(String.init)
        let none = Base64URLText.encode(#"{"alg":"none","typ":"logout+jwt"}"#)
        var header = HeaderParameters()
        header.type = "logout+jwt"
        let other = try JWSSigner(key: TestKeys.providerSigning, algorithm: .ps256, header: header)
            .sign(Array(Base64URLText.part(1, of: good).utf8))
        for token in [none + "." + parts[1] + ".", other] {
            await expectRejection("algorithm-not-allowed") {
                _ = try await env.party.logout(token, once: env.store)
            }
        }
        _ = try await env.party.logout(good, once: env.store)
    }

    // MARK: FAPI 2.0

    /// The provider's request for a pushed form with these changes.
    private func received(_ bank: FAPIEnvironment, _ scopes: [String], _ change: [String: String?])
        async throws -> ReceivedAuthorization
    {
        let pushed = try await bank.pushed(AuthorizationRequest(scopes: scopes))
        let body = try changed(pushed.request.body, change)
        let started = try bank.party.start(pushed, await bank.receive(pushed.request, body: body))
        return try await bank.client.receive(started)
    }

    @Test("FAPI: no state, no nonce, reordered scopes, and a server without nonces")
    func bankOptional() async throws {
        let bank = try FAPIEnvironment()
        let received = try await received(
            bank, ["accounts"], ["state": nil, "nonce": nil, "scope": "accounts openid"])
        #expect(received.state == nil && received.nonce == nil)
        #expect(Set(received.scopes) == ["openid", "accounts"])
        let redirect = try await bank.client.redirect(code: "c", for: received, at: .testNow)
        #expect(redirect.parameters["state"] == nil)
        // The server requires no nonce, and the full login works without one.
        _ = try await bank.login().tokens()
    }

    @Test("FAPI: long state and nonce values are returned unchanged")
    func longTexts() async throws {
        for count in [128, 384, 1_000] {
            let bank = try FAPIEnvironment()
            let text = String(repeating: "n", count: count)
            let received = try await received(bank, [], ["state": text, "nonce": text])
            #expect(received.state == text && received.nonce == text)
            let redirect = try await bank.client.redirect(code: "c", for: received, at: .testNow)
            #expect(redirect.parameters["state"] == text)
        }
    }

    @Test("FAPI: nbf and exp in a proof are allowed, and iat may be 10 seconds off")
    func proofTimes() async throws {
        let bank = try FAPIEnvironment()
        let key = try JWK.generate(.curve(.p256), use: .signature)
        func proof(_ times: [String: Int64]) throws -> String {
            var claims: [String: JSONValue] = [
                "jti": .string(UUID().uuidString), "htm": "POST",
                "htu": .string(FAPIEnvironment.push), "iat": .now(),
            ]
            for (name, seconds) in times { claims[name] = .now(seconds) }
            var header = HeaderParameters()
            header.type = "dpop+jwt"
            header.embeddedKey = try key.publicKey
            return try JWSSigner(key: key, algorithm: .es256, header: header).sign(
                jsonText(.object(claims)))
        }
        for (times, expected) in [
            (["nbf": -5, "exp": 300], "accepted"), (["iat": -10], "accepted"),
            (["iat": 10], "accepted"), (["nbf": 0], "accepted"), (["exp": 60], "accepted"),
            (["iat": -400], "claim-rejected iat"), (["iat": 61], "claim-rejected iat"),
            (["nbf": 61], "claim-rejected nbf"), (["exp": -61], "claim-rejected exp"),
        ] as [([String: Int64], String)] {
            let pushed = try await bank.party.push(AuthorizationRequest(), at: .testNow).request
            let reported = try rejection(await bank.receive(pushed, proofs: [proof(times)]))
            #expect(reported.first == expected, "\(times) \(reported)")
        }
    }

    // MARK: CIBA

    @Test("CIBA: requested_expiry as a string, any scope order, and messages a device cannot show")
    func backchannel() async throws {
        let sides = try BackchannelEnvironment()
        for (index, expiry) in (["120", 120] as [JSONValue]).enumerated() {
            var claims = BackchannelEnvironment.claims("j\(index)")
            claims["requested_expiry"] = expiry
            claims["scope"] = "profile openid"
            let form = try await sides.form(["request": sides.object(claims)])
            let received = try await sides.receive(form).accepted()
            #expect(received.requestedExpirySeconds == 120)
        }
        for (index, expiry) in (["0", "-1", "12.5", 0, -1, [120]] as [JSONValue]).enumerated() {
            let claims = BackchannelEnvironment.claims("k\(index)").with([
                "requested_expiry": expiry
            ])
            let form = try await sides.form(["request": sides.object(claims)])
            #expect(try rejection(await sides.receive(form)).first != "accepted", "\(expiry)")
        }
        for message in ["1234", String(repeating: "漢", count: 100), "1234 \u{1F37A} \u{202E}"] {
            var claims = BackchannelEnvironment.claims(UUID().uuidString)
            claims["binding_message"] = .string(message)
            let form = try await sides.form(["request": sides.object(claims)])
            let reported = try rejection(await sides.receive(form))
            #expect(
                reported == ["accepted"] || reported[1] == "invalid_binding_message", "\(reported)")
        }
    }
}
