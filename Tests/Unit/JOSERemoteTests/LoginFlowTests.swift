// OpenIDRoutes.swift of the examples with web frameworks: cookies, limits of the store, logout, log
// lines. `tools/run frameworks` drives whole logins.

import JOSE
import JOSEOpenID
import JOSERemote
import Synchronization
import Testing

@Suite("Login of the framework examples")
struct LoginFlowTests {
    private static let issuer = "https://idp.example"
    private static let time = NumericDate.now

    /// A user whose ID Token was issued at a second after `time`.
    private func user(
        _ subject: String = "zoe", session: String? = "s-1", at second: Int = 0,
        issuer: String = issuer
    ) -> SignedInUser {
        SignedInUser(
            issuer: issuer, subject: subject, name: nil, providerSession: session,
            issuedAt: Self.time.advanced(by: .seconds(second)), idToken: nil)
    }

    private func ended(
        _ subject: String?, _ session: String?, at second: Int = 10, issuer: String = issuer
    ) -> EndedSessions {
        EndedSessions(
            issuer: issuer, subject: subject, providerSession: session,
            issuedAt: Self.time.advanced(by: .seconds(second)))
    }

    private func end(_ seconds: Int = 600) -> NumericDate { .now.advanced(by: .seconds(seconds)) }

    /// A flow whose provider cannot be reached.
    private func flow(
        _ store: any LoginStore, log: @escaping @Sendable (String) -> Void = { _ in }
    ) throws -> LoginFlow {
        try LoginFlow(
            LoginSettings(
                issuer: "https://127.0.0.1:1", clientID: "client", site: "https://app.example"),
            store: store, log: log)
    }

    @Test("only a cookie header that browsers read in the same way names a session")
    func cookies() async throws {
        let store = MemoryLoginStore()
        let flow = try flow(store)
        let (zoe, mallory) = (String(repeating: "z", count: 43), String(repeating: "m", count: 43))
        #expect(await store.put(.signedIn(user()), id: zoe, expires: end()))
        #expect(await store.put(.signedIn(user("mallory")), id: mallory, expires: end()))
        let good = "__Host-session=\(zoe)"
        for header in [
            good, "a=b; \(good)", "\(good); a=b", "a=__Host-session=1;\(good)", " \(good);",
        ] {
            #expect(try await flow.user(cookies: header)?.subject == "zoe", "\(header)")
        }
        for header in [
            // Canonically equal to a semicolon.
            "theme=x\u{37e}__Host-session=\(mallory)",
            "theme=x\u{37e}__Host-session=\(mallory); \(good)",
            "theme=x\u{37e} __Host-session=\(mallory); \(good)",
            "theme=x;\u{301}__Host-session=\(mallory); \(good)",
            "__Host-session=\(mallory); \(good)", "\(good); \(good)", "__Host-Session=\(zoe)",
            "__Host-sessio\u{301}n=\(zoe)", "x__Host-session=\(zoe)", "__Host-session =\(zoe)",
            "__Host-session=\(zoe)\u{0}", "\t\(good)", "a=\u{e9}; \(good)",
            good + String(repeating: "a", count: 100), "__Host-session=", "__Host-session", "",
            good + "; a=" + String(repeating: "b", count: 8_192),
        ] {
            #expect(try await flow.user(cookies: header) == nil, "\(header)")
        }
        #expect(try await flow.user(cookies: nil) == nil)
    }

    @Test("a header of combining marks is rejected without work")
    func combiningMarks() async throws {
        let flow = try flow(MemoryLoginStore())
        let header = "a" + String(repeating: "\u{301}\u{327}", count: 2_000)
        let begun = ContinuousClock.now
        for _ in 0..<1_000 { _ = try await flow.user(cookies: header) }
        #expect(ContinuousClock.now - begun < .seconds(5))
    }

