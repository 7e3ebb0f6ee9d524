// A key that a trust store accepted is validated again with the clock at each use.

import JOSE
import Testing

@Suite("Certificates: validity at use")
struct ChainAtUseTests {
    @Test("RFC 5280 6: a chain that expired after the key was loaded rejects the token")
    func ended() throws {
        let root = try TestAuthority(TestKeys.bare(TestKeys.decrypting))
        let bare = TestKeys.bare(TestKeys.signing)
        let now = try TestChains.date(TestChains.now)
        let key = try TestChains.key(bare, [root.leaf(bare)]).validated(
            by: TrustStore(anchors: [root.certificate]), purpose: .signature, at: now)
        let proof = try #require(key.validatedChain)
        let verifier = try JWTVerifier.checking(signature: .rs256(key))
        // {"alg":"RS256"}, {}, and an invalid signature of the right size.
        let token = "eyJhbGciOiJSUzI1NiJ9.e30." + String(repeating: "A", count: 342)
        let before = #expect(throws: JOSEError.self) { try verifier.verify(token, at: now) }
        #expect(before?.code == .signatureInvalid)
        let last = #expect(throws: JOSEError.self) {
            try verifier.verify(token, at: proof.notAfter)
        }
        #expect(last?.code == .signatureInvalid)
        let late = try NumericDate(seconds: proof.notAfter.seconds + 1)
        let after = #expect(throws: JOSEError.self) { try verifier.verify(token, at: late) }
        #expect(after?.code == .untrustedKey)
    }

    @Test("a chain that starts before 1970 is valid from its first second")
    func beforeTheEpoch() throws {
        let root = try TestAuthority(TestKeys.bare(TestKeys.decrypting)) { $0.start = -86_400 }
        let leaf = try root.leaf(TestKeys.signing) { $0.start = -86_400 }
        let now = try TestChains.date(TestChains.now)
        let key = try TestChains.key(TestKeys.bare(TestKeys.signing), [leaf])
        let proof = try key.validated(
            by: TrustStore(anchors: [root.certificate]), purpose: .signature, at: now)
        #expect(proof.validatedChain?.notBefore.seconds == 0)
    }
}
