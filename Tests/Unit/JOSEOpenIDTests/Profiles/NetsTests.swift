// Nets eID Broker (MitID).

import JOSE
import JOSEOpenID
import Testing

@Suite("Nets eID Broker")
struct NetsTests {
    let env: TestEnvironment

    init() throws { env = try TestEnvironment(.netsEIDBroker) }

    private let appSwitch = AuthorizationRequest.appSwitch(
        system: "ios", url: "https://rp.example/app")

    @Test("requests are signed by default, with state and nonce inside")
    func signed() async throws {
        let started = try await env.start()
        let outer = try urlParameters(started.url)
        #expect(outer.all.map(\.name) == ["response_type", "client_id", "scope", "request"])
        let login = try await Login(env)
        #expect(login.received.isSigned)
        #expect(login.received.state == login.started.session.state)
    }

    @Test("the ID Token's nonce must match") func nonce() async throws {
        let login = try await Login(env)
        #expect(
            try await login.open(try await login.idToken())["nonce"]?.string
                == login.started.session.nonce)
        for nonce: JSONValue? in [nil, "", "other", .null, 1] {
            await expectRejection("claim-rejected nonce") {
                _ = try await login.open(["nonce": nonce])
            }
        }
    }

    @Test("response_mode=form_post is the default, and only a form is accepted")
    func formPost() async throws {
        for delivery in [RequestObjectDelivery.none, .byValue] {
            let login = try await Login(env) { $0.delivery = delivery }
            #expect(login.received.parameters["response_mode"] == "form_post")
            #expect(login.started.session.responseMode == .formPost)
            let redirect = try await env.client.redirect(code: "c", for: login.received)
            #expect(redirect.responseMode == .formPost)
            let form = redirect.parameters.encoded
            #expect(
                try await env.party.authorizationResponse(form: form, for: login.started.session)
                    == .code("c"))
            await expectRejection("malformed") {
                _ = try await env.party.authorizationResponse(
                    query: form, for: login.started.session)
            }
        }
    }

    @Test("the request can ask for another response mode") func otherMode() async throws {
        let login = try await Login(env) { $0.responseMode = .query }
        #expect(login.received.parameters["response_mode"] == "query")
        #expect(login.started.session.responseMode == .query)
        #expect(
            try await env.client.redirect(code: "c", for: login.received).responseMode == .query)
    }

    @Test(
        "the redirect URI is an https URL, on both sides",
        arguments: [
            "custom-scheme://oidc-redirect-url", "http://rp.example/callback", "app:/callback",
        ]) func backend(_ address: String) async throws
    {
        let party = try TestEnvironment.party(
            .netsEIDBroker, env.metadata, redirectURI: address, secret: nil)
        await expectRule("https URL") { _ = try await party.start(env.request) }
        var lax = OpenIDProfile.netsEIDBroker
        lax.authorization.requiresHTTPSRedirect = false
        let other = try TestEnvironment.party(lax, env.metadata, redirectURI: address, secret: nil)
        let sent = await query(try other.start(env.request, at: .testNow).url)
        // The redirect URI is only in the object.
        let beside =
            "&redirect_uri=" + address.replacing(":", with: "%3A").replacing("/", with: "%2F")
        await expectRejection("malformed") { _ = try await env.client.browse(sent + beside) }
    }

    @Test("the guide's idp_params, with its spaces, is accepted if the client's list has its URL")
    func printed() async throws {
        let printed =
            "%7B%22mitid%22%3A%7B%22enable_app_switch%22%3A%20true%2C%20%22app_switch_os%22"
            + "%3A%22ios%22%2C%20%22app_switch_url%22%3A%22https%3A%2F%2Fyour.appswitch.url%2F%2"
            + "2%7D%7D"
        let sent =
            await query(try env.start { $0.delivery = RequestObjectDelivery.none }.url)
            + "&idp_params=" + printed
        let listed = try TestEnvironment(
            .netsEIDBroker, appSwitchURIs: ["https://your.appswitch.url/"])
        let received = try await listed.client.receiveAuthorizationRequest(sent).accepted()
        #expect(
            received.identityProviderParameters
                == AuthorizationRequest.appSwitch(system: "ios", url: "https://your.appswitch.url/")
        )
        guard case .rejected = try await env.client.receiveAuthorizationRequest(sent) else {
            throw Login.NoCode()
        }
    }

    @Test("idp_params is URL-encoded JSON") func parameters() async throws {
        var request = env.request(byValue: false)
        request.identityProviderParameters = AuthorizationRequest.appSwitch(
            system: "android", url: "https://rp.example/app")
        let env = try TestEnvironment(.netsEIDBroker, appSwitchURIs: ["https://rp.example/app"])
        let url = try await env.party.start(request).url
        #expect(
            url.hasSuffix(
                "&idp_params=%7B%22mitid%22%3A%7B%22app_switch_os%22%3A%22android%22%2C"
                    + "%22app_switch_url%22%3A%22https%3A%2F%2Frp.example%2Fapp%22%2C"
                    + "%22enable_app_switch%22%3Atrue%7D%7D"))
        let login = try await Login(env, request)
        #expect(login.received.identityProviderParameters == request.identityProviderParameters)
        #expect(!login.received.isSigned)
    }

    @Test("the allow-list is per client: another client's URL is rejected")
    func ownURLs() async throws {
        let addresses = ["a": "https://a.example/app", "b": "https://b.example/app"]
        for (asking, address) in [("a", "a"), ("a", "b"), ("b", "a"), ("b", "b")] {
            let own = try need(addresses[asking])
            var registration = ClientRegistration(
                clientID: asking, redirectURIs: [TestEnvironment.redirectURI])
            registration.appSwitchURIs = [own]
            let client = try env.provider.client(registration)
            func party(_ addresses: [String]) throws -> RelyingParty {
                try RelyingParty(
                    profile: .netsEIDBroker, metadata: env.metadata, clientID: asking,
                    redirectURI: TestEnvironment.redirectURI, keys: TestKeys.party,
                    appSwitchURIs: addresses, providerKeys: TestKeys.provider.publicKeys)
            }
            let named = try need(addresses[address])
            var request = env.request(byValue: false)
            request.identityProviderParameters = AuthorizationRequest.appSwitch(
                system: "android", url: named)
            let unsigned = await query(try party([named]).start(request).url)
            let verdict = try await client.browse(unsigned)
            if asking == address {
                _ = try verdict.accepted()
                continue
            }
            let rejected = try verdict.rejected()
            #expect(rejected.error.code == .invalidRequest)
            await expectRule("allow-list") { _ = try await party([own]).start(request) }
            // A signed request may name any URL.
            request.delivery = .byValue
            _ = try await client.browse(query(party([]).start(request, at: .testNow).url))
                .accepted()
        }
    }

    @Test(
        "an allow-list contains only https URLs",
        arguments: ["http://rp.example/app", "rp.example", "", "https://rp.example/app#x"])
    func listForm(_ address: String) async throws {
        var registration = TestEnvironment.registration(secret: nil)
        registration.appSwitchURIs = [address]
        await expectRejection("misuse") { _ = try env.provider.client(registration) }
    }

    @Test(
        "a URL is compared with the allow-list byte for byte",
        arguments: [
            "https://rp.example/app/", "https://rp.example/App", "https://RP.example/app",
            "https://rp.example/app?", "https://rp.example:443/app", "https://rp.example/ap%70",
        ])
    func listBytes(_ other: String) async throws {
        let listed = try TestEnvironment(.netsEIDBroker, appSwitchURIs: ["https://rp.example/app"])
        var request = env.request(byValue: false)
        request.identityProviderParameters = AuthorizationRequest.appSwitch(
            system: "ios", url: other)
        await expectRule("allow-list") { _ = try await listed.party.start(request) }
    }

    @Test("app switch members have their types") func appSwitchTypes() async {
        for bad: JSONValue in [
            ["mitid": ["app_switch_os": "windows"]], ["mitid": ["app_switch_os": 1]],
            ["mitid": ["enable_app_switch": "true"]],
            ["mitid": ["app_switch_url": "http://rp.example/app"]],
            ["mitid": ["app_switch_url": 1]], ["mitid": ["enable_app_switch": true]],
            ["mitid": ["enable_app_switch": true, "app_switch_os": "ios"]],
            ["mitid": ["enable_app_switch": true, "app_switch_url": "https://rp.example/app"]],
            [1], ["mitid": 1], ["mitid": [1]], ["mitid": nil],
        ] {
            await expectRejection("misuse") {
                _ = try await env.start { $0.identityProviderParameters = bad }
            }
        }
    }

    @Test("the provider requires state and nonce") func required() async throws {
        let started = try await env.start { $0.delivery = RequestObjectDelivery.none }
        let good = query(started.url)
        for missing in ["&state=\(started.session.state)", "&nonce=\(started.session.nonce)"] {
            let rejected = try await env.client.receiveAuthorizationRequest(
                good.replacing(missing, with: "")
            ).rejected()
            #expect(rejected.error.code == .invalidRequest)
        }
    }

    @Test("ID Tokens are signed with RS256 by a key of the provider's set")
    func signature() async throws {
        let login = try await Login(env)
        let token = try env.sealed(login.goodClaims, .signed, by: TestKeys.unrelated)
        await expectRejection("key-not-found") { _ = try await login.open(token) }
        var renamed = TestKeys.unrelated
        renamed.keyID = "op-sig"
        let forged = try env.sealed(login.goodClaims, .signed, by: renamed)
        await expectRejection("signature-invalid") { _ = try await login.open(forged) }
        let nested = try env.sealed(login.goodClaims, .signedThenEncrypted, algorithm: .rsaOAEP256)
        await expectRejection("malformed") { _ = try await login.open(nested) }
    }
}
