// Our provider and a resource server over HTTP, for clients that support nothing else.

import Foundation
import JOSE
import JOSEOpenID

/// A provider with one client. It signs in any requested user.
struct Service {
    private static let user = "user-1-of-32-characters-in-total"

    private let provider: OpenIDProvider
    private let client: RegisteredClient
    private let resources: ResourceServer
    private var grants: [String: CodeGrant] = [:]
    private var families: [String: RefreshFamily] = [:]
    private var pending: [String: PendingAuthentication] = [:]

    init(_ request: Request, _ profile: OpenIDProfile, keys: JWKSet) throws {
        let issuer = try request.text("issuer")
        let resource = issuer + "/resource"
        let metadata = try ProviderMetadata(
            issuer: issuer, authorizationEndpoint: issuer + "/authorization",
            tokenEndpoint: issuer + "/token", userInfoEndpoint: resource,
            jwksURI: issuer + "/jwks", pushedRequestEndpoint: issuer + "/par",
            backchannelEndpoint: issuer + "/bc-authorize", profile: profile)
        let nonces = request.members["nonces"] as? Bool == true ? try DPoPNonces() : nil
        let takesProofs = profile.accessToken.proofs != .ignored
        provider = try OpenIDProvider(
            profile: profile, metadata: metadata, keys: keys, replays: MemoryReplayStore(),
            pushedRequests: MemoryPushedRequestStore(),
            proofReplays: takesProofs ? MemoryReplayStore() : nil,
            nonces: takesProofs ? nonces : nil)
        var registration = try ClientRegistration(
            clientID: request.text("client_id"), redirectURIs: [request.text("redirect_uri")])
        var backchannel = BackchannelRegistration()
        if let address = request.optional("notifications") {
            backchannel.deliveryMode = .ping(address)
        }
        registration.backchannel = backchannel
        client = try provider.client(
            registration, keys: PublicJWKSet(json: request.text("jwks")))
        var rules = ResourceRules()
        rules.requiresBinding = profile.accessToken.proofs == .required
        resources = try ResourceServer(
            issuer: issuer, audiences: [resource], keys: keys.publicKeys, rules: rules,
            proofs: takesProofs
                ? DPoPVerifier(server: resource, replays: MemoryReplayStore(), nonces: nonces)
                : nil)
    }

    /// Responds to a request: `method`, `path`, `query`, `authorization`, `proofs`, `body`.
    mutating func response(_ request: Request) async throws -> OpenIDHTTPResponse {
        switch try request.text("path") {
        case "/.well-known/openid-configuration": return try provider.discoveryResponse()
        case "/jwks": return try provider.keySetResponse()
        case "/par":
            return try await client.receivePushedRequest(
                request.text("body"),
                authorization: request.optional("authorization"), proofs: request.words("proofs")
            ).response()
        case "/authorization": return try await authorize(request.text("query"))
        case "/bc-authorize": return try await backchannel(request)
        case "/token": return try await token(request)
        case "/resource": return try await resource(request)
        default: return try OpenIDHTTPResponse(status: 404)
        }
    }

    /// The decision of a CIBA user, and the resulting ping callback.
    mutating func decide(_ request: Request) throws -> [String: Any] {
        let id = try request.text("id")
        guard var waiting = pending[id],
            let decision = UserDecision(rawValue: try request.text("decision"))
        else { throw Request.Missing(name: "id") }
        waiting.decision = decision
        pending[id] = waiting
        guard let ping = try client.ping(waiting) else { return [:] }
        return [
            "url": ping.url, "body": ping.body,
            "headers": Dictionary(ping.headers.map { ($0.name, $0.value) }) { first, _ in first },
        ]
    }

    private mutating func authorize(_ query: String) async throws -> OpenIDHTTPResponse {
        let verdict: RequestResult<ReceivedAuthorization, RejectedAuthorization>
        do {
            verdict = try await client.receiveAuthorizationRequest(query)
        } catch {
            return try .page(rejecting: error)
        }
        switch verdict {
        case .rejected(let rejected): return try rejected.redirect.response()
        case .accepted(let received):
            let grant: CodeGrant
            do {
                grant = try await client.grant(received)
            } catch {
                return try .page(rejecting: error)
            }
            grants[grant.code] = grant
            return try await client.redirect(code: grant.code, for: received).response()
        }
    }

    private mutating func backchannel(_ request: Request) async throws -> OpenIDHTTPResponse {
        let verdict = await client.receiveBackchannelRequest(
            try request.text("body"),
            authorization: request.optional("authorization"))
        switch verdict {
        case .rejected(let rejected): return try rejected.response()
        case .accepted(let received):
            guard case .name("tel:+32470000000")? = received.hint else {
                return try TokenError(.unknownUserID).response()
            }
            let waiting = try client.pending(received)
            pending[waiting.requestID] = waiting
            return try waiting.response()
        }
    }

