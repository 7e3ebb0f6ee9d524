// Parameters that itsme ignores have no effect, in the query and in a signed object.

import JOSE
import JOSEOpenID
import Testing

@Suite("Ignored parameters of itsme")
struct EffectiveParameterTests {
    static let all = [OpenIDProfile.itsme0, .itsme1, .itsme2]

    private func received(_ env: TestEnvironment, _ parameters: [OpenIDParameter]) async throws
        -> ReceivedAuthorization
    { try await env.client.browse(parameters).accepted() }

    /// The parameters of the smallest request, and these.
    private func plain(_ env: TestEnvironment, _ more: KeyValuePairs<String, String> = [:])
        async throws -> [OpenIDParameter]
    { try await urlParameters(env.start().url).all + urlForm(more).all }

    /// The request with the additional `member` in the object and `beside` in the query.
    private func objects(
        _ env: TestEnvironment, _ name: String, _ member: JSONValue, beside: [OpenIDParameter] = []
    ) async throws -> [OpenIDParameter] {
        let parameters = try await plain(env)
        var members: [String: JSONValue] = [
            "iss": .clientID, "aud": .string(env.objectAudience), "exp": .now(300),
        ]
        for parameter in parameters { members[parameter.name] = .string(parameter.value) }
        members[name] = member
        let object = try env.partySealed(members, env.profile.requestObject.layers)
        return parameters + beside + [OpenIDParameter("request", object)]
    }

    @Test("any max_age is ignored, and an old authentication is accepted", arguments: all)
    func maxAge(_ profile: OpenIDProfile) async throws {
        let env = try TestEnvironment(profile)
        for value in ["1", "0", "-1", "x", "1.5", "99999999999999999999", "1 2", "٣"] {
            let request = try await received(env, plain(env, ["max_age": value]))
            #expect(request.maxAgeSeconds == nil && request.parameters["max_age"] == nil)
            let user = UserAuthentication(
                subject: TestEnvironment.subject, time: TestEnvironment.at(-100_000),
                acr: profile.authorization.acr.weakestFirst.first)
            _ = try await env.client.tokenIssuer().idToken(for: request, user, at: .testNow)
        }
        for value: JSONValue in [1, "x", -1, 1.5, .null, [], [1], ["a": 1], true, "a\nb"] {
            let request = try await received(
                env,
                objects(env, "max_age", value, beside: [OpenIDParameter("max_age", "2")]))
            #expect(request.maxAgeSeconds == nil)
        }
        await expectRule("ignores max_age") {
            _ = try await env.start { $0.maxAge = .seconds(1) }
        }
    }

    @Test(
        "login_hint: the literal of the guides is read, plus as space too, another is ignored",
        arguments: all)
    func hints(_ profile: OpenIDProfile) async throws {
        let env = try TestEnvironment(profile)
        // Unencoded, as the guides print it, the plus decodes as a space, which is assumed to be
        // their mistake.
        for text in ["32%2B123456789", "32+123456789", "32%20123456789"] {
            let good = try await OpenIDParameters(plain(env)).encoded
            let request = try await env.client.browse(good + "&login_hint=" + text).accepted()
            #expect(request.loginHints == ["32+123456789"])
        }
        let wrong = [
            "+123456789", "32123456789", "32+", "32+12a", "32+123456789+1", " 32+12345",
            "32 123456789 1", "32  123456789", "32 +123456789", "3232+123456789",
            "32+1234567890123456",
            "zoe@example.org", "+32 422010099", "३२+123456789",
        ]
        for hint in wrong {
            let outer = try await received(env, plain(env, ["login_hint": hint]))
            #expect(outer.loginHints.isEmpty, "\(hint)")
            let inner = try await received(
                env, objects(env, "login_hint", .string(hint)))
            #expect(inner.loginHints.isEmpty, "\(hint)")
            await expectRule("login_hint must be a telephone number") {
                _ = try await env.start { $0.loginHints = [hint] }
            }
        }
        // The signed object's value counts, and an invalid query value does not replace a missing
        // one.
        let signed = try await received(
            env,
            objects(
                env, "login_hint", "32 123456789",
                beside: [OpenIDParameter("login_hint", "32 123456789")]))
        #expect(signed.loginHints == ["32+123456789"] && signed.isSigned("login_hint"))
        // RFC 6749 3.1: a repeated parameter is rejected, whatever the values.
        for hints in [["32+123456789", "x"], ["32+123456789", "32+123456780"], ["x", "y"]] {
            await expectRejection("malformed") {
                _ = try await received(
                    env, plain(env) + hints.map { OpenIDParameter("login_hint", $0) })
            }
        }
    }

