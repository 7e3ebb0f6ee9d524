// Limits that no caller sets: input that would cost more than its size is rejected
// (docs/security/work-bounds.md).

import JOSE
import Testing

@Suite("Fixed limits")
struct BoundTests {
    private func verdict(_ header: String, _ claims: String = "{}") throws -> String {
        let verifier = try JWTVerifier.checking(
            .any, signature: .rs256(TestKeys.bare(TestKeys.signing.publicKey)))
        let token = try TestToken.signed(header, claims)
        return try Rejection.verdict { _ = try verifier.verify(token) }
    }

    @Test("JSON of short values only: 20 KB are read, 40 KB are rejected") func dense()
        throws
    {
        func claims(_ count: Int) -> String {
            "{\"x\":[" + Array(repeating: "1", count: count).joined(separator: ",") + "]}"
        }
        // Each value takes 16 bytes of memory for two bytes of text.
        #expect(try verdict(#"{"alg":"RS256"}"#, claims(3_500)) == "accepted")
        #expect(try verdict(#"{"alg":"RS256"}"#, claims(20_000)) == "limit-exceeded")
        let set = #"{"keys":[],"x":"# + claims(20_000) + "}"
        #expect(try Rejection.verdict { _ = try PublicJWKSet(json: set) } == "limit-exceeded")
        // The same size with ordinary values is accepted.
        let ordinary = (0..<1_500).map { #""name\#($0)":"a value of some length""# }
        #expect(
            try verdict(#"{"alg":"RS256"}"#, "{\(ordinary.joined(separator: ","))}") == "accepted")
    }

    @Test("crit has at most 16 names") func critical() throws {
        for (count, wanted) in [(16, "unsupported"), (17, "limit-exceeded")] {
            let members = (0..<count).map { "\"x\($0)\":0" }.joined(separator: ",")
            let names = (0..<count).map { "\"x\($0)\"" }.joined(separator: ",")
            #expect(
                try verdict("{\"alg\":\"RS256\",\(members),\"crit\":[\(names)]}") == wanted,
                "\(count) names")
        }
    }

    @Test("key_ops has at most 32 entries") func operations() throws {
        for (count, wanted) in [(32, "accepted"), (33, "limit-exceeded")] {
            let words = (0..<count).map { "\"x\($0)\"" }.joined(separator: ",")
            let key = try KeyText.publicKey("\"key_ops\":[\(words)]")
            #expect(try Rejection.verdict { _ = try JWK(json: key) } == wanted)
            let skipped = try PublicJWKSet(json: KeyText.set([key])).skipped
            #expect(skipped.map(\.member) == (count == 32 ? [] : ["key_ops"]))
        }
    }

    @Test("a certificate with hundreds of extensions is rejected before libcrypto parses it")
    func certificate() throws {
        let root = try TestAuthority(TestKeys.signing)
        let store = try TrustStore(anchors: [root.certificate])
        let now = try TestChains.date(TestChains.now)
        for (count, isRejected) in [(10, false), (400, true)] {
            let leaf = try root.leaf(TestKeys.decrypting) { draft in
                for number in 0..<count {
                    let name = [0x06, 0x04, 0x2a, 0x03, UInt8(number / 100), UInt8(number % 100)]
                    draft.extensions.append(
                        TestCertificate.Extension(der: TestDER.sequence(name + [0x04, 0x01, 0x00])))
                }
            }
            let verdict = try Rejection.verdict {
                _ = try store.report([leaf], purpose: .signature, at: now)
            }
            #expect(verdict == (isRejected ? "limit-exceeded" : "accepted"))
        }
    }
}
