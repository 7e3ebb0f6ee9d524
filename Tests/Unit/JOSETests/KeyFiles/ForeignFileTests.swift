// Unsupported files: each is named, with the command that converts it.

import JOSE
import Testing

@Suite("Key files of other programs")
struct ForeignFileTests {
    private static func pem(_ label: String, _ text: String = "b3BlbnNzaC1rZXktdjE=") -> [UInt8] {
        Array("-----BEGIN \(label)-----\n\(text)\n-----END \(label)-----\n".utf8)
    }

    private static func wide(_ text: String, big: Bool) -> [UInt8] {
        text.utf16.flatMap { unit in
            let bytes = [UInt8(unit >> 8), UInt8(truncatingIfNeeded: unit)]
            return big ? bytes : bytes.reversed()
        }
    }

    /// A file, its name in the error, and the program that converts it.
    private static let files: [(bytes: [UInt8], name: String, program: String)] = {
        let ssh = "AAAAB3NzaC1yc2EAAAADAQABAAAAgQ== someone@host"
        let publicText = "-----BEGIN PUBLIC KEY-----\n"
        var files: [([UInt8], String, String)] = [
            (pem("OPENSSH PRIVATE KEY"), "OpenSSH private", "ssh-keygen -p -m PKCS8"),
            (pem("PGP PRIVATE KEY BLOCK"), "PGP", "gpg --export"),
            (pem("PGP PUBLIC KEY BLOCK", "Version: 1\n\nAAAA\n=AAAA"), "PGP", "ssh-keygen"),
            (pem("PGP MESSAGE"), "PGP", "gpg"),
            (pem("SSH2 PUBLIC KEY"), "SSH2", "ssh-keygen -i"),
            (Array("---- BEGIN SSH2 PUBLIC KEY ----\nAAAA".utf8), "SSH2", "ssh-keygen -i"),
            (Array("---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\n".utf8), "SSH2", "ssh-keygen -i"),
            (Array("PuTTY-User-Key-File-2: ssh-rsa\n".utf8), "PuTTY", "puttygen"),
            (Array("PuTTY-User-Key-File-3: ssh-ed25519\n".utf8), "PuTTY", "puttygen"),
            ([0xfe, 0xed, 0xfe, 0xed, 0, 0, 0, 2, 0, 0], "JKS", "keytool -importkeystore"),
            ([0xce, 0xce, 0xce, 0xce, 0, 0, 0, 2, 0, 0], "JCEKS", "-srcstoretype JCEKS"),
            ([0, 0, 0, 1, 0, 0, 0, 20, 0, 0], "BKS", "-srcstoretype BKS"),
            ([0, 0, 0, 2, 0, 0, 0, 20, 0, 0], "BKS", "keytool"),
            ([0x1e, 0xf1, 0xb5, 0xb0, 0, 0, 0, 0, 0], "PVK", "openssl rsa -inform PVK"),
            (Array("<RSAKeyValue><Modulus>AA==".utf8), "XML", "ExportPkcs8PrivateKeyPem"),
            ([0xff, 0xfe] + wide(publicText, big: false), "UTF-16", "iconv -f UTF-16"),
            ([0xfe, 0xff] + wide(publicText, big: true), "UTF-16", "iconv"),
            (wide(publicText, big: false), "UTF-16", "iconv"),
            (wide(publicText, big: true), "UTF-16", "iconv"),
            (wide("{\"kty\":\"RSA\"}", big: false), "UTF-16", "iconv"),
            (
                pem("RSA PRIVATE KEY", "Proc-Type: 4,ENCRYPTED\nDEK-Info: DES-EDE3-CBC,00\n\nAAAA"),
                "DEK-Info", "openssl pkcs8 -topk8"
            ),
            (
                pem(
                    "EC PRIVATE KEY", "Proc-Type: 4,ENCRYPTED\\nDEK-Info: AES-256-CBC,00\\n\\nAAAA"),
                "DEK-Info", "openssl pkcs8"
            ),
            (
                Array(
                    "{\"type\":\"service_account\",\"private_key\":\"-----BEGIN PRIVATE KEY-----\\n\"}"
                        .utf8), "service account", "jq -r .private_key"
            ),
        ]
        for start in [
            "ssh-rsa", "ssh-dss", "ecdsa-sha2-nistp256", "ecdsa-sha2-nistp521",
            "sk-ssh-ed25519@openssh.com", "ssh-rsa-cert-v01@openssh.com",
        ] {
            files.append(
                (Array("\(start) \(ssh)".utf8), "OpenSSH public", "ssh-keygen -e -m PKCS8"))
            files.append((Array("\u{feff}\n\(start) \(ssh)".utf8), "OpenSSH public", "ssh-keygen"))
        }
        files.append(
            (Array("ssh-ed25519 \(ssh)".utf8), "OpenSSH public", "openssl pkey -pubin -inform DER"))
        return files
    }()

