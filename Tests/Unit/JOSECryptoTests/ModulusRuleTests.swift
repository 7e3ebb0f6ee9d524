// The rules for public RSA keys: size, exponent, small factors, the ROCA fingerprint.

import Testing

@testable import JOSECrypto

@Suite struct ModulusRuleTests {
    private static let primes = (3..<752).filter { candidate in
        (2..<candidate).allSatisfy { candidate % $0 != 0 }
    }

    /// Products of these primes below 2^54, for fast remainders.
    private static let groups: [(product: Int, primes: [Int])] = {
        var groups: [(product: Int, primes: [Int])] = [(1, [])]
        for prime in primes {
            if groups[groups.count - 1].product > (1 << 54) / prime { groups.append((1, [])) }
            groups[groups.count - 1].product *= prime
            groups[groups.count - 1].primes.append(prime)
        }
        return groups
    }()

    private let published: RSANumbers

    init() throws {
        published = try RSANumbers(publishedKey("a2-rsa", in: "rfc7515"))
    }

    private func isAccepted(
        _ n: [UInt8], _ e: [UInt8] = [1, 0, 1], small: Bool = false,
        bits: ClosedRange<Int> = 512...16_384
    ) -> Bool {
        do throws(CryptoError) {
            let key = try NativeKey.rsaPublic(
                modulus: n.span, exponent: e.span, allowsSmallExponent: small, bits: bits)
            return key.publicModulus() == n && key.publicExponent() == e
        } catch {
            return false
        }
    }

    private func hasSmallFactor(_ n: [UInt8]) -> Bool {
        Self.groups.contains { group in
            let rest = remainder(n, group.product)
            return group.primes.contains { rest % $0 == 0 }
        }
    }

    /// Odd bytes of this size without a small factor that start with `first`.
    private func modulus(_ count: Int, first: UInt8) -> [UInt8] {
        var n = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 89 &+ $0 / 7 &+ count) }
        n[0] = first
        n[count - 2] = 0x80
        n[count - 1] = 0xff
        while hasSmallFactor(n) { subtract(&n, 2) }
        return n
    }

    private func powers(modulo prime: Int) -> Set<Int> {
        var powers: Set<Int> = []
        var power = 1
        repeat {
            powers.insert(power)
            power = power * 65_537 % prime
        } while power != 1
        return powers
    }

    /// Twice the product of all primes below 752 except one.
    private func others(than prime: Int) -> [UInt8] {
        Self.primes.reduce([2]) { $1 == prime ? $0 : multiplied($0, $1) }
    }

    @Test("CVE-2017-15361: each residue of each prime to 167 decides independently")
    func fingerprint() {
        var wrong: [String] = []
        var (accepted, rejected) = (0, 0)
        for prime in Self.primes where prime <= 167 {
            let (powers, others) = (powers(modulo: prime), others(than: prime))
            for factor in 1..<prime {
                // 1, a power of 65537, for all other primes; each residue for this one.
                var n = multiplied(others, factor)
                add(&n, [1])
                let residue = remainder(n, prime)
                let isWeak = residue == 0 || powers.contains(residue)
                if isWeak { rejected += 1 } else { accepted += 1 }
                if isAccepted(n) == isWeak { wrong.append("\(residue) modulo \(prime)") }
            }
        }
        #expect(wrong == [])
        #expect(accepted > 100 && rejected > 1_000)
    }

    @Test("CVE-2017-15361: moduli of every number of words are checked")
    func fingerprintOfSizes() throws {
        var wrong: [String] = []
        var (accepted, rejected) = (0, 0)
        for prime in [11, 37, 151] {
            let (powers, others) = (powers(modulo: prime), others(than: prime))
            try #require(powers.count < prime - 1)
            for words in 0..<112 {
                var n = multiplied(others, 1 + words % 7)
                n += [UInt8](repeating: 0, count: words * 8)
                add(&n, [1])
                let residue = remainder(n, prime)
                let isWeak = residue == 0 || powers.contains(residue)
                if isWeak { rejected += 1 } else { accepted += 1 }
                if isAccepted(n) == isWeak { wrong.append("\(prime), \(words) more words") }
            }
        }
        #expect(wrong == [])
        #expect(accepted > 50 && rejected > 20)
    }

    @Test("RFC 7518 6.3.1.1: small factors are found in moduli that do not fill their words")
    func partialWords() {
        var wrong: [Int] = []
        var (accepted, rejected) = (0, 0)
        for count in 249...266 {
            var n = modulus(count, first: 0x93)
            for _ in 0..<6 {
                let isWeak = hasSmallFactor(n)
                if isWeak { rejected += 1 } else { accepted += 1 }
                if isAccepted(n) == isWeak { wrong.append(count) }
                subtract(&n, 2)
            }
        }
        #expect(wrong == [])
        #expect(accepted >= 18 && rejected > 20)
    }

    @Test("the size in bits is counted from the highest bit and is exactly within the limits")
    func bits() throws {
        let e: [UInt8] = [1, 0, 1]
        for (first, expected) in [
            (1, 2_041), (2, 2_042), (3, 2_042), (4, 2_043), (9, 2_044), (16, 2_045), (33, 2_046),
            (64, 2_047), (127, 2_047), (128, 2_048), (255, 2_048),
        ] as [(UInt8, Int)] {
            let n = modulus(256, first: first)
            let key = try NativeKey.rsaPublic(
                modulus: n.span, exponent: e.span, bits: expected...expected)
            #expect(key.bits == expected)
            #expect(!isAccepted(n, bits: 1_024...(expected - 1)))
            #expect(!isAccepted(n, bits: (expected + 1)...4_096))
        }
        #expect(isAccepted(modulus(1_024, first: 0x80), bits: NativeKey.defaultBits))
        #expect(!isAccepted(modulus(1_025, first: 1), bits: NativeKey.defaultBits))
        // The maximum size of a key's numbers, whatever the caller allows.
        #expect(isAccepted(modulus(2_048, first: 0x80)))
        #expect(!isAccepted(modulus(2_049, first: 1), bits: 512...32_768))
    }

    @Test("RFC 7518 6.3.1.2: exponents near every limit")
    func exponents() {
        let n = published.n
        let cases: [(e: [UInt8], always: Bool, whereSmall: Bool)] = [
            ([], false, false), ([0], false, false), ([1], false, false), ([2], false, false),
            ([3], false, true), ([4], false, false), ([5], false, true), ([0, 3], false, false),
            ([1, 1], false, true), ([0xff, 0xff], false, true), ([1, 0, 0], false, false),
            ([1, 0, 1], true, true), ([1, 0, 2], false, false), ([1, 0, 3], true, true),
            ([0, 1, 0, 1], false, false), ([1, 0, 0, 1], true, true),
            ([0xff, 0xff, 0xff, 0xff], true, true), ([1, 0, 0, 0, 1], false, false),
            ([0, 0, 1, 0, 1], false, false), ([17], false, true),
            ([0xff, 0xff, 0xff, 0xfe], false, false),
        ]
        for (e, always, whereSmall) in cases {
            #expect(isAccepted(n, e) == always, "\(e)")
            #expect(isAccepted(n, e, small: true) == whereSmall, "\(e)")
        }
    }
}
