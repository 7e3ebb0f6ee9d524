// keys import and export: round trips with the openssl command, and files that are rejected.

import Foundation
import Testing

@Suite("Key files") struct KeyFileTests {
    private static let password = "correct horse"

    /// A directory with `key.pem`, the numbers of the shared signing key, and its password.
    private func withKey() throws -> Tool {
        let tool = try Tool()
        try tool.write(try SharedKeys.key(0, private: true), to: "key.jwk")
        try tool.write(secret: Self.password + "\n", to: "password")
        let response = try tool.run("keys", "export", "key.jwk", "--private", "--out", "key.pem")
        #expect(response.code == 0, "\(response.error)")
        return tool
    }

    @Test("Every key file format of openssl is read, with the same numbers")
    func forms() throws {
        let tool = try withKey()
        #expect(try tool.mode("key.pem") == 0o600)
        #expect(try tool.openssl("pkey -in key.pem -check -noout").contains("valid"))
        let forms = [
            "rsa -in key.pem -traditional -out pkcs1.pem",
            "rsa -in key.pem -traditional -outform DER -out pkcs1.der",
            "pkey -in key.pem -out pkcs8.pem",
            "pkcs8 -topk8 -nocrypt -in key.pem -outform DER -out pkcs8.der",
            "pkcs8 -topk8 -in key.pem -v2 aes-256-cbc -passout file:password -out enc256.pem",
            "pkcs8 -topk8 -in key.pem -v2 aes-128-cbc -v2prf hmacWithSHA512 -iter 10000 "
                + "-passout file:password -outform DER -out enc128.der",
        ]
        for form in forms {
            try tool.openssl(form)
            let name = String(form.split(separator: " ").last ?? "")
            let response = try tool.run(
                "keys", "import", name, "--password-file", "password", "--out", name + ".jwks")
            #expect(response.code == 0, "\(name): \(response.error)")
            #expect(try tool.mode(name + ".jwks") == 0o600)
            let wanted = try jsonObject(Data(contentsOf: tool.url("key.jwk")))
            let got = try tool.onlyKey(name + ".jwks")
            for member in ["n", "e", "d", "p", "q", "dp", "dq", "qi"] {
                #expect(got[member] as? String == wanted[member] as? String, "\(name) \(member)")
            }
        }
    }