    @Test("without the profile's rule an invalid hint is rejected")
    func elsewhere() async throws {
        let env = try TestEnvironment(
            .openID.with { $0.authorization.loginHint.format = .telephone })
        await expectRejection("malformed") {
            _ = try await received(env, plain(env, ["login_hint": "x"]))
        }
    }

    @Test("unsupported parameters are removed", arguments: all)
    func gone(_ profile: OpenIDProfile) async throws {
        let env = try TestEnvironment(profile)
        for name in ["response_mode", "id_token_hint", "claims_locales"] {
            for value in ["form_post", "x", "fr nl"] {
                let request = try await received(env, plain(env, [name: value]))
                #expect(request.parameters[name] == nil && request.responseMode == .query)
            }
            for value: JSONValue in [1, "form_post", .null, ["a": []]] {
                let request = try await received(env, objects(env, name, value))
                #expect(request.parameters[name] == nil && request.responseMode == .query)
            }
        }
        // A rejection by redirect works in the query too.
        let rejected = try await env.client.browse(
            plain(env, ["response_mode": "form_post", "display": "popup"])
        ).rejected()
        #expect(rejected.redirect.responseMode == .query)
    }

    @Test("unknown values of ui_locales and scope are removed", arguments: all)
    func words(_ profile: OpenIDProfile) async throws {
        let env = try TestEnvironment(profile)
        for (text, kept) in [("it", nil), ("it fr", "fr"), ("nl  xx de", "nl de"), ("fr", "fr")] {
            let request = try await received(env, plain(env, ["ui_locales": text]))
            #expect(request.parameters["ui_locales"] == kept)
        }
        var parameters = try await plain(env).filter { $0.name != "scope" }
        parameters.append(OpenIDParameter("scope", "openid own service:LOGIN email OPENID"))
        let request = try await received(env, parameters)
        #expect(request.scopes == ["openid", "service:LOGIN", "email"])
        #expect(request.serviceCode == "LOGIN")
    }

    @Test("an unsupported display is not_implemented, in query and object", arguments: all)
    func display(_ profile: OpenIDProfile) async throws {
        let env = try TestEnvironment(profile)
        for value in ["popup", "touch", "wap", "PAGE", "page popup"] {
            for parameters in await [
                try plain(env, ["display": value]), try objects(env, "display", .string(value)),
            ] {
                let rejected = try await env.client.browse(parameters).rejected()
                #expect(rejected.error.code == .notImplemented)
            }
        }
        _ = try await received(env, plain(env, ["display": "page"]))
    }

    private static let service = "scope=openid%20service%3ALOGIN"

    /// A change of a valid query, and the returned error.
    private static let errors: [(String, String, OAuthErrorCode)] = [
        (service, "scope=openid", .notImplemented),
        (service, "scope=service%3ALOGIN", .notImplemented),
        (service, "scope=openid%20service%3A", .notImplemented),
        (service, "scope=profile", .notImplemented),
        (service, "scope=OpenID%20service%3ALOGIN", .notImplemented),
        (service, service + "&display=popup", .notImplemented),
        (service, service + "&display=PAGE", .notImplemented),
        (service, service + "&prompt=none", .interactionRequired),
        (service, service + "&prompt=login", .interactionRequired),
        (service, service + "&registration=%7B%7D", .registrationNotSupported),
        (service, service + "&request=x", .invalidRequestObject),
        ("response_type=code", "response_type=token", .unsupportedResponseType),
    ]

