// `explain` of compact tokens, signed and encrypted, outside a JWT.

import JOSE
import Testing

@Suite("Why a compact token is accepted or rejected")
struct CompactExplanationTests {
    private func verifier(_ key: JWK) throws -> JWSVerifier {
        try JWSVerifier(key: key.publicKey, algorithms: [.es256])
    }

    @Test("an accepted signed token has the steps and no error") func accepted() throws {
        let key = try JWK.generate(.curve(.p256), algorithm: .es256)
        let explanation = try verifier(key).explain(
            JWSSigner(key: key, algorithm: .es256).sign("secret"))
        #expect(explanation.error == nil && explanation.advice == nil)
        #expect(explanation.lines.last?.text == "the payload has 6 bytes: accepted")
        #expect(explanation.form.contains("a signed token"))
        #expect(!explanation.description.contains("secret"))
    }

    @Test("a rejected signed token has the error that verify throws") func rejected() throws {
        let key = try JWK.generate(.curve(.p256), keyID: "a", algorithm: .es256)
        let other = try JWK.generate(.curve(.p256), keyID: "a", algorithm: .es256)
        let named = try JWK.generate(.curve(.p256), keyID: "b", algorithm: .es256)
        let good = try JWSSigner(key: key, algorithm: .es256).sign("x")
        let parts = TestToken.parts(good)
        let tokens = [
            "", "x", "a.b.c", good + ".", String(good.dropLast()), good + "=",
            "\(parts[0])..\(parts[2])", "\(parts[0]).\(parts[1]).",
            try JWSSigner(key: other, algorithm: .es256).sign("x"),
            try JWSSigner(key: named, algorithm: .es256).sign("x"),
            try JWSSigner(key: JWK.generate(.curve(.p384)), algorithm: .es384).sign("x"),
        ]
        let verifier = try verifier(key)
        for token in tokens {
            var thrown: JOSEError?
            do { _ = try verifier.verify(token) } catch { thrown = error }
            let explanation = verifier.explain(token)
            #expect(thrown != nil && explanation.error == thrown, "\(token)")
            #expect(explanation.lines.last?.outcome == .rejected)
        }
    }

    @Test("an encrypted token shows nothing of its plaintext") func decrypted() throws {
        let key = try JWK.generate(.symmetric(bits: 256), algorithm: .a256GCM)
        let token = try JWEEncrypter.with(key, .direct, .a256GCM)
            .encrypt("secret")
        let explanation = try JWEDecrypter.with(key, .direct, .a256GCM)
            .explain(token)
        #expect(explanation.error == nil)
        #expect(explanation.lines.last?.text == "decrypted and authenticated")
        #expect(!explanation.description.contains("secret"))
    }

    @Test("every failure between encrypted key and tag reads the same (RFC 7516, 11.5)")
    func oneFailure() throws {
        let key = try JWK.generate(.rsa)
        let token = try JWEEncrypter.with(
            key.publicKey, .rsaOAEP256, .a128CBCHS256
        ).encrypt("secret")
        let decrypter = try JWEDecrypter.with(key, .rsaOAEP256, .a128CBCHS256)
        var accounts: Set<String> = []
        for index in 1...4 {
            let part = TestToken.parts(token)[index]
            let first = part.hasPrefix("A") ? "B" : "A"
            let wrong = TestToken.replacing(
                index, of: token, by: first + String(part.dropFirst()))
            let explanation = decrypter.explain(wrong)
            #expect(explanation.error?.code == .decryptionFailed, "\(index)")
            accounts.insert(explanation.description)
        }
        #expect(accounts.count == 1, "\(accounts)")
        for (text, code) in [
            ("a.b.c", JOSEError.Code.malformed), (token + "=", .malformed), ("", .malformed),
        ] {
            #expect(decrypter.explain(text).error?.code == code, "\(text)")
        }
    }

    @Test("a JWE in JSON is read the same from bytes and from a string") func jsonBytes() throws {
        let key = try JWK.generate(.symmetric(bits: 128), algorithm: .a128KW)
        let json = try JWEJSONEncrypter(
            recipients: [JWERecipient(key: key, algorithm: .a128KW)], content: .a128GCM
        ).encrypt([1, 2])
        let decrypter = try JWEDecrypter.with(key, .a128KW, .a128GCM)
        #expect(try decrypter.decryptJSON(Array(json.utf8)).unauthenticatedPlaintext == [1, 2])
        expectRejection("malformed") { _ = try decrypter.decryptJSON([]) }
        expectRejection("malformed") { _ = try decrypter.decryptJSON(Array(json.utf8.dropLast())) }
        expectRejection("malformed") { _ = try decrypter.decryptJSON([0xff] + Array(json.utf8)) }
    }
}
