// RSA keys: accepted, rejected, and exported numbers.

import Foundation
import Testing

@testable import JOSECrypto

@Suite struct KeyTests {
    let numbers: RSANumbers

    init() throws {
        numbers = try RSANumbers(publishedKey("a2-rsa", in: "rfc7515"))
    }

    /// Expects the changed numbers to be rejected as an invalid key.
    private func expectBad(_ change: (inout RSANumbers) -> Void, _ comment: Comment? = nil) {
        var changed = numbers
        change(&changed)
        if changed.d == numbers.d, changed.crt == numbers.crt {
            #expect(throws: CryptoError.unusableKey, comment) { _ = try changed.publicKey() }
        }
        #expect(throws: CryptoError.unusableKey, comment) { _ = try changed.privateKey() }
    }

    @Test("RFC 7518 6.3: numbers are exported as they were imported")
    func members() throws {
        let key = try numbers.privateKey()
        #expect(key.isPrivate && key.bits == 2048 && key.sizeBytes == 256)
        #expect(key.publicModulus() == numbers.n && key.publicExponent() == numbers.e)
        #expect(try key.secret(.d) == numbers.d)
        let crt = try #require(numbers.crt)
        for (part, value) in zip([RSAPrivatePart.p, .q, .dp, .dq, .qi], crt) {
            #expect(try key.secret(part) == value)
        }
        let publicKey = try numbers.publicKey()
        #expect(!publicKey.isPrivate && publicKey.publicModulus() == numbers.n)
        for part in RSAPrivatePart.allCases {
            #expect(throws: CryptoError.unusableKey) { _ = try publicKey.secret(part) }
        }
    }

    @Test("generated keys can be imported")
    func generation() throws {
        let made = try NativeKey.rsaGenerate(bits: 2048)
        #expect(made.bits == 2048 && made.isPrivate && made.publicExponent() == [1, 0, 1])
        var copy = numbers
        copy.n = made.publicModulus()
        copy.e = made.publicExponent()
        copy.d = try made.secret(.d)
        copy.crt = try [.p, .q, .dp, .dq, .qi].map { try made.secret($0) }
        _ = try copy.privateKey()
        for bits in [0, 1024, 2047, 2049, 8200, 16384, Int.max] {
            #expect(throws: CryptoError.unusableKey) { _ = try NativeKey.rsaGenerate(bits: bits) }
        }
    }

    @Test(
        "RFC 7518 3.3: sizes outside the limits are rejected",
        arguments: [0, 1, 64, 128, 255, 1025, 2048])
    func sizes(_ bytes: Int) {
        expectBad { $0.n = [UInt8](repeating: 0xff, count: bytes) }
    }

    @Test("2047 bits, a leading zero byte, an empty and an even modulus are rejected")
    func limits() throws {
        expectBad { $0.n[0] = 0x52 }
        expectBad { $0.n.insert(0, at: 0) }
        expectBad { $0.n.removeAll() }
        expectBad { $0.n[255] &= 0xfe }
    }

    @Test("every prime below 752 is rejected as a factor, and no other number")
    func smallFactors() throws {
        let primes = (3..<752).filter { candidate in
            (2..<candidate).allSatisfy { candidate % $0 != 0 }
        }
        #expect(primes.count == 132)
        for prime in primes {
            // A multiple of the prime: subtract the remainder and keep it odd.
            var n = numbers.n
            subtract(&n, remainder(n, prime))
            if n[255] & 1 == 0 { subtract(&n, prime) }
            #expect(remainder(n, prime) == 0)
            expectBad({ $0.n = n }, "\(prime)")
        }
        var accepted = 0
        for step in 0..<200 {
            var n = numbers.n
            subtract(&n, 2 * step)
            let isFree = primes.allSatisfy { remainder(n, $0) != 0 }
            var changed = numbers
            changed.n = n
            if isFree { accepted += 1 }
            #expect(((try? changed.publicKey()) != nil) == isFree, "\(step)")
        }
        #expect(accepted > 10)
    }

    @Test("wrong primes: 1 and n, n and 1, swapped, equal, d and e of another key")
    func strangePrimes() throws {
        let crt = try #require(numbers.crt)
        let n = numbers.n
        expectBad { $0.crt = [[1], n, crt[2], crt[3], crt[4]] }
        expectBad { $0.crt = [n, [1], crt[2], crt[3], crt[4]] }
        expectBad { $0.crt = [[1], n, [1], crt[3], [1]] }
        expectBad { $0.crt = [crt[1], crt[0], crt[2], crt[3], crt[4]] }
        expectBad { $0.crt = [crt[0], crt[0], crt[2], crt[2], crt[4]] }
        let other = try NativeKey.rsaGenerate(bits: 2048)
        for crt in [numbers.crt, nil] {
            var mixed = numbers
            mixed.n = other.publicModulus()
            mixed.crt = crt
            #expect(throws: CryptoError.unusableKey) { _ = try mixed.privateKey() }
        }
        expectBad {
            $0.d = [3]
            $0.crt = nil
        }
        expectBad {
            $0.d = [1]
            $0.crt = nil
        }
        expectBad { $0.d = [] }
        expectBad { $0.d = n }
        expectBad { $0.d.insert(0, at: 0) }
        // The same key with the primes swapped consistently is valid.
        var exchanged = numbers
        let key = try exchanged.privateKey()
        exchanged.crt = nil
        let recovered = try exchanged.privateKey()
        #expect(try key.secret(.d) == recovered.secret(.d))
    }

    @Test("a secret prints a constant")
    func secrets() {
        let secret = SecretBytes([1, 2, 3])
        #expect("\(secret)" == "SecretBytes" && secret.debugDescription == "SecretBytes")
        #expect(Mirror(reflecting: secret).children.isEmpty)
        #expect(secret.bytes == [1, 2, 3] && secret.count == 3)
        #expect(SecretBytes([]).bytes == [])
    }
}
