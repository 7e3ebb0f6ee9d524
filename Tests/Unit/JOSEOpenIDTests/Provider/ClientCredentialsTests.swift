// Access tokens of clients without a user (RFC 6749 4.4), on both sides.

import JOSE
import JOSEOpenID
import Testing

/// A service as a client, and its provider.
struct ServiceEnvironment {
    let metadata: ProviderMetadata
    let provider: OpenIDProvider
    let client: RegisteredClient
    let party: RelyingParty

    init(
        _ preset: OpenIDProfile = .openID, scopes: [String]? = ["read", "write"],
        proofs: DPoPRequirement = .ignored
    ) throws {
        var profile = preset
        profile.accessToken.hasClientCredentials = true
        profile.accessToken.proofs = proofs
        metadata = try TestEnvironment.metadata(
            profile, ["revocation_endpoint": "https://idp.example/v2/revoke"])
        provider = try TestEnvironment.provider(
            profile, metadata, pushed: MemoryPushedRequestStore(), proofs: MemoryReplayStore())
        client = try provider.client { $0.clientCredentialsScopes = scopes }
        party = try RelyingParty(
            profile: profile, metadata: metadata, clientID: TestEnvironment.clientID,
            redirectURI: nil, keys: TestKeys.party, secret: ClientSecret(TestEnvironment.secret),
            providerKeys: TestKeys.provider.publicKeys)
    }

    func receive(
        _ request: TokenRequest, body: String? = nil
    ) async throws(JOSEError) -> RegisteredClient.ReceivedClientCredentials {
        try await client.receiveClientCredentialsRequest(
            body ?? request.body, authorization: request.authorization, proofs: request.proofs,
            at: .testNow)
    }

    func request(
        scopes: [String] = [], resources: [String] = [], prover: DPoPProver? = nil
    ) async throws(JOSEError) -> TokenRequest {
        try await party.clientCredentialsRequest(
            scopes: scopes, resources: resources, prover: prover, at: .testNow)
    }
}

@Suite("Client credentials")
struct ClientCredentialsTests {
    @Test(
        "RFC 6749 4.4: a service gets a token for itself, which a resource server accepts",
        arguments: [OpenIDProfile.openID, .netsEIDBroker, .itsme2])
    func roundTrip(_ profile: OpenIDProfile) async throws {
        let env = try ServiceEnvironment(profile)
        let api = "https://api.example"
        let request = try await env.request(scopes: ["read"], resources: [api])
        #expect(request.url == "https://idp.example/v2/token")
        #expect(request.parameters["grant_type"] == "client_credentials")
        let received = try await env.receive(request)
        #expect(received.clientID == TestEnvironment.clientID && received.scopes == ["read"])
        #expect(received.resources == [api] && received.tokenType == .bearer)
        #expect(!"\(received)".contains(TestEnvironment.clientID))
        let token = try await env.client.tokenIssuer().accessToken(
            AccessGrant(
                subject: received.clientID, audience: received.resources, scopes: received.scopes),
            at: .testNow)
        let response = try AccessTokenResponse(
            to: received, accessToken: token, expiresIn: .seconds(300)
        ).response()
        #expect(response.header("Cache-Control") == "no-store")
        let read = try AccessTokenResponse(json: response.body, to: request)
        #expect(read.scopes == ["read"] && read.refreshToken == nil && read.idToken == nil)
        #expect(read.expiresIn == .seconds(300))
        let server = try ResourceServer(
            issuer: TestEnvironment.issuer, audiences: [api],
            keys: TestKeys.provider.publicKeys)
        let access = try await server.get("Bearer " + read.accessToken, scopes: ["read"])
        #expect(access.subject == access.clientID)
    }

    @Test("RFC 6749 3.3: only registered scopes; without a request, all of them")
    func scopes() async throws {
        let env = try ServiceEnvironment()
        #expect(try await env.receive(env.request()).scopes == ["read", "write"])
        for scope in ["admin", "READ", "openid", "rea"] {
            await expectTokenError(.invalidScope, "claim-rejected scope", scope) {
                _ = try await env.receive(env.request(scopes: ["read", scope]))
            }
        }
        let none = try ServiceEnvironment(scopes: [])
        let received = try await none.receive(none.request())
        #expect(received.scopes.isEmpty)
        #expect(AccessTokenResponse(to: received, accessToken: "t").scopes == nil)
        await expectRejection("misuse") { _ = try await env.request(scopes: ["a b"]) }
        await expectRejection("misuse") { _ = try await env.request(resources: ["a"]) }
    }

