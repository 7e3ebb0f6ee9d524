// An unavailable dependency of one side is never reported as the other side's fault.

import JOSE
import JOSEOpenID
import Testing

@Suite("Outages")
struct OutageTests {
    /// A key source that fails as configured.
    private struct Source: KeySource {
        let error: JOSEError
        func keys(keyID: String?) async throws(JOSEError) -> PublicJWKSet { throw error }
    }

    /// A store that fails as configured.
    private struct Store: ReplayStore {
        let failure: ReplayStoreError
        func markUsed(_ use: ReplayEntry, at now: NumericDate) async throws(ReplayStoreError) {
            throw failure
        }
    }

    private static let outage = JOSEError(ReplayStoreError.unavailable)

    @Test("an unreachable store is reported as unavailable, never as a bad token") func store() {
        #expect(OutageTests.outage.code == .unavailable)
        #expect(
            OutageTests.outage.description
                == "unavailable at claims: the replay store does not respond")
        for (failure, name) in [
            (ReplayStoreError.used, "replayed"), (.full, "unavailable"),
            (.quotaExceeded, "limit-exceeded"), (.lifetimeTooLong, "limit-exceeded"),
            (.unavailable, "unavailable"),
        ] { #expect(JOSEError(failure).code.name == name) }
    }

    @Test("the token endpoint responds 503 temporarily_unavailable") func response() throws {
        for error in [
            TokenError(rejecting: OutageTests.outage),
            TokenError(rejectingGrant: OutageTests.outage),
        ] {
            #expect(error.code == .temporarilyUnavailable)
            #expect(error.status(authorization: "Basic x") == 503)
            let read = try TokenError(json: error.json())
            #expect(read.code == error.code)
            #expect(read.description == "the provider is temporarily unavailable")
        }
        #expect(TokenError(.serverError).status(authorization: "Basic x") == 500)
        #expect(TokenError(.invalidClient).status(authorization: "Basic x") == 401)
        for code in [
            OAuthErrorCode.invalidRequest, .invalidGrant, .unauthorizedClient,
            .unsupportedGrantType,
            .invalidScope,
        ] { #expect(TokenError(code).status(authorization: "Basic x") == 400) }
    }

    private func provider(
        _ env: TestEnvironment, source: JOSEError? = nil, store: ReplayStoreError? = nil
    ) throws -> RegisteredClient {
        let provider = try OpenIDProvider(
            profile: env.profile, metadata: env.metadata, keys: TestKeys.provider,
            replays: store.map { Store(failure: $0) } ?? MemoryReplayStore())
        let registration = TestEnvironment.registration(requestURIs: [TestEnvironment.requestURI])
        guard let source else {
            return try provider.client(registration)
        }
        return try provider.client(registration, keys: Source(error: source))
    }

    @Test("client key set unavailable: its assertion is not rejected as invalid_client")
    func assertion() async throws {
        for profile in AssertionTests.profiles {
            let env = try TestEnvironment(profile)
            let login = try await Login(env)
            let body = try await login.tokenRequest().body
            for client in [
                try provider(env, source: OutageTests.outage),
                try provider(env, store: .unavailable), try provider(env, store: .full),
            ] {
                let error = await expectRejection("unavailable") {
                    _ = try await client.receiveTokenRequest(body, at: TestEnvironment.now)
                }
                #expect(
                    TokenError(rejecting: try need(error)).status(authorization: "Basic x") == 503)
            }
            // A source that responds and lacks the key is a different case.
            let client = try env.provider.client(
                TestEnvironment.registration(secret: nil),
                keys: PublicJWKSet(keys: [TestKeys.unrelated]))
            await expectTokenError(.invalidClient, "key-not-found") {
                _ = try await client.receiveTokenRequest(body, at: TestEnvironment.now)
            }
            // The rejection has not used up the jti.
            _ = try await env.client.receiveTokenRequest(body, at: TestEnvironment.now)
        }
    }

    @Test("a stale set without an encryption key is unavailable, not the client's fault")
    func stale() async throws {
        let env = try TestEnvironment(.itsme2)
        let keys = try PublicJWKSet(keys: [TestKeys.unrelated])
        let registration = TestEnvironment.registration(secret: nil)
        for (source, code) in [(keys, "key-not-found"), (keys.markedStale(), "unavailable")] {
            let client = try env.provider.client(registration, keys: Held(keys: source))
            await expectRejection(code) {
                _ = try await client.tokenIssuer().userInfo(
                    subject: TestEnvironment.subject, at: TestEnvironment.now)
            }
        }
    }

