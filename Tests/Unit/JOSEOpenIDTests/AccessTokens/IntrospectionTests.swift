// Introspection responses as tokens (RFC 9701): requested, made and verified.

import JOSE
import JOSEOpenID
import Testing

/// A provider, and a resource server that is its client.
struct IntrospectionHandler {
    static let resource = "https://api.example"
    let profile: OpenIDProfile
    let provider: OpenIDProvider
    let client: RegisteredClient
    let introspector: Introspector

    init(_ preset: OpenIDProfile = .openID, layers: TokenLayers = .signed) throws {
        var profile = preset
        profile.introspection.layers = layers
        if profile.algorithms.keyManagement.isEmpty {
            profile.algorithms.keyManagement = [.rsaOAEP]
            profile.algorithms.content = [.a128CBCHS256]
        }
        self.profile = profile
        let metadata = try TestEnvironment.metadata(
            profile, ["introspection_endpoint": "https://idp.example/v2/introspect"])
        let secret = ClientSecret(TestEnvironment.secret)
        provider = try TestEnvironment.provider(profile, metadata)
        var registration = ClientRegistration(
            clientID: TestEnvironment.clientID, redirectURIs: [], secret: secret)
        registration.resources = [IntrospectionHandler.resource]
        client = try provider.client(registration)
        introspector = try Introspector(
            profile: profile, metadata: metadata, clientID: TestEnvironment.clientID,
            keys: TestKeys.party,
            secret: secret, providerKeys: TestKeys.provider.publicKeys)
    }

    static let state = TokenState.active([
        "aud": .string(resource), "scope": "read write", "sub": "user-1", "client_id": "c",
        "exp": .now(100), "cnf": ["jkt": .string(jkt)],
    ])
    static let jkt = "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I"
    static let type = "application/token-introspection+jwt"

    func receive(_ request: TokenRequest, accept: String? = nil) async throws
        -> ReceivedIntrospection
    {
        try await client.receiveIntrospectionRequest(
            request.body, authorization: request.authorization,
            accept: accept ?? request.header("Accept"), at: .testNow)
    }

    func read(_ token: String, at now: NumericDate = .testNow) async throws -> IntrospectionResponse
    {
        try await introspector.response(token, contentType: IntrospectionHandler.type, at: now)
    }

    /// A response with exactly these claims.
    func forged(
        _ change: [String: JSONValue?] = [:], type: String? = "token-introspection+jwt",
        by key: JWK = TestKeys.providerSigning
    ) throws -> String {
        let claims: [String: JSONValue] = [
            "iss": .issuer, "aud": .clientID, "iat": .now(),
            "token_introspection": ["active": true],
        ]
        return try jwt(claims.with(change), by: key, type: type)
    }
}

