// Reading PKCS#12 files: every part that is accepted, and every part that is rejected (RFC 7292,
// RFC 8018).

import JOSE
import JOSECrypto
import Testing

@Suite("Reading PKCS#12 files")
struct PKCS12ReadTests {
    private typealias Encryption = PKCS12Maker.Encryption
    private static let password = Array("pass".utf8)
    private let key: [UInt8]
    private let certificate: [UInt8]

    init() throws {
        let made = try JWK.generate(.curve(.ed25519))
        key = try made.privateKeyFile()
        certificate = try TestAuthority(TestKeys.stranger).certificate
    }

    private func contents(
        _ file: [UInt8], _ password: [UInt8] = password, most: UInt32 = 100
    ) throws(PKCS12Error) -> (keys: [[UInt8]], certificates: [[UInt8]]) {
        let secret = SecretBytes(copying: password.span)
        let read = try PKCS12Contents(file.span, password: secret, maxIterations: most)
        return (read.keys.map(\.copied), read.certificates)
    }

    private func verdict(
        _ file: [UInt8], _ password: [UInt8] = password, most: UInt32 = 100
    ) -> String {
        do throws(PKCS12Error) {
            let read = try contents(file, password, most: most)
            return "\(read.keys.count) keys, \(read.certificates.count) certificates"
        } catch {
            return "\(error)"
        }
    }

    private func file(
        _ safes: [[UInt8]], _ change: (inout PKCS12Maker) -> Void = { _ in }
    ) throws -> [UInt8] {
        var maker = PKCS12Maker(safes: safes)
        change(&maker)
        return try maker.file()
    }

    private var keySafe: [UInt8] { PKCS12Maker.plain([PKCS12Maker.bag(1, key)]) }

    @Test("RFC 7292 4.2: plain keys, encrypted keys and certificates, exactly and in order")
    func bags() throws {
        let other = try TestAuthority(TestKeys.client, "Other").certificate
        let sealed = try Encryption().sealed(key, Self.password)
        let unknown = [
            PKCS12Maker.bag(4, otherBag), PKCS12Maker.bag(5, otherBag),
            PKCS12Maker.bag(6, TestDER.sequence([])),
        ]
        let first = [
            PKCS12Maker.bag(1, key), unknown[0], PKCS12Maker.bag(2, sealed),
            PKCS12Maker.certificateBag(certificate),
        ]
        let second = [PKCS12Maker.certificateBag(other), unknown[1], PKCS12Maker.bag(1, key)]
        let hidden = try PKCS12Maker.encrypted(first, Encryption())
        let alsoHidden = try PKCS12Maker.encrypted(second, Encryption())
        let files: [[[UInt8]]] = [
            [PKCS12Maker.plain(first), PKCS12Maker.plain(second)], [hidden, alsoHidden],
            [hidden, PKCS12Maker.plain(second)], [PKCS12Maker.plain(first + second)],
        ]
        for safes in files {
            let read = try contents(file(safes))
            #expect(read.keys == [key, sealed, key])
            #expect(read.certificates == [certificate, other])
        }
        #expect(try verdict(file([PKCS12Maker.plain(unknown)])) == "0 keys, 0 certificates")
        #expect(try verdict(file([])) == "0 keys, 0 certificates")
    }

    /// The content of a CRL bag or a secret bag of an unknown kind.
    private var otherBag: [UInt8] {
        TestDER.sequence(
            PKCS12Maker.oid(PKCS12Maker.pkcs5 + [99])
                + TestDER.tagged(0xa0, TestDER.tagged(0x04, [1, 2, 3])))
    }

