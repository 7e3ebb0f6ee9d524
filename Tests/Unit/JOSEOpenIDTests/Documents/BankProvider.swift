// The FAPI 2.0 provider and its resource server, exactly as on their page.

import JOSE
import JOSEOpenID

/// A FAPI 2.0 provider. Your server calls each endpoint and sends the response unchanged.
actor BankProvider {
    nonisolated let provider: OpenIDProvider
    private var clients: [String: RegisteredClient] = [:]  // by client_id
    private var grants: [String: CodeGrant] = [:]  // by code; use a database in production
    private var families: [String: RefreshFamily] = [:]  // by id
    private var users: [String: UserAuthentication] = [:]  // by code and by id of a family

    init(issuer: String, keys: JWKSet, profile: OpenIDProfile = .fapi2) throws {
        let metadata = try ProviderMetadata(
            issuer: issuer, authorizationEndpoint: issuer + "/authorize",
            tokenEndpoint: issuer + "/token", jwksURI: issuer + "/jwks",
            pushedRequestEndpoint: issuer + "/par", profile: profile)
        provider = try OpenIDProvider(
            profile: profile, metadata: metadata, keys: keys,
            replays: MemoryReplayStore(), pushedRequests: MemoryPushedRequestStore(),
            proofReplays: MemoryReplayStore(capacity: 1_000_000, quota: 10_000),
            nonces: DPoPNonces())
    }

    /// Registers a client with its public keys; an invalid registration throws.
    func register(_ clientID: String, redirectURI: String, keys: PublicJWKSet) throws {
        clients[clientID] = try provider.client(
            ClientRegistration(clientID: clientID, redirectURIs: [redirectURI]), keys: keys)
    }
}

extension BankProvider {
    /// The client that a form names, unverified.
    private func sender(of form: String) throws(TokenError) -> RegisteredClient {
        let clientID: String
        do throws(JOSEError) {
            clientID = try provider.unverifiedClientID(tokenRequest: form)
        } catch {
            throw provider.error(rejecting: error)
        }
        guard let client = clients[clientID] else { throw TokenError(.invalidClient) }
        return client
    }

    /// `/par`: the form, and the values of the header `DPoP`.
    func push(_ form: String, _ proofs: [String]) async throws -> OpenIDHTTPResponse {
        do {
            return try await sender(of: form).receivePushedRequest(form, proofs: proofs)
                .response()
        } catch let error as TokenError {
            return try error.response()
        }
    }
}

extension BankProvider {
    /// `/authorize`: the query. `ask` signs the user in and shows the request; nil if declined.
    func authorize(
        _ query: String, ask: @Sendable (ReceivedAuthorization) async -> UserAuthentication?
    ) async throws -> OpenIDHTTPResponse {
        do throws(JOSEError) {
            let clientID = try OpenIDParameters(decoding: query)["client_id"] ?? ""
            guard let client = clients[clientID] else { return try OpenIDHTTPResponse(status: 400) }
            switch try await client.receiveAuthorizationRequest(query) {
            case .rejected(let rejected):
                return try rejected.redirect.response()
            case .accepted(let request):
                guard let user = await ask(request) else {
                    return try await client.redirect(
                        error: AuthorizationError(.accessDenied), for: request
                    ).response()
                }
                if let error = try client.unmetRequirements(by: user, for: request) {
                    return try await client.redirect(error: error, for: request).response()
                }
                let grant = try await client.grant(request)
                (grants[grant.code], users[grant.code]) = (grant, user)
                return try await client.redirect(code: grant.code, for: request).response()
            }
        } catch {
            return try .page(rejecting: error)
        }
    }
}

extension BankProvider {
    /// `/token`: the form, and the values of the header `DPoP`.
    func token(_ form: String, _ proofs: [String]) async throws -> OpenIDHTTPResponse {
        do {
            let client = try sender(of: form)
            switch try? OpenIDParameters(decoding: form)["grant_type"] {
            case "refresh_token": return try await refresh(form, proofs, client)
            default: return try await redeem(form, proofs, client)  // rejects other grant types
            }
        } catch let error as TokenError {
            return try error.response()
        }
    }

