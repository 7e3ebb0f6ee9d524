// EC and OKP keys: accepted, rejected, and exported numbers.

import Foundation
import Testing

@testable import JOSECrypto

@Suite struct CurveKeyTests {
    private func expectBad(
        _ numbers: CurveNumbers, publicToo: Bool = true, _ comment: Comment? = nil,
        _ change: (inout CurveNumbers) -> Void
    ) {
        var changed = numbers
        change(&changed)
        if publicToo {
            #expect(throws: CryptoError.unusableKey, comment) { _ = try changed.publicKey() }
        }
        #expect(throws: CryptoError.unusableKey, comment) { _ = try changed.privateKey() }
    }

    private func all() throws -> [CurveNumbers] {
        try CurveNumbers.published()
            + NativeCurve.curves.map { try CurveNumbers(NativeKey.generate($0), $0) }
    }

    @Test("RFC 7518 6.2, RFC 8037 2: numbers are exported as they were imported")
    func members() throws {
        for numbers in try all() {
            let key = try numbers.privateKey()
            #expect(key.isPrivate && key.kind == .curve(numbers.curve), "\(numbers.name)")
            #expect(key.publicX() == numbers.x && key.publicY() == numbers.y, "\(numbers.name)")
            #expect(try key.secretMember().bytes == numbers.d, "\(numbers.name)")
            let publicKey = try numbers.publicKey()
            #expect(!publicKey.isPrivate && publicKey.publicX() == numbers.x)
            #expect(publicKey.publicY() == numbers.y)
            #expect(throws: CryptoError.unusableKey) { _ = try publicKey.secretMember() }
            #expect(throws: CryptoError.unusableKey) { _ = try key.rsaPrivateMember(.d) }
        }
    }

    @Test("sizes of keys of each curve", arguments: NativeCurve.curves)
    func sizes(_ curve: NativeCurve) throws {
        let bytes: [NativeCurve: Int] = [
            .p256: 32, .p384: 48, .p521: 66, .secp256k1: 32, .ed25519: 32, .ed448: 57,
            .x25519: 32, .x448: 56,
        ]
        let bits: [NativeCurve: Int] = [
            .p256: 256, .p384: 384, .p521: 521, .secp256k1: 256, .ed25519: 255, .ed448: 448,
            .x25519: 255, .x448: 448,
        ]
        #expect(curve.sizeBytes == bytes[curve])
        let key = try NativeKey.generate(curve)
        #expect(key.bits == bits[curve] && key.publicX().count == bytes[curve])
        #expect(key.publicY().count == (curve.isEC ? bytes[curve] : 0))
        #expect(try key.secretMember().count == bytes[curve])
    }

    @Test("two generated keys are never equal", arguments: NativeCurve.curves)
    func fresh(_ curve: NativeCurve) throws {
        let made = try (0..<8).map { _ in try NativeKey.generate(curve) }
        #expect(Set(made.map { $0.publicX() }).count == 8)
        #expect(try Set(made.map { try $0.secretMember().bytes }).count == 8)
    }

    @Test("RFC 7518 6.2.1.2, RFC 8037 2: any other length of a member is rejected")
    func lengths() throws {
        for numbers in try all() {
            for count in [0, 1, 31, 33, 47, 49, 55, 56, 57, 58, 65, 67, 128] {
                guard count != numbers.curve.sizeBytes else { continue }
                let resized: ([UInt8]) -> [UInt8] = { old in
                    // Leading zeros keep the number, so that only the length is wrong.
                    count < old.count
                        ? Array(old.suffix(count))
                        : [UInt8](repeating: 0, count: count - old.count) + old
                }
                // A missing x of a private OKP key is computed. A missing x together with y is not.
                if count > 0 || numbers.curve.isEC {
                    expectBad(numbers, "x of \(count)") { $0.x = resized($0.x) }
                }
                expectBad(numbers, publicToo: false, "d of \(count)") { $0.d = resized($0.d) }
                if numbers.curve.isEC {
                    expectBad(numbers, "y of \(count)") { $0.y = resized($0.y) }
                }
            }
        }
    }

    @Test("missing coordinates are computed")
    func computed() throws {
        for numbers in try all() {
            var bare = numbers
            bare.x = []
            bare.y = []
            let key = try bare.privateKey()
            #expect(key.publicX() == numbers.x && key.publicY() == numbers.y, "\(numbers.name)")
            #expect(throws: CryptoError.unusableKey) { _ = try bare.publicKey() }
        }
    }

    @Test("RFC 7518 6.2.1: a point off the curve is rejected, whichever bit differs")
    func offCurve() throws {
        for numbers in try all() where numbers.curve.isEC {
            for bit in stride(from: 0, to: numbers.x.count * 8, by: 7) {
                expectBad(numbers, "x bit \(bit)") { $0.x[bit / 8] ^= 1 << UInt8(bit % 8) }
                expectBad(numbers, "y bit \(bit)") { $0.y[bit / 8] ^= 1 << UInt8(bit % 8) }
            }
            expectBad(numbers, "exchanged") { ($0.x, $0.y) = ($0.y, $0.x) }
            expectBad(numbers, "zero") {
                $0.x = [UInt8](repeating: 0, count: $0.x.count)
                $0.y = $0.x
            }
            expectBad(numbers, "beyond p") { $0.x = [UInt8](repeating: 0xff, count: $0.x.count) }
            expectBad(numbers, "beyond p") { $0.y = [UInt8](repeating: 0xff, count: $0.x.count) }
        }
    }

