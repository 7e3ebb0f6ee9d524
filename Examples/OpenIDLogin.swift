// Finishes a login with the response at the callback. The article "Relying party" has this type.

import JOSE
import JOSEOpenID

/// Signs users in at an OpenID Connect provider. One value serves all logins.
struct OpenIDLogin: Sendable {
    let party: RelyingParty
    let post: @Sendable (TokenRequest) async throws -> OpenIDHTTPResponse  // your HTTP client
    let get: @Sendable (OpenIDHTTPRequest) async throws -> OpenIDHTTPResponse

    /// Finishes a login. Throws the provider's errors.
    ///
    /// - Parameters:
    ///   - response: The response at the callback, read by `party.authorizationResponse`.
    ///   - session: The session of the session cookie. Do not look it up by `state`.
    ///   - remove: Removes the session from your store. Throws if it is no longer there.
    func finish(
        _ response: AuthorizationResponse, _ session: AuthorizationSession,
        remove: @Sendable () async throws -> Void
    ) async throws -> (tokens: TokenResponse, idToken: VerifiedIDToken, user: VerifiedUserInfo) {
        if case .unauthenticatedError(let error) = response { throw error }  // keep the session
        try await remove()  // before the token request, or two callbacks could send the code
        let code = try response.code()

        let request = try await party.tokenRequest(code: code, for: session)
        let tokenResponse = try await post(request)
        guard tokenResponse.status == 200 else { throw try TokenError(response: tokenResponse) }
        let tokens = try TokenResponse(json: tokenResponse.body, to: request)
        let idToken = try await party.verifyIDToken(
            tokens.idToken, for: session, accessToken: tokens.accessToken, code: code)

        let userInfo = try await get(party.userInfoRequest(accessToken: tokens.accessToken))
        guard userInfo.status == 200 else { throw try BearerError(response: userInfo) }
        let user = try await party.verifyUserInfo(
            userInfo.body, for: idToken, contentType: userInfo.header("Content-Type"))
        return (tokens, idToken, user)
    }
}
