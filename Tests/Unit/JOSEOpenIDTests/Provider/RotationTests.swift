// The provider's keys change while it works: the same provider, the same clients, nobody refused on the way.

import JOSE
import JOSEOpenID
import Testing

@Suite("Rotation of a provider's keys")
struct RotationTests {
    private static let subject = "0123456789abcdef0123456789abcdef"

    private static func renamed(_ key: JWK, _ name: String) -> JWK {
        var key = key
        key.keyID = name
        return key
    }

    private static let newSigning = renamed(TestKeys.stranger, "op-sig-2")
    private static let newDecrypting = renamed(TestKeys.partyDecrypting2, "op-enc-2")
    private static let old = TestKeys.provider
    private static let new = JWKSet(keys: [newSigning, newDecrypting])
    private static let both = JWKSet(keys: old.keys + new.keys)
    private static let bothNewFirst = JWKSet(keys: new.keys + old.keys)

    /// A party that knows these keys of the provider.
    private func party(_ world: World, _ keys: JWKSet) throws -> RelyingParty {
        try RelyingParty(
            profile: world.profile, metadata: world.metadata, clientID: World.clientID,
            redirectURI: World.redirectURI, keys: TestKeys.party,
            secret: ClientSecret(World.secret), providerKeys: keys.publicKeys)
    }

    /// One login of the party at the client of the world, object and assertion included.
    private func login(_ world: World, _ party: RelyingParty) async throws {
        var request = world.request
        request.delivery = .byValue
        let started = try party.start(request, at: World.now)
        let verdict = try await world.client.receive(
            authorization: query(started.url), at: World.now)
        guard case .accepted(let received) = verdict else {
            if case .refused(let refused) = verdict { throw refused.cause }
            throw Login.NoCode()
        }
        let grant = try world.client.grant(received, at: World.now)
        let token = try party.tokenRequest(
            code: grant.code, for: started.remembered, at: World.now)
        let header = token.headers.first { $0.name == "Authorization" }?.value
        _ = try world.provider.unverifiedClientID(tokenRequest: token.body, authorization: header)
        let proved = try await world.client.receive(
            tokenRequest: token.body, authorization: header, at: World.now)
        try await world.client.redeem(proved, grant, at: World.now)
        let user = UserAuthentication(
            subject: RotationTests.subject, time: World.now,
            context: world.profile.authorization.context.weakestFirst.last
                ?? received.contexts.first)
        let idToken = try party.verifyIDToken(
            try await world.client.answers().idToken(for: received, user, at: World.now),
            for: started.remembered, at: World.now)
        _ = try party.verifyUserInfo(
            try await world.client.answers().userInfo(subject: user.subject, at: World.now),
            for: idToken, at: World.now)
    }

    @Test("in three steps nobody is refused; then the old keys are gone", arguments: World.all)
    func rotation(_ profile: OpenIDProfile) async throws {
        let world = try World(profile)
        let before = try party(world, RotationTests.old)
        let during = try party(world, RotationTests.both)
        let after = try party(world, RotationTests.new)
        try await login(world, before)

        try world.provider.rotate(to: RotationTests.both)
        #expect(try PublicJWKSet(json: world.provider.publishedKeys()).keys.count == 4)
        try await login(world, before)
        try await login(world, during)

        // Caches of the published keys have ended: signed by the new key, opened with either.
        try world.provider.rotate(to: RotationTests.bothNewFirst)
        try await login(world, during)
        try await login(world, after)
        await #expect(throws: JOSEError.self) { try await login(world, before) }

        try world.provider.rotate(to: RotationTests.new)
        try await login(world, after)
        await #expect(throws: JOSEError.self) { try await login(world, before) }
        #expect(
            try PublicJWKSet(json: world.provider.publishedKeys()).keys.map(\.keyID)
                == ["op-sig-2", "op-enc-2"])
    }

    @Test("a change counts for copies of the provider and for clients with fetched keys")
    func copies() async throws {
        let world = try World(.itsme2)
        let copy = world.provider
        let fetched = try copy.client(
            ClientRegistration(clientID: World.clientID, redirectURIs: [World.redirectURI]),
            source: TestKeys.party.publicKeys)
        let early = try await world.client.answers()
        try world.provider.rotate(to: RotationTests.new)
        for answers in [
            try await fetched.answers(), try await world.client.answers(),
            try copy.answers(
                for: ClientRegistration(
                    clientID: World.clientID, redirectURIs: [World.redirectURI]),
                keys: TestKeys.party.publicKeys),
        ] {
            let info = try answers.userInfo(subject: RotationTests.subject, at: World.now)
            #expect(try signer(info) == "op-sig-2")
        }
        // What was asked for before keeps what it had.
        let kept = try early.userInfo(subject: RotationTests.subject, at: World.now)
        #expect(try signer(kept) == "op-sig")
        #expect(try copy.publishedKeys() == world.provider.publishedKeys())
    }

    /// The kid of the inner signature.
    private func signer(_ token: String) throws -> String? {
        let opened = try JWEDecrypter(
            keys: TestKeys.party, algorithms: [.rsaOAEP256, .rsaOAEP], content: [.a128CBCHS256]
        ).decrypt(token).unauthenticatedPlaintext
        let header = String(decoding: opened.prefix { $0 != UInt8(ascii: ".") }, as: UTF8.self)
        let text = String(decoding: try need(Base64URLText.decode(header[...])), as: UTF8.self)
        return ["op-sig-2", "op-sig"].first { text.contains("\"\($0)\"") }
    }

    @Test("keys that cannot sign are refused, and the old ones stay") func refused() async throws {
        let world = try World(.itsme2)
        for keys in [
            JWKSet(keys: []), JWKSet(keys: [RotationTests.newDecrypting]),
            JWKSet(keys: [RotationTests.newSigning.publicKey]),
        ] {
            await expectRefusal("key-not-found") { try world.provider.rotate(to: keys) }
        }
        try await login(world, try party(world, RotationTests.old))
    }

    @Test("rotation beside logins on many threads: each is answered by the old or the new keys")
    func concurrent() async throws {
        let world = try World(.openID)
        let known = try party(world, RotationTests.both)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<24 {
                group.addTask {
                    if index % 3 == 0 {
                        try world.provider.rotate(
                            to: index % 2 == 0 ? RotationTests.both : RotationTests.bothNewFirst)
                    } else {
                        try await login(world, known)
                    }
                }
            }
            try await group.waitForAll()
        }
    }
}
