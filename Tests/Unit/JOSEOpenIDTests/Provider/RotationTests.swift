// A provider rotates its keys while it works: same provider, same clients, no rejections.

import JOSE
import JOSEOpenID
import Testing

@Suite("Provider key rotation")
struct RotationTests {
    private static let subject = "0123456789abcdef0123456789abcdef"

    private static func renamed(_ key: JWK, _ name: String) -> JWK {
        var key = key
        key.keyID = name
        return key
    }

    private static let newSigning = renamed(TestKeys.unrelated, "op-sig-2")
    private static let newDecrypting = renamed(TestKeys.partyDecrypting2, "op-enc-2")
    private static let old = TestKeys.provider
    private static let new = JWKSet(keys: [newSigning, newDecrypting])
    private static let both = JWKSet(keys: old.keys + new.keys)
    private static let bothNewFirst = JWKSet(keys: new.keys + old.keys)

    private func party(_ env: TestEnvironment, _ keys: JWKSet) throws -> RelyingParty {
        try TestEnvironment.party(env.profile, env.metadata, providerKeys: keys.publicKeys)
    }

    /// One login of the relying party at the environment's client, with object and assertion.
    private func login(_ env: TestEnvironment, _ party: RelyingParty) async throws {
        let request = env.request(byValue: true)
        let started = try await party.start(request, at: .testNow)
        let received = try await env.client.receive(started)
        let grant = try await env.client.grant(received, at: .testNow)
        let token = try await party.tokenRequest(grant.code, started.session)
        _ = try env.provider.unverifiedClientID(
            tokenRequest: token.body, authorization: token.authorization)
        let proved = try await env.client.receive(token)
        try await env.client.redeem(proved, grant, at: .testNow)
        let user = UserAuthentication(
            subject: Self.subject, time: TestEnvironment.now,
            acr: env.profile.authorization.acr.weakestFirst.last
                ?? received.acrValues.first)
        let idToken = try await party.open(
            try await env.client.tokenIssuer().idToken(for: received, user, at: .testNow), started)
        _ = try await party.userInfo(
            try await env.client.tokenIssuer().userInfo(subject: user.subject, at: .testNow),
            idToken)
    }

