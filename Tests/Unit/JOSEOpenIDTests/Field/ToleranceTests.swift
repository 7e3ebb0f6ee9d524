// The limits of tolerance towards real providers: one test for each rule.

import JOSE
import JOSEOpenID
import Testing

@Suite("Tolerance and its limits")
struct ToleranceTests {
    @Test("a signed UserInfo response needs iss and aud, unless the profile makes them optional")
    func userInfoParties() async throws {
        for isRequired in [true, false] {
            var profile = OpenIDProfile.openID
            profile.userInfo.layers = .signed
            profile.userInfo.requiresIssuerAndAudience = isRequired
            let login = try await Login(TestEnvironment(profile))
            let idToken = try await login.open(login.forged(login.goodClaims))
            let all: [String: JSONValue] = [
                "sub": "user-1-of-32-characters-in-total", "iss": .string(TestEnvironment.issuer),
                "aud": .string(TestEnvironment.clientID),
            ]
            func read(_ claims: [String: JSONValue]) async throws {
                _ = try await login.env.party.userInfo(
                    login.env.sealed(claims, .signed), idToken)
            }
            try await read(all)
            for name in ["iss", "aud"] {
                var claims = all
                claims[name] = nil
                if isRequired {
                    await expectRejection("claim-rejected \(name)") { try await read(claims) }
                } else {
                    try await read(claims)
                }
                // Present claims must match in either case.
                for wrong: JSONValue in ["https://other.example", .null, 1, []] {
                    claims[name] = wrong
                    await expectRejection("claim-rejected \(name)", "\(wrong)") {
                        try await read(claims)
                    }
                }
            }
        }
        for profile in [OpenIDProfile.itsme0, .itsme1, .itsme2] {
            #expect(!profile.userInfo.requiresIssuerAndAudience, "the guides print none")
        }
        #expect(UserInfoRules(layers: .signed).requiresIssuerAndAudience)
    }

    @Test("null counts as absent for optional ID Token claims, and is an error for registered ones")
    func nullClaims() async throws {
        let login = try await Login(TestEnvironment(.openID))
        for name in ["auth_time", "acr", "azp", "at_hash", "c_hash", "amr", "email"] {
            let claims = login.goodClaims.with([name: .null])
            _ = try await login.open(login.forged(claims))
        }
        for name in ["iss", "sub", "aud", "exp", "nbf", "iat", "nonce", "jti"] {
            await expectRejection("claim-rejected \(name)") {
                _ = try await login.open([name: .null])
            }
        }
    }

    @Test("a required or requested claim is missing if it is null")
    func nullRequired() async throws {
        var profile = OpenIDProfile.openID
        profile.idToken.requiredClaims += ["auth_time", "own"]
        profile.idToken.requiresAccessTokenHash = true
        let login = try await Login(TestEnvironment(profile))
        var good = login.goodClaims
        good["own"] = 1
        good["at_hash"] = .string(try SignatureAlgorithm.rs256.tokenHash(of: "at"))
        _ = try await login.open(login.forged(good), accessToken: "at")
        for name in ["auth_time", "own", "at_hash"] {
            let claims = good.with([name: .null])
            await expectRejection("claim-rejected \(name)") {
                _ = try await login.open(login.forged(claims), accessToken: "at")
            }
        }
        var request = AuthorizationRequest()
        request.maxAge = .seconds(60)
        let asked = try await Login(TestEnvironment(.openID), request)
        await expectRejection("claim-rejected auth_time") {
            _ = try await asked.open(["auth_time": .null])
        }
    }

