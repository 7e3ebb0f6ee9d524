// An unavailable dependency of one side is never reported as the other side's fault.

import JOSE
import JOSEOpenID
import Testing

@Suite("Outages")
struct OutageTests {
    private struct Source: KeySource {
        let error: JOSEError
        func keys(keyID: String?) async throws(JOSEError) -> PublicJWKSet { throw error }
    }

    private struct Store: ReplayStore {
        let failure: ReplayStoreError
        func markUsed(_ use: ReplayEntry, at now: NumericDate) async throws(ReplayStoreError) {
            throw failure
        }
    }

    private static let outage = JOSEError(ReplayStoreError.unavailable)

    @Test("an unreachable store is reported as unavailable, never as a bad token") func store() {
        #expect(Self.outage.code == .unavailable)
        #expect(
            Self.outage.description == "unavailable at claims: the replay store does not respond")
        for (failure, name) in [
            (ReplayStoreError.used, "replayed"), (.full, "unavailable"),
            (.quotaExceeded, "limit-exceeded"), (.lifetimeTooLong, "limit-exceeded"),
            (.unavailable, "unavailable"),
        ] { #expect(JOSEError(failure).code.name == name) }
    }

    private func provider(
        _ env: TestEnvironment, source: JOSEError? = nil, store: ReplayStoreError? = nil
    ) throws -> RegisteredClient {
        let provider = try TestEnvironment.provider(
            env.profile, env.metadata,
            replays: store.map { Store(failure: $0) } ?? MemoryReplayStore())
        let registration = TestEnvironment.registration(requestURIs: [TestEnvironment.requestURI])
        guard let source else { return try provider.client(registration) }
        return try provider.client(registration, keys: Source(error: source))
    }

