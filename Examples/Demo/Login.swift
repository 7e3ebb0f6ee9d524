// One login: each side makes messages and verifies those of the other.

import JOSE
import JOSEOpenID

/// An error that must not happen in the demo.
struct DemoFailure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

/// A pushed request: rejected without a nonce, then accepted with it.
struct Push {
    let challenge: OpenIDHTTPResponse
    let nonce: DPoPNonce
    let request: TokenRequest
    let response: OpenIDHTTPResponse
}

/// A request that the provider accepted.
struct Request {
    /// Nil if the browser carried the request.
    let push: Push?
    let started: AuthorizationStart
    let received: ReceivedAuthorization
}

/// The messages of a successful login.
struct Login {
    static let subject = "0123456789abcdef0123456789abcdef"

    let request: Request
    let grant: CodeGrant
    /// The query of the redirect, or the form that the browser posts.
    let callback: String
    let tokenRequest: TokenRequest
    let accessToken: String
    let idToken: String
    let accepted: VerifiedIDToken
    let userInfo: String
    /// The use of a DPoP-bound access token; nil for bearer tokens.
    let use: AccessTokenUse?

    var session: AuthorizationSession { request.started.session }
    var received: ReceivedAuthorization { request.received }
    var nonce: DPoPNonce? { request.push?.nonce }

    init(_ env: DemoEnvironment) async throws {
        let (party, client, now) = (env.party, env.client, env.now)
        request = try await env.begin(party, client)
        let (session, received) = (request.started.session, request.received)
        grant = try await client.grant(received, at: now)
        callback = try await client.redirect(code: grant.code, for: received, at: now)
            .parameters.encoded
        guard case .code(let code) = try await env.response(callback, to: session) else {
            throw DemoFailure("the provider returned an error")
        }
        let (prover, nonce) = (env.bound?.prover, request.push?.nonce)
        tokenRequest = try await party.tokenRequest(
            code: code, for: session, prover: prover, nonce: nonce, at: now, timeout: keyTimeout)
        let receivedCode = try await client.receiveTokenRequest(
            tokenRequest.body, authorization: tokenRequest.authorization,
            proofs: tokenRequest.proofs, at: now)
        try await client.redeem(receivedCode, grant, at: now)

        let tokenIssuer = try await client.tokenIssuer()
        accessToken =
            prover == nil
            ? try PKCE().verifier
            : try tokenIssuer.accessToken(
                AccessGrant(
                    subject: Login.subject, audience: received.resources, scopes: ["accounts"],
                    binding: TokenBinding(keyThumbprint: receivedCode.keyThumbprint)), at: now)
        idToken = try tokenIssuer.idToken(
            for: received, Login.user(received, accessToken, now), at: now)
        let response = try TokenResponse(
            json: TokenResponse(to: receivedCode, accessToken: accessToken, idToken: idToken)
                .response().body, to: tokenRequest)
        accepted = try await party.verifyIDToken(
            response.idToken, for: session, accessToken: response.accessToken, at: now,
            timeout: keyTimeout)
        let userInfoRequest = try await party.userInfoRequest(
            accessToken: response.accessToken, prover: prover, nonce: nonce, at: now)
        guard try await env.token(of: userInfoRequest, receivedCode.keyThumbprint) == accessToken
        else { throw DemoFailure("another access token arrived") }
        let userInfoResponse = try tokenIssuer.userInfoResponse(
            subject: Login.subject, claims: env.profile.claims, at: now)
        userInfo = userInfoResponse.body
        _ = try await party.verifyUserInfo(
            userInfo, for: accepted, contentType: userInfoResponse.header("Content-Type"),
            at: now, timeout: keyTimeout)
        if let bound = env.bound {
            use = try await AccessTokenUse(env, bound, accessToken)
        } else {
            use = nil
        }
    }

    /// The user's authentication at the provider.
    static func user(
        _ request: ReceivedAuthorization, _ accessToken: String, _ now: NumericDate
    ) -> UserAuthentication {
        var user = UserAuthentication(subject: subject, time: now, acr: request.acrValues.last)
        user.accessToken = accessToken
        return user
    }
}