    @Test("the grant needs the profile and the registration, and authentication")
    func rejected() async throws {
        let env = try ServiceEnvironment()
        let request = try await env.request()
        let unregistered = try ServiceEnvironment(scopes: nil)
        await expectTokenError(.unauthorizedClient, "claim-rejected grant_type") {
            _ = try await unregistered.receive(unregistered.request())
        }
        await expectTokenError(.unsupportedGrantType, "unsupported") {
            _ = try await TestEnvironment(.openID).client.receiveClientCredentialsRequest(
                request.body, authorization: request.authorization, at: .testNow)
        }
        await expectTokenError(.invalidClient, "claim-rejected client_secret") {
            _ = try await env.client.receiveClientCredentialsRequest(request.body, at: .testNow)
        }
        for (body, code, rejection) in [
            ("grant_type=authorization_code&code=a", .unsupportedGrantType, "unsupported"),
            ("scope=read", .invalidRequest, "malformed"),
            (
                "grant_type=client_credentials&grant_type=client_credentials", .invalidRequest,
                "malformed"
            ),
            ("grant_type=client_credentials&scope=read&scope=read", .invalidRequest, "malformed"),
            (
                "grant_type=client_credentials&client_id=other", .invalidClient,
                "claim-rejected client_id"
            ),
            (
                "grant_type=client_credentials&resource=x", .invalidTarget,
                "claim-rejected resource"
            ),
            ("grant_type=client_credentials&scope=%00", .invalidRequest, "malformed"),
        ] as [(String, OAuthErrorCode, String)] {
            await expectTokenError(code, rejection, body) {
                _ = try await env.receive(request, body: body)
            }
        }
        await expectRejection("limit-exceeded") {
            _ = try await env.receive(
                request,
                body: "grant_type=client_credentials&x="
                    + String(repeating: "a", count: 70_000))
        }
        await expectRejection("misuse", "the profile has no such grant") {
            _ = try TestEnvironment(.openID).provider.client {
                $0.clientCredentialsScopes = ["read"]
            }
        }
        await expectRejection("misuse", "no scope") {
            _ = try env.provider.client { $0.clientCredentialsScopes = ["a b"] }
        }
    }

    @Test("RFC 6749 4.4: a public client has no credentials, on either side")
    func publicClients() async throws {
        var native = OpenIDProfile.openID
        native.accessToken.hasClientCredentials = true
        native.client.authentication = .publicClient
        let metadata = try TestEnvironment.metadata(
            at: TestEnvironment.issuer, .openID, clientProfiles: [native])
        let provider = try TestEnvironment.provider(.openID, metadata)
        await expectRejection("misuse") {
            _ = try provider.client {
                $0.secret = nil
                $0.profile = native
                $0.clientCredentialsScopes = ["read"]
            }
        }
        let party = try TestEnvironment.party(native, metadata, secret: nil)
        await expectRejection("misuse") { _ = try await party.clientCredentialsRequest() }
        // A registration without the grant does not get it by naming it.
        let client = try provider.client {
            $0.secret = nil
            $0.profile = native
        }
        await expectTokenError(.unauthorizedClient, "claim-rejected grant_type") {
            _ = try await client.receiveClientCredentialsRequest(
                "grant_type=client_credentials&client_id=" + TestEnvironment.clientID)
        }
    }

    @Test("RFC 9449 5: a proof binds the token")
    func bound() async throws {
        let env = try ServiceEnvironment(proofs: .required)
        let prover = try DPoPProver.fresh()
        let request = try await env.request(prover: prover)
        let received = try await env.receive(request)
        #expect(received.keyThumbprint == prover.keyThumbprint && received.tokenType == .dpop)
        let body = try AccessTokenResponse(to: received, accessToken: "t").response().body
        #expect(try AccessTokenResponse(json: body, to: request).type == .dpop)
        await expectRejection("misuse") { _ = try await env.request() }
        await expectTokenError(.invalidDPoPProof, "claim-rejected DPoP") {
            _ = try await env.client.receiveClientCredentialsRequest(
                request.body, authorization: request.authorization, at: .testNow)
        }
    }

    @Test("a client without redirect URI starts no login, and metadata list the grant")
    func noLogin() async throws {
        let env = try ServiceEnvironment()
        await expectRejection("misuse") { _ = try await env.party.start(AuthorizationRequest()) }
        await expectRejection("misuse") { _ = try await env.party.push(AuthorizationRequest()) }
        #expect(
            env.metadata.list("grant_types_supported")
                == ["authorization_code", "client_credentials"])
        #expect(
            try TestEnvironment.metadata(.openID).list("grant_types_supported")
                == ["authorization_code"])
    }
}
