// The login of the README, compiled and run against the test provider.

import JOSE
import JOSEOpenID
import Testing

/// The login; `browse` is the user's browser, `post` the HTTP client.
private func itsmeLogin(
    _ metadata: ProviderMetadata, ours: JWKSet, theirs: PublicJWKSet,
    browse: (String) async throws -> String,
    post: (TokenRequest) async throws -> OpenIDHTTPResponse
) async throws -> VerifiedIDToken {
    let client = try RelyingParty(
        profile: .itsme2, metadata: metadata, clientID: "client-1",
        redirectURI: "https://rp.example/callback", keys: ours, providerKeys: theirs)
    let start = try await client.start(AuthorizationRequest(serviceCode: "LOGIN"))
    let query = try await browse(start.url)  // the query at the redirect URI
    let code = try await client.authorizationResponse(query: query, for: start.session).code()
    let request = try await client.tokenRequest(code: code, for: start.session)
    let tokens = try await TokenResponse(json: post(request).body, to: request)
    let idToken = try await client.verifyIDToken(
        tokens.idToken, for: start.session, accessToken: tokens.accessToken, code: code)
    return idToken
}

@Suite("README: OpenID Connect")
struct ReadmeLoginTests {
    @Test("the README login with itsme produces the printed responses") func login() async throws {
        let sides = try LoginProvider(
            .itsme2, issuer: "https://idp.example/v2", keys: TestKeys.provider,
            ClientRegistration(
                clientID: "client-1", redirectURIs: ["https://rp.example/callback"]),
            clientKeys: TestKeys.party.publicKeys, signIn: { _ in .reaching(.itsme2) })
        func browse(_ url: String) async throws -> String {
            try await sides.authorize(query(url)).parameters.encoded
        }
        func login(browse: (String) async throws -> String) async throws -> VerifiedIDToken {
            try await itsmeLogin(
                sides.provider.metadata, ours: TestKeys.party,
                theirs: TestKeys.provider.publicKeys, browse: browse
            ) { try await sides.token($0.body, $0.authorization) }
        }
        #expect(try await login(browse: browse).subject == "user-1-of-32-characters-in-total")
        // Responses of another login are rejected.
        let other = try await TestEnvironment(.itsme2).party.start(
            AuthorizationRequest(serviceCode: "LOGIN"))
        let error = await #expect(throws: JOSEError.self) {
            _ = try await login { _ in try await browse(other.url) }
        }
        #expect(error?.claim == "state")
    }
}