extension DemoEnvironment {
    /// Starts a login, up to the provider's consent page.
    func begin(_ party: RelyingParty, _ client: RegisteredClient) async throws -> Request {
        var push: Push?
        let started: AuthorizationStart
        if let bound {
            let first = try await party.push(
                profile.request, prover: bound.prover, at: now, timeout: keyTimeout)
            let challenge = try await response(to: first.request, client)
            let nonce = try DPoPNonce(header: challenge.header("DPoP-Nonce") ?? "")
            let pushed = try await party.push(
                profile.request, prover: bound.prover, nonce: nonce, at: now, timeout: keyTimeout)
            let response = try await response(to: pushed.request, client)
            started = try party.start(pushed, PushedAuthorizationResponse(json: response.body))
            push = Push(
                challenge: challenge, nonce: nonce, request: pushed.request, response: response)
        } else {
            started = try await party.start(profile.request, at: now, timeout: keyTimeout)
        }
        let received = try await client.accepted(started.url.query, at: now)
        return Request(push: push, started: started, received: received)
    }

    private func response(
        to request: TokenRequest, _ client: RegisteredClient
    ) async throws -> OpenIDHTTPResponse {
        try await client.receivePushedRequest(
            request.body, authorization: request.authorization,
            proofs: request.proofs, at: now
        ).response()
    }

    /// Reads the authorization response.
    func response(
        _ callback: String, to session: AuthorizationSession
    ) async throws -> AuthorizationResponse {
        session.responseMode.carrier == .form
            ? try await party.authorizationResponse(form: callback, for: session, at: now)
            : try await party.authorizationResponse(query: callback, for: session, at: now)
    }

    /// Reads the access token of a UserInfo request, and verifies the proof of a bound token.
    fileprivate func token(
        of request: OpenIDHTTPRequest, _ thumbprint: String?
    ) async throws -> String {
        func values(_ name: String) -> [String] {
            request.headers.filter { $0.name == name }.map(\.value)
        }
        let authorization = values("Authorization").first
        guard let thumbprint else {
            return try BearerToken(method: request.method, authorization: authorization).text
        }
        let bound = try ResourceRequest(
            method: request.method, url: request.url, authorization: authorization,
            proofs: values("DPoP"))
        _ = try await provider.proofs?.verify(
            bound, boundTo: TokenBinding(keyThumbprint: thumbprint),
            owner: DemoEnvironment.clientID, at: now)
        return bound.accessToken
    }
}

/// The use of a DPoP-bound access token at a resource server.
struct AccessTokenUse {
    /// The headers of the request: the token and its proof.
    let headers: [OpenIDParameter]
    let access: VerifiedAccessToken
    /// The introspection response; nil if the profile does not sign responses.
    let introspection: (token: String, response: IntrospectionResponse)?

    init(_ env: DemoEnvironment, _ bound: Binding, _ accessToken: String) async throws {
        headers = try bound.prover.headers(
            method: "GET", url: Binding.url, accessToken: accessToken, at: env.now)
        access = try await bound.server.verify(
            ResourceRequest(
                method: "GET", url: Binding.url, authorization: headers[0].value,
                proofs: [headers[1].value]), scopes: ["accounts"], at: env.now)
        guard let introspector = bound.introspector else {
            introspection = nil
            return
        }
        let request = try await introspector.request(token: accessToken, at: env.now)
        let received = try await env.client.receiveIntrospectionRequest(
            request.body, accept: request.header("Accept"), at: env.now)
        let response = try await env.client.tokenIssuer().introspectionResponse(
            received,
            .active([
                "aud": .string(DemoEnvironment.resource), "scope": "accounts",
                "client_id": .string(DemoEnvironment.clientID),
            ]), at: env.now)
        introspection = (
            response.body,
            try await introspector.response(
                response.body, contentType: response.header("Content-Type") ?? "", at: env.now)
        )
    }
}

extension RegisteredClient {
    /// Returns the accepted request of a browser's query, or throws the error that rejects it.
    @discardableResult
    func accepted(_ query: String, at now: NumericDate) async throws -> ReceivedAuthorization {
        switch try await receiveAuthorizationRequest(query, at: now) {
        case .rejected(let rejected): throw rejected.cause
        case .accepted(let request): return request
        }
    }
}

extension TokenRequest {
    var authorization: String? { header("Authorization") }
    var proofs: [String] { headers.filter { $0.name == "DPoP" }.map(\.value) }
}

extension String {
    /// The query of a URL.
    var query: String { String(drop { $0 != "?" }.dropFirst()) }
}
