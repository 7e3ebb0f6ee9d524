// One request object for many logins: per-login parameters stay in the query.

import JOSE
import JOSEOpenID
import Testing

@Suite("Request objects shared by logins")
struct SharedObjectTests {
    private static let profile = OpenIDProfile.itsme1.with {
        $0.requestObject.queryOnlyParameters = ["state", "nonce"]
    }

    @Test("state and nonce are in the query, and the newest object serves every login")
    func shared() async throws {
        let env = try TestEnvironment(Self.profile)
        var request = env.request
        request.delivery = .byReference(TestEnvironment.requestURI)
        request.acrValues = ["tag:sixdots.be,2016-06:acr_advanced"]
        let logins = [
            try await env.party.start(request, at: .testNow),
            try await env.party.start(request, at: .testNow),
        ]
        let newest = try need(logins[1].requestObject)
        let object = try TestEnvironment.partyClaims(newest)
        #expect(object["state"] == nil && object["nonce"] == nil)
        #expect(object["acr_values"] == "tag:sixdots.be,2016-06:acr_advanced")
        for started in logins {
            let received = try await TestEnvironment(.itsme1).client.browse(
                started, fetch: { _ in newest }
            )
            .accepted()
            #expect(received.state == started.session.state)
            #expect(received.nonce == started.session.nonce)
            #expect(received.isSigned("acr_values") && received.isSigned("redirect_uri"))
            #expect(!received.isSigned("state") && !received.isSigned("nonce"))
        }
    }

    @Test("the query-only list applies by value too, and a plain request is unchanged")
    func byValue() async throws {
        let env = try TestEnvironment(Self.profile)
        var request = env.request(byValue: true)
        let sent = try await urlParameters(env.party.start(request, at: .testNow).url)
        #expect(
            try TestEnvironment.partyClaims(need(sent["request"]))["state"] == nil
                && sent["state"] != nil)
        let usual = try await urlParameters(
            TestEnvironment(.itsme1).party.start(request, at: .testNow).url)
        #expect(
            try TestEnvironment.partyClaims(need(usual["request"]))["state"] != nil
                && usual["state"] == nil)
        request.delivery = RequestObjectDelivery.none
        let plain = try await urlParameters(env.party.start(request, at: .testNow).url)
        #expect(plain.all.filter { $0.name == "state" }.count == 1)
    }

    @Test("a pushed object contains everything") func pushed() async throws {
        let env = try TestEnvironment(Self.profile)
        let pushed = try await env.party.push(env.request(byValue: true), at: .testNow).request
        #expect(pushed.parameters["state"] == nil)
        #expect(try TestEnvironment.partyClaims(need(pushed.parameters["request"]))["state"] != nil)
    }

    @Test("an unsigned app switch requires the client's allow-list, as in a plain request")
    func unsignedSwitch() async throws {
        var profile = OpenIDProfile.netsEIDBroker
        profile.requestObject.isSelfContained = false
        profile.requestObject.queryOnlyParameters = ["idp_params"]
        let env = try TestEnvironment(profile)
        var request = env.request
        request.identityProviderParameters = AuthorizationRequest.appSwitch(
            system: "ios", url: "https://app.example/")
        await expectRule("allow-list") { _ = try await env.party.start(request, at: .testNow) }
        let listed = try TestEnvironment(profile, appSwitchURIs: ["https://app.example/"])
        _ = try await listed.party.start(request, at: .testNow)
    }

    @Test(
        "the list is rejected for object-only profiles and for required object members",
        arguments: ["client_id", "response_type", "scope", "redirect_uri"])
    func misuse(_ name: String) async throws {
        var profile = Self.profile
        profile.requestObject.queryOnlyParameters.append(name)
        await expectRule("always in the object") { _ = try TestEnvironment(profile) }
        for change: (inout RequestObjectRules) -> Void in [
            { $0.isSelfContained = true }, { $0.isRequired = true }, { $0.followsJAR = true },
        ] {
            var profile = Self.profile
            change(&profile.requestObject)
            await expectRule("isSelfContained") { _ = try TestEnvironment(profile) }
        }
    }
}
