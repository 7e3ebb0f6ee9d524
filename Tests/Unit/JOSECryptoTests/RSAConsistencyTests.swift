// How the numbers of a private RSA key must match: each test violates one relation.

import Testing

@testable import JOSECrypto

@Suite struct RSAConsistencyTests {
    private let numbers: RSANumbers
    private let p: [UInt8]
    private let q: [UInt8]
    private let dp: [UInt8]
    private let dq: [UInt8]
    private let qi: [UInt8]

    init() throws {
        numbers = try RSANumbers(publishedKey("a2-rsa", in: "rfc7515"))
        let crt = try #require(numbers.crt)
        (p, q, dp, dq, qi) = (crt[0], crt[1], crt[2], crt[3], crt[4])
    }

    private func stripped(_ number: [UInt8]) -> [UInt8] { Array(number.drop { $0 == 0 }) }

    private func sum(_ a: [UInt8], _ b: [UInt8]) -> [UInt8] {
        var result = [0] + (a.count < b.count ? b : a)
        add(&result, a.count < b.count ? a : b)
        return stripped(result)
    }

    private func difference(_ a: [UInt8], _ b: [UInt8]) -> [UInt8] { stripped(subtract(a, b)) }

    private func isBelow(_ a: [UInt8], _ b: [UInt8]) -> Bool {
        a.count == b.count ? a.lexicographicallyPrecedes(b) : a.count < b.count
    }

    private func halved(_ number: [UInt8]) -> [UInt8] {
        var rest: UInt8 = 0
        let half = number.map { digit in
            defer { rest = digit & 1 }
            return rest << 7 | digit >> 1
        }
        return stripped(half)
    }

    /// (p - 1)(q - 1)
    private var phi: [UInt8] { sum(difference(difference(numbers.n, p), q), [1]) }

    private func outcome(d: [UInt8], crt: [[UInt8]]?) -> CryptoError? {
        var changed = numbers
        changed.d = d
        changed.crt = crt
        do throws(CryptoError) {
            _ = try changed.privateKey()
            return nil
        } catch {
            return error
        }
    }

    @Test("RFC 8017 3.2: an equivalent exponent is valid below n and invalid above")
    func exponents() throws {
        let crt = [p, q, dp, dq, qi]
        let smaller = sum(numbers.d, halved(phi))
        let larger = sum(numbers.d, phi)
        #expect(isBelow(smaller, numbers.n) && isBelow(numbers.n, larger))
        #expect(larger.count == numbers.n.count)
        #expect(outcome(d: smaller, crt: crt) == nil)
        #expect(outcome(d: larger, crt: crt) == .unusableKey)
        #expect(outcome(d: larger, crt: nil) == .unusableKey)
        // It gives the same primes and the same remainders.
        var other = numbers
        (other.d, other.crt) = (smaller, nil)
        let key = try other.privateKey()
        #expect(try key.secret(.d) == smaller)
        for (part, value) in zip([RSAPrivatePart.p, .q, .dp, .dq, .qi], crt) {
            #expect(try key.secret(part) == value)
        }
    }

    @Test("RFC 8017 3.2: e * dp is 1 modulo p - 1, e * dq is 1 modulo q - 1, checked separately")
    func remainders() {
        let d = numbers.d
        // Both are wrong, although they follow from d.
        let both = [p, q, sum(dp, [2]), sum(dq, [2]), qi]
        #expect(outcome(d: sum(d, [2]), crt: both) == .unusableKey)
        // One prime's exponent is wrong, the other's is right.
        let (p1, q1) = (difference(p, [1]), difference(q, [1]))
        var first = sum(dp, q1)
        while !isBelow(first, p1) { first = difference(first, p1) }
        #expect(outcome(d: sum(d, q1), crt: [p, q, first, dq, qi]) == .unusableKey)
        var second = sum(dq, p1)
        while !isBelow(second, q1) { second = difference(second, q1) }
        #expect(outcome(d: sum(d, p1), crt: [p, q, dp, second, qi]) == .unusableKey)
        // Without them the wrong exponent is detected as well.
        #expect(outcome(d: sum(d, [2]), crt: nil) == .unusableKey)
        #expect(outcome(d: sum(d, q1), crt: nil) == .unusableKey)
        #expect(outcome(d: sum(d, p1), crt: nil) == .unusableKey)
    }