    @Test("loopback redirects need a profile that allows them, and no guide preset does")
    func loopback() async throws {
        for profile in TestEnvironment.all + [.fapi2, .fapi2MessageSigning] {
            let isGeneric = profile.name == "openID"
            #expect(profile.authorization.allowsLoopbackPorts == isGeneric, "\(profile)")
        }
        var lax = OpenIDProfile.openID
        for isAllowed in [true, false] {
            lax.authorization.allowsLoopbackPorts = isAllowed
            let env = try TestEnvironment(lax)
            let client = try env.provider.client(
                ClientRegistration(
                    clientID: TestEnvironment.clientID, redirectURIs: ["http://127.0.0.1/cb"],
                    secret: ClientSecret(TestEnvironment.secret)), keys: PublicJWKSet(keys: []))
            let query = try need(
                FieldCase.all.first { $0.id == "authorization/loopback-port" }?.text)
            if isAllowed {
                guard
                    case .accepted(let request) = try await client.browse(query)
                else {
                    Issue.record("rejected")
                    continue
                }
                // The code is sent to the named port, and can be redeemed for that URI only.
                let grant = try await client.grant(request, at: TestEnvironment.now)
                let redirect = try await client.redirect(
                    code: grant.code, for: request, at: TestEnvironment.now)
                #expect(redirect.url.hasPrefix("http://127.0.0.1:51004/cb?code="))
            } else {
                await expectRejection("claim-rejected redirect_uri") {
                    _ = try await client.browse(query)
                }
            }
        }
    }

    @Test("a secret is accepted only by the client's registered method")
    func secretInForm() async throws {
        let env = try TestEnvironment(.openID)
        let started = try await env.party.start(AuthorizationRequest(), at: TestEnvironment.now)
        let basic = try await env.party.tokenRequest("c", started.session)
        var members = env.metadata.members
        members["token_endpoint_auth_methods_supported"] = ["client_secret_post"]
        let party = try TestEnvironment.party(
            .openID,
            TestEnvironment.read(members, .openID), keys: JWKSet(keys: []))
        let posted = try await party.tokenRequest("c", started.session)
        #expect(
            posted.authorization == nil
                && posted.parameters["client_secret"] == TestEnvironment.secret)
        #expect(basic.parameters["client_secret"] == nil && basic.authorization != nil)

