// Times and counts: misuse in our settings, a rejection in a received message.

import Foundation
import JOSE
import JOSEOpenID
import Testing

@Suite("Numbers in profiles and messages")
struct NumberTests {
    private static let wild = [Int64.min, -60, -1, 253_402_300_800, 1_000_000_000_000, .max]

    @Test("max_age of a request we send", arguments: wild)
    func asked(_ seconds: Int64) async throws {
        let env = try TestEnvironment(.openID)
        await expectRule("max_age") { _ = try await env.start { $0.maxAge = .seconds(seconds) } }
    }

    @Test("max_age of a stored session: misuse instead of a trap", arguments: wild)
    func session(_ seconds: Int64) async throws {
        let login = try await Login(TestEnvironment(.openID))
        let token = try await login.idToken()
        let text = try JSONEncoder().encode(login.started.session)
        var members = try #require(
            JSONSerialization.jsonObject(with: text) as? [String: Any])
        members["maxAgeSeconds"] = seconds
        let session = try JSONDecoder().decode(
            AuthorizationSession.self, from: JSONSerialization.data(withJSONObject: members))
        await expectRejection("misuse") {
            _ = try await login.env.party.verifyIDToken(token, for: session, at: .testNow)
        }
        let reported = await login.env.party.explain(idToken: token, for: session, at: .testNow)
        #expect(reported.error?.code == .misuse)
    }

    @Test("max_age of a request we receive", arguments: wild)
    func received(_ seconds: Int64) async throws {
        let env = try TestEnvironment(.openID)
        let query = await query(try env.start().url)
        let rejected = try await env.client.browse(query + "&max_age=\(seconds)").rejected()
        #expect(rejected.error.code == .invalidRequest)
    }

    @Test(
        "a profile's duration of fractional seconds is rejected, never rounded",
        arguments: [
            .milliseconds(1_500), .nanoseconds(1), .milliseconds(-500),
            Duration(secondsComponent: .max, attosecondsComponent: 1),
        ])
    func fractions(_ odd: Duration) async {
        let changes: [@Sendable (inout OpenIDProfile) -> Void] = [
            { $0.leeway = odd }, { $0.client.assertionLifetime = odd },
            { $0.client.maxAssertionValidity = odd }, { $0.client.codeLifetime = odd },
            { $0.requestObject.lifetime = odd }, { $0.requestObject.maxValidity = odd },
            { $0.idToken.lifetime = odd }, { $0.idToken.maxLifetime = odd },
            { $0.accessToken.lifetime = odd }, { $0.accessToken.dpop.maxAge = odd },
            { $0.accessToken.dpop.leeway = odd }, { $0.introspection.maxAge = odd },
            { $0.backchannel.lifetime = odd }, { $0.backchannel.interval = odd },
            { $0.backchannel.objectLifetime = odd }, { $0.backchannel.maxObjectValidity = odd },
            { $0.jarm.lifetime = odd }, { $0.jarm.maxValidity = odd },
            { $0.logout.lifetime = odd }, { $0.logout.maxValidity = odd },
            { $0.logout.maxAge = odd },
            { $0.pushedRequests.lifetime = odd }, { $0.pushedRequests.decisionTime = odd },
        ]
        for change in changes {
            await expectRejection("misuse") { _ = try TestEnvironment(.itsme2.with(change)) }
        }
        await expectRejection("misuse") { _ = try DPoPNonces(lifetime: odd) }
        var rules = ResourceRules()
        rules.leeway = odd
        var others = ResourceRules()
        others.maxLifetime = odd
        for rules in [rules, others] {
            await expectRejection("misuse") {
                _ = try ResourceServer(
                    issuer: "a", audiences: ["b"], keys: TestKeys.provider.publicKeys, rules: rules)
            }
        }
        await expectRejection("misuse") {
            var request = try TestEnvironment(.openID).request
            request.maxAge = odd
            _ = try await TestEnvironment(.openID).party.start(request, at: .testNow)
        }
    }

    @Test("the error for a duration names its property")
    func names() async {
        let changes: [(String, @Sendable (inout OpenIDProfile) -> Void)] = [
            ("client.assertionLifetime must", { $0.client.assertionLifetime = .zero }),
            ("client.codeLifetime must", { $0.client.codeLifetime = .zero }),
            ("requestObject.lifetime must", { $0.requestObject.lifetime = .zero }),
            ("requestObject.maxValidity must", { $0.requestObject.maxValidity = .zero }),
            (
                "requestObject.maxValidity must",
                { $0.requestObject.maxValidity = .milliseconds(300_500) }
            ),
            (
                "requestObject.lifetime is above requestObject.maxValidity",
                {
                    $0.requestObject.lifetime = .seconds(301)
                    $0.requestObject.maxValidity = .seconds(300)
                }
            ),
            ("idToken.lifetime must", { $0.idToken.lifetime = .zero }),
            ("idToken.maxLifetime must", { $0.idToken.maxLifetime = .zero }),
            ("accessToken.lifetime must", { $0.accessToken.lifetime = .zero }),
            ("introspection.maxAge must", { $0.introspection.maxAge = .zero }),
        ]
        for (text, change) in changes {
            await expectRule(text) { _ = try TestEnvironment(.itsme2.with(change)) }
        }
    }

    @Test("no token that expires after the year 9999 is issued", arguments: TestEnvironment.all)
    func lastYear(_ profile: OpenIDProfile) async throws {
        let env = try TestEnvironment(profile)
        let login = try await Login(env)
        let last = try need(NumericDate(exactly: 253_402_300_799))
        await expectRejection("misuse") { _ = try await login.idToken(at: last) }
        await expectRejection("misuse") { _ = try await env.client.grant(login.received, at: last) }
        await expectRejection("misuse") {
            _ = try await env.client.tokenIssuer().logoutToken(
                subject: TestEnvironment.subject, at: last)
        }
    }
}
