// FAPI 2.0 Message Signing 5.3 to 5.6.

import Foundation
import JOSE
import JOSEOpenID
import Testing

extension FAPIEnvironment {
    /// A valid request object, changed. Nil removes a claim.
    func object(
        _ change: [String: JSONValue?] = [:], by key: JWK? = nil,
        algorithm: SignatureAlgorithm = .es256, type: String? = "oauth-authz-req+jwt"
    ) throws -> String {
        try signed(
            [
                "iss": .clientID, "aud": .issuer, "iat": .now(), "nbf": .now(), "exp": .now(60),
                "client_id": .clientID, "response_type": "code", "redirect_uri": .redirectURI,
                "scope": "openid", "response_mode": "jwt", "state": "s", "nonce": "n",
                "code_challenge": .string(PKCE().challenge), "code_challenge_method": "S256",
            ], change, by: key ?? partyKey, algorithm, type: type)
    }

    func rejection(object: String) async throws -> [String] {
        try await rejection(["request": object])
    }

    func backchannelObject(_ name: String = "j") throws -> String {
        try signed(
            [
                "iss": .clientID, "aud": .issuer, "iat": .now(), "nbf": .now(), "exp": .now(300),
                "jti": .string(name), "scope": "openid", "login_hint": "a",
            ], by: partyKey, .es256)
    }

    func backchannel() throws -> (party: RelyingParty, client: RegisteredClient) {
        var registration = TestEnvironment.registration(secret: nil)
        registration.backchannel = BackchannelRegistration()
        let metadata = try TestEnvironment.metadata(
            profile,
            [
                "backchannel_authentication_endpoint": .string(BackchannelEnvironment.endpoint),
                "backchannel_token_delivery_modes_supported": ["poll"],
                "backchannel_authentication_request_signing_alg_values_supported": ["ES256"],
            ])
        let provider = try TestEnvironment.provider(
            profile, metadata, keys: JWKSet(keys: [providerKey]),
            pushed: MemoryPushedRequestStore(), proofs: MemoryReplayStore())
        return (
            try party(metadata),
            try provider.client(registration, keys: JWKSet(keys: [partyKey]).publicKeys)
        )
    }

    func text(_ value: JSONValue) throws -> String {
        String(decoding: try JSONEncoder().encode(value), as: UTF8.self)
    }
}

enum TokenText {
    static func claims(_ token: String) throws -> [String: Any] { try part(1, token) }
    static func header(_ token: String) throws -> [String: Any] { try part(0, token) }

    private static func part(_ index: Int, _ token: String) throws -> [String: Any] {
        let part = token.split(separator: ".")[index]
        let bytes = try need(Base64URLText.decode(part))
        return try need(
            JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any])
    }
}

@Suite("FAPI 2.0 Message Signing")
struct MessageSigningTests {
    private let env: FAPIEnvironment

    init() throws { env = try FAPIEnvironment(.fapi2MessageSigning) }

