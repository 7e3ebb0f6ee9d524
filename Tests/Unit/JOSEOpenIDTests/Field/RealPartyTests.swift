// Behaviour of real providers and relying parties: response modes, voluntary acr, secrets in the
// form.

import Foundation
import JOSE
import JOSEOpenID
import Testing

@Suite("Real providers and relying parties")
struct RealPartyTests {
    // MARK: response_mode

    /// A relying party at a provider with these response modes in its metadata. Nil for no list.
    private func party(
        _ profile: OpenIDProfile, modes: JSONValue?
    ) throws -> RelyingParty {
        var members = try TestEnvironment.metadata(profile).members
        members["response_modes_supported"] = modes
        return try TestEnvironment.party(
            profile,
            TestEnvironment.read(members, profile))
    }

    private func mode(_ started: AuthorizationStart) throws -> String? {
        try urlParameters(started.url)["response_mode"]
    }

    @Test(
        "form_post is requested if the metadata list it, otherwise query is used",
        arguments: [
            (["query", "form_post"], true), (["form_post"], true), (["query", "fragment"], false),
            ([], false), (["Form_post", "form_post "], false), (nil, false), (.null, false),
            ("form_post", false), ([["form_post"]], false),
        ] as [(JSONValue?, Bool)])
    func formPost(_ modes: JSONValue?, isListed: Bool) async throws {
        var profile = OpenIDProfile.openID
        profile.authorization.defaultResponseMode = .formPost
        let party = try party(profile, modes: modes)
        let started = try await party.start(AuthorizationRequest(), at: TestEnvironment.now)
        #expect(try mode(started) == (isListed ? "form_post" : nil))
        let session = started.session
        #expect(session.responseMode == (isListed ? .formPost : .query))
        // Only the requested response mode is accepted.
        let response = "code=c&state=" + session.state
        if isListed {
            #expect(
                try await party.authorizationResponse(form: response, for: session) == .code("c"))
            await #expect(throws: JOSEError.self) {
                try await party.authorizationResponse(query: response, for: session)
            }
        } else {
            #expect(
                try await party.authorizationResponse(query: response, for: session) == .code("c"))
            await #expect(throws: JOSEError.self) {
                try await party.authorizationResponse(form: response, for: session)
            }
        }
    }

    @Test("a guide that requires form_post ignores the metadata's list")
    func fixed() async throws {
        for modes: JSONValue? in [nil, ["query"], ["form_post"]] {
            let party = try party(.netsEIDBroker, modes: modes)
            let started = try await party.start(AuthorizationRequest(), at: TestEnvironment.now)
            #expect(started.session.responseMode == .formPost)
        }
        #expect(!OpenIDProfile.openID.authorization.fixesResponseMode)
    }

    @Test("a signed response mode never falls back to an unsigned one")
    func signed() async throws {
        for mode in [ResponseMode.jwt, .queryJWT, .formPostJWT] {
            var profile = OpenIDProfile.openID
            profile.authorization.responseModes = [.query, .formPost, mode]
            profile.authorization.defaultResponseMode = mode
            for modes: JSONValue in [["query", "form_post"], []] {
                let error = await expectRejection("claim-rejected response_modes_supported") {
                    _ = try await party(profile, modes: modes).start(AuthorizationRequest())
                }
                #expect(error?.message.contains(mode.rawValue) == true)
            }
            let started = try await party(profile, modes: nil).start(AuthorizationRequest())
            #expect(started.session.responseMode == mode)
        }
    }

    @Test("a requested response mode is never replaced: missing metadata support is an error")
    func named() async throws {
        var request = AuthorizationRequest()
        request.responseMode = .formPost
        let error = await expectRejection("claim-rejected response_modes_supported") {
            _ = try await party(.openID, modes: ["query"]).start(request)
        }
        #expect(error?.message.contains("form_post") == true)
        for modes: JSONValue? in [nil, ["form_post"]] {
            let started = try await party(.openID, modes: modes).start(request)
            #expect(started.session.responseMode == .formPost)
        }
    }

    @Test("if a profile has no query mode, form_post is requested or the metadata are rejected")
    func withoutQuery() async throws {
        var profile = OpenIDProfile.openID
        profile.authorization.responseModes = [.formPost]
        profile.authorization.defaultResponseMode = .formPost
        await expectRejection("claim-rejected response_modes_supported") {
            _ = try await party(profile, modes: ["query"]).start(AuthorizationRequest())
        }
        let started = try await party(profile, modes: nil).start(AuthorizationRequest())
        #expect(started.session.responseMode == .formPost)
    }

    // MARK: acr

    /// The provider's result for a request of another library's client.
    private func receive(
        _ parameters: [String: String], _ profile: OpenIDProfile = .openID
    ) async throws -> (TestEnvironment, AuthorizationResult) {
        let env = try TestEnvironment(profile)
        return (env, try await env.browse(parameters))
    }

    private func token(
        _ env: TestEnvironment, _ request: ReceivedAuthorization, _ acr: String?
    ) async throws -> String? {
        let user = UserAuthentication(
            subject: TestEnvironment.subject, time: TestEnvironment.now, acr: acr)
        let text = try await env.client.tokenIssuer().idToken(
            for: request, user, at: TestEnvironment.now)
        let parts = text.split(separator: ".")
        let claims = try need(Base64URLText.decode(need(parts.dropFirst().first)))
        return try JSONDecoder().decode(JSONValue.self, from: Data(claims))["acr"]?.string
    }

    static let wishes: [[String: String]] = [
        ["acr_values": "gold"], ["acr_values": "gold silver"],
        ["claims": #"{"id_token":{"acr":null}}"#],
        ["claims": #"{"id_token":{"acr":{"value":"gold"}}}"#],
        ["claims": #"{"id_token":{"acr":{"values":["gold","silver"]}}}"#],
        ["claims": #"{"id_token":{"acr":{"essential":false,"value":"gold"}}}"#],
        ["claims": #"{"userinfo":{"acr":{"essential":true,"value":"gold"}}}"#],
        ["acr_values": "gold", "claims": #"{"id_token":{"acr":{"value":"platinum"}}}"#],
        ["acr_values": "phr phrh 2", "claims": #"{"id_token":{"acr":{"values":["x"]}}}"#],
    ]

    @Test(
        "a voluntary acr never fails a request, and the token states what was reached",
        arguments: wishes)
    func voluntary(_ parameters: [String: String]) async throws {
        let (env, verdict) = try await receive(parameters)
        let request = try verdict.accepted()
        #expect(try env.client.acr(for: request) == nil)
        for acr in ["gold", "bronze", "0", nil] {
            #expect(try await token(env, request, acr) == acr)
        }
    }

    @Test("an essential acr must be reached, whatever acr_values request")
    func essential() async throws {
        for acrValues in ["", "bronze", "gold"] {
            var parameters = [
                "claims": #"{"id_token":{"acr":{"essential":true,"values":["gold","silver"]}}}"#
            ]
            if !acrValues.isEmpty { parameters["acr_values"] = acrValues }
            let (env, verdict) = try await receive(parameters)
            let request = try verdict.accepted()
            #expect(try env.client.acr(for: request) == "gold")
            #expect(try await token(env, request, "silver") == "silver")
            for acr in ["bronze", "Gold", nil] {
                await expectRule("does not satisfy") { _ = try await token(env, request, acr) }
            }
        }
    }

    @Test("guide presets keep their rule, and an order of values does not change Core's")
    func orders() async throws {
        for profile in TestEnvironment.all + [.fapi2, .fapi2MessageSigning] {
            let isGuide = !["openID", "fapi2", "fapi2MessageSigning"].contains(profile.name)
            let rule = profile.authorization.acr
            #expect(rule.providerRejectsUnmetVoluntary == isGuide, "\(profile)")
        }
        var profile = OpenIDProfile.openID
        profile.authorization.acr.weakestFirst = ["low", "high"]
        for parameters in [
            ["acr_values": "high"], ["claims": #"{"id_token":{"acr":{"value":"high"}}}"#],
            ["claims": #"{"id_token":{"acr":{"value":"unknown"}}}"#],
        ] {
            let (env, verdict) = try await receive(parameters, profile)
            let request = try verdict.accepted()
            #expect(try await token(env, request, "low") == "low")
            // The provider still states one of its own values.
            await expectRule("does not define") { _ = try await token(env, request, "gold") }
        }
        profile.authorization.acr.providerRejectsUnmetVoluntary = true
        let (env, verdict) = try await receive(["acr_values": "high"], profile)
        let request = try verdict.accepted()
        await expectRule("does not satisfy") { _ = try await token(env, request, "low") }
        let claims = #"{"id_token":{"acr":{"essential":true,"value":"unknown"}}}"#
        profile.authorization.acr.providerRejectsUnmetVoluntary = false
        let rejected = try await receive(["claims": claims], profile).1.rejected()
        #expect(rejected.error.code == .unmetAuthenticationRequirements)
    }

    // MARK: client_secret_post

    @Test("a relying party registered for client_secret_post sends no HTTP Basic")
    func secretInForm() async throws {
        var profile = OpenIDProfile.openID
        profile.client.sendsSecretInForm = true
        for methods: JSONValue? in [
            nil, ["client_secret_post"], ["client_secret_basic", "client_secret_post"],
        ] {
            var members = try TestEnvironment.metadata(profile).members
            members["token_endpoint_auth_methods_supported"] = methods
            let party = try TestEnvironment.party(
                profile,
                TestEnvironment.read(members, profile), keys: JWKSet(keys: []))
            let started = try await party.start(AuthorizationRequest(), at: TestEnvironment.now)
            let request = try await party.tokenRequest("c", started.session)
            #expect(request.authorization == nil)
            #expect(request.parameters["client_secret"] == TestEnvironment.secret)
            #expect(request.parameters["client_id"] == TestEnvironment.clientID)
        }
        for methods: JSONValue in [["client_secret_basic"], ["private_key_jwt"], []] {
            let error = await expectRejection(
                "claim-rejected token_endpoint_auth_methods_supported"
            ) {
                _ = try TestEnvironment(
                    profile, additional: ["token_endpoint_auth_methods_supported": methods])
            }
            #expect(error?.message.contains("client_secret_post") == true)
        }
    }

    @Test("a client with assertions sends no secret, whatever the secret rule says")
    func assertion() async throws {
        let env = try TestEnvironment(.netsEIDBroker.with { $0.client.sendsSecretInForm = true })
        let started = try await env.party.start(AuthorizationRequest(), at: TestEnvironment.now)
        let request = try await env.party.tokenRequest("c", started.session)
        #expect(request.parameters["client_secret"] == nil && request.authorization == nil)
        #expect(request.parameters["client_assertion"] != nil)
        #expect(
            env.metadata.list("token_endpoint_auth_methods_supported") == ["private_key_jwt"])
    }

    @Test("a secret wrongly sent in the body is reported without details of the registration")
    func secretInBody() async throws {
        let env = try TestEnvironment(.openID)
        let started = try await env.party.start(AuthorizationRequest(), at: TestEnvironment.now)
        let request = try await env.party.tokenRequest("c", started.session)
        let secret = urlForm([
            "client_id": TestEnvironment.clientID, "client_secret": TestEnvironment.secret,
        ]).encoded
        for profile in [OpenIDProfile.openID, .netsEIDBroker] {
            let client = try TestEnvironment(profile).client
            let error = await expectRejection("claim-rejected client_secret") {
                _ = try await client.receiveTokenRequest(
                    request.body + "&" + secret, at: TestEnvironment.now)
            }
            #expect(error?.message.contains("came in the form; the client registered") == true)
            let response = try env.provider.error(rejecting: need(error))
            #expect(response.code == .invalidClient)
            #expect(response.description?.contains("client_secret came in the body") == true)
            #expect(try response.json().contains("registered") == false)
        }
        // The same for HTTP Basic if another method is registered.
        var inForm = TestEnvironment.registration()
        inForm.sendsSecretInForm = true
        for client in [
            try env.provider.client(inForm),
            try TestEnvironment(.netsEIDBroker).client,
        ] {
            do {
                _ = try await client.receive(request)
                Issue.record("accepted")
            } catch {
                #expect(error.message.contains("came by HTTP Basic; the client registered"))
                let response = env.provider.error(rejecting: error)
                #expect(response.code == .invalidClient)
                #expect(
                    response.description
                        == "the client used HTTP Basic and may not authenticate that way"
                )
            }
        }
        // A wrong or missing secret is not explained.
        for authorization in ["Basic Y2xpZW50LTE6eA==", nil] {
            let error = await expectRejection("claim-rejected client_secret") {
                _ = try await env.client.receiveTokenRequest(
                    request.body, authorization: authorization,
                    at: TestEnvironment.now)
            }
            #expect(try env.provider.error(rejecting: need(error)).description == nil)
        }
        // A pushed request gets the same error.
        let rejected = try await env.client.receivePushedRequest(
            query(started.url) + "&client_secret=x", at: TestEnvironment.now
        ).rejected()
        #expect(rejected.error.code == .invalidClient)
        #expect(rejected.error.description?.contains("client_secret came in the body") == true)
    }

    // MARK: Metadata and errors

    @Test("scopes_supported lists the scopes that request claims, and no forbidden one")
    func scopes() throws {
        #expect(
            try TestEnvironment.metadata(.openID).list("scopes_supported")
                == ["openid", "address", "email", "phone", "profile"])
        var profile = OpenIDProfile.openID
        profile.authorization.forbiddenScopes = ["phone"]
        profile.userInfo.scopeClaims["groups"] = ["groups"]
        profile.userInfo.scopeClaims["empty"] = []
        #expect(
            try TestEnvironment.metadata(profile).list("scopes_supported")
                == ["openid", "address", "email", "groups", "profile"])
        profile.authorization.optionalScopes = ["email", "openid"]
        #expect(
            try TestEnvironment.metadata(profile).list("scopes_supported") == ["openid", "email"])
    }

    @Test("errors name the expected metadata value and not the document's value")
    func namedValues() async throws {
        for (member, value, said) in [
            ("id_token_signing_alg_values_supported", ["ES512"], "does not list RS256"),
            ("id_token_signing_alg_values_supported", nil, "it is missing"),
            ("id_token_signing_alg_values_supported", "RS256", "not an array"),
            (
                "token_endpoint_auth_methods_supported", ["tls_client_auth"],
                "neither client_secret_basic nor client_secret_post"
            ),
            ("code_challenge_methods_supported", ["plain"], "does not list S256"),
            ("response_types_supported", ["id_token"], "does not list code"),
            ("subject_types_supported", ["x"], "neither public nor pairwise"),
            ("token_endpoint", "http://idp.example/t", "https URL"),
            ("token_endpoint", nil, "it is missing"),
        ] as [(String, JSONValue?, String)] {
            var members = try TestEnvironment.metadata(.openID).members
            members[member] = value
            let text = try jsonText(members)
            let error = await expectRejection("claim-rejected \(member)") {
                _ = try ProviderMetadata(
                    json: text, issuer: TestEnvironment.issuer, profile: .openID)
            }
            let message = error?.message ?? ""
            #expect(message.contains(said), "\(message)")
            #expect(!message.contains("ES512") && !message.contains("tls_client_auth"))
        }
    }

    @Test("a UserInfo response of the wrong media type names both types")
    func mediaTypes() async throws {
        let plain = try await Login(TestEnvironment(.openID))
        let idToken = try await plain.open(plain.forged(plain.goodClaims))
        for (type, said) in [
            ("application/jwt", "is application/jwt, not application/json (userInfo.layers)"),
            ("Application/JWT; charset=x", "is application/jwt, not application/json"),
            ("text/html", "is not application/json"),
        ] {
            let error = await expectRejection("malformed", type) {
                _ = try await plain.env.party.verifyUserInfo(
                    #"{"sub":"x"}"#, for: idToken, contentType: type, at: TestEnvironment.now)
            }
            #expect(error?.message.contains(said) == true, "\(error?.message ?? "")")
        }
    }

    @Test("a client error about an unsupported mode names no member of the library")
    func modes() async throws {
        var profile = OpenIDProfile.openID
        profile.authorization.responseModes = [.query, .jwt, .queryJWT]
        let (_, verdict) = try await receive(["response_mode": "form_post"], profile)
        let rejected = try verdict.rejected()
        let text = rejected.error.description ?? ""
        #expect(text.contains("does not support this response_mode") && !text.contains("("))
    }
}