    private mutating func token(_ request: Request) async throws -> OpenIDHTTPResponse {
        let (body, header) = (try request.text("body"), request.optional("authorization"))
        let proofs = request.words("proofs")
        do {
            switch try OpenIDParameters(decoding: body)["grant_type"] {
            case "refresh_token":
                let asked = try await client.receiveRefreshRequest(
                    body, authorization: header, proofs: proofs)
                guard let family = families[asked.familyID] else {
                    return try TokenError(.invalidGrant).response()
                }
                let next = try await granting { () throws(JOSEError) in
                    try client.redeem(asked, family)
                }
                let accessToken = try await access(asked.keyThumbprint, family.request.scopes)
                guard families[family.id]?.generation == family.generation else {
                    families[family.id] = nil
                    return try TokenError(.invalidGrant).response()
                }
                families[family.id] = next.family
                return try AccessTokenResponse(
                    to: asked, accessToken: accessToken, refreshToken: next.token
                ).response()
            case "urn:openid:params:grant-type:ciba":
                return try await poll(body, header, proofs)
            default:
                let proved = try await client.receiveTokenRequest(
                    body, authorization: header, proofs: proofs)
                guard let grant = grants[proved.code] else {
                    return try TokenError(.invalidGrant).response()
                }
                try await granting { () async throws(JOSEError) in
                    try await client.redeem(proved, grant)
                }
                let family = try client.refreshFamily(for: grant.request, lifetime: .seconds(600))
                families[family.family.id] = family.family
                var user = UserAuthentication(subject: Service.user, time: .now)
                let access = try await access(proved.keyThumbprint, grant.request.scopes)
                user.accessToken = access
                var response = TokenResponse(
                    to: proved, accessToken: access,
                    idToken: try await client.tokenIssuer().idToken(for: grant.request, user),
                    expiresIn: .seconds(60))
                response.refreshToken = family.token
                return try response.response()
            }
        } catch let rejected as RejectedGrant {
            return try TokenError(rejectingGrant: rejected.cause).response(authorization: header)
        } catch let error as JOSEError {
            return try provider.error(rejecting: error).response(authorization: header)
        }
    }

    /// The client's grant or token is rejected, not the client.
    private struct RejectedGrant: Error { let cause: JOSEError }

    private func granting<Value>(
        _ body: () async throws(JOSEError) -> Value
    ) async throws -> Value {
        do throws(JOSEError) {
            return try await body()
        } catch {
            throw RejectedGrant(cause: error)
        }
    }

    private mutating func poll(
        _ body: String, _ header: String?, _ proofs: [String]
    ) async throws -> OpenIDHTTPResponse {
        let poll = try await client.receiveBackchannelPoll(
            body, authorization: header, proofs: proofs)
        guard let waiting = pending[poll.requestID] else {
            return try TokenError(.invalidGrant).response()
        }
        let turn = try await granting { () async throws(JOSEError) in
            try await client.redeem(poll, waiting)
        }
        switch turn {
        case .failed(let error):
            pending[poll.requestID] = nil
            return try error.response()
        case .waiting(let error, let next):
            pending[poll.requestID] = next
            return try error.response()
        case .granted:
            pending[poll.requestID] = nil
            let access = try await access(poll.keyThumbprint, waiting.request.scopes)
            var user = UserAuthentication(subject: Service.user, time: .now)
            user.accessToken = access
            let family = try client.refreshFamily(for: waiting, lifetime: .seconds(600))
            var response = TokenResponse(
                to: poll, accessToken: access,
                idToken: try await client.tokenIssuer().idToken(
                    for: waiting, user, refreshToken: family.token),
                expiresIn: .seconds(60))
            response.refreshToken = family.token
            families[family.family.id] = family.family
            return try response.response()
        }
    }

    private func access(_ thumbprint: String?, _ scopes: [String]) async throws -> String {
        var grant = AccessGrant(
            subject: Service.user, audience: [provider.metadata.issuer + "/resource"],
            scopes: scopes)
        if let thumbprint { grant.binding = TokenBinding(keyThumbprint: thumbprint) }
        return try await client.tokenIssuer().accessToken(grant)
    }

    private func resource(_ request: Request) async throws -> OpenIDHTTPResponse {
        do {
            let asked = try ResourceRequest(
                method: request.text("method"), url: provider.metadata.issuer + "/resource",
                authorization: request.optional("authorization"), proofs: request.words("proofs"))
            let access = try await resources.verify(asked, scopes: ["openid"])
            return try OpenIDHTTPResponse(
                status: 200,
                headers: [OpenIDParameter("Content-Type", "application/json")]
                    + (access.nextNonce.map { [OpenIDParameter("DPoP-Nonce", $0)] } ?? []),
                body: #"{"sub":"\#(access.subject)","bound":\#(!access.binding.isEmpty)}"#)
        } catch let error as JOSEError {
            return try resources.error(rejecting: error).response()
        }
    }
}

extension OpenIDHTTPResponse {
    /// The response as JSON: headers in order, as one may occur twice.
    var line: [String: Any] {
        ["status": status, "headers": headers.map { [$0.name, $0.value] }, "body": body]
    }
}
