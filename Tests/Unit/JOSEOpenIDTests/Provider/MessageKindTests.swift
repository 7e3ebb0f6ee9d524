// Every message that a side makes is passed to every reader: only those of its own kind accept it.

import Foundation
import JOSE
import JOSEOpenID
import Testing

/// A profile, and what the two sides share beyond it.
struct KindSetting: Sendable, CustomTestStringConvertible {
    var name: String
    var profile: OpenIDProfile
    /// Whether both sides have the same keys, so that signatures do not tell messages apart.
    var sharesKeys = false
    var clientID = TestEnvironment.clientID

    var testDescription: String { name }

    /// Each preset unchanged. Then each with everything equal that a profile can make equal:
    /// layers, audiences, keys, and finally the names of the two sides.
    static let all: [KindSetting] = {
        var settings = TestEnvironment.all.map { KindSetting(name: $0.name, profile: $0) }
        for preset in TestEnvironment.all {
            for layers in [TokenLayers.signed, .signedThenEncrypted] {
                for isSelfContained in [false, true] {
                    for audience in [MessageAudience.tokenEndpoint, .issuer] {
                        let profile = equal(preset, layers, audience, isSelfContained).with {
                            $0.algorithms.keyManagement = [.rsaOAEP]
                            $0.algorithms.content = [.a128CBCHS256]
                        }
                        let name = "\(preset), \(layers), \(audience), alone \(isSelfContained)"
                        settings.append(
                            KindSetting(name: name, profile: profile, sharesKeys: true))
                        if audience == .issuer {
                            settings.append(
                                KindSetting(
                                    name: name + ", one name", profile: profile, sharesKeys: true,
                                    clientID: TestEnvironment.issuer))
                        }
                    }
                    // Everything equal, and every lenient option. The last profile has a type for
                    // each kind of token.
                    let lenient = equal(preset.lenient, layers, .issuer, isSelfContained).with {
                        $0.client.header.requiresContentType = false
                        $0.idToken.header.requiresContentType = false
                        $0.userInfo.header.requiresContentType = false
                    }
                    let typed = lenient.with {
                        $0.requestObject.header.writtenType = "oauth-authz-req+jwt"
                        $0.client.header.writtenType = "client-authentication+jwt"
                        $0.userInfo.header.type = .jwtOr(["token-userinfo+jwt"])
                        $0.userInfo.header.writtenType = "token-userinfo+jwt"
                    }
                    for (what, profile) in [("untyped", lenient), ("typed", typed)] {
                        settings.append(
                            KindSetting(
                                name: "\(profile), \(layers), alone \(isSelfContained), \(what)",
                                profile: profile, sharesKeys: true, clientID: TestEnvironment.issuer
                            ))
                    }
                }
            }
        }
        return settings
    }()

    private static func equal(
        _ preset: OpenIDProfile, _ layers: TokenLayers, _ audience: MessageAudience,
        _ isSelfContained: Bool
    ) -> OpenIDProfile {
        preset.with {
            $0.requestObject.layers = layers
            $0.requestObject.audience = audience
            $0.requestObject.isSelfContained = isSelfContained
            $0.client.authentication = .assertion(layers)
            $0.client.audience = audience
            $0.idToken.layers = layers
            $0.userInfo.layers = layers
        }
    }
}

/// Both sides of a setting during a login, with all messages and all readers.
private struct KindHandler {
    enum Kind: CaseIterable { case object, assertion, idToken, userInfo }

    let setting: KindSetting
    let party: RelyingParty
    let client: RegisteredClient
    let responses: ClientTokenIssuer
    let started: AuthorizationStart
    let received: ReceivedAuthorization
    let idToken: VerifiedIDToken

    init(_ setting: KindSetting) async throws {
        var profile = setting.profile
        // Everything that an object may omit is also in the query.
        profile.requestObject.queryParameters += [
            "response_type", "client_id", "scope", "redirect_uri", "state", "nonce", "acr_values",
            "code_challenge", "code_challenge_method", "login_hint",
        ]
        let metadata = try TestEnvironment.metadata(profile)
        let partyKeys = setting.sharesKeys ? TestKeys.provider : TestKeys.party
        let secret = ClientSecret(TestEnvironment.secret)
        self.setting = setting
        party = try TestEnvironment.party(
            profile, metadata, clientID: setting.clientID, keys: partyKeys, secret: secret)
        client = try TestEnvironment.provider(profile, metadata).client(
            ClientRegistration(
                clientID: setting.clientID, redirectURIs: [TestEnvironment.redirectURI],
                requestURIs: [TestEnvironment.requestURI], secret: secret),
            keys: partyKeys.publicKeys)
        responses = try await client.tokenIssuer()
        var request = TestEnvironment.request(profile)
        request.delivery = .byValue
        started = try await party.start(request, at: .testNow)
        let received = try await client.receive(started)
        self.received = received
        idToken = try await party.open(KindHandler.idToken(responses, received, profile), started)
    }