    @Test("RFC 8017 3.2: dp, dq and qi have one encoding and belong to the key")
    func spellings() {
        let (p1, q1) = (difference(p, [1]), difference(q, [1]))
        let wrong = [
            [p, q, sum(dp, p1), dq, qi], [p, q, dp, sum(dq, q1), qi], [p, q, dp, dq, sum(qi, p)],
            [p, q, sum(dp, [1]), dq, qi], [p, q, dp, sum(dq, [1]), qi],
            [p, q, dp, dq, sum(qi, [1])], [p, q, dp, dq, [1]], [p, q, dp, dq, p],
            [p, q, dq, dp, qi], [q, p, dq, dp, qi], [p, q, [1], dq, qi], [p, q, dp, [1], qi],
        ]
        for (index, crt) in wrong.enumerated() {
            #expect(outcome(d: numbers.d, crt: crt) == .unusableKey, "row \(index)")
        }
        #expect(outcome(d: numbers.d, crt: [p, q, dp, dq, qi]) == nil)
    }

    @Test("RFC 7518 6.3.2: a leading zero in any private member is rejected", arguments: 0..<5)
    func leadingZero(_ position: Int) {
        var crt = [p, q, dp, dq, qi]
        crt[position].insert(0, at: 0)
        #expect(outcome(d: numbers.d, crt: crt) == .unusableKey)
        crt[position] = [0]
        #expect(outcome(d: numbers.d, crt: crt) == .unusableKey)
    }

    @Test("a private exponent that fits no modulus of two primes is an invalid key, no failure")
    func hopeless() {
        for d in [[1], [2], [3], [4], [1, 0, 1], [0xff], numbers.e, p, q, numbers.n] as [[UInt8]] {
            #expect(outcome(d: d, crt: nil) == .unusableKey, "\(d.count) bytes")
        }
        // The square of a prime has no second root of 1.
        var square = numbers
        var n: [UInt8] = [0]
        for digit in p {
            n.append(0)
            let step = multiplied(p, Int(digit))
            if digit > 0 { n = [0] + sum(n, step) }
        }
        square.n = stripped(n)
        square.d = dp
        square.crt = nil
        #expect(throws: CryptoError.unusableKey) { _ = try square.privateKey() }
        square.crt = [p, p, dp, dp, [1]]
        #expect(throws: CryptoError.unusableKey) { _ = try square.privateKey() }
    }

    @Test("SP 800-56B C: all published keys are recovered, the larger prime first")
    func recovery() throws {
        var count = 0
        for (file, names) in [
            ("attacks", ["sig", "enc", "attacker", "sender"]),
            ("rfc7515", ["a2-rsa", "other-rsa"]),
            ("rfc7516", ["a1-rsa", "a2-rsa", "other-rsa"]),
            ("rfc7520", ["3-rsa-private", "5-rsa-frodo", "other-rsa"]),
        ] {
            for name in names {
                var bare = try RSANumbers(publishedKey(name, in: file))
                let crt = try #require(bare.crt)
                bare.crt = nil
                let key = try bare.privateKey()
                let isSorted = isBelow(crt[1], crt[0])
                let positions = isSorted ? [0, 1, 2, 3] : [1, 0, 3, 2]
                for (part, position) in zip([RSAPrivatePart.p, .q, .dp, .dq], positions) {
                    #expect(try key.secret(part) == crt[position], "\(name) \(part)")
                }
                if isSorted { #expect(try key.secret(.qi) == crt[4], "\(name)") }
                #expect(try key.secret(.d) == bare.d, "\(name)")
                count += 1
            }
        }
        #expect(count == 12)
    }
}
