// Certificates of published keys: what a sandbox allows and production refuses.

import JOSE
import JOSEOpenID
import Testing

@Suite("Certificates in production")
struct ProductionTests {
    private let root: JWK
    private let until: NumericDate

    init() throws {
        until = try need(NumericDate(exactly: World.now.seconds + 86_400))
        root = try TestKeys.stranger.selfSignedAuthority(
            subject: CertificateSubject(commonName: "root"), from: World.now, until: until)
    }

    private func certified(_ keys: JWKSet, isIssued: Bool) throws -> JWKSet {
        let subject = CertificateSubject(commonName: "peer")
        return JWKSet(
            keys: try keys.keys.map { key in
                isIssued
                    ? try key.withCertificate(
                        issuedBy: root, subject: subject, from: World.now, until: until)
                    : try key.withSelfSignedCertificate(
                        subject: subject, from: World.now, until: until)
            })
    }

    @Test(
        "self-signed is allowed in the sandbox and refused in production, by both sides",
        arguments: [OpenIDProfile.itsme1, .itsme2], [false, true])
    func selfSigned(_ profile: OpenIDProfile, isIssued: Bool) async throws {
        let partyKeys = try certified(TestKeys.party, isIssued: isIssued)
        let providerKeys = try certified(TestKeys.provider, isIssued: isIssued)
        // The sandbox demands nothing of certificates.
        let world = try World(profile, partyKeys: partyKeys, providerKeys: providerKeys)
        let login = try await Login(world)
        let token = try await login.idToken()
        _ = try login.open(token)
        let request = try login.tokenRequest()
        _ = try await world.client.receive(request)

        let roots = try TrustStore(anchors: need(root.certificateChain))
        func read(_ keys: JWKSet) throws -> PublicJWKSet {
            try PublicJWKSet(
                json: keys.publicKeys.json(), certificates: .require(roots), at: World.now)
        }
        let party = try World.party(
            profile, world.metadata, keys: partyKeys, secret: nil, providerKeys: read(providerKeys))
        // A provider that has seen no assertion yet.
        let client = try World(profile, partyKeys: partyKeys, providerKeys: providerKeys)
            .provider.client(
                World.registration(secret: nil),
                keys: read(partyKeys))
        func idToken() throws {
            _ = try party.open(token, login.started)
        }
        func assertion() async throws {
            _ = try await client.receive(request)
        }
        guard !isIssued else {
            try idToken()
            return try await assertion()
        }
        await expectRefusal("untrusted-key") { try idToken() }
        await expectRefusal("untrusted-key") { try await assertion() }
    }
}
