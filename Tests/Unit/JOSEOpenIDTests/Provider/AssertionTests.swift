// Client assertions: what a provider accepts, and every invalid variant.

import JOSE
import JOSEOpenID
import Testing

@Suite("Client assertions")
struct AssertionTests {
    static let profiles: [OpenIDProfile] = [.itsme0, .itsme1, .itsme2, .netsEIDBroker]

    private func claims(_ env: TestEnvironment, _ jti: String) -> [String: JSONValue] {
        [
            "iss": .clientID, "sub": .clientID, "aud": .string(env.assertionAudience),
            "jti": .string(jti), "exp": .now(300), "iat": .now(),
        ]
    }

    private func sealed(
        _ env: TestEnvironment, _ claims: [String: JSONValue], by key: JWK = TestKeys.partySigning
    ) throws -> String {
        guard case .assertion(let layers) = env.profile.client.authentication else { return "" }
        return try env.sealed(claims, layers, by: key, for: TestKeys.providerDecrypting)
    }

    @Test(
        "our assertions: iss = sub = client_id, aud by issuer or guide, a fresh jti, a short exp",
        arguments: profiles)
    func made(_ profile: OpenIDProfile) async throws {
        let env = try TestEnvironment(profile)
        let login = try await Login(env)
        var names: Set<String> = []
        for _ in 0..<8 {
            let request = try await login.tokenRequest()
            #expect(request.url == "https://idp.example/v2/token")
            #expect(
                request.headers.contains(
                    OpenIDParameter("Content-Type", "application/x-www-form-urlencoded")))
            let form = request.parameters
            #expect(
                form["client_assertion_type"]
                    == "urn:ietf:params:oauth:client-assertion-type:jwt-bearer")
            #expect(form["grant_type"] == "authorization_code")
            #expect(form["redirect_uri"] == TestEnvironment.redirectURI)
            var rule = EncryptionRule.notEncrypted
            if profile.client.authentication == .assertion(.signedThenEncrypted) {
                rule = .required(
                    keys: TestKeys.provider, algorithms: profile.algorithms.keyManagement,
                    content: [.a128CBCHS256])
            }
            let token = try JWTVerifier(
                policy: ClaimsPolicy(
                    issuer: .exactly(TestEnvironment.clientID),
                    audience: .anyOf([env.assertionAudience])),
                encryption: rule,
                signature: .required(
                    key: TestKeys.partySigning.publicKey, algorithms: [.rs256])
            ).verify(try need(form["client_assertion"]), at: .testNow)
            #expect(token.subject == TestEnvironment.clientID)
            #expect(token["exp"] == .now(300))
            #expect(names.insert(try need(token.jwtID)).inserted)
        }
    }

    @Test("each wrong claim is rejected", arguments: profiles)
    func claims(_ profile: OpenIDProfile) async throws {
        let env = try TestEnvironment(profile)
        try await env.client.verify(assertion: sealed(env, claims(env, "good")), at: .testNow)
        let changes: [(String, JSONValue?)] = [
            ("iss", "client-2"), ("iss", nil), ("sub", "client-2"), ("sub", nil), ("sub", ""),
            ("aud", nil), ("aud", "https://idp.example/v2/authorization"),
            ("aud", "https://idp.example/v2/token/"), ("aud", []),
            ("aud", [.string(env.assertionAudience), "https://evil.example/token"]), ("jti", nil),
            ("jti", ""), ("jti", 1), ("jti", .string(String(repeating: "j", count: 1_025))),
            ("exp", nil), ("exp", .now(-60)), ("exp", .now(601)),
            ("exp", .integer((TestEnvironment.now.seconds + 300) * 1_000)), ("exp", "soon"),
            ("iat", .now(61)), ("nbf", .now(61)),
        ]
        for (name, value) in changes {
            let claims = claims(env, "j-\(name)").with([name: value])
            await expectRejection("claim-rejected \(name)", "\(name) \(String(describing: value))")
            { try await env.client.verify(assertion: sealed(env, claims), at: .testNow) }
        }
        var once = claims(env, "list")
        once["aud"] = [.string(env.assertionAudience)]
        if env.assertionAudience == TestEnvironment.issuer {
            try await env.client.verify(assertion: sealed(env, once), at: .testNow)
        } else {
            // The URL of an endpoint is accepted only as a string.
            await expectRejection("claim-rejected aud") {
                try await env.client.verify(assertion: sealed(env, once), at: .testNow)
            }
            try await env.client.verify(assertion: sealed(env, claims(env, "third")), at: .testNow)
        }
        var last = claims(env, "last")
        last["exp"] = .now(600)
        try await env.client.verify(assertion: sealed(env, last), at: .testNow)
        #expect(env.store.count == 3, "a rejected assertion must not use up its jti")
    }

    @Test("a jti works once, and is claimed after every other check", arguments: profiles)
    func replay(_ profile: OpenIDProfile) async throws {
        let env = try TestEnvironment(profile)
        let login = try await Login(env)
        let request = try await login.tokenRequest()
        _ = try await env.client.receive(request)
        await expectTokenError(.invalidClient, "replayed") {
            _ = try await env.client.receive(request)
        }
        // Encrypted again it is still the same assertion.
        let again = claims(env, "again")
        let first = try sealed(env, again)
        try await env.client.verify(assertion: first, at: .testNow)
        await expectRejection("replayed") {
            try await env.client.verify(assertion: sealed(env, again), at: .testNow)
        }
    }

    @Test(
        "an unknown key's signature is rejected, and so is another client's known jti",
        arguments: profiles)
    func strangers(_ profile: OpenIDProfile) async throws {
        let env = try TestEnvironment(profile)
        var forger = TestKeys.unrelated
        forger.keyID = TestKeys.partySigning.keyID
        await expectRejection("signature-invalid") {
            try await env.client.verify(
                assertion: sealed(env, claims(env, "f"), by: forger), at: .testNow)
        }
        await expectRejection("key-not-found") {
            try await env.client.verify(
                assertion: sealed(env, claims(env, "f"), by: TestKeys.unrelated), at: .testNow)
        }
        try await env.client.verify(assertion: sealed(env, claims(env, "f")), at: .testNow)
    }

    @Test("another format, type or client authentication method is rejected", arguments: profiles)
    func forms(_ profile: OpenIDProfile) async throws {
        let env = try TestEnvironment(profile)
        let login = try await Login(env)
        let body = try await login.tokenRequest().body
        for (bad, expected) in [
            (
                body.replacing("jwt-bearer", with: "saml2-bearer"),
                "claim-rejected client_assertion_type"
            ),
            (
                body.replacing("grant_type=authorization_code", with: "grant_type=refresh_token"),
                "unsupported"
            ),
            (body.replacing("&code=c", with: ""), "malformed"),
            (
                body.replacing("client_assertion=", with: "assertion="),
                "claim-rejected client_assertion"
            ),
            (body + "&client_secret=x", "malformed"),
            (body + "&client_id=client-2", "claim-rejected client_id"),
            (body + "&code=d", "malformed"),
        ] {
            await expectRejection(expected, bad) {
                _ = try await env.client.receiveTokenRequest(bad, at: .testNow)
            }
        }
        await expectRejection("malformed") {
            _ = try await env.client.receiveTokenRequest(
                body, authorization: "Basic eDp5", at: .testNow)
        }
        _ = try await env.client.receiveTokenRequest(body + "&client_id=client-1", at: .testNow)
    }

    @Test(
        "an authorization code works once within 3 minutes, for its client and redirect URI",
        arguments: profiles)
    func codes(_ profile: OpenIDProfile) async throws {
        let env = try TestEnvironment(profile)
        let login = try await Login(env)
        let grant = try await env.client.grant(login.received, at: .testNow)
        func received(_ code: String, _ change: (String) -> String = { $0 }) async throws
            -> ReceivedTokenRequest
        {
            let request = try await login.tokenRequest(code)
            return try await env.client.receiveTokenRequest(change(request.body), at: .testNow)
        }
        let good = try await received(grant.code)
        let address = "&redirect_uri=https%3A%2F%2Frp.example%2Fcallback"
        for (request, seconds, claim) in [
            (good, 180, "code"), (try await received(grant.code + "x"), 0, "code"),
            (
                try await received(grant.code) {
                    $0.replacing("rp.example%2Fcallback", with: "rp.example%2Fother")
                }, 0, "redirect_uri"
            ),
            (try await received(grant.code) { $0.replacing(address, with: "") }, 0, "redirect_uri"),
            (
                try await received(grant.code) {
                    $0 + "&code_verifier=" + String(repeating: "v", count: 43)
                }, 0, "code_verifier"
            ),
        ] {
            await expectRejection("claim-rejected \(claim)") {
                try await env.client.redeem(request, grant, at: TestEnvironment.at(seconds))
            }
        }
        try await env.client.redeem(good, grant, at: TestEnvironment.at(179))
        let again = try need(
            await expectRejection("replayed") {
                try await env.client.redeem(good, grant, at: .testNow)
            })
        let response = TokenError(rejectingGrant: again)
        #expect(response.code == .invalidGrant && response.status(authorization: nil) == 400)
    }
}