    /// An access token for the API, bound to the client's key.
    private func access(
        _ subject: String, _ scopes: [String], _ thumbprint: String?, _ client: RegisteredClient
    ) async throws -> String {
        try await client.tokenIssuer().accessToken(
            AccessGrant(
                subject: subject, audience: [BankAPI.name], scopes: scopes,
                binding: TokenBinding(keyThumbprint: thumbprint)))
    }
}

extension BankProvider {
    /// Redeems a code.
    private func redeem(
        _ form: String, _ proofs: [String], _ client: RegisteredClient
    ) async throws -> OpenIDHTTPResponse {
        let request: ReceivedTokenRequest
        do throws(JOSEError) {
            request = try await client.receiveTokenRequest(form, proofs: proofs)
        } catch {
            throw client.provider.error(rejecting: error)  // with a nonce if one is required
        }
        guard let grant = grants[request.code], var user = users[request.code] else {
            throw TokenError(.invalidGrant)
        }
        do throws(JOSEError) {
            try await client.redeem(request, grant)
        } catch {
            throw TokenError(rejectingGrant: error)
        }
        let access = try await access(
            user.subject, grant.request.scopes, request.keyThumbprint, client)
        user.accessToken = access  // for at_hash
        let idToken = try await client.tokenIssuer().idToken(for: grant.request, user)
        let issued = try client.refreshFamily(
            for: grant.request, lifetime: .seconds(86_400), respondingTo: request)
        (families[issued.family.id], users[issued.family.id]) = (issued.family, user)
        var response = TokenResponse(to: request, accessToken: access, idToken: idToken)
        response.refreshToken = issued.token
        return try response.response()
    }
}

extension BankProvider {
    /// Issues an access token for a refresh token, which stays the same.
    private func refresh(
        _ form: String, _ proofs: [String], _ client: RegisteredClient
    ) async throws -> OpenIDHTTPResponse {
        let request: ReceivedRefreshRequest
        do throws(JOSEError) {
            request = try await client.receiveRefreshRequest(form, proofs: proofs)
        } catch {
            throw client.provider.error(rejecting: error)
        }
        guard let family = families[request.familyID], let user = users[request.familyID] else {
            throw TokenError(.invalidGrant)
        }
        let issued: IssuedRefreshToken
        do throws(JOSEError) {
            issued = try client.redeem(request, family)
        } catch {
            throw TokenError(rejectingGrant: error)
        }
        let scopes = request.scopes.isEmpty ? family.scopes : request.scopes
        let access = try await access(user.subject, scopes, request.keyThumbprint, client)
        return try AccessTokenResponse(to: request, accessToken: access, refreshToken: issued.token)
            .response()
    }
}

/// The resource server, with its own nonces.
struct BankAPI {
    static let name = "https://api.example/accounts"  // the `aud` of its tokens
    private let server: ResourceServer

    /// `keys` are the provider's public keys.
    init(issuer: String, keys: any KeySource) throws {
        let proofs = try DPoPVerifier(
            server: BankAPI.name, replays: MemoryReplayStore(), rules: .fapi2,
            nonces: DPoPNonces())
        server = try ResourceServer(
            issuer: issuer, audiences: [BankAPI.name], keys: keys, rules: .fapi2, proofs: proofs)
    }

    /// `url` is the URL that the client sees; `proofs` are the values of the header `DPoP`.
    func get(_ url: String, _ authorization: String?, _ proofs: [String]) async throws
        -> OpenIDHTTPResponse
    {
        do throws(JOSEError) {
            let request = try ResourceRequest(
                method: "GET", url: url, authorization: authorization, proofs: proofs)
            let access = try await server.verify(request, scopes: ["accounts"])
            let nonce = access.nextNonce.map { [OpenIDParameter("DPoP-Nonce", $0)] }
            return try OpenIDHTTPResponse(status: 200, headers: nonce ?? [], body: access.subject)
        } catch {
            return try server.error(rejecting: error).response()
        }
    }
}
