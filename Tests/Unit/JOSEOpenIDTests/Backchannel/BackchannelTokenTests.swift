// From the response to the tokens (CIBA Core 1.0, 7.3, 10, 11): polls, ping callbacks, ID Tokens.

import Foundation
import JOSE
import JOSEOpenID
import Testing

@Suite("Backchannel tokens")
struct BackchannelTokenTests {
    private static let requestClaim = "urn:openid:params:jwt:claim:auth_req_id"
    private static let hashClaim = "urn:openid:params:jwt:claim:rt_hash"

    private func later(_ seconds: Int64) -> NumericDate {
        TestEnvironment.at(seconds)
    }

    private var user: UserAuthentication {
        UserAuthentication(subject: BackchannelEnvironment.subject, time: TestEnvironment.at(-5))
    }

    private func code(_ turn: BackchannelPollResult) -> String {
        switch turn {
        case .granted: "granted"
        case .waiting(let error, _): "waiting " + error.code.name
        case .failed(let error): "over " + error.code.name
        }
    }

    @Test("poll: pending, approved, then tokens exactly once", arguments: TestEnvironment.all)
    func polled(_ profile: OpenIDProfile) async throws {
        let sides = try BackchannelEnvironment(profile.withRefreshTokens)
        var (pending, wait) = try await sides.waiting()
        #expect(wait.requestID == pending.requestID && wait.intervalSeconds == 5)
        #expect(wait.expires == later(300) && pending.expires == later(300))
        let first = try await sides.poll(wait, at: later(5))
        guard
            case .waiting(let error, let kept) = try await sides.client.redeem(
                first, pending, at: later(5))
        else {
            Issue.record("no wait")
            return
        }
        #expect(error.code == .authorizationPending && wait.after(error)?.intervalSeconds == 5)
        pending = try coded(kept)
        wait = try coded(wait)
        pending.decision = .granted
        let second = try await sides.poll(wait, at: later(10))
        #expect(code(try await sides.client.redeem(second, pending, at: later(10))) == "granted")
        var user = self.user
        user.acr =
            try sides.client.acr(for: pending.request) ?? pending.request.acrValues.first
        user.accessToken = "an-access-token"
        let family = try sides.client.refreshFamily(
            for: pending, lifetime: .seconds(600), at: later(10))
        let token = try await sides.client.tokenIssuer().idToken(
            for: pending, user, refreshToken: family.token, at: later(10))
        let verified = try await sides.env.party.verifyIDToken(
            token, for: wait, accessToken: "an-access-token", refreshToken: family.token,
            at: later(10))
        #expect(verified.subject == BackchannelEnvironment.subject)
        #expect(verified[Self.requestClaim] == .string(wait.requestID))
        #expect(verified[Self.hashClaim] != nil)
        let third = try await sides.poll(wait, at: later(15))
        await expectRejection("replayed") {
            _ = try await sides.client.redeem(third, pending, at: self.later(15))
        }
        #expect(TokenError(rejectingGrant: .replayed).code == .invalidGrant)
    }

    @Test("poll with fetched keys, with and without a limit on external keys")
    func asynchronous() async throws {
        let sides = try BackchannelEnvironment()
        let ample = Duration.seconds(3_600)
        let fetched = try TestEnvironment.fetching(
            sides.env.profile, sides.env.metadata, secret: nil)
        var request = sides.request
        request.isSigned = true
        for sent in [
            try await fetched.backchannel(request, at: .testNow),
            try await fetched.backchannel(request, at: .testNow, timeout: ample),
        ] {
            let received = try await sides.receive(sent).accepted()
            var pending = try sides.client.pending(received, at: .testNow)
            pending.decision = .granted
            let wait = try sent.accepted(
                BackchannelResponse(json: pending.response().body), at: .testNow)
            for asked in [
                try await fetched.tokenRequest(for: wait, at: .testNow),
                try await fetched.tokenRequest(for: wait, at: .testNow, timeout: ample),
            ] {
                let poll = try await sides.client.receiveBackchannelPoll(asked.body, at: .testNow)
                #expect(poll.requestID == pending.requestID)
            }
            let token = try await sides.client.tokenIssuer().idToken(
                for: pending, user, at: .testNow, timeout: ample)
            let verified = try await fetched.verifyIDToken(token, for: wait, at: .testNow)
            #expect(verified.subject == BackchannelEnvironment.subject)
        }
    }

