// Elliptic curve keys in DER and PEM: round trips, and every rejected encoding (RFC 5480, 5915,
// 5958, 8410).

import JOSE
import Testing

@Suite("Key files: elliptic curve keys")
struct CurveKeyFileTests {
    private func read(_ bytes: [UInt8]) throws -> JWK {
        try need(KeyFileContents(bytes).keys.first)
    }

    /// Only the numbers, since a key file has no kid.
    private func numbers(_ key: JWK) throws -> String { try TestKeys.bare(key).privateJSON() }

    @Test("DER and PEM, private and public, with and without a password", arguments: JWKCurve.all)
    func roundTrip(_ curve: JWKCurve) throws {
        let key = try JWK.generate(.curve(curve))
        for encoding in [JWK.FileEncoding.der, .pem] {
            let file = try key.privateKeyFile(encoding)
            #expect(try numbers(read(file)) == numbers(key))
            let open = try key.publicKeyFile(encoding)
            let side = try read(open)
            #expect(!side.isPrivate && side.curve == curve)
            #expect(try numbers(side) == numbers(key.publicKey))
            #expect(try key.publicKey.publicKeyFile(encoding) == open)
        }
        let sealed = try key.privateKeyFile(.pem, password: Array("pass".utf8))
        let opened = try KeyFileContents(sealed, password: Array("pass".utf8))
        #expect(opened.formats == [.encryptedPKCS8])
        #expect(try numbers(need(opened.keys.first)) == numbers(key))
        let bundle = try key.pkcs12File(password: Array("pass".utf8))
        let unpacked = try KeyFileContents(bundle, password: Array("pass".utf8))
        #expect(try numbers(need(unpacked.keys.first)) == numbers(key))
        expectRejection("key-unusable") {
            _ = try key.publicKey.withPrivateKeyFile(.der) { $0.count }
        }
    }

    @Test(
        "DER is read as DER even if it contains a PEM line, and text may precede PEM")
    func looksLikePEM() throws {
        let key = try JWK.generate(.curve(.ed25519))
        let line = Array("\n-----BEGIN PRIVATE KEY-----\nMA==\n".utf8)
        var der = try key.privateKeyFile()
        der.append(contentsOf: [0xa0, UInt8(line.count + 2), 0x04, UInt8(line.count)] + line)
        der[1] = UInt8(der.count - 2)
        try #require(der.count < 130)
        #expect(try numbers(read(der)) == numbers(key))
        // With an extra byte it is not a single value any more: the line counts.
        #expect(throws: JOSEError.self) { try read(der + [0]) }
        let pem = try key.privateKeyFile(.pem)
        #expect(try numbers(read(Array("0\u{2} of 1\n".utf8) + pem)) == numbers(key))
    }

