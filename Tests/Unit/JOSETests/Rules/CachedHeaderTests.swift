// Cached headers of encrypted tokens that are used again with another rule.

import JOSE
import Testing

@Suite("Cached headers with other rules")
struct CachedHeaderTests {
    /// A rule that all verifiers of a test share, and a factory of tokens with one header, which
    /// becomes cached.
    private struct HeaderFactory {
        let rule: EncryptionRule
        let make: (String) throws -> String

        /// The header stays the same.
        static func fixed() -> HeaderFactory {
            HeaderFactory(
                rule: .rsa(TestKeys.bare(TestKeys.decrypting))
            ) { text in
                try TestToken.encrypted(#"{"alg":"RSA-OAEP","enc":"A128CBC-HS256"}"#, text)
            }
        }

        func verifier(_ signature: SignatureRule = .insecureNotSigned) throws -> JWTVerifier {
            try JWTVerifier.checking(.any, rule, signature: signature)
        }
    }

    @Test("RFC 7519 5.2: a header without cty has no nested token, cached or not")
    func nested() throws {
        let signature = SignatureRule.rs256(TestKeys.bare(try TestKeys.signing.publicKey))
        let signed = try TestToken.signed(#"{"alg":"RS256"}"#, #"{"sub":"s"}"#)
        let factory = HeaderFactory.fixed()
        let plain = try factory.verifier()
        let nested = try factory.verifier(signature)
        for _ in 0..<2 {
            for round in 0..<3 {
                let verified = try plain.verify(factory.make("{\"sub\":\"\(round)\"}"))
                #expect(verified.subject == "\(round)")
            }
            let token = try factory.make(signed)
            let error = expectRejection("malformed") { _ = try nested.verify(token) }
            #expect(error?.step == .header)
        }
    }

    @Test(
        "RFC 7516 7.1: a dot in the ciphertext makes six parts, with a cached header or not"
    )
    func dots() throws {
        // Before and within the last bytes, in which the last dot is searched.
        for size in [0, 100, 5_000] {
            let text = #"{"sub":"s","filling":"\#(String(repeating: "f", count: size))"}"#
            let factory = HeaderFactory.fixed()
            let token = try factory.make(text)
            let parts = token.split(separator: ".", omittingEmptySubsequences: false)
            let (before, length) = (
                parts[0..<3].joined(separator: ".").utf8.count + 1, parts[3].utf8.count
            )
            for knows in [false, true] {
                for index in [0, length / 2, length] {
                    let verifier = try factory.verifier()
                    // The third of a kind is cached.
                    for _ in 0..<(knows ? 3 : 0) { _ = try verifier.verify(factory.make(text)) }
                    var bytes = Array(token.utf8)
                    bytes.insert(UInt8(ascii: "."), at: before + index)
                    let longer = String(decoding: bytes, as: UTF8.self)
                    bytes.remove(at: before + index)
                    bytes[before + min(index, length - 1)] = UInt8(ascii: ".")
                    for wrong in [longer, String(decoding: bytes, as: UTF8.self)] {
                        let error = expectRejection("malformed") {
                            _ = try verifier.verify(wrong)
                        }
                        #expect(error?.step == .token)
                    }
                    #expect(try verifier.verify(token).subject == "s")
                }
            }
        }
    }
}
