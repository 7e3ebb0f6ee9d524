// When requests must be pushed, the rules that apply then, and what cannot be pushed.

import JOSE
import JOSEOpenID
import Testing

@Suite("Pushed request rules")
struct PushedRequestRuleTests {
    @Test("if pushed requests are required, other requests are neither sent nor accepted")
    func required() async throws {
        let profile = OpenIDProfile.openID.with { $0.pushedRequests.isRequired = true }
        let env = try TestEnvironment(profile)
        #expect(env.metadata["require_pushed_authorization_requests"] == true)
        await expectRule("requires pushed requests") { _ = try await env.start() }
        _ = try await PushedLogin(env).receive()
        await expectRule("pass pushedRequests") { _ = try TestEnvironment(profile, pushed: nil) }

        // Only one client must push. A relying party without such a profile reads the same from the
        // metadata.
        let lenient = try TestEnvironment(.openID)
        let strict = try lenient.provider.client { $0.requiresPushedRequests = true }
        let plain = await query(try lenient.party.start(lenient.request, at: .testNow).url)
        for client in [strict, env.client] {
            let rejected = try await client.browse(plain).rejected()
            #expect(
                rejected.error.code == .invalidRequest && verdict(rejected.cause) == "malformed")
        }
        let reported = try TestEnvironment(
            .openID, additional: ["require_pushed_authorization_requests": true])
        await expectRejection("claim-rejected require_pushed_authorization_requests") {
            _ = try await reported.party.start(reported.request)
        }
        _ = try await reported.party.push(reported.request)
    }

    @Test("metadata announce required pushing only if every client must push")
    func joined() throws {
        let profile = OpenIDProfile.openID.with { $0.pushedRequests.isRequired = true }
        for (first, second) in [(profile, OpenIDProfile.openID), (.openID, profile)] {
            let metadata = try TestEnvironment.metadata(
                at: TestEnvironment.issuer, first, clientProfiles: [second],
                push: PushedRequestTests.endpoint)
            #expect(metadata["require_pushed_authorization_requests"] == nil)
            #expect(metadata.pushedRequestEndpoint == PushedRequestTests.endpoint)
        }
    }

    @Test("RFC 9126 2.3: if objects are required, a plain push is rejected")
    func signedOnly() async throws {
        let env = try TestEnvironment(.openID)
        let strict = try env.provider.client { $0.requiresSignedRequestObject = true }
        for byValue in [false, true] {
            let pushed = try await env.party.push(env.request(byValue: byValue), at: .testNow)
            let verdict = await strict.receive(pushed)
            #expect(
                try rejection(verdict)
                    == (byValue ? ["accepted"] : ["malformed", "invalid_request", "400"]))
        }
    }

    @Test("a pushed request must be granted within its time limit")
    func decision() async throws {
        let env = try TestEnvironment(.openID)
        let received = try await PushedLogin(env).receive()
        await expectRejection("claim-rejected request_uri") {
            _ = try await env.client.grant(received, at: TestEnvironment.at(660))
        }
        _ = try await env.client.grant(received, at: TestEnvironment.at(659))
    }

    @Test("a request that violates rules changed since its push is rejected")
    func changedRules() async throws {
        let env = try TestEnvironment(.openID)
        let login = try await PushedLogin(env)
        var registration = ClientRegistration(
            clientID: TestEnvironment.clientID, redirectURIs: ["https://rp.example/other"],
            secret: ClientSecret(TestEnvironment.secret))
        let moved = try env.provider.client(registration)
        await expectRejection("claim-rejected redirect_uri") {
            _ = try await login.receive(by: moved)
        }
        var profile = OpenIDProfile.openID
        profile.authorization.requiredScopes = ["openid", "email"]
        registration.redirectURIs = [TestEnvironment.redirectURI]
        registration.profile = profile
        let strict = try env.provider.client(registration)
        await expectRejection("malformed") { _ = try await login.receive(by: strict) }
        // A plain request of a client that must sign now is rejected. One that was pushed signed
        // still counts.
        registration.profile = nil
        registration.requiresSignedRequestObject = true
        let signing = try env.provider.client(registration)
        await expectRejection("malformed") { _ = try await login.receive(by: signing) }
        let signed = try await PushedLogin(env, env.request(byValue: true))
        #expect(try await signed.receive(by: signing).isSigned)
        profile = .openID
        profile.requestObject.isRequired = true
        registration.requiresSignedRequestObject = false
        registration.profile = profile
        let all = try env.provider.client(registration)
        await expectRejection("malformed") { _ = try await login.receive(by: all) }
        _ = try await signed.receive(by: all)
    }

    @Test("parameters that cannot be pushed are rejected") func misuse() async throws {
        let env = try TestEnvironment(.openID)
        var request = env.request
        request.delivery = .byReference(TestEnvironment.requestURI)
        await expectRule("cannot have a request_uri") { _ = try await env.party.push(request) }
        let party = try TestEnvironment.party(
            .openID, TestEnvironment.metadata(at: TestEnvironment.issuer, .openID))
        await expectRule("no pushed_authorization_request_endpoint") {
            _ = try await party.push(env.request)
        }
        let login = try await PushedLogin(env)
        let response = try PushedAuthorizationResponse(json: login.kept.response().body)
        let other = try TestEnvironment.party(.openID, env.metadata, clientID: "client-2")
        await expectRule("another client") { _ = try other.start(login.pushed, response) }
        await expectRejection("claim-rejected pushed_authorization_request_endpoint") {
            _ = try TestEnvironment.metadata(
                at: TestEnvironment.issuer,
                OpenIDProfile.openID.with { $0.pushedRequests.isRequired = true })
        }
        let without = try TestEnvironment(.openID, pushed: nil)
        let pushed = try await without.party.push(without.request, at: .testNow)
        let verdict = await without.client.receivePushedRequest(
            pushed.request.body, authorization: pushed.request.authorization)
        #expect(try rejection(verdict) == ["misuse", "server_error", "500"])
    }

    @Test(
        "a malformed push response is rejected",
        arguments: [
            "", "[]", "{}", #"{"request_uri":"urn:a:b"}"#, #"{"expires_in":60}"#,
            #"{"request_uri":"urn:a:b","expires_in":0}"#,
            #"{"request_uri":"urn:a:b","expires_in":-1}"#,
            #"{"request_uri":"urn:a:b","expires_in":"+60"}"#,
            #"{"request_uri":"urn:a:b","expires_in":1.5}"#,
            #"{"request_uri":1,"expires_in":60}"#, #"{"request_uri":"","expires_in":60}"#,
            #"{"request_uri":"a b","expires_in":60}"#,
            #"{"request_uri":"urn:a#b","expires_in":60}"#,
            #"{"request_uri":"urn:a:b","request_uri":"urn:a:c","expires_in":60}"#,
            #"{"request_uri":"urn:"# + String(repeating: "a", count: 510) + #"","expires_in":60}"#,
        ])
    func responses(_ json: String) async {
        await expectRejection("malformed", json) { _ = try PushedAuthorizationResponse(json: json) }
    }

    @Test("RFC 9126 2.2: the printed response is read") func example() throws {
        let response = try PushedAuthorizationResponse(
            json: """
                {
                 "request_uri":
                   "urn:ietf:params:oauth:request_uri:6esc_11ACC5bwc014ltc14eY22c",
                 "expires_in": 60
                }
                """)
        #expect(
            response.requestURI == "urn:ietf:params:oauth:request_uri:6esc_11ACC5bwc014ltc14eY22c")
        #expect(response.expiresInSeconds == 60)
    }
}
