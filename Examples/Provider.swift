// An example provider: discovery, authorization, token and UserInfo endpoints.
// Functions replace the HTTP server. Everything else is as in a real service.

import JOSE
import JOSEOpenID

actor ExampleProvider {
    static let issuer = "https://idp.example/oidc"

    private let provider: OpenIDProvider
    private var clients: [String: RegisteredClient] = [:]
    private var grants: [String: (grant: CodeGrant, user: UserAuthentication)] = [:]
    private var accessTokens: [String: (client: String, subject: String)] = [:]

    init(_ profile: OpenIDProfile) throws {
        let issuer = ExampleProvider.issuer
        provider = try OpenIDProvider(
            profile: profile,
            metadata: ProviderMetadata(
                issuer: issuer, authorizationEndpoint: issuer + "/authorization",
                tokenEndpoint: issuer + "/token", userInfoEndpoint: issuer + "/userinfo",
                jwksURI: issuer + "/jwkSet", profile: profile),
            keys: JWKSet(keys: [
                try JWK.generate(.rsa, use: .signature), try JWK.generate(.rsa, use: .encryption),
            ]),
            replays: MemoryReplayStore())
    }

    func register(_ client: ClientRegistration, keys: PublicJWKSet) throws {
        clients[client.clientID] = try provider.client(client, keys: keys)
    }

    /// Serves the discovery document and the key set.
    func get(_ url: String) throws -> OpenIDHTTPResponse {
        url == provider.metadata.jwksURI
            ? try provider.keySetResponse() : try provider.discoveryResponse()
    }

    /// Authenticates the user, in a real service by pages of your own.
    private func signIn() -> UserAuthentication {
        UserAuthentication(
            subject: "user-1-of-32-characters-in-total", time: .now,
            acr: provider.profile.authorization.acr.weakestFirst.last)
    }

    /// The authorization endpoint. The user consents at once.
    func authorize(_ url: String) async throws -> AuthorizationRedirect {
        let query = String(url.drop { $0 != "?" }.dropFirst())
        let clientID = try OpenIDParameters(decoding: query)["client_id"] ?? ""
        guard let client = clients[clientID] else { throw UnknownClient() }
        switch try await client.receiveAuthorizationRequest(query) {
        case .rejected(let rejected):
            print("provider rejects: \(rejected.cause)")
            return rejected.redirect
        case .accepted(let request):
            let user = signIn()
            // For example an essential acr that the user did not reach.
            if let error = try client.unmetRequirements(by: user, for: request) {
                return try await client.redirect(error: error, for: request)
            }
            let grant = try await client.grant(request)
            grants[grant.code] = (grant, user)
            return try await client.redirect(code: grant.code, for: request)
        }
    }

    /// The token endpoint.
    func post(_ request: TokenRequest) async throws -> OpenIDHTTPResponse {
        let authorization = request.header("Authorization")
        let client: RegisteredClient
        let received: ReceivedTokenRequest
        do throws(JOSEError) {
            let clientID = try provider.unverifiedClientID(
                tokenRequest: request.body, authorization: authorization)
            guard let known = clients[clientID] else {
                return try TokenError(.invalidClient).response(authorization: authorization)
            }
            client = known
            received = try await client.receiveTokenRequest(
                request.body, authorization: authorization)
        } catch {
            return try provider.error(rejecting: error).response(authorization: authorization)
        }
        guard let (grant, user) = grants[received.code] else {
            return try TokenError(.invalidGrant).response()
        }
        do {
            try await client.redeem(received, grant)
        } catch {
            return try TokenError(rejectingGrant: error).response()
        }
        return try await tokens(client, grant, user, for: received)
    }

    private func tokens(
        _ client: RegisteredClient, _ grant: CodeGrant, _ user: UserAuthentication,
        for request: ReceivedTokenRequest
    ) async throws -> OpenIDHTTPResponse {
        let accessToken = try BearerToken.fresh().text
        var user = user
        user.accessToken = accessToken
        accessTokens[accessToken] = (grant.request.clientID, user.subject)
        let idToken = try await client.tokenIssuer().idToken(for: grant.request, user)
        return try TokenResponse(
            to: request, accessToken: accessToken, idToken: idToken, expiresIn: .seconds(300)
        ).response()
    }

    /// The UserInfo endpoint.
    func userInfo(_ request: OpenIDHTTPRequest) async throws -> OpenIDHTTPResponse {
        do {
            let bearer = try BearerToken(
                method: request.method, authorization: request.header("Authorization"),
                contentType: request.header("Content-Type"), body: request.body)
            guard let known = accessTokens[bearer.text], let client = clients[known.client] else {
                return try BearerError(.invalidToken).response()
            }
            return try await client.tokenIssuer().userInfoResponse(
                subject: known.subject, claims: ["name": "Zoë van den Berg"])
        } catch {
            return try BearerError(rejecting: error).response()
        }
    }

    struct UnknownClient: Error {}
}
