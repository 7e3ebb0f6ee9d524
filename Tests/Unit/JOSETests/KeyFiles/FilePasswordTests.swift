// Passwords of key files: an unsuitable one writes no file, and strings are their UTF-8 bytes,
// without normalisation.

import JOSE
import Testing

@Suite("Passwords of key files")
struct FilePasswordTests {
    @Test(
        "RFC 8018, 6.2 and RFC 7292: empty, too long and NUL passwords are misuse",
        arguments: [
            [], [0], Array("a\0b".utf8), [0x61, 0], [0, 0x61],
            [UInt8](repeating: 0x61, count: 1_025),
        ] as [[UInt8]])
    func rejected(_ password: [UInt8]) throws {
        let key = try JWK.generate(.curve(.ed25519))
        for encoding in [JWK.FileEncoding.der, .pem] {
            expectRejection("misuse") {
                _ = try key.withPrivateKeyFile(encoding, password: password) { $0.count }
            }
        }
        expectRejection("misuse") { _ = try key.pkcs12File(password: password) }
    }

    @Test("Passwords of 1 and of 1,024 bytes are valid")
    func accepted() throws {
        let key = try JWK.generate(.curve(.ed25519))
        for password in [[0x61], [UInt8](repeating: 0x61, count: 1_024)] as [[UInt8]] {
            let files = [
                try key.privateKeyFile(password: password),
                try key.pkcs12File(password: password),
            ]
            for file in files {
                #expect(try KeyFileContents(file, password: password).keys.count == 1)
                expectRejection("decryption-failed") {
                    _ = try KeyFileContents(file, password: [0x62])
                }
            }
        }
    }

    @Test("a password over 1,024 bytes is reported instead of the PKCS#12 file")
    func long() throws {
        let key = try JWK.generate(.curve(.ed25519))
        let right: [UInt8] = [0x61]
        let file = try key.pkcs12File(password: right)
        for count in [1_025, 100_000] {
            let long = [UInt8](repeating: 0x61, count: count)
            expectRejection("limit-exceeded", says: "password") {
                _ = try KeyFileContents(file, password: long)
            }
            // For an encrypted PKCS#8 key it is only a wrong password: PBKDF2 accepts any length.
            let sealed = try key.privateKeyFile(password: right)
            expectRejection("decryption-failed") { _ = try KeyFileContents(sealed, password: long) }
        }
    }

    // MARK: strings

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