    @Test("RFC 7292 4: the MAC uses SHA-2, must be valid, and has limited iterations")
    func mac() throws {
        let fine = "1 keys, 0 certificates"
        for hash in [HashAlgorithm.sha256, .sha384, .sha512] {
            #expect(try verdict(file([keySafe]) { $0.hash = hash }) == fine, "\(hash)")
            let corrupted = try file([keySafe]) { ($0.hash, $0.damagesMAC) = (hash, true) }
            #expect(verdict(corrupted) == "password", "\(hash)")
        }
        let old: [[UInt8]] = [
            [0x2b, 0x0e, 0x03, 0x02, 0x1a], PKCS12Maker.sha2 + [4], PKCS12Maker.sha2 + [8],
            [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x02, 0x05],
        ]
        for name in old {
            let bytes = try file([keySafe]) { $0.hashName = name }
            #expect(verdict(bytes) == "legacy")
        }
        #expect(try verdict(file([keySafe]) { $0.hash = nil }) == "noMAC")
        for (iterations, most, wanted) in [
            (nil, 1, fine), (nil, 2, fine), (nil, 0, "iterations"), ([1], 1, fine),
            ([2], 1, "iterations"), ([5], 5, fine), ([5], 4, "iterations"), ([5], 6, fine),
            ([0x01, 0x00, 0x00, 0x00, 0x01], .max, "iterations"), ([0xff], 100, "malformed"),
            ([0x01, 0, 0, 0, 0, 0, 0, 0, 0], .max, "malformed"),
        ] as [([UInt8]?, UInt32, String)] {
            let bytes = try file([keySafe]) { $0.iterations = iterations }
            #expect(verdict(bytes, most: most) == wanted, "\(iterations ?? []) of \(most)")
        }
    }

    @Test("RFC 7292 B.1: passwords of every length, right and wrong")
    func passwords() throws {
        for count in [0, 1, 2, 15, 1_023, 1_024] {
            let password = [UInt8](repeating: 0x61, count: count)
            let bytes = try file([keySafe]) { $0.password = password }
            #expect(verdict(bytes, password) == "1 keys, 0 certificates", "\(count)")
            #expect(verdict(bytes, password + [0x61]) != "1 keys, 0 certificates", "\(count)")
            if count > 0 {
                #expect(verdict(bytes, Array(password.dropLast())) == "password", "\(count)")
            }
        }
        let long = [UInt8](repeating: 0x61, count: 1_025)
        let bytes = try file([keySafe]) { $0.password = long }
        #expect(verdict(bytes, long) == "longPassword")
        #expect(verdict([], long) == "longPassword")
    }

    @Test("RFC 8018 6.2: safes use PBES2 with HMAC-SHA-2 and AES, and nothing older")
    func encryptions() throws {
        let bags = [PKCS12Maker.bag(1, key), PKCS12Maker.certificateBag(certificate)]
        func verdict(
            most: UInt32 = 100, _ change: (inout Encryption) -> Void
        ) throws -> String {
            var encryption = Encryption()
            change(&encryption)
            let safe = try PKCS12Maker.encrypted(bags, encryption)
            return try self.verdict(file([safe]) { $0.iterations = [1] }, most: most)
        }
        let fine = "1 keys, 1 certificates"
        for hash in [HashAlgorithm.sha256, .sha384, .sha512] {
            for size in [16, 24, 32] {
                let got = try verdict { ($0.hash, $0.keyBytes) = (hash, size) }
                #expect(got == fine, "\(hash), \(size)")
            }
        }
        for (iterations, most, wanted) in [
            (1, 1, fine), (5, 5, fine), (5, 6, fine), (5, 4, "iterations"), (2, 1, "iterations"),
        ] as [(UInt32, UInt32, String)] {
            let got = try verdict(most: most) { $0.iterations = iterations }
            #expect(got == wanted, "\(iterations) of \(most)")
        }
        func function(_ last: UInt8) -> [UInt8] {
            TestDER.sequence(
                PKCS12Maker.oid(PKCS12Maker.hmac + [last]) + PKCS12Maker.null)
        }
        let changes: [(String, (inout Encryption) -> Void)] = [
            ("legacy", { $0.otherHash = [] }), ("legacy", { $0.otherHash = function(7) }),
            ("legacy", { $0.otherHash = function(8) }), ("legacy", { $0.otherHash = function(12) }),
            ("legacy", { $0.otherCipher = PKCS12Maker.aes + [46] }),
            ("legacy", { $0.otherCipher = PKCS12Maker.aes + [1] }),
            (
                "legacy",
                { $0.otherCipher = [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x03, 0x07] }
            ),
            ("legacy", { $0.derivationName = PKCS12Maker.pkcs5 + [14] }),
            ("legacy", { $0.outerName = PKCS12Maker.pkcs5 + [3] }),
            ("legacy", { $0.outerName = PKCS12Maker.pkcs12 + [1, 3] }),
            ("malformed", { $0.otherOuter = TestDER.tagged(0x04, [1]) }),
            ("malformed", { $0.otherOuter = [] }),
            ("malformed", { $0.otherInner = TestDER.tagged(0x04, [1]) }),
            ("malformed", { $0.otherInner = [] }),
            ("malformed", { $0.iterationBytes = [0xff] }),
            ("iterations", { $0.iterationBytes = [0x01, 0, 0, 0, 0] }),
        ]
        for (index, (wanted, change)) in changes.enumerated() {
            #expect(try verdict(change) == wanted, "row \(index)")
        }
        // With a valid MAC, a safe that is unreadable because of another password or corruption.
        let corrupted = try PKCS12Maker.encrypted(bags, Encryption(), damage: true)
        #expect(try self.verdict(file([corrupted])) == "password")
        let other = try PKCS12Maker.encrypted(bags, Encryption(), [0x78])
        #expect(try self.verdict(file([other])) == "password")
        // The error of a later safe is reported.
        #expect(try self.verdict(file([keySafe, corrupted])) == "password")
    }