    @Test("a flood of logins, or of one user's sessions, ends nothing of the other kind")
    func bounds() async throws {
        let limit = 1_000
        let session = try await startedSession()
        let store = MemoryLoginStore(limit: limit)
        #expect(await store.put(.signedIn(user()), id: "zoe", expires: end()))
        for number in 0..<(10 * limit) {
            _ = await store.put(.started(session), id: "l\(number)", expires: end(600 + number))
        }
        #expect(await store.session(id: "zoe") != nil)
        var kept = 0
        for number in 0..<(10 * limit) where await store.session(id: "l\(number)") != nil {
            kept += 1
            #expect(number >= 9 * limit, "those that expire first are dropped")
        }
        #expect(limit * 9 / 10...limit ~= kept)
        for number in 0..<(2 * limit) {
            _ = await store.put(.signedIn(user()), id: "u\(number)", expires: end(28_800))
        }
        #expect(await store.session(id: "l\(10 * limit - 1)") != nil)
    }

    @Test("a full store costs little for each login")
    func fullStore() async throws {
        let session = try await startedSession()
        let store = MemoryLoginStore(limit: 20_000)
        let begun = ContinuousClock.now
        let expires = end()
        for number in 0..<60_000 {
            _ = await store.put(.started(session), id: "\(number)", expires: expires)
        }
        #expect(ContinuousClock.now - begun < .seconds(30))
    }

    @Test("expired sessions leave first, and are never returned")
    func expired() async throws {
        let store = MemoryLoginStore(limit: 2)
        #expect(await store.put(.signedIn(user("a")), id: "a", expires: end(-1)))
        #expect(await store.put(.signedIn(user("b")), id: "b", expires: end()))
        #expect(await store.session(id: "a") == nil)
        #expect(await store.take(id: "a") == nil)
        #expect(await store.put(.signedIn(user("c")), id: "c", expires: end()))
        #expect(await store.take(id: "c") != nil)
        #expect(await store.session(id: "c") == nil)
    }

    @Test("Back-Channel Logout 1.0, 2.7: the sessions that a token ends")
    func endedSessions() {
        let composed = "zo\u{e9}"
        let decomposed = "zoe\u{301}"
        for (sessions, user, isEnded) in [
            (ended("zoe", "s-1"), user(), true), (ended(nil, "s-1"), user(), true),
            (ended("zoe", nil), user(), true), (ended("zoe", "s-2"), user(), false),
            (ended(nil, "s-2"), user(), false), (ended("max", nil), user(), false),
            (ended("max", "s-1"), user(), false),
            (ended("zoe", nil, issuer: "https://other.example"), user(), false),
            (ended(nil, "s-1", issuer: "https://other.example"), user(), false),
            // A session without sid ends by its user; a sid alone names another session.
            (ended("zoe", "s-1"), user(session: nil), true),
            (ended("zoe", nil), user(session: nil), true),
            (ended(nil, "s-1"), user(session: nil), false),
            // A later login has another sid, and survives a token for all sessions.
            (ended("zoe", nil), user(at: 11), false), (ended("zoe", nil), user(at: 10), true),
            (ended("zoe", "s-1"), user(session: nil, at: 11), false),
            (ended("zoe", "s-1"), user(at: 11), true),
            // Bytes are compared.
            (ended(composed, nil), user(decomposed), false),
            (ended(composed, nil), user(composed), true),
            (ended(nil, composed), user(session: decomposed), false),
            (ended("zoe", composed), user(session: decomposed), false),
        ] as [(EndedSessions, SignedInUser, Bool)] {
            #expect(sessions.include(user) == isEnded, "\(sessions) \(user)")
        }
    }

