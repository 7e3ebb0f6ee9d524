// Two values of one call belong to one client at one provider, or the call rejects them.

import JOSE
import JOSEOpenID
import Testing

@Suite("Values bound to client and provider")
struct BelongingTests {
    /// Two clients at one provider, and a client of the first one's name at another provider.
    private struct Peers {
        let first: Side
        let second: Side
        let namesake: Side
        var all: [Side] { [first, second, namesake] }

        init(_ profile: OpenIDProfile) async throws {
            let store = MemoryReplayStore()
            first = try await Side(profile, TestEnvironment.clientID, TestEnvironment.issuer, store)
            second = try await Side(profile, "client-2", TestEnvironment.issuer, store)
            namesake = try await Side(
                profile, TestEnvironment.clientID, "https://other.example/v2", store)
        }
    }

    /// A client during its login.
    private struct Side {
        let metadata: ProviderMetadata
        let client: RegisteredClient
        let party: RelyingParty
        let started: AuthorizationStart
        let received: ReceivedAuthorization
        let grant: CodeGrant
        private let user: UserAuthentication

        init(
            _ profile: OpenIDProfile, _ clientID: String, _ issuer: String,
            _ store: MemoryReplayStore
        ) async throws {
            metadata = try TestEnvironment.metadata(at: issuer, profile)
            let secret = ClientSecret("the same for all")
            client = try TestEnvironment.provider(profile, metadata, replays: store).client(
                ClientRegistration(
                    clientID: clientID, redirectURIs: [TestEnvironment.redirectURI], secret: secret)
            )
            party = try TestEnvironment.party(profile, metadata, clientID: clientID, secret: secret)
            // Without code challenge if that is allowed, as it would distinguish the two.
            let request = try TestEnvironment(profile).request
            started = try await party.start(request, at: .testNow)
            let received = try await client.receive(started)
            self.received = received
            grant = try await client.grant(received, at: .testNow)
            user = TestEnvironment.user(profile.authorization.acr.weakestFirst.last)
        }

        /// The token request for a grant, authenticated by this client, with the code verifier of
        /// another one.
        func tokenRequest(for grant: CodeGrant, codeVerifierOf verifier: Side) async throws
            -> ReceivedTokenRequest
        {
            let request = try await party.tokenRequest(grant.code, started.session)
            let form = request.parameters.all.map {
                $0.name == "code_verifier"
                    ? OpenIDParameter($0.name, verifier.started.session.codeVerifier ?? "") : $0
            }
            return try await client.receiveTokenRequest(
                OpenIDParameters(form).encoded,
                authorization: request.header("Authorization"),
                at: .testNow)
        }

        func idToken(for request: ReceivedAuthorization) async throws -> String {
            try await client.tokenIssuer().idToken(for: request, user, at: .testNow)
        }

        func opened() async throws -> VerifiedIDToken {
            try await party.open(idToken(for: received), started)
        }

        func userInfo() async throws -> String {
            try await client.tokenIssuer().userInfo(subject: TestEnvironment.subject, at: .testNow)
        }
    }

    private func expectForeign(
        sourceLocation: SourceLocation = #_sourceLocation, _ body: () async throws -> Void
    ) async {
        await expectRule("another client or provider", sourceLocation: sourceLocation, body)
    }

    @Test(
        "only the client that requested a code redeems it, authenticated, at its provider",
        arguments: TestEnvironment.all)
    func redeem(_ profile: OpenIDProfile) async throws {
        let sides = try await Peers(profile)
        let all = sides.all
        for (senderIndex, sender) in all.enumerated() {
            for (ownerIndex, owner) in all.enumerated() {
                let request = try await sender.tokenRequest(for: owner.grant, codeVerifierOf: owner)
                for (redeemerIndex, redeemer) in all.enumerated() {
                    // The valid combination works once.
                    if senderIndex == ownerIndex, ownerIndex == redeemerIndex { continue }
                    await expectRejection(
                        "claim-rejected code", "\(senderIndex) \(ownerIndex) \(redeemerIndex)"
                    ) { try await redeemer.client.redeem(request, owner.grant, at: .testNow) }
                }
            }
        }
        for side in all {
            let request = try await side.tokenRequest(for: side.grant, codeVerifierOf: side)
            try await side.client.redeem(request, side.grant, at: .testNow)
            await expectRejection("replayed") {
                try await side.client.redeem(request, side.grant, at: .testNow)
            }
        }
    }

    @Test(
        "a provider issues ID Tokens, codes and responses for the client's own requests",
        arguments: TestEnvironment.all)
    func requests(_ profile: OpenIDProfile) async throws {
        let sides = try await Peers(profile)
        let all = sides.all
        for (ownerIndex, owner) in all.enumerated() {
            for (sideIndex, side) in all.enumerated() {
                let calls: [() async throws -> Void] = [
                    { _ = try await side.client.redirect(code: "c", for: owner.received) },
                    {
                        _ = try await side.client.redirect(
                            error: AuthorizationError(.accessDenied), for: owner.received)
                    }, { _ = try side.client.acr(for: owner.received) },
                    { _ = try await side.idToken(for: owner.received) },
                    { _ = try await side.client.grant(owner.received, at: .testNow) },
                ]
                for call in calls {
                    if sideIndex == ownerIndex {
                        try await call()
                    } else {
                        await expectForeign(call)
                    }
                }
            }
        }
    }

    @Test(
        "a relying party accepts only values of its own login, client and provider",
        arguments: TestEnvironment.all)
    func responses(_ profile: OpenIDProfile) async throws {
        let sides = try await Peers(profile)
        let all = sides.all
        for (ownerIndex, owner) in all.enumerated() {
            let token = try await owner.idToken(for: owner.received)
            let opened = try await owner.opened()
            let info = try await owner.userInfo()
            for (sideIndex, side) in all.enumerated() where sideIndex != ownerIndex {
                await #expect(throws: JOSEError.self, "\(sideIndex) \(ownerIndex)") {
                    _ = try await side.party.open(token, side.started)
                }
                await expectForeign { _ = try await side.party.open(token, owner.started) }
                await expectForeign {
                    _ = try await side.party.tokenRequest("c", owner.started.session)
                }
                await expectForeign { _ = try await side.party.userInfo(info, opened) }
                let back = try await owner.client.redirect(code: "c", for: owner.received).url
                await #expect(throws: JOSEError.self) {
                    _ = try await side.party.authorizationResponse(
                        query: query(back), for: side.started.session)
                }
            }
            _ = try await owner.party.userInfo(info, opened)
        }
        // The same subject at another provider is another user, also if its response has no issuer.
        let own = try await sides.first.opened()
        let fetched = try TestEnvironment.fetching(
            profile, sides.namesake.metadata, secret: ClientSecret("s"))
        await expectForeign {
            _ = try await fetched.verifyUserInfo(sides.namesake.userInfo(), for: own, at: .testNow)
        }
    }

    @Test(
        "additional ID Token claims cannot set a claim that the library checks",
        arguments: TestEnvironment.all)
    func further(_ profile: OpenIDProfile) async throws {
        let login = try await Login(TestEnvironment(profile))
        var user = login.user
        user.time = nil
        await expectRejection("misuse") {
            _ = try await login.idToken(["auth_time": 1_760_000_000], user: user)
        }
        guard profile.authorization.acr.weakestFirst.isEmpty, login.received.acrValues.isEmpty
        else { return }
        user.acr = nil
        await expectRejection("misuse") { _ = try await login.idToken(["acr": "loa"], user: user) }
        _ = try await login.idToken(["roles": ["a"]], user: user)
    }
}
