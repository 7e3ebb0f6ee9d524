// Signed backchannel requests (CIBA Core 1.0, 7.1.1), and the parameters next to them.

import JOSE
import JOSEOpenID
import Testing

@Suite("Signed backchannel requests")
struct BackchannelObjectTests {
    private func check(
        _ sides: BackchannelEnvironment, _ claims: [String: JSONValue],
        by key: JWK = TestKeys.partySigning, type: String? = nil,
        beside: [OpenIDParameter] = []
    ) async throws -> [String] {
        let object = OpenIDParameter("request", try sides.object(claims, by: key, type: type))
        return try rejection(await sides.receive(sides.form([object] + beside)))
    }

    @Test("each wrong claim has one error code, and its jti is not claimed")
    func claims() async throws {
        let sides = try BackchannelEnvironment()
        let rejected: [(String, JSONValue?)] = [
            ("iss", nil), ("iss", "another"), ("iss", .issuer), ("aud", nil),
            ("aud", "https://other.example"), ("aud", .string(BackchannelEnvironment.endpoint)),
            ("exp", nil), ("exp", .now(-60)), ("iat", nil), ("iat", .now(61)), ("nbf", nil),
            ("nbf", .now(61)), ("nbf", .now(-3_301)), ("nbf", .now(-3_661)), ("jti", nil),
            ("jti", ""), ("jti", 1), ("sub", .clientID), ("response_type", "code"),
            ("redirect_uri", .redirectURI), ("state", "s"), ("nonce", "n"), ("code_challenge", "c"),
            ("client_id", "another"), ("client_id", .string(TestEnvironment.clientID + " ")),
        ]
        let malformed: [(String, JSONValue?)] = [
            ("login_hint", 1), ("login_hint", ["a"]), ("scope", ["openid"]),
            ("binding_message", .null), ("binding_message", "a\u{7}b"), ("requested_expiry", 1.5),
            ("requested_expiry", true), ("request", "e30.e30.e30"),
            ("request_uri", "https://rp.example/o"),
        ]
        for (name, value, cause) in rejected.map({ ($0, $1, "claim-rejected \($0)") })
            + malformed.map({ ($0, $1, "malformed") }) + [
                ("exp", .now(3_601), "claim-rejected nbf")
            ]
        {
            let claims = BackchannelEnvironment.claims().with([name: value])
            let reported = try await check(sides, claims)
            #expect(
                reported == [cause, "invalid_request", "400"],
                "\(name) \(value.map { "\($0)" } ?? "absent"): \(reported)")
        }
        #expect(try await check(sides, BackchannelEnvironment.claims()) == ["accepted"])
        #expect(
            try await check(sides, BackchannelEnvironment.claims())
                == ["replayed", "invalid_request", "400"])
        let named = BackchannelEnvironment.claims("named").with(["client_id": .clientID])
        #expect(try await check(sides, named) == ["accepted"])
    }

    @Test("a client gets details only about a request that it signed")
    func told() async throws {
        let sides = try BackchannelEnvironment()
        func errorDescription(
            _ name: String?, _ value: JSONValue?, by key: JWK = TestKeys.partySigning
        ) async throws -> String {
            var claims = BackchannelEnvironment.claims()
            if let name { claims[name] = value }
            let object = OpenIDParameter("request", try sides.object(claims, by: key))
            let verdict = await sides.receive(try sides.form([object]))
            guard case .rejected(let rejected) = verdict else { return "accepted" }
            return try need(TokenError(json: rejected.response().body).description)
        }
        for (name, value, text) in [
            ("exp", .now(-60), "has expired"), ("nbf", .now(61), "is not valid yet"),
            ("iat", .now(61), "issued in the future"),
            ("aud", "https://other.example", "another audience"),
            ("iss", "another", "not issued by the client"), ("jti", nil, "no jti"),
        ] as [(String, JSONValue?, String)] {
            #expect(try await errorDescription(name, value).contains(text), "\(name)")
        }
        let stranger = try await errorDescription("exp", .now(-60), by: TestKeys.providerSigning)
        #expect(stranger == "the request is malformed or incomplete")
        #expect(try await errorDescription(nil, nil) == "accepted")
        #expect(try await errorDescription(nil, nil).contains("used before"))
    }

    @Test("7.1.1: nbf and exp of a signed request are valid up to 60 minutes and the leeway")
    func times() async throws {
        let sides = try BackchannelEnvironment()
        let now = TestEnvironment.now.seconds
        for (nbf, exp, isGood) in [
            (now, now + 3_600, true), (now - 3_540, now + 60, true), (now - 3_600, now, true),
            (now - 3_660, now - 59, false), (now - 1, now + 3_600, false),
        ] {
            var claims = BackchannelEnvironment.claims("j\(nbf)")
            claims["nbf"] = .integer(nbf)
            claims["iat"] = .integer(min(nbf, exp))
            claims["exp"] = .integer(exp)
            let reported = try await check(sides, claims)
            #expect((reported == ["accepted"]) == isGood, "\(nbf - now) \(exp - now): \(reported)")
        }
    }

    @Test("7.1.1: requests need an asymmetric signature by the client's key and algorithm")
    func signatures() async throws {
        let sides = try BackchannelEnvironment()
        #expect(
            try await check(sides, BackchannelEnvironment.claims(), by: TestKeys.providerSigning)[1]
                == "invalid_request")
        let good = try sides.object(BackchannelEnvironment.claims())
        let parts = good.split(separator: ".", omittingEmptySubsequences: false)
        let unsigned = "eyJhbGciOiJub25lIn0." + parts[1] + "."
        for (text, cause) in [
            (unsigned, "algorithm-not-allowed"),
            (String(good.dropLast(4)) + "AAAA", "signature-invalid"),
            ("a.b", "malformed"), (good + ".a.b", "malformed"),
        ] {
            let form = try await sides.form(["request": text])
            #expect(
                try rejection(await sides.receive(form)) == [cause, "invalid_request", "400"],
                "\(text)")
        }
        let secret = try JWK.generate(.symmetric(bits: 256), algorithm: .hs256)
        let symmetric = try JWTIssuer(
            key: secret, algorithm: .hs256, requiresExpiration: false
        ).issue(JSONValue.object(BackchannelEnvironment.claims()))
        let form = try await sides.form(["request": symmetric])
        #expect(
            try rejection(await sides.receive(form)) == [
                "algorithm-not-allowed", "invalid_request", "400",
            ])
        // Registered for another algorithm of the profile.
        let other = try BackchannelEnvironment(
            .openIDWithAssertion.with { $0.algorithms.signature = [.rs256, .ps256] }, .poll
        ) { $0.signingAlgorithm = .ps256 }
        #expect(
            try await check(other, BackchannelEnvironment.claims()) == [
                "algorithm-not-allowed", "invalid_request", "400",
            ])
        await expectRejection("misuse") {
            _ = try BackchannelEnvironment(.openIDWithAssertion, .poll) {
                $0.signingAlgorithm = .es256
            }
        }
    }

    @Test("7.1.1: next to the object only client authentication parameters are allowed")
    func beside() async throws {
        let sides = try BackchannelEnvironment()
        for name in [
            "scope", "client_notification_token", "acr_values", "login_hint_token",
            "id_token_hint", "login_hint", "binding_message", "user_code", "requested_expiry",
        ] {
            let reported = try await check(
                sides, BackchannelEnvironment.claims(), beside: [OpenIDParameter(name, "openid")])
            #expect(reported == ["malformed", "invalid_request", "400"], "\(name): \(reported)")
        }
        let reference = OpenIDParameter("request_uri", "https://rp.example/o")
        #expect(
            try await check(sides, BackchannelEnvironment.claims(), beside: [reference])
                == ["malformed", "invalid_request", "400"])
        let own = OpenIDParameter("client_id", TestEnvironment.clientID)
        #expect(
            try await check(sides, BackchannelEnvironment.claims(), beside: [own]) == ["accepted"])
    }

    @Test("signed messages of different kinds are not interchangeable")
    func kinds() async throws {
        let sides = try BackchannelEnvironment()
        let sent = try await sides.send().request.parameters
        let assertion = try need(sent["client_assertion"])
        let form = try await sides.form(["request": assertion])
        #expect(try rejection(await sides.receive(form))[1] == "invalid_request")
        var profile = OpenIDProfile.openIDWithAssertion
        profile.requestObject.audience = .issuer
        profile.requestObject.delivery = .byValue
        let jar = try TestEnvironment(profile)
        let started = try await jar.party.start(jar.request, at: .testNow)
        let object = try need(urlParameters(started.url)["request"])
        let reported = try rejection(await sides.receive(sides.form(["request": object])))
        #expect(reported[1] == "invalid_request")
        // And the reverse.
        let ours = try sides.object(BackchannelEnvironment.claims())
        _ = try await jar.client.browse(TestEnvironment.form(["request": ours])).rejected()
        await expectRejection("claim-rejected sub") {
            try await sides.client.verify(assertion: ours, at: .testNow)
        }
    }
}