    @Test("11: early polls get slow_down, each adding five seconds")
    func slowDown() async throws {
        let sides = try BackchannelEnvironment()
        let (started, waited) = try await sides.waiting()
        var (pending, wait) = (started, waited)
        func ask(_ seconds: Int64) async throws -> String {
            let poll = try await sides.poll(wait, at: later(seconds))
            let turn = try await sides.client.redeem(poll, pending, at: later(seconds))
            if case .waiting(let error, let kept) = turn {
                pending = kept
                wait = try need(wait.after(error))
            }
            return code(turn) + " \(wait.intervalSeconds)"
        }
        #expect(try await ask(0) == "waiting authorization_pending 5")
        #expect(try await ask(4) == "waiting authorization_pending 5")
        #expect(try await ask(7) == "waiting slow_down 10")
        #expect(try await ask(15) == "waiting slow_down 15")
        #expect(try await ask(30) == "waiting authorization_pending 15")
        #expect(pending.intervalSeconds == 15)
        pending.decision = .denied
        #expect(try await ask(31) == "over access_denied 15")
        pending.decision = .granted
        #expect(try await ask(300) == "over expired_token 15")
    }

    @Test(
        "11: each final error ends the wait",
        arguments: [
            "access_denied", "expired_token", "invalid_grant", "unauthorized_client", "own",
            "expired_login_hint_token", "unknown_user_id", "invalid_request", "invalid_client",
            "invalid_binding_message", "missing_user_code", "invalid_user_code",
            "expired_id_token_hint", "invalid_id_token_hint",
        ])
    func ends(_ name: String) async throws {
        let (_, wait) = try await BackchannelEnvironment().waiting()
        let json = #"{"error":"\#(name)"}"#
        #expect(try wait.after(TokenError(json: json)) == nil)
        #expect(throws: JOSEError.self) { _ = try BackchannelResponse(json: json) }
        for code in [OAuthErrorCode.authorizationPending, .temporarilyUnavailable, .serverError] {
            #expect(wait.after(TokenError(code))?.intervalSeconds == 5)
        }
    }

    @Test("10.1: a poll by another client, or for another request, is invalid_grant")
    func strangers() async throws {
        let sides = try BackchannelEnvironment()
        let (pending, wait) = try await sides.waiting()
        let (another, _) = try await sides.waiting()
        let poll = try await sides.poll(wait)
        let error = await expectRejection("claim-rejected auth_req_id") {
            _ = try await sides.client.redeem(poll, another, at: .testNow)
        }
        #expect(error.map { TokenError(rejectingGrant: $0).code } == .invalidGrant)
        var registration = BackchannelEnvironment.registration(.poll)
        registration.clientID = "client-2"
        let other = try sides.env.provider.client(registration)
        await expectRejection("claim-rejected auth_req_id") {
            _ = try await other.redeem(poll, pending, at: .testNow)
        }
        await expectRejection("misuse") { _ = try other.pending(pending.request) }
        await expectRejection("misuse") { _ = try other.ping(pending) }
        await expectRejection("misuse") {
            _ = try await other.tokenIssuer().idToken(for: pending, self.user, at: .testNow)
        }
        let stranger = try TestEnvironment.party(
            sides.env.profile, sides.env.metadata, clientID: "client-2", secret: nil)
        await expectRejection("misuse") { _ = try await stranger.tokenRequest(for: wait) }
        await expectRejection("misuse") { _ = try await stranger.verifyIDToken("a.b.c", for: wait) }
    }