    @Test("each error that the guides name returns the sent state", arguments: all)
    func errors(_ profile: OpenIDProfile) async throws {
        let env = try TestEnvironment(profile)
        let started = try await env.start()
        let good = query(started.url)
        _ = try await env.client.browse(good).accepted()
        for (old, new, code) in Self.errors {
            let rejected = try await env.client.browse(good.replacing(old, with: new)).rejected()
            #expect(rejected.error.code == code, "\(new)")
            #expect(rejected.redirect.redirectURI == TestEnvironment.redirectURI, "\(new)")
            #expect(rejected.redirect.parameters["state"] == started.session.state, "\(new)")
            #expect(rejected.redirect.parameters["error"] == "\(code)", "\(new)")
        }
    }

    @Test(
        "every rejection has a description: the violated rule, or the meaning of its code",
        arguments: all
    )
    func descriptions(_ profile: OpenIDProfile) async throws {
        let env = try TestEnvironment(profile)
        for (name, value, code, text) in [
            ("display", "x", "not_implemented", "itsme supports display=page only"),
            ("request", "x", "invalid_request_object", "the request object is invalid"),
            ("prompt", "none", "interaction_required", "itsme supports prompt=consent only"),
        ] {
            let rejected = try await env.client.browse(plain(env, [name: value])).rejected()
            #expect(rejected.redirect.parameters["error"] == code)
            #expect(rejected.redirect.parameters["error_description"] == text)
            #expect(rejected.error.description == text)
        }
        let login = try await Login(env)
        for code in [
            OAuthErrorCode.accessDenied, .interactionRequired, .serverError,
            try OAuthErrorCode(name: "own"),
        ] {
            let response = try await env.client.redirect(
                error: AuthorizationError(code), for: login.received)
            #expect(response.parameters["error_description"]?.isEmpty == false)
            guard
                case .error(let read) = try login.started.session.response(
                    query(response.url), in: .query)
            else { throw Login.NoCode() }
            #expect(read.code == code && read.description != nil)
        }
        // A relying party reads an error without one.
        let bare = "error=access_denied&state=\(login.started.session.state)"
        #expect(
            try login.started.session.response(bare, in: .query)
                == .error(AuthorizationError(.accessDenied)))
    }

    @Test(
        "sub has exactly 32 characters, on both sides",
        arguments: [OpenIDProfile.itsme1, .itsme2])
    func subject(_ profile: OpenIDProfile) async throws {
        let login = try await Login(TestEnvironment(profile))
        for count in [0, 1, 31, 33, 64] {
            await expectRejection("claim-rejected sub") {
                _ = try await login.open(["sub": .string(String(repeating: "a", count: count))])
            }
            let user = UserAuthentication(
                subject: String(repeating: "a", count: count), time: TestEnvironment.now,
                acr: login.user.acr)
            await expectRule("sub must have") { _ = try await login.idToken(user: user) }
            await expectRule("sub must have") {
                _ = try await login.env.client.tokenIssuer().userInfo(
                    subject: user.subject, at: .testNow)
            }
        }
        #expect(try await login.open(await login.idToken()).subject.utf8.count == 32)
    }

    @Test(
        "acr is present if it was requested by any means, and may be absent otherwise",
        arguments: [OpenIDProfile.itsme1, .itsme2])
    func asked(_ profile: OpenIDProfile) async throws {
        let env = try TestEnvironment(profile)
        let basic = try need(profile.authorization.acr.weakestFirst.first)
        var byClaim = env.request
        byClaim.claims = ClaimsRequest(idToken: ["acr": .voluntary])
        var byWord = env.request
        byWord.acrValues = [basic]
        for (request, isRequested) in [(env.request, false), (byClaim, true), (byWord, true)] {
            let login = try await Login(env, request)
            let claims = login.goodClaims.with(["acr": nil])
            let user = TestEnvironment.user()
            if isRequested {
                await expectRejection("claim-rejected acr") {
                    _ = try await login.open(login.forged(claims))
                }
                await #expect(throws: JOSEError.self) { _ = try await login.idToken(user: user) }
            } else {
                #expect(try await login.open(login.forged(claims)).acr == nil)
                #expect(try await login.open(await login.idToken(user: user)).acr == nil)
                #expect(try env.client.acr(for: login.received) == basic)
            }
        }
    }
}
