// keys new, public, thumbprint and lint with elliptic curve and symmetric keys.

import Foundation
import Testing

@Suite("New elliptic curve and symmetric keys") struct CurveNewTests {
    @Test("keys new by curve and type never puts a private member into the public set")
    func made() throws {
        let tool = try Tool()
        for curve in ["P-256", "Ed25519"] {
            let response = try tool.run(
                "keys", "new", "--curve", curve, "--use", "sig", "--alg",
                curve == "P-256" ? "ES256" : "Ed25519", "--out", curve, "--public", curve + ".pub",
                "--json")
            #expect(response.code == 0, "\(response.error)")
            #expect(try tool.onlyKey(curve)["crv"] as? String == curve)
            #expect(try tool.onlyKey(curve)["d"] is String)
            #expect(try !tool.read(curve + ".pub").contains("\"d\""))
            let print = try tool.run("keys", "thumbprint", curve + ".pub").lines
            #expect(print == [try tool.onlyKey(curve)["kid"] as? String ?? ""])
            #expect(try tool.run("keys", "lint", curve + ".pub").code == 0)
            let shown = try tool.run("keys", "public", curve)
            #expect(shown.code == 0 && !shown.text.contains("\"d\""))
        }
        for (words, wanted) in [
            (["--curve", "P-384"], ["ES384", "ECDH-ES+A256KW"]),
            (["--type", "EC"], ["ES256", "ECDH-ES+A256KW"]),
            (["--type", "OKP"], ["Ed25519", "ECDH-ES+A256KW"]),
            (["--curve", "X25519"], ["ECDH-ES+A256KW"]), (["--curve", "Ed448"], ["Ed448"]),
            (["--alg", "EdDSA"], ["EdDSA"]),
            (["--alg", "ECDH-ES", "--curve", "X448"], ["ECDH-ES"]),
            (["--alg", "PS256"], ["PS256"]),
        ] {
            let response = try tool.run(["keys", "new"] + words + ["--out", "some", "--force"])
            #expect(response.code == 0, "\(words): \(response.error)")
            #expect(try tool.keys("some").map { $0["alg"] as? String } == wanted, "\(words)")
            try tool.write(response.text, to: "some.pub")
            #expect(try tool.run("keys", "lint", "some.pub").code == 0, "\(words)")
        }
        for words in [
            ["--curve", "P-256", "--type", "OKP"], ["--curve", "p-256"], ["--type", "ec"],
            ["--type", "DSA"], ["--curve", "Ed25519", "--alg", "RS256"],
            ["--curve", "P-256", "--alg", "ES384"], ["--curve", "X25519", "--use", "sig"],
            ["--curve", "P-256", "--use", "sig", "--bits", "256"], ["--bits", "1024"],
            ["--bits", "2049"],
        ] {
            let response = try tool.run(["keys", "new"] + words + ["--out", "none"])
            #expect(response.code == 2, "\(words): \(response.error)")
        }
        #expect(!tool.exists("none"))
    }

    @Test("A symmetric key is written only to its file")
    func symmetric() throws {
        let tool = try Tool()
        let response = try tool.run("keys", "new", "--alg", "HS256", "--out", "secret")
        #expect(response.code == 0, "\(response.error)")
        let k = try #require(try tool.onlyKey("secret")["k"] as? String)
        #expect(try tool.mode("secret") == 0o600 && k.utf8.count == 43)
        #expect(!response.text.contains(k))
        let open = try tool.run(
            "keys", "new", "--alg", "HS256", "--out", "other", "--public", "open")
        #expect(open.code == 2 && !tool.exists("other") && !tool.exists("open"))
        let short = try tool.run("keys", "new", "--alg", "HS512", "--bits", "256", "--out", "x")
        #expect(short.code == 2 && !tool.exists("x"))
        for command in ["public", "export"] {
            let response = try tool.run("keys", command, "secret")
            #expect(
                response.code == 1 && response.error.contains("key-unusable"), "\(response.error)")
            #expect(!response.text.contains(k))
        }
        #expect(try tool.run("keys", "lint", "secret").code == 1)
        #expect(try tool.run("keys", "lint", "secret", "--private").code == 0)
        try tool.write(
            "{\"kty\":\"oct\",\"k\":\"AAAA\",\"alg\":\"HS256\",\"use\":\"sig\",\"kid\":\"a\"}",
            to: "short")
        #expect(try tool.run("keys", "lint", "short", "--private").code == 1)
    }
}
