// Passwords as strings are their UTF-8 bytes, without normalisation.

import JOSE
import Testing

@Suite("Passwords as strings")
struct TextPasswordTests {
    /// Canonically equivalent strings with different bytes.
    private static let composed = "p\u{e9}ter \u{1f511}"
    private static let decomposed = "pe\u{301}ter \u{1f511}"

    private func expectOnly(_ password: String, opens file: [UInt8], _ key: JWK) throws {
        let read = try KeyFileContents(file, password: password).key()
        #expect(try read.thumbprint() == key.thumbprint() && read.isPrivate)
        #expect(try KeyFileContents(file, password: Array(password.utf8)).keys.count == 1)
        for other in [Self.decomposed, ""] {
            expectRejection("decryption-failed") {
                _ = try KeyFileContents(file, password: other)
            }
        }
    }

    @Test(
        "PKCS#8 (RFC 8018, 5): the bytes are used unchanged",
        arguments: [JWK.FileEncoding.der, .pem])
    func privateKey(_ encoding: JWK.FileEncoding) throws {
        let key = try JWK.generate(.curve(.p256))
        let file = try key.withPrivateKeyFile(encoding, password: Self.composed) { bytes in
            bytes.indices.map { bytes[$0] }
        }
        try expectOnly(Self.composed, opens: file, key)
    }

    @Test("PKCS#12 (RFC 7292, B.1): the string is not normalised") func pkcs12() throws {
        let key = try JWK.generate(.curve(.p256))
        let file = try key.pkcs12File(password: Self.composed)
        try expectOnly(Self.composed, opens: file, key)
    }

    @Test("empty passwords and those with a NUL are rejected", arguments: ["", "a\0b"])
    func unfit(_ password: String) throws {
        let key = try JWK.generate(.curve(.p256))
        expectRejection("misuse") {
            _ = try key.withPrivateKeyFile(.pem, password: password) { $0.count }
        }
        expectRejection("misuse") { _ = try key.pkcs12File(password: password) }
    }

    #if PBES2
        @Test("PBES2 (RFC 7518, 4.8.1.1): the key is the UTF-8 of the password") func token() throws
        {
            let algorithm = KeyManagementAlgorithm.pbes2HS256A128KW
            let key = try JWK(password: Self.composed, keyID: "p", algorithm: algorithm)
            #expect(key.algorithm == JOSEAlgorithm(algorithm) && key.keyID == "p")
            let token = try JWEEncrypter(
                key: key, algorithm: algorithm, content: .a128GCM, options: TestKeys.options
            ).encrypt("x")
            let bytes = try JWK(symmetricKey: Array(Self.composed.utf8))
            for reader in [key, bytes] {
                let opened = try JWEDecrypter.with(reader, algorithm, .a128GCM).decrypt(token)
                #expect(opened.unauthenticatedPlaintext == Array("x".utf8))
            }
            let other = try JWK(password: Self.decomposed, algorithm: algorithm)
            let wrong = try JWEDecrypter.with(other, algorithm, .a128GCM)
            expectRejection("decryption-failed") { _ = try wrong.decrypt(token) }
            expectRejection("key-unusable") { _ = try JWK(password: "x", algorithm: .a128KW) }
            expectRejection("key-unusable") { _ = try JWK(password: "", algorithm: algorithm) }
        }
    #endif
}
