// A provider: publishes its documents, asks the user, and answers with codes, tokens and claims.

import Agreement
import Foundation
import JOSE
import JOSEOpenID
import JOSERemote
import Web

/// All that it remembers is in memory; with several machines it is in a database, and `replays` is a store that they share.
actor Provider {
    let agreement: Agreement
    let provider: OpenIDProvider
    private(set) var clients: [String: RegisteredClient] = [:]
    /// The clients with rules of their own: other keys must serve these too.
    private var registrations: [ClientRegistration] = []
    private let fetch: RequestObjectFetch
    /// A resource server on the same machine; nil where access tokens are bound to nothing.
    private let accounts: Accounts?
    private let tokenSeconds: Int64
    /// The values of `acr` that its user can reach, and whether she must.
    private var acrValues: ACRRule { agreement.profile.authorization.acr }

    /// Requests that wait for the user's word, by the ticket of their page.
    private var waiting = Shelf<ReceivedAuthorization>()
    /// Codes, kept after their use as long as the tokens that came of them.
    private var codes = Shelf<CodeState>()
    private(set) var accessTokens = Shelf<AccessToken>()

    private struct CodeState {
        let grant: CodeGrant
        /// How the user signed in, at the moment of her word.
        let user: UserAuthentication
        var accessToken: String?
        var isReplayed = false
    }

    struct AccessToken {
        let clientID: String
        let subject: String
        let scopes: [String]
        /// What the parameter `claims` requested.
        let claims: ClaimsRequest?
        /// The key that it is bound to.
        let keyThumbprint: String?
    }

    /// Reads and tries all that it needs later, so that a program which starts can answer.
    ///
    /// - Parameter others: Clients besides the one of the agreement.
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

        // The client's keys come from its address, and each must lead to the root that both agreed on.
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
            guard let address = other.jwksURI else {
                clients[other.clientID] = try provider.client(
                    registration, keys: other.keys)
                continue
            }
            let source = try RemoteJWKSet(
                untrustedURL: address, addressPolicy: agreement.addressPolicy, transport: transport,
                observe: { note($0, of: "provider: \(other.clientID)'s") })
            clients[other.clientID] = try provider.client(registration, keys: source)
        }
        let guarded = SSRFSafeFetcher(transport: transport, addressPolicy: agreement.addressPolicy)
        fetch = { try await guarded.requestObject(at: $0) }
    }

    /// Takes the private keys that the folder has now. Those that cannot be used change nothing.
    func rotate() {
        do {
            try provider.rotate(to: agreement.keys("provider"), for: registrations)
            note("provider: has other keys")
        } catch {
            note("provider: keeps its keys: \(error)")
        }
    }

    /// Answers a request to any of the endpoints.
    func response(_ request: WebRequest) async throws -> OpenIDHTTPResponse {
        switch (request.method, request.path) {
        case ("GET", "/.well-known/openid-configuration"): return try provider.discoveryResponse()
        case ("GET", "/jwks"): return try provider.keySetResponse()
        case ("GET", "/authorization"): return try await authorize(request.query)
        case ("POST", "/authorization"): return try await authorize(request.body)
        case ("POST", "/consent") where request.header("origin") != agreement.providerOrigin:
            return try .page("This form is not ours", "", status: 403)
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

    /// Judges the request and asks the user.
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
                if let error = await User.zoe.rejection(
                    of: request, by: client, acrValues)
                {
                    let why = [error.code.name, error.description].compactMap(\.self)
                    note("provider: rejects the request: \(why.joined(separator: ": "))")
                    return try await client.redirect(error: error, for: request).response()
                }
            case .rejected(let rejected):
                note("provider: rejects the request: \(rejected.cause)")
                return try rejected.redirect.response()
            }
        } catch let error as JOSEError {
            // Nothing may be redirected: nobody knows whose address it is.
            note("provider: rejects the request: \(error)")
            return try .page(rejecting: error)
        }
        // Here a real provider signs the user in. The ticket is bound to this browser by a cookie, so that nobody can
        // have another's page confirmed.
        let ticket = freshName()
        waiting.put(
            request, ticket, until: .now.advanced(by: .seconds(600)),
            size: try JSONEncoder().encode(request).count)
        return try .consentPage(for: request, ticket: ticket)
    }

    /// The user's word: a code or an error for the client.
    private func decide(_ request: WebRequest) async throws -> OpenIDHTTPResponse {
        let form = try OpenIDParameters(decoding: request.body)
        guard let ticket = form["ticket"],
            ticket == request.cookie(OpenIDHTTPResponse.ticketCookie),
            let asked = waiting.take(ticket), let client = clients[asked.clientID]
        else { return try .page("This page is no longer good", "", status: 400) }
        guard form["answer"] == "yes" else {
            return try await client.redirect(error: AuthorizationError(.accessDenied), for: asked)
                .response()
        }
        let grant: CodeGrant
        do throws(JOSEError) {
            grant = try await client.grant(asked)
        } catch {
            // A pushed request is granted once, whichever of its pages she answers.
            note("provider: grants nothing: \(error)")
            return try .page(rejecting: error)
        }
        let user = try User.zoe.authentication(for: asked, of: client, by: acrValues)
        keep(CodeState(grant: grant, user: user))
        return try await client.redirect(code: grant.code, for: asked).response()
    }

    // MARK: The token endpoint

    /// Who sends it, then whether the code is theirs.
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
            // Before the code is used up: the client's keys may have to be fetched.
            tokenIssuer = try await client.tokenIssuer()
            try await client.redeem(proved, grant)
        } catch {
            note("provider: rejects the code: \(error)")
            // Somebody has the code besides the client: what came of it is worth nothing (RFC 6749, 4.1.2).
            if error.code == .replayed || codes[grant.code, at: .now]?.accessToken != nil {
                loseTokens(of: grant)
            }
            return try TokenError(rejectingGrant: error).response()
        }
        // Another one may have come with the same code while this one waited for the store.
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
            // The client has done nothing wrong, such as where it came later than its max_age.
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

    /// A name that means something here alone; or, where it is bound to the client's key, a token that resource servers read too.
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

    private func loseTokens(of grant: CodeGrant) {
        guard var code = codes[grant.code, at: .now] else { return }
        if let text = code.accessToken { _ = accessTokens.take(text) }
        code.accessToken = nil
        code.isReplayed = true
        keep(code)
        note("provider: a code came twice: its tokens are lost")
    }
}
