// One login with a pushed request, up to the browser.

import JOSE
import JOSEOpenID
import Testing

struct PushedLogin {
    let env: TestEnvironment
    let pushed: PushedAuthorization
    let kept: PushedRequest
    let started: AuthorizationStart

    /// Pushes the request and stores it at the provider.
    init(_ env: TestEnvironment, _ request: AuthorizationRequest? = nil) async throws {
        self.env = env
        pushed = try await env.party.push(request ?? env.request, at: .testNow)
        let verdict = await env.client.receive(pushed)
        kept = try verdict.accepted()
        let response = try PushedAuthorizationResponse(json: verdict.response().body)
        #expect(response.requestURI == kept.reference)
        started = try env.party.start(pushed, response)
    }

    func receive(
        _ query: String? = nil, by client: RegisteredClient? = nil, at now: NumericDate = .testNow
    ) async throws -> ReceivedAuthorization {
        try await (client ?? env.client).receiveAuthorizationRequest(
            query ?? JOSEOpenIDTests.query(started.url), at: now
        ).accepted()
    }
}

extension TestEnvironment {
    /// The smallest request, with an object or without one.
    func request(byValue: Bool) -> AuthorizationRequest {
        var request = request
        request.delivery = byValue ? .byValue : RequestObjectDelivery.none
        return request
    }
}

extension TokenRequest {
    var authorization: String? { header("Authorization") }
    var proofs: [String] { headers.filter { $0.name == "DPoP" }.map(\.value) }
}

/// A rejected push or backchannel request: cause, code and status.
func rejection<Request>(_ verdict: RequestResult<Request, RejectedRequest>) throws -> [String] {
    guard case .rejected(let rejected) = verdict else { return ["accepted"] }
    let response = try rejected.response()
    #expect(response.header("cache-control") == "no-store")
    #expect(try TokenError(json: response.body) == rejected.error)
    return [
        JOSEOpenIDTests.verdict(rejected.cause), rejected.error.code.name, "\(response.status)",
    ]
}