    @Test("a coordinate x + p, which is the same point, and the negated point are rejected")
    func secondSpelling() throws {
        // An x of a point on secp256k1 that is below 2^256 - p, so that x + p fits, too.
        let p = hex("fffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2f")
        // The point with x = 1 on secp256k1, as OpenSSL computes it from the curve alone.
        let x = [UInt8](repeating: 0, count: 31) + [1]
        let y = hex("4218f20ae6c646b363db68605822fb14264ca8d2587fdd6fbc750d587e76a7ee")
        _ = try NativeKey.ecPublic(.secp256k1, x: x.span, y: y.span)
        var large = p
        large[31] += 1
        #expect(throws: CryptoError.unusableKey) {
            _ = try NativeKey.ecPublic(.secp256k1, x: large.span, y: y.span)
        }
        // The same x with the other y is a point, but not the one of d.
        let key = try CurveNumbers(NativeKey.generate(.secp256k1), .secp256k1)
        var negated = key
        negated.y = subtract(p, key.y)
        _ = try negated.publicKey()
        expectBad(key, publicToo: false) { $0.y = negated.y }
    }

    @Test("points of another curve are rejected", arguments: NativeCurve.curves)
    func otherCurve(_ curve: NativeCurve) throws {
        let key = try CurveNumbers(NativeKey.generate(curve), curve)
        for other in NativeCurve.curves where other != curve {
            // Any 32 or 56 bytes below p are a Montgomery key. The private one still differs.
            let isMontgomery = other == .x25519 || other == .x448
            let sameSize = other.sizeBytes == curve.sizeBytes
            var changed = key
            changed.curve = other
            if !(isMontgomery && sameSize) {
                #expect(throws: CryptoError.unusableKey, "\(other)") {
                    _ = try NativeKey.ecPublic(other, x: key.x.span, y: key.y.span)
                }
            }
            #expect(throws: CryptoError.unusableKey, "\(other)") { _ = try changed.privateKey() }
        }
    }

    @Test("d of 0, n, n + 1, all ones, another key's d and one changed bit are rejected")
    func scalars() throws {
        let orders: [NativeCurve: String] = [
            .p256: "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551",
            .p384:
                "ffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf581a0db248b0a77a"
                + "ecec196accc52973",
            .p521:
                "01fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffa51868783bf2f"
                + "966b7fcc0148f709a5d03bb5c9b8899c47aebb6fb71e91386409",
            .secp256k1: "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141",
        ]
        for numbers in try all() where numbers.curve.isEC {
            let order = hex(try #require(orders[numbers.curve]))
            let count = numbers.curve.sizeBytes
            for d in [
                [UInt8](repeating: 0, count: count), order, subtract(order, [1]),
                add(order, 1), [UInt8](repeating: 0xff, count: count),
                try NativeKey.generate(numbers.curve).secretMember().bytes, add(numbers.d, 1),
                subtract(order, numbers.d),
            ] {
                expectBad(numbers, publicToo: false) { $0.d = d }
            }
            // Without coordinates only the range is checked: n - 1 is valid, n is not.
            for (d, isRight) in [
                (subtract(order, [1]), true), (order, false), (add(order, 1), false),
                ([UInt8](repeating: 0, count: count), false),
                ([UInt8](repeating: 0, count: count - 1) + [1], true),
            ] {
                var bare = numbers
                (bare.x, bare.y, bare.d) = ([], [], d)
                #expect(((try? bare.privateKey()) != nil) == isRight)
            }
        }
    }

    @Test("RFC 8037 2: an x that does not match d is rejected")
    func strangers() throws {
        for numbers in try all() where !numbers.curve.isEC {
            let other = try NativeKey.generate(numbers.curve)
            expectBad(numbers, publicToo: false) { $0.x = other.publicX() }
            let d = try other.secretMember().bytes
            expectBad(numbers, publicToo: false) { $0.d = d }
            for bit in stride(from: 0, to: numbers.x.count * 8, by: 11) {
                expectBad(numbers, publicToo: false) { $0.x[bit / 8] ^= 1 << UInt8(bit % 8) }
            }
        }
    }

    @Test(
        "a curve passed to the function of the other kind of curves",
        arguments: NativeCurve.curves)
    func wrongCall(_ curve: NativeCurve) throws {
        let numbers = try CurveNumbers(NativeKey.generate(curve), curve)
        let (x, y, d) = (numbers.x, numbers.y, SecretBytes(numbers.d))
        #expect(throws: CryptoError.unusableKey) {
            if curve.isEC {
                _ = try NativeKey.okpPublic(curve, x: x.span)
            } else {
                _ = try NativeKey.ecPublic(curve, x: x.span, y: x.span)
            }
        }
        #expect(throws: CryptoError.unusableKey) {
            if curve.isEC {
                _ = try NativeKey.okpPrivate(curve, x: x.span, d: d)
            } else {
                _ = try NativeKey.ecPrivate(curve, x: x.span, y: y.span, d: d)
            }
        }
    }
}
