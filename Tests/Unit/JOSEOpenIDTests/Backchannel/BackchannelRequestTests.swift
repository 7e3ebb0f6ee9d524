// Backchannel authentication requests (CIBA Core 1.0, 7), and every invalid variant.

import JOSE
import JOSEOpenID
import Testing

@Suite("Backchannel requests")
struct BackchannelRequestTests {
    private typealias Peers = BackchannelEnvironment

    @Test(
        "the provider accepts what a relying party sends",
        arguments: TestEnvironment.all, [false, true])
    func roundTrip(_ profile: OpenIDProfile, _ isSigned: Bool) async throws {
        let sides = try BackchannelEnvironment(profile, .ping(BackchannelEnvironment.notifications))
        var request = sides.request
        request.isSigned = isSigned
        request.delivery = .ping
        request.bindingMessage = "W4SCT"
        request.userCode = "1234"
        request.requestedExpiry = .seconds(120)
        request.additional = [OpenIDParameter("purpose", "to sign in")]
        let sent = try await sides.send(request)
        #expect(sent.request.url == BackchannelEnvironment.endpoint)
        let form = sent.request.parameters
        #expect((form["request"] != nil) == isSigned && (form["scope"] == nil) == isSigned)
        let received = try await sides.receive(sent).accepted()
        #expect(received.isSigned == isSigned && received.clientID == TestEnvironment.clientID)
        #expect(received.hint == request.hint && received.bindingMessage == "W4SCT")
        #expect(received.userCode == "1234" && received.requestedExpirySeconds == 120)
        #expect(received.scopes.first == "openid" && received.issuer == TestEnvironment.issuer)
        #expect(received.parameters["purpose"] == "to sign in")
        for name in ["client_assertion", "client_assertion_type", "client_secret", "request"] {
            #expect(received.parameters[name] == nil)
        }
        #expect(try sides.client.pending(received, at: .testNow).requestID.utf8.count == 43)
    }

