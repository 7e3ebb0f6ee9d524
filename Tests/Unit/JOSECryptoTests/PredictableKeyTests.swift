// Messages whose content key is predictable: derived from an all-zero shared secret, or from a part
// of a wrapped key.

import Testing

@testable import JOSECrypto

@Suite struct PredictableKeyTests {
    /// RFC 7518 4.6.2 for A128GCM, without apu and apv.
    private func derived(_ z: [UInt8]) throws -> [UInt8] {
        let tail: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 128]
        var text: [UInt8] = [0, 0, 0, 1]
        text += z
        text += [0, 0, 0, 7]
        text += Array("A128GCM".utf8)
        text += tail
        let hash = try Hash.digest(.sha256, text)
        return Array(hash[..<16])
    }

    private func message(_ cek: [UInt8], parameters: [UInt8]) throws -> Stepped {
        let iv = [UInt8](repeating: 9, count: 12)
        let made = try ContentTestVectors.encrypt(.a128GCM, cek, iv, [4], [1, 2, 3])
        let sealed = Sealed(encryptedKey: [], iv: iv, ciphertext: made.ciphertext, tag: made.tag)
        return Stepped(sealed: sealed, parameters: parameters)
    }

    /// RFC 7748 6: the u of 0, 1, p - 1, and for X25519 those of order 8.
    private static let smallOrder: [(NativeCurve, String)] = [
        (.x25519, "0000000000000000000000000000000000000000000000000000000000000000"),
        (.x25519, "0100000000000000000000000000000000000000000000000000000000000000"),
        (.x25519, "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800"),
        (.x25519, "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157"),
        (.x25519, "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f"),
        (.x448, String(repeating: "00", count: 56)),
        (.x448, "01" + String(repeating: "00", count: 55)),
        (
            .x448,
            "fe" + String(repeating: "ff", count: 27) + "fe" + String(repeating: "ff", count: 27)
        ),
    ]

    @Test("RFC 8037 3.2.1: a key derived from an all-zero shared secret decrypts nothing")
    func zeroSecret() throws {
        for (curve, text) in Self.smallOrder {
            let point = hex(text)
            let key = try NativeKey.generate(curve)
            let method = KeyMethod(name: "", family: .ecdhES, curve: curve)
            let forged = try message(
                derived([UInt8](repeating: 0, count: curve.sizeBytes)), parameters: point)
            for options in [OperationOptions(), .openSSLOnly] {
                let opener = try method.operation(key, wrapping: false, options)
                let valid = try method.operation(key, wrapping: true, options)
                    .stepped([7], .a128GCM, aad: [4])
                // Once in a new context, once in one that was used.
                for _ in 0..<2 {
                    #expect(throws: CryptoError.rejected, "\(curve) \(point[0])") {
                        _ = try opener.open(forged, .a128GCM, aad: [4])
                    }
                    let opened = try opener.open(valid, .a128GCM, aad: [4])
                    #expect(opened == [7])
                }
            }
        }
    }

    @Test("RFC 7518 4.6.2: the forged message decrypts with the right secret")
    func ownSecret() throws {
        // With the base point, the shared secret is the recipient's own public key.
        for (curve, base) in [(.x25519, 9), (.x448, 5)] as [(NativeCurve, UInt8)] {
            let key = try NativeKey.generate(curve)
            let method = KeyMethod(name: "", family: .ecdhES, curve: curve)
            var point = [UInt8](repeating: 0, count: curve.sizeBytes)
            point[0] = base
            let made = try message(derived(key.publicX()), parameters: point)
            for options in [OperationOptions(), .openSSLOnly] {
                let opener = try method.operation(key, wrapping: false, options)
                let opened = try opener.open(made, .a128GCM, aad: [4])
                #expect(opened == [1, 2, 3])
            }
        }
    }

    @Test("RFC 7518 4.3: a part of the wrapped key is not the key")
    func partOfKey() throws {
        let key = try NativeKey.published()
        let long = (0..<64).map { UInt8(truncatingIfNeeded: $0 * 13 + 5) }
        for hash in [HashAlgorithm.sha1, .sha256] {
            let sealer = try KeyManagementOperation(
                key: key, family: .rsaOAEP, hash: hash, wrapping: true, options: [])
            let seed = [UInt8](repeating: 3, count: hash == .sha1 ? 20 : 32)
            let wrapped = try KeyManagementTestVectors.wrap(
                sealer, content: .a256CBCHS512, cek: long.span, seed: seed.span, ephemeral: nil)
            for options in [OperationOptions(), .openSSLOnly] {
                let opener = try KeyManagementOperation(
                    key: key, family: .rsaOAEP, hash: hash, wrapping: false, options: options)
                for content in ContentAlgorithm.allCases {
                    for part in [
                        Array(long.prefix(content.keyBytes)), Array(long.suffix(content.keyBytes)),
                    ] {
                        let iv = [UInt8](repeating: 9, count: content.ivBytes)
                        let made = try ContentTestVectors.encrypt(
                            content, part, iv, [4], [1, 2, 3])
                        let sealed = Sealed(
                            encryptedKey: wrapped.encryptedKey, iv: iv,
                            ciphertext: made.ciphertext, tag: made.tag)
                        let opened = try? opener.open(sealed, content: content, aad: [4])
                        let wanted: [UInt8]? = part == long ? [1, 2, 3] : nil
                        #expect(opened == wanted, "\(content) \(hash)")
                    }
                }
            }
        }
    }
}
