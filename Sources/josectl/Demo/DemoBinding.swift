// What access tokens of the demo are bound to, where they are used, and how their request is pushed.

import JOSE
import JOSEOpenID

/// The client's key for proofs, and a resource server that takes tokens that are bound to it.
struct DemoBinding {
    static let url = DemoProfile.resource + "/accounts"

    let prover: DPoPProver
    let server: ResourceServer
    /// The resource server as the provider's client; nil where the profile signs no such answers.
    let introspector: Introspector?

    init(
        _ profile: OpenIDProfile, _ metadata: ProviderMetadata, _ clientKeys: JWKSet,
        _ providerKeys: PublicJWKSet
    ) throws {
        prover = try .fresh()
        server = try ResourceServer(
            issuer: metadata.issuer, audiences: [DemoProfile.resource], source: providerKeys,
            rules: .fapi2,
            proofs: DPoPVerifier(
                server: DemoProfile.resource, replays: MemoryReplayStore(), rules: .fapi2))
        introspector =
            profile.signsAnswers
            ? try Introspector(
                profile: profile, metadata: metadata, clientID: DemoWorld.clientID,
                keys: clientKeys, source: providerKeys) : nil
    }
}

/// A request that was pushed: first without the nonce that the provider then asked for.
struct DemoPush {
    let challenge: HTTPAnswer
    let nonce: DPoPNonce
    let request: TokenRequest
    let answer: HTTPAnswer
}

/// A request that the provider accepted, and how it came there.
struct DemoRequest {
    /// Nil where the browser brought it.
    let push: DemoPush?
    let started: StartedAuthorization
    let received: ReceivedAuthorization
}

extension DemoWorld {
    /// Starts a login of a client, up to the user's page.
    func begin(_ party: AsyncRelyingParty, _ client: RegisteredClient) async throws -> DemoRequest {
        var push: DemoPush?
        let started: StartedAuthorization
        if let bound {
            let first = try await party.push(
                row.request, prover: bound.prover, at: now, within: HeldKeys.patience)
            let challenge = try await answer(to: first.request, client)
            let nonce = try DPoPNonce(header: challenge.header("DPoP-Nonce") ?? "")
            let pushed = try await party.push(
                row.request, prover: bound.prover, nonce: nonce, at: now,
                within: HeldKeys.patience)
            let answer = try await answer(to: pushed.request, client)
            started = try party.start(pushed, PushedAnswer(json: answer.body))
            push = DemoPush(
                challenge: challenge, nonce: nonce, request: pushed.request, answer: answer)
        } else {
            started = try await party.start(
                row.request, at: now, within: HeldKeys.patience)
        }
        switch try await client.receive(authorization: DemoLogin.query(started.url), at: now) {
        case .refused(let refused): throw refused.cause
        case .accepted(let request):
            return DemoRequest(push: push, started: started, received: request)
        }
    }

    /// What the provider answers to a pushed request.
    private func answer(
        to request: TokenRequest, _ client: RegisteredClient
    ) async throws -> HTTPAnswer {
        try await client.receive(
            pushedRequest: request.body, authorization: request.authorization,
            proofs: request.proofs, at: now
        ).answer()
    }
}

/// What became of a bound access token.
struct DemoUse {
    /// The headers of the request to the resource: the token and its proof.
    let headers: [OpenIDParameter]
    let access: VerifiedAccessToken
    /// What the provider told the resource server of the token; nil where the profile signs no such answers.
    let introspection: (token: String, answer: IntrospectionAnswer)?

    init(_ world: DemoWorld, _ bound: DemoBinding, _ accessToken: String) async throws {
        headers = try bound.prover.headers(
            method: "GET", url: DemoBinding.url, accessToken: accessToken, at: world.now)
        access = try await bound.server.verify(
            ResourceRequest(
                method: "GET", url: DemoBinding.url, authorization: headers[0].value,
                proofs: [headers[1].value]), scopes: ["accounts"], at: world.now)
        guard let introspector = bound.introspector else {
            introspection = nil
            return
        }
        let asked = try await introspector.request(token: accessToken, at: world.now)
        let received = try await world.client.receive(
            introspection: asked.body,
            accept: asked.headers.first { $0.name == "Accept" }?.value, at: world.now)
        let told = try await world.client.answers().introspectionAnswer(
            received,
            .active([
                "aud": .string(DemoProfile.resource), "scope": "accounts",
                "client_id": .string(DemoWorld.clientID),
            ]), at: world.now)
        introspection = (
            told.body,
            try await introspector.answer(
                told.body, contentType: told.header("Content-Type") ?? "", at: world.now)
        )
    }
}

extension TokenRequest {
    /// The values of the header `DPoP`.
    var proofs: [String] { headers.filter { $0.name == "DPoP" }.map(\.value) }
}