    @Test("RFC 5915 3, RFC 8410 7: a private key file is written byte for byte")
    func exact() throws {
        let key = try JWK.generate(.curve(.p256))
        let head: [UInt8] = [
            0x30, 0x81, 0x87, 0x02, 0x01, 0x00,
            0x30, 0x13, 0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01,
            0x06, 0x08, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07,
            0x04, 0x6d, 0x30, 0x6b, 0x02, 0x01, 0x01, 0x04, 0x20,
        ]
        let point: [UInt8] = [0xa1, 0x44, 0x03, 0x42, 0x00, 0x04]
        #expect(
            try key.privateKeyFile() == head + KeyText.bytes(key, "d") + point
                + KeyText.bytes(key, "x")
                + KeyText.bytes(key, "y"))
        let edwards = try JWK.generate(.curve(.ed25519))
        #expect(
            try edwards.privateKeyFile() == [
                0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22,
                0x04, 0x20,
            ] + KeyText.bytes(edwards, "d"))
    }

    @Test("RFC 8410 10: the published Ed25519 keys are read, with and without public part")
    func published() throws {
        let version1 = """
            -----BEGIN PRIVATE KEY-----
            MC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC
            -----END PRIVATE KEY-----
            """
        let version2 = """
            -----BEGIN PRIVATE KEY-----
            MHICAQEwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC
            oB8wHQYKKoZIhvcNAQkJFDEPDA1DdXJkbGUgQ2hhaXJzgSEAGb9ECWmEzf6FQbrB
            Z9w7lshQhqowtrbLDFw4rXAxZuE=
            -----END PRIVATE KEY-----
            """
        let open = """
            -----BEGIN PUBLIC KEY-----
            MCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=
            -----END PUBLIC KEY-----
            """
        let keys = try [version1, version2, open].map { try read(Array($0.utf8)) }
        #expect(try numbers(keys[0]) == numbers(keys[1]))
        #expect(try numbers(keys[0].publicKey) == numbers(keys[2]))
        #expect(keys[0].curve == .ed25519 && keys[0].isPrivate)
        // The public part of another key.
        var wrong = try Independent.base64(version2)
        wrong[wrong.count - 1] ^= 1
        #expect(try fileResult(wrong) == "key-unusable")
    }

    @Test("a symmetric key cannot be written to a key file")
    func symmetric() throws {
        let key = try JWK.generate(.symmetric(bits: 256))
        expectRejection("key-unusable") { _ = try key.publicKeyFile(.der) }
        expectRejection("key-unusable") { _ = try key.publicKeyFile(.pem) }
        expectRejection("key-unusable") { _ = try key.withPrivateKeyFile(.der) { $0.count } }
        expectRejection("key-unusable") { _ = try key.pkcs12File(password: [0x70]) }
    }

    @Test(
        "a truncated, lengthened or changed file is rejected or is another key",
        arguments: JWKCurve.all)
    func damaged(_ curve: JWKCurve) throws {
        let key = try JWK.generate(.curve(curve))
        for file in [try key.privateKeyFile(), try key.publicKeyFile(.der)] {
            for count in 0..<file.count {
                #expect(try fileResult(Array(file[..<count])) == "malformed", "\(count) bytes")
            }
            #expect(try fileResult(file + [0]) == "malformed")
            for index in file.indices {
                // In PKCS#8 version 2 a public key may follow but is optional.
                let isVersion = file[..<index].suffix(2) == [0x02, 0x01] && file[index] == 0
                for bit in [0, 7] as [UInt8] where bit == 7 || !isVersion {
                    var changed = file
                    changed[index] ^= 1 << bit
                    guard try fileResult(changed) == "accepted" else { continue }
                    // The only possible change is a bit of the key, which gives another key.
                    #expect(try numbers(read(changed)) != numbers(key), "byte \(index)")
                }
            }
        }
    }

    // MARK: hand-made files

    private static let p256: [UInt8] = [0x06, 0x08, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07]
    private static let p384: [UInt8] = [0x06, 0x05, 0x2b, 0x81, 0x04, 0x00, 0x22]
    private static let elliptic: [UInt8] = [0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01]

    private static let ed25519: [UInt8] = [0x06, 0x03, 0x2b, 0x65, 0x70]
    private static let x25519: [UInt8] = [0x06, 0x03, 0x2b, 0x65, 0x6e]

    private struct Parts {
        let x: [UInt8]
        let y: [UInt8]
        let d: [UInt8]

        init(_ key: JWK) throws {
            x = try KeyText.bytes(key, "x")
            y = try KeyText.bytes(key, "y")
            d = try KeyText.bytes(key, "d")
        }

        var point: [UInt8] { [4] + x + y }
    }

    private func sec1(
        _ d: [UInt8], _ point: [UInt8]? = nil, curve: [UInt8]? = p256, version: UInt8 = 1,
        unused: UInt8 = 0
    ) -> [UInt8] {
        TestDER.sequence(
            TestDER.integer([version]) + TestDER.tagged(0x04, d)
                + (curve.map { TestDER.tagged(0xa0, $0) } ?? [])
                + (point.map { TestDER.tagged(0xa1, TestDER.tagged(0x03, [unused] + $0)) } ?? []))
    }

    @Test("SEC 1 alone needs a curve, the public point is optional")
    func sec1Files() throws {
        let key = try JWK.generate(.curve(.p256))
        let parts = try Parts(key)
        let other = try Parts(JWK.generate(.curve(.p256)))
        for good in [sec1(parts.d, parts.point), sec1(parts.d)] {
            #expect(try numbers(read(good)) == numbers(key))
        }
        for (bad, wanted) in [
            (sec1(parts.d, parts.point, curve: nil), "malformed"),
            (sec1(parts.d, other.point), "key-unusable"),
            (sec1(other.d, parts.point), "key-unusable"),
            (sec1(parts.d, parts.point, curve: Self.p384), "malformed"),
            (sec1(parts.d, curve: Self.p384), "malformed"),
            (sec1(parts.d, parts.point, version: 0), "malformed"),
            (sec1(parts.d, parts.point, version: 2), "malformed"),
            (sec1(parts.d, parts.point, unused: 1), "malformed"),
            (sec1(Array(parts.d.dropFirst())), "malformed"),
            (sec1([0] + parts.d), "malformed"),
            (sec1([]), "malformed"),
            (sec1([UInt8](repeating: 0, count: 32)), "key-unusable"),
            (sec1([UInt8](repeating: 0xff, count: 32)), "key-unusable"),
            (sec1(parts.d, []), "malformed"),
            (sec1(parts.d, [0]), "malformed"),
            (sec1(parts.d, [2 + parts.y[31] & 1] + parts.x), "key-unusable"),
            (sec1(parts.d, [6 + parts.y[31] & 1] + parts.x + parts.y), "malformed"),
            (sec1(parts.d, curve: [0x06, 0x03, 0x2b, 0x65, 0x70]), "key-unusable"),
            (sec1(parts.d, curve: [0x06, 0x05, 0x2b, 0x81, 0x04, 0x00, 0x01]), "key-unusable"),
            (sec1(parts.d, curve: TestDER.sequence(TestDER.integer([1]))), "key-unusable"),
            (sec1(parts.d, curve: Self.p256 + Self.p256), "malformed"),
            (sec1(parts.d, curve: []), "malformed"),
        ] {
            #expect(try fileResult(bad) == wanted)
        }
    }

    @Test("PKCS#8: only named curves, exactly one curve and one public key")
    func pkcs8Files() throws {
        let key = try JWK.generate(.curve(.p256))
        let parts = try Parts(key)
        let other = try Parts(JWK.generate(.curve(.p256)))
        let named = Self.elliptic + Self.p256
        let inner = sec1(parts.d, parts.point, curve: nil)
        let attributes = TestDER.tagged(0xa0, [])
        let own = TestDER.tagged(0x81, [0] + parts.point)
        let foreign = TestDER.tagged(0x81, [0] + other.point)
        let octets = TestDER.tagged(0x04, parts.d)
        let explicit = Self.elliptic + TestDER.sequence(TestDER.integer([1]))
        for good in [
            pkcs8(named, inner), pkcs8(named, sec1(parts.d, curve: nil)),
            pkcs8(named, sec1(parts.d, parts.point)), pkcs8(named, inner, tail: attributes),
            pkcs8(named, inner, version: 1, tail: own),
            pkcs8(named, inner, version: 1, tail: attributes + own),
        ] {
            #expect(try numbers(read(good)) == numbers(key))
        }
        for (bad, wanted) in [
            (pkcs8(explicit, inner), "key-unusable"),
            (pkcs8(Self.elliptic, inner), "malformed"),
            (pkcs8(Self.elliptic + [0x05, 0x00], inner), "malformed"),
            (pkcs8(named + [0x05, 0x00], inner), "malformed"),
            (pkcs8(Self.elliptic + Self.p384, inner), "malformed"),
            (pkcs8(named, sec1(parts.d, parts.point, curve: Self.p384)), "key-unusable"),
            (pkcs8(named, inner, version: 2), "malformed"),
            (pkcs8(named, inner, version: 0, tail: own), "malformed"),
            (pkcs8(named, inner, version: 1, tail: foreign), "key-unusable"),
            (pkcs8(named, sec1(parts.d, curve: nil), version: 1, tail: foreign), "key-unusable"),
            (pkcs8(named, inner + [0]), "malformed"),
            (pkcs8(named, octets), "malformed"),
            (pkcs8(Self.ed25519, inner), "malformed"),
            (pkcs8(Self.ed25519 + [0x05, 0x00], octets), "malformed"),
            (pkcs8(Self.ed25519, parts.d), "malformed"),
            (pkcs8(Self.ed25519, TestDER.tagged(0x04, parts.d + [0])), "malformed"),
            (pkcs8([0x06, 0x03, 0x2b, 0x65, 0x71], octets), "malformed"),
            (pkcs8([0x06, 0x03, 0x2b, 0x65, 0x72], octets), "key-unusable"),
        ] {
            #expect(try fileResult(bad) == wanted)
        }
    }

    @Test("SPKI: only uncompressed points of named curves")
    func spkiFiles() throws {
        let key = try JWK.generate(.curve(.p256))
        let parts = try Parts(key)
        let named = Self.elliptic + Self.p256
        #expect(try key.publicKeyFile(.der) == spki(named, parts.point))
        let explicit = Self.elliptic + TestDER.sequence(TestDER.integer([1]))
        // Other points: CurvePointFormTests.
        for (bad, wanted) in [
            (spki(named, []), "malformed"), (spki(named, parts.x + parts.y), "malformed"),
            (spki(named, parts.point, unused: 1), "malformed"),
            (spki(Self.elliptic + Self.p384, parts.point), "malformed"),
            (spki(Self.elliptic, parts.point), "malformed"),
            (spki(explicit, parts.point), "key-unusable"),
            (spki(Self.ed25519, parts.point), "malformed"),
            (spki(Self.x25519, [UInt8](repeating: 0, count: 32)), "key-unusable"),
        ] {
            #expect(try fileResult(bad) == wanted)
        }
    }
}
