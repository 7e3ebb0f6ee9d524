// Headers of encrypted tokens that are known from one question and come again with another one.

import JOSE
import JOSECrypto
import Testing

@Suite("Known headers, asked other questions")
struct KnownHeaderTests {
    private static let wrapping = Result {
        try JWK(symmetricKey: [UInt8](repeating: 7, count: 16))
    }

    /// A rule that all verifiers of a test share, and a maker of tokens whose header it comes to know.
    private struct Way {
        let rule: EncryptionRule
        let make: (String) throws -> String

        /// The header stays the same.
        static func fixed() -> Way {
            Way(
                rule: .required(
                    key: TestKeys.bare(TestKeys.decrypting), algorithms: [.rsaOAEP],
                    content: [.a128CBCHS256])
            ) { text in
                try TestToken.encrypted(#"{"alg":"RSA-OAEP","enc":"A128CBC-HS256"}"#, text)
            }
        }

        /// `iv` and `tag` change with each token.
        static func changing() throws -> Way {
            let key = try KnownHeaderTests.wrapping.get()
            let encrypter = try JWEEncrypter(key: key, algorithm: .a128GCMKW, content: .a128GCM)
            return Way(
                rule: .required(key: key, algorithms: [.a128GCMKW], content: [.a128GCM])
            ) { text in try encrypter.encrypt(text) }
        }

        func verifier(
            _ signature: SignatureRule = .insecureNotSigned, type: MediaTypeRule = .jwt
        ) throws -> JWTVerifier {
            var policy = ClaimsPolicy(issuer: .any, audience: .any)
            policy.requiredClaims = []
            policy.type = type
            return try JWTVerifier(policy: policy, encryption: rule, signature: signature)
        }
    }

