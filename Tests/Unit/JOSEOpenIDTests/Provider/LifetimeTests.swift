// A lifetime beyond the replay store's maximum is a configuration error.

import JOSE
import JOSEOpenID
import Synchronization
import Testing

@Suite("Lifetimes and the replay store's maximum") struct LifetimeTests {
    /// Keeps entries as long as a Redis store does by default.
    private struct Store: ReplayStore {
        var maxLifetime: Duration? = .seconds(901)
        func markUsed(_ use: ReplayEntry, at now: NumericDate) async throws(ReplayStoreError) {}
    }

    private static func profile(_ change: (inout OpenIDProfile) -> Void) -> OpenIDProfile {
        var profile = OpenIDProfile.openIDWithAssertion
        profile.backchannel.maxObjectValidity = .seconds(540)
        change(&profile)
        return profile
    }

    private func provider(
        _ profile: OpenIDProfile, hasBackchannel: Bool = true, store: any ReplayStore = Store()
    ) throws -> OpenIDProvider {
        try TestEnvironment.provider(
            profile,
            TestEnvironment.metadata(
                at: TestEnvironment.issuer, profile, push: TestEnvironment.issuer + "/p",
                backchannel: hasBackchannel ? BackchannelEnvironment.endpoint : nil),
            replays: store, pushed: MemoryPushedRequestStore())
    }

    @Test(
        "a lifetime equal to the store's maximum is valid, a longer one names the member",
        arguments: [
            ("backchannel.lifetime", 900), ("backchannel.maxObjectValidity", 540),
            ("client.codeLifetime", 900), ("pushedRequests.lifetime", 840),
        ])
    func bounds(_ name: String, _ most: Int) async throws {
        func set(_ seconds: Int) -> OpenIDProfile {
            LifetimeTests.profile {
                switch name {
                case "backchannel.lifetime": $0.backchannel.lifetime = .seconds(seconds)
                case "backchannel.maxObjectValidity":
                    $0.backchannel.maxObjectValidity = .seconds(seconds)
                case "client.codeLifetime": $0.client.codeLifetime = .seconds(seconds)
                default: $0.pushedRequests.decisionTime = .seconds(seconds)
                }
            }
        }
        _ = try provider(set(most))
        await expectRule(name) { _ = try provider(set(most + 1)) }
        // A client's own rules are checked when the client is created.
        var registration = TestEnvironment.registration(secret: nil)
        registration.profile = set(most + 1)
        let usual = try provider(LifetimeTests.profile { _ in })
        await expectRule(name) { _ = try usual.client(registration) }
        // A store without a maximum accepts any lifetime.
        _ = try provider(set(most + 1), store: MemoryReplayStore())
        _ = try provider(set(most + 1), store: Store(maxLifetime: .seconds(902)))
    }

    @Test("the store must outlive an assertion plus all verifiers' leeway and a second")
    func assertions() async throws {
        let profile = LifetimeTests.profile { $0.backchannel.maxObjectValidity = .seconds(1) }
        let short = Store(maxLifetime: .seconds(900))
        await expectRule("client.maxAssertionValidity") {
            _ = try provider(profile, store: short)
        }
        var basic = profile
        basic.client.authentication = .basic
        _ = try provider(basic, store: short)
    }

    @Test("the store must outlive a proof's age plus leeway on both sides and a second")
    func proofs() async throws {
        var rules = DPoPRules()
        rules.maxAge = .seconds(100)
        rules.leeway = .seconds(20)
        let (long, short) = (
            Store(maxLifetime: .seconds(141)), Store(maxLifetime: .seconds(140))
        )
        _ = try DPoPVerifier(server: "s", replays: long, rules: rules)
        await expectRule("maxAge") {
            _ = try DPoPVerifier(server: "s", replays: short, rules: rules)
        }
        let profile = LifetimeTests.profile {
            $0.accessToken.proofs = .accepted
            $0.accessToken.dpop = rules
        }
        func provider(_ proofs: Store) throws -> OpenIDProvider {
            try TestEnvironment.provider(
                profile, TestEnvironment.metadata(profile), replays: Store(), proofs: proofs)
        }
        _ = try provider(long)
        await expectRule("maxAge") { _ = try provider(short) }
        // The longest possible entry is claimed within it.
        let prover = try DPoPProver.fresh()
        let url = "https://api.example/"
        let ahead = TestEnvironment.at(20)
        let store = Measuring()
        _ = try await DPoPVerifier(server: "s", replays: store, rules: rules).verify(
            ResourceRequest(
                method: "GET", url: url, authorization: "DPoP t",
                proofs: [prover.proof(method: "GET", url: url, accessToken: "t", at: ahead)]),
            boundTo: TokenBinding(keyThumbprint: prover.keyThumbprint), owner: "o", at: .testNow)
        #expect(store.longest.withLock { $0 } == .seconds(141))
    }

    private final class Measuring: ReplayStore {
        let longest = Mutex(Duration.zero)
        func markUsed(_ use: ReplayEntry, at now: NumericDate) async throws(ReplayStoreError) {
            let life = use.expires.duration(since: now)
            longest.withLock { $0 = max($0, life) }
        }
    }

    @Test("the store must outlive a logout token's ten minutes plus all leeways and a second")
    func logout() async throws {
        var profile = OpenIDProfile.openID
        let env = try TestEnvironment(profile)
        let form =
            "logout_token="
            + (try await env.client.tokenIssuer().logoutToken(
                subject: "user-1", at: TestEnvironment.at(1)))
        // As a Redis store does by default, for any leeway.
        _ = try await env.party.verifyLogout(form: form, once: Store(), at: .testNow)
        await expectRule("logout.maxValidity") {
            _ = try await env.party.verifyLogout(
                form: form, once: Store(maxLifetime: .seconds(900)), at: .testNow)
        }
        profile.logout.maxValidity = .seconds(120)
        let short = try TestEnvironment(profile)
        let party = try TestEnvironment.fetching(profile, short.metadata)
        let now = TestEnvironment.at(1)
        _ = try await party.verifyLogout(
            form: form, once: Store(maxLifetime: .seconds(421)), at: now)
        await expectRule("logout.maxValidity") {
            _ = try await party.verifyLogout(
                form: form, once: Store(maxLifetime: .seconds(420)), at: now)
        }
    }

    @Test("a lifetime of an unused feature is not checked") func unused() async throws {
        let profile = LifetimeTests.profile { $0.backchannel.maxObjectValidity = .seconds(3_600) }
        _ = try provider(profile, hasBackchannel: false)
        await expectRule("maxObjectValidity") { _ = try provider(profile) }
        _ = try provider(profile, store: Store(maxLifetime: .seconds(3_961)))
        await expectRule("maxObjectValidity") {
            _ = try provider(profile, store: Store(maxLifetime: .seconds(3_960)))
        }
    }
}
