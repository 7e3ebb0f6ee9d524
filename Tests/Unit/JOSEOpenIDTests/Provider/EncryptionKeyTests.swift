// The choice of the other side's encryption key, and the error if there is none.

import JOSE
import JOSEOpenID
import Testing

@Suite("Remote encryption keys")
struct EncryptionKeyTests {
    private func rejection(
        _ keys: PublicJWKSet, offered: [KeyManagementAlgorithm]? = nil
    ) async throws -> JOSEError {
        let env = try TestEnvironment(.itsme2.with { $0.algorithms.keyManagement = [.rsaOAEP] })
        let login = try await Login(env)
        var registration = TestEnvironment.registration(secret: nil)
        registration.keyManagement = offered
        do {
            _ = try env.provider.tokenIssuer(for: registration, keys: keys).idToken(
                for: login.received, login.user, at: .testNow)
        } catch {
            return error
        }
        throw Login.NoCode()
    }

    @Test("a certificate chain to another root is reported as an untrusted key")
    func untrusted() async throws {
        let keys = try TestChain().issued(TestKeys.party)
        let set = try TestChain.read(
            keys, anchors: TestChain(TestKeys.providerSigning).anchors)
        let error = try await rejection(set)
        #expect(error.code == .untrustedKey)
        #expect(set.skipped.contains { $0.reason == error.message }, "\(error)")
    }

    @Test("a key set without a suitable key reports the reason")
    func missing() async throws {
        var other = TestKeys.partyDecrypting
        other.algorithm = .rsaOAEP256
        for (keys, offered, part) in [
            ([TestKeys.partySigning], nil, "none of its keys is for encryption"),
            ([], nil, "its set has no usable key"),
            ([TestKeys.partySigning, other], nil, "are for other algorithms than the profile's"),
            (
                [TestKeys.partyDecrypting], [.rsaOAEP256],
                "supports none of the profile's key management algorithms"
            ),
        ] as [([JWK], [KeyManagementAlgorithm]?, String)] {
            let error = try await rejection(
                JWKSet(keys: keys).publicKeys, offered: offered)
            #expect(error.code == .keyNotFound)
            #expect(error.message.contains(part), "\(error.message)")
        }
    }
}
