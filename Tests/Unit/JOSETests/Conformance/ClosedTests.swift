// A reader of one serialisation rejects tokens of another.

import JOSE
import Testing

@Suite("Rejected serialisations")
struct ClosedTests {
    @Test("RFC 7515 appendix F: a token without its payload does not verify") func detached() throws
    {
        for entry in try VectorFile.named("rfc7515.json").vectors where entry.kind == "jws-detached"
        {
            for token in tokens(entry) {
                #expect(try read(token, key(entry)) != "accepted", "\(entry.id)")
            }
        }
    }

    /// Every form of the token: compact, and JSON passed to the compact readers.
    private func tokens(_ entry: VectorCase) -> [String] {
        let json =
            ["general", "flattened"].compactMap { entry.output[$0]?.json } + [
                entry.input["json"]?.json
            ]
        let compact = [
            entry["compact"], entry.output["compact"]?.string,
            entry.output["compact_detached"]?.string,
        ]
        return (compact + json).compactMap { $0 }
    }

    /// The case's own key if some algorithm of both readers uses it.
    private func key(_ entry: VectorCase) -> JWK {
        let own = entry.key().flatMap { try? JWK(json: $0.json) }
        guard let own, own.isPrivate, takes(own.prepared.material.kind) else {
            return TestKeys.bare(TestKeys.signing)
        }
        return TestKeys.bare(own)
    }

    /// No shared secret has a size for all algorithms.
    private func takes(_ kind: KeyKind) -> Bool {
        kind != .oct && SignatureAlgorithm.all.contains { !$0.kinds.isDisjoint(with: kind) }
            && KeyManagementAlgorithm.all.contains { !$0.kinds.isDisjoint(with: kind) }
    }

    /// Passes the token to both readers. The number of parts decides which of them may accept it.
    private func read(_ token: String, _ key: JWK) throws -> String {
        let verifier = try JWSVerifier(
            key: TestKeys.otherSide(key), algorithms: SignatureAlgorithm.all)
        let decrypter = try JWEDecrypter(
            key: key, algorithms: KeyManagementAlgorithm.all,
            content: ContentEncryptionAlgorithm.all)
        let signed = try Rejection.verdict { _ = try verifier.verify(token) }
        let encrypted = try Rejection.verdict { _ = try decrypter.decrypt(token) }
        return signed == "malformed" ? encrypted : signed
    }
}
