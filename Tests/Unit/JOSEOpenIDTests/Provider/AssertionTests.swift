// Client assertions: what a provider accepts, and every way to get it wrong.

import JOSE
import JOSEOpenID
import Testing

@Suite("Client assertions")
struct AssertionTests {
    static let profiles: [OpenIDProfile] = [.itsme0, .itsme1, .itsme2, .netsEIDBroker]

    private func claims(_ world: World, _ jti: String) -> [String: JSONValue] {
        [
            "iss": .string(World.clientID), "sub": .string(World.clientID),
            "aud": .string(world.assertionAudience), "jti": .string(jti),
            "exp": .now(300), "iat": .now(),
        ]
    }

    private func sealed(
        _ world: World, _ claims: [String: JSONValue], by key: JWK = TestKeys.partySigning
    ) throws -> String {
        guard case .assertion(let layers) = world.profile.client.authentication else { return "" }
        return try world.sealed(claims, layers, by: key, for: TestKeys.providerDecrypting)
    }

    @Test(
        "what we make: iss = sub = client_id, aud the issuer or what the guide prints, a fresh jti, a short exp",
        arguments: profiles)
    func made(_ profile: OpenIDProfile) async throws {
        let world = try World(profile)
        let login = try await Login(world)
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
            #expect(form["redirect_uri"] == World.redirectURI)
            var rule = EncryptionRule.notEncrypted
            if profile.client.authentication == .assertion(.signedThenEncrypted) {
                rule = .required(
                    keys: TestKeys.provider, algorithms: profile.algorithms.keyManagement,
                    content: [.a128CBCHS256])
            }
            let token = try JWTVerifier(
                policy: ClaimsPolicy(
                    issuer: .exactly(World.clientID), audience: .anyOf([world.assertionAudience])),
                encryption: rule,
                signature: .required(
                    key: TestKeys.partySigning.publicKey, algorithms: [.rs256])
            ).verify(try need(form["client_assertion"]), at: World.now)
            #expect(token.subject == World.clientID)
            #expect(token["exp"] == .now(300))
            #expect(names.insert(try need(token.jwtID)).inserted)
        }
    }

    @Test("every claim counts", arguments: profiles)
    func claims(_ profile: OpenIDProfile) async throws {
        let world = try World(profile)
        try await world.client.verify(
            assertion: sealed(world, claims(world, "good")), at: World.now)
        let changes: [(String, JSONValue?, String)] = [
            ("iss", "client-2", "iss"), ("iss", nil, "iss"), ("sub", "client-2", "sub"),
            ("sub", nil, "sub"), ("sub", "", "sub"), ("aud", nil, "aud"),
            ("aud", "https://idp.example/v2/authorization", "aud"),
            ("aud", "https://idp.example/v2/token/", "aud"), ("aud", [], "aud"),
            ("aud", [.string(world.assertionAudience), "https://evil.example/token"], "aud"),
            ("jti", nil, "jti"), ("jti", "", "jti"), ("jti", 1, "jti"),
            ("jti", .string(String(repeating: "j", count: 1_025)), "jti"), ("exp", nil, "exp"),
            ("exp", .now(-60), "exp"), ("exp", .now(601), "exp"),
            ("exp", .integer((World.now.seconds + 300) * 1_000), "exp"), ("exp", "soon", "exp"),
            ("iat", .now(61), "iat"), ("nbf", .now(61), "nbf"),
        ]
        for (name, value, expected) in changes {
            let claims = claims(world, "j-\(name)").with([name: value])
            await expectRejection(
                "claim-rejected \(expected)", "\(name) \(String(describing: value))"
            ) {
                try await world.client.verify(assertion: sealed(world, claims), at: World.now)
            }
        }
        var once = claims(world, "list")
        once["aud"] = [.string(world.assertionAudience)]
        if world.assertionAudience == World.issuer {
            try await world.client.verify(assertion: sealed(world, once), at: World.now)
        } else {
            // The URL of an endpoint is accepted as a string only.
            await expectRejection("claim-rejected aud") {
                try await world.client.verify(assertion: sealed(world, once), at: World.now)
            }
            try await world.client.verify(
                assertion: sealed(world, claims(world, "third")), at: World.now)
        }
        var last = claims(world, "last")
        last["exp"] = .now(600)
        try await world.client.verify(assertion: sealed(world, last), at: World.now)
        #expect(world.store.count == 3, "a rejected assertion must not use up its jti")
    }

    @Test("a jti works once, and is claimed after every other check", arguments: profiles)
    func replay(_ profile: OpenIDProfile) async throws {
        let world = try World(profile)
        let login = try await Login(world)
        let request = try await login.tokenRequest()
        _ = try await world.client.receive(request)
        await expectTokenError(.invalidClient, "replayed") {
            _ = try await world.client.receive(request)
        }
        // Encrypted anew it is still the same assertion.
        let again = claims(world, "again")
        let first = try sealed(world, again)
        try await world.client.verify(assertion: first, at: World.now)
        await expectRejection("replayed") {
            try await world.client.verify(assertion: sealed(world, again), at: World.now)
        }
    }

    @Test("a stranger's signature, and a known jti of another client", arguments: profiles)
    func strangers(_ profile: OpenIDProfile) async throws {
        let world = try World(profile)
        var forger = TestKeys.stranger
        forger.keyID = TestKeys.partySigning.keyID
        await expectRejection("signature-invalid") {
            try await world.client.verify(
                assertion: sealed(world, claims(world, "f"), by: forger), at: World.now)
        }
        await expectRejection("key-not-found") {
            try await world.client.verify(
                assertion: sealed(world, claims(world, "f"), by: TestKeys.stranger), at: World.now)
        }
        try await world.client.verify(assertion: sealed(world, claims(world, "f")), at: World.now)
    }

    @Test("another form, another type, another way to prove oneself", arguments: profiles)
    func forms(_ profile: OpenIDProfile) async throws {
        let world = try World(profile)
        let login = try await Login(world)
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
                _ = try await world.client.receive(tokenRequest: bad, at: World.now)
            }
        }
        await expectRejection("malformed") {
            _ = try await world.client.receive(
                tokenRequest: body, authorization: "Basic eDp5", at: World.now)
        }
        _ = try await world.client.receive(
            tokenRequest: body + "&client_id=client-1", at: World.now)
    }

    @Test(
        "an authorization code lives 3 minutes, once, for its client and address",
        arguments: profiles)
    func codes(_ profile: OpenIDProfile) async throws {
        let world = try World(profile)
        let login = try await Login(world)
        let grant = try await world.client.grant(login.received, at: World.now)
        func received(_ code: String, _ change: (String) -> String = { $0 }) async throws
            -> ReceivedTokenRequest
        {
            let request = try await login.tokenRequest(code)
            return try await world.client.receive(
                tokenRequest: change(request.body), at: World.now)
        }
        let late = World.at(180)
        let good = try await received(grant.code)
        await expectRejection("claim-rejected code") {
            try await world.client.redeem(good, grant, at: late)
        }
        let other = try await received(grant.code + "x")
        await expectRejection("claim-rejected code") {
            try await world.client.redeem(other, grant, at: World.now)
        }
        let elsewhere = try await received(grant.code) {
            $0.replacing("rp.example%2Fcallback", with: "rp.example%2Fother")
        }
        await expectRejection("claim-rejected redirect_uri") {
            try await world.client.redeem(elsewhere, grant, at: World.now)
        }
        let nowhere = try await received(grant.code) {
            $0.replacing("&redirect_uri=https%3A%2F%2Frp.example%2Fcallback", with: "")
        }
        await expectRejection("claim-rejected redirect_uri") {
            try await world.client.redeem(nowhere, grant, at: World.now)
        }
        let verified = try await received(grant.code) {
            $0 + "&code_verifier=" + String(repeating: "v", count: 43)
        }
        await expectRejection("claim-rejected code_verifier") {
            try await world.client.redeem(verified, grant, at: World.now)
        }
        try await world.client.redeem(good, grant, at: World.at(179))
        let again = try need(
            await expectRejection("replayed") {
                try await world.client.redeem(good, grant, at: World.now)
            })
        let response = TokenError(rejectingGrant: again)
        #expect(response.code == .invalidGrant && response.status(authorization: nil) == 400)
    }
}
