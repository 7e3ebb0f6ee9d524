// The metadata of OAuth servers (RFC 8414), next to OpenID Connect's discovery.

import JOSE
import JOSEOpenID
import Testing

@Suite("Authorization server metadata")
struct AuthorizationServerTests {
    static let issuer = "https://as.example/tenant"

    private func read(
        _ change: [String: JSONValue?] = [:], issuer: String = issuer,
        profile: OpenIDProfile = .openID, untrusted: Bool = false
    ) throws -> ProviderMetadata {
        let members: [String: JSONValue] = [
            "issuer": .string(Self.issuer), "token_endpoint": "https://as.example/token",
            "response_types_supported": [],
            "revocation_endpoint": "https://as.example/revoke",
        ]
        let json = try jsonText(JSONObject(members.with(change)))
        return untrusted
            ? try ProviderMetadata(
                authorizationServerJSON: json, untrustedIssuer: issuer, profile: profile)
            : try ProviderMetadata(
                authorizationServerJSON: json, issuer: issuer, profile: profile)
    }

    @Test(
        "RFC 8414 3.1: the well-known path is inserted, and a slash at the end is removed",
        arguments: [
            ("https://example.com", "https://example.com/.well-known/oauth-authorization-server"),
            ("https://example.com/", "https://example.com/.well-known/oauth-authorization-server"),
            (
                "https://example.com/issuer1",
                "https://example.com/.well-known/oauth-authorization-server/issuer1"
            ),
            (
                "https://example.com:1/a/b/",
                "https://example.com:1/.well-known/oauth-authorization-server/a/b"
            ),
        ])
    func url(_ issuer: String, _ expected: String) {
        #expect(ProviderMetadata.authorizationServerURL(issuer: issuer) == expected)
    }

    @Test("a server without OpenID Connect serves services, and no logins")
    func services() async throws {
        let metadata = try read()
        #expect(metadata.authorizationEndpoint.isEmpty && metadata.jwksURI.isEmpty)
        #expect(metadata.tokenEndpoint == "https://as.example/token")
        let secret = ClientSecret("s")
        func party(_ redirectURI: String?) throws -> RelyingParty {
            try RelyingParty(
                profile: .openID, metadata: metadata, clientID: "c", redirectURI: redirectURI,
                keys: JWKSet(keys: []), secret: secret, providerKeys: PublicJWKSet(keys: []))
        }
        let request = try await party(nil).clientCredentialsRequest(scopes: ["a"])
        #expect(request.url == "https://as.example/token")
        #expect(
            try await party(nil).revocationRequest(token: "t").url == "https://as.example/revoke")
        await expectRejection("misuse") { _ = try party(TestEnvironment.redirectURI) }
        // The same document is no discovery document.
        let json = try metadata.json()
        await expectRejection("claim-rejected authorization_endpoint") {
            _ = try ProviderMetadata(json: json, issuer: Self.issuer, profile: .openID)
        }
    }

    @Test("a provider's own document is read by both readers")
    func both() throws {
        let json = try TestEnvironment.metadata(.openID).json()
        let read = try ProviderMetadata(
            authorizationServerJSON: json, issuer: TestEnvironment.issuer, profile: .openID)
        #expect(read.authorizationEndpoint == "https://idp.example/v2/authorization")
        #expect(read.jwksURI == "https://idp.example/v2/jwkSet")
    }

    @Test("RFC 8414 3.3: another issuer, and hostile members, are rejected")
    func rejected() async throws {
        for other in [Self.issuer + "/", "https://AS.example/tenant", "https://as.example", ""] {
            await expectRejection("claim-rejected issuer", other) { _ = try read(issuer: other) }
        }
        for (name, value) in [
            ("issuer", nil), ("issuer", 1), ("issuer", .null), ("token_endpoint", nil),
            ("token_endpoint", "http://as.example/token"), ("token_endpoint", .null),
            ("token_endpoint", ["https://as.example"]),
            ("authorization_endpoint", "http://as.example"), ("authorization_endpoint", 1),
            ("jwks_uri", "http://as.example"), ("jwks_uri", 1),
            ("token_endpoint_auth_methods_supported", "client_secret_basic"),
            ("token_endpoint_auth_methods_supported", ["private_key_jwt"]),
            ("token_endpoint_auth_methods_supported", [1]),
        ] as [(String, JSONValue?)] {
            await expectRejection("claim-rejected \(name)", "\(value as Any)") {
                _ = try read([name: value])
            }
        }
        #expect(try read(["revocation_endpoint": "http://x"]).ignored.count == 1)
        var bound = OpenIDProfile.openID
        bound.accessToken.proofs = .required
        await expectRejection("claim-rejected dpop_signing_alg_values_supported") {
            _ = try read(profile: bound)
        }
        _ = try read(untrusted: true)
        for url: JSONValue in ["https://10.0.0.1/t", "https://metadata.internal/t", "https://x/"] {
            _ = try read(["token_endpoint": url])
            await expectRejection("claim-rejected token_endpoint", "\(url)") {
                _ = try read(["token_endpoint": url], untrusted: true)
            }
        }
    }
}
