// OKP keys next to rejected ones: one byte away from points of small order and from p.

import Testing

@testable import JOSECrypto

@Suite struct OctetKeyTests {
    private func isAccepted(_ curve: NativeCurve, _ x: [UInt8]) -> Bool {
        do throws(CryptoError) {
            return try NativeKey.okpPublic(curve, x: x.span).publicX() == x
        } catch {
            return false
        }
    }

    private static let p25519: [UInt8] = [0xed] + [UInt8](repeating: 0xff, count: 30) + [0x7f]
    private static let p448: [UInt8] =
        [UInt8](repeating: 0xff, count: 28) + [0xfe] + [UInt8](repeating: 0xff, count: 27)

    @Test(
        "RFC 7748 6: u of 0, 1, p - 1 and p is rejected, with another last byte it is not",
        arguments: [NativeCurve.x25519, .x448])
    func neighbours(_ curve: NativeCurve) {
        let prime = curve == .x448 ? Self.p448 : Self.p25519
        let zero = [UInt8](repeating: 0, count: prime.count)
        var wrong: [String] = []
        for index in prime.indices {
            for low in [0, 1] as [UInt8] {
                var small = zero
                small[0] = low
                if isAccepted(curve, small) { wrong.append("\(low)") }
                small[index] = index == 0 ? 2 : 1
                if !isAccepted(curve, small) { wrong.append("\(low) with 1 in byte \(index)") }
            }
            // p - 1 minus a value in one byte, and p with one byte decremented.
            for first in [prime[0] - 1, prime[0]] {
                var large = prime
                large[0] = first
                if isAccepted(curve, large) { wrong.append("p - \(prime[0] - first)") }
                large[index] -= index == 0 ? 2 : 1
                if !isAccepted(curve, large) {
                    wrong.append("p - \(prime[0] - first) less 1 in byte \(index)")
                }
            }
        }
        #expect(wrong == [])
        #expect(isAccepted(curve, [2] + zero.dropFirst()))
        #expect(!isAccepted(curve, [UInt8](repeating: 0xff, count: prime.count)))
        for excess in 0...18 as ClosedRange<UInt8> where curve == .x25519 {
            #expect(!isAccepted(curve, [prime[0] + excess] + prime.dropFirst()))
        }
    }

    @Test(
        "RFC 7748 6.1: a point of order 8 is rejected, and with any byte changed accepted",
        arguments: 0..<2)
    func orderEight(_ number: Int) {
        let point = [
            hex("e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800"),
            hex("5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157"),
        ][number]
        #expect(!isAccepted(.x25519, point))
        for index in point.indices {
            var other = point
            other[index] ^= 1
            #expect(isAccepted(.x25519, other), "byte \(index)")
        }
    }

    @Test("RFC 8032 5.2.3: a small y is accepted only if Ed448 has a point for it")
    func decoding() {
        // (y^2 - 1) / (d * y^2 - 1) has a root modulo p: computed in Python for y from 2.
        let wanted =
            "0111011100110000010100111101010101111110101100001101010100000111"
            + "1010011010001101110001110010011100111111101101100100010001101010"
        let found = (0..<128).map { offset in
            isAccepted(.ed448, [UInt8(offset + 2)] + [UInt8](repeating: 0, count: 56)) ? "1" : "0"
        }
        #expect(found.joined() == wanted)
    }

    @Test("RFC 8032 5.2.3: the sign is one bit, the other bits of its byte are zero")
    func sign() throws {
        for _ in 0..<4 {
            let key = try NativeKey.generate(.ed448)
            var x = key.publicX()
            x[56] ^= 0x80
            #expect(isAccepted(.ed448, x))
            for bit in 0..<7 as Range<UInt8> {
                var other = x
                other[56] ^= 1 << bit
                #expect(!isAccepted(.ed448, other), "bit \(bit)")
                other[56] ^= 0x80
                #expect(!isAccepted(.ed448, other), "bit \(bit)")
            }
        }
    }

    @Test("RFC 7518 6.2.2, RFC 8037 2: x and y of different lengths are rejected")
    func halves() throws {
        for curve in [NativeCurve.p256, .p384, .p521, .secp256k1] {
            let numbers = try CurveNumbers(NativeKey.generate(curve), curve)
            for (x, y) in [
                (numbers.x, []), ([], numbers.y), (numbers.x, Array(numbers.y.dropLast())),
                (Array(numbers.x.dropLast()), numbers.y),
            ] as [([UInt8], [UInt8])] {
                var half = numbers
                (half.x, half.y) = (x, y)
                #expect(throws: CryptoError.unusableKey) { _ = try half.privateKey() }
                #expect(throws: CryptoError.unusableKey) { _ = try half.publicKey() }
            }
            // Each coordinate must match d.
            for flips in [(true, false), (false, true)] {
                var other = numbers
                if flips.0 { other.x[curve.sizeBytes - 1] ^= 1 }
                if flips.1 { other.y[0] ^= 1 }
                #expect(throws: CryptoError.unusableKey) { _ = try other.privateKey() }
            }
        }
    }
}
