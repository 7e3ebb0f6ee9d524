// ECDSA and EdDSA: published signatures, numbers out of range, other encodings, points of small
// order.

import Foundation
import Testing

@testable import JOSECrypto

@Suite struct CurveSignatureTests {
    private static let paths: [OperationOptions] = [[], .openSSLOnly]

    // MARK: ECDSA

    private static let curves: [(NativeCurve, HashAlgorithm, order: String)] = [
        (.p256, .sha256, "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551"),
        (
            .p384, .sha384,
            "ffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf"
                + "581a0db248b0a77aecec196accc52973"
        ),
        (
            .p521, .sha512,
            "01ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"
                + "fa51868783bf2f966b7fcc0148f709a5d03bb5c9b8899c47aebb6fb71e91386409"
        ),
        (.secp256k1, .sha256, "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141"),
    ]

    @Test(
        "CVE-2022-21449 and similar: r and s of 0, n, n + 1, all ones are rejected",
        arguments: paths)
    func outOfRange(_ options: OperationOptions) throws {
        for (curve, hash, text) in Self.curves {
            let key = try NativeKey.generate(curve)
            let size = curve.sizeBytes
            let right = try SignatureOperation(
                key: key, family: .ecdsa, hash: hash, signing: true
            ).sign([1])
            let verifier = try SignatureOperation(
                key: key, family: .ecdsa, hash: hash, signing: false, options: options)
            let (r, s) = (Array(right[..<size]), Array(right[size...]))
            let order = hex(text)
            try #require(order.count == size)
            var next = order
            next[size - 1] += 1
            let zero = [UInt8](repeating: 0, count: size)
            for bad in [zero, order, next, zero.map { ~$0 }] {
                for signature in [bad + s, r + bad, bad + bad] {
                    #expect(try !verifier.accepts([1], signature), "\(curve)")
                }
            }
            // The other root: s and n - s are both valid (FIPS 186-5 does not choose), r never is.
            #expect(try verifier.accepts([1], r + subtract(order, s)))
            #expect(try !verifier.accepts([1], subtract(order, r) + s))
            #expect(try !verifier.accepts([1], s + r))
        }
    }

    @Test("short numbers are padded: signatures always have the full length")
    func leadingZeros() throws {
        let key = try NativeKey.generate(.p256)
        let signer = try SignatureOperation(
            key: key, family: .ecdsa, hash: .sha256, signing: true)
        let verifier = try SignatureOperation(
            key: key, family: .ecdsa, hash: .sha256, signing: false)
        var short = 0
        for round in 0..<2_000 {
            let message = [UInt8(truncatingIfNeeded: round), UInt8(round >> 8)]
            let signature = try signer.sign(message)
            #expect(signature.count == 64)
            guard signature[0] == 0 || signature[32] == 0 else { continue }
            short += 1
            #expect(try verifier.accepts(message, signature))
        }
        #expect(short > 0)
    }

    @Test("DER instead of R || S is rejected, also padded and cut to every length")
    func der() throws {
        let key = try NativeKey.generate(.p256)
        let right = try SignatureOperation(
            key: key, family: .ecdsa, hash: .sha256, signing: true
        ).sign([1])
        let verifier = try SignatureOperation(
            key: key, family: .ecdsa, hash: .sha256, signing: false)
        func integer(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
            let body = (bytes.first! >= 0x80 ? [0] : []) + bytes
            return [2, UInt8(body.count)] + body
        }
        let body = integer(right[..<32]) + integer(right[32...])
        let der = [0x30, UInt8(body.count)] + body
        #expect(try !verifier.accepts([1], der))
        for count in [63, 64, 65, 66] {
            #expect(try !verifier.accepts([1], Array((der + [0, 0]).prefix(count))))
        }
    }

    // MARK: EdDSA

    @Test("RFC 8032 7.1 and 7.4: signatures of the empty message verify", arguments: paths)
    func rfc8032(_ options: OperationOptions) throws {
        for (curve, d, x, signature) in Self.published8032 {
            var numbers = try CurveNumbers(NativeKey.generate(curve), curve)
            (numbers.d, numbers.x) = (hex(d), hex(x))
            try check(numbers, [], hex(signature), options)
        }
    }

    private func check(
        _ numbers: CurveNumbers, _ message: [UInt8], _ signature: [UInt8],
        _ options: OperationOptions
    ) throws {
        let signer = try SignatureOperation(
            key: numbers.privateKey(), family: .edDSA, hash: .sha512, signing: true,
            options: options)
        let verifier = try SignatureOperation(
            key: numbers.publicKey(), family: .edDSA, hash: .sha512, signing: false,
            options: options)
        #expect(try signer.sign(message) == signature)
        #expect(try verifier.accepts(message, signature))
    }