    @Test("a relying party reports misuse before it fetches the provider's keys")
    func partyChecksFirst() async throws {
        var profile = OpenIDProfile.openIDWithAssertion
        profile.client.authentication = .assertion(.signedThenEncrypted)
        let env = try TestEnvironment(profile)
        let party = try RelyingParty(
            profile: env.profile, metadata: env.metadata, clientID: TestEnvironment.clientID,
            redirectURI: TestEnvironment.redirectURI, keys: TestKeys.party,
            secret: ClientSecret(TestEnvironment.secret),
            providerKeys: Source(error: OutageTests.outage))
        let session = try await env.party.start(env.request, at: TestEnvironment.now).session
        await expectRejection("unavailable") {
            _ = try await party.refreshRequest(refreshToken: "t", at: TestEnvironment.now)
        }
        await expectRejection("unavailable") {
            _ = try await party.tokenRequest(code: "c", for: session, at: TestEnvironment.now)
        }
        await expectRejection("malformed") {
            _ = try await party.refreshRequest(refreshToken: "é", at: TestEnvironment.now)
        }
        await expectRejection("misuse") {
            _ = try await party.refreshRequest(
                refreshToken: "t", scopes: ["a b"], at: TestEnvironment.now)
        }
        await expectRejection("misuse") {
            _ = try await party.refreshRequest(
                refreshToken: "t", resources: ["api"], at: TestEnvironment.now)
        }
        await expectRejection("misuse") {
            _ = try await party.tokenRequest(
                code: "c", for: session, resources: ["api"], at: TestEnvironment.now)
        }
    }

    /// A source that returns its current set.
    private struct Held: KeySource {
        let keys: PublicJWKSet
        func keys(keyID: String?) async throws(JOSEError) -> PublicJWKSet { keys }
    }

    @Test("store unavailable at code redemption: not reported as invalid_grant")
    func grant() async throws {
        let env = try TestEnvironment(.openID)
        let login = try await Login(env)
        let client = try provider(env, store: .unavailable)
        let grant = try await client.grant(login.received, at: TestEnvironment.now)
        let request = try await login.tokenRequest(grant.code)
        let proved = try await client.receive(request)
        let error = await expectRejection("unavailable") {
            try await client.redeem(proved, grant, at: TestEnvironment.now)
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
            let grant = try await client.grant(login.received, at: TestEnvironment.now)
            let request = try await login.tokenRequest(grant.code)
            let proved = try await client.receive(request)
            await expectGrantError(.invalidGrant, rejection) {
                try await client.redeem(proved, grant, at: TestEnvironment.now)
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
        let client = try provider(env, source: OutageTests.outage)
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
            let client = try provider(env, source: try OutageTests.made(error))
            let rejected = try await client.browse(outer).rejected()
            #expect(rejected.error.code == response, "\(error.name)")
        }
    }

    @Test("client key set unavailable: a client that needs none of its keys is served")
    func responses() async throws {
        for profile in TestEnvironment.all {
            let env = try TestEnvironment(profile)
            let login = try await Login(env)
            let client = try provider(env, source: OutageTests.outage)
            let isEncrypted =
                profile.idToken.layers == .signedThenEncrypted
                || profile.userInfo.layers == .signedThenEncrypted
            guard !isEncrypted else {
                await expectRejection("unavailable") { _ = try await client.tokenIssuer() }
                continue
            }
            let token = try await client.tokenIssuer().idToken(
                for: login.received, login.user, at: TestEnvironment.now)
            _ = try await login.open(token)
            _ = try await client.tokenIssuer().userInfo(
                subject: login.user.subject, at: TestEnvironment.now)
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
            (OutageTests.outage, OAuthErrorCode.temporarilyUnavailable),
            (try OutageTests.made(.internal), .serverError),
            (try OutageTests.made(.keyNotFound), .invalidRequestURI),
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
            profile, env.metadata, source: Source(error: OutageTests.outage))
        let token = try await login.idToken()
        await expectRejection("unavailable") { _ = try await party.open(token, login.started) }
        let idToken = try await login.open(token)
        let info = try await env.client.tokenIssuer().userInfo(
            subject: TestEnvironment.subject, at: TestEnvironment.now)
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