    @Test(
        "three steps rotate without rejections, then the old keys are removed",
        arguments: TestEnvironment.all)
    func rotation(_ profile: OpenIDProfile) async throws {
        let env = try TestEnvironment(profile)
        let before = try party(env, Self.old)
        let during = try party(env, Self.both)
        let after = try party(env, Self.new)
        try await login(env, before)

        try env.provider.rotate(to: Self.both)
        #expect(try env.provider.publishedKeys().keys().count == 4)
        try await login(env, before)
        try await login(env, during)

        // Caches of the published keys have expired: signed by the new key, decrypted with either.
        try env.provider.rotate(to: Self.bothNewFirst)
        try await login(env, during)
        try await login(env, after)
        await #expect(throws: JOSEError.self) { try await login(env, before) }

        try env.provider.rotate(to: Self.new)
        try await login(env, after)
        await #expect(throws: JOSEError.self) { try await login(env, before) }
        #expect(
            try env.provider.publishedKeys().keys().map(\.keyID)
                == ["op-sig-2", "op-enc-2"])
    }

    @Test("a rotation applies to copies of the provider and to clients with fetched keys")
    func copies() async throws {
        let env = try TestEnvironment(.itsme2)
        let copy = env.provider
        let fetched = try copy.client(TestEnvironment.registration(secret: nil))
        let early = try await env.client.tokenIssuer()
        try env.provider.rotate(to: Self.new)
        for responses in [
            try await fetched.tokenIssuer(), try await env.client.tokenIssuer(),
            try copy.tokenIssuer(
                for: TestEnvironment.registration(secret: nil),
                keys: TestKeys.party.publicKeys),
        ] {
            let info = try responses.userInfo(subject: Self.subject, at: .testNow)
            #expect(try signer(info) == "op-sig-2")
        }
        // Earlier requests keep their keys.
        let kept = try early.userInfo(subject: Self.subject, at: .testNow)
        #expect(try signer(kept) == "op-sig")
        #expect(try copy.publishedKeys().json() == env.provider.publishedKeys().json())
    }

    private func signer(_ token: String) throws -> String? {
        let opened = try JWEDecrypter(
            keys: TestKeys.party, algorithms: [.rsaOAEP256, .rsaOAEP], content: [.a128CBCHS256]
        ).decrypt(token).unauthenticatedPlaintext
        return try TokenText.header(String(decoding: opened, as: UTF8.self))["kid"] as? String
    }

    @Test("keys that cannot sign are rejected, and the old keys stay") func rejected() async throws
    {
        let env = try TestEnvironment(.itsme2)
        for keys in [
            JWKSet(keys: []), JWKSet(keys: [Self.newDecrypting]),
            JWKSet(keys: [try Self.newSigning.publicKey]),
        ] {
            await expectRejection("key-not-found") { try env.provider.rotate(to: keys) }
        }
        try await login(env, try party(env, Self.old))
    }

    /// A client with its own profile at a provider whose own profile needs only an RSA signature.
    private struct OwnRules {
        let provider: OpenIDProvider
        let registration: ClientRegistration
        let client: RegisteredClient
        let party: RelyingParty
        let full: JWKSet
        let theirs: PublicJWKSet

        init(_ change: (inout OpenIDProfile) -> Void) throws {
            var own = OpenIDProfile.openID
            own.client.authentication = .assertion(.signed)
            change(&own)
            func withElliptic(_ keys: JWKSet) throws -> JWKSet {
                JWKSet(keys: keys.keys + [try JWK.generate(.curve(.p256), use: .signature)])
            }
            full = try withElliptic(RotationTests.old)
            let ours = try withElliptic(TestKeys.party)
            theirs = try ours.publicKeys
            var plain = OpenIDProfile.openID
            plain.algorithms.signature = [.rs256]
            let metadata = try TestEnvironment.metadata(
                at: TestEnvironment.issuer, plain, clientProfiles: [own])
            provider = try OpenIDProvider(
                profile: plain, metadata: metadata, keys: full, replays: MemoryReplayStore())
            var registration = TestEnvironment.registration()
            registration.profile = own
            self.registration = registration
            client = try provider.client(registration, keys: theirs)
            party = try TestEnvironment.party(
                own, metadata, keys: ours, providerKeys: full.publicKeys)
        }
    }

    private static let ownRules: [@Sendable (inout OpenIDProfile) -> Void] = [
        { $0.algorithms.signature = [.es256] },
        { $0.client.authentication = .assertion(.signedThenEncrypted) },
        { $0.requestObject.layers = .signedThenEncrypted },
        { $0.requestObject.alsoAccepted = [.signedThenEncrypted] },
    ]

    /// Keys that suffice for the provider's own profile and for none of those.
    private static let narrow = JWKSet(keys: [newSigning])

    @Test(
        "keys unsuitable for a named client's profile are rejected",
        arguments: ownRules.indices)
    func named(_ index: Int) async throws {
        let rules = try OwnRules(Self.ownRules[index])
        await expectRejection("key-not-found") {
            try rules.provider.rotate(to: Self.narrow, for: [rules.registration])
        }
        #expect(try rules.provider.publishedKeys().keys().count == 3)
        _ = try await rules.client.tokenIssuer()
        try rules.provider.rotate(to: rules.full, for: [rules.registration])
        var foreign = rules.registration
        foreign.profile?.leeway = .seconds(301)
        await expectRejection("misuse") {
            try rules.provider.rotate(to: rules.full, for: [foreign])
        }
    }

    @Test(
        "an unnamed client is rejected as the provider's fault until keys match its profile",
        arguments: ownRules.indices)
    func unnamed(_ index: Int) async throws {
        let rules = try OwnRules(Self.ownRules[index])
        let started = try await rules.party.start(AuthorizationRequest(), at: .testNow)
        let token = try await rules.party.tokenRequest("c", started.session)
        try rules.provider.rotate(to: Self.narrow)
        // The rejection comes before the user is asked.
        let rejected = try await rules.client.browse(started).rejected()
        #expect(rejected.error.code == .serverError && rejected.cause.code == .misuse)
        await expectTokenError(.serverError, "misuse") { _ = try await rules.client.receive(token) }
        await expectRule("do not serve") { _ = try await rules.client.tokenIssuer() }
        // The client cannot be created again.
        await expectRejection("key-not-found") {
            _ = try rules.provider.client(
                rules.registration, keys: rules.theirs)
        }
        try rules.provider.rotate(to: rules.full)
        _ = try await rules.client.receive(token)
        _ = try await rules.client.tokenIssuer()
        _ = try await rules.client.browse(started).accepted()
    }

    @Test("keys that cannot decrypt are rejected for a profile with encrypted messages")
    func decryption() async throws {
        let env = try TestEnvironment(.itsme2)
        let signing = JWKSet(keys: [Self.newSigning])
        await expectRejection("key-not-found") { try env.provider.rotate(to: signing) }
        await expectRejection("key-not-found") {
            try env.provider.rotate(
                to: JWKSet(keys: [Self.newSigning, Self.newDecrypting.publicKey]))
        }
        // A provider that only responds needs none, and has no clients that send encrypted
        // messages.
        let issuing = try OpenIDProvider(
            profile: .itsme2, metadata: env.metadata, keys: signing, replays: MemoryReplayStore())
        let registration = TestEnvironment.registration(secret: nil)
        _ = try issuing.tokenIssuer(for: registration, keys: TestKeys.party.publicKeys)
        await expectRejection("key-not-found") { _ = try issuing.client(registration) }
        try issuing.rotate(to: signing)
        await expectRejection("key-not-found") {
            try issuing.rotate(to: signing, for: [registration])
        }
        try await login(env, try party(env, Self.old))
    }

    @Test("rotation during concurrent logins: each uses the old or the new keys consistently")
    func concurrent() async throws {
        let env = try TestEnvironment(.openID)
        let known = try party(env, Self.both)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<24 {
                group.addTask {
                    if index % 3 == 0 {
                        try env.provider.rotate(to: index % 2 == 0 ? Self.both : Self.bothNewFirst)
                    } else {
                        try await login(env, known)
                    }
                }
            }
            try await group.waitForAll()
        }
    }
}
