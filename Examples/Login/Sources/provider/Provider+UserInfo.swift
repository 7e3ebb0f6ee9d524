// The UserInfo endpoint.

import Agreement
import JOSE
import JOSEOpenID
import Web

extension Provider {
    func userInfo(_ request: WebRequest) async throws -> OpenIDHTTPResponse {
        do throws(JOSEError) {
            guard let token = try await accessToken(of: request),
                let client = clients[token.clientID]
            else {
                return try unknownToken()
            }
            // Only the claims that the user consented to.
            let rules = provider.profile.userInfo
            let names = rules.scopeClaims.claims(of: token.scopes)
            let claims = User.zoe.claims(names).merging(
                User.zoe.claims(requested: token.claims, rules.names)
            ) { known, _ in known }
            return try await client.tokenIssuer().userInfoResponse(
                subject: token.subject, claims: claims)
        } catch {
            note("provider: rejects to tell of the user: \(error)")
            guard agreement.bindsTokens else { return try BearerError(rejecting: error).response() }
            return try ResourceError(rejecting: error, proofs: provider.proofs, isBound: true)
                .response()
        }
    }

    private func unknownToken() throws(JOSEError) -> OpenIDHTTPResponse {
        guard agreement.bindsTokens else {
            return try BearerError(
                .invalidToken, description: "the access token is unknown or has expired"
            ).response()
        }
        return try ResourceError(.invalidToken, proofs: provider.proofs, isBound: true).response()
    }

    /// Returns the access token of a request, after verifying the DPoP proof of a bound one.
    private func accessToken(of request: WebRequest) async throws(JOSEError) -> AccessToken? {
        guard agreement.bindsTokens else {
            let bearer = try BearerToken(
                method: request.method, query: request.query,
                authorization: request.header("authorization"),
                contentType: request.header("content-type"), body: request.body)
            return accessTokens[bearer.text, at: .now]
        }
        let bound = try ResourceRequest(
            method: request.method, url: agreement.providerOrigin + request.target,
            authorization: request.header("authorization"), proofs: request.values("dpop"))
        guard let token = accessTokens[bound.accessToken, at: .now] else { return nil }
        _ = try await provider.proofs?.verify(
            bound, boundTo: TokenBinding(keyThumbprint: token.keyThumbprint),
            owner: token.clientID)
        return token
    }
}