    @Test("RFC 8032 5.1.7: S + L and any other S out of range are rejected", arguments: paths)
    func malleable(_ options: OperationOptions) throws {
        for (curve, order) in Self.orders {
            let key = try NativeKey.generate(curve)
            let right = try SignatureOperation(
                key: key, family: .edDSA, hash: .sha512, signing: true
            ).sign([5])
            let verifier = try SignatureOperation(
                key: key, family: .edDSA, hash: .sha512, signing: false, options: options)
            let size = curve.sizeBytes
            var s = Array(right[size...])
            for _ in 0..<3 {
                s = plus(s, order)
                #expect(try !verifier.accepts([5], right[..<size] + s), "\(curve)")
            }
            let zero = [UInt8](repeating: 0, count: size)
            for bad in [zero, order, plus(order, [1] + zero.dropLast()), zero.map { ~$0 }] {
                #expect(try !verifier.accepts([5], right[..<size] + bad))
            }
            #expect(try verifier.accepts([5], right))
        }
    }

    @Test("R of small order is rejected although the equation holds", arguments: paths)
    func smallR(_ options: OperationOptions) throws {
        // With S = 0 and A of small order any of these would be valid. Such an A cannot be
        // imported, and with a valid A only the owner of the key could make R the neutral element.
        for (curve, order) in Self.orders {
            let key = try NativeKey.generate(curve)
            let verifier = try SignatureOperation(
                key: key, family: .edDSA, hash: .sha512, signing: false, options: options)
            let size = curve.sizeBytes
            var one = [UInt8](repeating: 0, count: size)
            one[0] = 1
            var minusOne = [UInt8](repeating: 0xff, count: size)
            minusOne[0] = curve == .ed448 ? 0xfe : 0xec
            minusOne[curve == .ed448 ? 28 : size - 1] = curve == .ed448 ? 0xfe : 0x7f
            if curve == .ed448 { minusOne[56] = 0 }
            let zero = [UInt8](repeating: 0, count: size)
            for r in [one, minusOne, zero] {
                for sign: UInt8 in [0, 0x80] {
                    var r = r
                    r[size - 1] |= sign
                    for s in [zero, one, order] {
                        for message in [[], [UInt8(1)]] {
                            #expect(try !verifier.accepts(message, r + s))
                        }
                    }
                }
            }
        }
    }

    @Test("the owner of a key cannot make R the neutral element", arguments: paths)
    func neutralR(_ options: OperationOptions) throws {
        let seed = [UInt8](repeating: 3, count: 32)
        let key = try NativeKey.okpPrivate(.ed25519, x: [UInt8]().span, d: SecretBytes(seed))
        let r: [UInt8] = [1] + [UInt8](repeating: 0, count: 31)
        let message: [UInt8] = Array("forged by the holder".utf8)
        // S = k a mod L with k = SHA-512(R, A, M) and a the clamped half of SHA-512(seed).
        typealias Reduce =
            @convention(c) (UnsafeMutablePointer<UInt8>, UnsafePointer<UInt8>) -> Void
        typealias Multiply =
            @convention(c) (
                UnsafeMutablePointer<UInt8>, UnsafePointer<UInt8>, UnsafePointer<UInt8>
            ) -> Void
        let reduce = try cFunction("crypto_core_ed25519_scalar_reduce", as: Reduce.self)
        let multiply = try cFunction("crypto_core_ed25519_scalar_mul", as: Multiply.self)
        var a = Array(try Hash.digest(.sha512, seed)[..<32])
        a[0] &= 0xf8
        a[31] = a[31] & 0x3f | 0x40
        var (k, s) = ([UInt8](repeating: 0, count: 32), [UInt8](repeating: 0, count: 32))
        reduce(&k, try Hash.digest(.sha512, r + key.publicX() + message))
        multiply(&s, k, a)
        let verifier = try SignatureOperation(
            key: key, family: .edDSA, hash: .sha512, signing: false, options: options)
        #expect(try !verifier.accepts(message, r + s))
    }

    private static let published8032: [(NativeCurve, d: String, x: String, signature: String)] = [
        (
            .ed25519, "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
            "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
            "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb882"
                + "1590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b"
        ),
        (
            .ed448,
            "6c82a562cb808d10d632be89c8513ebf6c929f34ddfa8c9f63c9960ef6e348a3528c8a"
                + "3fcc2f044e39a3fc5b94492f8f032e7549a20098f95b",
            "5fd7449b59b461fd2ce787ec616ad46a1da1342485a70e1f8a0ea75d80e96778edf124"
                + "769b46c7061bd6783df1e50f6cd1fa1abeafe8256180",
            "533a37f6bbe457251f023c0d88f976ae2dfb504a843e34d2074fd823d41a591f2b233f"
                + "034f628281f2fd7a22ddd47d7828c59bd0a21bfd3980ff0d2028d4b18a9df63e006c"
                + "5d1c2d345b925d8dc00b4104852db99ac5c7cdda8530a113a0f4dbb61149f05a7363"
                + "268c71d95808ff2e652600"
        ),
    ]

    /// The orders of the base points, little-endian, with the length of S.
    private static let orders: [(NativeCurve, [UInt8])] = [
        (.ed25519, hex("edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010")),
        (
            .ed448,
            hex(
                "f34458ab92c27823558fc58d72c26c219036d6ae49db4ec4e923ca7cffffffff"
                    + "ffffffffffffffffffffffffffffffffffffffffffffff3f00")
        ),
    ]
}

/// The sum of two little-endian numbers of one size.
private func plus(_ a: [UInt8], _ b: [UInt8]) -> [UInt8] {
    var sum = Array(a.reversed())
    add(&sum, b.reversed())
    return sum.reversed()
}
