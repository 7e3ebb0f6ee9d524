// The cost of password-protected files: every derivation is limited, and so is their sum (RFC 8018,
// 4.2; RFC 7292).

import JOSE
import JOSECrypto
import Testing

@Suite("Key files: the total number of iterations")
struct KeyFileWorkTests {
    private typealias Encryption = PKCS12Maker.Encryption
    private static let password = Array("pass".utf8)
    private let key: [UInt8]
    private let certificate: [UInt8]

    init() throws {
        let made = try JWK.generate(.curve(.ed25519))
        key = try made.privateKeyFile()
        certificate = try TestAuthority(TestKeys.stranger).certificate
    }

    /// The parameters of a derivation with this number of iterations.
    private func encryption(_ iterations: Int, _ hash: HashAlgorithm = .sha256) -> Encryption {
        var encryption = Encryption()
        encryption.hash = hash
        encryption.iterations = UInt32(iterations)
        encryption.iterationBytes = bytes(iterations)
        return encryption
    }

    /// The contents of an INTEGER.
    private func bytes(_ number: Int) -> [UInt8] {
        let bytes = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }.drop { $0 == 0 }
        return (bytes.first ?? 0x80) >= 0x80 ? [0] + bytes : Array(bytes)
    }

    private func pem(_ keys: [Encryption]) throws -> [UInt8] {
        try keys.flatMap { encryption in
            let der = try encryption.sealed(key, Self.password)
            return TestDER.pemFile("ENCRYPTED PRIVATE KEY", der)
        }
    }

    private func verdict(_ file: [UInt8], _ iterations: Int?) throws -> String {
        var limits = JOSELimits.standard
        if let iterations { limits.keyFileIterations = iterations }
        return try Rejection.verdict {
            _ = try KeyFileContents(file, password: Self.password, limits: limits)
        }
    }

    @Test("the keys of a PEM file share one budget, in which SHA-384 and SHA-512 count twice")
    func blocks() throws {
        let rows: [([Encryption], Int)] = [
            ([encryption(1_000)], 1_000),
            ([encryption(1_000), encryption(1_500)], 2_500),
            ([encryption(1_000, .sha384)], 2_000), ([encryption(1_000, .sha512)], 2_000),
            ([encryption(1_000), encryption(1_000, .sha512), encryption(1_001, .sha384)], 5_002),
            ([Encryption](repeating: encryption(1_000), count: 32), 32_000),
        ]
        for (keys, cost) in rows {
            let file = try pem(keys)
            #expect(try verdict(file, cost) == "accepted", "\(cost)")
            #expect(try verdict(file, cost - 1) == "limit-exceeded", "\(cost)")
            #expect(try verdict(file, 0) == "limit-exceeded")
        }
    }

    @Test("MAC, safes and keys of a PKCS#12 file share one budget")
    func bundle() throws {
        func file(_ safes: [[UInt8]], mac: Int) throws -> [UInt8] {
            var maker = PKCS12Maker(safes: safes)
            maker.iterations = bytes(mac)
            return try maker.file()
        }
        func safe(_ bags: [[UInt8]], _ encryption: Encryption) throws -> [UInt8] {
            try PKCS12Maker.encrypted(bags, encryption)
        }
        let open = PKCS12Maker.bag(1, key)
        let sealed = PKCS12Maker.bag(2, try encryption(1_000).sealed(key, Self.password))
        let costly = PKCS12Maker.bag(2, try encryption(1_000, .sha512).sealed(key, Self.password))
        let certificate = PKCS12Maker.certificateBag(certificate)
        let rows: [(safes: [[UInt8]], mac: Int, cost: Int)] = [
            ([PKCS12Maker.plain([open])], 500, 500),
            ([PKCS12Maker.plain([sealed])], 500, 1_500),
            ([PKCS12Maker.plain([sealed, costly])], 500, 3_500),
            ([try safe([certificate], encryption(700)), PKCS12Maker.plain([open])], 300, 1_000),
            ([try safe([sealed], encryption(700, .sha384))], 300, 2_700),
            (
                try [1, 2, 3].map { try safe([certificate], encryption($0)) }
                    + [try safe([sealed, costly], encryption(4))], 5, 3_015
            ),
            // Sixty safes, as many as fit into a file of a few kilobytes.
            (try [Int](repeating: 100, count: 60).map { try safe([], encryption($0)) }, 1, 6_001),
        ]
        for (safes, mac, cost) in rows {
            let file = try file(safes, mac: mac)
            #expect(try verdict(file, cost) == "accepted", "\(cost)")
            #expect(try verdict(file, cost - 1) == "limit-exceeded", "\(cost)")
        }
    }

    @Test("one derivation at the limit fits the budget, two with SHA-512 do not")
    func defaults() throws {
        let one = try encryption(1_000_000, .sha512).sealed(key, Self.password)
        #expect(try verdict(one, nil) == "accepted")
        // The second is rejected before its derivation: its ciphertext may be anything.
        let next = TestDER.sequence(
            encryption(1_000).algorithm + TestDER.tagged(0x04, [UInt8](repeating: 1, count: 64)))
        #expect(
            try verdict([one, next].flatMap { TestDER.pemFile("ENCRYPTED PRIVATE KEY", $0) }, nil)
                == "limit-exceeded")
    }

    @Test("a file with certificates as this library writes it is within the budget")
    func own() throws {
        let root = try TestAuthority(TestKeys.stranger)
        let key = try TestKeys.signing.withCertificates(
            [root.leaf(TestKeys.signing), root.certificate])
        let file = try key.pkcs12File(password: Self.password)
        #expect(try verdict(file, nil) == "accepted")
        #expect(try verdict(file, 1_800_000) == "accepted")
        #expect(try verdict(file, 1_799_999) == "limit-exceeded")
    }

    @Test("the budget is charged with a whole cost or nothing")
    func account() {
        var work = PasswordWork(10)
        for (hash, iterations, wanted, left) in [
            (.sha256, 11, false, 10), (.sha512, 6, false, 10), (.sha512, 3, true, 4),
            (.sha256, 4, true, 0), (.sha384, 1, false, 0), (.sha256, 0, true, 0),
        ] as [(HashAlgorithm, UInt32, Bool, UInt64)] {
            let taken = work.spend(hash, iterations)
            #expect(taken == wanted && work.left == left, "\(hash), \(iterations)")
        }
        #expect(PasswordWork(-1).left == 0)
        var most = PasswordWork(.max)
        let taken = most.spend(.sha384, .max)
        #expect(taken && most.left == UInt64(Int.max) - 2 * UInt64(UInt32.max))
    }
}
