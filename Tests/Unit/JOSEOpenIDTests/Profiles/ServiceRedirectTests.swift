// Redirect URIs of one service: if a client's table lists them, no other service may use them.

import JOSE
import JOSEOpenID
import Testing

@Suite("Redirect URIs of a service")
struct ServiceRedirectTests {
    private static let itsme = GuideEntryTests.itsme
    private static let shop = "https://rp.example/shop"
    private static let bank = "https://rp.example/bank"
    private static let spare = "https://rp.example/spare"
    private static let table = ["SHOP": [shop], "BANK": [bank, spare]]

    private func client(
        _ env: TestEnvironment, _ table: [String: [String]],
        _ all: [String] = [shop, bank, spare]
    ) throws -> RegisteredClient {
        var registration = ClientRegistration(
            clientID: TestEnvironment.clientID, redirectURIs: all,
            requestURIs: [TestEnvironment.requestURI])
        registration.serviceRedirectURIs = table
        return try env.provider.client(registration)
    }

    /// A request for these scopes in addition to `openid`, with this redirect URI.
    private func sent(_ scopes: String, _ uri: String, _ more: [OpenIDParameter] = []) -> String {
        OpenIDParameters(
            [
                OpenIDParameter("response_type", "code"),
                OpenIDParameter("client_id", TestEnvironment.clientID),
                OpenIDParameter("scope", scopes), OpenIDParameter("redirect_uri", uri),
                OpenIDParameter("state", "s"), OpenIDParameter("nonce", "n"),
            ] + more
        ).encoded
    }

    @Test("a service redirects only to its own redirect URIs", arguments: itsme)
    func own(_ profile: OpenIDProfile) async throws {
        let env = try TestEnvironment(profile)
        let client = try client(env, Self.table)
        for (code, uri) in [("SHOP", Self.shop), ("BANK", Self.bank), ("BANK", Self.spare)] {
            let received = try await client.browse(sent("openid service:\(code)", uri)).accepted()
            #expect(received.redirectURI == uri && received.serviceCode == code)
        }
        for (code, uri) in [
            ("SHOP", Self.bank), ("SHOP", Self.spare), ("BANK", Self.shop), ("OTHER", Self.shop),
            ("shop", Self.shop), ("SHOP ", "https://rp.example/shop/"), ("SHO\u{ff30}", Self.shop),
            ("SHOP", "https://evil.example/"),
        ] {
            await #expect(throws: JOSEError.self, "\(code) \(uri)") {
                _ = try await client.browse(sent("openid service:\(code)", uri))
            }
        }
        let error = await expectRejection("claim-rejected redirect_uri") {
            _ = try await client.browse(sent("openid service:SHOP", Self.bank))
        }
        #expect(error?.message.contains("shop") == false)
    }

    @Test("an error does not redirect to another service's URI", arguments: itsme)
    func errors(_ profile: OpenIDProfile) async throws {
        let client = try client(TestEnvironment(profile), Self.table)
        let bad = [OpenIDParameter("display", "popup")]
        let rejected = try await client.browse(sent("openid service:SHOP", Self.shop, bad))
            .rejected()
        #expect(rejected.error.code == .notImplemented)
        for scopes in [
            "openid service:SHOP", "openid service:OTHER", "service:SHOP",
            "openid service:SHOP service:BANK",
        ] {
            await expectRejection("malformed", scopes) {
                _ = try await client.browse(sent(scopes, Self.bank, bad))
            }
        }
        // A request without a service gets its error at any registered URI.
        for scopes in ["openid", "openid service:"] {
            let rejected = try await client.browse(sent(scopes, Self.bank)).rejected()
            #expect(rejected.error.code == .notImplemented)
            #expect(rejected.redirect.redirectURI == Self.bank)
        }
    }

    @Test("the service in the signed object counts, not the one in the query")
    func objects() async throws {
        let env = try TestEnvironment(.itsme1)
        let client = try client(env, Self.table)
        func object(_ code: String, _ uri: String) throws -> [OpenIDParameter] {
            [
                OpenIDParameter(
                    "request",
                    try env.partySealed([
                        "client_id": .clientID, "response_type": "code",
                        "scope": .string("openid service:" + code),
                        "redirect_uri": .string(uri),
                    ]))
            ]
        }
        _ = try await client.browse(
            sent("openid service:SHOP", Self.bank, object("BANK", Self.bank))
        ).accepted()
        await expectRejection("claim-rejected redirect_uri") {
            _ = try await client.browse(
                sent("openid service:BANK", Self.bank, object("SHOP", Self.bank)))
        }
    }

    @Test("an empty table restricts no service, and a code without an entry has no redirect URI")
    func tables() async throws {
        let env = try TestEnvironment(.itsme1)
        for uri in [Self.shop, Self.bank] {
            _ = try await client(env, [:]).browse(sent("openid service:ANY", uri)).accepted()
        }
        await expectRejection("claim-rejected redirect_uri") {
            _ = try await client(env, ["SHOP": []]).browse(sent("openid service:SHOP", Self.shop))
        }
    }

    @Test("a table with an unregistered URI, or for a profile without services, is rejected")
    func registrations() async throws {
        let env = try TestEnvironment(.itsme1)
        for table in [
            ["SHOP": ["https://rp.example/other"]], ["SHOP": [Self.shop, Self.shop + "/"]],
            ["SHOP": [""]],
        ] {
            await expectRule("not in redirectURIs") { _ = try client(env, table) }
        }
        await expectRule("serviceRedirectURIs needs") {
            _ = try client(TestEnvironment(.openID), Self.table)
        }
    }

    @Test("the table applies to pushed requests too") func pushed() async throws {
        let env = try TestEnvironment(.itsme1.with { $0.client.authentication = .basic })
        var registration = TestEnvironment.registration()
        registration.serviceRedirectURIs = ["LOGIN": [TestEnvironment.redirectURI]]
        let good = try env.provider.client(registration)
        registration.serviceRedirectURIs = ["OTHER": [TestEnvironment.redirectURI]]
        let other = try env.provider.client(registration)
        let request = try await env.party.push(env.request, at: .testNow).request
        let header = request.header("Authorization")
        _ = try await good.receivePushedRequest(request.body, authorization: header, at: .testNow)
            .accepted()
        let rejected = try await other.receivePushedRequest(
            request.body, authorization: header, at: .testNow
        ).rejected()
        #expect(rejected.error.code == .invalidRequest)
    }
}
