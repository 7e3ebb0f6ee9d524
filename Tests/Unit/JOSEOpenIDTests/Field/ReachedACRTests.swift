// The acr states what the user reached and never what the client requested, on both sides (OpenID
// Connect Core 1.0, 3.1.2.1 and 5.5.1.1).

import JOSE
import JOSEOpenID
import Testing

@Suite("Reached acr")
struct ReachedACRTests {
    private static let name = "user-1-of-32-characters-in-total"

    private func user(_ acr: String?, age: Int64 = 5) -> UserAuthentication {
        UserAuthentication(subject: Self.name, time: TestEnvironment.at(-age), acr: acr)
    }

    /// The request of a client with these parameters.
    private func receive(
        _ parameters: [String: String], _ profile: OpenIDProfile = .openID
    ) async throws -> (TestEnvironment, ReceivedAuthorization) {
        let env = try TestEnvironment(profile)
        let request = try await env.browse(parameters).accepted()
        return (env, request)
    }

    private static func essential(_ members: String) -> [String: String] {
        ["claims": #"{"id_token":{"acr":{"essential":true,\#(members)}}}"#]
    }

    // MARK: The provider

    @Test("an essential acr that the user did not reach is rejected before a code is issued")
    func unmet() async throws {
        for members in [
            #""value":"the moon""#, #""values":["the moon","the sun"]"#, #""value":["the moon"]"#,
        ] {
            let (env, request) = try await receive(Self.essential(members))
            for acr in [nil, "", "0", "low", "The moon", "the moon "] as [String?] {
                let error = try need(
                    try env.client.unmetRequirements(
                        by: user(acr), for: request, at: TestEnvironment.now))
                #expect(error.code == .unmetAuthenticationRequirements)
                let redirect = try await env.client.redirect(error: error, for: request)
                #expect(redirect.parameters["error"] == "unmet_authentication_requirements")
                #expect(redirect.parameters["state"] == request.state)
                await expectRejection("misuse") {
                    _ = try await env.client.tokenIssuer().idToken(
                        for: request, user(acr), at: TestEnvironment.now)
                }
            }
            #expect(
                try env.client.unmetRequirements(
                    by: user("the moon"), for: request, at: TestEnvironment.now) == nil)
        }
    }

