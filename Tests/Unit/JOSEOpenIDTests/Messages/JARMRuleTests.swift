// The algorithm that signs a response, its metadata, and when a request must ask for one.

import JOSE
import JOSEOpenID
import Testing

@Suite("JARM rules")
struct JARMRuleTests {
    @Test("a client registers its own algorithm among those of the profile")
    func algorithms() async throws {
        var profile = JARMTests.profile()
        profile.algorithms.signature = [.rs256, .ps256]
        let env = try TestEnvironment(profile)
        let login = try await Login(env)
        var registration = TestEnvironment.registration()
        for (algorithm, header) in [
            (nil, "RS256"), (.ps256, "PS256"), (.rs256, "RS256"),
        ] as [(SignatureAlgorithm?, String)] {
            registration.jarmAlgorithm = algorithm
            let client = try env.provider.client(registration)
            let back = try await client.redirect(code: "c", for: login.received, at: .testNow)
            let token = try need(back.parameters["response"])
            #expect(try TokenText.header(token)["alg"] as? String == header)
            #expect(try await env.response(back, for: login.started.session) == .code("c"))
        }
        registration.jarmAlgorithm = .es256
        await expectRule("not in the profile") { _ = try env.provider.client(registration) }
    }

    @Test("the metadata list the JARM members, and a relying party follows them")
    func metadata() async throws {
        let nested = try TestEnvironment.metadata(JARMTests.profile(.signedThenEncrypted))
        #expect(nested.list("authorization_signing_alg_values_supported") == ["RS256"])
        #expect(
            nested.list("authorization_encryption_alg_values_supported")
                == ["RSA-OAEP-256", "RSA-OAEP"])
        #expect(
            nested.list("authorization_encryption_enc_values_supported") == ["A128CBC-HS256"])
        let signed = try TestEnvironment.metadata(JARMTests.profile())
        #expect(signed["authorization_encryption_alg_values_supported"] == nil)
        #expect(
            try TestEnvironment.metadata(.openID)["authorization_signing_alg_values_supported"]
                == nil)
        #expect(
            signed.list("response_modes_supported")
                == ["jwt", "query.jwt", "fragment.jwt", "form_post.jwt"])
        let name = "authorization_signing_alg_values_supported"
        await expectRejection("claim-rejected \(name)") {
            _ = try TestEnvironment.metadata(JARMTests.profile(), [name: ["ES256"]])
        }
        let other = try TestEnvironment(
            JARMTests.profile(), additional: ["response_modes_supported": ["query"]])
        await expectRejection("claim-rejected response_modes_supported") {
            _ = try await other.party.start(other.request)
        }
    }

    @Test("an unsupported response mode is an error on both sides that lists the supported modes")
    func modes() async throws {
        let some = JARMTests.profile(among: [.jwt, .formPostJWT])
        let plain = JARMTests.profile(.signed, .query, among: [.query])
        var several = JARMTests.profile(among: [.query, .jwt])
        several.authorization.defaultResponseMode = .query
        for (profile, mode, said) in [
            (OpenIDProfile.fapi2MessageSigning, .queryJWT, "response_mode must be jwt"),
            (.openID, .jwt, "response_mode must be query or form_post"),
            (plain, .formPost, "response_mode must be query"),
            (some, .queryJWT, "authorization.responseModes"),
            (several, .formPost, "authorization.responseModes"),
        ] as [(OpenIDProfile, ResponseMode, String)] {
            let env = profile.pushedRequests.isRequired ? nil : try TestEnvironment(profile)
            var request = env?.request ?? AuthorizationRequest()
            request.responseMode = mode
            await expectRule(said) {
                if let env {
                    _ = try await env.party.start(request)
                } else {
                    let sides = try FAPIEnvironment(profile)
                    _ = try await sides.party.push(request, prover: sides.prover)
                }
            }
        }
        let login = try await Login(TestEnvironment(.openID))
        let rejected = try await login.env.client.browse(
            query(login.started.url) + "&response_mode=jwt"
        ).rejected()
        #expect(rejected.error.description?.contains("query or form_post") == true)
    }

    @Test("if plain responses are not allowed, a request must ask for a signed one")
    func only() async throws {
        let env = try TestEnvironment(JARMTests.profile())
        let login = try await Login(env)
        let good = query(login.started.url)
        for (text, with) in [("&response_mode=jwt", ""), ("mode=jwt", "mode=query")] {
            let rejected = try await env.client.browse(good.replacing(text, with: with)).rejected()
            #expect(rejected.error.code == .invalidRequest)
            #expect(rejected.redirect.responseMode == .query)
            await expectRejection("malformed") {
                _ = try await env.response(rejected.redirect, for: login.started.session)
            }
        }
        await expectRule("response_mode is required") {
            var profile = JARMTests.profile()
            profile.authorization.defaultResponseMode = .query
            _ = try await TestEnvironment(profile).party.start(env.request)
        }
        var asking = env.request
        asking.responseMode = .jwt
        await expectRule("response_mode") { [asking] in
            _ = try await TestEnvironment(.openID).party.start(
                asking)
        }
    }

    @Test("a relying party with a fetched key set reads the same responses")
    func fetched() async throws {
        for layers in [TokenLayers.signed, .signedThenEncrypted] {
            let env = try TestEnvironment(JARMTests.profile(layers))
            let login = try await Login(env)
            let party = try TestEnvironment.fetching(env.profile, env.metadata)
            let client = try env.provider.client(TestEnvironment.registration())
            let back = try await client.redirect(code: "c", for: login.received, at: .testNow)
            let session = login.started.session
            #expect(
                try await party.authorizationResponse(
                    query: query(back.url), for: session, at: .testNow) == .code("c"))
            await expectRejection("claim-rejected exp") {
                _ = try await party.authorizationResponse(
                    query: query(back.url), for: session,
                    at: TestEnvironment.at(360))
            }
            await expectRejection("malformed") {
                _ = try await party.authorizationResponse(
                    query: "code=c&state=" + session.state, for: session, at: .testNow)
            }
        }
    }

    @Test("a signed response lives at most ten minutes", arguments: [0, 1, 600, 601])
    func lives(_ seconds: Int) async throws {
        var profile = JARMTests.profile()
        profile.jarm.lifetime = .seconds(seconds)
        guard 1...600 ~= seconds else {
            await expectRejection("misuse") { _ = try TestEnvironment(profile) }
            return
        }
        _ = try TestEnvironment(profile)
    }
}
