// Both sides enforce an acr of the claims request, in every form that a guide uses.

import Foundation
import JOSE
import JOSEOpenID
import Testing

@Suite("acr in the claims request")
struct RequiredACRTests {
    static let basic = "tag:sixdots.be,2016-06:acr_basic"
    static let advanced = "tag:sixdots.be,2016-06:acr_advanced"

    /// The forms of the requirement: Core's own, the oldest guide's array in `value`, all with and
    /// without `essential`.
    static let forms = [
        #"{"value":"\#(advanced)"}"#, #"{"values":["\#(advanced)"]}"#,
        #"{"values":["\#(basic)","\#(advanced)"]}"#, #"{"value":["\#(advanced)"]}"#,
        #"{"value":["\#(advanced)","\#(basic)"]}"#,
        #"{"essential":true,"value":["\#(advanced)"]}"#,
        #"{"essential":true,"values":["\#(advanced)"]}"#,
        #"{"essential":false,"value":"\#(advanced)"}"#,
        #"{"value":"\#(basic)","values":["\#(advanced)"]}"#,
    ]

    /// A request with this claims parameter as a client sends it: plain, or in a signed object.
    private func received(
        _ claims: String, _ env: TestEnvironment, inObject: Bool, acrValues: String? = nil
    ) async throws -> ReceivedAuthorization {
        var parameters = try await urlParameters(env.start().url).all
        if let acrValues { parameters.append(OpenIDParameter("acr_values", acrValues)) }
        if inObject {
            var members: [String: JSONValue] = [
                "iss": .clientID,
                "claims": try JSONDecoder().decode(JSONValue.self, from: Data(claims.utf8)),
                "aud": .string(env.objectAudience), "exp": .now(300),
            ]
            for parameter in parameters { members[parameter.name] = .string(parameter.value) }
            let object = try env.partySealed(members)
            parameters.append(OpenIDParameter("request", object))
        } else {
            parameters.append(OpenIDParameter("claims", claims))
        }
        return try await env.client.browse(parameters).accepted()
    }

    @Test(
        "the provider issues no weaker acr, whether requested by object or query",
        arguments: forms, [false, true])
    func provider(_ form: String, inObject: Bool) async throws {
        let env = try TestEnvironment(.itsme1)
        let claims = #"{"id_token":{"auth_time":{"essential":true},"acr":\#(form)}}"#
        for acrValues in [nil, Self.basic] {
            let received = try await received(
                claims, env, inObject: inObject, acrValues: acrValues)
            let responses = try await env.client.tokenIssuer()
            for acr in [Self.basic, nil] {
                await expectRule("acr") {
                    _ = try responses.idToken(
                        for: received, TestEnvironment.user(acr), at: .testNow)
                }
            }
            _ = try responses.idToken(
                for: received, TestEnvironment.user(Self.advanced), at: .testNow)
        }
    }

    @Test(
        "the relying party accepts no weaker acr",
        arguments: [
            ClaimsRequest.ClaimRequest.value(.string(advanced)), .values([.string(advanced)]),
            .value([.string(advanced)]), .values([.string(basic), .string(advanced)]),
        ])
    func party(_ demand: ClaimsRequest.ClaimRequest) async throws {
        let env = try TestEnvironment(.itsme1)
        var request = env.request
        request.claims = ClaimsRequest(idToken: ["acr": demand])
        for acrValues in [[], [Self.basic]] {
            request.acrValues = acrValues
            let login = try await Login(env, request)
            for acr in [Self.basic, "x", nil] {
                await expectRejection("claim-rejected acr") {
                    _ = try await login.open(["acr": acr.map(JSONValue.string)])
                }
            }
            #expect(try await login.open(await login.idToken()).acr == Self.advanced)
        }
    }
}

