// The ID Token of a refresh must meet the login's requirements (OpenID Connect Core 12.2).

import JOSE
import JOSEOpenID
import Testing

@Suite("Refreshed ID Tokens")
struct RefreshedTokenTests {
    /// A login, and both kinds of relying party.
    private struct Refresh {
        let login: Login
        let before: VerifiedIDToken
        private let fetched: RelyingParty

        init(
            _ profile: OpenIDProfile, _ request: AuthorizationRequest? = nil,
            _ change: (inout [String: JSONValue]) -> Void = { _ in }
        ) async throws {
            login = try await Login(TestEnvironment(profile), request)
            var claims = login.goodClaims
            change(&claims)
            before = try await login.open(login.forged(claims))
            fetched = try TestEnvironment.fetching(profile, login.env.metadata)
        }

        /// The result of both for the login's claims with this change.
        @discardableResult
        func read(
            after before: VerifiedIDToken? = nil, _ change: (inout [String: JSONValue]) -> Void
        ) async throws -> VerifiedIDToken {
            var claims = login.goodClaims
            change(&claims)
            let token = try login.forged(claims)
            let before = before ?? self.before
            let read: VerifiedIDToken
            do {
                read = try await login.env.party.verifyRefreshed(token, after: before, at: .testNow)
            } catch {
                await expectRejection(verdict(error)) {
                    _ = try await fetched.verifyRefreshed(token, after: before, at: .testNow)
                }
                throw error
            }
            let again = try await fetched.verifyRefreshed(token, after: before, at: .testNow)
            #expect(again.acr == read.acr)
            return read
        }
    }

    private static func essential(_ values: [String]) -> AuthorizationRequest {
        var request = AuthorizationRequest()
        request.claims = ClaimsRequest(idToken: [
            "acr": ClaimsRequest.ClaimRequest(
                isEssential: true, values: values.map(JSONValue.string))
        ])
        return request
    }

    @Test("an acr must be one that the login requested, whatever its type")
    func demanded() async throws {
        let refresh = try await Refresh(.openID, Self.essential(["strong"]))
        for value in [
            "weak", "", "Strong", "strong ", 1, true, [], ["strong"], ["strong": true],
        ] as [JSONValue] {
            await expectRejection("claim-rejected acr", "\(value)") {
                try await refresh.read { $0["acr"] = value }
            }
        }
        #expect(try await refresh.read { $0["acr"] = "strong" }.acr == "strong")
        // Conforming providers omit it here.
        for value in [nil, JSONValue.null] {
            let read = try await refresh.read { $0["acr"] = value }
            #expect(read.acr == nil)
            // The login's requirement holds for every later refresh.
            await expectRejection("claim-rejected acr") {
                try await refresh.read(after: read) { $0["acr"] = "weak" }
            }
            try await refresh.read(after: read) { $0["acr"] = "strong" }
        }
    }

