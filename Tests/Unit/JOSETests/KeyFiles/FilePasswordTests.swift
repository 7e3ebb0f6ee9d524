// Passwords of written key files: an unsuitable one writes no file.

import JOSE
import Testing

@Suite("Passwords of written key files")
struct FilePasswordTests {
    @Test(
        "RFC 8018, 6.2 and RFC 7292: empty, too long and NUL passwords are misuse",
        arguments: [
            [], [0], Array("a\0b".utf8), [0x61, 0], [UInt8](repeating: 0x61, count: 1_025),
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

    @Test("RFC 7518, 4.8 and 6.4.1: an empty key is invalid, so PBES2 has no empty password")
    func none() throws {
        expectRejection("key-unusable") { _ = try JWK(symmetricKey: []) }
        expectRejection("malformed") { _ = try JWK(json: #"{"kty":"oct","k":""}"#) }
    }
}
