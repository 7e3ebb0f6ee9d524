// Audience injection (CVE-2025-27370, CVE-2025-27371; draft-ietf-oauth-rfc7523bis): a hostile
// provider whose metadata name an endpoint of an honest one collects client assertions that the
// honest one accepts.

import JOSE
import JOSEOpenID
import Testing

@Suite("Audience injection")
struct AudienceInjectionTests {
    static let evil = "https://evil.example"

    /// The profile of a generic provider whose clients authenticate by assertions.
    static let profile = OpenIDProfile.openID.with {
        $0.client.authentication = .assertion(.signed)
    }

    /// The attacker's metadata: its own endpoints, except for one of the honest provider's.
    private func metadata(_ profile: OpenIDProfile, _ honest: ProviderMetadata) throws
        -> ProviderMetadata
    {
        try ProviderMetadata(
            issuer: Self.evil, authorizationEndpoint: Self.evil + "/a",
            tokenEndpoint: honest.tokenEndpoint, jwksURI: Self.evil + "/k",
            pushedRequestEndpoint: Self.evil + "/par", backchannelEndpoint: Self.evil + "/ciba",
            profile: profile,
            additional: ["introspection_endpoint": .string(Self.evil + "/introspect")])
    }

    /// The assertions that a client with this profile sends to the attacker's own endpoints.
    private func collected(_ profile: OpenIDProfile, _ env: TestEnvironment) async throws
        -> [String]
    {
        let metadata = try metadata(profile, env.metadata)
        let party = try TestEnvironment.party(profile, metadata, secret: nil)
        let introspector = try Introspector(
            profile: profile, metadata: metadata, clientID: TestEnvironment.clientID,
            keys: TestKeys.party,
            providerKeys: TestKeys.provider.publicKeys)
        var question = BackchannelRequest(.name("a"))
        question.delivery = .poll
        let requests = await [
            try party.push(env.request, at: TestEnvironment.now).request,
            try party.backchannel(question, at: TestEnvironment.now).request,
            try await introspector.request(token: "t", at: TestEnvironment.now),
        ]
        for request in requests { #expect(request.url.hasPrefix(Self.evil)) }
        return try requests.map { try need($0.parameters["client_assertion"]) }
    }

    /// An assertion of the client for this audience.
    private func assertion(_ env: TestEnvironment, _ audience: JSONValue, _ jti: String) throws
        -> String
    {
        try env.partySealed([
            "iss": .string(TestEnvironment.clientID), "sub": .string(TestEnvironment.clientID),
            "aud": audience,
            "jti": .string(jti), "exp": .now(60),
        ])
    }

    /// A form with the assertion that requests a token.
    private func form(_ assertion: String) -> String {
        urlForm([
            "client_assertion_type": TokenRequest.assertionType, "client_assertion": assertion,
            "token": "t", "client_id": TestEnvironment.clientID,
        ]).encoded
    }

    @Test(
        "an assertion sent to a hostile endpoint is accepted nowhere else, whatever the aud rule",
        arguments: [
            MessageAudience.issuer, .tokenEndpoint, .authorizationEndpoint, .pushedRequestEndpoint,
            .backchannelEndpoint, .exactly("https://idp.example/v2/token"),
        ])
    func injection(_ audience: MessageAudience) async throws {
        var profile = Self.profile
        profile.client.audience = audience
        var honest = profile
        honest.client.otherAudiences = [.tokenEndpoint]
        let env = try TestEnvironment(honest)
        for assertion in try await collected(profile, env) {
            await expectRejection("claim-rejected aud") {
                try await env.client.verify(assertion: assertion, at: TestEnvironment.now)
            }
            let form = form(assertion)
            await expectRejection("claim-rejected aud") {
                _ = try await env.client.receiveIntrospectionRequest(form, at: TestEnvironment.now)
            }
            let rejected = try await env.client.receivePushedRequest(form, at: TestEnvironment.now)
                .rejected()
            #expect(rejected.cause.claim == "aud")
        }
        #expect(env.store.count == 0)
    }

    @Test("the default audience is the issuer, and for itsme the token endpoint of its guides")
    func defaults() {
        #expect(ClientRules(authentication: .assertion(.signed)).audience == .issuer)
        for profile in [OpenIDProfile.openID, .netsEIDBroker, .fapi2, .fapi2MessageSigning] {
            #expect(profile.client.audience == .issuer, "\(profile)")
        }
        for profile in [OpenIDProfile.itsme0, .itsme1, .itsme2] {
            #expect(profile.client.audience == .tokenEndpoint, "\(profile)")
        }
        for profile in TestEnvironment.all + [.fapi2, .fapi2MessageSigning] {
            #expect(profile.client.otherAudiences.isEmpty, "\(profile)")
            #expect(profile.pushedRequests.otherAudiences.isEmpty, "\(profile)")
            #expect(profile.backchannel.otherAudiences.isEmpty, "\(profile)")
        }
    }

    @Test(
        "a provider of the same profile accepts the aud that a client sends to an endpoint",
        arguments: [
            MessageAudience.issuer, .tokenEndpoint, .authorizationEndpoint, .pushedRequestEndpoint,
            .backchannelEndpoint, .exactly("https://idp.example/v2/token"),
            .exactly("https://elsewhere.example"),
        ])
    func agreement(_ audience: MessageAudience) async throws {
        var profile = Self.profile
        profile.client.audience = audience
        let sides = try BackchannelEnvironment(
            profile, additional: ["introspection_endpoint": "https://idp.example/v2/introspect"])
        let (party, client) = (sides.env.party, sides.client)
        let started = try await party.start(AuthorizationRequest(), at: TestEnvironment.now)
        let token = try await party.tokenRequest("c", started.session)
        _ = try await client.receive(token)
        let pushed = try await party.push(AuthorizationRequest(), at: TestEnvironment.now).request
            .body
        if case .rejected(let rejected) = await client.receivePushedRequest(
            pushed, at: TestEnvironment.now)
        {
            Issue.record("pushed request: \(rejected.cause)")
        }
        #expect(try rejection(await sides.receive(sides.send())) == ["accepted"])
        let introspector = try Introspector(
            profile: profile, metadata: sides.env.metadata, clientID: TestEnvironment.clientID,
            keys: TestKeys.party, providerKeys: TestKeys.provider.publicKeys)
        let question = try await introspector.request(token: "t", at: TestEnvironment.now)
        _ = try await client.receiveIntrospectionRequest(question.body, at: TestEnvironment.now)
    }

    @Test("a string for the token endpoint is accepted only there")
    func exactly() async throws {
        let elsewhere = "https://elsewhere.example"
        let env = try TestEnvironment(
            Self.profile.with { $0.client.audience = .exactly(elsewhere) })
        func assertion(_ jti: String) throws -> String {
            try self.assertion(env, .string(elsewhere), jti)
        }
        try await env.client.verify(assertion: assertion("1"), at: TestEnvironment.now)
        let form = try form(assertion("2"))
        await expectRejection("claim-rejected aud") {
            _ = try await env.client.receiveIntrospectionRequest(form, at: TestEnvironment.now)
        }
        let pushed = await env.client.receivePushedRequest(form, at: TestEnvironment.now)
        #expect(try pushed.rejected().cause.claim == "aud")
    }

    @Test("each endpoint accepts its listed aud values", arguments: [false, true])
    func endpoints(_ isWidened: Bool) async throws {
        var profile = Self.profile
        if isWidened {
            profile.client.otherAudiences = [.tokenEndpoint]
            profile.pushedRequests.otherAudiences = [.pushedRequestEndpoint, .tokenEndpoint]
        }
        let env = try TestEnvironment(profile)
        let (token, pushed) = (
            env.metadata.tokenEndpoint, try need(env.metadata.pushedRequestEndpoint)
        )
        let cases: [(JSONValue, token: Bool, pushed: Bool, other: Bool)] = [
            (.string(TestEnvironment.issuer), true, true, true),
            ([.string(TestEnvironment.issuer)], true, true, true),
            (.string(token), isWidened, isWidened, false),
            ([.string(token)], false, false, false),
            (.string(pushed), false, isWidened, false),
            ([.string(pushed)], false, false, false),
            ([.string(token), .string(TestEnvironment.issuer)], false, false, false),
            (
                [.string(TestEnvironment.issuer), .string(TestEnvironment.issuer)], false, false,
                false
            ),
            (.string(env.metadata.authorizationEndpoint), false, false, false),
            (.string(TestEnvironment.issuer + "/"), false, false, false),
            (.string(Self.evil), false, false, false), ([], false, false, false),
        ]
        for (index, (audience, atToken, atPushed, atOther)) in cases.enumerated() {
            func outcome(_ call: (String) async throws -> Void) async -> Bool {
                do {
                    try await call(try assertion(env, audience, "\(index)-\(env.store.count)"))
                    return true
                } catch let error as JOSEError {
                    #expect(verdict(error) == "claim-rejected aud", "\(audience)")
                } catch {
                    Issue.record("\(error)")
                }
                return false
            }
            #expect(
                await outcome {
                    try await env.client.verify(assertion: $0, at: TestEnvironment.now)
                }
                    == atToken, "token endpoint: \(audience)")
            #expect(
                await outcome {
                    _ = try await env.client.receiveIntrospectionRequest(
                        form($0), at: TestEnvironment.now)
                } == atOther, "introspection: \(audience)")
            #expect(
                await outcome {
                    let verdict = await env.client.receivePushedRequest(
                        form($0), at: TestEnvironment.now)
                    // The form lacks a grant, so an authenticated client gets that error.
                    guard case .rejected(let rejected) = verdict else { return }
                    if rejected.cause.claim == "aud" { throw rejected.cause }
                } == atPushed, "pushed request: \(audience)")
        }
        // One jti is one use, for any of our names.
        guard isWidened else { return }
        let both = try [.string(TestEnvironment.issuer), .string(token)].map {
            try assertion(env, $0, "both")
        }
        try await env.client.verify(assertion: both[0], at: TestEnvironment.now)
        await expectRejection("replayed") {
            try await env.client.verify(assertion: both[1], at: TestEnvironment.now)
        }
    }
}
