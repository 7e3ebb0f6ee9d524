// The session matches the sent request, and a relying party accepts what our provider writes.

import JOSE
import JOSEOpenID
import Testing

@Suite("Requested parameters and claims")
struct RequestedTests {
    @Test(
        "an additional parameter must not be one that the library sets",
        arguments: [
            "response_type", "client_id", "scope", "redirect_uri", "state", "nonce",
            "response_mode", "code_challenge", "code_challenge_method", "acr_values", "prompt",
            "display", "max_age", "ui_locales", "login_hint", "claims", "idp_params", "request",
            "request_uri", "iss", "sub", "aud", "exp", "nbf", "iat", "jti",
        ])
    func additional(_ name: String) async throws {
        var request = AuthorizationRequest()
        let env = try TestEnvironment(.openID.with { $0.authorization.requiresPKCE = false })
        for value in ["0", "high", #"{"id_token":{"acr":{"value":"high"}}}"#, ""] {
            request.additional = [OpenIDParameter(name, value)]
            for usesPKCE in [false, true] {
                request.usesPKCE = usesPKCE
                await expectRule("additional") {
                    _ = try await env.party.start(request, at: .testNow)
                }
            }
        }
    }

    @Test("other additional parameters are sent") func others() async throws {
        var request = AuthorizationRequest()
        request.additional = [OpenIDParameter("id_token_hint", "x"), OpenIDParameter("own", "y")]
        let url = try await TestEnvironment(.openID).party.start(request, at: .testNow).url
        let parameters = try urlParameters(url)
        #expect(parameters["id_token_hint"] == "x" && parameters["own"] == "y")
    }

    @Test("a requested acr claim is satisfied, or no token is issued")
    func acrValues() async throws {
        for demand in [
            ClaimsRequest.ClaimRequest.value("gold"), .values(["gold", "silver"]),
        ] {
            var request = AuthorizationRequest()
            request.claims = ClaimsRequest(idToken: ["acr": demand])
            let login = try await Login(TestEnvironment(.bindingVoluntary), request)
            #expect(login.started.session.acrValues == login.received.acrValues)
            #expect(login.received.acrValues.first == "gold")
            var user = login.user
            for acr in ["bronze", nil] {
                user.acr = acr
                await expectRule("acr does not satisfy") { _ = try await login.idToken(user: user) }
            }
            user.acr = "gold"
            _ = try await login.open(await login.idToken(user: user))
        }
        // Space-separated values in one string are several for both sides.
        let joined = AuthorizationRequest(acrValues: ["gold silver"])
        let login = try await Login(TestEnvironment(.openID), joined)
        #expect(login.started.session.acrValues == ["gold", "silver"])
        #expect(login.received.acrValues == ["gold", "silver"])
    }

    @Test("an acr that the provider does not support is not requested by a claim either")
    func unknown() async throws {
        let env = try TestEnvironment(.itsme1)
        await expectRule("does not support the acr") {
            _ = try await env.start { $0.claims = ClaimsRequest(idToken: ["acr": .value("tag:x")]) }
        }
    }

    @Test("a time that the reader would reject is not written") func times() async throws {
        var request = AuthorizationRequest()
        request.maxAge = .seconds(100)
        let login = try await Login(TestEnvironment(.openID), request)
        for (age, rule) in [
            (0, nil), (160, nil), (161, "too long ago"), (-60, nil), (-61, "in the future"),
        ] as [(Int64, String?)] {
            var user = login.user
            user.time = TestEnvironment.at(-age)
            guard let rule else {
                _ = try await login.open(await login.idToken(user: user))
                continue
            }
            let time = user.time
            await expectRule(rule) {
                var user = login.user
                user.time = time
                _ = try await login.idToken(user: user)
            }
        }
    }
}
