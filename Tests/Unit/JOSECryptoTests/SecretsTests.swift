// What stays in memory after an operation: no content encryption key, no private number.

import Foundation
import Testing

@testable import JOSECrypto

@Suite(.serialized, .disabled(if: hasHeapOfSanitizer, "memory is searched byte by byte"))
struct SecretsTests {
    private func places(of secret: Masked, _ range: Range<Int>) throws -> Int {
        try secret.part(range).use { try Memory().places(holding: $0).count }
    }

    @Test("RFC 7516 A.1's key: neither half is in memory once a text was opened or refused")
    func contentKey() throws {
        // The published content encryption key, each byte XOR 0x5a.
        let cek = Masked(
            bytes: [
                235, 251, 174, 218, 14, 213, 187, 41, 101, 238, 89, 165, 49, 192, 142, 172, 208, 93,
                52, 1, 42, 116, 120, 51, 117, 216, 145, 116, 32, 176, 26, 166,
            ])
        let output = try vector("rfc7516-a1-rsa-oaep-a256gcm", in: "rfc7516").output
        let numbers = try RSANumbers(publishedKey("a1-rsa", in: "rfc7516"))
        let parts = try #require(output["compact"] as? String).split(separator: ".")
        let iv = try Random.bytes(16)
        let made = try cek.use {
            try ContentSeam.encrypt(.a128CBCHS256, $0, iv, [9], [1, 2, 3])
        }
        var sealed = Sealed(
            encryptedKey: try base64URL(String(parts[1])), iv: iv, ciphertext: made.ciphertext,
            tag: made.tag)
        let opener = try KeyManagementOperation(
            key: numbers.privateKey(), family: .rsaOAEP, hash: .sha1, wrapping: false)
        #expect(try opener.open(sealed, aad: [9]) == [1, 2, 3])
        #expect(try places(of: cek, 0..<16) == 0)
        #expect(try places(of: cek, 16..<32) == 0)
        sealed.tag[0] ^= 1
        #expect(throws: CryptoFault.rejected) { _ = try opener.open(sealed, aad: [9]) }
        #expect(try places(of: cek, 0..<16) == 0)
        #expect(try places(of: cek, 16..<32) == 0)
        // The search itself works: while the key is held, it is found.
        #expect(try cek.use { _ in try places(of: cek, 0..<16) } > 0)
    }

    @Test("a released key leaves none of its private numbers behind")
    func privateKey() throws {
        let exported = try NativeKey.rsaGenerate(bits: 2048).secret(.p)
        let number = Masked(bytes: exported.reversed().map { $0 ^ 0x5a })
        #expect(try places(of: number, 0..<64) == 0)
        #expect(try places(of: number, 64..<128) == 0)
    }

    /// The secret of a key that is gone when this returns, masked; forwards as a JWK has it.
    private func released(_ make: () throws -> NativeKey) throws -> [UInt8] {
        let key = try make()
        // As an import would: from bytes, with the public part computed and compared.
        if case .curve(let curve) = key.kind {
            let (x, y, d) = (key.publicX(), key.publicY(), try key.secretMember())
            _ =
                curve.isEC
                ? try NativeKey.ecPrivate(curve, x: x.span, y: y.span, d: d)
                : try NativeKey.okpPrivate(curve, x: x.span, d: d)
        }
        let exported = try key.secretMember()
        return exported.withSpan { span in span.indices.map { span[$0] ^ 0x5a } }
    }

    @Test("neither do keys on curves, whichever way libcrypto writes the number")
    func curves() throws {
        for curve in NativeCurve.curves {
            for _ in 0..<3 {
                let secret = try released { try NativeKey.generate(curve) }
                for bytes in [secret, Array(secret.reversed())] {
                    let number = Masked(bytes: bytes)
                    #expect(try places(of: number, 1..<17) == 0, "\(curve)")
                    let end = bytes.count - 1
                    #expect(try places(of: number, (end - 16)..<end) == 0, "\(curve)")
                }
            }
        }
    }

    @Test("neither do symmetric keys")
    func symmetric() throws {
        let secret = Masked(bytes: try released { try NativeKey.symmetricGenerate(bytes: 64) })
        #expect(try places(of: secret, 0..<16) == 0)
        #expect(try places(of: secret, 48..<64) == 0)
    }
}
