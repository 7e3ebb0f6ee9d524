// zip in nested tokens: only if the verifier's rule allows it, and never beyond the limit.

import JOSE
import Testing

@Suite("Compressed nested tokens")
struct NestedCompressionTests {
    private let key = TestKeys.bare(TestKeys.decrypting)
    private static let now = NumericDate(exactly: 1_760_000_000)

    private func issue(
        _ claims: String, compression: CompressionAlgorithm? = .deflate
    ) throws -> String {
        let issuer = try JWTIssuer(key: TestKeys.signing, algorithm: .rs256)
        let recipient = try JWTRecipient(
            key: key.publicKey, algorithm: .rsaOAEP, content: .a128CBCHS256,
            compression: compression)
        return try issuer.issue(json: Array(claims.utf8), encryptedFor: recipient)
    }

    private func claims(padding: Int = 0) -> String {
        let pad = String(repeating: "x", count: padding)
        return #"{"iss":"i","aud":"a","exp":2000000000,"pad":"\#(pad)"}"#
    }

    private func verifier(
        _ compression: [CompressionAlgorithm], limit: Int = 250_000
    ) throws -> JWTVerifier {
        let limits = JOSELimits.with { $0.inflatedBytes = limit }
        return try JWTVerifier.checking(
            ClaimsPolicy(issuer: "i", audience: "a"),
            .required(
                key: key, algorithms: [.rsaOAEP], content: [.a128CBCHS256],
                compression: compression, limits: limits))
    }

    @Test("a compressed token is read only by a rule that allows the compression")
    func allowed() throws {
        let token = try issue(claims(padding: 20_000))
        #expect(token.utf8.count < 30_000)
        let verified = try verifier([.deflate]).verify(token, at: need(Self.now))
        #expect(verified.issuer == "i")
        let set = EncryptionRule.required(
            keys: JWKSet(keys: [TestKeys.decrypting]), algorithms: [.rsaOAEP],
            content: [.a128CBCHS256], missingKeyID: .requireUnique, compression: [.deflate])
        let bySet = try JWTVerifier.checking(ClaimsPolicy(issuer: "i", audience: "a"), set)
        #expect(try bySet.verify(token, at: need(Self.now)).issuer == "i")
        expectRejection("algorithm-not-allowed") {
            _ = try verifier([]).verify(token, at: need(Self.now))
        }
        let plain = try issue(claims(), compression: nil)
        #expect(try verifier([.deflate]).verify(plain, at: need(Self.now)).issuer == "i")
        // The limit is the rule's.
        for limit in [0, 1, 1_000, 20_000] {
            expectRejection("limit-exceeded", "\(limit)") {
                _ = try verifier([.deflate], limit: limit).verify(token, at: need(Self.now))
            }
        }
    }
}
