// ID Tokens signed with the client secret (OpenID Connect Core 3.1.3.7, step 8), and what this must
// not allow.

import JOSE
import JOSEOpenID
import Testing

@Suite("ID Tokens by HS256")
struct SecretTokenTests {
    static let secret = "a secret of the client with 32 bytes and more"
    static let profile = OpenIDProfile.openID.with { $0.idToken.signature = .clientSecretHS256 }

    private let metadata: ProviderMetadata
    private let party: RelyingParty
    private let fetching: RelyingParty
    private let started: AuthorizationStart

    init() async throws {
        metadata = try ProviderMetadata(
            json: jsonText(TestEnvironment.metadata(Self.profile).members),
            issuer: TestEnvironment.issuer, profile: Self.profile)
        party = try Self.party(Self.profile, Self.secret)
        fetching = try TestEnvironment.fetching(
            Self.profile, metadata, keys: JWKSet(keys: []), secret: ClientSecret(Self.secret))
        started = try await party.start(AuthorizationRequest(), at: TestEnvironment.now)
    }

    private static func party(_ profile: OpenIDProfile, _ secret: String?) throws -> RelyingParty {
        try TestEnvironment.party(
            profile, TestEnvironment.metadata(profile), secret: secret.map(ClientSecret.init))
    }

    private var claims: JSONValue {
        .object([
            "iss": .string(TestEnvironment.issuer), "sub": "user-1",
            "aud": .string(TestEnvironment.clientID),
            "iat": .now(), "exp": .now(300), "nonce": .string(started.session.nonce),
        ])
    }

    private func token(
        _ secret: String, _ algorithm: SignatureAlgorithm = .hs256, keyID: String? = nil
    ) throws -> String {
        let key = try JWK(symmetricKey: Array(secret.utf8), keyID: keyID)
        return try JWTIssuer(key: key, algorithm: algorithm, requiresExpiration: false)
            .issue(claims)
    }

    private func expectResult(_ expected: String?, _ token: String, _ what: String = "") async {
        let calls: [() async throws -> Void] = [
            { _ = try await party.open(token, started) },
            {
                _ = try await fetching.verifyIDToken(
                    token, for: started.session, at: TestEnvironment.now)
            },
        ]
        for call in calls {
            if let expected {
                await expectRejection(expected, what, call)
            } else {
                await #expect(throws: Never.self, "\(what)") { try await call() }
            }
        }
    }

    @Test("a token signed by the secret is accepted with any kid, and explain reports it")
    func accepted() async throws {
        await expectResult(nil, try token(Self.secret))
        await expectResult(nil, try token(Self.secret, keyID: "k"))
        let explanation = await fetching.explain(
            idToken: try token(Self.secret), for: started.session, at: TestEnvironment.now)
        #expect(explanation.error == nil)
    }

    @Test("another secret, HMAC, public-key algorithm or no signature is rejected")
    func rejected() async throws {
        await expectResult("signature-invalid", try token(Self.secret + "x"))
        await expectResult("signature-invalid", try token(String(Self.secret.dropLast())))
        let long = Self.secret + Self.secret
        await expectResult("algorithm-not-allowed", try token(long, .hs384))
        await expectResult("algorithm-not-allowed", try token(long, .hs512))
        // The provider's own public key signs other tokens, but no ID Token here.
        let signed = try JWTIssuer(
            key: TestKeys.providerSigning, algorithm: .rs256, requiresExpiration: false
        ).issue(claims)
        await expectResult("algorithm-not-allowed", signed)
        let parts = try token(Self.secret).split(separator: ".")
        await expectResult("malformed", "\(parts[0]).\(parts[1])")
        await expectResult("algorithm-not-allowed", "eyJhbGciOiJub25lIn0.\(parts[1]).")
    }

    @Test(
        "without the rule a token by a secret is rejected, even if the secret is the public key")
    func otherRules() async throws {
        let env = try TestEnvironment(.openID)
        let started = try await env.party.start(AuthorizationRequest(), at: TestEnvironment.now)
        let published = try TestKeys.provider.publicKeys.json()
        for secret in [TestEnvironment.secret + Self.secret, Self.secret, published] {
            await expectRejection("algorithm-not-allowed") {
                _ = try await env.party.open(token(secret), started)
            }
        }
    }

    @Test("a UserInfo response and a logout token signed by the secret are rejected")
    func otherTokens() async throws {
        var profile = Self.profile
        profile.userInfo.layers = .signed
        let party = try Self.party(profile, Self.secret)
        let idToken = try await party.open(token(Self.secret), started)
        await expectRejection("algorithm-not-allowed") {
            _ = try await party.userInfo(token(Self.secret), idToken)
        }
        await expectRejection("algorithm-not-allowed") {
            _ = try await party.logout(token(Self.secret), once: MemoryReplayStore())
        }
    }

    @Test("a missing secret, or one under 32 bytes, is misuse") func secrets() async throws {
        for short in ["", String(repeating: "s", count: 31)] {
            await expectRule(short.isEmpty ? "secret" : "31 bytes") {
                _ = try Self.party(Self.profile, short)
            }
        }
        _ = try Self.party(Self.profile, String(repeating: "s", count: 32))
        var assertion = Self.profile
        assertion.client.authentication = .assertion(.signed)
        await expectRule("client secret") { _ = try Self.party(assertion, nil) }
    }

    @Test("a provider does not sign with client secrets, whatever the metadata list")
    func provider() async throws {
        await expectRule("idToken.signature") {
            _ = try TestEnvironment.provider(Self.profile, metadata)
        }
        let env = try TestEnvironment(.openID)
        var registration = ClientRegistration(
            clientID: TestEnvironment.clientID, redirectURIs: [TestEnvironment.redirectURI],
            secret: ClientSecret(Self.secret))
        registration.profile = Self.profile
        await expectRule("idToken.signature") {
            _ = try env.provider.client(registration, keys: PublicJWKSet(keys: []))
        }
        var members = try TestEnvironment.metadata(Self.profile).members
        #expect(members["id_token_signing_alg_values_supported"] == ["HS256"])
        for list: JSONValue in [["ES256"], ["RS256"], .null] {
            members["id_token_signing_alg_values_supported"] = list
            let text = try jsonText(members)
            let read = try ProviderMetadata(
                json: text, issuer: TestEnvironment.issuer, profile: Self.profile)
            // The list describes the provider's own keys, and the missing HS256 is reported.
            let reported = list == .null ? [] : ["id_token_signing_alg_values_supported"]
            #expect(read.ignored.map(\.member) == reported)
            guard list != ["RS256"] else { continue }
            await expectRejection("claim-rejected id_token_signing_alg_values_supported") {
                _ = try ProviderMetadata(
                    json: text, issuer: TestEnvironment.issuer, profile: .openID)
            }
        }
    }
}
