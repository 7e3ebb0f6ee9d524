// A provider: discovery, consent, codes, tokens and claims.

import Agreement
import Foundation
import JOSE
import JOSEOpenID
import JOSERemote
import Web

/// The state is in memory. Several machines share a database and a `ReplayStore`.
actor Provider {
    let agreement: Agreement
    let provider: OpenIDProvider
    private(set) var clients: [String: RegisteredClient] = [:]
    /// The clients with their own rules, which new keys must serve too.
    private var registrations: [ClientRegistration] = []
    private let fetch: RequestObjectFetch
    /// A resource server on the same machine; nil without DPoP.
    private let accounts: Accounts?
    private let tokenSeconds: Int64
    private var acrRule: ACRRule { agreement.profile.authorization.acr }

    /// Requests that wait for consent, by the ticket of their page.
    private var waiting = Shelf<ReceivedAuthorization>()
    /// Codes, stored after their use as long as their tokens.
    private var codes = Shelf<CodeState>()
    private(set) var accessTokens = Shelf<AccessToken>()

    private struct CodeState {
        let grant: CodeGrant
        let user: UserAuthentication
        var accessToken: String?
        var isReplayed = false
    }

    struct AccessToken {
        let clientID: String
        let subject: String
        let scopes: [String]
        let claims: ClaimsRequest?
        /// The thumbprint of the bound key; nil without DPoP.
        let keyThumbprint: String?
    }

    /// Reads and validates the configuration at start.
    ///
    /// - Parameter others: The additional clients.
    init(_ agreement: Agreement, others: [ClientMetadata], tokenSeconds: Int64) throws {
        self.agreement = agreement
        let issuer = agreement.issuer
        let keys = try agreement.keys("provider")
        let profiles = try others.map { try $0.profile(agreement.profile, keys) }
        provider = try OpenIDProvider(
            profile: agreement.profile,
            metadata: ProviderMetadata(
                issuer: issuer, authorizationEndpoint: issuer + "/authorization",
                tokenEndpoint: issuer + "/token", userInfoEndpoint: issuer + "/userinfo",
                jwksURI: issuer + "/jwks", pushedRequestEndpoint: issuer + "/par",
                profile: agreement.profile, clientProfiles: profiles,
                additional: agreement.additionalMetadata),
            keys: keys, replays: MemoryReplayStore(),
            pushedRequests: MemoryPushedRequestStore(), proofReplays: MemoryReplayStore(),
            nonces: DPoPNonces())
        self.tokenSeconds = tokenSeconds
        _ = try provider.keySetResponse()

        // The certificates of the client's keys must lead to the agreed trust anchor.
        let transport = try CurlTransport(
            certificateAuthorities: agreement.connectionAuthorities())
        accounts = try agreement.bindsTokens ? Accounts(agreement, transport) : nil
        var certified = RemoteJWKSetSettings()
        certified.certificates = .require(try agreement.keyRoots())
        let clientKeys = try RemoteJWKSet(
            untrustedURL: agreement.clientKeys, addressPolicy: agreement.addressPolicy,
            settings: certified, transport: transport,
            observe: { note($0, of: "provider: client's") })
        var registration = ClientRegistration(
            clientID: agreement.clientID, redirectURIs: [agreement.redirectURI],
            secret: try agreement.secret())
        registration.sendsSecretInForm = agreement.profile.client.sendsSecretInForm
        registration.requestURIRules = [.below(agreement.requestObjects)]
        clients[agreement.clientID] = try provider.client(registration, keys: clientKeys)
        for (other, profile) in zip(others, profiles) {
            guard clients[other.clientID] == nil else {
                throw Disagreement(description: "\(other.clientID): client_id is there twice")
            }
            let registration = try other.registration(profile)
            registrations.append(registration)
            guard let url = other.jwksURI else {
                clients[other.clientID] = try provider.client(
                    registration, keys: other.keys)
                continue
            }
            let source = try RemoteJWKSet(
                untrustedURL: url, addressPolicy: agreement.addressPolicy, transport: transport,
                observe: { note($0, of: "provider: \(other.clientID)'s") })
            clients[other.clientID] = try provider.client(registration, keys: source)
        }
        let fetcher = SSRFSafeFetcher(transport: transport, addressPolicy: agreement.addressPolicy)
        fetch = { try await fetcher.requestObject(at: $0) }
    }

    /// Reloads the private keys. Unusable keys change nothing.
    func rotate() {
        do {
            try provider.rotate(to: agreement.keys("provider"), for: registrations)
            note("provider: has other keys")
        } catch {
            note("provider: keeps its keys: \(error)")
        }
    }

    /// Handles a request.
    func response(_ request: WebRequest) async throws -> OpenIDHTTPResponse {
        switch (request.method, request.path) {
        case ("GET", "/.well-known/openid-configuration"): return try provider.discoveryResponse()
        case ("GET", "/jwks"): return try provider.keySetResponse()
        case ("GET", "/authorization"): return try await authorize(request.query)
        case ("POST", "/authorization"): return try await authorize(request.body)
        case ("POST", "/consent") where request.header("origin") != agreement.providerOrigin:
            return try .page("This form is from another site", "", status: 403)
        case ("POST", "/consent"): return try await decide(request)
        case ("POST", "/par"): return try await push(request)
        case ("POST", "/token"): return try await token(request)
        case ("GET", "/userinfo"), ("POST", "/userinfo"): return try await userInfo(request)
        case ("GET", "/accounts"): return try await accounts?.response(request) ?? .noSuchPage()
        case ("GET", "/style.css"): return try .style()
        default: return try .noSuchPage()
        }
    }

    // MARK: The authorization endpoint

    /// Checks the request and shows the consent page.
    private func authorize(_ parameters: String) async throws -> OpenIDHTTPResponse {
        let request: ReceivedAuthorization
        do {
            let clientID = try OpenIDParameters(decoding: parameters)["client_id"] ?? ""
            guard let client = clients[clientID] else {
                note("provider: rejects the request: unknown client \(clientID.prefix(64))")
                return try .page("Unknown client", "", status: 400)
            }
            switch try await client.receiveAuthorizationRequest(parameters, fetch: fetch) {
            case .accepted(let accepted):
                request = accepted
                if let error = await User.zoe.rejection(of: request, by: client, acrRule) {
                    let reason = [error.code.name, error.description].compactMap(\.self)
                    note("provider: rejects the request: \(reason.joined(separator: ": "))")
                    return try await client.redirect(error: error, for: request).response()
                }
            case .rejected(let rejected):
                note("provider: rejects the request: \(rejected.cause)")
                return try rejected.redirect.response()
            }
        } catch let error as JOSEError {
            // The redirect URI is not verified, so do not redirect.
            note("provider: rejects the request: \(error)")
            return try .page(rejecting: error)
        }
        // A real provider authenticates the user here. A cookie binds the ticket to this browser,
        // so that no other browser can confirm it.
        let ticket = freshName()
        waiting.put(
            request, ticket, until: .now.advanced(by: .seconds(600)),
            size: try JSONEncoder().encode(request).count)
        return try .consentPage(for: request, ticket: ticket)
    }

    /// Handles the user's decision: a code or an error for the client.
    private func decide(_ request: WebRequest) async throws -> OpenIDHTTPResponse {
        let form = try OpenIDParameters(decoding: request.body)
        guard let ticket = form["ticket"],
            ticket == request.cookie(OpenIDHTTPResponse.ticketCookie),
            let received = waiting.take(ticket), let client = clients[received.clientID]
        else { return try .page("This page has expired", "", status: 400) }
        guard form["answer"] == "yes" else {
            return try await client.redirect(
                error: AuthorizationError(.accessDenied), for: received
            ).response()
        }
        let grant: CodeGrant
        do throws(JOSEError) {
            grant = try await client.grant(received)
        } catch {
            // A pushed request is granted once, even if several of its pages are confirmed.
            note("provider: grants nothing: \(error)")
            return try .page(rejecting: error)
        }
        let user = try User.zoe.authentication(for: received, of: client, by: acrRule)
        keep(CodeState(grant: grant, user: user))
        return try await client.redirect(code: grant.code, for: received).response()
    }

    // MARK: The token endpoint

    /// Authenticates the client, then redeems the code.
    private func token(_ request: WebRequest) async throws -> OpenIDHTTPResponse {
        let authorization = request.header("authorization")
        let client: RegisteredClient
        let proved: ReceivedTokenRequest
        do throws(JOSEError) {
            let clientID = try provider.unverifiedClientID(
                tokenRequest: request.body, authorization: authorization)
            guard let known = clients[clientID] else {
                return try TokenError(.invalidClient).response(authorization: authorization)
            }
            client = known
            proved = try await client.receiveTokenRequest(
                request.body, authorization: authorization,
                proofs: request.values("dpop"))
        } catch {
            note("provider: rejects the client: \(error)")
            return try provider.error(rejecting: error).response(authorization: authorization)
        }
        return try await redeem(proved, client)
    }

    private func redeem(
        _ proved: ReceivedTokenRequest, _ client: RegisteredClient
    ) async throws -> OpenIDHTTPResponse {
        guard let code = codes[proved.code, at: .now] else {
            note("provider: rejects the code: it is unknown")
            return try TokenError(.invalidGrant).response()
        }
        let grant = code.grant
        let tokenIssuer: ClientTokenIssuer
        do throws(JOSEError) {
            // Before the code is used up, since this may fetch the client's keys.
            tokenIssuer = try await client.tokenIssuer()
            try await client.redeem(proved, grant)
        } catch {
            note("provider: rejects the code: \(error)")
            // The code was stolen or replayed: revoke its tokens (RFC 6749, 4.1.2).
            if error.code == .replayed || codes[grant.code, at: .now]?.accessToken != nil {
                revokeTokens(of: grant)
            }
            return try TokenError(rejectingGrant: error).response()
        }
        // The code may have been replayed while this request waited for the store.
        guard codes[grant.code, at: .now]?.isReplayed == false else {
            return try TokenError(.invalidGrant).response()
        }
        let accessToken: String
        var user = code.user
        let idToken: String
        do throws(JOSEError) {
            accessToken = try access(tokenIssuer, grant.request, user.subject, proved)
            user.accessToken = accessToken
            idToken = try tokenIssuer.idToken(for: grant.request, user)
        } catch {
            // Not the client's fault, for example after max_age has passed.
            note("provider: has no tokens: \(error)")
            return try TokenError(.serverError).response()
        }
        accessTokens.put(
            AccessToken(
                clientID: grant.request.clientID, subject: user.subject,
                scopes: grant.request.scopes, claims: grant.request.claims,
                keyThumbprint: proved.keyThumbprint),
            accessToken, until: .now.advanced(by: .seconds(tokenSeconds)))
        keep(CodeState(grant: grant, user: user, accessToken: accessToken))
        return try TokenResponse(
            to: proved, accessToken: accessToken, idToken: idToken,
            expiresIn: .seconds(tokenSeconds)
        ).response()
    }

    /// Makes an opaque access token, or with DPoP a JWT that resource servers can verify.
    private func access(
        _ tokenIssuer: ClientTokenIssuer, _ request: ReceivedAuthorization, _ subject: String,
        _ proved: ReceivedTokenRequest
    ) throws(JOSEError) -> String {
        guard agreement.bindsTokens else { return try BearerToken.fresh().text }
        return try tokenIssuer.accessToken(
            AccessGrant(
                subject: subject, audience: [agreement.accounts], scopes: request.scopes,
                binding: TokenBinding(keyThumbprint: proved.keyThumbprint)))
    }

    private func keep(_ code: CodeState) {
        codes.put(
            code, code.grant.code, until: code.grant.expires.advanced(by: .seconds(tokenSeconds)))
    }

    private func revokeTokens(of grant: CodeGrant) {
        guard var code = codes[grant.code, at: .now] else { return }
        if let text = code.accessToken { _ = accessTokens.take(text) }
        code.accessToken = nil
        code.isReplayed = true
        keep(code)
        note("provider: a code came twice: its tokens are lost")
    }
}
