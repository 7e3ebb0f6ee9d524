// The FAPI 2.0 recipe and the examples of key-bound tokens, word for word.

import JOSE
import JOSEOpenID

/// A FAPI 2.0 client, from login to an access token that is bound to its key.
struct BankClient {
    let party: RelyingParty  // with the profile .fapi2 or .fapi2MessageSigning
    let prover: DPoPProver  // the DPoP key
    let post: @Sendable (TokenRequest) async throws -> OpenIDHTTPResponse  // your HTTP client

    /// Sends a request, again with a nonce if the server requires one. Throws its errors.
    func send<T>(
        nonce: DPoPNonce? = nil, _ make: (DPoPNonce?) async throws -> (T, TokenRequest)
    ) async throws -> (T, String) {
        let (made, request) = try await make(nonce)
        let response = try await post(request)
        if response.status == 200 || response.status == 201 { return (made, response.body) }
        let error = try TokenError(response: response)
        guard nonce == nil, error.code == .useDPoPNonce, let fresh = response.header("DPoP-Nonce")
        else { throw error }
        return try await send(nonce: DPoPNonce(header: fresh), make)
    }

    func start(_ request: AuthorizationRequest) async throws -> AuthorizationStart {
        let (pushed, body) = try await send {
            let pushed = try await party.push(request, prover: prover, nonce: $0)
            return (pushed, pushed.request)
        }
        return try party.start(pushed, PushedAuthorizationResponse(json: body))
    }

    func finish(_ query: String, _ session: AuthorizationSession) async throws -> TokenResponse {
        let code = try await party.authorizationResponse(query: query, for: session).code()
        let (request, body) = try await send {
            let request = try await party.tokenRequest(
                code: code, for: session, prover: prover, nonce: $0)
            return (request, request)
        }
        let tokens = try TokenResponse(json: body, to: request)
        _ = try await party.verifyIDToken(
            tokens.idToken, for: session, accessToken: tokens.accessToken, code: code)
        return tokens
    }
}

/// Creates the relying party once, when the service starts.
func bankParty(
    _ document: String, issuer: String, _ keys: JWKSet, _ providerKeys: any KeySource,
    profile: OpenIDProfile = .fapi2
) throws -> RelyingParty {
    let metadata = try ProviderMetadata(json: document, issuer: issuer, profile: profile)
    return try RelyingParty(
        profile: profile, metadata: metadata, clientID: "MY_CLIENT",
        redirectURI: "https://rp.example/callback", keys: keys, providerKeys: providerKeys)
}

/// The headers of one GET request: the token and its proof.
func accountHeaders(
    _ tokens: TokenResponse, _ prover: DPoPProver, nonce: DPoPNonce? = nil
) throws -> [OpenIDParameter] {
    try prover.headers(
        method: "GET", url: "https://api.example/accounts", accessToken: tokens.accessToken,
        nonce: nonce)
}

/// A resource server that verifies token and proof in one call.
struct Accounts {
    let server: ResourceServer

    init(issuer: String, keys: any KeySource) throws {
        let name = "https://api.example/accounts"
        server = try ResourceServer(
            issuer: issuer, audiences: [name], keys: keys, rules: .fapi2,
            proofs: DPoPVerifier(server: name, replays: MemoryReplayStore(), rules: .fapi2))
    }

    /// `url` is the URL that the client sees, before any proxy; `proofs` are the `DPoP` headers.
    func get(_ url: String, _ authorization: String?, _ proofs: [String]) async throws
        -> OpenIDHTTPResponse
    {
        do throws(JOSEError) {
            let request = try ResourceRequest(
                method: "GET", url: url, authorization: authorization, proofs: proofs)
            let access = try await server.verify(request, scopes: ["accounts"])
            return try OpenIDHTTPResponse(status: 200, headers: [], body: access.subject)
        } catch {
            return try server.error(rejecting: error).response()
        }
    }
}