        var registration = TestEnvironment.registration()
        for sendsInForm in [false, true] {
            registration.sendsSecretInForm = sendsInForm
            let client = try env.provider.client(registration, keys: PublicJWKSet(keys: []))
            func receive(_ request: TokenRequest, _ body: String? = nil) async throws {
                _ = try await client.receiveTokenRequest(
                    body ?? request.body, authorization: request.authorization,
                    at: TestEnvironment.now)
            }
            try await receive(sendsInForm ? posted : basic)
            let error = await expectRejection("claim-rejected client_secret") {
                try await receive(sendsInForm ? basic : posted)
            }
            let wanted = sendsInForm ? "client_secret_post" : "client_secret_basic"
            #expect(error?.message.contains(wanted) == true, "\(String(describing: error))")
            guard sendsInForm else { continue }
            for (name, value) in [
                ("client_secret", "other"), ("client_secret", nil),
                ("client_secret", TestEnvironment.secret + "x"),
            ] as [(String, String?)] {
                let body = try changed(posted.body, [name: value])
                await expectRejection("claim-rejected client_secret") {
                    try await receive(posted, body)
                }
            }
        }
        // Both methods at once, and a profile without this option.
        await expectRejection("malformed") {
            _ = try await env.client.receiveTokenRequest(
                posted.body, authorization: basic.authorization,
                at: TestEnvironment.now)
        }
        await expectRule("client.allowsSecretInForm") {
            _ = try TestEnvironment(.signicatMobileID).provider.client(
                registration, keys: PublicJWKSet(keys: []))
        }
        members["token_endpoint_auth_methods_supported"] = [
            "client_secret_post", "client_secret_basic",
        ]
        let both = try TestEnvironment.read(members, .openID)
        let choosing = try TestEnvironment.party(.openID, both, keys: JWKSet(keys: []))
        let request = try await choosing.tokenRequest(
            code: "c", for: started.session, at: TestEnvironment.now)
        #expect(request.authorization != nil && request.parameters["client_secret"] == nil)
    }

    @Test("a logout token without typ or exp is accepted once, with iat within the bound")
    func logout() async throws {
        let env = try TestEnvironment(.openID.with { $0.logout = .withoutTypeOrExpiration })
        let good: [String: JSONValue] = [
            "iss": .string(TestEnvironment.issuer), "aud": .string(TestEnvironment.clientID),
            "jti": "j",
            "iat": .now(), "sub": "user-1",
            "events": .object([LogoutTokenTests.event: .object([:])]),
        ]
        func read(
            _ claims: [String: JSONValue], _ type: String? = nil, after seconds: Int = 0,
            _ store: MemoryReplayStore = MemoryReplayStore()
        ) async throws {
            _ = try await env.party.verifyLogout(
                form: "logout_token=" + env.sealed(claims, .signed, type: type), once: store,
                at: TestEnvironment.at(seconds))
        }
        for type in [nil, "JWT", "logout+jwt", "application/logout+jwt"] {
            try await read(good, type)
        }
        for type in ["at+jwt", "secevent+jwt", "id_token", ""] {
            await expectRejection("claim-rejected typ", type) { try await read(good, type) }
        }
        // 300 seconds and the leeway of 60.
        try await read(good, after: 359)
        await expectRejection("claim-rejected iat") { try await read(good, after: 360) }
        await expectRejection("claim-rejected iat") { try await read(good, after: -61) }
        // It is kept at least as long as it is accepted.
        let store = MemoryReplayStore()
        try await read(good, after: 0, store)
        for seconds in [0, 359] {
            await expectRejection("replayed") { try await read(good, after: seconds, store) }
        }
        for (name, value, expected) in [
            ("jti", nil, "jti"), ("jti", "", "jti"), ("jti", .null, "jti"), ("iat", nil, "iat"),
            ("iat", .null, "iat"), ("exp", .null, "exp"), ("exp", .now(-60), "exp"),
            ("exp", .now(601), "exp"), ("nonce", "n", "nonce"),
            ("nonce", .null, "nonce"), ("events", nil, "events"), ("events", [:], "events"),
            ("events", ["http://schemas.openid.net/event/other": [:]], "events"),
            ("sub", nil, "sub"), ("aud", "client-2", "aud"), ("iss", "https://o.example", "iss"),
        ] as [(String, JSONValue?, String)] {
            let claims = good.with([name: value])
            await expectRejection("claim-rejected \(expected)", "\(name)") {
                try await read(claims)
            }
        }
        // An ID Token and a UserInfo response of the same provider, which have no typ either.
        let login = try await Login(env)
        await expectRejection("claim-rejected events") {
            let claims = login.goodClaims.with(["nonce": nil, "jti": "j"])
            try await read(claims)
        }
        // Our own tokens still follow the specification.
        let responses = try await env.client.tokenIssuer()
        let made = try responses.logoutToken(subject: "user-1", at: TestEnvironment.now)
        let strict = try TestEnvironment(.openID).party
        _ = try await strict.verifyLogout(
            form: "logout_token=" + made, once: MemoryReplayStore(), at: TestEnvironment.now)
    }

    @Test("the maximum age of a logout token is 1 to 86400 seconds")
    func logoutNumbers() async throws {
        for seconds in [0, -1, 86_401] {
            var profile = OpenIDProfile.openID
            profile.logout.maxAge = .seconds(seconds)
            await expectRule("logout.maxAge") { _ = try TestEnvironment(profile) }
        }
    }

    @Test(
        "an error without state is accepted in every response mode, a code or other issuer is not")
    func unauthenticatedErrors() async throws {
        let error = "error=invalid_request_object&error_description=%3Cb%3Eno%3C%2Fb%3E"
        for profile in [OpenIDProfile.openID, .itsme2, .netsEIDBroker] {
            let login = try await Login(TestEnvironment(profile))
            let session = login.started.session
            func response(_ query: String) async throws -> AuthorizationResponse {
                try await login.env.party.authorizationResponse(
                    query: query, for: session, at: TestEnvironment.now)
            }
            // Also if form_post was requested: a provider that cannot read the request does not
            // know.
            for query in [error, error + "&state=", error + "&iss=https%3A%2F%2Fidp.example%2Fv2"] {
                let read = try await response(query)
                guard case .unauthenticatedError(let failure) = read else {
                    Issue.record("\(query)")
                    continue
                }
                #expect(failure.code == .invalidRequestObject && !failure.isAuthenticated)
                #expect(failure.description == "<b>no</b>")
                #expect(throws: failure) { try read.code() }
                // The value differs from the provider's error for this request.
                var authenticated = AuthorizationError(failure.code)
                authenticated.description = failure.description
                #expect(read != .error(authenticated) && failure != authenticated)
            }
            for bad in [
                error + "&state=other", error + "&iss=https%3A%2F%2Fevil.example",
                error + "&code=c", error + "&response=x", "error=a%0A", "error=", "",
                "code=c", "iss=https%3A%2F%2Fidp.example%2Fv2",
            ] {
                await #expect(throws: JOSEError.self, "\(bad)") { _ = try await response(bad) }
            }
            // The session continues: the response with state is accepted as before.
            let state = "&state=" + session.state
            let back =
                await session.responseMode.carrier == .form
                ? try login.env.party.authorizationResponse(form: "code=c" + state, for: session)
                : try response("code=c" + state)
            #expect(back == .code("c"))
        }
    }

    @Test("an error page shows a fixed text for each code, and nothing from the other side")
    func pages() throws {
        let hostile = try OAuthErrorCode(name: "<script>alert(1)</script>")
        #expect(hostile.pageText == "The sign-in failed. Please try again.")
        #expect(try OAuthErrorCode(name: "access_denied").pageText.contains("cancelled"))
        for code in [OAuthErrorCode.invalidRequestObject, .serverError, .interactionRequired] {
            #expect(!code.pageText.contains(code.name))
        }
    }

    @Test("a ? at the end of an endpoint URL is not an empty parameter")
    func questionMark() async throws {
        for (endpoint, start) in [
            ("https://idp.example/a", "https://idp.example/a?"),
            ("https://idp.example/a?", "https://idp.example/a?"),
            ("https://idp.example/a?b=c", "https://idp.example/a?b=c&"),
            ("https://idp.example/a?b=c&", "https://idp.example/a?b=c&"),
        ] {
            var members = try TestEnvironment.metadata(.openID).members
            members["authorization_endpoint"] = .string(endpoint)
            members["token_endpoint"] = "https://idp.example/t?"
            let metadata = try TestEnvironment.read(members, .openID)
            let party = try TestEnvironment.party(
                .openID, metadata, keys: JWKSet(keys: []), secret: ClientSecret("s"))
            let started = try await party.start(AuthorizationRequest(), at: TestEnvironment.now)
            #expect(started.url.hasPrefix(start), "\(started.url)")
            #expect(!started.url.dropFirst(start.count).hasPrefix("&"))
        }
    }

    @Test("an ignored endpoint is unused and reported, and an error if the flow needs it")
    func ignored() async throws {
        var members = try TestEnvironment.metadata(.openID).members
        members["userinfo_endpoint"] = ""
        members["pushed_authorization_request_endpoint"] = "http://idp.example/par"
        members["x\u{202e}_endpoint"] = "x"
        let text = try jsonText(members)
        let metadata = try ProviderMetadata(
            json: text, issuer: TestEnvironment.issuer, profile: .openID)
        #expect(metadata.userInfoEndpoint == nil && metadata.pushedRequestEndpoint == nil)
        #expect(metadata["pushed_authorization_request_endpoint"] == nil)
        #expect(metadata.ignored.count == 3)
        for ignored in metadata.ignored {
            #expect(ignored.description.utf8.allSatisfy { 0x20...0x7e ~= $0 })
        }
        let party = try TestEnvironment.party(
            .openID, metadata, keys: JWKSet(keys: []), secret: ClientSecret("s"))
        await expectRule("no userinfo_endpoint") {
            _ = try await party.userInfoRequest(accessToken: "at")
        }
        await expectRule("no pushed_authorization_request_endpoint") {
            _ = try await party.push(AuthorizationRequest())
        }
        var profile = OpenIDProfile.openID
        profile.userInfo.layers = .signed
        await expectRejection("claim-rejected userinfo_endpoint") {
            _ = try ProviderMetadata(json: text, issuer: TestEnvironment.issuer, profile: profile)
        }
        profile = .openID
        profile.pushedRequests.isRequired = true
        await expectRejection("claim-rejected pushed_authorization_request_endpoint") {
            _ = try ProviderMetadata(json: text, issuer: TestEnvironment.issuer, profile: profile)
        }
        // Our own document is not repaired.
        for bad: JSONValue in ["", "http://idp.example/x", .null, 1] {
            await expectRejection("claim-rejected end_session_endpoint", "\(bad)") {
                _ = try TestEnvironment.metadata(.openID, ["end_session_endpoint": bad])
            }
        }
    }
}
