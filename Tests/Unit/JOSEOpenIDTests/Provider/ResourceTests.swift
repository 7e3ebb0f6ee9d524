// RFC 8707: several resources, in the authorization request and in the token request.

import JOSE
import JOSEOpenID
import Testing

@Suite("Resource indicators")
struct ResourceTests {
    private static let two = ["https://api.example/a?x=1", "urn:example:b"]

    private func made(
        _ env: TestEnvironment, _ resources: [String], _ delivery: RequestObjectDelivery
    ) async throws -> Login {
        var request = env.request
        request.resources = resources
        request.delivery = delivery
        return try await Login(env, request)
    }

    private func redeemed(_ login: Login, _ resources: [String]) async throws -> [String] {
        let client = login.env.client
        let grant = try await client.grant(login.received, at: .testNow)
        let request = try await login.env.party.tokenRequest(
            code: grant.code, for: login.started.session, resources: resources, at: .testNow)
        let proved = try await client.receive(request)
        #expect(proved.resources == resources)
        try await client.redeem(proved, grant, at: .testNow)
        return proved.resources
    }

    @Test(
        "several travel in order, plain and in an object, and a token request may name fewer",
        arguments: TestEnvironment.all)
    func several(_ profile: OpenIDProfile) async throws {
        let env = try TestEnvironment(profile)
        for delivery in [RequestObjectDelivery.none, .byValue] {
            let login = try await made(env, Self.two, delivery)
            #expect(login.received.resources == Self.two)
            #expect(login.received.isSigned("resource") == (delivery != .none))
            for wanted in [Self.two, [Self.two[1]], []] {
                #expect(try await redeemed(login, wanted) == wanted)
            }
            await expectGrantError(.invalidTarget, "claim-rejected resource") {
                _ = try await redeemed(login, Self.two + ["https://other.example/"])
            }
        }
        // If the authorization request named none, those of the token request are returned.
        let login = try await made(env, [], .byValue)
        #expect(login.received.resources.isEmpty)
        #expect(try await redeemed(login, ["https://api.example/"]) == ["https://api.example/"])
    }

    @Test(
        "a relative URI, or one with a fragment, is rejected everywhere",
        arguments: [
            "", "api", "//api.example", "https://api.example/#x", "https://", "javascript:x",
        ])
    func malformed(_ resource: String) async throws {
        let env = try TestEnvironment(.openID)
        await expectRule("resource") {
            _ = try await made(env, ["https://a.example/", resource], .byValue)
        }
        let login = try await made(env, [], .none)
        await expectRule("resource") {
            _ = try await env.party.tokenRequest(
                code: "c", for: login.started.session, resources: [resource], at: .testNow)
        }
        guard !resource.isEmpty else { return }
        let added = "&resource=" + urlForm(["r": resource]).encoded.dropFirst(2)
        let rejected = try await env.client.browse(query(login.started.url) + added).rejected()
        #expect(rejected.error.code == .invalidTarget)
        let request = try await login.tokenRequest()
        await expectTokenError(.invalidTarget, "claim-rejected resource") {
            _ = try await env.client.receiveTokenRequest(
                request.body + added, authorization: request.header("Authorization"), at: .testNow)
        }
    }

    @Test("an additional parameter may not be resource")
    func once() async throws {
        let env = try TestEnvironment(.openID)
        await expectRule("set by the library") {
            _ = try await env.start {
                $0.additional = [OpenIDParameter("resource", "https://a.example/")]
            }
        }
    }
}
