// The examples of keys and documents behind a URL behave as the pages say.

import Foundation
import JOSE
import JOSEOpenID
import JOSERemote
import Testing

@Suite("Examples of remote key sets", .serialized)
struct RemoteExampleTests {
    private let signing: JWK

    init() throws {
        signing = try .generate(.rsa, keyID: "op-1", use: .signature, algorithm: .rs256)
    }

    private func response(_ body: String) -> JWKSetResponse {
        JWKSetResponse(status: 200, body: Array(body.utf8))
    }

    @Test("an ID Token verifies with a fetched key, and a key without certificate is rejected")
    func verifier() async throws {
        let published = try JWKSet(keys: [signing]).publicKeys.json()
        let transport = FakeTransport(.success(response(published)))
        let verifier = try idTokens(
            of: "https://idp.example", keysAt: "https://idp.example/jwks", transport: transport)
        let token = try JWTIssuer(key: signing, algorithm: .rs256, lifetime: .seconds(60)).issue([
            "iss": "https://idp.example", "aud": "client-1", "sub": "zoe",
        ])
        #expect(try await verifier.verify(token).subject == "zoe")
        #expect(transport.requests.count == 1)
        let root = try Data(contentsOf: URL(filePath: TestAuthority.path("root.pem")))
        let certified = try certifiedKeys(
            at: "https://idp.example/jwks", roots: [Array(root)], transport: transport)
        #expect(try await certified.keys(keyID: nil).keys().isEmpty)
    }

    @Test("a provider's metadata and keys over HTTPS, and not from a local network")
    func documents() async throws {
        let server = try TestServer()
        let issuer = "https://127.0.0.1:\(server.port)"
        let metadata = try ProviderMetadata(
            issuer: issuer, authorizationEndpoint: issuer + "/authorize",
            tokenEndpoint: issuer + "/token", jwksURI: issuer + "/jwks", profile: .openID)
        try server.tell(["body": metadata.json()])
        let transport = try CurlTransport(certificateAuthorities: TestAuthority.path("root.pem"))
        let found = try await provider(
            issuer, .openID, transport: transport, addressPolicy: .anyAddress)
        try server.tell(["body": JWKSet(keys: [signing]).publicKeys.json()])
        #expect(try await found.keys.keys(keyID: "op-1").keys().count == 1)
        let error = await #expect(throws: JOSEError.self) {
            _ = try await provider(issuer, .openID, transport: transport)
        }
        #expect(error?.code == .unsupported)
    }
}