    @Test("5.3.1-1, 5.3.2-1: a pushed request is entirely in its object, or is rejected")
    func required() async throws {
        let pushed = try await env.pushed()
        let names = Set(pushed.request.parameters.all.map(\.name))
        #expect(
            names == ["client_id", "request", "client_assertion", "client_assertion_type"])
        var plain = AuthorizationRequest()
        plain.delivery = RequestObjectDelivery.none
        await expectRule("requires request objects") { _ = try await env.pushed(plain) }
        let lax = try await FAPIEnvironment().pushed().request
        let body = try changed(
            lax.body,
            ["client_assertion": try env.assertion(), "response_mode": "jwt"])
        let proof = try env.prover.post(FAPIEnvironment.push)
        #expect(
            try rejection(
                await env.client.receivePushedRequest(
                    body.replacing(
                        try FAPIEnvironment.name(lax), with: env.prover.keyThumbprint),
                    proofs: [proof], at: .testNow)) == ["malformed", "invalid_request", "400"])
        // Parameters next to the object are ignored.
        let signed = try await env.pushed().request
        let verdict = await env.receive(
            signed, body: signed.body + "&scope=openid%20admin&state=other")
        _ = try verdict.accepted()
        let login = try await env.login()
        #expect(login.received.isSigned && login.received.scopes == ["openid"])
    }

    @Test("5.3.1-2, 5.3.2-2: aud is the issuer or contains it")
    func audience() async throws {
        let issuer = JSONValue.issuer
        let claims = try await TokenText.claims(need(env.pushed().request.parameters["request"]))
        #expect(claims["aud"] as? String == TestEnvironment.issuer)
        for (audience, isTaken) in [
            (issuer, true), ([issuer], true), ([issuer, "https://other.example"], true),
            (.string(FAPIEnvironment.push), false), (.string(FAPIEnvironment.token), false),
            ([], false),
            (nil, false),
        ] as [(JSONValue?, Bool)] {
            #expect(
                try await env.rejection(object: env.object(["aud": audience]))
                    == (isTaken
                        ? ["accepted"] : ["claim-rejected aud", "invalid_request_object", "400"]))
        }
    }

    @Test("5.3.1-3 and 4, 5.3.2-3 and 4: nbf at most an hour ago, exp at most an hour after it")
    func validity() async throws {
        let claims = try await TokenText.claims(need(env.pushed().request.parameters["request"]))
        let start = try need(claims["nbf"] as? Int)
        #expect(start == Int(TestEnvironment.now.seconds))
        #expect(1...3_600 ~= (try need(claims["exp"] as? Int)) - start)
        for (start, end, rejected) in [
            (0, 60, nil), (-3_600, 0, nil), (0, 3_600, nil), (-3_601, 60, "nbf"),
            (-3_601, -1, "nbf"), (0, 3_601, "exp"), (-60, 3_541, "exp"), (-3_600, 1, "exp"),
            (nil, 60, "nbf"), (0, nil, "exp"), (-120, -60, "exp"),
        ] as [(Int?, Int?, String?)] {
            let object = try env.object([
                "iat": .now(start ?? 0), "nbf": start.map { .now($0) }, "exp": end.map { .now($0) },
            ])
            let reported = try await env.rejection(object: object)
            #expect(
                reported.first == (rejected.map { "claim-rejected \($0)" } ?? "accepted"),
                "\(String(describing: start)) \(String(describing: end))")
        }
        var profile = OpenIDProfile.fapi2MessageSigning
        profile.requestObject.lifetime = .seconds(3_601)
        await expectRule("above requestObject.maxValidity") { _ = try FAPIEnvironment(profile) }
        profile.requestObject.lifetime = .seconds(3_600)
        profile.requestObject.maxValidity = .seconds(0)
        await expectRule("requestObject.maxValidity must be 1") {
            _ = try FAPIEnvironment(profile)
        }
    }

    @Test("5.3.1-5, 5.3.2-5: an object has its typ") func type() async throws {
        let object = try await need(env.pushed().request.parameters["request"])
        #expect(try TokenText.header(object)["typ"] as? String == "oauth-authz-req+jwt")
        for type in [nil, "JWT", "at+jwt", "client-authentication+jwt"] {
            #expect(
                try await env.rejection(object: env.object(type: type))
                    == ["claim-rejected typ", "invalid_request_object", "400"])
        }
        // A provider with clients that omit it must configure that.
        let lenient = try FAPIEnvironment(
            .fapi2MessageSigning.with {
                $0.requestObject.header.type = .jwtOr(["oauth-authz-req+jwt"])
            })
        #expect(try await lenient.rejection(object: lenient.object(type: nil)) == ["accepted"])
        #expect(
            try await lenient.rejection(object: lenient.object(type: "at+jwt")).first
                == "claim-rejected typ")
    }

    @Test("CIBA: backchannel requests are signed too, on both sides")
    func backchannel() async throws {
        let (party, client) = try env.backchannel()
        var request = BackchannelRequest(.name("a"))
        let sent = try await party.backchannel(request, at: .testNow).request
        #expect(sent.parameters["request"] != nil && sent.parameters["login_hint"] == nil)
        let received = try await client.receiveBackchannelRequest(sent.body, at: .testNow)
            .accepted()
        #expect(received.isSigned)
        request.isSigned = false
        await expectRule("requires signed backchannel requests") {
            _ = try await party.backchannel(request, at: .testNow)
        }
        // The Security Profile accepts it, Message Signing rejects it.
        let (lax, open) = try FAPIEnvironment().backchannel()
        let plain = try await lax.backchannel(request, at: .testNow).request.body
        #expect(
            try rejection(await open.receiveBackchannelRequest(plain, at: .testNow)) == ["accepted"]
        )
        let unsigned = try changed(plain, ["client_assertion": try env.assertion()])
        #expect(
            try rejection(await client.receiveBackchannelRequest(unsigned, at: .testNow)) == [
                "malformed", "invalid_request", "400",
            ])
    }

    @Test("5.4.1, 5.4.2: response_mode is jwt: each response or error is one signed token")
    func responses() async throws {
        let login = try await env.login()
        #expect(login.received.responseMode == .jwt)
        #expect(login.redirect.parameters.all.map(\.name) == ["response"])
        let claims = try TokenText.claims(need(login.redirect.parameters["response"]))
        #expect(claims["iss"] as? String == TestEnvironment.issuer)
        #expect(claims["aud"] as? String == TestEnvironment.clientID)
        #expect(try await login.response() == .code(login.grant.code))
        let rejected = try await env.client.redirect(
            error: AuthorizationError(.accessDenied), for: login.received, at: .testNow)
        #expect(rejected.parameters.all.map(\.name) == ["response"])
        guard case .error(let error) = try await login.response(rejected) else {
            throw Login.NoCode()
        }
        #expect(error.code == .accessDenied)
        for mode in ["query", "form_post", "fragment", "query.jwt", ""] {
            let reported = try await env.rejection(
                object: env.object(["response_mode": .string(mode)]))
            #expect(reported == ["malformed", "invalid_request", "400"], "\(mode)")
        }
        var request = AuthorizationRequest()
        request.responseMode = .query
        await expectRule("response_mode") { _ = try await env.pushed(request) }
    }

    @Test("5.4.2-2: a plain, misdirected, wrongly signed or changed response is rejected")
    func wrongResponses() async throws {
        let login = try await env.login()
        func read(_ query: String) async throws {
            _ = try await env.party.response(query, login.started)
        }
        let plain = urlForm([
            "code": login.grant.code, "state": login.started.session.state,
            "iss": TestEnvironment.issuer,
        ])
        await expectRejection("malformed") { try await read(plain.encoded) }
        let claims: [String: JSONValue] = [
            "iss": .issuer, "aud": .clientID, "exp": .now(60), "code": "c",
            "state": .string(login.started.session.state),
        ]
        func response(
            _ change: [String: JSONValue?], by key: JWK? = nil,
            _ algorithm: SignatureAlgorithm = .es256
        ) throws -> String {
            "response="
                + (try env.signed(claims, change, by: key ?? env.providerKey, algorithm))
        }
        try await read(response([:]))
        for (query, code) in [
            (try response(["iss": "https://evil.example"]), "claim-rejected iss"),
            (try response(["iss": nil]), "claim-rejected iss"),
            (try response(["aud": "client-2"]), "claim-rejected aud"),
            (try response(["exp": nil]), "claim-rejected exp"),
            (try response(["exp": .now(-60)]), "claim-rejected exp"),
            (try response(["state": "other"]), "claim-rejected state"),
            (try response([:], by: env.partyKey), "key-not-found"),
            (try response([:], by: TestKeys.providerSigning, .rs256), "algorithm-not-allowed"),
        ] { await expectRejection(code) { try await read(query) } }
    }

    @Test("5.5: a resource server requests a signed response and accepts no other")
    func introspection() async throws {
        let request = try await env.introspector.request(token: "t", at: .testNow)
        let type = "application/token-introspection+jwt"
        #expect(request.headers.contains(OpenIDParameter("Accept", type)))
        let asked = try await env.client.receiveIntrospectionRequest(
            request.body, accept: type, at: .testNow)
        let state = TokenState.active(["aud": .string(FAPIEnvironment.resource), "scope": "read"])
        let response = try await env.client.tokenIssuer().introspectionResponse(
            asked, state, at: .testNow)
        #expect(try TokenText.header(response.body)["alg"] as? String == "ES256")
        let reported = try await env.introspector.response(
            response.body, contentType: type, at: .testNow)
        #expect(reported.isActive && reported.scopes == ["read"])
        await expectRejection("malformed") {
            _ = try await env.introspector.response(
                #"{"active":true}"#, contentType: "application/json", at: .testNow)
        }
        let forged = try env.signed(
            [
                "iss": .issuer, "aud": .clientID, "iat": .now(),
                "token_introspection": ["active": true],
            ], by: env.partyKey, .es256, type: "token-introspection+jwt")
        await expectRejection("key-not-found") {
            _ = try await env.introspector.response(forged, contentType: type, at: .testNow)
        }
    }

    @Test("5.6.2: the signature of an ID Token is verified") func idTokens() async throws {
        let login = try await env.login()
        let tokens = try await login.tokens()
        func read(_ token: String) async throws {
            _ = try await env.party.verifyIDToken(
                token, for: login.started.session, accessToken: tokens.accessToken, at: .testNow)
        }
        try await read(tokens.idToken)
        let parts = tokens.idToken.split(separator: ".").map(String.init)
        let other = try await env.login().tokens().idToken.split(separator: ".")[2]
        await expectRejection("signature-invalid") {
            try await read(parts[0] + "." + parts[1] + "." + other)
        }
        let none = TokenText.none + "." + parts[1] + "."
        await expectRejection("algorithm-not-allowed") { try await read(none) }
    }
}

extension FAPIEnvironment {
    fileprivate static func name(_ request: TokenRequest) throws -> String {
        try need(request.parameters["dpop_jkt"])
    }
}

extension TokenText {
    static let none = "eyJhbGciOiJub25lIn0"
}
