// OpenID Connect Core 5.5: the claims request, written, read, and enforced on both sides.

import Foundation
import JOSE
import JOSEOpenID
import Testing

@Suite("Claims request")
struct ClaimsRequestTests {
    private static let written: [(ClaimsRequest, String)] = [
        (ClaimsRequest(), "{}"),
        (
            ClaimsRequest(userInfo: ["name": .voluntary, "email": .essential]),
            #"{"userinfo":{"email":{"essential":true},"name":null}}"#
        ),
        (
            ClaimsRequest(idToken: ["sub": .value("u"), "acr": .values(["a", "b"])]),
            #"{"id_token":{"acr":{"values":["a","b"]},"sub":{"value":"u"}}}"#
        ),
        (
            ClaimsRequest(
                userInfo: ["é": .voluntary],
                idToken: [
                    "acr": .init(isEssential: true, value: 1, values: [.null, ["a": 1.5], "x"])
                ]),
            #"{"id_token":{"acr":{"essential":true,"value":1,"values":[null,{"a":1.5},"x"]}},"userinfo":{"é":null}}"#
        ),
    ]

    @Test("a written claims request is read back", arguments: written.indices)
    func thereAndBack(_ index: Int) throws {
        let (request, text) = Self.written[index]
        #expect(try request.text() == text)
        #expect(try ClaimsRequest(json: text) == request)
        #expect(try ClaimsRequest(json: text).hashValue == request.hashValue)
    }

    @Test("Core 5.5: the printed example is read, with its white space") func printed() throws {
        let request = try ClaimsRequest(
            json: """
                {
                  "userinfo":
                   {
                    "given_name": {"essential": true},
                    "nickname": null,
                    "email": {"essential": true},
                    "email_verified": {"essential": true},
                    "picture": null,
                    "http://example.info/claims/groups": null
                   },
                  "id_token":
                   {
                    "auth_time": {"essential": true},
                    "acr": {"values": ["urn:mace:incommon:iap:silver"] }
                   }
                 }
                """)
        #expect(request.userInfo.count == 6)
        #expect(request.userInfo["nickname"] == .voluntary)
        #expect(request.userInfo["email"]?.isEssential == true)
        #expect(request.idToken["acr"]?.values == ["urn:mace:incommon:iap:silver"])
    }

    @Test("unknown members are ignored, and essential may be false") func unknown() throws {
        #expect(
            try ClaimsRequest(
                json: #"{"id_token":{"a":{"essential":false,"purpose":"x"}},"verified":[1]}"#)
                == ClaimsRequest(idToken: ["a": .voluntary]))
        // The lowercase form of the Kelvin sign is k.
        #expect(try ClaimsRequest(json: "{\"id_to\u{212a}en\":1}") == ClaimsRequest())
    }

    @Test(
        "a malformed claims request is rejected",
        arguments: [
            "", "null", "[]", "5", "\"x\"", "{", #"{"userinfo":null}"#, #"{"id_token":[]}"#,
            #"{"id_token":{"a":1}}"#, #"{"id_token":{"a":"b"}}"#, #"{"id_token":{"a":[]}}"#,
            #"{"id_token":{"a":{"essential":null}}}"#, #"{"id_token":{"a":{"values":1}}}"#,
            #"{"id_token":{"a":{"values":[]}}}"#, #"{"id_token":{},"id_token":{}}"#,
            #"{"id_token":{"a":null,"a":null}}"#, #"{"id_token":{"a":{"value":1,"value":2}}}"#,
            #"{"id_Token":{"acr":{"value":"x"}}}"#, #"{"ID_TOKEN":{}}"#, #"{"userInfo":{}}"#,
            #"{"id_token":{"K":null,"\#u{212a}":null}}"#, #"{}x"#, #"{"id_token":{"a":nul}}"#,
        ])
    func rejected(_ text: String) async {
        await expectRejection("malformed", text) { _ = try ClaimsRequest(json: text) }
        guard !text.isEmpty else { return }
        await expectRejection("malformed", text) {
            let env = try TestEnvironment(.openID)
            let parameters = try await urlParameters(env.start().url).all
            let verdict = try await env.client.browse(
                parameters + [OpenIDParameter("claims", text)])
            guard case .rejected(let rejected) = verdict else { return }
            #expect(rejected.error.code == .invalidRequest)
            throw rejected.cause
        }
    }

    @Test(
        "JSON white space is accepted, other control characters are rejected (RFC 8259 2 and 7)",
        arguments: [
            ("{\n  \"id_token\": {\r\n\t\"acr\": {\"value\": \"a\"}\n}}\n", nil),
            ("\n{}", nil),
            ("{\"id_token\":{\"a\nb\":null}}", .invalidRequest),
            ("{\"id_token\":{\"acr\":{\"value\":\"a\tb\"}}}", .invalidRequest),
            ("\n", .invalidRequest), ("{}\n{}", .invalidRequest),
        ] as [(String, OAuthErrorCode?)])
    func whiteSpace(_ text: String, _ rejection: OAuthErrorCode?) async throws {
        let env = try TestEnvironment(.openID)
        let started = try await env.start()
        for name in ["claims", "idp_params"] {
            let all = try urlParameters(started.url).all
            let asked = OpenIDParameters(all + [OpenIDParameter(name, text)]).encoded
            switch try await env.client.browse(asked) {
            case .accepted(let received):
                #expect(rejection == nil, "\(name) \(text)")
                guard name == "claims" else { continue }
                #expect(try received.claims == ClaimsRequest(json: text))
                let kept = try coded(received)
                #expect(try kept.claims == ClaimsRequest(json: text))
            case .rejected(let rejected):
                #expect(rejected.error.code == rejection, "\(name) \(text)")
            }
        }
    }