    @Test("RFC 7292 4.1: invalid lists of safes and invalid safes are rejected")
    func formats() throws {
        let good = try file([keySafe])
        #expect(verdict(good) == "1 keys, 0 certificates")
        for bytes in [[], [0x30], good + [0], Array(good.dropLast()), [0x30, 0x00]] as [[UInt8]] {
            #expect(verdict(bytes) == "malformed", "\(bytes.count) bytes")
        }
        #expect(try verdict(PKCS12Maker().file(of: [1, 2, 3])) == "malformed")
        #expect(try verdict(file([PKCS12Maker.data([1, 2, 3])])) == "malformed")
        #expect(try verdict(file([keySafe, PKCS12Maker.data([1, 2, 3])])) == "malformed")
        let noCertificate = PKCS12Maker.plain([PKCS12Maker.certificateBag([0x30, 0x00])])
        #expect(try verdict(file([noCertificate])) == "malformed")
        // Encrypted to a public key (RFC 5652 6.1).
        let inner = TestDER.sequence(
            PKCS12Maker.oid(PKCS12Maker.pkcs7 + [1])
                + TestDER.sequence(PKCS12Maker.oid(PKCS12Maker.aes + [42]))
                + TestDER.tagged(0x80, [UInt8](repeating: 1, count: 16)))
        let enveloped = TestDER.sequence(
            TestDER.integer([0]) + TestDER.tagged(0x31, []) + inner)
        let safe = TestDER.sequence(
            PKCS12Maker.oid(PKCS12Maker.pkcs7 + [3]) + TestDER.tagged(0xa0, enveloped))
        #expect(try verdict(file([safe])) == "legacy")
    }

    /// PKCS#7 of a kind (RFC 2315, 7) with these bytes after its identifier.
    private static func part(_ kind: UInt8, _ rest: [UInt8]) -> [UInt8] {
        TestDER.sequence(PKCS12Maker.oid(PKCS12Maker.pkcs7 + [kind]) + rest)
    }

