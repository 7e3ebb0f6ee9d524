// Resources and authorization details of a backchannel request (RFC 8707, RFC 9396).

import Foundation
import JOSE
import JOSEOpenID
import Testing

@Suite("Backchannel authorization details, resources and scopes")
struct BackchannelRightsTests {
    private static let details: JSONValue = [
        ["type": "payment", "amount": ["currency": "EUR", "value": "1.50"], "n": 12.5],
        ["type": "account", "actions": ["read", "é"]],
    ]

    private func check(
        _ sides: BackchannelEnvironment, _ name: String, _ value: JSONValue, isSigned: Bool
    ) async throws -> BackchannelResult {
        guard isSigned else {
            let text = try value.string ?? FAPIEnvironment().text(value)
            return await sides.receive(
                try sides.form(["scope": "openid", "login_hint": "a", name: text]))
        }
        var claims = BackchannelEnvironment.claims("j-\(UInt64.random(in: 0 ... .max))")
        claims[name] = value
        return await sides.receive(try sides.form(["request": sides.object(claims)]))
    }

    @Test("RFC 9396: authorization_details are passed on, from a form and from an object")
    func details() async throws {
        let sides = try BackchannelEnvironment()
        for isSigned in [false, true] {
            let received = try await check(
                sides, "authorization_details", Self.details, isSigned: isSigned
            ).accepted()
            #expect(received.authorizationDetails == Self.details)
            for wrong in [
                ["type": "payment"], [], ["payment"], [["type": 1]], [["kind": "payment"]],
            ] as [JSONValue] {
                let reported = try rejection(
                    await check(sides, "authorization_details", wrong, isSigned: isSigned))
                #expect(reported.first == "malformed", "\(isSigned) \(wrong): \(reported)")
            }
        }
    }