    @Test("a session that was ended before it is stored is not stored; a later login is")
    func endedBefore() async throws {
        let store = MemoryLoginStore()
        #expect(await store.put(.signedIn(user()), id: "1", expires: end()))
        #expect(await store.put(.signedIn(user("max", session: "s-2")), id: "2", expires: end()))
        #expect(await store.end(ended("zoe", "s-1")) == 1)
        #expect(await store.session(id: "1") == nil)
        #expect(await store.session(id: "2") != nil)
        #expect(await !store.put(.signedIn(user()), id: "3", expires: end()))
        #expect(await store.session(id: "3") == nil)
        #expect(await store.put(.signedIn(user(session: "s-3", at: 11)), id: "4", expires: end()))
        // The provider sends a token again: a later login stays.
        #expect(await store.end(ended("zoe", nil)) == 0)
        #expect(await store.end(ended("zoe", nil)) == 0)
        #expect(await store.session(id: "4") != nil)
        #expect(await !store.put(.signedIn(user(session: nil)), id: "5", expires: end()))
    }

    @Test(
        "RFC 6454: logout needs the site's own origin, or none",
        arguments: [
            ("https://evil.app.example", 403), ("null", 403), ("https://app.example.evil", 403),
            ("http://app.example", 403), ("", 403), ("https://app.example", 503), (nil, 503),
        ] as [(String?, Int)])
    func origin(_ origin: String?, _ status: Int) async throws {
        let store = MemoryLoginStore()
        #expect(await store.put(.signedIn(user()), id: "zoe", expires: end()))
        let response = try await flow(store).logout(
            cookies: "__Host-session=zoe", origin: origin)
        #expect(response.status == status)
        #expect(await (store.session(id: "zoe") == nil) == (status == 503))
    }

    @Test("a log line names the step, and the URL of a request without its query")
    func logLines() async throws {
        let lines = Mutex<[String]>([])
        let store = MemoryLoginStore()
        _ = await store.put(.started(try await startedSession()), id: "a", expires: end())
        let flow = try flow(store) { line in lines.withLock { $0.append(line) } }
        #expect(try await flow.start().status == 502)
        let callback = try await flow.callback(
            query: "code=a-secret-code&state=b", cookies: "__Host-login=a")
        #expect(callback.status == 400)
        let all = lines.withLock { $0 }
        #expect(all.count == 2)
        let step = "discovery document https://127.0.0.1:1/.well-known/openid-configuration: "
        #expect(all.first?.hasPrefix("login, " + step) == true, "\(all)")
        #expect(all.last?.hasPrefix("callback, " + step) == true, "\(all)")
        #expect(!all.joined().contains("a-secret-code"))
    }

    @Test("a failing session store is 503, and no error leaves with the request's text")
    func outage() async throws {
        struct Outage: LoginStore, Error {
            func put(_ session: LoginSession, id: String, expires: NumericDate) throws -> Bool {
                throw self
            }
            func session(id: String) throws -> LoginSession? { throw self }
            func take(id: String) throws -> LoginSession? { throw self }
            func end(_ sessions: EndedSessions) throws -> Int { throw self }
        }
        let flow = try flow(Outage())
        let response = try await flow.callback(query: "code=a&state=b", cookies: "__Host-login=a")
        #expect(response.status == 503)
        #expect(
            try await flow.logout(cookies: "__Host-session=a", origin: nil).status == 503)
    }

    private func startedSession() async throws -> AuthorizationSession {
        let metadata = try ProviderMetadata(
            json: """
                {"issuer":"\(Self.issuer)","authorization_endpoint":"\(Self.issuer)/a",\
                "token_endpoint":"\(Self.issuer)/t","userinfo_endpoint":"\(Self.issuer)/u",\
                "jwks_uri":"\(Self.issuer)/j","response_types_supported":["code"],\
                "subject_types_supported":["public"],\
                "id_token_signing_alg_values_supported":["RS256"],\
                "code_challenge_methods_supported":["S256"],\
                "token_endpoint_auth_methods_supported":["client_secret_basic"]}
                """, issuer: Self.issuer, profile: .openID)
        let party = try RelyingParty(
            profile: .openID, metadata: metadata, clientID: "client",
            redirectURI: "https://app.example/callback", keys: JWKSet(keys: []),
            secret: ClientSecret("a secret of the client, longer than 32 bytes"),
            providerKeys: PublicJWKSet(keys: []))
        return try await party.start(AuthorizationRequest()).session
    }
}
