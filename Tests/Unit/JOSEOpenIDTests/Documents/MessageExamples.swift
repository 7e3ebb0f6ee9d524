// The examples of the pages about pushed requests, refresh tokens, logout and users without a
// browser, word for word.

import JOSE
import JOSEOpenID

/// Pushes the request. The URL of the result contains only a reference to it.
func startPushed(
    _ request: AuthorizationRequest, _ party: RelyingParty,
    _ post: (TokenRequest) async throws -> OpenIDHTTPResponse
) async throws -> AuthorizationStart {
    let pushed = try await party.push(request)
    let response = try await post(pushed.request)
    guard response.status == 201 else { throw try TokenError(response: response) }
    return try party.start(pushed, PushedAuthorizationResponse(json: response.body))
}

/// The endpoint for pushed requests: 201 with the reference, or an error. `proofs` are the values
/// of the header `DPoP`.
func receivePushed(
    _ form: String, _ authorization: String?, _ proofs: [String], _ provider: OpenIDProvider,
    _ clients: [String: RegisteredClient]
) async throws -> OpenIDHTTPResponse {
    let clientID: String
    do throws(JOSEError) {
        clientID = try provider.unverifiedClientID(
            tokenRequest: form, authorization: authorization)
    } catch {
        return try provider.error(rejecting: error).response(authorization: authorization)
    }
    guard let client = clients[clientID] else {
        return try TokenError(.invalidClient).response(authorization: authorization)
    }
    return try await client.receivePushedRequest(
        form, authorization: authorization, proofs: proofs
    ).response()
}

/// Stores the refresh tokens of a provider.
actor RefreshFamilies {
    private var kept: [String: RefreshFamily] = [:]  // by id; use a database in production

    /// Issues the refresh token of a login, for a day. A public client's token is bound to the
    /// key of its token request.
    func first(
        _ client: RegisteredClient, _ request: ReceivedAuthorization,
        respondingTo tokenRequest: ReceivedTokenRequest?
    ) throws -> String {
        let result = try client.refreshFamily(
            for: request, lifetime: .seconds(86_400), respondingTo: tokenRequest)
        kept[result.family.id] = result.family
        return result.token
    }

    /// The token endpoint for the `grant_type` `refresh_token`. `access` issues an access token,
    /// bound to the request's `keyThumbprint` if it has one.
    func refresh(
        _ form: String, _ authorization: String?, _ proofs: [String], _ client: RegisteredClient,
        access: @Sendable (ReceivedRefreshRequest) async throws -> String
    ) async throws -> OpenIDHTTPResponse {
        let request: ReceivedRefreshRequest
        do throws(JOSEError) {
            request = try await client.receiveRefreshRequest(
                form, authorization: authorization, proofs: proofs)
        } catch {
            return try client.provider.error(rejecting: error)
                .response(authorization: authorization)
        }
        guard let family = kept[request.familyID] else {
            return try TokenError(.invalidGrant).response()
        }
        let next: IssuedRefreshToken
        do throws(JOSEError) {
            next = try client.redeem(request, family)
        } catch {
            if error.code == .replayed { kept[family.id] = nil }  // an old token was used
            return try TokenError(rejectingGrant: error).response()
        }
        // The access token comes first: if issuing it fails, the refresh token still works.
        let accessToken = try await access(request)
        guard kept[family.id]?.generation == family.generation else {
            kept[family.id] = nil  // the same token was used twice
            return try TokenError(.invalidGrant).response()
        }
        kept[family.id] = next.family
        return try AccessTokenResponse(
            to: request, accessToken: accessToken, refreshToken: next.token
        ).response()
    }
}

/// Your `backchannel_logout_uri`: reads the form that the provider posts, and returns the response.
func loggedOut(
    _ form: String, _ party: RelyingParty, _ store: any ReplayStore,
    _ end: (_ subject: String?, _ session: String?) async -> Void
) async throws -> OpenIDHTTPResponse {
    do throws(JOSEError) {
        let token = try await party.verifyLogout(form: form, once: store)
        await end(token.subject, token.sessionID)
        return try .loggedOut()
    } catch {
        return try .loggedOut(rejecting: error)
    }
}

/// Logs a user in on another device (CIBA).
struct DeviceLogin {
    let party: RelyingParty  // its metadata have a backchannel endpoint
    let post: @Sendable (TokenRequest) async throws -> OpenIDHTTPResponse

    /// Store the result under its `requestID`, and poll every `intervalSeconds`.
    func start(telephone: String, shows message: String) async throws -> BackchannelSession {
        var request = BackchannelRequest(.name("tel:" + telephone), scopes: ["profile"])
        request.bindingMessage = message  // shown on both devices
        let sent = try await party.backchannel(request)
        let response = try await post(sent.request)
        guard response.status == 200 else { throw try TokenError(response: response) }
        return try sent.accepted(BackchannelResponse(json: response.body))
    }

