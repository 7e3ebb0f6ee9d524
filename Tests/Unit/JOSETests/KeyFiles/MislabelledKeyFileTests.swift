// PEM blocks with the label of another format, which other programs read by their content.

import JOSE
import Testing

@Suite("Key files with wrong labels")
struct MislabelledKeyFileTests {
    private static let password = Array("pass".utf8)
    private static let labels = [
        "PRIVATE KEY", "RSA PRIVATE KEY", "EC PRIVATE KEY", "ENCRYPTED PRIVATE KEY", "PUBLIC KEY",
        "RSA PUBLIC KEY", "CERTIFICATE", "X509 CERTIFICATE", "TRUSTED CERTIFICATE",
        "ANY PRIVATE KEY", "EC PUBLIC KEY",
    ]

    /// Each format with its labels, from RSA and elliptic curve keys.
    private static func formats() throws -> [(
        der: [UInt8], form: KeyFileContents.Format, labels: [String]
    )] {
        let certificates = ["CERTIFICATE", "X509 CERTIFICATE", "TRUSTED CERTIFICATE"]
        var formats: [([UInt8], KeyFileContents.Format, [String])] = []
        for key in [TestKeys.bare(TestKeys.signing), try JWK.generate(.curve(.p256))] {
            let pkcs8 = try key.privateKeyFile()
            let spki = try key.publicKeyFile(.der)
            formats.append((pkcs8, .pkcs8, ["PRIVATE KEY"]))
            formats.append((spki, .spki, ["PUBLIC KEY"]))
            // The OCTET STRING in PKCS#8 and the BIT STRING in SPKI.
            func last(_ file: [UInt8]) throws -> [UInt8] {
                try need(DERValue.all(file)[0].inside().last).contents
            }
            let inner = try last(pkcs8)
            if key.keyType == .rsa {
                formats.append((inner, .pkcs1Private, ["RSA PRIVATE KEY"]))
                formats.append(
                    (Array(try last(spki).dropFirst()), .pkcs1Public, ["RSA PUBLIC KEY"]))
            }
            let sealing = PKCS12Maker.Encryption.thousand
            formats.append(
                (try sealing.sealed(pkcs8, password), .encryptedPKCS8, ["ENCRYPTED PRIVATE KEY"]))
            let root = try TestAuthority(TestKeys.bare(TestKeys.stranger))
            formats.append((try root.leaf(key), .certificate, certificates))
        }
        return formats
    }

    @Test(
        "each format is read with each label, and a wrong label gives a warning",
        arguments: labels)
    func all(_ label: String) throws {
        for (der, form, own) in try Self.formats() {
            let right = try KeyFileContents(der, password: Self.password)
            let contents = try KeyFileContents(
                TestDER.pemFile(label, der), password: Self.password)
            #expect(contents.formats == [form], "\(form.rawValue) under \(label)")
            #expect(contents.certificates == right.certificates)
            let names = try contents.keys.map { try $0.thumbprint() }
            #expect(try names == right.keys.map { try $0.thumbprint() })
            #expect(contents.keys.map(\.isPrivate) == right.keys.map(\.isPrivate))
            #expect(contents.warnings.isEmpty == own.contains(label), "\(form.rawValue) \(label)")
            #expect(contents.warnings.allSatisfy { !$0.isOmission && $0.position == 0 })
        }
    }

    @Test("data of another kind is never a key, and its labels are rejected")
    func others() throws {
        let two = TestDER.sequence(
            TestDER.integer([0] + [UInt8](repeating: 0xc5, count: 256)) + TestDER.integer([3]))
        for label in [
            "DH PARAMETERS", "X9.42 DH PARAMETERS", "DSA PARAMETERS", "SSL SESSION PARAMETERS",
            "PRIVATE KEYS", "KEY", "PRIVATE", "X509 CRL X", "private key",
        ] {
            expectRejection("malformed", label) { _ = try KeyFileContents(TestDER.pem(label, two)) }
        }
        for label in ["DSA PRIVATE KEY", "DSA PUBLIC KEY", "TSS2 PRIVATE KEY"] {
            expectRejection("unsupported", label) {
                _ = try KeyFileContents(TestDER.pem(label, two))
            }
        }
    }

    @Test("an unreadable block is skipped with a warning, and alone is the error")
    func neighbours() throws {
        let key = TestKeys.bare(TestKeys.signing)
        let good = String(decoding: try key.publicKeyFile(.pem), as: UTF8.self)
        let bad: [(String, String)] = [
            (TestDER.pem("PRIVATE KEY", [0x30, 0x03, 0x02, 0x01, 0x00]), "malformed"),
            (TestDER.pem("PUBLIC KEY", Array("no DER at all".utf8)), "malformed"),
            ("-----BEGIN PUBLIC KEY-----\n****\n-----END PUBLIC KEY-----\n", "malformed"),
            (TestDER.pem("OPENSSH PRIVATE KEY", Array("openssh-key-v1".utf8)), "unsupported"),
            (
                "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n"
                    + "DEK-Info: AES-128-CBC,00\n\nAAAA\n-----END RSA PRIVATE KEY-----\n",
                "unsupported"
            ),
            (
                "-----BEGIN PGP PUBLIC KEY BLOCK-----\nVersion: 1\n\nAAAA\n=AAAA\n"
                    + "-----END PGP PUBLIC KEY BLOCK-----\n",
                "unsupported"
            ),
        ]
        for (block, code) in bad {
            expectRejection(code) { _ = try KeyFileContents(block) }
            for (text, position) in [(block + good, 0), (good + block, 1)] {
                let contents = try KeyFileContents(text)
                #expect(try contents.keys.map { try $0.thumbprint() } == [key.thumbprint()])
                #expect(contents.warnings.map(\.isOmission) == [true])
                #expect(contents.warnings.map(\.position) == [position])
                #expect(try contents.entries().keys.count == 1)
            }
        }
        // One of several keys does not count as the only one, nor a certificate as its private key.
        expectRejection("malformed") { _ = try KeyFileContents(good + bad[0].0).key() }
        let root = try TestAuthority(TestKeys.bare(TestKeys.stranger))
        expectRejection("malformed") {
            _ = try KeyFileContents(bad[0].0 + TestDER.pem("CERTIFICATE", root.certificate))
        }
        // A missing password is reported first, whatever else is wrong.
        let sealed = try Self.formats().first { $0.form == .encryptedPKCS8 }
        expectRejection("misuse") {
            _ = try KeyFileContents(
                good + TestDER.pem("ENCRYPTED PRIVATE KEY", need(sealed).der))
        }
    }
}