    @Test("7.1: exactly one hint of any kind is required")
    func hints() async throws {
        let sides = try BackchannelEnvironment()
        let all: [UserHint] = [.name("a"), .token("b"), .idToken("c")]
        for hint in all {
            let received = try await sides.receive(sides.send { $0.hint = hint }).accepted()
            #expect(received.hint == hint)
        }
        let scope = OpenIDParameter("scope", "openid")
        let names = ["login_hint", "login_hint_token", "id_token_hint"]
        for wrong in [[], ["login_hint", "login_hint"]]
            + names.indices.map({ place in
                names.enumerated().filter { $0.offset != place }.map(\.element)
            }) + [names]
        {
            let hints = wrong.map { OpenIDParameter($0, "a") }
            #expect(
                try rejection(await sides.receive(sides.form([scope] + hints))) == [
                    "malformed", "invalid_request", "400",
                ], "\(wrong)")
            if !Set(wrong).subtracting(["login_hint"]).isEmpty || wrong.isEmpty {
                var claims = BackchannelEnvironment.claims()
                claims["login_hint"] = nil
                for name in wrong { claims[name] = "a" }
                let form = try await sides.form(["request": sides.object(claims)])
                #expect(
                    try rejection(await sides.receive(form))[1] == "invalid_request", "\(wrong)")
            }
        }
    }

    @Test("7.1 and 13: each wrong parameter has one error code, in a form and in an object")
    func parameters() async throws {
        let rows: [(String, String?, String)] = [
            ("scope", nil, "invalid_scope"), ("scope", "profile", "invalid_scope"),
            ("scope", "openid a\"b", "invalid_scope"),
            ("binding_message", String(repeating: "m", count: 129), "invalid_binding_message"),
            ("requested_expiry", "0", "invalid_request"),
            ("requested_expiry", "-1", "invalid_request"),
            ("requested_expiry", "1.5", "invalid_request"),
            ("requested_expiry", "012", "invalid_request"),
            ("requested_expiry", "99999999999999999999", "invalid_request"),
            ("client_notification_token", nil, "invalid_request"),
            ("client_notification_token", "a b c d e f g h i j k l m n o", "invalid_request"),
            (
                "client_notification_token", String(repeating: "a", count: 21), "invalid_request"
            ),
            (
                "client_notification_token", String(repeating: "a", count: 1_025),
                "invalid_request"
            ),
        ]
        let sides = try BackchannelEnvironment(.openIDWithAssertion, .ping("https://rp.example/cb"))
        let good: [String: String] = [
            "scope": "openid", "login_hint": "a",
            "client_notification_token": String(repeating: "a", count: 22),
        ]
        func send(_ values: [String: String]) async throws -> ([String], [String]) {
            let plain = values.sorted { $0.key < $1.key }.map { OpenIDParameter($0.key, $0.value) }
            var claims = BackchannelEnvironment.claims("j-\(UInt64.random(in: 0 ... .max))")
            claims["login_hint"] = nil
            claims["scope"] = nil
            for (name, value) in values { claims[name] = .string(value) }
            let object = try sides.object(claims)
            return (
                try rejection(await sides.receive(sides.form(plain))),
                try rejection(await sides.receive(sides.form(["request": object])))
            )
        }
        let accepted = try await send(good)
        #expect(accepted.0 == ["accepted"] && accepted.1 == ["accepted"])
        for (name, value, code) in rows {
            var values = good
            values[name] = value
            let (plain, signed) = try await send(values)
            #expect(
                plain == ["malformed", code, "400"] && signed == plain,
                "\(name) \(value ?? "absent"): \(plain), \(signed)")
        }
    }

    @Test("the client is authenticated first, with its agreed method")
    func client() async throws {
        let sides = try BackchannelEnvironment()
        let bare = urlForm(["scope": "openid", "login_hint": "a"])
        #expect(
            try rejection(await sides.receive(bare.encoded)) == [
                "claim-rejected client_assertion", "invalid_client", "400",
            ])
        #expect(
            try rejection(await sides.receive("a=%")) == ["malformed", "invalid_request", "400"])
        let sent = try await sides.send().request
        #expect(
            try rejection(await sides.receive(sent.body + "&client_id=another")) == [
                "claim-rejected client_id", "invalid_client", "400",
            ])
        #expect(try rejection(await sides.receive(sent.body)) == ["accepted"])
        #expect(try rejection(await sides.receive(sent.body))[0] == "replayed")
        // A client without this registration gets that error after authentication.
        let again = try await sides.send().request
        #expect(
            try rejection(await sides.receive(again.body, by: sides.env.client)) == [
                "claim-rejected grant_type", "unauthorized_client", "400",
            ])
        let basic = try BackchannelEnvironment(.openID)
        let form = try await basic.send().request
        #expect(
            try rejection(await basic.receive(form.body, authorization: "Basic Yzpz")) == [
                "claim-rejected client_secret", "invalid_client", "401",
            ])
        // As at the other endpoints, the response names a method that is not registered.
        guard case .rejected(let wrong) = await sides.receive("a=b", authorization: "Basic Yzpz")
        else { throw Login.NoCode() }
        let reason = "the client used HTTP Basic and may not authenticate that way"
        #expect(wrong.error.description == reason)
    }

    @Test(
        "7.1: an assertion's aud is the issuer, whatever applies at the token endpoint",
        arguments: [
            MessageAudience.issuer, .tokenEndpoint, .backchannelEndpoint, .authorizationEndpoint,
        ])
    func audiences(_ audience: MessageAudience) async throws {
        let sides = try BackchannelEnvironment()
        let profile = OpenIDProfile.openIDWithAssertion.with { $0.client.audience = audience }
        let party = try TestEnvironment.party(profile, sides.env.metadata, secret: nil)
        let sent = try await party.backchannel(sides.request, at: .testNow)
        // The URL of this endpoint is an audience if the profile adds it.
        let expected =
            audience == .backchannelEndpoint
            ? ["claim-rejected aud", "invalid_client", "400"] : ["accepted"]
        #expect(try rejection(await sides.receive(sent)) == expected)
    }

    @Test("ignored parameters are removed, and unknown ones are kept")
    func ignored() async throws {
        let sides = try BackchannelEnvironment(.openIDWithAssertion, .poll) {
            $0.sendsUserCode = false
        }
        let form = try await sides.form([
            "scope": "openid", "login_hint": "a", "user_code": "1",
            "client_notification_token": "no", "own": "x",
        ])
        let received = try await sides.receive(form + "&strange=%FF").accepted()
        #expect(received.userCode == nil && received.parameters["own"] == "x")
        #expect(received.parameters["client_notification_token"] == nil)
        var claims = BackchannelEnvironment.claims()
        claims["own"] = ["a": [1, .null]]
        claims["requested_expiry"] = 90
        let object = OpenIDParameter("request", try sides.object(claims))
        let signed = try await sides.receive(try sides.form([object, OpenIDParameter("own", "x")]))
            .accepted()
        #expect(signed.requestedExpirySeconds == 90 && signed.parameters["own"] == nil)
    }

    @Test("parameters that a client may not send are misuse, with the rule")
    func made() async throws {
        let sides = try BackchannelEnvironment()
        func rejected(_ text: String, _ change: (inout BackchannelRequest) -> Void) async {
            await expectRule(text) { _ = try await sides.send(change) }
        }
        await rejected("binding_message") { $0.bindingMessage = String(repeating: "m", count: 129) }
        await rejected("requested_expiry") { $0.requestedExpiry = .seconds(0) }
        await rejected("scope") { $0.scopes = ["a\"b"] }
        for name in ["scope", "request", "client_id", "login_hint", "binding_message", "aud"] {
            await rejected("additional") { $0.additional = [OpenIDParameter(name, "a")] }
        }
        await rejected("exactly one") { $0.hint = .name("") }
        let signing = try BackchannelEnvironment(
            .openIDWithAssertion.with { $0.backchannel.requiresSignedRequest = true })
        #expect(try await signing.send().request.parameters["request"] != nil)
        await expectRule("signed") { _ = try await signing.send { $0.isSigned = false } }
        #expect(
            try rejection(
                await signing.receive(signing.form(["scope": "openid", "login_hint": "a"]))) == [
                    "malformed", "invalid_request", "400",
                ])
        let one = try BackchannelEnvironment(.openIDWithAssertion, .poll) {
            $0.requiresSignedRequest = true
        }
        #expect(try rejection(await one.receive(one.send()))[1] == "invalid_request")
    }

    @Test("4: options that the metadata do not support are not requested")
    func metadata() async throws {
        func rejected(
            _ member: String, _ value: JSONValue, _ change: (inout BackchannelRequest) -> Void
        ) async throws {
            let sides = try BackchannelEnvironment(additional: [member: value])
            await expectRejection("claim-rejected \(member)") { _ = try await sides.send(change) }
        }
        let prefix = "backchannel_"
        try await rejected(prefix + "token_delivery_modes_supported", ["ping", "push"]) { _ in }
        try await rejected(prefix + "token_delivery_modes_supported", ["poll"]) {
            $0.delivery = .ping
        }
        try await rejected(prefix + "user_code_parameter_supported", false) { $0.userCode = "1" }
        try await rejected(
            prefix + "authentication_request_signing_alg_values_supported", ["none"]
        ) { $0.isSigned = true }
        await expectRejection("claim-rejected backchannel_authentication_endpoint") {
            _ = try BackchannelEnvironment(
                additional: ["backchannel_authentication_endpoint": "http://idp.example/b"])
        }
        // A provider without the endpoint.
        let env = try TestEnvironment(.openID)
        await expectRejection("claim-rejected backchannel_token_delivery_modes_supported") {
            _ = try await env.party.backchannel(BackchannelRequest(.name("a")))
        }
        let profile = OpenIDProfile.openID.with { $0.requestObject.isRequired = true }
        let published = try TestEnvironment.metadata(
            at: TestEnvironment.issuer, profile, backchannel: BackchannelEnvironment.endpoint)
        #expect(published["require_signed_request_object"] == true)
        #expect(
            published.list("backchannel_authentication_request_signing_alg_values_supported")
                == profile.algorithms.signature.map(\.name))
        #expect(published.backchannelEndpoint == BackchannelEnvironment.endpoint)
        #expect(
            published.list("grant_types_supported") == [
                "authorization_code", BackchannelEnvironment.grant,
            ])
        #expect(
            published.list("backchannel_token_delivery_modes_supported") == ["poll", "ping"])
        #expect(published["backchannel_user_code_parameter_supported"] == true)
        let read = try TestEnvironment.read(published.json(), .openID)
        #expect(read.backchannelEndpoint == BackchannelEnvironment.endpoint)
    }
}