    /// Polls once. Returns the ID Token, or the session to store for the next poll. Both are nil if
    /// the login failed.
    func poll(
        _ session: BackchannelSession
    ) async throws -> (VerifiedIDToken?, BackchannelSession?) {
        let request = try await party.tokenRequest(for: session)
        let response = try await post(request)
        guard response.status == 200 else {
            return (nil, session.after(try TokenError(response: response)))
        }
        let tokens = try TokenResponse(json: response.body, to: request)
        let idToken = try await party.verifyIDToken(
            tokens.idToken, for: session, accessToken: tokens.accessToken,
            refreshToken: tokens.refreshToken)
        return (idToken, nil)
    }
}

/// The provider, for one client with `ClientRegistration.backchannel`.
actor DeviceLogins {
    private let client: RegisteredClient
    private var waiting: [String: PendingAuthentication] = [:]  // by requestID
    private var users: [String: UserAuthentication] = [:]  // by requestID

    init(_ client: RegisteredClient) { self.client = client }

    /// The backchannel endpoint.
    func receive(_ form: String, _ authorization: String?) async throws -> OpenIDHTTPResponse {
        switch await client.receiveBackchannelRequest(form, authorization: authorization) {
        case .rejected(let rejected):
            return try rejected.response()
        case .accepted(let request):
            guard case .name? = request.hint else {
                return try TokenError(.unknownUserID).response()
            }
            let pending = try client.pending(request)
            waiting[pending.requestID] = pending  // show bindingMessage on the device
            return try pending.response()
        }
    }

    /// The user's decision: `user` has the time of the authentication and the `acr` that was
    /// reached. Nil if the user declined.
    func decide(_ requestID: String, _ user: UserAuthentication?) throws {
        guard let pending = waiting[requestID] else { return }
        // A weaker authentication than required is no consent.
        let isGranted = try user.map {
            try client.unmetRequirements(by: $0, for: pending.request) == nil
        }
        users[requestID] = user
        waiting[requestID]?.decision = isGranted == true ? .granted : .denied
    }

    /// The token endpoint for the `grant_type` `urn:openid:params:grant-type:ciba`. `access` issues
    /// an access token, bound to the poll's `keyThumbprint` if it has one.
    func token(
        _ form: String, _ authorization: String?, _ proofs: [String],
        access: @Sendable (ReceivedBackchannelPoll) async throws -> String
    ) async throws -> OpenIDHTTPResponse {
        let poll: ReceivedBackchannelPoll
        do throws(JOSEError) {
            poll = try await client.receiveBackchannelPoll(
                form, authorization: authorization, proofs: proofs)
        } catch {
            return try client.provider.error(rejecting: error)
                .response(authorization: authorization)
        }
        guard let pending = waiting[poll.requestID] else {
            return try TokenError(.invalidGrant).response()
        }
        let result: BackchannelPollResult
        do throws(JOSEError) {
            result = try await client.redeem(poll, pending)
        } catch {
            return try TokenError(rejectingGrant: error).response()
        }
        switch result {
        case .waiting(let error, let next):
            // If the user decided meanwhile, the generation differs: keep the decision.
            if waiting[poll.requestID]?.generation == pending.generation {
                waiting[poll.requestID] = next
            }
            return try error.response()
        case .failed(let error):
            waiting[poll.requestID] = nil
            users[poll.requestID] = nil
            return try error.response()
        case .granted:
            waiting[poll.requestID] = nil
            guard var user = users.removeValue(forKey: poll.requestID) else {
                return try TokenError(.invalidGrant).response()
            }
            let token = try await access(poll)
            user.accessToken = token
            let idToken = try await client.tokenIssuer().idToken(for: pending, user)
            return try TokenResponse(to: poll, accessToken: token, idToken: idToken).response()
        }
    }
}

/// An API with bearer tokens: JWTs of the issuer (RFC 9068) with the `typ` `at+jwt`.
struct ReadingAPI {
    static let name = "https://api.example"  // the `aud` of its tokens
    private let server: ResourceServer

    init(issuer: String, keys: any KeySource) throws {
        server = try ResourceServer(issuer: issuer, audiences: [ReadingAPI.name], keys: keys)
    }

    func get(_ authorization: String?) async throws -> OpenIDHTTPResponse {
        do throws(JOSEError) {
            let request = try ResourceRequest(
                method: "GET", url: ReadingAPI.name + "/books", authorization: authorization)
            let access = try await server.verify(request, scopes: ["read"])
            return try OpenIDHTTPResponse(status: 200, body: access.subject)
        } catch {  // log error.description
            return try server.error(rejecting: error).response()
        }
    }
}
