// Octets that are not a public key on an Edwards or Montgomery curve.

import Foundation
import Testing

@testable import JOSECrypto

@Suite struct CurvePointTests {
    @Test("RFC 7748 6, RFC 8032 5: small order, non-canonical encodings, points off the curve")
    func strangeOctets() throws {
        let p25519 = hex("7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffed")
        let p448 = hex(
            "fffffffffffffffffffffffffffffffffffffffffffffffffffffffeffffffffffffffffffffffff"
                + "ffffffffffffffffffffffffffffffff"
        )
        let x25519 = [
            [UInt8](repeating: 0, count: 32), [1] + [UInt8](repeating: 0, count: 31),
            hex("e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800"),
            hex("5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157"),
            subtract(p25519, [1]).reversed(), p25519.reversed(), add(p25519, 1).reversed(),
            add(p25519, 9).reversed(), [UInt8](repeating: 0xff, count: 32),
            [9] + [UInt8](repeating: 0, count: 30) + [0x80],
        ]
        let x448 = [
            [UInt8](repeating: 0, count: 56), [1] + [UInt8](repeating: 0, count: 55),
            subtract(p448, [1]).reversed(), p448.reversed(), add(p448, 1).reversed(),
            add(p448, 5).reversed(), [UInt8](repeating: 0xff, count: 56),
        ]
        let ed448 =
            x448.map { $0 + [0] } + x448.map { $0 + [0x80] }
            + (1...7).map { bit in
                [UInt8](repeating: 7, count: 56) + [UInt8(1 << (bit - 1))]
            }
        // libsodium's own list has the Edwards encodings of small order; these are all of them.
        let ed25519 =
            x25519.filter { $0[31] != 0x57 && $0[0] != 0xe0 && $0[0] != 9 }
            + [
                hex("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05"),
                hex("c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a"),
                // On the curve but not in the subgroup: the base point plus the point of order 2.
                hex("9599999999999999999999999999999999999999999999999999999999999999"),
            ]
        for (curve, keys) in [
            (NativeCurve.x25519, x25519), (.x448, x448), (.ed448, ed448), (.ed25519, ed25519),
        ] {
            for x in keys {
                #expect(throws: CryptoError.unusableKey, "\(curve) \(x)") {
                    _ = try NativeKey.okpPublic(curve, x: x.span)
                }
            }
        }
        // The nearest valid numbers.
        _ = try NativeKey.okpPublic(.x25519, x: ([9] + [UInt8](repeating: 0, count: 31)).span)
        _ = try NativeKey.okpPublic(.x448, x: ([5] + [UInt8](repeating: 0, count: 55)).span)
    }

    @Test("exactly the points whose shared secret is always zero are rejected")
    func smallOrder() throws {
        typealias ScalarMult =
            @convention(c) (
                UnsafeMutablePointer<UInt8>, UnsafePointer<UInt8>, UnsafePointer<UInt8>
            ) -> Int32
        let multiply = try cFunction("crypto_scalarmult_curve25519", as: ScalarMult.self)
        for text in [
            "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
            "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
            "0100000000000000000000000000000000000000000000000000000000000000",
            "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        ] {
            var out = [UInt8](repeating: 0, count: 32)
            let scalar = [UInt8](repeating: 77, count: 32)
            #expect(multiply(&out, scalar, hex(text)) == -1)
        }
    }
}