    @Test("10.1: malformed polls are rejected")
    func forms() async throws {
        let sides = try BackchannelEnvironment()
        let (_, wait) = try await sides.waiting()
        func told(_ change: (inout [OpenIDParameter]) -> Void) async throws -> String {
            var all = try await sides.env.party.tokenRequest(for: wait, at: .testNow).parameters.all
            change(&all)
            do {
                _ = try await sides.client.receiveBackchannelPoll(
                    OpenIDParameters(all).encoded, at: .testNow)
                return "accepted"
            } catch {
                return TokenError(rejecting: error).code.name
            }
        }
        func without(_ name: String) -> (inout [OpenIDParameter]) -> Void {
            { $0.removeAll { $0.name == name } }
        }
        let changes: [(String, (inout [OpenIDParameter]) -> Void)] = [
            ("accepted", { _ in }), ("invalid_request", without("grant_type")),
            ("invalid_request", without("auth_req_id")),
            ("invalid_client", without("client_assertion")),
            ("unsupported_grant_type", { $0[0].value = "authorization_code" }),
            ("invalid_request", { $0.append($0[1]) }),
            ("invalid_client", { $0.append(OpenIDParameter("client_id", "other")) }),
        ]
        for (expected, change) in changes { #expect(try await told(change) == expected) }
        let body = try await sides.env.party.tokenRequest(for: wait, at: .testNow).body
        let error = await expectRejection("claim-rejected grant_type") {
            _ = try await sides.env.client.receiveBackchannelPoll(body, at: .testNow)
        }
        #expect(error.map { TokenError(rejecting: $0).code } == .unauthorizedClient)
    }

    @Test(
        "7.3: requested_expiry is granted up to the provider's maximum",
        arguments: [(nil, 300), (60, 60), (900, 300)])
    func expiry(_ wanted: Int64?, _ given: Int64) async throws {
        let sides = try BackchannelEnvironment()
        var request = sides.request
        request.requestedExpiry = wanted.map { .seconds($0) }
        let (pending, wait) = try await sides.waiting(request)
        #expect(pending.expires == later(given) && wait.expires == later(given))
    }

    @Test("7.3: malformed responses are rejected")
    func responses() async throws {
        let name = String(repeating: "a", count: 22)
        let good = try BackchannelResponse(json: #"{"auth_req_id":"\#(name)","expires_in":120}"#)
        #expect(good.intervalSeconds == 5 && good.expiresInSeconds == 120)
        let zero = try BackchannelResponse(
            json: #"{"auth_req_id":"\#(name)","expires_in":1,"interval":0,"own":[]}"#)
        #expect(zero.intervalSeconds == 1)
        for wrong in [
            #"{"expires_in":120}"#, #"{"auth_req_id":"\#(name)"}"#,
            #"{"auth_req_id":"\#(name)","expires_in":0}"#,
            #"{"auth_req_id":"\#(name)","expires_in":"120 "}"#,
            #"{"auth_req_id":"\#(name)","expires_in":1.5}"#,
            #"{"auth_req_id":"\#(name)","expires_in":120,"interval":-1}"#,
            #"{"auth_req_id":"\#(name.dropLast())","expires_in":120}"#,
            #"{"auth_req_id":"\#(name)~","expires_in":120}"#,
            #"{"auth_req_id":"\#(name) ","expires_in":120}"#,
            #"{"auth_req_id":1,"expires_in":120}"#, "[]", "", "{",
            #"{"auth_req_id":"\#(name)","auth_req_id":"\#(name)","expires_in":120}"#,
            "{\"auth_req_id\":\"\(String(repeating: "a", count: 4_097))\",\"expires_in\":120}",
        ] {
            await expectRejection("malformed", wrong) { _ = try BackchannelResponse(json: wrong) }
        }
    }

    @Test("10.2: the ping callback is made and checked")
    func pings() async throws {
        let sides = try BackchannelEnvironment(
            .openIDWithAssertion, .ping(BackchannelEnvironment.notifications))
        var request = sides.request
        request.delivery = .ping
        let (pending, wait) = try await sides.waiting(request)
        let ping = try need(try sides.client.ping(pending))
        #expect(ping.url == BackchannelEnvironment.notifications)
        let authorization = try need(ping.header("Authorization"))
        let read = try ReceivedPing(authorization: authorization, body: ping.body)
        #expect(read.requestID == wait.requestID)
        try wait.accept(read)
        #expect(try OpenIDHTTPResponse.pinged().status == 204)
        let (_, another) = try await sides.waiting(request)
        await expectRejection("claim-rejected auth_req_id") { try another.accept(read) }
        for wrong in [
            nil, "", "Basic Yzpz", "Bearer", "Bearer ",
            "Bearer " + String(authorization.dropLast()),
            authorization + "a", "Bearer " + String(repeating: "a", count: 1_025),
        ] {
            let error = await expectRejection(
                "claim-rejected client_notification_token", wrong ?? "none"
            ) {
                try wait.accept(ReceivedPing(authorization: wrong, body: ping.body))
            }
            if let error { #expect(try OpenIDHTTPResponse.pinged(rejecting: error).status == 401) }
        }
        for wrong in ["", "[]", "{}", #"{"auth_req_id":1}"#, #"{"auth_req_id":"short"}"#] {
            let error = await expectRejection("malformed", wrong) {
                _ = try ReceivedPing(authorization: authorization, body: wrong)
            }
            if let error { #expect(try OpenIDHTTPResponse.pinged(rejecting: error).status == 400) }
        }
        // A polling client is not called back, and accepts no callback.
        let polling = try BackchannelEnvironment()
        let (quiet, waiting) = try await polling.waiting()
        #expect(try polling.client.ping(quiet) == nil)
        let own = #"{"auth_req_id":"\#(waiting.requestID)"}"#
        await expectRejection("claim-rejected client_notification_token") {
            try waiting.accept(ReceivedPing(authorization: authorization, body: own))
        }
        await expectRejection("misuse") {
            _ = try BackchannelEnvironment(.openIDWithAssertion, .ping("http://rp.example/cb"))
        }
    }

    @Test("10.3.1: an ID Token of another request, user, login or token set is rejected")
    func idTokens() async throws {
        let sides = try BackchannelEnvironment()
        var request = sides.request
        request.subject = BackchannelEnvironment.subject
        var (pending, wait) = try await sides.waiting(request)
        var (another, _) = try await sides.waiting()
        (pending.decision, another.decision) = (.granted, .granted)
        let responses = try await sides.client.tokenIssuer()
        var user = self.user
        user.accessToken = "a-token"
        let good = try responses.idToken(
            for: pending, user, refreshToken: "a-refresh-token", at: .testNow)
        func open(
            _ token: String, _ access: String? = "a-token", _ refresh: String? = "a-refresh-token"
        ) async throws {
            _ = try await sides.env.party.verifyIDToken(
                token, for: wait, accessToken: access, refreshToken: refresh, at: .testNow)
        }
        try await open(good)
        await expectRejection("claim-rejected \(Self.requestClaim)") {
            try await open(
                responses.idToken(for: another, user, refreshToken: "a-refresh-token", at: .testNow)
            )
        }
        await expectRejection("claim-rejected \(Self.hashClaim)") {
            try await open(good, "a-token", "another")
        }
        await expectRejection("claim-rejected \(Self.hashClaim)") {
            try await open(good, "a-token", nil)
        }
        await expectRejection("claim-rejected at_hash") { try await open(good, "another") }
        await expectRejection("claim-rejected at_hash") { try await open(good, nil) }
        var stranger = user
        stranger.subject = "user-2"
        await expectRejection("claim-rejected sub") {
            try await open(
                responses.idToken(
                    for: pending, stranger, refreshToken: "a-refresh-token", at: .testNow))
        }
        let login = try await Login(sides.env)
        await expectRejection("claim-rejected nonce") {
            let user = UserAuthentication(subject: BackchannelEnvironment.subject)
            try await open(await login.idToken(user: user))
        }
        await expectRejection("claim-rejected nonce") {
            _ = try await login.open(good, accessToken: "a-token")
        }
        // If the profile requires it, an ID Token without auth_req_id is rejected.
        let strict = try BackchannelEnvironment(
            .openIDWithAssertion.with { $0.backchannel.requiresRequestID = true })
        let (_, asked) = try await strict.waiting()
        let bare = try strict.env.sealed(
            ["iss": .issuer, "aud": .clientID, "sub": "u", "iat": .now(), "exp": .now(60)], .signed)
        await expectRejection("claim-rejected \(Self.requestClaim)") {
            _ = try await strict.env.party.verifyIDToken(bare, for: asked, at: .testNow)
        }
        let plain = try await sides.waiting().wait
        _ = try await sides.env.party.verifyIDToken(bare, for: plain, at: .testNow)
    }

    @Test(
        "no token is issued for a request that was not granted", arguments: ["pending", "denied"])
    func undecided(_ name: String) async throws {
        let sides = try BackchannelEnvironment()
        var (pending, _) = try await sides.waiting()
        if name == "denied" { pending.decision = .denied }
        let responses = try await sides.client.tokenIssuer()
        await expectRule("did not agree") {
            _ = try responses.idToken(for: pending, self.user, at: .testNow)
        }
        await expectRule("did not agree") {
            _ = try await responses.idToken(
                for: pending, self.user, at: .testNow, timeout: .seconds(3_600))
        }
        await expectRule("did not agree") {
            _ = try sides.client.refreshFamily(for: pending, lifetime: .seconds(60), at: .testNow)
        }
        pending.decision = .granted
        _ = try responses.idToken(for: pending, user, at: .testNow)
        _ = try sides.client.refreshFamily(for: pending, lifetime: .seconds(60), at: .testNow)
    }

    @Test("7.2: an ID Token hint is this provider's, for this client, and may have expired")
    func hints() async throws {
        let sides = try BackchannelEnvironment()
        let claims: [String: JSONValue] = [
            "iss": .issuer, "aud": .clientID, "sub": "user-1", "iat": .now(-90_000),
            "exp": .now(-86_400),
        ]
        func subject(
            _ change: [String: JSONValue?], by key: JWK = TestKeys.providerSigning
        ) throws -> String {
            try sides.client.subject(
                ofHint: sides.env.sealed(claims.with(change), .signed, by: key))
        }
        #expect(try subject([:]) == "user-1")
        #expect(try subject(["aud": ["other", .clientID]]) == "user-1")
        let rows: [(String, JSONValue?)] = [
            ("iss", "https://other.example"), ("iss", nil), ("aud", "client-2"), ("aud", nil),
            ("aud", ["client-2", 1]), ("sub", nil), ("sub", ""),
        ]
        for (name, value) in rows {
            await expectRejection("claim-rejected \(name)") { _ = try subject([name: value]) }
        }
        #expect(throws: JOSEError.self) { _ = try subject([:], by: TestKeys.partySigning) }
        #expect(throws: JOSEError.self) { _ = try sides.client.subject(ofHint: "a.b.c.d.e") }
    }

    @Test("a token is bound to the key of the poll's DPoP proof")
    func bound() async throws {
        let prover = try DPoPProver.fresh()
        let profile = OpenIDProfile.openIDWithAssertion.with { $0.accessToken.proofs = .required }
        let metadata = try TestEnvironment.metadata(
            at: TestEnvironment.issuer, profile, backchannel: BackchannelEnvironment.endpoint)
        let provider = try TestEnvironment.provider(profile, metadata, proofs: MemoryReplayStore())
        let client = try provider.client(BackchannelEnvironment.registration(.poll))
        let party = try TestEnvironment.party(profile, metadata, secret: nil)
        let sent = try await party.backchannel(BackchannelRequest(.name("a")), at: .testNow)
        let received = try await client.receiveBackchannelRequest(sent.request.body, at: .testNow)
            .accepted()
        let pending = try client.pending(received, at: .testNow)
        let wait = try sent.accepted(
            BackchannelResponse(json: pending.response().body), at: .testNow)
        await expectRule("prover") { _ = try await party.tokenRequest(for: wait) }
        let asked = try await party.tokenRequest(for: wait, prover: prover, at: .testNow)
        let proof = try need(asked.header("DPoP"))
        let poll = try await client.receiveBackchannelPoll(
            asked.body, proofs: [proof], at: .testNow)
        #expect(poll.keyThumbprint == prover.keyThumbprint && poll.tokenType == .dpop)
        let given = try TokenResponse(to: poll, accessToken: "t", idToken: "i").response()
        #expect(given.body.contains(#""token_type":"DPoP""#))
        #expect(try TokenResponse(json: given.body, to: asked).type == .dpop)
        let bearer = try TokenResponse(accessToken: "t", idToken: "i").json()
        await expectRejection("malformed") { _ = try TokenResponse(json: bearer, to: asked) }
    }
}
