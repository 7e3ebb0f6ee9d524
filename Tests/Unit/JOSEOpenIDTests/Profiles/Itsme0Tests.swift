// itsme, the oldest guide: differences from the first generation.

import JOSE
import JOSEOpenID
import Testing

@Suite("itsme, the oldest guide")
struct Itsme0Tests {
    let env: TestEnvironment

    init() throws { env = try TestEnvironment(.itsme0) }

    private func rejection(_ query: String) async throws -> OAuthErrorCode? {
        guard
            case .rejected(let rejected) = try await env.client.browse(query)
        else { return nil }
        return rejected.error.code
    }

    private func good() async throws -> String {
        await query(try env.start().url)
    }

    @Test("the Request Object's aud is the token endpoint, and only iss and aud are required")
    func requestObject() async throws {
        let login = try await Login(env) { $0.delivery = .byValue }
        let object = try need(urlParameters(login.started.url)["request"])
        let verifier = try JWTVerifier(
            issuer: TestEnvironment.clientID, audience: "https://idp.example/v2/token",
            signature: .required(key: TestKeys.partySigning.publicKey, algorithms: [.rs256]))
        _ = try verifier.verify(object, at: .testNow)
        #expect(env.profile.requestObject.requiredClaims == ["iss", "aud"])
    }

    @Test("the client assertion is signed only, which the first generation's provider rejects")
    func assertion() async throws {
        let login = try await Login(env)
        let request = try await login.tokenRequest()
        #expect(request.url == "https://idp.example/v2/token")
        #expect(
            request.headers == [
                OpenIDParameter("Content-Type", "application/x-www-form-urlencoded")
            ])
        let assertion = try need(request.parameters["client_assertion"])
        #expect(assertion.split(separator: ".").count == 3)
        _ = try await env.client.receive(request)
        await expectRejection("malformed") {
            _ = try await TestEnvironment(.itsme1).client.receive(request)
        }
    }

    @Test("request_uri is not supported: no client sends it, and the provider rejects it")
    func reference() async throws {
        await expectRule("request_uri") {
            _ = try await env.start { $0.delivery = .byReference(TestEnvironment.requestURI) }
        }
        let query = try await good() + "&request_uri=https%3A%2F%2Frp.example%3A443%2Fobjects%2F1"
        #expect(try await rejection(query) == .requestURINotSupported)
    }

    @Test("offline_access is an error, other unknown scopes are ignored, and no client sends them")
    func scopes() async throws {
        for (scope, response) in [
            ("offline_access", OAuthErrorCode.invalidScope), ("x", nil), ("profile", nil),
        ] {
            let query = try await good().replacing(
                "service%3ALOGIN", with: "service%3ALOGIN%20\(scope)")
            #expect(try await rejection(query) == response, "\(scope)")
            guard scope != "profile" else { continue }
            await expectRule("scope") { _ = try await env.start { $0.scopes = [scope] } }
        }
    }

    @Test("redirect_uri is an https URL, on both sides") func redirect() async throws {
        for address in ["http://rp.example/callback", "com.example.app:/callback"] {
            let party = try TestEnvironment.party(
                .itsme0, env.metadata, redirectURI: address, secret: nil)
            await expectRule("https") { _ = try await party.start(env.request, at: .testNow) }
            let query = try await good().replacing(
                "https%3A%2F%2Frp.example%2Fcallback",
                with: try need(urlForm(["a": address]).encoded.split(separator: "=").last))
            await expectRejection("malformed") { _ = try await env.client.browse(query) }
        }
    }

    @Test("acr and auth_time are always present") func alwaysThere() async throws {
        let login = try await Login(env)
        for name in ["acr", "auth_time"] {
            await expectRejection("claim-rejected \(name)") {
                _ = try await login.open([name: nil])
            }
        }
        await expectRejection("claim-rejected acr") {
            _ = try await login.idToken(
                user: UserAuthentication(subject: login.user.subject, time: TestEnvironment.now))
        }
    }

    @Test("the request as a POST form is read like the query, with plus signs as spaces too")
    func posted() async throws {
        let sent = await query(try env.start { $0.scopes = ["profile", "email"] }.url)
        for form in [sent, sent.replacing("%20", with: "+")] {
            let received = try await env.client.browse(form).accepted()
            #expect(received.scopes == ["openid", "service:LOGIN", "profile", "email"])
            #expect(received.redirectURI == TestEnvironment.redirectURI)
        }
        #expect(sent.contains("%20"))
        for bad in [
            "?" + sent, sent.replacing("&", with: "\r\n"), #"{"client_id":"client-1"}"#, "",
        ] {
            if case .accepted? = try? await env.client.browse(bad) {
                Issue.record("accepted \(bad)")
            }
        }
    }

    @Test("sub has any length") func subject() async throws {
        let login = try await Login(env)
        let user = UserAuthentication(
            subject: "u", time: TestEnvironment.now, acr: RequiredACRTests.basic)
        #expect(try await login.open(await login.idToken(user: user)).subject == "u")
    }

    /// The guide's printed claims request. It uses one spelling and its responses the other.
    @Test(
        "acr by either spelling, in acr_values and in the printed claims request",
        arguments: ["tag:itsmetag:sixdots.be,2016-06:acr_", "tag:sixdots.be,2016-06:acr_"])
    func acrValues(_ prefix: String) async throws {
        var requests: [AuthorizationRequest] = []
        for demand: ClaimsRequest.ClaimRequest in [
            .value([.string(prefix + "advanced")]), .value(.string(prefix + "advanced")),
            .values([.string(prefix + "basic"), .string(prefix + "advanced")]),
        ] {
            var request = env.request
            request.claims = ClaimsRequest(
                userInfo: ["tag:itsmetag:sixdots.be,2016-06:claim_nationality": .voluntary],
                idToken: ["auth_time": .essential, "acr": demand])
            request.delivery = .byValue
            requests.append(request)
        }
        var plain = env.request
        plain.acrValues = [prefix + "basic", prefix + "advanced"]
        requests.append(plain)
        for request in requests {
            let login = try await Login(env, request)
            #expect(
                try env.client.acr(for: login.received) == RequiredACRTests.advanced)
            var user = login.user
            user.acr = RequiredACRTests.basic
            await expectRule("does not satisfy") { _ = try await login.idToken(user: user) }
            await expectRejection("claim-rejected acr") {
                _ = try await login.open(["acr": .string(RequiredACRTests.basic)])
            }
            for spelling in ["tag:itsmetag:sixdots.be,2016-06:acr_", "tag:sixdots.be,2016-06:acr_"]
            {
                user.acr = spelling + "advanced"
                _ = try await login.open(await login.idToken(user: user))
            }
        }
        // In its second example the guide puts acr_values into id_token, which is assumed to be a
        // mistake for acr.
        let claims = #"{"id_token":{"acr_values":{"value":["\#(prefix)advanced"]}}}"#
        let received = try await env.client.browse(
            good() + "&" + urlForm(["claims": claims]).encoded
        ).accepted()
        #expect(try env.client.acr(for: received) == RequiredACRTests.advanced)
    }

    @Test("without a requested level the basic level applies") func usual() async throws {
        let login = try await Login(env)
        #expect(try env.client.acr(for: login.received) == RequiredACRTests.basic)
    }
}
