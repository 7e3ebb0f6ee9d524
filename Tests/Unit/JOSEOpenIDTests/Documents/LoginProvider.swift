// The provider of the recipes. The page about providers contains its parts word for word.

import JOSE
import JOSEOpenID

/// The endpoints of a provider. Your server calls them and sends each response unchanged.
actor LoginProvider {
    nonisolated let provider: OpenIDProvider
    nonisolated let client: RegisteredClient
    /// Your sign-in and consent pages: they return the user, the time and the `acr` that was
    /// reached.
    private let signIn: SignIn
    /// By code; use a database in production.
    private var grants: [String: (CodeGrant, UserAuthentication)] = [:]
    /// The user and the end of each access token.
    private var accessTokens: [String: (subject: String, end: NumericDate)] = [:]
    /// The user's claims.
    var claims: [String: JSONValue] = [:]
    typealias SignIn = @Sendable (ReceivedAuthorization) async throws -> UserAuthentication

    /// Creates a provider with one client and the source of its public keys.
    init(
        _ profile: OpenIDProfile, issuer: String, keys: JWKSet, _ registration: ClientRegistration,
        clientKeys: any KeySource, signIn: @escaping SignIn
    ) throws {
        self.signIn = signIn
        let metadata = try ProviderMetadata(
            issuer: issuer, authorizationEndpoint: issuer + "/authorization",
            tokenEndpoint: issuer + "/token", userInfoEndpoint: issuer + "/userinfo",
            jwksURI: issuer + "/jwkSet", profile: profile)
        provider = try OpenIDProvider(
            profile: profile, metadata: metadata, keys: keys, replays: MemoryReplayStore())
        client = try provider.client(registration, keys: clientKeys)
    }

    /// The authorization endpoint. `query` is the part of the URL after the question mark.
    func authorize(_ query: String, fetch: RequestObjectFetch? = nil) async throws
        -> AuthorizationRedirect
    {
        switch try await client.receiveAuthorizationRequest(query, fetch: fetch) {
        case .rejected(let rejected):
            return rejected.redirect
        case .accepted(let request):
            let user = try await signIn(request)
            // Such as an essential acr that was not reached.
            if let error = try client.unmetRequirements(by: user, for: request) {
                return try await client.redirect(error: error, for: request)
            }
            let grant = try await client.grant(request)
            grants[grant.code] = (grant, user)
            return try await client.redirect(code: grant.code, for: request)
        }
    }

    /// The token endpoint: the form, and the value of the header `Authorization`, if any.
    func token(_ form: String, _ authorization: String?) async throws -> OpenIDHTTPResponse {
        let request: ReceivedTokenRequest
        do throws(JOSEError) {
            request = try await client.receiveTokenRequest(form, authorization: authorization)
        } catch {
            return try provider.error(rejecting: error).response(authorization: authorization)
        }
        guard case (let grant, var user)? = grants.removeValue(forKey: request.code) else {
            return try TokenError(.invalidGrant).response()
        }
        do throws(JOSEError) {
            try await client.redeem(request, grant)
        } catch {
            return try TokenError(rejectingGrant: error).response()
        }
        let access = try BearerToken.fresh().text
        user.accessToken = access
        accessTokens[access] = (user.subject, NumericDate.now.advanced(by: .seconds(300)))
        let idToken = try await client.tokenIssuer().idToken(for: grant.request, user)
        return try TokenResponse(
            to: request, accessToken: access, idToken: idToken, expiresIn: .seconds(300)
        ).response()
    }

    /// The UserInfo endpoint.
    func userInfo(_ method: String, _ authorization: String?, _ type: String?, _ body: String)
        async throws -> OpenIDHTTPResponse
    {
        do {
            let bearer = try BearerToken(
                method: method, authorization: authorization, contentType: type, body: body)
            guard let known = accessTokens[bearer.text], NumericDate.now < known.end
            else {
                return try BearerError(.invalidToken).response()
            }
            return try await client.tokenIssuer()
                .userInfoResponse(subject: known.subject, claims: claims)
        } catch {
            return try BearerError(rejecting: error).response()
        }
    }
}
