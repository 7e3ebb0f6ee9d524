// RFC 9207: the issuer of a response, checked if the metadata announce it.

import Foundation
import JOSE
import JOSEOpenID
import Testing

@Suite("iss parameter of responses")
struct IssuerParameterTests {
    private static let named: [String: JSONValue] = [
        "authorization_response_iss_parameter_supported": true
    ]
    private static let own = "&iss=https%3A%2F%2Fidp.example%2Fv2"
    private static let responses = ["code=c", "error=access_denied"]

    private func read(
        _ env: TestEnvironment, _ mode: ResponseMode, _ text: String,
        _ session: AuthorizationSession
    ) async throws -> AuthorizationResponse {
        try await env.response(text, by: mode.carrier, for: session)
    }

    private func started(_ env: TestEnvironment, _ mode: ResponseMode) async throws
        -> AuthorizationSession
    { try await env.start { $0.responseMode = mode }.session }

    @Test(
        "iss is required in every response if the metadata announce it",
        arguments: [ResponseMode.query, .formPost], responses)
    func required(_ mode: ResponseMode, _ response: String) async throws {
        let env = try TestEnvironment(.openID, additional: Self.named)
        let session = try await started(env, mode)
        let text = "\(response)&state=\(session.state)"
        _ = try await read(env, mode, text + Self.own, session)
        for other in [
            "", "&iss=", "&iss=https%3A%2F%2Fidp.example%2Fv2%2F",
            "&iss=https%3A%2F%2Fevil.example",
            "&Iss=https%3A%2F%2Fidp.example%2Fv2", "&iss=https%3A%2F%2Fidp.example%2FV2",
        ] {
            await expectRejection("claim-rejected iss", other) {
                _ = try await read(env, mode, text + other, session)
            }
        }
        await expectRejection("malformed") {
            _ = try await read(env, mode, text + Self.own + Self.own, session)
        }
    }

    @Test(
        "iss may be absent if the metadata do not announce it, and must match if present",
        arguments: [nil, false, "true", 1, .null] as [JSONValue?], responses)
    func optional(_ value: JSONValue?, _ response: String) async throws {
        let name = "authorization_response_iss_parameter_supported"
        let env = try TestEnvironment(.openID, additional: value.map { [name: $0] } ?? [:])
        let session = try await started(env, .query)
        let text = "\(response)&state=\(session.state)"
        _ = try await read(env, .query, text, session)
        _ = try await read(env, .query, text + Self.own, session)
        await expectRejection("claim-rejected iss") {
            _ = try await read(env, .query, text + "&iss=https%3A%2F%2Fevil.example", session)
        }
    }

    @Test("a session stored before the metadata announced iss is no exception")
    func changedMetadata() async throws {
        let before = try TestEnvironment(.openID)
        let after = try TestEnvironment(.openID, additional: Self.named)
        let data = try await JSONEncoder().encode(try started(before, .query))
        let session = try JSONDecoder().decode(AuthorizationSession.self, from: data)
        let text = "code=c&state=\(session.state)"
        _ = try await read(before, .query, text, session)
        await expectRejection("claim-rejected iss") {
            _ = try await read(after, .query, text, session)
        }
        _ = try await read(after, .query, text + Self.own, session)
    }

    @Test("the provider sends iss with codes, errors and rejections if its metadata announce it")
    func provider() async throws {
        let env = try TestEnvironment(.openID, additional: Self.named)
        let login = try await Login(env)
        let good = query(login.started.url)
        let rejected = try await env.client.receiveAuthorizationRequest(
            good.replacing("scope=openid", with: "scope=email")
        ).rejected()
        for redirect in [
            try await env.client.redirect(code: "c", for: login.received),
            try await env.client.redirect(
                error: AuthorizationError(.accessDenied), for: login.received),
            rejected.redirect,
        ] {
            #expect(redirect.parameters["iss"] == TestEnvironment.issuer)
            _ = try await read(env, .query, query(redirect.url), login.started.session)
        }
    }

    @Test("a session of another client or provider is misuse")
    func others() async throws {
        let env = try TestEnvironment(.openID)
        let session = try await started(env, .query)
        let text = "code=c&state=\(session.state)"
        let other = try TestEnvironment.party(.openID, env.metadata, clientID: "client-2")
        await expectRule("another client") {
            _ = try await other.authorizationResponse(query: text, for: session)
        }
    }
}