    @Test("RFC 7519 5.2: a header without cty holds no nested token, known or not")
    func nested() throws {
        let signature = SignatureRule.required(
            key: TestKeys.bare(TestKeys.signing.publicKey), algorithms: [.rs256])
        let signed = try TestToken.signed(#"{"alg":"RS256"}"#, #"{"sub":"s"}"#)
        for way in [Way.fixed(), try Way.changing()] {
            let plain = try way.verifier()
            let nested = try way.verifier(signature)
            for _ in 0..<2 {
                for round in 0..<3 {
                    let verified = try plain.verify(way.make("{\"sub\":\"\(round)\"}"))
                    #expect(verified.subject == "\(round)")
                }
                let token = try way.make(signed)
                let error = expectRefusal("malformed") { _ = try nested.verify(token) }
                #expect(error?.step == .header)
            }
        }
    }

    @Test(
        "RFC 7516 7.1: a dot within the ciphertext makes six parts, whether the header is known or not"
    )
    func dots() throws {
        // Beyond the last bytes, among which the last dot is looked for, and within them.
        for size in [0, 100, 5_000] {
            let text = #"{"sub":"s","filling":"\#(String(repeating: "f", count: size))"}"#
            for way in [Way.fixed(), try Way.changing()] {
                let token = try way.make(text)
                let parts = token.split(separator: ".", omittingEmptySubsequences: false)
                let (before, length) = (
                    parts[0..<3].joined(separator: ".").utf8.count + 1, parts[3].utf8.count
                )
                for knows in [false, true] {
                    for place in [0, length / 2, length] {
                        let verifier = try way.verifier()
                        // The third of a kind is known.
                        for _ in 0..<(knows ? 3 : 0) { _ = try verifier.verify(way.make(text)) }
                        var bytes = Array(token.utf8)
                        bytes.insert(UInt8(ascii: "."), at: before + place)
                        let longer = String(decoding: bytes, as: UTF8.self)
                        bytes.remove(at: before + place)
                        bytes[before + min(place, length - 1)] = UInt8(ascii: ".")
                        for wrong in [longer, String(decoding: bytes, as: UTF8.self)] {
                            let error = expectRefusal("malformed") {
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

    @Test("RFC 8725 3.11: a header that another rule for typ accepted is judged by this one")
    func types() throws {
        for way in [Way.fixed(), try Way.changing()] {
            let lax = try way.verifier()
            let strict = try way.verifier(type: .exactly("at+jwt"))
            for _ in 0..<2 {
                for round in 0..<3 {
                    let verified = try lax.verify(way.make("{\"sub\":\"\(round)\"}"))
                    #expect(verified.subject == "\(round)")
                }
                let token = try way.make("{}")
                expectRefusal("claim-rejected typ") { _ = try strict.verify(token) }
            }
        }
    }

    // MARK: values in escapes

    /// The text with its first four characters in escapes: as many characters as base64url may have, too.
    private func escaped(_ text: String) -> String {
        let start = text.utf8.prefix(4).map { "\\u00" + String($0, radix: 16) }
        return start.joined() + String(text.dropFirst(4))
    }

    /// A token whose header spells `iv` and `tag` in this way.
    private func token(
        _ key: JWK, _ text: String, iv spelledIV: (String) -> String,
        tag spelledTag: (String) -> String
    ) throws -> String {
        let content = ContentAlgorithm.a128GCM
        let operation = try key.prepared.keyManagement(.a128GCMKW, wrapping: true)
        var encryptedKey = [UInt8](repeating: 0, count: operation.encryptedKeyBytes(for: content))
        var parameters = [UInt8](repeating: 0, count: operation.parameterBytes)
        var keySpan = encryptedKey.mutableSpan
        var parameterSpan = parameters.mutableSpan
        let contentKey = try operation.begin(
            content, encryptedKey: &keySpan, parameters: &parameterSpan)
        let wrappingIV = spelledIV(Independent.base64URL(parameters.prefix(12)))
        let wrappingTag = spelledTag(Independent.base64URL(parameters.dropFirst(12)))
        let header =
            #"{"alg":"A128GCMKW","enc":"A128GCM","iv":"\#(wrappingIV)","tag":"\#(wrappingTag)"}"#
        let protected = Independent.base64URL(header.utf8)
        let (plaintext, aad) = (Array(text.utf8), Array(protected.utf8))
        var iv = [UInt8](repeating: 0, count: content.ivBytes)
        var ciphertext = [UInt8](repeating: 0, count: plaintext.count)
        var tag = [UInt8](repeating: 0, count: content.tagBytes)
        var ivSpan = iv.mutableSpan
        var ciphertextSpan = ciphertext.mutableSpan
        var tagSpan = tag.mutableSpan
        try contentKey.finish(
            plaintext.span, aad: aad.span, iv: &ivSpan, ciphertext: &ciphertextSpan,
            tag: &tagSpan)
        let parts = [encryptedKey, iv, ciphertext, tag].map { Independent.base64URL($0) }
        return ([protected] + parts).joined(separator: ".")
    }

    @Test("RFC 8259 7: iv and tag in escapes are read, and longer values in their place are not")
    func escapes() throws {
        let key = try Self.wrapping.get()
        func decrypter() throws -> JWEDecrypter {
            try JWEDecrypter(key: key, algorithms: [.a128GCMKW], content: [.a128GCM])
        }
        for (inIV, inTag) in [(true, false), (false, true), (true, true)] {
            let experienced = try decrypter()
            var header = ""
            var token = ""
            for round in 0..<4 {
                token = try self.token(
                    key, "text \(round)", iv: { inIV ? escaped($0) : $0 },
                    tag: { inTag ? escaped($0) : $0 })
                let opened = try experienced.decrypt(token)
                #expect(opened.unauthenticatedPlaintext == Array("text \(round)".utf8))
                header = try opened.header.json
            }
            // A header of the same shape, where characters of base64url stand for the escapes.
            var plain = ""
            for piece in header.split(separator: "\\u00", omittingEmptySubsequences: false) {
                plain += plain.isEmpty ? String(piece) : "AAAAAA" + String(piece.dropFirst(2))
            }
            #expect(plain != header && plain.utf8.count == header.utf8.count)
            let other = TestToken.replacing(0, of: token, by: Independent.base64URL(plain.utf8))
            let fresh = try decrypter()
            expectRefusal("malformed") { _ = try fresh.decrypt(other) }
            expectRefusal("malformed") { _ = try experienced.decrypt(other) }
        }
    }
}
