import Foundation
import JOSE
import Testing

@_spi(Bench) @testable import JOSEBenchmark

@Suite("OpenSSL baselines of tokens")
struct BaselineTests {
    /// Three iterations of a prepared baseline.
    private func run(_ scenario: Scenario) throws { try scenario.prepare()(3, 0) }

    private static let rows: [(SignatureAlgorithm, JWK)] = {
        let made: [(SignatureAlgorithm, () throws -> JWK)] = [
            (.rs256, { try JWK.generate(.rsa) }),
            (.es256, { try JWK.generate(.curve(.p256)) }),
            (.es512, { try JWK.generate(.curve(.p521)) }),
            (.edDSA, { try JWK.generate(.curve(.ed25519)) }),
            (.hs256, { try JWK(symmetricKey: [UInt8](repeating: 7, count: 32)) }),
            (.hs512, { try JWK(symmetricKey: [UInt8](repeating: 7, count: 300)) }),
        ]
        return made.compactMap { row, key in (try? key()).map { (row, $0) } }
    }()

    @Test("baselines verify and sign the library's tokens, for entries of every kind")
    func signatures() throws {
        #expect(Self.rows.count == 6)
        for (row, key) in Self.rows {
            let token = try JWSSigner(key: key, algorithm: row).sign("an order")
            let reader = try row.keyTypes.contains(.oct) ? key : key.publicKey
            try run(.baseline("a-baseline", verifying: token, with: reader))
            try run(.baseline("a-baseline", signing: token, with: key))
            // The key of the wrong side, and a signature of another input.
            if reader.isPrivate == false, !row.keyTypes.contains(.oct) {
                #expect(
                    failure { try run(.baseline("a-baseline", signing: token, with: reader)) }
                        != nil)
            }
            let other = try JWSSigner(key: key, algorithm: row).sign("another")
            let mixed =
                token.prefix(through: token.lastIndex(of: ".") ?? token.startIndex)
                + other.suffix(from: other.lastIndex(of: ".") ?? other.startIndex).dropFirst()
            #expect(
                failure { try run(.baseline("a-baseline", verifying: String(mixed), with: reader)) }
                    == "libcrypto does not verify the token with this key")
        }
    }

    @Test("a key of another entry makes no baseline")
    func others() throws {
        let keys = [
            "RS256": try JWK.generate(.rsa), "ES256": try JWK.generate(.curve(.p256)),
            "ES384": try JWK.generate(.curve(.p384)), "ES512": try JWK.generate(.curve(.p521)),
            "EdDSA": try JWK.generate(.curve(.ed25519)), "Ed448": try JWK.generate(.curve(.ed448)),
            "X25519": try JWK.generate(.curve(.x25519)),
        ]
        for name in ["RS256", "ES256", "ES384", "ES512", "ES256K", "EdDSA", "Ed448", "ML-DSA-44"] {
            let header = Data(#"{"alg":"\#(name)"}"#.utf8).base64EncodedString()
                .replacing("=", with: "").replacing("+", with: "-").replacing("/", with: "_")
            for (own, key) in keys {
                let token = header + ".e30."
                let why = failure { try run(.baseline("a-baseline", signing: token, with: key)) }
                #expect(
                    why == (name == own ? nil : "no baseline for \(name) with this key"), "\(own)")
            }
        }
    }

    @Test("baselines decrypt and encrypt the library's tokens") func encryption() throws {
        let key = try JWK.generate(.rsa)
        for row in [KeyManagementAlgorithm.rsaOAEP, .rsaOAEP256] {
            for count in [0, 1, 16, 600] {
                let token = try JWEEncrypter(
                    key: key.publicKey, algorithm: row, content: .a128CBCHS256
                ).encrypt([UInt8](repeating: 1, count: count))
                try run(.baseline("a-baseline", decrypting: token, with: key))
                try run(.baseline("a-baseline", encrypting: token, with: key.publicKey))
                #expect(
                    failure {
                        try run(.baseline("a-baseline", decrypting: token, with: key.publicKey))
                    }
                        != nil)
            }
        }
        let stranger = try JWK.generate(.rsa)
        let token = try JWEEncrypter(
            key: key.publicKey, algorithm: .rsaOAEP256, content: .a128CBCHS256
        ).encrypt("x")
        #expect(
            failure { try run(.baseline("a-baseline", decrypting: token, with: stranger)) } != nil)
        let other = try JWEEncrypter(
            key: key.publicKey, algorithm: .rsaOAEP256, content: .a256GCM
        ).encrypt("x")
        #expect(
            failure { try run(.baseline("a-baseline", decrypting: other, with: key)) }
                == "no baseline for RSA-OAEP-256 with A256GCM: write a scenario of your own")
    }

    @Test("malformed tokens, another key and another name are rejected")
    func rejected() throws {
        let key = try JWK.generate(.curve(.p256))
        let token = try JWSSigner(key: key, algorithm: .es256).sign("x")
        for text in ["", "a", "a.b", "..", "!.!.!", token + ".", "e30.e30.e30", token + "A"] {
            #expect(
                failure { try run(.baseline("a-baseline", verifying: text, with: key)) } != nil,
                "\(text)"
            )
            #expect(
                failure { try run(.baseline("a-baseline", decrypting: text, with: key)) } != nil)
        }
        let rsa = try JWK.generate(.rsa)
        #expect(
            failure { try run(.baseline("a-baseline", verifying: token, with: rsa)) }
                == "no baseline for ES256 with this key")
        #expect(
            failure { try run(.baseline("orders/read", verifying: token, with: key)) }
                == "the name of a baseline ends in `baseline`")
    }
}