    @Test("any of several requested acr values is accepted, from acr_values and from claims")
    func several() async throws {
        var listed = AuthorizationRequest()
        listed.acrValues = ["a", "b"]
        for request in [listed, Self.essential(["a", "b"])] {
            let refresh = try await Refresh(.openID, request) { $0["acr"] = "a" }
            for value in ["a", "b"] {
                #expect(
                    try await refresh.read { $0["acr"] = .string(value) }.acr == value)
            }
            await expectRejection("claim-rejected acr") {
                try await refresh.read { $0["acr"] = "c" }
            }
        }
        // A login that requested none accepts any.
        let free = try await Refresh(.openID) { $0["acr"] = "a" }
        try await free.read { $0["acr"] = "c" }
    }

    @Test("if an order is known, an acr may not be weaker than the login's")
    func weaker() async throws {
        let basic: JSONValue = "tag:sixdots.be,2016-06:acr_basic"
        let advanced: JSONValue = "tag:sixdots.be,2016-06:acr_advanced"
        var profile = OpenIDProfile.itsme0.withoutCertificates.withRefreshTokens
        profile.idToken.requiredClaims = OpenIDProfile.openID.idToken.requiredClaims
        let strong = try await Refresh(profile) { $0["acr"] = advanced }
        for value in [basic, "foo", 1] {
            await expectRejection("claim-rejected acr", "\(value)") {
                try await strong.read { $0["acr"] = value }
            }
        }
        let silent = try await strong.read { $0["acr"] = nil }
        await expectRejection("claim-rejected acr") {
            try await strong.read(after: silent) { $0["acr"] = basic }
        }
        try await strong.read { $0["acr"] = advanced }
        let weak = try await Refresh(profile) { $0["acr"] = basic }
        try await weak.read { $0["acr"] = basic }
        // A stronger acr is the minimum from then on.
        let stronger = try await weak.read { $0["acr"] = advanced }
        await expectRejection("claim-rejected acr") {
            try await weak.read(after: stronger) { $0["acr"] = basic }
        }
    }

    @Test("claims that the profile requires of every ID Token are required, and null is absent")
    func required() async throws {
        var profile = OpenIDProfile.openID
        let names = ["acr", "auth_time", "at_hash", "amr"]
        profile.idToken.requiredClaims += names
        func full(_ claims: inout [String: JSONValue]) {
            claims["acr"] = "a"
            claims["amr"] = ["pwd"]
            claims["at_hash"] = nil
        }
        let env = try TestEnvironment(profile)
        let login = try await Login(env)
        var claims = login.goodClaims
        full(&claims)
        claims["at_hash"] = "dNZX1hEZ9wBCzNL40Upu646bdzQA"
        // The hash belongs to another token. Everything checked here comes before it.
        await expectRejection("claim-rejected at_hash") {
            _ = try await login.open(login.forged(claims))
        }
        profile.idToken.requiredClaims.removeAll { $0 == "at_hash" }
        let refresh = try await Refresh(profile, nil, full)
        try await refresh.read(full)
        for name in ["acr", "auth_time", "amr"] {
            for value in [nil, JSONValue.null] {
                await expectRejection("claim-rejected \(name)", "\(name)") {
                    try await refresh.read {
                        full(&$0)
                        $0[name] = value
                    }
                }
            }
        }
    }

    @Test("a token issued before the login, less the leeway, is rejected", arguments: [0, 60, 300])
    func issued(_ leeway: Int) async throws {
        let refresh = try await Refresh(OpenIDProfile.openID.with { $0.leeway = .seconds(leeway) })
        let now = TestEnvironment.now.seconds
        for age in [Int64(leeway) + 1, 3_600, 86_000] {
            await expectRejection("claim-rejected iat", "\(age)") {
                try await refresh.read {
                    $0["iat"] = .integer(now - age)
                    $0["exp"] = .now(100)
                }
            }
        }
        for age in Set([0, Int64(leeway)]) {
            try await refresh.read { $0["iat"] = .integer(now - age) }
        }
    }

    @Test("a logout token is rejected, even with every claim of an ID Token")
    func logout() async throws {
        let refresh = try await Refresh(.openID)
        let event: JSONValue = ["http://schemas.openid.net/event/backchannel-logout": [:]]
        for events in [event, [:], ["https://other.example": [:]], "x"] as [JSONValue] {
            await expectRejection("claim-rejected events", "\(events)") {
                try await refresh.read {
                    $0["nonce"] = nil
                    $0["jti"] = "j"
                    $0["events"] = events
                }
            }
        }
        // It is also not a response to a backchannel request, which sends no nonce either.
        let sides = try BackchannelEnvironment()
        let (_, wait) = try await sides.waiting()
        var claims = refresh.login.goodClaims
        claims["nonce"] = nil
        _ = try await sides.env.party.verifyIDToken(
            sides.env.sealed(claims, .signed), for: wait, at: .testNow)
        claims["events"] = event
        await expectRejection("claim-rejected events") {
            _ = try await sides.env.party.verifyIDToken(
                sides.env.sealed(claims, .signed), for: wait, at: .testNow)
        }
    }

    @Test("nonce and auth_time match the login's, even if an earlier refresh omitted them")
    func between() async throws {
        let time = TestEnvironment.now.seconds - 100
        let refresh = try await Refresh(.openID) { $0["auth_time"] = .integer(time) }
        let bare = try await refresh.read {
            $0["nonce"] = nil
            $0["auth_time"] = nil
        }
        let twice = try await refresh.read(after: bare) {
            $0["nonce"] = nil
            $0["auth_time"] = .null
        }
        for before in [refresh.before, bare, twice] {
            let read = try await refresh.read(after: before) { $0["auth_time"] = .integer(time) }
            #expect(read.authenticatedAt == refresh.before.authenticatedAt)
            for other in [
                .integer(time + 1), .integer(time - 1), .integer(0), .string("\(time)"), true, [],
            ] as [JSONValue] {
                await expectRejection("claim-rejected auth_time", "\(other)") {
                    try await refresh.read(after: before) { $0["auth_time"] = other }
                }
            }
            for other in ["", "other", .null, 1, [], true] as [JSONValue] {
                await expectRejection("claim-rejected nonce", "\(other)") {
                    try await refresh.read(after: before) {
                        $0["nonce"] = other
                        $0["auth_time"] = .integer(time)
                    }
                }
            }
        }
        // A refresh does not add auth_time to a login without it.
        let timeless = try await Refresh(.openID) { $0["auth_time"] = nil }
        await expectRejection("claim-rejected auth_time") {
            try await timeless.read { $0["auth_time"] = .integer(time) }
        }
    }

    @Test("after a backchannel request auth_req_id must match, and nonce must be absent")
    func backchannelBetween() async throws {
        let name = "urn:openid:params:jwt:claim:auth_req_id"
        let sides = try BackchannelEnvironment()
        let (_, wait) = try await sides.waiting()
        let party = sides.env.party
        let login = try await Login(sides.env)
        func token(_ change: (inout [String: JSONValue]) -> Void) throws -> String {
            var claims = login.goodClaims
            claims["nonce"] = nil
            change(&claims)
            return try sides.env.sealed(claims, .signed)
        }
        let first = try await party.verifyIDToken(
            token { $0[name] = .string(wait.requestID) }, for: wait, at: .testNow)
        let bare = try await party.verifyRefreshed(token { _ in }, after: first, at: .testNow)
        for before in [first, bare] {
            _ = try await party.verifyRefreshed(
                token { $0[name] = .string(wait.requestID) }, after: before, at: .testNow)
            for other in ["", "r", 1, [.string(wait.requestID)]] as [JSONValue] {
                await expectRejection("claim-rejected \(name)") {
                    _ = try await party.verifyRefreshed(
                        token { $0[name] = other }, after: before, at: .testNow)
                }
            }
            await expectRejection("claim-rejected nonce") {
                _ = try await party.verifyRefreshed(
                    token { $0["nonce"] = "n" }, after: before, at: .testNow)
            }
        }
    }

    @Test("a backchannel token is rejected as the refreshed token of a browser login")
    func backchannel() async throws {
        let refresh = try await Refresh(.openID)
        await expectRejection("claim-rejected urn:openid:params:jwt:claim:auth_req_id") {
            try await refresh.read { $0["urn:openid:params:jwt:claim:auth_req_id"] = "r" }
        }
        // auth_time is optional, so null counts as absent. A nonce must have its type.
        let read = try await refresh.read { $0["auth_time"] = .null }
        #expect(read.authenticatedAt == refresh.before.authenticatedAt)
        await expectRejection("claim-rejected nonce") {
            try await refresh.read { $0["nonce"] = .null }
        }
    }
}
