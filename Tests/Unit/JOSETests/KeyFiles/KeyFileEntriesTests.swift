// Files with several keys: each with its certificates and name, and the skipped entries.

import JOSE
import JOSECrypto
import Testing

@Suite("Key files with several entries")
struct KeyFileEntriesTests {
    private static let password = Array("pass".utf8)
    private let root: TestAuthority
    private let middle: TestAuthority
    private let curve: JWK

    init() throws {
        root = try TestAuthority(TestKeys.bare(TestKeys.stranger))
        middle = try TestAuthority(TestKeys.bare(TestKeys.client), "Middle", by: root)
        curve = try JWK.generate(.curve(.p256))
    }

    private func read(_ bags: [[UInt8]]) throws -> KeyFileContents {
        try KeyFileContents(
            PKCS12Maker(safes: [PKCS12Maker.plain(bags)]).file(), password: Self.password)
    }

    private var rsa: JWK { TestKeys.bare(TestKeys.signing) }

    @Test("RFC 7292 4.2: two keys, each with its chain and friendlyName, in any order of bags")
    func two() throws {
        let (rsa, name, id) = (rsa, "Signatur é 🔑", [1, 2] as [UInt8])
        let leaf = try middle.leaf(rsa)
        let other = try root.leaf(curve)
        let bags = [
            PKCS12Maker.bag(
                1, try rsa.privateKeyFile(), [PKCS12Maker.name(name), PKCS12Maker.keyID(id)]),
            PKCS12Maker.bag(
                2, try sealed(curve), [PKCS12Maker.name("enc"), PKCS12Maker.keyID([3])]),
            PKCS12Maker.certificateBag(leaf, [PKCS12Maker.keyID(id)]),
            PKCS12Maker.certificateBag(other, [PKCS12Maker.name("enc"), PKCS12Maker.keyID([3])]),
            PKCS12Maker.certificateBag(root.certificate),
            PKCS12Maker.certificateBag(middle.certificate),
        ]
        for turn in bags.indices {
            let contents = try read(Array(bags[turn...] + bags[..<turn]))
            let entries = try contents.entries()
            #expect(entries.warnings.isEmpty && contents.warnings.isEmpty)
            let byName = entries.keys.sorted { ($0.friendlyName ?? "") < ($1.friendlyName ?? "") }
            #expect(byName.map(\.friendlyName) == [name, "enc"])
            #expect(
                byName.map(\.key.certificateChain) == [
                    [leaf, middle.certificate, root.certificate], [other, root.certificate],
                ])
            #expect(byName.map(\.key.isPrivate) == [true, true])
            #expect(byName.map(\.key.keyID) == [nil, nil])
            expectRejection("key-not-found", says: "2 keys") { _ = try contents.key() }
        }
    }

    private func sealed(_ key: JWK) throws -> [UInt8] {
        try PKCS12Maker.Encryption.thousand.sealed(key.privateKeyFile(), Self.password)
    }

    @Test("of several certificates of a key, the one with its localKeyID is taken, and no other")
    func keyIDs() throws {
        let old = try root.leaf(rsa, "Old")
        let new = try root.leaf(rsa, "New")
        let bags = [
            PKCS12Maker.certificateBag(old, [PKCS12Maker.keyID([1])]),
            PKCS12Maker.certificateBag(new, [PKCS12Maker.keyID([2])]),
        ]
        for (id, wanted) in [([2], new), ([1], old), ([9], nil), ([], nil)]
            as [([UInt8], [UInt8]?)]
        {
            let attributes = id.isEmpty ? [] : [PKCS12Maker.keyID(id)]
            let contents = try read(
                [PKCS12Maker.bag(1, try rsa.privateKeyFile(), attributes)] + bags)
            guard let wanted else {
                expectRejection("key-unusable", says: "certificates 1 and 2 ") {
                    _ = try contents.entries()
                }
                continue
            }
            let entries = try contents.entries()
            #expect(entries.keys.map(\.key.certificateChain) == [[wanted]])
            #expect(entries.warnings.count == 1 && entries.warnings[0].isOmission)
        }
        // An identifier never assigns another key's certificate to a key.
        let wrong = try root.leaf(curve)
        let entries = try read([
            PKCS12Maker.bag(1, try rsa.privateKeyFile(), [PKCS12Maker.keyID([2])]),
            PKCS12Maker.certificateBag(wrong, [PKCS12Maker.keyID([2])]),
        ]).entries()
        #expect(entries.keys.map(\.key.certificateChain) == [nil])
        #expect(entries.warnings.count == 1)
    }

    @Test("invalid names are absent or repaired, never an error")
    func names() throws {
        let odd: [([UInt8], String?)] = [
            (PKCS12Maker.attribute(20, TestDER.tagged(0x0c, Array("utf8".utf8))), nil),
            (PKCS12Maker.attribute(20, TestDER.tagged(0x1e, [])), nil),
            (PKCS12Maker.attribute(20, TestDER.tagged(0x1e, [0xd8, 0x00])), "\u{fffd}"),
            (
                PKCS12Maker.name(String(repeating: "a", count: 1_024)),
                String(repeating: "a", count: 1_024)
            ),
            (PKCS12Maker.name(String(repeating: "a", count: 1_025)), nil),
            (PKCS12Maker.keyID([UInt8](repeating: 1, count: 300)), nil),
        ]
        for (attribute, name) in odd {
            let entries = try read([PKCS12Maker.bag(1, try rsa.privateKeyFile(), [attribute])])
                .entries()
            #expect(entries.keys.map(\.friendlyName) == [name])
        }
    }

    @Test("an unusable key is skipped with its reason, a file with no usable key is an error")
    func unusable() throws {
        let small = TestDER.sequence(
            TestDER.integer([0]) + TestDER.sequence(PKCS12Maker.oid([0x2b, 0x65, 0x71]))
                + TestDER.tagged(0x04, TestDER.tagged(0x04, [1, 2, 3])))
        let good = PKCS12Maker.bag(1, try rsa.privateKeyFile())
        let bad = PKCS12Maker.bag(1, small)
        let leaf = try root.leaf(rsa)
        for bags in [[good, bad], [bad, good], [bad, good, PKCS12Maker.certificateBag(leaf)]] {
            let contents = try read(bags)
            #expect(contents.keys.count == 1)
            #expect(contents.warnings.map(\.isOmission) == [true])
            #expect(try contents.entries().keys.count == 1)
            // A caller that asks for the only key gets a warning about another one.
            #expect(throws: JOSEError.self) { _ = try contents.key() }
        }
        for bags in [[bad], [bad, bad], [bad, PKCS12Maker.certificateBag(leaf)]] {
            #expect(throws: JOSEError.self) { _ = try read(bags) }
        }
    }

    @Test("certificates alone: each that issued no other gives a public key with its chain")
    func certificates() throws {
        let leaf = try middle.leaf(rsa)
        let other = try root.leaf(curve)
        let bags = [root.certificate, other, middle.certificate, leaf].map {
            PKCS12Maker.certificateBag($0)
        }
        let entries = try read(bags).entries()
        #expect(
            entries.keys.map(\.key.certificateChain) == [
                [other, root.certificate], [leaf, middle.certificate, root.certificate],
            ])
        #expect(entries.warnings.isEmpty && entries.keys.allSatisfy { !$0.key.isPrivate })
        let roots = try TestAuthority(TestKeys.bare(TestKeys.decrypting), "Other")
        let two = try read(
            [root.certificate, roots.certificate].map { PKCS12Maker.certificateBag($0) })
        #expect(try two.entries().keys.count == 2)
        expectRejection("key-not-found") { _ = try read([]).entries() }
    }

    @Test("bags of other kinds, unrelated certificates and duplicates give a warning")
    func warnings() throws {
        let key = PKCS12Maker.bag(1, try rsa.privateKeyFile())
        let unrelated = PKCS12Maker.certificateBag(root.certificate)
        let secret = PKCS12Maker.bag(
            5,
            TestDER.sequence(
                PKCS12Maker.oid(PKCS12Maker.pkcs5 + [99])
                    + TestDER.tagged(0xa0, TestDER.tagged(0x04, [1]))))
        #expect(try read([key, secret]).warnings.map(\.isOmission) == [true])
        for bags in [[key, unrelated], [key, key]] {
            let contents = try read(bags)
            let entries = try contents.entries()
            #expect(entries.keys.count == 1 && entries.warnings.map(\.isOmission) == [true])
        }
        // A public key next to its private key gives no warning.
        let both = try KeyFileContents(
            rsa.publicKeyFile(.pem) + rsa.privateKeyFile(.pem))
        #expect(both.keys.count == 2)
        #expect(try both.entries().keys.map(\.key.isPrivate) == [true])
        #expect(try both.entries().warnings.isEmpty)
    }

    @Test(
        "RFC 8018 6.2: a ciphertext that is not a multiple of the block size is malformed",
        arguments: [0, 1, 15, 17, 31])
    func emptyCiphertext(_ count: Int) throws {
        let sealing = PKCS12Maker.Encryption.thousand
        let bare = TestDER.sequence(
            sealing.algorithm + TestDER.tagged(0x04, [UInt8](repeating: 7, count: count)))
        expectRejection("malformed") { _ = try KeyFileContents(bare, password: Self.password) }
        expectRejection("malformed") { _ = try read([PKCS12Maker.bag(2, bare)]) }
        // A safe of that kind: the MAC is valid, and the content cannot be read.
        let safe = PKCS12Maker.safe(sealing.algorithm, [UInt8](repeating: 7, count: count))
        expectRejection("decryption-failed") {
            _ = try KeyFileContents(
                PKCS12Maker(safes: [safe]).file(), password: Self.password)
        }
    }

    @Test("scrypt and PBMAC1 of PKCS#12 are named")
    func modern() throws {
        let zeros = [UInt8](repeating: 7, count: 16)
        var sealing = PKCS12Maker.Encryption.thousand
        sealing.derivationName = [0x2b, 0x06, 0x01, 0x04, 0x01, 0xda, 0x47, 0x04, 0x0b]
        let error = expectRejection("unsupported", says: "scrypt") {
            let safe = PKCS12Maker.safe(sealing.algorithm, zeros)
            _ = try KeyFileContents(
                PKCS12Maker(safes: [safe]).file(), password: Self.password)
        }
        #expect(error?.message.contains("legacy") == false)
        // The same for a key in its own bag: the command is for the whole file.
        for (name, word) in [
            (sealing.derivationName, "scrypt"), (PKCS12Maker.pkcs5 + [3], "openssl pkcs12 -legacy"),
        ] {
            sealing.derivationName = name
            let key = TestDER.sequence(sealing.algorithm + TestDER.tagged(0x04, zeros))
            let error = expectRejection("unsupported", says: word) {
                _ = try read([PKCS12Maker.bag(2, key)])
            }
            #expect(error?.message.contains("all.pem") == true)
        }
        sealing = .thousand
        sealing.otherCipher = PKCS12Maker.aes + [46]
        let key = TestDER.sequence(sealing.algorithm + TestDER.tagged(0x04, zeros))
        let other = expectRejection("unsupported", says: "a cipher other than AES-CBC") {
            _ = try read([PKCS12Maker.bag(2, key)])
        }
        #expect(other?.message.contains("openssl pkcs12") == true)
        for (name, word) in [
            (PKCS12Maker.pkcs5 + [14], "PBMAC1"),
            ([0x2b, 0x0e, 0x03, 0x02, 0x1a], "openssl pkcs12 -legacy"),
        ] {
            var maker = PKCS12Maker(safes: [PKCS12Maker.plain([])])
            maker.hashName = name
            let file = try maker.file()
            expectRejection("unsupported", says: word) {
                _ = try KeyFileContents(file, password: Self.password)
            }
        }
    }
}