extension RequiredACRTests {
    @Test(
        "a malformed acr requirement is rejected, and not sent",
        arguments: [
            #"5"#, #""x""#, #"[]"#, #"true"#, #"{"value":5}"#, #"{"value":null}"#, #"{"value":[]}"#,
            #"{"value":["x",5]}"#, #"{"values":"x"}"#, #"{"values":[]}"#, #"{"values":[null]}"#,
            #"{"values":{}}"#, #"{"essential":"yes"}"#, #"{"essential":1,"value":"x"}"#,
            #"{"value":{"value":"x"}}"#,
        ])
    func odd(_ form: String) async throws {
        for profile in [OpenIDProfile.itsme0, .itsme1, .openID] {
            let env = try TestEnvironment(profile)
            await expectRejection("malformed", form) {
                _ = try await received(
                    #"{"id_token":{"acr":\#(form)}}"#, env, inObject: false)
            }
            // A claim that the library does not check may be requested with any value.
            guard form.hasPrefix(#"{"value":"#) else { continue }
            _ = try await received(
                #"{"id_token":{"other":\#(form)}}"#, env, inObject: false)
        }
        for demand: ClaimsRequest.ClaimRequest in [
            .value(5), .value(.null), .value([]), .value(["x", 5]), .values([]), .values([1]),
            .value(["value": "x"]),
        ] {
            let env = try TestEnvironment(.openID)
            await expectRule("claims") {
                _ = try await env.start { $0.claims = ClaimsRequest(idToken: ["acr": demand]) }
            }
        }
    }

    @Test("an acr requirement that the profile does not know is rejected, not weakened")
    func unknown() async throws {
        let env = try TestEnvironment(.itsme1)
        let claims =
            #"{"id_token":{"acr":{"value":"tag:itsmetag:sixdots.be,2016-06:acr_advanced"}}}"#
        let query = await OpenIDParameters(
            try urlParameters(env.start().url).all + [OpenIDParameter("claims", claims)]
        ).encoded
        let rejected = try await env.client.browse(query).rejected()
        #expect(rejected.error.code == .unmetAuthenticationRequirements)
        // One known value of several can be satisfied.
        let several = #"{"id_token":{"acr":{"values":["x","\#(Self.advanced)"]}}}"#
        let known = try await received(several, env, inObject: false)
        #expect(try env.client.acr(for: known) == Self.advanced)
    }

    @Test("without an order both lists must be satisfied, or the request is rejected")
    func both() async throws {
        let env = try TestEnvironment(.bindingVoluntary)
        var request = AuthorizationRequest(acrValues: ["silver", "gold"])
        request.claims = ClaimsRequest(idToken: ["acr": .values(["gold", "platinum"])])
        let login = try await Login(env, request)
        #expect(login.started.session.acrValues == ["gold"])
        for acr in ["silver", "platinum"] {
            await expectRule("does not satisfy") { _ = try await login.idToken(acr: acr) }
            await expectRejection("claim-rejected acr") {
                _ = try await login.open(["acr": .string(acr)])
            }
        }
        _ = try await login.open(await login.idToken(acr: "gold"))
        request.acrValues = ["silver"]
        await expectRule("no acr value in common") {
            _ = try await env.party.start(request, at: .testNow)
        }
        await expectRejection("malformed") {
            _ = try await received(
                #"{"id_token":{"acr":{"value":"gold"}}}"#, env, inObject: false,
                acrValues: "silver")
        }
    }

    @Test("if acr_values choose a method that acr does not repeat, an essential acr is satisfied")
    func methods() async throws {
        let env = try TestEnvironment(.signicatMobileID)
        var request = env.request
        request.claims = ClaimsRequest(idToken: ["acr": .value("high")])
        let login = try await Login(env, request)
        for acr in ["low", nil, request.acrValues.first] {
            await expectRejection("claim-rejected acr") {
                _ = try await login.open(["acr": acr.map(JSONValue.string)])
            }
            await expectRule("does not satisfy") { _ = try await login.idToken(acr: acr) }
        }
        _ = try await login.open(await login.idToken(acr: "high"))
    }
}