    @Test(
        "each file is named with the program that converts it",
        arguments: files.indices.map { $0 })
    func named(_ index: Int) {
        let (bytes, name, program) = Self.files[index]
        let error = expectRejection("unsupported", name) { _ = try KeyFileContents(bytes) }
        #expect(error?.message.contains(name) ?? false, "\(error?.message ?? "")")
        #expect(error?.message.contains(program) ?? false, "\(error?.message ?? "")")
    }

    @Test("certificate requests and version 1 certificates are recognised in DER, PEM, base64")
    func requests() throws {
        let key = TestKeys.bare(TestKeys.signing)
        let request = try key.certificateRequest(
            subject: CertificateSubject(commonName: "a"), .der)
        var draft = TestCertificate(subject: "a", issuer: "a", key: key)
        draft.version = 1
        let old = try draft.signed(by: key)
        for (der, name, command) in [
            (request, "certificate request", "openssl req"), (old, "version 1", "openssl x509"),
        ] {
            for file in [
                der, Self.pem("CERTIFICATE REQUEST", Independent.standardBase64(der)),
                Self.pem("CERTIFICATE", Independent.standardBase64(der)),
                Self.pem("X509 CRL", Independent.standardBase64(der)),
                Array(Independent.standardBase64(der).utf8),
            ] {
                let error = expectRejection("unsupported") { _ = try KeyFileContents(file) }
                #expect(error?.message.contains(name) ?? false)
                #expect(error?.message.contains(command) ?? false)
            }
        }
    }

    @Test("scrypt and unsupported ciphers of PKCS#8 are named")
    func encryptions() throws {
        func verdict(_ change: (inout PKCS12Maker.Encryption) -> Void) throws -> String {
            var sealing = PKCS12Maker.Encryption.thousand
            change(&sealing)
            let der = TestDER.sequence(
                sealing.algorithm + TestDER.tagged(0x04, [UInt8](repeating: 1, count: 32)))
            let error = expectRejection("unsupported") {
                _ = try KeyFileContents(der, password: Array("pass".utf8))
            }
            let text = error?.message ?? ""
            #expect(text.contains("openssl pkcs8"))
            return text
        }
        let scrypt: [UInt8] = [0x2b, 0x06, 0x01, 0x04, 0x01, 0xda, 0x47, 0x04, 0x0b]
        let named = try verdict { $0.derivationName = scrypt }
        #expect(named.contains("scrypt") && !named.contains("legacy"))
        let des: [UInt8] = [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x03, 0x07]
        #expect(try verdict { $0.otherCipher = des }.contains("legacy"))
        #expect(try verdict { $0.outerName = PKCS12Maker.pkcs5 + [3] }.contains("legacy"))
        let gcm = try verdict { $0.otherCipher = PKCS12Maker.aes + [46] }
        #expect(gcm.contains("AES-CBC") && !gcm.contains("legacy"))
    }

    @Test("a token, HTML, empty and unknown input are malformed, with the reason")
    func others() {
        for (text, word) in [
            ("eyJhbGciOiJSUzI1NiJ9.e30.AAAA", "token"), ("<html></html>", "HTML"), ("", "empty"),
            ("hello", "not a key file"), ("-----BEGIN", "not a key file"),
        ] {
            expectRejection("malformed", text, says: word) { _ = try KeyFileContents(text) }
        }
    }

    @Test("a trust store names them, too")
    func anchors() {
        for (bytes, name, _) in Self.files where !name.contains("service") {
            expectRejection("unsupported", name, says: name) {
                _ = try TrustStore(anchors: [bytes])
            }
        }
    }
}
