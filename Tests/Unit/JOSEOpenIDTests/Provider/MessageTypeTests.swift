// `typ` by kind of message: what each reader accepts, what each side writes.

import Foundation
import JOSE
import JOSEOpenID
import Testing

@Suite("Message types (typ)")
struct MessageTypeTests {
    private func set(
        _ rules: TokenHeaderRules, _ place: WritableKeyPath<OpenIDProfile, TokenHeaderRules>,
        in profile: OpenIDProfile = .itsme1
    ) -> OpenIDProfile {
        var profile = profile
        profile[keyPath: place] = rules
        return profile
    }

    private static var places: [WritableKeyPath<OpenIDProfile, TokenHeaderRules>] {
        [\.requestObject.header, \.client.header, \.idToken.header, \.userInfo.header]
    }

    private func rules(_ type: MediaTypeRule, _ written: String? = nil) -> TokenHeaderRules {
        var rules = TokenHeaderRules()
        rules.type = type
        rules.writtenType = written
        return rules
    }

    @Test(
        "RFC 9101 10.8: only typ oauth-authz-req+jwt marks a request object",
        arguments: TestEnvironment.all)
    func objects(_ profile: OpenIDProfile) async throws {
        var profile = profile.lenient
        for (rule, types) in [
            (
                profile.requestObject.header.type,
                [nil, "JWT", "oauth-authz-req+jwt", "application/OAuth-authz-req+JWT"]
            ),
            (
                .exactly("oauth-authz-req+jwt"),
                ["oauth-authz-req+jwt", "application/OAuth-authz-req+JWT"]
            ), (.jwt, [nil, "JWT"]),
        ] as [(MediaTypeRule, [String?])] {
            profile.requestObject.header.type = rule
            profile.requestObject.header.writtenType = types.contains(nil) ? nil : types[0]
            let env = try TestEnvironment(profile)
            let claims = try await RequestObjectLayerTests.claims(env)
            for type in [
                nil, "JWT", "oauth-authz-req+jwt", "application/OAuth-authz-req+JWT",
                "client-authentication+jwt", "token-userinfo+jwt", "at+jwt", "logout+jwt", "",
            ] as [String?] {
                for outer in [
                    nil, HeaderParameters(contentType: "JWT"),
                    HeaderParameters(type: "JWT", contentType: "JWT"),
                ] {
                    let token = try RequestObjectLayerTests.token(claims, type: type, outer: outer)
                    let rejection = try await RequestObjectLayerTests.rejection(env, token)
                    #expect(
                        rejection == (types.contains(type) ? nil : "claim-rejected typ"),
                        "\(rule) \(type ?? "none")")
                }
            }
        }
    }

    @Test("RFC 8725 3.11: an encrypted token may repeat the typ of the nested token")
    func outside() async throws {
        let env = try TestEnvironment(.itsme2)
        let claims = try await RequestObjectLayerTests.claims(env)
        for (inner, outer, wanted) in [
            ("oauth-authz-req+jwt", "oauth-authz-req+jwt", nil),
            (nil, "oauth-authz-req+jwt", nil),
            ("oauth-authz-req+jwt", "at+jwt", "claim-rejected typ"),
            ("at+jwt", "oauth-authz-req+jwt", "claim-rejected typ"),
            (nil, "client-authentication+jwt", "claim-rejected typ"),
        ] as [(String?, String?, String?)] {
            let token = try RequestObjectLayerTests.token(
                claims, type: inner, outer: HeaderParameters(type: outer, contentType: "JWT"))
            #expect(try await RequestObjectLayerTests.rejection(env, token) == wanted)
        }
    }

    @Test("each message is written with its typ, and only its reader accepts it")
    func written() async throws {
        var profile = OpenIDProfile.itsme1
        profile.requestObject.header = rules(
            .exactly("oauth-authz-req+jwt"), "oauth-authz-req+jwt")
        profile.client.header = rules(
            .exactly("client-authentication+jwt"), "client-authentication+jwt")
        profile.client.authentication = .assertion(.signed)
        profile.idToken.header = rules(.exactly("id+jwt"), "id+jwt")
        profile.idToken.layers = .signed
        profile.userInfo.header = rules(.exactly("token-userinfo+jwt"), "token-userinfo+jwt")
        profile.userInfo.layers = .signed
        let env = try TestEnvironment(profile)
        let login = try await Login(env) { $0.delivery = .byReference(TestEnvironment.requestURI) }
        let form = try await login.tokenRequest()
        _ = try await env.client.receive(form)
        let idToken = try await login.idToken()
        let verified = try await login.open(idToken)
        let userInfo = try await env.client.tokenIssuer().userInfo(
            subject: TestEnvironment.subject, at: .testNow)
        _ = try await env.party.userInfo(userInfo, verified)
        for (token, type) in [
            (try need(login.started.requestObject), "oauth-authz-req+jwt"),
            (try need(form.parameters["client_assertion"]), "client-authentication+jwt"),
            (idToken, "id+jwt"), (userInfo, "token-userinfo+jwt"),
        ] { #expect(try TokenText.header(token)["typ"] as? String == type) }
        // Readers without a type of their own reject the types of others, as before.
        let plain = try TestEnvironment(.itsme1)
        await expectRejection("claim-rejected typ") {
            _ = try await plain.party.userInfo(
                plain.sealed(["sub": .subject], .signedThenEncrypted, type: "token-userinfo+jwt"),
                verified)
        }
    }

    @Test("glewlwyd: token-userinfo+jwt is accepted if the profile allows it, nested too")
    func userInfo() async throws {
        for layers in [TokenLayers.signed, .signedThenEncrypted] {
            var profile = set(
                rules(.jwtOr(["token-userinfo+jwt"])), \.userInfo.header, in: .itsme1)
            profile.userInfo.layers = layers
            let login = try await Login(TestEnvironment(profile))
            let idToken = try await login.open(login.forged(login.goodClaims))
            for (type, isTaken) in [
                (nil, true), ("JWT", true), ("token-userinfo+jwt", true), ("at+jwt", false),
            ] as [(String?, Bool)] {
                let response = try login.env.sealed(["sub": .subject], layers, type: type)
                let read = try? await login.env.party.userInfo(response, idToken)
                #expect((read != nil) == isTaken, "\(layers) \(type ?? "none")")
            }
        }
    }

    @Test(
        "client assertions may have typ client-authentication+jwt, JWT, or no typ",
        arguments: TestEnvironment.all)
    func assertions(_ profile: OpenIDProfile) async throws {
        var profile = profile
        profile.client.authentication = .assertion(.signed)
        for (type, isTaken) in [
            (nil, true), ("JWT", true), ("client-authentication+jwt", true),
            ("oauth-authz-req+jwt", false), ("at+jwt", false),
        ] as [(String?, Bool)] {
            let env = try TestEnvironment(profile)
            let token = try RequestObjectLayerTests.token(
                [
                    "iss": .clientID, "sub": .clientID, "jti": "j",
                    "aud": .string(env.assertionAudience), "exp": .now(60),
                ], type: type)
            await expectResult(isTaken ? nil : "claim-rejected typ") {
                try await env.client.verify(assertion: token, at: .testNow)
            }
        }
    }

    @Test("a profile that writes a type it does not accept is misuse, on both sides")
    func contradiction() async throws {
        for place in Self.places {
            for rules in [
                rules(.jwt, "oauth-authz-req+jwt"), rules(.exactly("x+jwt")),
                rules(.exactly("x+jwt"), "y+jwt"), rules(.jwtOr(["x+jwt"]), "y+jwt"),
                rules(.jwt, ""),
            ] {
                await expectRule("writes a typ that it does not accept") {
                    _ = try TestEnvironment(set(rules, place))
                }
                let env = try TestEnvironment(.itsme1)
                await expectRule("writes a typ that it does not accept") {
                    _ = try OpenIDProvider(
                        profile: set(rules, place), metadata: env.metadata,
                        keys: TestKeys.provider, replays: env.store)
                }
            }
            for rules in [
                rules(.jwt, "JWT"), rules(.jwt), rules(.jwtOr(["x+jwt"]), "X+JWT"),
                rules(.exactly("application/x+jwt"), "x+jwt"), rules(.any, "whatever"),
            ] { _ = try TestEnvironment(set(rules, place)) }
        }
    }
}
