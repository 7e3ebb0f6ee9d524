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

    /// Finishes a login with the query of the callback. `remove` removes the session from your
    /// store, and throws if it is no longer there.
    func finish(
        _ query: String, _ session: AuthorizationSession,
        remove: @Sendable () async throws -> Void
    ) async throws -> TokenResponse {
        let response = try await party.authorizationResponse(query: query, for: session)
        if case .unauthenticatedError(let error) = response { throw error }  // keep the session
        try await remove()  // before the token request, or two callbacks could send the code
        let code = try response.code()

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
