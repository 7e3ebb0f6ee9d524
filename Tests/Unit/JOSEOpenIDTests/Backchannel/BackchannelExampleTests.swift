// The examples of CIBA Core 1.0 (7.1.1, 7.3, 10.1, 10.2, 10.3.1). Their keys are not published, so
// the tests sign the contents again.

import JOSE
import JOSEBytes
import JOSEOpenID
import Testing

@Suite("Examples of CIBA Core 1.0")
struct BackchannelExampleTests {
    private static let issuer = "https://server.example.com"
    private static let requestID = "1c266114-a1be-4252-8ad1-04986c5b9ac1"
    private static let notification = "8d67dc78-7faa-4d41-aabd-67707b374255"

    /// 7.1.1: the signed authentication request.
    private static let request =
        "eyJraWQiOiJsdGFjZXNidyIsImFsZyI6IkVTMjU2In0.eyJpc3MiOiJz"
        + "NkJoZFJrcXQzIiwiYXVkIjoiaHR0cHM6Ly9zZXJ2ZXIuZXhhbXBsZS5jb20iLCJl"
        + "eHAiOjE1Mzc4MjAwODYsImlhdCI6MTUzNzgxOTQ4NiwibmJmIjoxNTM3ODE4ODg2"
        + "LCJqdGkiOiI0TFRDcUFDQzJFU0M1QldDbk4zajU4RW5BIiwic2NvcGUiOiJvcGVu"
        + "aWQgZW1haWwgZXhhbXBsZS1zY29wZSIsImNsaWVudF9ub3RpZmljYXRpb25fdG9r"
        + "ZW4iOiI4ZDY3ZGM3OC03ZmFhLTRkNDEtYWFiZC02NzcwN2IzNzQyNTUiLCJiaW5k"
        + "aW5nX21lc3NhZ2UiOiJXNFNDVCIsImxvZ2luX2hpbnRfdG9rZW4iOiJleUpyYVdR"
        + "aU9pSnNkR0ZqWlhOaWR5SXNJbUZzWnlJNklrVlRNalUySW4wLmV5SnpkV0pmYVdR"
        + "aU9uc2labTl5YldGMElqb2ljR2h2Ym1VaUxDSndhRzl1WlNJNklpc3hNek13TWpn"
        + "eE9EQXdOQ0o5ZlEuR1NxeEpzRmJJeW9qZGZNQkR2M01PeUFwbENWaVZrd1FXenRo"
        + "Q1d1dTlfZ25LSXFFQ1ppbHdBTnQxSGZJaDN4M0pGamFFcS01TVpfQjNxZWIxMU5B"
        + "dmcifQ.ELJvZ2RfBl05bq7nx7pXhagzL9R75mUwO-yZScB1aT3mp480fCQ5KjRVD"
        + "womMMjiMKUI4sx8VrPgAZuTfsNSvA"

    private func client() throws -> RegisteredClient {
        let profile = OpenIDProfile.openID.with { $0.algorithms.signature = [.rs256, .es256] }
        let metadata = try TestEnvironment.metadata(
            at: Self.issuer, profile, backchannel: Self.issuer + "/bc-authorize")
        let provider = try TestEnvironment.provider(profile, metadata)
        var registration = ClientRegistration(
            clientID: "s6BhdRkqt3", redirectURIs: [TestEnvironment.redirectURI],
            secret: ClientSecret("s"))
        registration.backchannel = BackchannelRegistration(.ping("https://client.example.com/cb"))
        return try provider.client(registration)
    }

    @Test("7.1.1: the printed request has the documented claims, and its signature is rejected")
    func signed() async throws {
        let now = try need(NumericDate(exactly: 1_537_819_490))
        let client = try client()
        func receive(_ object: String) async -> BackchannelResult {
            await client.receiveBackchannelRequest(
                "request=" + object,
                authorization: "Basic czZCaGRSa3F0Mzpz", at: now)
        }
        let stranger = try rejection(await receive(Self.request))
        #expect(stranger == ["key-not-found", "invalid_request", "400"])
        let parts = Self.request.split(separator: ".")
        let payload = try need(Base64URL.decode(String(parts[1]).utf8.span))
        let anew = try JWTIssuer(
            key: TestKeys.partySigning, algorithm: .rs256, requiresExpiration: false
        ).issue(json: payload)
        let received = try await receive(anew).accepted()
        #expect(received.scopes == ["openid", "email", "example-scope"])
        #expect(received.bindingMessage == "W4SCT" && received.isSigned)
        guard case .token(let hint)? = received.hint else {
            Issue.record("no login_hint_token")
            return
        }
        #expect(hint.hasPrefix("eyJraWQiOiJsdGFjZXNidyIsImFsZyI6IkVTMjU2In0."))
        let ping = try need(try client.ping(client.pending(received, at: now)))
        #expect(ping.url == "https://client.example.com/cb")
        let shown = ping.header("Authorization")
        #expect(shown == "Bearer " + Self.notification)
    }

    @Test("7.3 and 10.2: the response and the ping callback")
    func responses() throws {
        let response = try BackchannelResponse(
            json: """
                {
                 "auth_req_id": "\(Self.requestID)",
                 "expires_in": 120,
                 "interval": 2
                }
                """)
        #expect(response.requestID == Self.requestID)
        #expect(response.expiresInSeconds == 120 && response.intervalSeconds == 2)
        let ping = try ReceivedPing(
            authorization: "Bearer " + Self.notification,
            body: """
                {
                 "auth_req_id": "\(Self.requestID)"
                }
                """)
        #expect(ping.requestID == Self.requestID)
    }

    @Test("10.3.1: at_hash and rt_hash of the example's tokens")
    func hashes() throws {
        #expect(
            try SignatureAlgorithm.rs256.tokenHash(of: "G5kXH2wHvUra0sHlDy1iTkDJgsgUO1bN")
                == "Wt0kVFXMacqvnHeyU0001w")
        #expect(
            try SignatureAlgorithm.rs256.tokenHash(
                of: "4bwc0ESC_IAhflf-ACC_vjD_ltc11ne-8gFPfA2Kx16")
                == "sHahCuSpXCRg5mkDDvvr4w")
    }
}