    private static func idToken(
        _ responses: ClientTokenIssuer, _ received: ReceivedAuthorization, _ profile: OpenIDProfile
    ) throws -> String {
        try responses.idToken(
            for: received, TestEnvironment.user(profile.authorization.acr.weakestFirst.last),
            at: .testNow)
    }

    func has(_ kind: Kind) -> Bool {
        switch kind {
        case .object, .idToken: true
        case .assertion: setting.profile.client.authentication != .basic
        case .userInfo: setting.profile.userInfo.layers != nil
        }
    }

    /// A fresh token of a kind, made by its own side.
    func make(_ kind: Kind) async throws -> String {
        switch kind {
        case .object: try need(urlParameters(started.url)["request"])
        case .assertion:
            try await need(
                party.tokenRequest("c", started.session).parameters["client_assertion"])
        case .idToken: try KindHandler.idToken(responses, received, setting.profile)
        case .userInfo: try responses.userInfo(subject: TestEnvironment.subject, at: .testNow)
        }
    }

    /// Returns if every reader of the kind accepts the token, or throws the rejection.
    func read(_ token: String, as kind: Kind) async throws {
        switch kind {
        case .object:
            let outer = try urlParameters(started.url).all
            let rest = outer.filter { $0.name != "request" }
            var ways = [OpenIDParameter("request", token)]
            if setting.profile.requestObject.allowsReference {
                ways.append(OpenIDParameter("request_uri", TestEnvironment.requestURI))
            }
            for way in ways {
                let verdict = try await client.browse(rest + [way], fetch: { _ in token })
                _ = try verdict.accepted()
            }
        case .assertion:
            let form = urlForm([
                "grant_type": "authorization_code", "code": "c",
                "redirect_uri": TestEnvironment.redirectURI,
                "client_assertion_type": TokenRequest.assertionType, "client_assertion": token,
            ])
            _ = try await client.receiveTokenRequest(form.encoded, at: .testNow)
        case .idToken: _ = try await party.open(token, started)
        case .userInfo: _ = try await party.userInfo(token, idToken)
        }
    }
}

