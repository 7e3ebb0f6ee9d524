// RSA keys: what is accepted, what is refused, and the numbers back out.

import Foundation
import Testing

@testable import JOSECrypto

@Suite struct KeyTests {
    let numbers: RSANumbers

    init() throws {
        numbers = try RSANumbers(publishedKey("a2-rsa", in: "rfc7515"))
    }

    /// Expects the changed numbers to be refused as a bad key.
    private func expectBad(_ change: (inout RSANumbers) -> Void, _ comment: Comment? = nil) {
        var changed = numbers
        change(&changed)
        if changed.d == numbers.d, changed.crt == numbers.crt {
            #expect(throws: CryptoFault.unusableKey, comment) { _ = try changed.publicKey() }
        }
        #expect(throws: CryptoFault.unusableKey, comment) { _ = try changed.privateKey() }
    }

    @Test("RFC 7518 6.3: numbers come back as they went in")
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
            #expect(throws: CryptoFault.unusableKey) { _ = try publicKey.secret(part) }
        }
    }

    @Test("the primes are recovered from n, e, d", arguments: [2048, 3072])
    func recovery(_ bits: Int) throws {
        let made = try NativeKey.rsaGenerate(bits: bits)
        var numbers = self.numbers
        numbers.n = made.publicModulus()
        numbers.e = made.publicExponent()
        numbers.d = try made.secret(.d)
        numbers.crt = nil
        let key = try numbers.privateKey()
        let primes = try Set([key.secret(.p), key.secret(.q)])
        #expect(try primes == Set([made.secret(.p), made.secret(.q)]))
        #expect(try key.secret(.p).lexicographicallyPrecedes(key.secret(.q)) == false)
    }

    @Test("generated keys pass our own import")
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
            #expect(throws: CryptoFault.unusableKey) { _ = try NativeKey.rsaGenerate(bits: bits) }
        }
    }

    @Test("RFC 7518 3.3: sizes outside the limits", arguments: [0, 1, 64, 128, 255, 1025, 2048])
    func sizes(_ bytes: Int) {
        expectBad { $0.n = [UInt8](repeating: 0xff, count: bytes) }
    }

    @Test("2047 bits, and the caller's own limits")
    func limits() throws {
        expectBad { $0.n[0] = 0x52 }
        expectBad { $0.n.insert(0, at: 0) }
        expectBad { $0.n.removeAll() }
        let (n, e) = (numbers.n, numbers.e)
        #expect(throws: CryptoFault.unusableKey) {
            _ = try NativeKey.rsaPublic(modulus: n.span, exponent: e.span, bits: 3072...4096)
        }
        #expect(throws: CryptoFault.unusableKey) {
            _ = try NativeKey.rsaPublic(modulus: n.span, exponent: e.span, bits: 1024...2047)
        }
        _ = try NativeKey.rsaPublic(modulus: n.span, exponent: e.span, bits: 2048...2048)
    }

    @Test(
        "public exponents that are refused",
        arguments: [
            [], [0], [1], [2], [3], [17], [1, 0, 0], [0, 1, 0, 1], [0xff, 0xff], [1, 0, 2],
            [1, 0, 0, 0, 1], [0xff, 0xff, 0xff, 0xfe],
        ] as [[UInt8]])
    func exponents(_ e: [UInt8]) {
        expectBad { $0.e = e }
    }

    @Test("small and large exponents that may be allowed")
    func allowedExponents() throws {
        let n = numbers.n
        for e in [[3], [17], [1, 0, 1], [0xff, 0xff, 0xff, 0xff]] as [[UInt8]] {
            _ = try NativeKey.rsaPublic(
                modulus: n.span, exponent: e.span, allowsSmallExponent: true)
        }
        let large: [UInt8] = [0xff, 0xff, 0xff, 0xff]
        _ = try NativeKey.rsaPublic(modulus: n.span, exponent: large.span)
        for e in [[], [0], [1], [2], [4]] as [[UInt8]] {
            #expect(throws: CryptoFault.unusableKey) {
                _ = try NativeKey.rsaPublic(
                    modulus: n.span, exponent: e.span, allowsSmallExponent: true)
            }
        }
    }

    @Test("an even modulus")
    func even() {
        expectBad { $0.n[255] &= 0xfe }
    }

    @Test("every prime below 752 as a factor, and none besides")
    func smallFactors() throws {
        let primes = (3..<752).filter { candidate in
            (2..<candidate).allSatisfy { candidate % $0 != 0 }
        }
        #expect(primes.count == 132)
        for prime in primes {
            // A multiple of the prime: take the remainder off, and keep it odd.
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

    @Test("CVE-2017-15361: a modulus with the ROCA fingerprint")
    func roca() throws {
        // 65537^a modulo the product M of the primes to 167, plus a multiple of 2 * M: the residue
        // modulo every prime is a power of 65537, which is all that the keys have in common.
        let primes = (3...167).filter { c in (2..<c).allSatisfy { c % $0 != 0 } }
        var product: [UInt8] = [2]
        for prime in primes { product = multiplied(product, prime) }
        var refused = 0
        for power in 1...8 {
            var residue: [UInt8] = [1]
            for _ in 0..<power { residue = multiplied(residue, 65537) }
            // n = residue + k * 2M, brought to 2048 bits by a large k; odd as the residue is.
            var n = product
            while n.count < 255 { n = multiplied(n, 65535) }
            while n.count < 256 || n[0] < 0x80 { n = multiplied(n, 3) }
            guard n.count == 256 else { continue }
            add(&n, residue)
            var changed = numbers
            changed.n = n
            // A multiple of M itself has small factors only if the residue has: it is a unit.
            #expect(primes.allSatisfy { remainder(n, $0) != 0 })
            #expect(throws: CryptoFault.unusableKey) { _ = try changed.publicKey() }
            refused += 1
        }
        #expect(refused > 0)
    }

    @Test("RFC 7518 6.3.2: one bit changed in any private member", arguments: 0..<6)
    func damaged(_ member: Int) throws {
        for bit in stride(from: 0, to: 1024, by: 37) {
            expectBad(
                {
                    if member == 5 {
                        $0.d[$0.d.count - 1 - bit / 8] ^= 1 << UInt8(bit % 8)
                    } else if let count = $0.crt?[member].count {
                        $0.crt?[member][count - 1 - bit / 8] ^= 1 << UInt8(bit % 8)
                    }
                }, "member \(member) bit \(bit)")
        }
    }

    @Test("RFC 7518 6.3.2: CRT members all or none", arguments: 0..<5)
    func allOrNone(_ missing: Int) {
        expectBad { $0.crt?[missing] = [] }
        expectBad { numbers in
            let kept = numbers.crt?[missing] ?? []
            numbers.crt = [[], [], [], [], []]
            numbers.crt?[missing] = kept
        }
    }

    @Test("primes that are none: 1 and n, n and 1, exchanged, equal, d and e for another key")
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
            #expect(throws: CryptoFault.unusableKey) { _ = try mixed.privateKey() }
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
        // The same key with the primes exchanged throughout is right.
        var exchanged = numbers
        let key = try exchanged.privateKey()
        exchanged.crt = nil
        let recovered = try exchanged.privateKey()
        #expect(try key.secret(.d) == recovered.secret(.d))
    }

    @Test("RFC 7517 A.2: every derived private key that is wrong")
    func derived() throws {
        let negatives = try #require(try vectorFile("rfc7517")["negative"] as? [Members])
        var count = 0
        for case let negative in negatives {
            let id = negative["id"] as? String ?? ""
            guard id.contains(".rsa-priv-"), let input = negative["input"] as? Members,
                let jwk = input["jwk"] as? Members
            else { continue }
            let numbers = try RSANumbers(jwk)
            #expect(throws: CryptoFault.unusableKey, "\(id)") { _ = try numbers.privateKey() }
            count += 1
        }
        #expect(count == 9)
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