    /// Values that libcrypto did not check until 3.0.13, and the ciphertext of a safe until 3.0.19:
    /// without it, libcrypto read from address 0.
    @Test("CVE-2024-0727, CVE-2025-69421: missing contents, safes and strings are rejected")
    func missing() throws {
        let empty = TestDER.tagged(0xa0, [])
        let null = TestDER.tagged(0xa0, PKCS12Maker.null)
        let nothing: [[UInt8]] = [[], empty, null, PKCS12Maker.null]
        // The contents of the file, whatever the MAC.
        for kind in 1...6 as ClosedRange<UInt8> {
            for rest in nothing {
                let bytes = try file([keySafe]) { $0.contents = Self.part(kind, rest) }
                #expect(verdict(bytes) == "malformed", "contents of kind \(kind): \(rest)")
            }
        }
        let other = try file([keySafe]) { $0.contents = Self.part(1, []) }
        #expect(verdict(other, Array("other".utf8)) == "malformed", "before any password")
        // Contents of another kind have a MAC without input.
        let sealed = try PKCS12Maker.encrypted([], Encryption())
        let encrypted = try file([keySafe]) { $0.contents = sealed }
        #expect(verdict(encrypted) == "malformed")
        // A plain safe and an encrypted one.
        for kind in [1, 6] as [UInt8] {
            for rest in nothing {
                let safe = Self.part(kind, rest)
                #expect(try verdict(file([safe])) == "malformed", "safe of kind \(kind): \(rest)")
                #expect(try verdict(file([keySafe, safe])) == "malformed")
            }
        }
        // An encrypted safe without its ciphertext, its algorithm or its parts.
        let name = PKCS12Maker.oid(PKCS12Maker.pkcs7 + [1])
        let algorithm = Encryption().algorithm
        let inner: [[UInt8]] = [
            name + algorithm, name + algorithm + PKCS12Maker.null, name, algorithm, [],
        ]
        for inner in inner {
            let version = TestDER.integer([0])
            for parts in [version + TestDER.sequence(inner), TestDER.sequence(inner), version] {
                let safe = Self.part(6, TestDER.tagged(0xa0, TestDER.sequence(parts)))
                #expect(try verdict(file([safe])) == "malformed", "\(inner.count), \(parts.count)")
            }
        }
        // An empty ciphertext is present, but no password decrypts it.
        #expect(try verdict(file([PKCS12Maker.safe(algorithm, [])])) == "password")
        // The values of bags, and the content of a certificate bag.
        for kind in 1...6 as ClosedRange<UInt8> {
            let name = PKCS12Maker.oid(PKCS12Maker.pkcs12 + [0x0a, 0x01, kind])
            for rest in [[], empty] + (kind == 6 ? [] : [null]) {
                let bag = TestDER.sequence(name + rest)
                #expect(
                    try verdict(file([PKCS12Maker.plain([bag])])) == "malformed",
                    "bag of kind \(kind): \(rest)")
            }
        }
        let x509 = PKCS12Maker.oid([0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x09, 0x16, 0x01])
        for rest in nothing {
            let bag = PKCS12Maker.bag(3, TestDER.sequence(x509 + rest))
            #expect(try verdict(file([PKCS12Maker.plain([bag])])) == "malformed", "\(rest)")
        }
    }

    @Test("RFC 7292 4: a MAC with a missing part is rejected")
    func missingOfMAC() throws {
        let name = PKCS12Maker.oid(PKCS12Maker.sha2 + [1])
        let code = TestDER.tagged(0x04, [UInt8](repeating: 7, count: 32))
        let salt = TestDER.tagged(0x04, [1, 2, 3, 4, 5, 6, 7, 8])
        let digest = TestDER.sequence(TestDER.sequence(name) + code)
        let contents = PKCS12Maker.data(TestDER.sequence(keySafe))
        let head = TestDER.integer([3]) + contents
        for mac in [
            [], digest, salt, digest + PKCS12Maker.null, TestDER.sequence(code) + salt,
            TestDER.sequence(TestDER.sequence(name)) + salt,
            TestDER.sequence(TestDER.sequence([]) + code) + salt,
        ] as [[UInt8]] {
            #expect(verdict(TestDER.sequence(head + TestDER.sequence(mac))) == "malformed")
        }
        let whole = digest + salt
        #expect(verdict(TestDER.sequence(head + TestDER.sequence(whole))) == "password")
        for body in [contents, TestDER.integer([3]), PKCS12Maker.null + contents] {
            let bytes = TestDER.sequence(body + TestDER.sequence(whole))
            #expect(verdict(bytes) == "malformed")
        }
    }

    @Test("32 keys and certificates are read, one more is rejected")
    func most() throws {
        let certificate = PKCS12Maker.certificateBag(self.certificate)
        for (certificates, keys, wanted) in [
            (31, 1, "1 keys, 31 certificates"), (0, 32, "32 keys, 0 certificates"),
            (32, 0, "0 keys, 32 certificates"), (32, 1, "tooMany"), (0, 33, "tooMany"),
        ] {
            let bags =
                [[UInt8]](repeating: certificate, count: certificates)
                + [[UInt8]](repeating: PKCS12Maker.bag(1, key), count: keys)
            #expect(try verdict(file([PKCS12Maker.plain(bags)])) == wanted)
            // The same in two safes.
            let halves = [bags[..<9], bags[9...]].map { PKCS12Maker.plain(Array($0)) }
            #expect(try verdict(file(halves)) == wanted)
        }
    }
}