@Suite("Message kinds")
struct MessageKindTests {
    @Test(
        "RFC 8725 3.12: each reader accepts only tokens of its own kind",
        arguments: KindSetting.all)
    func pairs(_ setting: KindSetting) async throws {
        let handler = try await KindHandler(setting)
        for kind in KindHandler.Kind.allCases where handler.has(kind) {
            for reader in KindHandler.Kind.allCases where handler.has(reader) {
                let token = try await handler.make(kind)
                if kind == reader {
                    try await handler.read(token, as: reader)
                } else {
                    await #expect(throws: JOSEError.self, "\(kind) as \(reader)") {
                        try await handler.read(token, as: reader)
                    }
                }
            }
        }
    }

    /// Readers of ID Tokens that expect no nonce, which would identify a login's token.
    @Test(
        "RFC 8725 3.12: only ID Tokens are accepted as hints and in refresh responses",
        arguments: TestEnvironment.all)
    func withoutNonce(_ preset: OpenIDProfile) async throws {
        var profile = preset
        profile.idToken.layers = .signed
        profile.userInfo.layers = .signed
        let sides = try BackchannelEnvironment(profile)
        let (env, subject) = (sides.env, BackchannelEnvironment.subject)
        let login = try await Login(env)
        let before = try await login.open(login.forged(login.goodClaims))
        let (_, wait) = try await sides.waiting()
        let responses = try await sides.client.tokenIssuer()
        let readers: [(String, (String) async throws -> Void)] = [
            ("hint", { _ = try sides.client.subject(ofHint: $0) }),
            ("backchannel", { _ = try await env.party.verifyIDToken($0, for: wait, at: .testNow) }),
            (
                "refresh",
                { _ = try await env.party.verifyRefreshed($0, after: before, at: .testNow) }
            ),
        ]
        var claims = login.goodClaims
        claims["nonce"] = nil
        let idToken = try login.forged(claims)
        claims["exp"] = nil
        let grant = AccessGrant(subject: subject, audience: [TestEnvironment.clientID])
        let others = [
            ("UserInfo", try responses.userInfo(subject: subject, at: .testNow)),
            ("logout", try responses.logoutToken(subject: subject, at: .testNow)),
            ("access token", try responses.accessToken(grant, at: .testNow)),
            ("ID Token without exp", try login.forged(claims)),
        ]
        for (reader, read) in readers {
            try await read(idToken)
            for (kind, token) in others {
                await #expect(throws: JOSEError.self, "\(kind) as \(reader)") {
                    try await read(token)
                }
            }
        }
        // Nor by the application's own claim.
        await expectRule("never sends") {
            _ = try responses.userInfo(
                subject: subject, claims: JSONValue.object(["exp": .now(300)]), at: .testNow)
        }
    }

    @Test("the table covers every preset, and every claim that can be equal is equal somewhere")
    func coverage() {
        #expect(KindSetting.all.count == 126)
        #expect(KindSetting.all.count { $0.clientID == TestEnvironment.issuer } == 72)
    }

    @Test("RFC 9101 10.8: a client assertion is no request object, and its jti stays unclaimed")
    func assertionAsObject() async throws {
        let handler = try await KindHandler(
            try need(KindSetting.all.first { $0.name == "itsme0" }))
        let assertion = try await handler.make(.assertion)
        await expectRejection("claim-rejected sub") {
            try await handler.read(assertion, as: .object)
        }
        try await handler.read(assertion, as: .assertion)
        await expectRejection("claim-rejected sub") {
            try await handler.read(assertion, as: .object)
        }
    }

    @Test("members of requests and responses are rejected in a client assertion")
    func objectAsAssertion() async throws {
        let env = try TestEnvironment(.netsEIDBroker)
        for name in [
            "response_type", "redirect_uri", "nonce", "auth_time", "at_hash", "c_hash",
        ] {
            let token = try env.partySealed([
                "iss": .clientID, "sub": .clientID, "aud": .string(env.assertionAudience),
                "jti": "j", name: "code", "exp": .now(300),
            ])
            await expectRejection("claim-rejected \(name)") {
                try await env.client.verify(assertion: token, at: .testNow)
            }
        }
        #expect(env.store.count == 0)
    }

    @Test("a request object with any sub is rejected", arguments: TestEnvironment.all)
    func subject(_ profile: OpenIDProfile) async throws {
        var setting = KindSetting(name: "", profile: profile)
        setting.profile.requestObject.layers = .signed
        let handler = try await KindHandler(setting)
        let claims = try await Base64URLText.members(of: handler.make(.object))
        try await handler.read(jwt(claims, by: TestKeys.partySigning), as: .object)
        for subject: JSONValue in [.clientID, "user-1-of-32-characters-in-total", "", .null, 1] {
            let token = try jwt(claims.with(["sub": subject]), by: TestKeys.partySigning)
            await #expect(throws: JOSEError.self) { try await handler.read(token, as: .object) }
        }
    }

    @Test(
        "an ID Token is rejected as a UserInfo response, as a token and as JSON",
        arguments: TestEnvironment.all)
    func idTokenAsUserInfo(_ profile: OpenIDProfile) async throws {
        let login = try await Login(TestEnvironment(profile))
        let idToken = try await login.open(login.forged(login.goodClaims))
        for name in ["nonce", "at_hash", "c_hash"] {
            let claims: [String: JSONValue] = ["sub": .subject, name: "x"]
            let response =
                try profile.userInfo.layers.map { try login.env.sealed(claims, $0) }
                ?? #"{"sub":"user-1-of-32-characters-in-total","\#(name)":"x"}"#
            await expectRejection("claim-rejected \(name)") {
                _ = try await login.env.party.userInfo(response, idToken)
            }
            let responses = try await login.env.client.tokenIssuer()
            await expectRule("never sends") {
                _ = try responses.userInfo(
                    subject: TestEnvironment.subject, claims: JSONValue.object([name: "x"]),
                    at: .testNow)
            }
        }
    }

    @Test(
        "RFC 8725 3.11: a typ of another kind is rejected by every reader",
        arguments: TestEnvironment.all)
    func types(_ profile: OpenIDProfile) async throws {
        let name = "\(profile), signed, issuer, alone true"
        let handler = try await KindHandler(try need(KindSetting.all.first { $0.name == name }))
        for kind in KindHandler.Kind.allCases {
            for (type, code) in [nil, "JWT", "jwt", "application/jwt"].map({ ($0, nil) })
                + [
                    "at+jwt", "application/at+jwt", "dpop+jwt", "logout+jwt", "secevent+jwt",
                    "entity-statement+jwt", "token-introspection+jwt", "kb+jwt", "JOSE", "x",
                ].map({ ($0, "claim-rejected typ") }) as [(String?, String?)]
            {
                // A fresh jti each time.
                let token = try await jwt(
                    Base64URLText.members(of: handler.make(kind)), by: TestKeys.providerSigning,
                    type: type)
                await expectResult(code, "\(kind) \(type ?? "none")") {
                    try await handler.read(token, as: kind)
                }
            }
        }
    }

}
