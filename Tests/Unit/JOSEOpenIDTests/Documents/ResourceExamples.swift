// The examples of the pages about protected APIs, services and logout, word for word.

import JOSE
import JOSEOpenID

/// An MCP server, or another API, that accepts tokens of two issuers.
struct ToolAPI {
    static let resource = "https://tools.example/mcp"  // the `aud` of its tokens
    let server: ResourceServer

    init(company: any KeySource, partner: any KeySource) throws {
        var partnerRules = ResourceRules()
        partnerRules.algorithms = [.es256]
        server = try ResourceServer(
            issuers: [
                .init("https://idp.example", keys: company),
                .init("https://login.partner.example", keys: partner, rules: partnerRules),
            ], audiences: [ToolAPI.resource], realm: "Tools",
            metadata: .init(resource: ToolAPI.resource, scopes: ["tools:read"]))
    }

    /// `POST /mcp`.
    func call(_ authorization: String?) async throws -> OpenIDHTTPResponse {
        let scopes = ["tools:read"]
        do throws(JOSEError) {
            let request = try ResourceRequest(
                method: "POST", url: ToolAPI.resource, authorization: authorization)
            let access = try await server.verify(request, scopes: scopes)
            // A user is an issuer and a subject: two issuers may use the same subject.
            return try OpenIDHTTPResponse(status: 200, body: access.issuer + " " + access.subject)
        } catch {  // log error.description
            return try server.error(rejecting: error, scopes: scopes).response()
        }
    }

    /// `GET /.well-known/oauth-protected-resource/mcp`.
    func metadata() throws -> OpenIDHTTPResponse { try server.metadataResponse() }
}

/// Finds the issuer for a resource that rejected a request, among those that you trust.
func issuer(
    for resource: String, _ rejected: OpenIDHTTPResponse, trusted: [String],
    get: (_ url: String) async throws -> String
) async throws -> String? {
    let challenge = try BearerError(response: rejected)
    let url = try challenge.metadataURL ?? ResourceServer.Metadata.url(resource: resource)
    let document = try await get(url)  // with an address policy: the resource chose the URL
    let metadata = try ResourceServer.Metadata(json: document, resource: resource)
    return metadata.authorizationServers.first { trusted.contains($0) }
}

/// A service that calls APIs in its own name. It has no redirect URI.
func service(
    _ document: String, issuer: String, secret: ClientSecret, providerKeys: any KeySource
) throws -> RelyingParty {
    let metadata = try ProviderMetadata(
        authorizationServerJSON: document, issuer: issuer, profile: .openID)
    return try RelyingParty(
        profile: .openID, metadata: metadata, clientID: "reports", redirectURI: nil,
        keys: JWKSet(keys: []), secret: secret, providerKeys: providerKeys)
}

/// Gets an access token for the service, and revokes it at the end.
func withToken(
    _ service: RelyingParty, post: (TokenRequest) async throws -> OpenIDHTTPResponse,
    _ body: (_ accessToken: String) async throws -> Void
) async throws {
    let request = try await service.clientCredentialsRequest(
        scopes: ["read"], resources: ["https://api.example"])
    let response = try await post(request)
    guard response.status == 200 else { throw try TokenError(response: response) }
    let token = try AccessTokenResponse(json: response.body, to: request).accessToken
    func revoke() async throws {
        let revoked = try await post(
            service.revocationRequest(token: token, hint: "access_token"))
        guard revoked.status == 200 else { throw try TokenError(response: revoked) }
    }
    do {
        try await body(token)
    } catch {
        try? await revoke()  // the error of the body is the one to report
        throw error
    }
    try await revoke()
}

/// The provider's endpoints for services. `find` returns the client of a request.
struct ServiceEndpoints {
    let provider: OpenIDProvider
    let find: @Sendable (_ clientID: String) -> RegisteredClient?
    /// Revokes a token, or returns the error for the response: `unauthorizedClient` for a token of
    /// another client. Nil for a revoked or unknown token.
    let revoke:
        @Sendable (_ request: RegisteredClient.ReceivedRevocation) async throws -> TokenError?

    private func client(_ form: String, _ authorization: String?) throws(JOSEError)
        -> RegisteredClient
    {
        let clientID = try provider.unverifiedClientID(
            tokenRequest: form, authorization: authorization)
        guard let client = find(clientID) else {
            throw .claimRejected("client_id", "it is unknown")
        }
        return client
    }

    /// The token endpoint for `grant_type=client_credentials`.
    func token(_ form: String, _ authorization: String?) async throws -> OpenIDHTTPResponse {
        do throws(JOSEError) {
            let client = try client(form, authorization)
            let request = try await client.receiveClientCredentialsRequest(
                form, authorization: authorization)
            // Allow the resources that this client may use; here there is one.
            let grant = AccessGrant(
                subject: request.clientID, audience: ["https://api.example"],
                scopes: request.scopes)
            let token = try await client.tokenIssuer().accessToken(grant)
            return try AccessTokenResponse(
                to: request, accessToken: token, expiresIn: .seconds(300)
            ).response()
        } catch {
            return try provider.error(rejecting: error).response(authorization: authorization)
        }
    }

    /// The revocation endpoint.
    func revoked(_ form: String, _ authorization: String?) async throws -> OpenIDHTTPResponse {
        let request: RegisteredClient.ReceivedRevocation
        do throws(JOSEError) {
            request = try await client(form, authorization).receiveRevocationRequest(
                form, authorization: authorization)
        } catch {
            return try provider.error(rejecting: error).response(authorization: authorization)
        }
        if let error = try await revoke(request) {
            return try error.response(authorization: authorization)
        }
        return try .revoked()
    }
}

/// Your logout link: ends your session, and returns where to send the browser.
func signOut(
    _ party: RelyingParty, idToken: String, state: String, endSession: () async -> Void
) async throws -> String {
    await endSession()
    return try party.logoutURL(
        idToken: idToken, returningTo: "https://app.example/bye", state: state)
}

/// The provider's `end_session_endpoint`, for the query of a GET or the form of a POST.
///
/// `isConfirmed` is true only after a POST of your own page with a token that is bound to the
/// browser session.
func endSession(
    _ parameters: String, _ provider: OpenIDProvider,
    user: (subject: String, sessionID: String), isConfirmed: Bool,
    find: (_ clientID: String) -> RegisteredClient?, end: () async throws -> Void
) async throws -> OpenIDHTTPResponse {
    let logout: RegisteredClient.ReceivedLogout?  // nil if no known client is named
    do throws(JOSEError) {
        let clientID = try provider.unverifiedClientID(logoutRequest: parameters)
        logout = try clientID.flatMap(find)?.receiveLogoutRequest(parameters)
    } catch {
        return try .page(rejecting: error)  // never a redirect
    }
    let mustAsk =
        logout?.needsConfirmation(subject: user.subject, sessionID: user.sessionID) ?? true
    guard isConfirmed || !mustAsk else {
        return try OpenIDHTTPResponse(status: 200, body: "Sign out?")  // your page with a form
    }
    try await end()  // and send logout tokens
    return try logout?.response(isConfirmed: isConfirmed)
        ?? OpenIDHTTPResponse(status: 200, body: "You are signed out.")
}
