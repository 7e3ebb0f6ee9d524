// After an operation no content encryption key and no private number remains in memory.

import Foundation
import Testing

@testable import JOSECrypto

@Suite(.serialized, .disabled(if: hasHeapOfSanitizer, "memory is searched byte by byte"))
struct SecretsTests {
    private func places(of secret: Masked, _ range: Range<Int>) throws -> Int {
        try secret.part(range).use { try Memory().places(holding: $0).count }
    }

    @Test("after decrypting or rejecting, neither half of a content key is in memory")
    func contentKey() throws {
        // A separate key for this test: others use the published ones while it runs.
        let cek = Masked(bytes: try Random.bytes(32))
        let numbers = try RSANumbers(publishedKey("a1-rsa", in: "rfc7516"))
        let sealer = try KeyManagementOperation(
            key: numbers.publicKey(), family: .rsaOAEP, hash: .sha1, wrapping: true)
        let (iv, seed) = (try Random.bytes(16), try Random.bytes(20))
        var sealed = try cek.use { key in
            let made = try ContentTestVectors.encrypt(.a128CBCHS256, key, iv, [9], [1, 2, 3])
            var wrapped = try KeyManagementTestVectors.wrap(
                sealer, content: .a128CBCHS256, cek: key.span, seed: seed.span, ephemeral: nil)
            wipe(&wrapped.cek)
            return Sealed(
                encryptedKey: wrapped.encryptedKey, iv: iv, ciphertext: made.ciphertext,
                tag: made.tag)
        }
        let opener = try KeyManagementOperation(
            key: numbers.privateKey(), family: .rsaOAEP, hash: .sha1, wrapping: false)
        #expect(try opener.open(sealed, aad: [9]) == [1, 2, 3])
        #expect(try places(of: cek, 0..<16) == 0)
        #expect(try places(of: cek, 16..<32) == 0)
        sealed.tag[0] ^= 1
        #expect(throws: CryptoError.rejected) { _ = try opener.open(sealed, aad: [9]) }
        #expect(try places(of: cek, 0..<16) == 0)
        #expect(try places(of: cek, 16..<32) == 0)
        // The search works: it finds the key while it is in use.
        #expect(try cek.use { _ in try places(of: cek, 0..<16) } > 0)
    }

    @Test("a released key leaves no private numbers in memory")
    func privateKey() throws {
        let exported = try NativeKey.rsaGenerate(bits: 2048).secret(.p)
        let number = Masked(bytes: exported.reversed().map { $0 ^ 0x5a })
        #expect(try places(of: number, 0..<64) == 0)
        #expect(try places(of: number, 64..<128) == 0)
    }

    /// The secret of a key that is released when this returns, masked, in the byte order of a JWK.
    private func released(_ make: () throws -> NativeKey) throws -> [UInt8] {
        let key = try make()
        // Like an import: from bytes, with the public part computed and compared.
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

    @Test("released elliptic curve keys leave no secret in memory, in either byte order")
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

    @Test("released symmetric keys leave no secret in memory")
    func symmetric() throws {
        let secret = Masked(bytes: try released { try NativeKey.symmetricGenerate(bytes: 64) })
        #expect(try places(of: secret, 0..<16) == 0)
        #expect(try places(of: secret, 48..<64) == 0)
    }
}