    @Test("RFC 8707: resources are passed on, and must be URIs")
    func resources() async throws {
        let sides = try BackchannelEnvironment()
        for isSigned in [false, true] {
            let reported = try rejection(
                await check(sides, "resource", "no address", isSigned: isSigned))
            #expect(reported == ["malformed", "invalid_target", "400"], "\(isSigned) \(reported)")
        }
        let received = try await check(
            sides, "resource", ["https://a.example", "https://b.example"], isSigned: true
        ).accepted()
        #expect(
            received.resources == ["https://a.example", "https://b.example"])
    }

    @Test("the provider reads what a relying party requests", arguments: [false, true])
    func sent(_ isSigned: Bool) async throws {
        let sides = try BackchannelEnvironment()
        var request = sides.request
        request.isSigned = isSigned
        request.resources = ["https://a.example", "https://b.example"]
        request.authorizationDetails = Self.details
        let demand = #"{"id_token":{"sub":{"value":"user-2"}}}"#
        request.additional = [OpenIDParameter("claims", demand)]
        let (pending, wait) = try await sides.waiting(request)
        let received = pending.request
        #expect(received.isSigned == isSigned && received.resources == request.resources)
        #expect(received.authorizationDetails == Self.details)
        #expect(received.parameters["claims"]?.contains("user-2") == true)
        // Only the user that the claims request requires.
        func token(_ subject: String) throws -> String {
            return try sides.object(
                [
                    "iss": .issuer, "aud": .clientID, "sub": .string(subject), "iat": .now(),
                    "exp": .now(60),
                ], by: TestKeys.providerSigning)
        }
        let party = sides.env.party
        _ = try await party.verifyIDToken(token("user-2"), for: wait, at: .testNow)
        await expectRejection("claim-rejected sub") {
            _ = try await party.verifyIDToken(token("user-1"), for: wait, at: .testNow)
        }
        for name in ["resource", "authorization_details"] {
            await expectRule("additional") {
                _ = try await sides.send {
                    $0.additional = [OpenIDParameter(name, "https://a.example")]
                }
            }
        }
        await expectRule("authorization_details") {
            _ = try await sides.send { $0.authorizationDetails = ["payment"] }
        }
        await expectRule("resource") { _ = try await sides.send { $0.resources = ["no address"] } }
    }

    @Test("7.1.1: resource, authorization_details and claims next to an object are rejected")
    func beside() async throws {
        let sides = try BackchannelEnvironment()
        for (name, value) in [
            ("resource", "https://a.example"), ("authorization_details", #"[{"type":"a"}]"#),
            ("claims", "{}"),
        ] {
            let object = try sides.object(BackchannelEnvironment.claims())
            let form = try await sides.form(["request": object, name: value])
            let reported = try rejection(await sides.receive(form))
            #expect(reported == ["malformed", "invalid_request", "400"], "\(name): \(reported)")
        }
    }

    @Test("RFC 8707 2.2: a token request names resources of its request, or is invalid_target")
    func polledResources() async throws {
        let sides = try BackchannelEnvironment()
        let (first, second) = ("https://a.example", "https://b.example")
        func outcome(_ asked: [String], _ wanted: [String], at seconds: Int64) async throws
            -> String
        {
            var request = sides.request
            request.resources = asked
            var (pending, wait) = try await sides.waiting(request)
            let now = TestEnvironment.at(seconds)
            let poll = try await sides.poll(wait, resources: wanted, at: now)
            #expect(poll.resources == wanted)
            for decision in [UserDecision.pending, .granted] {
                pending.decision = decision
                do {
                    _ = try await sides.client.redeem(poll, pending, at: now)
                } catch {
                    #expect(error.claim == "resource")
                    return TokenError(rejectingGrant: error).code.name
                }
            }
            return "granted"
        }
        #expect(try await outcome([first, second], [], at: 0) == "granted")
        #expect(try await outcome([first, second], [second], at: 0) == "granted")
        #expect(try await outcome([first], [second], at: 0) == "invalid_target")
        #expect(try await outcome([first], [first, second], at: 0) == "invalid_target")
        // If the request named none, the application checks those received.
        #expect(try await outcome([], [second], at: 0) == "granted")
        let (_, wait) = try await sides.waiting()
        await expectRule("resource") {
            _ = try await sides.env.party.tokenRequest(for: wait, resources: ["no address"])
        }
        let body = try await sides.env.party.tokenRequest(for: wait, at: .testNow).body
        let error = await expectRejection("claim-rejected resource") {
            _ = try await sides.client.receiveBackchannelPoll(body + "&resource=x", at: .testNow)
        }
        #expect(error.map { TokenError(rejecting: $0).code } == .invalidTarget)
    }

    @Test("RFC 6749 6: a refresh family has the granted scope")
    func granted() async throws {
        let sides = try BackchannelEnvironment()
        var request = sides.request
        request.scopes = ["profile", "payments"]
        request.resources = ["https://a.example"]
        var (pending, _) = try await sides.waiting(request)
        pending.decision = .granted
        let all = try sides.client.refreshFamily(
            for: pending, lifetime: .seconds(600), at: .testNow
        ).family
        #expect(all.scopes == ["openid", "profile", "payments"])
        #expect(all.resources == ["https://a.example"])
        let fewer = try sides.client.refreshFamily(
            for: pending, granting: ["openid", "profile"], resources: [], lifetime: .seconds(600),
            at: .testNow
        ).family
        #expect(fewer.scopes == ["openid", "profile"] && fewer.resources.isEmpty)
    }

    @Test("11: a poll during the user's decision overwrites nothing")
    func generations() async throws {
        let sides = try BackchannelEnvironment()
        let (pending, wait) = try await sides.waiting()
        let turn = try await sides.client.redeem(sides.poll(wait), pending, at: .testNow)
        guard case .waiting(_, let asked) = turn else { throw Login.NoCode() }
        var decided = pending
        decided.decision = .denied
        // Both derive from the same value: the second writer finds a different generation.
        #expect(asked.generation > pending.generation)
        #expect(decided.generation > pending.generation)
        let kept = try coded(decided)
        #expect(kept.generation == decided.generation && kept.decision == .denied)
    }

    @Test("10.1: a poll that must be repeated with a nonce does not end the wait")
    func nonces() async throws {
        let (_, wait) = try await BackchannelEnvironment().waiting()
        #expect(wait.after(TokenError(.useDPoPNonce))?.intervalSeconds == 5)
    }

    @Test("7.2: another token of this provider for this client is no valid hint")
    func hintKinds() async throws {
        let sides = try BackchannelEnvironment()
        let claims: [String: JSONValue] = [
            "iss": .issuer, "aud": .clientID, "sub": "user-1", "iat": .now(), "exp": .now(60),
            "jti": "j",
        ]
        func subject(
            _ change: [String: JSONValue?] = [:], type: String? = nil
        ) throws -> String {
            try sides.client.subject(
                ofHint: sides.object(claims.with(change), by: TestKeys.providerSigning, type: type))
        }
        #expect(try subject() == "user-1")
        #expect(try subject(type: "JWT") == "user-1")
        for type in ["at+jwt", "logout+jwt", "token-introspection+jwt", "dpop+jwt"] {
            await expectRejection("claim-rejected typ") { _ = try subject(type: type) }
        }
        await expectRejection("claim-rejected events") { _ = try subject(["events": [:]]) }
        await expectRejection("claim-rejected exp") { _ = try subject(["exp": nil]) }
        await expectRejection("claim-rejected iat") { _ = try subject(["iat": nil]) }
    }

    @Test("FAPI 2.0 5.3.2.1-8: at the backchannel endpoint too an assertion's aud is the issuer")
    func audience() async throws {
        for preset in FAPIEnvironment.presets { try await audience(preset) }
    }

    private func audience(_ preset: OpenIDProfile) async throws {
        let env = try FAPIEnvironment(preset)
        let client = try env.backchannel().client
        let asking =
            preset.backchannel.requiresSignedRequest
            ? [OpenIDParameter("request", try env.backchannelObject())]
            : [OpenIDParameter("scope", "openid"), OpenIDParameter("login_hint", "a")]
        for (audience, expected) in [
            (FAPIEnvironment.token, "claim-rejected aud"),
            (BackchannelEnvironment.endpoint, "claim-rejected aud"),
            (TestEnvironment.issuer, "accepted"),
        ] {
            let form = OpenIDParameters(
                asking + [
                    OpenIDParameter(
                        "client_assertion", try env.assertion(["aud": .string(audience)])),
                    OpenIDParameter(
                        "client_assertion_type",
                        "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"),
                ])
            let reported = try rejection(
                await client.receiveBackchannelRequest(form.encoded, at: .testNow))
            #expect(reported.first == expected, "\(audience): \(reported)")
        }
    }
}
