// FAPI 2.0 Security Profile, 5.3.2.2 to 5.4.1: the flow by codes, clients, resource servers, cryptography.

import Foundation
import JOSE
import JOSEOpenID
import Testing

@Suite("FAPI 2.0: the flow, clients, resources, cryptography")
struct FAPIFlowTests {
    /// What the provider says to a plain pushed form that was changed.
    private func refusal(
        _ world: FAPIWorld, _ change: [String: String?]
    ) async throws -> [String] {
        let pushed = try world.pushed().request
        return try JOSEOpenIDTests.refusal(
            await world.receive(pushed, body: try changed(pushed.body, change)))
    }

    @Test("5.3.2.2-1: response_type is code") func responseType() async throws {
        let world = try FAPIWorld()
        for type in ["token", "code id_token", "id_token", "none", "Code"] {
            #expect(
                try await refusal(world, ["response_type": type])
                    == ["malformed", "unsupported_response_type", "400"])
        }
        #expect(
            try await refusal(world, ["response_type": nil])
                == ["malformed", "invalid_request", "400"])
    }

    @Test(
        "5.3.2.2-2 and 3: a request that was not pushed is neither sent nor taken",
        arguments: FAPIWorld.presets)
    func pushedOnly(_ profile: OpenIDProfile) async throws {
        let world = try FAPIWorld(profile)
        await expectRule("pushed requests only") {
            _ = try world.party.start(AuthorizationRequest(), at: World.now)
        }
        let parameters = try OpenIDParameters(decoding: world.pushed().request.body).all
        let plain = OpenIDParameters(
            parameters.filter { !$0.name.hasPrefix("client_assertion") })
        for query in [
            plain.encoded, plain.encoded + "&request=" + (try world.object()),
            "client_id=\(World.clientID)&request=" + (try world.object()),
            "client_id=\(World.clientID)&request_uri=https%3A%2F%2Frp.example%2Fobject",
            "client_id=\(World.clientID)&request_uri=urn%3Aietf%3Aparams%3Aoauth%3Arequest_uri%3Ax",
        ] {
            do {
                let verdict = try await world.client.receive(
                    authorization: query, at: World.now,
                    fetch: { _ in
                        Issue.record("fetched")
                        return ""
                    })
                guard case .refused(let refused) = verdict else {
                    Issue.record("accepted \(query)")
                    continue
                }
                #expect(refused.error.code == .invalidRequest)
            } catch {
                // By RFC 9101 nothing tells where an answer could go.
                #expect([.malformed, .claimRejected].contains(error.code), "\(error)")
            }
        }
    }

    @Test("5.3.2.2-5: a code challenge by S256, and its verifier") func proofKey() async throws {
        let world = try FAPIWorld()
        for change in [
            ["code_challenge_method": "plain"], ["code_challenge_method": nil],
            ["code_challenge": nil], ["code_challenge": nil, "code_challenge_method": nil],
            ["code_challenge": "short"],
        ] as [[String: String?]] {
            #expect(
                try await refusal(world, change) == ["malformed", "invalid_request", "400"])
        }
        let login = try await world.login()
        for (verifier, code) in [
            (nil, "claim-rejected code_verifier"),
            (try ProofKey().verifier, "claim-rejected code_challenge"),
            ("plain", "malformed"),
        ] as [(String?, String)] {
            let request = try login.tokenRequest()
            let proved = try await world.receive(
                token: request, body: changed(request.body, ["code_verifier": verifier]))
            await expectRefusal(code) {
                try await world.client.redeem(proved, login.grant, at: World.now)
            }
        }
    }

    @Test("5.3.2.2-6 and 8: redirect_uri is pushed, registered, and https") func redirect()
        async throws
    {
        let world = try FAPIWorld()
        for (uri, cause) in [
            (nil, "malformed"), ("http://rp.example/callback", "malformed"),
            ("http://127.0.0.1:8080/callback", "malformed"), ("app:/callback", "malformed"),
            ("https://rp.example/callback2", "claim-rejected redirect_uri"),
            ("https://rp.example/callback#f", "malformed"),
        ] as [(String?, String)] {
            #expect(
                try await refusal(world, ["redirect_uri": uri])
                    == [cause, "invalid_request", "400"])
        }
        let party = try RelyingParty(
            profile: .fapi2, metadata: world.metadata, clientID: World.clientID,
            redirectURI: "http://rp.example/callback", keys: JWKSet(keys: [world.partyKey]),
            providerKeys: JWKSet(keys: [world.providerKey]).publicKeys)
        await expectRule("https") {
            _ = try party.push(AuthorizationRequest(), prover: world.prover)
        }
    }

    @Test("5.3.2.2-7, 5.3.3.2-5: every answer names its issuer; one that does not is refused")
    func issuer() async throws {
        let world = try FAPIWorld()
        let login = try await world.login()
        #expect(login.redirect.parameters["iss"] == World.issuer)
        let refused = try await world.client.redirect(
            error: AuthorizationError(.accessDenied), for: login.received, at: World.now)
        #expect(refused.parameters["iss"] == World.issuer)
        #expect(
            try login.answer(refused)
                == .error(
                    AuthorizationError(
                        .accessDenied,
                        description: refused.parameters["error_description"])))
        let text = login.redirect.parameters.encoded
        for issuer in [nil, "", "https://idp.example/v2/", "https://evil.example"] {
            await expectRefusal("claim-rejected iss") {
                _ = try world.party.answer(
                    query: changed(text, ["iss": issuer]), for: login.started.remembered)
            }
        }
        #expect(try login.answer() == .code(login.grant.code))
    }

    @Test("5.3.2.2-9: a code works once") func once() async throws {
        let world = try FAPIWorld()
        let login = try await world.login()
        let proved = try await world.receive(token: login.tokenRequest())
        try await world.client.redeem(proved, login.grant, at: World.now)
        for proved in [proved, try await world.receive(token: login.tokenRequest())] {
            let error = await expectRefusal("replayed") {
                try await world.client.redeem(proved, login.grant, at: World.now)
            }
            #expect(TokenError(refusingGrant: try need(error)).code == .invalidGrant)
        }
    }

    @Test("5.3.2.2-10 and 11: a browser is sent on by 303", arguments: FAPIWorld.presets)
    func statuses(_ profile: OpenIDProfile) async throws {
        let login = try await FAPIWorld(profile).login()
        #expect(try login.redirect.answer().status == 303)
        // The one other way is the 302 of a GET: there is no 307 to choose.
        for status in 300..<400 {
            let known = AuthorizationRedirect.Status(rawValue: status)
            #expect((known != nil) == (status == 302 || status == 303))
        }
    }

    @Test("5.3.2.2-12: a pushed request lives less than 600 s", arguments: FAPIWorld.presets)
    func reference(_ profile: OpenIDProfile) async throws {
        let world = try FAPIWorld(profile)
        let pushed = try world.pushed()
        let verdict = await world.receive(pushed.request)
        let answer = try PushedAnswer(json: verdict.answer().body)
        #expect(1..<600 ~= answer.expiresInSeconds)
        let started = try world.party.start(pushed, answer)
        let late = World.now.advanced(by: .seconds(answer.expiresInSeconds))
        await expectRefusal("claim-rejected request_uri") {
            _ = try await world.client.receive(authorization: query(started.url), at: late)
        }
    }

    @Test("5.3.2.2-14, 5.3.3.2-7: a nonce of 64 characters comes back; ours are shorter")
    func nonces() async throws {
        let world = try FAPIWorld()
        let pushed = try world.pushed()
        #expect(1...64 ~= pushed.remembered.nonce.utf8.count)
        let nonce = String(repeating: "n", count: 64)
        let verdict = await world.receive(
            pushed.request, body: try changed(pushed.request.body, ["nonce": nonce]))
        let started = try world.party.start(pushed, PushedAnswer(json: verdict.answer().body))
        guard
            case .accepted(let received) = try await world.client.receive(
                authorization: query(started.url), at: World.now)
        else { throw Login.NoCode() }
        let idToken = try await world.client.answers().idToken(
            for: received, UserAuthentication(subject: "user-1"), at: World.now)
        let policy = ClaimsPolicy(issuer: World.issuer, audience: World.clientID)
        let verified = try JWTVerifier(
            policy: policy, encryption: .notEncrypted,
            signature: .required(
                keys: JWKSet(keys: [world.providerKey]).publicKeys, algorithms: [.es256])
        ).verify(idToken, at: World.now)
        #expect(verified["nonce"] == .string(nonce))
    }

    @Test(
        "RFC 9396 2 and 5: authorization_details comes through as it is, pushed or signed",
        arguments: FAPIWorld.presets)
    func details(_ profile: OpenIDProfile) async throws {
        let world = try FAPIWorld(profile)
        let details: JSONValue = [
            ["type": "payment", "amount": ["currency": "EUR", "value": "1.50"], "n": 12.5],
            ["type": "account", "actions": ["read", "é"]],
        ]
        var request = AuthorizationRequest(scopes: ["payments"])
        request.authorizationDetails = details
        let login = try await world.login(request)
        #expect(login.received.authorizationDetails == details)
        #expect(login.received.scopes == ["openid", "payments"])
        #expect(try await world.login().received.authorizationDetails == nil)
        for wrong in [
            "payment", ["type": "payment"], [], ["payment"], [["type": 1]], [["type": ""]],
            [["kind": "payment"]], [["type": "payment"], 1],
        ] as [JSONValue] {
            request.authorizationDetails = wrong
            await expectRule("authorization_details") { _ = try world.pushed(request) }
            let pushed = try world.pushed().request
            let body =
                profile.requestObject.isRequired
                ? try changed(
                    pushed.body,
                    ["request": try world.object(["authorization_details": wrong])])
                : try changed(
                    pushed.body,
                    ["authorization_details": try world.text(wrong)])
            let told = try JOSEOpenIDTests.refusal(await world.receive(pushed, body: body))
            let isArray = wrong.array != nil
            let isObject = profile.requestObject.isRequired && !isArray
            #expect(
                told[1]
                    == (isObject ? "invalid_request_object" : "invalid_authorization_details"))
        }
    }

    // MARK: Clients

    @Test(
        "5.3.3.1-5, 5.3.3.2: assertions for the issuer as a string, a challenge of its own, two parameters in the browser",
        arguments: FAPIWorld.presets)
    func sent(_ profile: OpenIDProfile) async throws {
        let world = try FAPIWorld(profile)
        let (first, second) = (try world.pushed(), try world.pushed())
        let verifiers = try [first, second].map { try need($0.remembered.codeVerifier) }
        #expect(verifiers[0] != verifiers[1])
        for pushed in [first, second] {
            let assertion = try need(pushed.request.parameters["client_assertion"])
            let claims = try TokenText.claims(assertion)
            #expect(claims["aud"] as? String == World.issuer)
            #expect(pushed.request.url == FAPIWorld.push)
        }
        let login = try await world.login()
        let names = try OpenIDParameters(decoding: query(login.started.url)).all.map(\.name)
        #expect(names == ["client_id", "request_uri"])
        let token = try login.tokenRequest()
        let claims = try TokenText.claims(need(token.parameters["client_assertion"]))
        #expect(claims["aud"] as? String == World.issuer)
    }

    @Test("5.3.3.1-3: a client sends access tokens in the header, with a proof")
    func header() async throws {
        let world = try FAPIWorld()
        await expectRule("give a prover") {
            _ = try world.party.userInfoRequest(accessToken: "t", at: World.now)
        }
        await expectRule("in the header") {
            _ = try world.party.userInfoRequest(
                accessToken: "t", by: .form, prover: world.prover, at: World.now)
        }
        let request = try world.party.userInfoRequest(
            accessToken: "t", prover: world.prover, at: World.now)
        #expect(request.headers.contains(OpenIDParameter("Authorization", "DPoP t")))
        #expect(!request.url.contains("t="))
    }

    // MARK: Resource servers

    @Test("5.3.4: tokens in the header alone, bound ones alone, for this resource and scope")
    func resource() async throws {
        let world = try FAPIWorld()
        let tokens = try await world.login().tokens()
        let url = FAPIWorld.resource + "/accounts"
        func use(
            _ scheme: String = "DPoP", url: String = url, scopes: [String] = ["read"],
            prover: DPoPProver? = nil, token: String? = nil
        ) async throws {
            let token = token ?? tokens.accessToken
            let proof = try (prover ?? world.prover).proof(
                method: "GET", url: url, accessToken: token, at: World.now)
            _ = try await world.server.verify(
                ResourceRequest(
                    method: "GET", url: url, authorization: scheme + " " + token,
                    proofs: [proof]), scopes: scopes, at: World.now)
        }
        try await use()
        await expectRefusal("malformed") {
            try await use(url: url + "?access_token=" + tokens.accessToken)
        }
        await expectRefusal("claim-rejected access_token") {
            _ = try ResourceRequest(method: "GET", url: url, authorization: nil)
        }
        let bearer = await expectRefusal("claim-rejected cnf") { try await use("Bearer") }
        let answer = try world.server.error(refusing: need(bearer), at: World.now).answer()
        #expect(answer.status == 401)
        #expect(
            answer.header("WWW-Authenticate")
                == #"DPoP error="invalid_token", algs="ES256 PS256 Ed25519 EdDSA""#)
        let unknown = try ResourceError(
            .invalidToken, proofs: world.provider.proofs, isBound: true)
        #expect(try unknown.answer().status == 401)
        #expect(unknown.header == answer.header("WWW-Authenticate"))
        await expectRefusal("claim-rejected cnf") { try await use(prover: .fresh()) }
        await expectRefusal("claim-rejected scope") { try await use(scopes: ["write"]) }
        // One that another profile's provider bound to nothing.
        let unbound = try world.signed(
            [
                "iss": .string(World.issuer), "aud": .string(FAPIWorld.resource), "sub": "u",
                "client_id": .string(World.clientID), "jti": "1",
                "iat": .integer(World.now.seconds), "exp": .integer(World.now.seconds + 60),
            ], by: world.providerKey, .es256, type: "at+jwt")
        for scheme in ["Bearer", "DPoP"] {
            await expectRefusal("claim-rejected cnf") { try await use(scheme, token: unbound) }
        }
    }

    // MARK: Cryptography

    @Test("5.4.1-2 and 3: keys of RSA below 2048 bits and of smaller curves are none")
    func keys() async throws {
        let numbers = [("n", 128), ("n", 255)].map { name, count in
            #"{"kty":"RSA","e":"AQAB","\#(name)":"\#(TokenText.base64URL(count))"}"#
        }
        for json in numbers {
            await expectRefusal("key-unusable", json) { _ = try JWK(json: json) }
        }
        let small = #"{"kty":"EC","crv":"P-192","x":"\#(TokenText.base64URL(24))","y":"AA"}"#
        #expect(throws: JOSEError.self) { _ = try JWK(json: small) }
    }
}
