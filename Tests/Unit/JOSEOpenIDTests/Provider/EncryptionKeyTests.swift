// Which key of the other side we encrypt for, and why there is none.

import JOSE
import JOSEOpenID
import Testing

@Suite("The other side's encryption key")
struct EncryptionKeyTests {
    private func date(_ seconds: Int64) -> NumericDate { World.now.advanced(by: .seconds(seconds)) }

    private func refusal(
        _ keys: PublicJWKSet, offered: [KeyManagementAlgorithm]? = nil
    ) async throws -> JOSEError {
        var profile = OpenIDProfile.itsme2
        profile.algorithms.keyManagement = [.rsaOAEP]
        let world = try World(profile)
        let login = try await Login(world)
        var registration = World.registration(secret: nil)
        registration.keyManagement = offered
        do {
            _ = try world.provider.answers(for: registration, keys: keys)
                .idToken(for: login.received, login.user, at: World.now)
        } catch {
            return error
        }
        throw Login.NoCode()
    }

    @Test("a certificate that leads to another root is told as that")
    func untrusted() async throws {
        let subject = CertificateSubject(commonName: "root")
        let root = try TestKeys.stranger.selfSignedAuthority(
            subject: subject, from: date(-100), until: date(1_000))
        let wrong = try TestKeys.providerSigning.selfSignedAuthority(
            subject: subject, from: date(-100), until: date(1_000))
        let keys = JWKSet(
            keys: try TestKeys.party.keys.map {
                try $0.withCertificate(
                    issuedBy: root, subject: CertificateSubject(commonName: "rp"), from: date(-100),
                    until: date(1_000))
            })
        func read(_ root: JWK) throws -> PublicJWKSet {
            try PublicJWKSet(
                json: keys.publicKeys.json(),
                certificates: .require(TrustStore(anchors: need(root.certificateChain))),
                at: World.now)
        }
        let set = try read(wrong)
        let error = try await refusal(set)
        #expect(error.code == .untrustedKey)
        #expect(set.skipped.contains { $0.reason == error.message }, "\(error)")
    }

    @Test("a set without a key for the profile says what is wrong with it")
    func missing() async throws {
        var other = TestKeys.partyDecrypting
        other.algorithm = .rsaOAEP256
        for (keys, offered, part) in [
            ([TestKeys.partySigning], nil, "none of its keys is for encryption"),
            ([], nil, "its set has no key that can be used"),
            ([TestKeys.partySigning, other], nil, "are for other algorithms than the profile's"),
            (
                [TestKeys.partyDecrypting], [.rsaOAEP256],
                "takes none of the profile's algorithms for keys"
            ),
        ] as [([JWK], [KeyManagementAlgorithm]?, String)] {
            let error = try await refusal(
                JWKSet(keys: keys).publicKeys, offered: offered)
            #expect(error.code == .keyNotFound)
            #expect(error.message.contains(part), "\(error.message)")
        }
    }
}
