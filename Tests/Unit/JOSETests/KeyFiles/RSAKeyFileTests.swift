// RSA keys in DER: exact bytes when written, every readable format, and rejections (RFC 8017,
// 5958).

import JOSE
import Testing

@Suite("Key files: RSA keys")
struct RSAKeyFileTests {
    /// The numbers of a key, as in a JWK.
    private struct Parts {
        var n: [UInt8]
        var e: [UInt8]
        var rest: [[UInt8]]

        init(_ key: JWK) throws {
            func number(_ name: String) throws -> [UInt8] {
                Array(try KeyText.bytes(key, name).drop { $0 == 0 })
            }
            n = try number("n")
            e = try number("e")
            rest = try ["d", "p", "q", "dp", "dq", "qi"].map(number)
        }

        private static func integer(_ bytes: [UInt8]) -> [UInt8] {
            TestDER.integer((bytes.first ?? 0) >= 0x80 ? [0] + bytes : bytes)
        }

        /// RSAPublicKey (RFC 8017, A.1.1).
        func open(tail: [UInt8] = []) -> [UInt8] {
            TestDER.sequence(Parts.integer(n) + Parts.integer(e) + tail)
        }

        /// RSAPrivateKey (RFC 8017, A.1.2).
        func secret(version: UInt8 = 0, tail: [UInt8] = []) -> [UInt8] {
            let numbers = ([n, e] + rest).flatMap(Parts.integer)
            return TestDER.sequence(TestDER.integer([version]) + numbers + tail)
        }
    }

    /// rsaEncryption with NULL.
    private static let algorithm: [UInt8] = [
        0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01, 0x05, 0x00,
    ]

    private func spki(_ key: [UInt8], unused: UInt8 = 0, tail: [UInt8] = []) -> [UInt8] {
        JOSETests.spki(Self.algorithm, key, unused: unused, tail: tail)
    }

    private func pkcs8(_ key: [UInt8], version: UInt8 = 0, tail: [UInt8] = []) -> [UInt8] {
        JOSETests.pkcs8(Self.algorithm, key, version: version, tail: tail)
    }

    private static let keys = [TestKeys.signing, TestKeys.large]

    @Test("PKCS#8 and SPKI are written byte for byte") func written() throws {
        for key in Self.keys {
            let parts = try Parts(key)
            #expect(try key.publicKeyFile(.der) == spki(parts.open()))
            #expect(try key.publicKey.publicKeyFile(.der) == spki(parts.open()))
            let file = try key.privateKeyFile()
            #expect(file == pkcs8(parts.secret()))
            let pem = try key.publicKeyFile(.pem)
            let text = String(decoding: pem, as: UTF8.self)
            #expect(try Independent.base64(text) == spki(parts.open()))
            expectRejection("key-unusable") {
                _ = try key.publicKey.withPrivateKeyFile(.der) { $0.count }
            }
        }
    }

    @Test("PKCS#1, PKCS#8 and SPKI give the same numbers") func read() throws {
        for key in Self.keys {
            let parts = try Parts(key)
            let bare = TestKeys.bare(key)
            let own = TestDER.tagged(0xa0, [])
            for (file, form) in [
                (parts.secret(), KeyFileContents.Format.pkcs1Private),
                (pkcs8(parts.secret()), .pkcs8),
                (pkcs8(parts.secret(), tail: own), .pkcs8),
            ] {
                let contents = try KeyFileContents(file)
                #expect(contents.formats == [form])
                let same = try TestKeys.bare(need(contents.keys.first))
                #expect(try same.privateJSON() == bare.privateJSON())
            }
            for (file, form) in [
                (parts.open(), KeyFileContents.Format.pkcs1Public), (spki(parts.open()), .spki),
            ] {
                let contents = try KeyFileContents(file)
                #expect(contents.formats == [form])
                let side = try need(contents.keys.first)
                #expect(!side.isPrivate && side.sizeBits == key.sizeBits)
                #expect(try TestKeys.bare(side).publicJSON() == bare.publicJSON())
            }
        }
    }

    @Test("trailing data at any depth, a missing value or another version is rejected")
    func form() throws {
        let parts = try Parts(TestKeys.signing)
        let null: [UInt8] = [0x05, 0x00]
        let one = TestDER.integer([1])
        var short = parts
        short.rest.removeLast()
        let files: [[UInt8]] = [
            parts.secret() + null, parts.open() + null, pkcs8(parts.secret()) + null,
            spki(parts.open()) + null,
            pkcs8(parts.secret() + null), spki(parts.open() + null),
            pkcs8(parts.secret(tail: one)), spki(parts.open(tail: one)),
            pkcs8(parts.secret(tail: null)), spki(parts.open(tail: null)),
            pkcs8(parts.secret(), tail: null), spki(parts.open(), tail: null),
            pkcs8(parts.secret(), version: 2), spki(parts.open(), unused: 1),
            pkcs8(short.secret()), spki([]), pkcs8([]),
        ]
        for file in files { #expect(try fileResult(file) == "malformed") }
        for version in [1, 2] as [UInt8] {
            expectRejection(
                "key-unusable", message: "RSA keys of more than two primes are not supported"
            ) {
                _ = try KeyFileContents(pkcs8(parts.secret(version: version)))
            }
        }
        let file = pkcs8(parts.secret())
        for count in stride(from: 0, to: file.count, by: 41) {
            #expect(try fileResult(Array(file[..<count])) == "malformed", "\(count) bytes")
        }
    }

    @Test("RFC 7518 6.3.1: n and e of a private key are checked before any computation")
    func shape() throws {
        let good = try Parts(TestKeys.signing)
        var even = good
        even.n[even.n.count - 1] &= 0xfe
        var three = good
        three.e = [3]
        var long = good
        long.e = [1, 0, 0, 0, 1]
        for (parts, message) in [
            (even, "the RSA modulus (n) is even"),
            (three, "the RSA exponent (e) is 3; it must be odd and at least 65,537"),
            (long, "the RSA exponent (e) has 5 bytes; at most 4 are allowed"),
        ] {
            for file in [pkcs8(parts.secret()), spki(parts.open())] {
                expectRejection("key-unusable", message: message) { _ = try KeyFileContents(file) }
            }
        }
        let limits = JOSELimits.with { $0.minRSABits = 2_049 }
        for file in [pkcs8(good.secret()), spki(good.open())] {
            #expect(try fileResult(file) == "accepted")
            expectRejection(
                "key-unusable",
                message:
                    "RSA modulus of 2,048 bits; at least 2,049 are required (JOSELimits.minRSABits)"
            ) {
                _ = try KeyFileContents(file, limits: limits)
            }
        }
        let integers: [([UInt8], String)] = [([], "has no contents"), ([0x80], "is negative")]
        for (contents, words) in integers {
            let key = TestDER.sequence(TestDER.integer(contents) + TestDER.integer([1, 0, 1]))
            expectRejection("malformed", says: words) { _ = try KeyFileContents(spki(key)) }
        }
        // The private part of another key.
        var mixed = good
        mixed.rest = try Parts(TestKeys.client).rest
        #expect(try fileResult(pkcs8(mixed.secret())) == "key-unusable")
    }
}