    @Test("Public keys are read and written, as PEM and DER")
    func publicKeys() throws {
        let tool = try withKey()
        try tool.openssl("pkey -in key.pem -pubout -out spki.pem")
        try tool.openssl("pkey -in key.pem -pubout -outform DER -out spki.der")
        try tool.openssl("rsa -in key.pem -RSAPublicKey_out -out pkcs1.pem")
        let modulus = try #require(
            try tool.run("keys", "public", "key.jwk").objects()[0]["n"] as? String)
        for name in ["spki.pem", "spki.der", "pkcs1.pem"] {
            let response = try tool.run("keys", "import", name, "--use", "sig", "--kid", "a")
            #expect(response.code == 0, "\(response.error)")
            #expect(response.text.contains(modulus))
            #expect(!response.text.contains("\"d\""))
        }
        try tool.run("keys", "export", "key.jwk", "--out", "ours.pem")
        try tool.run("keys", "export", "key.jwk", "--der", "--out", "ours.der")
        #expect(try tool.read("ours.pem") == tool.read("spki.pem"))
        #expect(
            try Data(contentsOf: tool.url("ours.der")) == Data(contentsOf: tool.url("spki.der")))
    }

    @Test("openssl reads the key files that josectl writes, encrypted ones too")
    func export() throws {
        let tool = try withKey()
        try tool.openssl("pkcs8 -topk8 -nocrypt -in key.pem -outform DER -out theirs.der")
        try tool.run("keys", "export", "key.jwk", "--private", "--der", "--out", "ours.der")
        #expect(
            try Data(contentsOf: tool.url("ours.der")) == Data(contentsOf: tool.url("theirs.der")))
        for (option, name) in [("", "sealed.pem"), ("--der", "sealed.der")] {
            let words = ["keys", "export", "key.jwk", "--private", "--password-file", "password"]
            let response = try tool.run(words + (option.isEmpty ? [] : [option]) + ["--out", name])
            #expect(response.code == 0, "\(response.error)")
            #expect(try tool.mode(name) == 0o600)
            let form = option.isEmpty ? "PEM" : "DER"
            try tool.openssl(
                "pkcs8 -in \(name) -inform \(form) -passin file:password -out back.pem")
            #expect(try tool.read("back.pem") == tool.read("key.pem"))
            let again = try tool.run(
                "keys", "import", name, "--password-file", "password", "--out", name + ".jwks")
            #expect(again.code == 0, "\(again.error)")
        }
    }

    @Test("PKCS#12 with its chain: leaf first, x5t#S256, and missing or old protection is rejected")
    func pkcs12() throws {
        let tool = try withKey()
        try tool.openssl(
            "req -x509 -newkey rsa:2048 -nodes -keyout ca.key -out ca.pem -days 30 -subj /CN=ca "
                + "-addext keyUsage=critical,keyCertSign")
        try tool.write(
            "keyUsage=critical,digitalSignature\nsubjectKeyIdentifier=hash\n"
                + "authorityKeyIdentifier=keyid\nbasicConstraints=CA:FALSE\n", to: "ext")
        try tool.openssl("req -new -key key.pem -out leaf.csr -subj /CN=leaf")
        try tool.openssl(
            "x509 -req -in leaf.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 20 "
                + "-extfile ext -out leaf.pem"
        )
        try tool.openssl(
            "pkcs12 -export -inkey key.pem -in leaf.pem -certfile ca.pem -out good.p12 "
                + "-passout file:password")
        let response = try tool.run(
            "keys", "import", "good.p12", "--password-file", "password", "--out", "own.jwks")
        #expect(response.code == 0, "\(response.error)")
        let key = try tool.onlyKey("own.jwks")
        let chain = try #require(key["x5c"] as? [String])
        #expect(chain.count == 2)
        #expect(key["x5t#S256"] is String && key["d"] is String)
        let leaf = try tool.openssl("x509 -in leaf.pem").split(separator: "\n")
            .dropFirst().dropLast().joined()
        #expect(chain.first == leaf)
        try tool.run("keys", "public", "own.jwks", "--out", "public.jwks")
        let verified = try tool.run("chain", "verify", "public.jwks", "--anchors", "ca.pem")
        #expect(verified.code == 0, "\(verified.text)\(verified.error)")
        // The certificate as a file, as some providers require.
        try tool.run("keys", "export", "own.jwks", "--certificate", "--der", "--out", "leaf.cer")
        #expect(try tool.openssl("x509 -inform DER -in leaf.cer -noout -subject").contains("leaf"))

        try tool.openssl(
            "pkcs12 -export -inkey key.pem -in leaf.pem -out nomac.p12 -nomac "
                + "-passout file:password")
        try tool.openssl(
            "pkcs12 -export -inkey key.pem -in leaf.pem -out old.p12 -macalg sha1 "
                + "-passout file:password")
        try tool.openssl(
            "pkcs12 -export -inkey key.pem -in leaf.pem -out des.p12 -certpbe PBE-SHA1-3DES "
                + "-passout file:password")
        try tool.write(secret: "wrong", to: "wrong")
        for (name, code, secret) in [
            ("nomac.p12", "malformed", "password"), ("old.p12", "unsupported", "password"),
            ("des.p12", "unsupported", "password"), ("good.p12", "decryption-failed", "wrong"),
        ] {
            let response = try tool.run(
                "keys", "import", name, "--password-file", secret, "--out", "none.jwks")
            #expect(
                response.code == 1 && response.error.contains(code), "\(name): \(response.error)")
        }
        #expect(!tool.exists("none.jwks"))
    }

    @Test("Hostile files are rejected with the reason, and leave no output")
    func hostile() throws {
        let tool = try withKey()
        try tool.openssl(
            "genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -pkeyopt ec_param_enc:explicit "
                + "-out ec8.pem")
        try tool.openssl("ecparam -name prime256v1 -param_enc explicit -genkey -noout -out ec1.pem")
        try tool.openssl("genrsa -out short.pem 1024")
        try tool.openssl(
            "pkcs8 -topk8 -in key.pem -v2 aes-256-cbc -v2prf hmacWithSHA1 -passout file:password "
                + "-out sha1.pem")
        try tool.openssl(
            "pkcs8 -topk8 -in key.pem -iter 1000001 -passout file:password -out many.pem")
        try tool.openssl("pkcs8 -topk8 -in key.pem -passout file:password -out sealed.pem")
        try tool.openssl("pkcs8 -topk8 -nocrypt -in key.pem -outform DER -out key.der")
        let der = try Data(contentsOf: tool.url("key.der"))
        var damaged = der
        damaged[der.count - 20] ^= 1
        try damaged.write(to: tool.url("damaged.der"))
        let pem = try tool.read("key.pem")
        try tool.write(pem.replacingOccurrences(of: "END", with: "BEGIN"), to: "open.pem")
        try tool.write(
            pem.replacingOccurrences(of: "PRIVATE KEY", with: "PRIVATE"), to: "label.pem")
        try tool.write("hello", to: "text")
        try tool.write(secret: "wrong", to: "wrong")
        let cases = [
            ("ec8.pem", "key-unusable", "explicit"), ("ec1.pem", "key-unusable", "explicit"),
            ("short.pem", "key-unusable", "1,024 bits"), ("sha1.pem", "unsupported", "PBES2"),
            ("many.pem", "limit-exceeded", "iterations"),
            ("damaged.der", "key-unusable", "inconsistent"), ("open.pem", "malformed", "END"),
            ("label.pem", "malformed", "label"), ("text", "malformed", "not a key file"),
            ("sealed.pem", "decryption-failed", "wrong"),
        ]
        let before = try tool.names()
        for (name, code, word) in cases {
            let secret = code == "decryption-failed" ? "wrong" : "password"
            let response = try tool.run(
                "keys", "import", name, "--password-file", secret, "--out", "out.jwks")
            #expect(
                response.code == 1 && response.error.contains(code)
                    && response.error.contains(word),
                "\(name): \(response.code) \(response.error)")
        }
        let missing = try tool.run("keys", "import", "sealed.pem", "--out", "out.jwks")
        #expect(missing.code != 0 && missing.error.contains("password"))
        #expect(try tool.names() == before)
    }

    @Test("A private key needs an output file, and an existing file is kept")
    func places() throws {
        let tool = try withKey()
        #expect(try tool.run("keys", "import", "key.pem").code == 2)
        #expect(try tool.run("keys", "export", "key.jwk", "--private").code == 2)
        try tool.write("precious", to: "there")
        #expect(try tool.run("keys", "import", "key.pem", "--out", "there").code == 3)
        let export = ["keys", "export", "key.jwk", "--private", "--out", "there"]
        #expect(try tool.run(export).code == 3)
        #expect(try tool.read("there") == "precious")
        #expect(try tool.run(export + ["--force"]).code == 0)
        #expect(try tool.mode("there") == 0o600)
        let printed = try tool.run("keys", "import", "key.pem", "--out", "-")
        #expect(printed.code == 0 && printed.text.contains("\"d\""))
    }
}