    @Test("client key set unavailable: its assertion is not rejected as invalid_client")
    func assertion() async throws {
        for profile in AssertionTests.profiles {
            let env = try TestEnvironment(profile)
            let login = try await Login(env)
            let body = try await login.tokenRequest().body
            for client in [
                try provider(env, source: Self.outage), try provider(env, store: .unavailable),
                try provider(env, store: .full),
            ] {
                let error = await expectRejection("unavailable") {
                    _ = try await client.receiveTokenRequest(body, at: .testNow)
                }
                #expect(
                    TokenError(rejecting: try need(error)).status(authorization: "Basic x") == 503)
            }
            // A source that responds and lacks the key is a different case.
            let client = try env.provider.client(
                TestEnvironment.registration(secret: nil),
                keys: PublicJWKSet(keys: [TestKeys.unrelated]))
            await expectTokenError(.invalidClient, "key-not-found") {
                _ = try await client.receiveTokenRequest(body, at: .testNow)
            }
            // The rejection has not used up the jti.
            _ = try await env.client.receiveTokenRequest(body, at: .testNow)
        }
    }

    @Test("a stale set without an encryption key is unavailable, not the client's fault")
    func stale() async throws {
        let env = try TestEnvironment(.itsme2)
        let keys = try PublicJWKSet(keys: [TestKeys.unrelated])
        let registration = TestEnvironment.registration(secret: nil)
        for (source, code) in [(keys, "key-not-found"), (keys.markedStale(), "unavailable")] {
            let client = try env.provider.client(registration, keys: FetchedSet(set: source))
            await expectRejection(code) {
                _ = try await client.tokenIssuer().userInfo(
                    subject: TestEnvironment.subject, at: .testNow)
            }
        }
    }

    @Test("a relying party reports misuse before it fetches the provider's keys")
    func partyChecksFirst() async throws {
        let env = try TestEnvironment(
            .openIDWithAssertion.with {
                $0.client.authentication = .assertion(.signedThenEncrypted)
            })
        let party = try TestEnvironment.fetching(
            env.profile, env.metadata, source: Source(error: Self.outage))
        let session = try await env.start().session
        func refresh(_ token: String, scopes: [String] = [], resources: [String] = []) async throws
        {
            _ = try await party.refreshRequest(
                refreshToken: token, scopes: scopes, resources: resources, at: .testNow)
        }
        func token(_ resources: [String] = []) async throws {
            _ = try await party.tokenRequest(
                code: "c", for: session, resources: resources, at: .testNow)
        }
        await expectRejection("unavailable") { try await refresh("t") }
        await expectRejection("unavailable") { try await token() }
        await expectRejection("malformed") { try await refresh("é") }
        await expectRejection("misuse") { try await refresh("t", scopes: ["a b"]) }
        await expectRejection("misuse") { try await refresh("t", resources: ["api"]) }
        await expectRejection("misuse") { try await token(["api"]) }
    }

    @Test("store unavailable at code redemption: not reported as invalid_grant")
    func grant() async throws {
        let env = try TestEnvironment(.openID)
        let login = try await Login(env)
        let client = try provider(env, store: .unavailable)
        let grant = try await client.grant(login.received, at: .testNow)
        let request = try await login.tokenRequest(grant.code)
        let proved = try await client.receive(request)
        let error = await expectRejection("unavailable") {
            try await client.redeem(proved, grant, at: .testNow)
        }
        #expect(TokenError(rejectingGrant: try need(error)).status(authorization: "Basic x") == 503)
    }

    @Test("RFC 6749 4.1.2: a code that the store cannot check is not treated as reused")
    func younger() async throws {
        let env = try TestEnvironment(.openID)
        let login = try await Login(env)
        for (failure, rejection) in [
            (ReplayStoreError.issuedBeforeStore, "claim-rejected code"), (.used, "replayed"),
            (.quotaExceeded, "limit-exceeded"), (.lifetimeTooLong, "limit-exceeded"),
        ] {
            let client = try provider(env, store: failure)
            let grant = try await client.grant(login.received, at: .testNow)
            let request = try await login.tokenRequest(grant.code)
            let proved = try await client.receive(request)
            await expectGrantError(.invalidGrant, rejection) {
                try await client.redeem(proved, grant, at: .testNow)
            }
        }
    }

    @Test(
        "client key set unavailable: redirects with temporarily_unavailable",
        arguments: TestEnvironment.all)
    func authorization(_ profile: OpenIDProfile) async throws {
        var profile = profile
        profile.requestObject.queryParameters.removeAll { $0 == "redirect_uri" }
        let env = try TestEnvironment(profile)
        let started = try await env.start { $0.delivery = .byValue }
        let client = try provider(env, source: Self.outage)
        // Only the object has the redirect URI, which is still unknown, so nothing is redirected.
        await expectRejection("unavailable") { _ = try await client.browse(started) }
        let outer =
            addressed(query(started.url)) + "&state=s"
        let rejected = try await client.browse(outer).rejected()
        #expect(rejected.cause.code == .unavailable)
        #expect(rejected.error.code == .temporarilyUnavailable)
        #expect(rejected.redirect.parameters["error"] == "temporarily_unavailable")
        #expect(rejected.redirect.parameters["state"] == "s")
        // The provider's own failure is server_error. An invalid object is still reported as
        // invalid.
        for (error, response) in [
            (JOSEError.Code.internal, OAuthErrorCode.serverError),
            (.keyNotFound, .invalidRequestObject), (.signatureInvalid, .invalidRequestObject),
        ] {
            let client = try provider(env, source: try Self.made(error))
            let rejected = try await client.browse(outer).rejected()
            #expect(rejected.error.code == response, "\(error.name)")
        }
    }

    @Test("client key set unavailable: a client that needs none of its keys is served")
    func responses() async throws {
        for profile in TestEnvironment.all {
            let env = try TestEnvironment(profile)
            let login = try await Login(env)
            let client = try provider(env, source: Self.outage)
            let isEncrypted =
                profile.idToken.layers == .signedThenEncrypted
                || profile.userInfo.layers == .signedThenEncrypted
            guard !isEncrypted else {
                await expectRejection("unavailable") { _ = try await client.tokenIssuer() }
                continue
            }
            let token = try await client.tokenIssuer().idToken(
                for: login.received, login.user, at: .testNow)
            _ = try await login.open(token)
            _ = try await client.tokenIssuer().userInfo(subject: login.user.subject, at: .testNow)
        }
        #expect(TestEnvironment.all.contains { $0.idToken.layers == .signed })
    }

    @Test("request_uri fetch unavailable: redirects with temporarily_unavailable")
    func fetch() async throws {
        let env = try TestEnvironment(.itsme1)
        let started = try await env.start { $0.delivery = .byReference(TestEnvironment.requestURI) }
        let outer =
            addressed(query(started.url)) + "&state=s"
        for (error, response) in [
            (Self.outage, OAuthErrorCode.temporarilyUnavailable),
            (try Self.made(.internal), .serverError),
            (try Self.made(.keyNotFound), .invalidRequestURI),
        ] {
            let rejected = try await env.client.browse(outer, fetch: { _ in throw error })
                .rejected()
            #expect(rejected.error.code == response)
            #expect(rejected.cause.code == error.code)
        }
    }

    @Test(
        "a relying party reports unavailable if its provider's keys cannot be fetched",
        arguments: TestEnvironment.all)
    func party(_ profile: OpenIDProfile) async throws {
        let env = try TestEnvironment(profile)
        let login = try await Login(env)
        let party = try TestEnvironment.fetching(
            profile, env.metadata, source: Source(error: Self.outage))
        let token = try await login.idToken()
        await expectRejection("unavailable") { _ = try await party.open(token, login.started) }
        let idToken = try await login.open(token)
        let info = try await env.client.tokenIssuer().userInfo(
            subject: TestEnvironment.subject, at: .testNow)
        if profile.userInfo.layers != nil {
            await expectRejection("unavailable") { _ = try await party.userInfo(info, idToken) }
        }
        if profile.client.authentication == .assertion(.signedThenEncrypted) {
            await expectRejection("unavailable") {
                _ = try await party.tokenRequest("c", login.started.session)
            }
        }
    }

    /// An error with this code, as thrown by some part of the library.
    private static func made(_ code: JOSEError.Code) throws -> JOSEError {
        try need(
            [
                JOSEError.internalFailure, .keyNotFound("no key"), .signatureInvalid,
            ].first { $0.code == code })
    }
}
