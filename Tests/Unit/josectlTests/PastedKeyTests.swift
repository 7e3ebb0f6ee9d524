// Key files of other programs are accepted for each option that takes a JWK. Also several entries
// of PKCS#12, PKCS#7 chains, and subjects of requests.

import Foundation
import Testing

@Suite("PEM files given as JWK") struct PastedKeyTests {
    /// A directory with `key.pem`, `open.pem` and `cert.pem`, and the token that the key signed.
    private func withKey() throws -> Tool {
        let tool = try Tool()
        try tool.openssl("genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048 -out key.pem")
        try tool.openssl("pkey -in key.pem -pubout -out open.pem")
        try tool.openssl("req -x509 -key key.pem -subj /CN=a -days 9 -out cert.pem")
        try tool.write("hello", to: "payload")
        return tool
    }

    @Test("sign, verify, encrypt, decrypt, seal and open accept PEM keys and certificates")
    func options() throws {
        let tool = try withKey()
        let missing = try tool.run("sign", "--key", "key.pem", "payload")
        #expect(missing.code == 2 && missing.error.contains("--alg"), "\(missing.error)")
        let token = try tool.run("sign", "--key", "key.pem", "--alg", "RS256", "payload")
        #expect(token.code == 0, "\(token.error)")
        for key in ["open.pem", "cert.pem", "key.pem"] {
            for alg in [[], ["--alg", "RS256"]] {
                let response = try tool.run(["verify", "--key", key, token.token] + alg)
                #expect(
                    response.code == 0 && response.text.hasPrefix("hello"),
                    "\(key) \(response.error)")
            }
            let wrong = try tool.run("verify", "--key", key, "--alg", "PS256", token.token)
            #expect(wrong.code == 1)
        }
        for key in ["open.pem", "cert.pem"] {
            let sealed = try tool.run(
                "encrypt", "--key", key, "--alg", "RSA-OAEP", "--enc", "A128GCM", "payload")
            #expect(sealed.code == 0, "\(sealed.error)")
            let opened = try tool.run("decrypt", "--key", "key.pem", sealed.token)
            #expect(opened.code == 0 && opened.text.hasPrefix("hello"), "\(opened.error)")
            let wrong = try tool.run("decrypt", "--key", key, sealed.token)
            #expect(wrong.code == 1)
        }
        let claims = Data("{\"iss\":\"a\",\"aud\":\"b\"}".utf8)
        let nested = try tool.run(
            [
                "seal", "--lifetime", "300", "--signing-key", "key.pem", "--alg", "RS256",
                "--encryption-key", "cert.pem", "--key-alg", "RSA-OAEP",
            ], input: claims)
        #expect(nested.code == 0, "\(nested.error)")
        let opened = try tool.run(
            "open", "--decryption-keys", "key.pem", "--verification-keys", "open.pem", "--issuer",
            "a", "--audience", "b", nested.token)
        #expect(opened.code == 0, "\(opened.error)")
        // A recipient's private key is rejected, as it is in a JWK.
        let own = try tool.run(
            "encrypt", "--key", "key.pem", "--alg", "RSA-OAEP", "--enc", "A128GCM", "payload")
        #expect(own.code == 2 && own.error.contains("private"))
    }

    @Test("keys public, thumbprint, lint, export and certify accept PEM")
    func keys() throws {
        let tool = try withKey()
        let set = try tool.run("keys", "public", "key.pem")
        #expect(set.code == 0 && !set.text.contains("\"d\""), "\(set.error)")
        let names = try ["key.pem", "open.pem", "cert.pem"].map {
            try tool.run("keys", "thumbprint", $0).text
        }
        #expect(Set(names).count == 1 && names[0].utf8.count > 40)
        #expect(try tool.run("keys", "lint", "open.pem").code == 0)
        #expect(try tool.run("keys", "lint", "key.pem").code == 1)
        #expect(try tool.run("keys", "export", "key.pem", "--out", "again.pem").code == 0)
        #expect(try tool.read("again.pem") == tool.read("open.pem"))
        let request = try tool.run("keys", "certify", "key.pem", "--csr", "--out", "a.csr")
        #expect(request.code == 0, "\(request.error)")
        try tool.openssl("req -in a.csr -verify -noout")
    }

    @Test("an encrypted file is rejected with the command that decrypts it")
    func encrypted() throws {
        let tool = try withKey()
        try tool.write("secret", to: "password")
        try tool.openssl(
            "pkcs8 -topk8 -in key.pem -v2 aes-256-cbc -passout file:password -out sealed.pem")
        let response = try tool.run("sign", "--key", "sealed.pem", "--alg", "RS256", "payload")
        #expect(
            response.code == 1 && response.error.contains("josectl keys import"),
            "\(response.error)")
        for word in ["scrypt", "v1"] {
            let form = word == "scrypt" ? "-scrypt" : "-v1 PBE-SHA1-3DES"
            try tool.openssl("pkcs8 -topk8 -in key.pem \(form) -passout file:password -out odd.pem")
            let odd = try tool.run("keys", "import", "odd.pem", "--password-file", "password")
            #expect(odd.code == 1 && odd.error.contains("openssl pkcs8"), "\(odd.error)")
            #expect(odd.error.contains("scrypt") == (word == "scrypt"), "\(odd.error)")
        }
    }

    @Test("certificate-only PKCS#12, and PKCS#7 in any order, become one key with its chain")
    func chains() throws {
        let tool = try Tool.withAuthority()
        try tool.run(
            "keys", "certify", "private.jwks", "--csr", "--kid", SharedKeys.kid(0), "--out", "a.csr"
        )
        try tool.openssl(
            "x509 -req -in a.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 20 "
                + "-copy_extensions copy -out leaf.pem")
        for (index, order) in [["leaf", "ca"], ["ca", "leaf"]].enumerated() {
            let names = order.map { "-certfile \($0).pem" }.joined(separator: " ")
            try tool.openssl("crl2pkcs7 -nocrl \(names) -out \(index).p7b")
            try tool.openssl("crl2pkcs7 -nocrl \(names) -outform DER -out \(index).p7c")
            for file in ["\(index).p7b", "\(index).p7c"] {
                let set = try tool.run("keys", "import", file, "--out", "-")
                #expect(set.code == 0, "\(set.error)")
                let keys = try #require(set.objects()[0]["keys"] as? [[String: Any]])
                #expect(keys.count == 1 && (keys[0]["x5c"] as? [String])?.count == 2)
                let chain = try tool.run("chain", "verify", file, "--anchors", "ca.pem")
                #expect(chain.code == 0, "\(chain.text)\(chain.error)")
                let attach = try tool.run(
                    "keys", "certify", "private.jwks", "--chain", file, "--out", "own.jwks",
                    "--force")
                #expect(attach.code == 0, "\(attach.error)")
            }
        }
        try tool.openssl("crl2pkcs7 -nocrl -certfile ca.pem -out roots.p7b")
        let chain = try tool.run("chain", "verify", "0.p7b", "--anchors", "roots.p7b")
        #expect(chain.code == 0, "\(chain.text)\(chain.error)")
        // A set that contains a leaf is not a set of trust anchors.
        #expect(try tool.run("chain", "verify", "0.p7b", "--anchors", "0.p7b").code == 1)
        try tool.write("secret", to: "password")
        try tool.openssl(
            "pkcs12 -export -nokeys -in leaf.pem -certfile ca.pem -passout file:password "
                + "-keypbe AES-256-CBC -certpbe AES-256-CBC -macalg sha256 -out certs.p12")
        let set = try tool.run(
            "keys", "import", "certs.p12", "--password-file", "password", "--out", "-")
        #expect(set.code == 0, "\(set.error)")
        let keys = try #require(set.objects()[0]["keys"] as? [[String: Any]])
        #expect(keys.count == 1 && (keys[0]["x5c"] as? [String])?.count == 2)
    }

    @Test("keys import reports skipped entries, and prints a private key only on request")
    func leftOut() throws {
        let tool = try withKey()
        let broken = "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"
        try tool.write(broken + tool.read("key.pem"), to: "both.pem")
        let response = try tool.run("keys", "import", "both.pem", "--out", "-")
        #expect(
            response.code == 0 && response.error.contains("item 1: left out"), "\(response.error)")
        let unasked = try tool.run("keys", "import", "both.pem")
        #expect(unasked.code == 2 && !unasked.text.contains("\"d\""))
        try tool.write(broken + tool.read("cert.pem"), to: "other.pem")
        #expect(try tool.run("keys", "import", "other.pem", "--out", "-").code == 1)
        let text = try tool.read("key.pem").split(separator: "\n").joined(separator: "\\n")
        try tool.write("\u{feff}\"\(text)\"", to: "env.pem")
        let pasted = try tool.run("keys", "import", "env.pem", "--out", "-")
        #expect(pasted.code == 0, "\(pasted.error)")
        let other = try tool.read("cert.pem").replacingOccurrences(
            of: "CERTIFICATE", with: "PUBLIC KEY")
        try tool.write(other, to: "label.pem")
        let label = try tool.run("keys", "import", "label.pem", "--out", "-")
        #expect(label.code == 0 && label.error.contains("label"), "\(label.error)")
    }

    @Test(
        "openssl reads the subject of a request as it was written",
        arguments: [
            "CN=client,O=Example\\, Inc,C=BE",
            "CN=client,serialNumber=00000001234567890000,O=Example,C=NL",
            "CN=client,organizationIdentifier=NTRBE-0123456789,O=Example,C=BE",
            "CN=a\\+b,OU=one,OU=two,O=Lu\\C4\\8Di\\C4\\87,DC=example,DC=com",
            "emailAddress=a@b,CN=\\ a\\ ,L=x,ST=y,street=z,postalCode=1,title=t,GN=g,SN=s",
        ])
    func subjects(_ subject: String) throws {
        let tool = try withKey()
        let response = try tool.run(
            "keys", "certify", "key.pem", "--csr", "--subject", subject, "--out", "a.csr")
        #expect(response.code == 0, "\(response.error)")
        let shown = try tool.openssl("req -in a.csr -noout -subject -nameopt RFC2253")
        #expect(shown == "subject=\(subject)\n")
        try tool.openssl("req -in a.csr -verify -noout")
    }
}
