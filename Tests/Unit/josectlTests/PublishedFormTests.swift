// The tool's output: PKCS#12 files, public sets without private bytes, kid values compared byte by
// byte.

import Foundation
import Testing

@Suite("Output formats") struct PublishedFormTests {
    @Test("openssl and josectl read our PKCS#12: key, chain, name, modern algorithms")
    func pkcs12() throws {
        let tool = try Tool.withAuthority()
        let kid = try SharedKeys.kid(0)
        try tool.run(
            "keys", "certify", "private.jwks", "--ca", "ca.pem", "--ca-key", "ca.key", "--kid", kid,
            "--out", "own.jwks")
        try tool.write(secret: "pass wörd\n", to: "password")
        let export = [
            "keys", "export", "own.jwks", "--kid", kid, "--pkcs12", "--password-file", "password",
        ]
        let response = try tool.run(export + ["--out", "own.p12"])
        #expect(response.code == 0, "\(response.error)")
        #expect(try tool.mode("own.p12") == 0o600)

        let info = try tool.openssl(
            "pkcs12 -in own.p12 -passin file:password -info -noout", errorsToo: true)
        #expect(info.contains("MAC: sha256, Iteration 600000"), "\(info)")
        #expect(
            info.components(separatedBy: "PBES2, PBKDF2, AES-256-CBC, Iteration 600000").count == 3)
        #expect(info.components(separatedBy: "hmacWithSHA256").count == 3)
        let all = try tool.openssl("pkcs12 -in own.p12 -passin file:password -nodes")
        #expect(all.components(separatedBy: "BEGIN CERTIFICATE").count == 3)
        #expect(all.contains("friendlyName: \(kid)"))
        try tool.write(all, to: "all.pem")
        try tool.openssl("pkey -in all.pem -out theirs.pem")
        try tool.run("keys", "export", "own.jwks", "--kid", kid, "--private", "--out", "ours.pem")
        #expect(try tool.read("theirs.pem") == tool.read("ours.pem"))

        let back = try tool.run(
            "keys", "import", "own.p12", "--password-file", "password", "--out", "back.jwks")
        #expect(back.code == 0, "\(back.error)")
        let got = try tool.onlyKey("back.jwks")
        let own = try #require(try tool.keys("own.jwks").first { $0["kid"] as? String == kid })
        for member in ["n", "d", "p", "q", "x5t#S256"] {
            #expect(got[member] as? String == own[member] as? String, "\(member)")
        }
        #expect(got["x5c"] as? [String] == own["x5c"] as? [String])
        try tool.write(secret: "pass word\n", to: "wrong")
        let rejected = try tool.run(
            "keys", "import", "own.p12", "--password-file", "wrong", "--out", "none")
        #expect(rejected.code == 1 && rejected.error.contains("decryption-failed"))

        // Without a chain, and entries that do not exist.
        let bare = try tool.run(
            "keys", "export", "private.jwks", "--kid", kid, "--pkcs12", "--password-file",
            "password", "--out", "bare.p12")
        #expect(bare.code == 0, "\(bare.error)")
        let alone = try tool.openssl("pkcs12 -in bare.p12 -passin file:password -nodes")
        #expect(alone.contains("PRIVATE KEY") && !alone.contains("CERTIFICATE"))
        #expect(try tool.run(Array(export.dropLast(2)) + ["--out", "x"]).code == 2)
        #expect(try tool.run(export + ["--private", "--out", "x"]).code == 2)
        #expect(try tool.run(export).code == 2, "a private file needs a name")
        let open = try tool.run(
            "keys", "export", "public.jwks", "--kid", kid, "--pkcs12", "--password-file",
            "password",
            "--out", "x")
        #expect(open.code == 1 && open.error.contains("key-unusable"))
        for secret in [Data(), Data("a\0b".utf8), Data(repeating: 0x61, count: 1_025)] {
            try secret.write(to: tool.url("odd"))
            let response = try tool.run(
                "keys", "export", "own.jwks", "--kid", kid, "--pkcs12", "--password-file", "odd",
                "--out", "x")
            #expect(response.code != 0 && !tool.exists("x"), "\(response.error)")
        }
    }

    @Test("RFC 7515 10.13: canonically equivalent kid values are different")
    func exactKids() throws {
        let tool = try Tool.withAuthority()
        let (one, other) = ("caf\u{e9}", "cafe\u{301}")
        #expect(one == other, "for Swift they are equal")
        let pool = try tool.keys("private.jwks")
        let keys = zip(pool, [one, other]).map { key, kid in
            var key = key
            (key["kid"], key["use"], key["alg"]) = (kid, "sig", "RS256")
            return key
        }
        try tool.write(keys: keys, to: "both.jwks")
        let lint = try tool.run("keys", "lint", "--private", "both.jwks")
        #expect(lint.code == 0, "\(lint.text)")
        try tool.run(
            "keys", "certify", "both.jwks", "--ca", "ca.pem", "--ca-key", "ca.key", "--kid", other,
            "--out", "own.jwks")
        let certified = try tool.keys("own.jwks").filter { $0["x5c"] != nil }
        #expect(certified.count == 1)
        #expect(certified.first?["n"] as? String == pool[1]["n"] as? String)
        try tool.run("keys", "public", "own.jwks", "--out", "open.jwks")
        let chain = ["chain", "verify", "open.jwks", "--anchors", "ca.pem", "--kid"]
        #expect(try tool.run(chain + [other]).code == 0)
        #expect(try tool.run(chain + [one]).text.contains("no certificates"))
        for (kid, index) in [(one, 0), (other, 1)] {
            let spki = try tool.run("keys", "export", "both.jwks", "--kid", kid)
            try tool.write(try SharedKeys.key(index, private: false), to: "single.jwk")
            #expect(spki.code == 0)
            #expect(try spki.text == tool.run("keys", "export", "single.jwk").text)
            let token = try tool.run(
                "sign", "--key", "both.jwks", "--kid", kid, "--alg", "RS256",
                input: Data("x".utf8))
            #expect(token.code == 0, "\(token.error)")
            let check = try tool.run(
                "verify", "--keys", "open.jwks", input: Data(token.output))
            #expect(check.code == 0, "\(check.error)")
        }
    }
}