    @Test("an essential acr without a value must be present with any value")
    func anyValue() async throws {
        let (env, request) = try await receive([
            "claims": #"{"id_token":{"acr":{"essential":true}}}"#
        ])
        #expect(
            try env.client.unmetRequirements(by: user(nil), for: request, at: TestEnvironment.now)?
                .code
                == .unmetAuthenticationRequirements)
        #expect(
            try env.client.unmetRequirements(by: user("0"), for: request, at: TestEnvironment.now)
                == nil)
    }

    @Test("voluntary values are not required, and an ID Token states the reached acr")
    func voluntary() async throws {
        var ordered = OpenIDProfile.openID
        ordered.authorization.acr.weakestFirst = ["low", "high"]
        for parameters in [
            ["acr_values": "high"], ["claims": #"{"id_token":{"acr":{"values":["high"]}}}"#],
        ] {
            for profile in [OpenIDProfile.openID, ordered] {
                let (env, request) = try await receive(parameters, profile)
                #expect(request.acrValues == ["high"])
                for acr in ["low", "high", nil] {
                    #expect(
                        try env.client.unmetRequirements(
                            by: user(acr), for: request, at: TestEnvironment.now) == nil)
                }
            }
        }
    }

    @Test("with an order the essential value is the minimum")
    func order() async throws {
        var profile = OpenIDProfile.openID
        profile.authorization.acr.weakestFirst = ["low", "middle", "high"]
        let (env, request) = try await receive(Self.essential(#""value":"middle""#), profile)
        for (acr, isEnough) in [("low", false), (nil, false), ("middle", true), ("high", true)]
            as [(String?, Bool)]
        {
            let error = try env.client.unmetRequirements(
                by: user(acr), for: request, at: TestEnvironment.now)
            #expect((error == nil) == isEnough, "\(acr ?? "none")")
        }
        await expectRule("does not define") {
            _ = try env.client.unmetRequirements(
                by: user("the moon"), for: request, at: TestEnvironment.now)
        }
    }

    @Test("another user and an old authentication are login_required") func login() async throws {
        let (env, request) = try await receive([
            "max_age": "60", "claims": #"{"id_token":{"sub":{"value":"\#(Self.name)"}}}"#,
        ])
        func code(_ user: UserAuthentication) throws -> OAuthErrorCode? {
            try env.client.unmetRequirements(by: user, for: request, at: TestEnvironment.now)?.code
        }
        #expect(try code(user(nil)) == nil)
        #expect(try code(user(nil, age: 3_600)) == .loginRequired)
        var other = user(nil)
        other.subject = "another"
        #expect(try code(other) == .loginRequired)
        await expectRule("future") { _ = try code(user(nil, age: -3_600)) }
        await expectRule("auth_time") { _ = try code(UserAuthentication(subject: Self.name)) }
        let stranger = try env.provider.client(TestEnvironment.registration("another-client"))
        await expectRule("another client") {
            _ = try stranger.unmetRequirements(by: user(nil), for: request, at: TestEnvironment.now)
        }
    }

    @Test("a sufficient acr leads to an ID Token, an insufficient one to an error")
    func agreement() async throws {
        for profile in TestEnvironment.all {
            let login = try await Login(TestEnvironment(profile))
            for acr in [nil, "the moon"] + profile.authorization.acr.weakestFirst {
                var user = login.user
                user.acr = acr
                var isEnough = false
                do {
                    isEnough =
                        try login.env.client.unmetRequirements(
                            by: user, for: login.received, at: TestEnvironment.now) == nil
                } catch {
                    #expect(error.code == .misuse)
                }
                let token = try? await login.idToken(user: user)
                #expect((token != nil) == isEnough, "\(profile.name) \(acr ?? "none")")
            }
        }
    }

    @Test("a user without a browser who reached too weak an acr did not consent")
    func backchannel() async throws {
        var profile = OpenIDProfile.openIDWithAssertion
        profile.authorization.acr.weakestFirst = ["low", "high"]
        profile.authorization.acr.providerRejectsUnmetVoluntary = true
        let sides = try BackchannelEnvironment(profile)
        var request = sides.request
        request.acrValues = ["high"]
        let pending = try await sides.waiting(request).pending
        for acr in ["low", nil] {
            let error = try sides.client.unmetRequirements(
                by: user(acr), for: pending.request, at: TestEnvironment.now)
            #expect(error?.code == .unmetAuthenticationRequirements)
        }
        #expect(
            try sides.client.unmetRequirements(
                by: user("high"), for: pending.request, at: TestEnvironment.now) == nil)
        // The page's provider treats this approval as a denial.
        for (acr, code) in [("low", OAuthErrorCode.accessDenied), ("high", nil)] {
            let logins = DeviceLogins(sides.client)
            let sent = try await sides.send(request, at: .now)
            let response = try await logins.receive(sent.request.body, nil)
            let wait = try sent.accepted(BackchannelResponse(json: response.body))
            try await logins.decide(
                wait.requestID, UserAuthentication(subject: Self.name, acr: acr))
            let poll = try await sides.env.party.tokenRequest(for: wait)
            let reply = try await logins.token(poll.body, nil, []) { _ in "access-1" }
            #expect(try (reply.status == 200 ? nil : TokenError(response: reply).code) == code)
        }
    }

    // MARK: The relying party

    private func party(_ allows: Bool, _ order: [String] = []) -> OpenIDProfile {
        var profile = OpenIDProfile.openID
        profile.authorization.acr.weakestFirst = order
        profile.authorization.acr.relyingPartyAcceptsUnmetVoluntary = allows
        return profile
    }

    private static let wishes: [AuthorizationRequest] = {
        var byClaims = AuthorizationRequest()
        byClaims.claims = ClaimsRequest(idToken: ["acr": .values(["high"])])
        var byValue = AuthorizationRequest()
        byValue.claims = ClaimsRequest(idToken: ["acr": .value("high")])
        var both = AuthorizationRequest(acrValues: ["high"])
        both.claims = ClaimsRequest(idToken: ["acr": .value("high")])
        return [AuthorizationRequest(acrValues: ["high"]), byClaims, byValue, both]
    }()

    @Test("a party that allows it accepts a weaker voluntary acr and can read it")
    func allowed() async throws {
        for request in Self.wishes {
            for order in [[], ["low", "high"]] {
                let login = try await Login(TestEnvironment(party(true, order)), request)
                for acr in ["low", "high", nil] {
                    let token = try await login.idToken(acr: acr)
                    #expect(try await login.open(token).acr == acr)
                }
            }
        }
    }

    @Test("by default a weaker voluntary acr is rejected, and the error names the option")
    func rejected() async throws {
        for request in Self.wishes {
            for order in [[], ["low", "high"]] {
                let login = try await Login(TestEnvironment(party(false, order)), request)
                for acr in ["low", nil] {
                    let token = try await login.idToken(acr: acr)
                    let error = await expectRejection("claim-rejected acr") {
                        _ = try await login.open(token)
                    }
                    let option = "authorization.acr.relyingPartyAcceptsUnmetVoluntary"
                    #expect(error?.message.contains(option) == true)
                }
            }
        }
    }

    @Test("an essential acr is always enforced, and its error names no option")
    func essential() async throws {
        var request = AuthorizationRequest(acrValues: ["low"])
        request.claims = ClaimsRequest(
            idToken: ["acr": ClaimsRequest.ClaimRequest(isEssential: true, value: "high")])
        let login = try await Login(TestEnvironment(party(true, ["low", "high"])), request)
        for acr in ["low", nil] {
            let claims = login.goodClaims.with(["acr": acr.map(JSONValue.string)])
            let error = await expectRejection("claim-rejected acr") {
                _ = try await login.open(try login.forged(claims))
            }
            #expect(error?.message.contains("relyingPartyAcceptsUnmetVoluntary") == false)
        }
        // A value that the profile does not define cannot be compared.
        let claims = login.goodClaims.with(["acr": "the moon"])
        await expectRejection("claim-rejected acr") {
            _ = try await login.open(try login.forged(claims))
        }
        #expect(try await login.open(login.forged(login.goodClaims)).acr == "high")
    }
}
