// The endpoints of a small provider, as functions of requests: discovery, keys, pushed requests,
// authorization, tokens and UserInfo. A real one stores its state in a database, and has pages that
// authenticate the user.

import JOSE
import JOSEOpenID

actor Endpoints {
    /// The state is bounded: requests of clients must not fill the memory.
    private static let limit = 10_000

    private let provider: OpenIDProvider
    private let client: RegisteredClient
    private let clientID: String
    private let audience: String
    private var grants: [String: (grant: CodeGrant, user: UserAuthentication)] = [:]
    private var tokens: [String: AccessToken] = [:]

    private struct AccessToken {
        let code: String
        let subject: String
        let binding: TokenBinding
        let expires: NumericDate
    }

    /// - Parameters:
    ///   - issuer: The provider's URL.
    ///   - client: The registered client.
    ///   - audience: The API that access tokens are for.
    init(issuer: String, client: ClientRegistration, audience: String) throws {
        var profile = OpenIDProfile.openID
        profile.pushedRequests.isRequired = true
        profile.accessToken.proofs = .accepted
        // A real provider reads its keys at start, and rotates them.
        let keys = JWKSet(keys: [
            try .generate(.rsa, keyID: "2026-11", use: .signature, algorithm: .rs256)
        ])
        provider = try OpenIDProvider(
            profile: profile,
            metadata: ProviderMetadata(
                issuer: issuer, authorizationEndpoint: issuer + "/authorization",
                tokenEndpoint: issuer + "/token", userInfoEndpoint: issuer + "/userinfo",
                jwksURI: issuer + "/jwks", pushedRequestEndpoint: issuer + "/par",
                profile: profile),
            keys: keys, replays: MemoryReplayStore(), pushedRequests: MemoryPushedRequestStore(),
            proofReplays: MemoryReplayStore(), nonces: DPoPNonces())
        self.client = try provider.client(client, keys: PublicJWKSet(keys: []))
        clientID = client.clientID
        self.audience = audience
    }

    nonisolated func discovery() throws -> OpenIDHTTPResponse { try provider.discoveryResponse() }

    nonisolated func keySet() throws -> OpenIDHTTPResponse { try provider.keySetResponse() }

    /// Pushed authorization requests (RFC 9126).
    func push(
        form: String, authorization: String?, proofs: [String]
    ) async throws -> OpenIDHTTPResponse {
        try await client.receivePushedRequest(form, authorization: authorization, proofs: proofs)
            .response()
    }

    /// The authorization endpoint. It signs a user in at once: show your pages here.
    func authorize(query: String) async throws -> OpenIDHTTPResponse {
        do throws(JOSEError) {
            switch try await client.receiveAuthorizationRequest(query) {
            case .rejected(let rejected): return try rejected.redirect.response()
            case .accepted(let request):
                let user = UserAuthentication(subject: "zoe", time: .now)
                if let error = try client.unmetRequirements(by: user, for: request) {
                    return try await client.redirect(error: error, for: request).response()
                }
                let grant = try await client.grant(request)
                grants = grants.filter { .now < $0.value.grant.expires }
                guard grants.count < Endpoints.limit else {
                    throw .unavailable(.message, "too many logins are in progress")
                }
                grants[grant.code] = (grant, user)
                return try await client.redirect(code: grant.code, for: request).response()
            }
        } catch {
            return try .page(rejecting: error)
        }
    }

    /// The token endpoint. Access tokens are JWTs for the API, bound to a key if there is a proof.
    func token(
        form: String, authorization: String?, proofs: [String]
    ) async throws -> OpenIDHTTPResponse {
        let request: ReceivedTokenRequest
        do throws(JOSEError) {
            request = try await client.receiveTokenRequest(
                form, authorization: authorization, proofs: proofs)
        } catch {
            return try provider.error(rejecting: error).response(authorization: authorization)
        }
        guard case (let grant, var user)? = grants.removeValue(forKey: request.code) else {
            // RFC 6749, 4.1.2: a code that is used again ends its tokens.
            tokens = tokens.filter { !$0.value.code.utf8.elementsEqual(request.code.utf8) }
            return try TokenError(.invalidGrant).response()
        }
        do throws(JOSEError) {
            try await client.redeem(request, grant)
            let issuer = try await client.tokenIssuer()
            let binding = TokenBinding(keyThumbprint: request.keyThumbprint)
            let accessToken = try issuer.accessToken(
                AccessGrant(
                    subject: user.subject, audience: [audience], scopes: grant.request.scopes,
                    binding: binding))
            user.accessToken = accessToken
            let idToken = try issuer.idToken(for: grant.request, user)
            tokens = tokens.filter { .now < $0.value.expires }
            guard tokens.count < Endpoints.limit else {
                throw .unavailable(.message, "too many tokens are in use")
            }
            tokens[accessToken] = AccessToken(
                code: request.code, subject: user.subject, binding: binding,
                expires: .now.advanced(by: .seconds(300)))
            return try TokenResponse(
                to: request, accessToken: accessToken, idToken: idToken, expiresIn: .seconds(300)
            ).response()
        } catch {
            return try TokenError(rejectingGrant: error).response()
        }
    }

    /// The UserInfo endpoint. `url` is that of the request, as the client sees it.
    func userInfo(
        method: String, url: String, authorization: String?, proofs: [String]
    ) async throws -> OpenIDHTTPResponse {
        do throws(JOSEError) {
            let request = try ResourceRequest(
                method: method, url: url, authorization: authorization, proofs: proofs)
            guard let known = tokens[request.accessToken], .now < known.expires else {
                return try ResourceError(.invalidToken, proofs: provider.proofs).response()
            }
            _ = try await provider.proofs?.verify(
                request, boundTo: known.binding, owner: clientID)
            return try await client.tokenIssuer().userInfoResponse(
                subject: known.subject, claims: ["name": "Zoë van den Berg"])
        } catch {
            return try ResourceError(rejecting: error, proofs: provider.proofs).response()
        }
    }
}
