// One login, every message made by one side and checked by the other.

import JOSE
import JOSEBytes
import JOSEOpenID

/// The messages of a login that both sides accepted.
struct DemoLogin {
    static let subject = "0123456789abcdef0123456789abcdef"
    static let photoBytes = 24_576

    /// What came before the browser; nil where nothing is pushed.
    let push: DemoPush?
    let started: StartedAuthorization
    let received: ReceivedAuthorization
    let grant: CodeGrant
    /// The query of the redirect, or the form that the browser posts.
    let callback: String
    let tokenRequest: TokenRequest
    let accessToken: String
    let idToken: String
    let accepted: VerifiedIDToken
    let userInfo: String
    let user: VerifiedUserInfo
    /// What became of the access token; nil where it is bound to nothing.
    let use: DemoUse?

    /// The request object; nil where the request has plain parameters.
    var requestObject: String? {
        get throws {
            if let push { return push.request.parameters["request"] }
            return try OpenIDParameters(decoding: DemoLogin.query(started.url))["request"]
        }
    }
    /// The client assertion; nil with HTTP Basic.
    var assertion: String? { tokenRequest.parameters["client_assertion"] }

    init(_ world: DemoWorld) async throws {
        let (party, client, now) = (world.party, world.client, world.now)
        let request = try await world.begin(party, client)
        (push, started, received) = (request.push, request.started, request.received)
        grant = try await client.grant(received, at: now)
        callback = try await client.redirect(code: grant.code, for: received, at: now)
            .parameters.encoded
        guard case .code(let code) = try await world.answer(callback, to: started.remembered) else {
            throw Refusal(.internal, step: "message", message: "the provider answered an error")
        }
        let prover = world.bound?.prover
        tokenRequest = try await party.tokenRequest(
            code: code, for: started.remembered, prover: prover, nonce: push?.nonce, at: now,
            within: HeldKeys.patience)
        let proved = try await client.receive(
            tokenRequest: tokenRequest.body, authorization: tokenRequest.authorization,
            proofs: tokenRequest.proofs, at: now)
        try await client.redeem(proved, grant, at: now)

        let answers = try await client.answers()
        accessToken =
            prover == nil
            ? try ProofKey().verifier
            : try answers.accessToken(
                AccessGrant(
                    subject: DemoLogin.subject, audience: received.resources,
                    scopes: ["accounts"],
                    binding: TokenBinding(keyThumbprint: proved.keyThumbprint)), at: now)
        idToken = try answers.idToken(
            for: received, DemoLogin.user(received, accessToken, now),
            claims: [world.photoName: JSONValue.string(DemoLogin.photo)], at: now)
        let answer = try TokenAnswer(
            json: TokenAnswer(to: proved, accessToken: accessToken, idToken: idToken)
                .answer().body, to: tokenRequest)
        accepted = try await party.verifyIDToken(
            answer.idToken, for: started.remembered, accessToken: answer.accessToken, at: now,
            within: HeldKeys.patience)
        let asked = try party.userInfoRequest(
            accessToken: answer.accessToken, prover: prover, nonce: push?.nonce, at: now)
        guard try await world.token(of: asked, proved.keyThumbprint) == accessToken else {
            throw Refusal(.internal, step: "message", message: "another access token arrived")
        }
        let facts = try answers.userInfoAnswer(
            subject: DemoLogin.subject, claims: world.row.facts, at: now)
        userInfo = facts.body
        user = try await party.verifyUserInfo(
            facts.body, for: accepted, contentType: facts.header("Content-Type"), at: now,
            within: HeldKeys.patience)
        if let bound = world.bound {
            use = try await DemoUse(world, bound, accessToken)
        } else {
            use = nil
        }
    }

    /// How the provider's user authenticated.
    static func user(
        _ request: ReceivedAuthorization, _ accessToken: String, _ now: NumericDate
    ) -> UserAuthentication {
        var user = UserAuthentication(subject: subject, time: now, context: request.contexts.last)
        user.accessToken = accessToken
        return user
    }

    static func query(_ url: String) -> String { String(url.drop { $0 != "?" }.dropFirst()) }

    /// A picture's worth of bytes as base64.
    private static let photo: String = {
        let bytes = (0..<photoBytes).map { UInt8(truncatingIfNeeded: $0 &* $0 &+ $0 >> 8) }
        return StandardBase64.encode(bytes.span)
    }()
}

extension DemoWorld {
    /// What the relying party makes of the answer that came as it asked.
    func answer(
        _ callback: String, to remembered: RememberedRequest
    ) async throws -> AuthorizationAnswer {
        remembered.responseMode.carrier == .form
            ? try await party.answer(form: callback, for: remembered, at: now)
            : try await party.answer(query: callback, for: remembered, at: now)
    }

    /// The access token that the provider finds in a UserInfo request, with its proof where it is bound to a key.
    func token(of request: UserInfoRequest, _ thumbprint: String?) async throws -> String {
        func values(_ name: String) -> [String] {
            request.headers.filter { $0.name == name }.map(\.value)
        }
        guard let thumbprint else {
            return try BearerToken(
                method: request.method, authorization: values("Authorization").first
            ).text
        }
        let bound = try ResourceRequest(
            method: request.method, url: request.url,
            authorization: values("Authorization").first, proofs: values("DPoP"))
        _ = try await provider.proofs?.verify(
            bound, boundTo: TokenBinding(keyThumbprint: thumbprint), owner: DemoWorld.clientID,
            at: now)
        return bound.accessToken
    }

    /// The claim that carries the photo.
    var photoName: String { profile.userInfo.names.photo?.preferred ?? "photo" }
}

extension TokenRequest {
    /// The value of the `Authorization` header.
    var authorization: String? { headers.first { $0.name == "Authorization" }?.value }
}
