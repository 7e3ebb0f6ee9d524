// The block that an RSA signature decrypts to, for explanations (RFC 8017, section 5.2.2).

import JOSECrypto
import Testing

@Suite("Decrypted RSA signatures")
struct SignatureOpeningTests {
    private let message = Array("text".utf8)

    private func signature(_ family: SignatureFamily) throws -> [UInt8] {
        try SignatureOperation(
            key: .published(), family: family, hash: .sha256, signing: true
        ).sign(message)
    }

    @Test("a PKCS#1 v1.5 signature opens to its padded digest, with a public or private key")
    func pkcs1() throws {
        let signature = try signature(.rsaPKCS1)
        let key = try NativeKey.published()
        let block = try key.opened(rsaSignature: signature.span)
        let digest = try Hash.digest(.sha256, message.span)
        #expect(block.count == 256)
        #expect(block.prefix(3) == [0, 1, 0xff])
        #expect(block.suffix(32) == digest[...])
        let modulus = key.publicModulus()
        let exponent = key.publicExponent()
        let other = try NativeKey.rsaPublic(
            modulus: modulus.span, exponent: exponent.span)
        #expect(try other.opened(rsaSignature: signature.span) == block)
    }

    @Test("a PSS signature opens to a block with the PSS trailer") func pss() throws {
        let signature = try signature(.rsaPSS)
        let block = try NativeKey.published().opened(rsaSignature: signature.span)
        #expect(block.last == 0xbc)
    }

    @Test("a signature of a wrong size, or not below the modulus, is rejected") func rejected()
        throws
    {
        let key = try NativeKey.published()
        let modulus = key.publicModulus()
        var above = modulus
        above[0] = 0xff
        let wrong: [[UInt8]] = [
            [], [1], Array(modulus.dropLast()), modulus + [0], modulus, above,
            [UInt8](repeating: 0xff, count: 256), [UInt8](repeating: 0, count: 512),
        ]
        for signature in wrong {
            #expect(throws: CryptoError.rejected) {
                _ = try key.opened(rsaSignature: signature.span)
            }
        }
    }

    @Test("keys of other types are rejected") func otherKeys() throws {
        let bytes = [UInt8](repeating: 1, count: 256)
        for key in [
            try NativeKey.symmetricGenerate(bytes: 32), try NativeKey.generate(.p256),
            try NativeKey.generate(.ed25519),
        ] {
            #expect(throws: CryptoError.unusableKey) {
                _ = try key.opened(rsaSignature: bytes.span)
            }
        }
    }

    @Test("numbers that are not signatures open without an error") func numbers() throws {
        let key = try NativeKey.published()
        for last in [0, 1, 2] as [UInt8] {
            let small = [UInt8](repeating: 0, count: 255) + [last]
            let block = try key.opened(rsaSignature: small.span)
            #expect(block.count == 256)
            if last < 2 { #expect(block == small) }
        }
    }
}