    @Test("the claims request of the object takes precedence over the query")
    func sameInObject() async throws {
        var request = AuthorizationRequest()
        request.claims = ClaimsRequest(idToken: ["acr": .value("a")])
        request.delivery = .byValue
        let env = try TestEnvironment(.openID)
        let started = try await env.party.start(request, at: .testNow)
        for value in ["a", "b"] {
            let text = "{\n\"id_token\":\r\n{\"acr\":\t{\"value\":\"\(value)\"}}}"
            let all = try OpenIDParameters(decoding: addressed(query(started.url))).all
            let verdict = try await env.client.browse(all + [OpenIDParameter("claims", text)])
            let received = try verdict.accepted()
            #expect(received.claims == request.claims)
        }
    }

    @Test(
        "every other parameter rejects control characters, whether it is known or not",
        arguments: [
            "state", "nonce", "scope", "redirect_uri", "client_id", "response_type", "acr_values",
            "login_hint", "resource", "max_age", "request", "request_uri", "code_challenge",
            "ui_locales",
            "id_token_hint", "iss", "code", "error", "grant_type", "client_secret",
            "client_assertion",
            "client_assertion_type", "code_verifier", "access_token",
        ])
    func strict(_ name: String) async {
        for text in ["%0A", "a%0Ab", "a%09", "%0D", "%00", "%7F", "%E9", "a%C3", "%"] {
            await expectRejection("malformed", text) {
                _ = try OpenIDParameters(decoding: "x=1&\(name)=\(text)")
            }
        }
        for text in ["%00", "%7F", "%0B", "%1F", "%E9", "%"] {
            for json in ["claims", "idp_params", "registration"] {
                await expectRejection("malformed", text) {
                    _ = try OpenIDParameters(decoding: "\(json)={}\(text)")
                }
            }
        }
    }

    @Test("its size is limited in bytes, values and levels") func bounds() async {
        func names(_ count: Int) -> String {
            #"{"id_token":{\#((0..<count).map { #""n\#($0)":null"# }.joined(separator: ","))}}"#
        }
        func value(_ text: String) -> String { #"{"id_token":{"a":{"value":\#(text)}}}"# }
        func string(_ bytes: Int) -> String { "\"" + String(repeating: "x", count: bytes) + "\"" }
        func list(_ depth: Int) -> String {
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        }
        for good in [names(1), names(200), value(string(60_000)), value(list(12))] {
            #expect(throws: Never.self) { try ClaimsRequest(json: good) }
        }
        for bad in [
            names(300), names(8_000), value(string(65_536)), value(list(17)), value(list(100_000)),
        ] {
            await expectRejection("limit-exceeded", "\(bad.utf8.count)") {
                _ = try ClaimsRequest(json: bad)
            }
        }
    }

    @Test("Core 2: acr and auth_time requested as essential must be present")
    func essential() async throws {
        for name in ["acr", "auth_time"] {
            for (demand, isNeeded) in [
                (ClaimsRequest.ClaimRequest.essential, true), (.voluntary, false),
            ] {
                var request = AuthorizationRequest()
                request.claims = ClaimsRequest(idToken: [name: demand])
                let login = try await Login(TestEnvironment(.openID), request)
                #expect(login.started.session.requiredClaims == (isNeeded ? [name] : []))
                let claims = login.goodClaims.with(["acr": "a"]).with([name: nil])
                var user = UserAuthentication(
                    subject: login.user.subject, time: TestEnvironment.now, acr: "a")
                if name == "acr" { user.acr = nil } else { user.time = nil }
                guard isNeeded else {
                    _ = try await login.open(login.forged(claims))
                    _ = try await login.open(await login.idToken(user: user))
                    continue
                }
                await expectRejection("claim-rejected \(name)") {
                    _ = try await login.open(login.forged(claims))
                }
                let lacking = user
                await expectRejection("claim-rejected \(name)") {
                    _ = try await login.idToken(user: lacking)
                }
            }
        }
    }

    @Test("Core 3.1.2.2: a requested sub must match, or there is no successful response")
    func subject() async throws {
        let subject = "user-1-of-32-characters-in-total"
        for profile in [OpenIDProfile.openID, .itsme1] {
            let env = try TestEnvironment(profile)
            var request = env.request
            for demand: ClaimsRequest.ClaimRequest in [
                .value("someone-else-of-32-characters-xx"), .values(["b", "c"]),
            ] {
                request.claims = ClaimsRequest(idToken: ["sub": demand])
                let login = try await Login(env, request)
                await expectRule("another user") { _ = try await login.idToken() }
                await expectRejection("claim-rejected sub") {
                    _ = try await login.open(login.forged(login.goodClaims))
                }
            }
            for demand: ClaimsRequest.ClaimRequest in [
                .value(.string(subject)), .values(["b", .string(subject)]), .essential,
            ] {
                request.claims = ClaimsRequest(idToken: ["sub": demand])
                let login = try await Login(env, request)
                #expect(try await login.open(await login.idToken()).subject == subject)
            }
        }
    }
}