@Suite("Introspection responses")
struct IntrospectionTests {
    @Test(
        "RFC 9701 4 and 5: signed and nested responses, for each client authentication method",
        arguments: [OpenIDProfile.openID, .netsEIDBroker, .itsme2],
        [TokenLayers.signed, .signedThenEncrypted])
    func roundTrip(_ profile: OpenIDProfile, _ layers: TokenLayers) async throws {
        let handler = try IntrospectionHandler(profile, layers: layers)
        let request = try await handler.introspector.request(token: "opaque-1", at: .testNow)
        #expect(request.url == "https://idp.example/v2/introspect")
        #expect(
            request.headers.first == OpenIDParameter("Accept", IntrospectionHandler.type))
        let received = try await handler.receive(request)
        #expect(received.token == "opaque-1" && received.hint == "access_token")
        #expect(received.wantsToken && !"\(received)".contains("opaque"))
        let response = try await handler.client.tokenIssuer().introspectionResponse(
            received, IntrospectionHandler.state, at: .testNow)
        #expect(
            response.status == 200 && response.header("Content-Type") == IntrospectionHandler.type)
        #expect(response.header("Cache-Control") == "no-store")
        #expect(response.body.split(separator: ".").count == (layers == .signed ? 3 : 5))
        let reported = try await handler.read(response.body)
        #expect(reported.isActive && reported.scopes == ["read", "write"])
        #expect(reported.binding.keyThumbprint == IntrospectionHandler.jkt)
        #expect(reported["sub"] == "user-1" && reported["active"] == true)
        let none = try await handler.client.tokenIssuer().introspection(.inactive, at: .testNow)
        let inactive = try await handler.read(none)
        #expect(!inactive.isActive && inactive.members.isEmpty && inactive.binding.isEmpty)
    }

    @Test("RFC 9701 5: sub and exp are absent at the top level, and typ names the message type")
    func contents() async throws {
        let handler = try IntrospectionHandler()
        let text = try await handler.client.tokenIssuer().introspection(
            IntrospectionHandler.state, at: .testNow)
        var policy = ClaimsPolicy(
            issuer: TestEnvironment.issuer, audience: TestEnvironment.clientID)
        policy.type = "token-introspection+jwt"
        policy.requiredClaims = []
        let token = try JWTVerifier(
            policy: policy,
            signature: .required(keys: TestKeys.provider.publicKeys, algorithms: [.rs256])
        ).verify(text, at: .testNow)
        #expect(
            token.subject == nil && token.expiration == nil && token.issuedAt == TestEnvironment.now
        )
        // Readers of other kinds reject it (RFC 9701 8.1).
        let server = try ResourceServer(
            issuer: TestEnvironment.issuer, audiences: [TestEnvironment.clientID],
            keys: TestKeys.provider.publicKeys)
        await expectRejection("claim-rejected typ") { try await server.get("Bearer " + text) }
    }

    @Test("RFC 9701 3: a resource server only learns about its own tokens")
    func audience() async throws {
        let handler = try IntrospectionHandler()
        let responses = try await handler.client.tokenIssuer()
        for (audience, isActive): (JSONValue, Bool) in [
            (.string(IntrospectionHandler.resource), true), (.clientID, true),
            (["https://x.example", .string(IntrospectionHandler.resource)], true),
            ("https://x.example", false), (["https://api.example/"], false), ([], false),
        ] {
            let token = try responses.introspection(
                .active(["aud": audience, "sub": "user-1"]), at: .testNow)
            let reported = try await handler.read(token)
            #expect(reported.isActive == isActive)
            #expect((reported["sub"] != nil) == isActive)
        }
        for members: JSONObject in [["sub": "u"], ["aud": 1], ["aud": "x", "active": false]] {
            await expectRejection("misuse") {
                _ = try responses.introspection(.active(members), at: .testNow)
            }
        }
    }

    @Test("RFC 9701 4: the Accept header selects a token or JSON")
    func accept() async throws {
        let handler = try IntrospectionHandler()
        for (accept, isToken) in [
            ("application/token-introspection+jwt", true),
            ("application/json;q=0.5, Application/Token-Introspection+JWT;q=0.9", true),
            ("application/json", false), ("*/*", false), ("", false),
            ("application/token-introspection+jwt;q=0", false),
            ("application/token-introspection+jwt; Q=0.000", false),
            ("application/token-introspection+jwtx", false),
            // The lowercase form of the Kelvin sign is k.
            ("application/to\u{212a}en-introspection+jwt", false),
        ] {
            let request = try await handler.introspector.request(token: "t", at: .testNow)
            let received = try await handler.receive(request, accept: accept)
            #expect(received.wantsToken == isToken, "\(accept)")
            let response = try await handler.client.tokenIssuer().introspectionResponse(
                received, IntrospectionHandler.state, at: .testNow)
            #expect(response.body.hasPrefix("{") == !isToken)
            guard !isToken else { continue }
            #expect(response.header("Content-Type") == "application/json")
            #expect(response.body.contains(#""active":true"#))
            // Unsigned JSON was not requested.
            for type in ["application/json", accept] {
                await expectRejection("malformed", type) {
                    _ = try await handler.introspector.response(
                        response.body, contentType: type, at: .testNow)
                }
            }
            await #expect(throws: JOSEError.self) { try await handler.read(response.body) }
        }
    }

    @Test("RFC 9701 8.2: an unauthenticated caller learns nothing")
    func unproved() async throws {
        let handler = try IntrospectionHandler()
        for (body, code) in [
            ("token=t", "claim-rejected client_secret"),
            ("token=t&client_id=other", "claim-rejected client_id"), ("x=t", "malformed"),
        ] {
            await expectRejection(code, body) {
                _ = try await handler.client.receiveIntrospectionRequest(body, at: .testNow)
            }
        }
    }

    @Test("RFC 9701 5: responses with another audience, type, time or format are rejected")
    func rejected() async throws {
        let handler = try IntrospectionHandler()
        #expect(try await handler.read(handler.forged()).isActive)
        for (name, value): (String, JSONValue?) in [
            ("iss", nil), ("iss", "https://idp.example"), ("aud", nil), ("aud", "client-2"),
            ("aud", [.string(IntrospectionHandler.resource)]), ("iat", nil), ("iat", "1"),
            ("iat", .now(61)), ("iat", .now(-361)),
            ("token_introspection", nil), ("token_introspection", true),
            ("token_introspection", [:]), ("token_introspection", ["active": "true"]),
            ("token_introspection", ["active": true, "exp": "x"]),
        ] {
            let token = try handler.forged([name: value])
            await expectRejection("claim-rejected \(name)", "\(value as Any)") {
                _ = try await handler.read(token)
            }
        }
        let odd = try handler.forged(["token_introspection": ["active": true, "cnf": ["x": 1]]])
        await expectRejection("claim-rejected cnf") { _ = try await handler.read(odd) }
        for type in [nil, "JWT", "at+jwt"] {
            let token = try handler.forged(type: type)
            await expectRejection("claim-rejected typ") { _ = try await handler.read(token) }
        }
        let foreign = try handler.forged(by: TestKeys.unrelated)
        await expectRejection("key-not-found") { _ = try await handler.read(foreign) }
        // An expired token is inactive, whatever else the response says.
        let ended = try handler.forged([
            "token_introspection": [
                "active": true, "exp": .now(-60), "sub": "u",
            ]
        ])
        let reported = try await handler.read(ended)
        #expect(!reported.isActive && reported["sub"] == nil)
    }

    @Test("RFC 9701 7: published metadata, and a provider without the endpoint")
    func metadata() async throws {
        let handler = try IntrospectionHandler(.itsme2, layers: .signedThenEncrypted)
        let metadata = handler.provider.metadata
        #expect(metadata.list("introspection_signing_alg_values_supported") == ["RS256"])
        #expect(
            metadata.list("introspection_encryption_alg_values_supported")
                == handler.profile.algorithms.keyManagement.map(\.name))
        let without = try TestEnvironment.metadata(.openID)
        #expect(without["introspection_signing_alg_values_supported"] == nil)
        await expectRejection("claim-rejected introspection_endpoint") {
            _ = try Introspector(
                profile: .openID, metadata: without, clientID: TestEnvironment.clientID,
                keys: TestKeys.party,
                secret: ClientSecret("s"), providerKeys: TestKeys.provider.publicKeys)
        }
    }
}
