// Client assertions: what a provider accepts, and every invalid variant.

import JOSE
import JOSEOpenID
import Testing

@Suite("Client assertions")
struct AssertionTests {
    static let profiles: [OpenIDProfile] = [.itsme0, .itsme1, .itsme2, .netsEIDBroker]

    private func claims(_ env: TestEnvironment, _ jti: String) -> [String: JSONValue] {
        [
            "iss": .string(TestEnvironment.clientID), "sub": .string(TestEnvironment.clientID),
            "aud": .string(env.assertionAudience), "jti": .string(jti),
            "exp": .now(300), "iat": .now(),
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
            ).verify(try need(form["client_assertion"]), at: TestEnvironment.now)
            #expect(token.subject == TestEnvironment.clientID)
            #expect(token["exp"] == .now(300))
            #expect(names.insert(try need(token.jwtID)).inserted)
        }
    }

    @Test("each wrong claim is rejected", arguments: profiles)
    func claims(_ profile: OpenIDProfile) async throws {
        let env = try TestEnvironment(profile)
        try await env.client.verify(
            assertion: sealed(env, claims(env, "good")), at: TestEnvironment.now)
        let changes: [(String, JSONValue?, String)] = [
            ("iss", "client-2", "iss"), ("iss", nil, "iss"), ("sub", "client-2", "sub"),
            ("sub", nil, "sub"), ("sub", "", "sub"), ("aud", nil, "aud"),
            ("aud", "https://idp.example/v2/authorization", "aud"),
            ("aud", "https://idp.example/v2/token/", "aud"), ("aud", [], "aud"),
            ("aud", [.string(env.assertionAudience), "https://evil.example/token"], "aud"),
            ("jti", nil, "jti"), ("jti", "", "jti"), ("jti", 1, "jti"),
            ("jti", .string(String(repeating: "j", count: 1_025)), "jti"), ("exp", nil, "exp"),
            ("exp", .now(-60), "exp"), ("exp", .now(601), "exp"),
            ("exp", .integer((TestEnvironment.now.seconds + 300) * 1_000), "exp"),
            ("exp", "soon", "exp"),
            ("iat", .now(61), "iat"), ("nbf", .now(61), "nbf"),
        ]
        for (name, value, expected) in changes {
            let claims = claims(env, "j-\(name)").with([name: value])
            await expectRejection(
                "claim-rejected \(expected)", "\(name) \(String(describing: value))"
            ) {
                try await env.client.verify(assertion: sealed(env, claims), at: TestEnvironment.now)
            }
        }
        var once = claims(env, "list")
        once["aud"] = [.string(env.assertionAudience)]
        if env.assertionAudience == TestEnvironment.issuer {
            try await env.client.verify(assertion: sealed(env, once), at: TestEnvironment.now)
        } else {
            // The URL of an endpoint is accepted only as a string.
            await expectRejection("claim-rejected aud") {
                try await env.client.verify(assertion: sealed(env, once), at: TestEnvironment.now)
            }
            try await env.client.verify(
                assertion: sealed(env, claims(env, "third")), at: TestEnvironment.now)
        }
        var last = claims(env, "last")
        last["exp"] = .now(600)
        try await env.client.verify(assertion: sealed(env, last), at: TestEnvironment.now)
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
        try await env.client.verify(assertion: first, at: TestEnvironment.now)
        await expectRejection("replayed") {
            try await env.client.verify(assertion: sealed(env, again), at: TestEnvironment.now)
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
                assertion: sealed(env, claims(env, "f"), by: forger), at: TestEnvironment.now)
        }
        await expectRejection("key-not-found") {
            try await env.client.verify(
                assertion: sealed(env, claims(env, "f"), by: TestKeys.unrelated),
                at: TestEnvironment.now)
        }
        try await env.client.verify(
            assertion: sealed(env, claims(env, "f")), at: TestEnvironment.now)
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
                _ = try await env.client.receiveTokenRequest(bad, at: TestEnvironment.now)
            }
        }
        await expectRejection("malformed") {
            _ = try await env.client.receiveTokenRequest(
                body, authorization: "Basic eDp5", at: TestEnvironment.now)
        }
        _ = try await env.client.receiveTokenRequest(
            body + "&client_id=client-1", at: TestEnvironment.now)
    }

    @Test(
        "an authorization code works once within 3 minutes, for its client and redirect URI",
        arguments: profiles)
    func codes(_ profile: OpenIDProfile) async throws {
        let env = try TestEnvironment(profile)
        let login = try await Login(env)
        let grant = try await env.client.grant(login.received, at: TestEnvironment.now)
        func received(_ code: String, _ change: (String) -> String = { $0 }) async throws
            -> ReceivedTokenRequest
        {
            let request = try await login.tokenRequest(code)
            return try await env.client.receiveTokenRequest(
                change(request.body), at: TestEnvironment.now)
        }
        let late = TestEnvironment.at(180)
        let good = try await received(grant.code)
        await expectRejection("claim-rejected code") {
            try await env.client.redeem(good, grant, at: late)
        }
        let other = try await received(grant.code + "x")
        await expectRejection("claim-rejected code") {
            try await env.client.redeem(other, grant, at: TestEnvironment.now)
        }
        let elsewhere = try await received(grant.code) {
            $0.replacing("rp.example%2Fcallback", with: "rp.example%2Fother")
        }
        await expectRejection("claim-rejected redirect_uri") {
            try await env.client.redeem(elsewhere, grant, at: TestEnvironment.now)
        }
        let nowhere = try await received(grant.code) {
            $0.replacing("&redirect_uri=https%3A%2F%2Frp.example%2Fcallback", with: "")
        }
        await expectRejection("claim-rejected redirect_uri") {
            try await env.client.redeem(nowhere, grant, at: TestEnvironment.now)
        }
        let verified = try await received(grant.code) {
            $0 + "&code_verifier=" + String(repeating: "v", count: 43)
        }
        await expectRejection("claim-rejected code_verifier") {
            try await env.client.redeem(verified, grant, at: TestEnvironment.now)
        }
        try await env.client.redeem(good, grant, at: TestEnvironment.at(179))
        let again = try need(
            await expectRejection("replayed") {
                try await env.client.redeem(good, grant, at: TestEnvironment.now)
            })
        let response = TokenError(rejectingGrant: again)
        #expect(response.code == .invalidGrant && response.status(authorization: nil) == 400)
    }
}
