// ML-DSA keys and certificates of the tool, checked with the openssl command. Without ML-DSA in
// libcrypto the error messages are tested, and the rest is skipped.

import Foundation
import JOSE
import Testing

@Suite("ML-DSA keys (kty AKP) in josectl") struct KeyPairTests {
    private static let names = ["ML-DSA-44", "ML-DSA-65", "ML-DSA-87"]
    private static let isHere = SignatureAlgorithm.mlDSA44.isAvailable

    @Test("josectl handles a key of this type with and without libcrypto support")
    func said() throws {
        let tool = try Tool()
        let made = try tool.run("keys", "new", "--type", "AKP", "--out", "own", "--public", "open")
        let named = try tool.run(
            "keys", "new", "--alg", "ML-DSA-87", "--out", "own87", "--public", "open87")
        #expect((made.code, named.code) == (Self.isHere ? (0, 0) : (2, 2)), "\(named.error)")
        guard Self.isHere else {
            #expect(named.error.contains("has no ML-DSA-87;") && !tool.exists("own87"))
            #expect(made.error.contains("has no ML-DSA"), "\(made.error)")
            _ = try tool.run("keys", "new", "--type", "EC", "--out", "ec", "--public", "ec.open")
            let reported = try tool.run(
                "verify", "--key", "ec.open", "--alg", "ML-DSA-65", "ec.open")
            #expect(
                reported.code == 2 && reported.error.contains("has no ML-DSA-65;"),
                "\(reported.error)")
            let unknown = try tool.run("keys", "new", "--alg", "ML-DSA-66", "--out", "own66")
            #expect(unknown.error.contains("use one of RS256"))
            return
        }
        #expect(made.text.hasPrefix("ML-DSA-44, kid "), "\(made.text)")
        for (own, open) in [("own", "open"), ("own87", "open87")] {
            let key = try tool.onlyKey(own)
            #expect(key["kty"] as? String == "AKP" && key["use"] as? String == "sig")
            #expect(try tool.run("keys", "lint", open).text == "no defects found\n")
            #expect(try !tool.read(open).contains("priv"))
            let print = try tool.run("keys", "thumbprint", open).lines
            #expect(print == [key["kid"] as? String ?? ""])
            let published = try tool.run("keys", "public", own)
            #expect(try published.text == tool.read(open))
            let name = try #require(key["alg"] as? String)
            try tool.write("hello", to: "text")
            let token = try tool.run("sign", "--key", own, "text")
            try tool.write(token.text, to: "token")
            let verified = try tool.run("verify", "--key", open, "--alg", name, "token")
            #expect(verified.code == 0 && verified.text == "hello", "\(verified.error)")
            // The key's own `alg` names it. It is not allowed under another name.
            #expect(try tool.run("verify", "--key", open, "token").code == 0)
            for other in ["RS256", "ML-DSA-65"] {
                let rejected = try tool.run("verify", "--key", open, "--alg", other, "token")
                #expect(rejected.code == 1, "\(other): \(rejected.error)")
            }
            #expect(
                try tool.run("keys", "new", "--alg", name, "--bits", "2048", "--out", "x").code == 2
            )
        }
    }

    @Test("explain reports that the policy does not name it, or the key's defect")
    func explained() throws {
        guard Self.isHere else { return try explainedElsewhere() }
        let tool = try Tool()
        try tool.run("keys", "new", "--alg", "ML-DSA-44", "--out", "own", "--public", "open")
        try tool.write(#"{"iss":"a","aud":"b","exp":2000000000}"#, to: "claims")
        try tool.write(try tool.run("sign", "--key", "own", "claims").text, to: "token")
        let words = [
            "explain", "--verification-keys", "open", "--layers", "signed", "--issuer", "a",
            "--audience", "b", "--at", "1800000000",
        ]
        let right = try tool.run(words + ["--alg", "ML-DSA-44", "token"])
        #expect(right.code == 0, "\(right.text) \(right.error)")
        let rejected = try tool.run(words + ["--alg", "ES256", "token"])
        #expect(
            rejected.code == 1 && (rejected.text + rejected.error).contains("algorithm"),
            "\(rejected.text)")
    }

    /// The RFC's key in a set that this libcrypto cannot use.
    private func explainedElsewhere() throws {
        let tool = try Tool()
        let vectors = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../Vectors/rfc9964.json")
        let file = try JSONSerialization.jsonObject(with: Data(contentsOf: vectors))
        let keys = try #require((file as? [String: Any])?["keys"] as? [String: [String: Any]])
        var key = try #require(keys["mldsa44"])
        key["priv"] = nil
        try tool.write(keys: [key], to: "open")
        let lint = try tool.run("keys", "lint", "open")
        #expect(
            lint.code == 1 && lint.text.contains("not supported by the installed"), "\(lint.text)")
        #expect(!lint.text.contains("its alg"), "\(lint.text)")
    }

    @Test(
        "openssl key files: the seed, or seed and expanded key, never the expanded key alone",
        .enabled(if: isHere, "this libcrypto has no ML-DSA"), arguments: names)
    func files(_ name: String) throws {
        let tool = try Tool()
        try tool.openssl("genpkey -algorithm \(name) -out both.pem")
        try tool.openssl("pkey -in both.pem -pubout -out public.pem")
        for form in ["seed-only", "priv-only"] {
            try tool.openssl(
                "pkey -in both.pem -provparam ml-dsa.output_formats=\(form) -out \(form).pem")
        }
        for file in ["both", "seed-only"] {
            let response = try tool.run("keys", "import", file + ".pem", "--out", file)
            #expect(response.code == 0, "\(file): \(response.error)")
        }
        #expect(try tool.read("both") == tool.read("seed-only"))
        let expanded = try tool.run("keys", "import", "priv-only.pem", "--out", "x")
        #expect(expanded.code == 1 && expanded.error.contains("expected its seed"))
        // Each byte of the expanded key must follow from the seed. This checks some of them, in
        // DER.
        try tool.openssl("pkey -in both.pem -outform DER -out both.der")
        let good = try [UInt8](Data(contentsOf: tool.url("both.der")))
        for place in [good.count - 1, good.count - 700, good.count / 2, 100] {
            var changed = good
            changed[place] ^= 1
            try Data(changed).write(to: tool.url("changed.der"))
            let response = try tool.run("keys", "import", "changed.der", "--out", "x")
            #expect(
                response.code == 1 && response.error.contains("key-unusable"),
                "\(place): \(response.error)")
        }
        // The reverse: openssl reads ours.
        try tool.run("keys", "export", "both", "--private", "--out", "back.pem")
        try tool.openssl("pkey -in back.pem -pubout -out again.pem")
        try tool.run("keys", "export", "both", "--out", "back.pub")
        #expect(try tool.read("again.pem") == tool.read("public.pem"))
        #expect(try tool.read("back.pub") == tool.read("public.pem"))
    }

    @Test(
        "RFC 9881: josectl validates chains by openssl, and openssl validates ours",
        .enabled(if: isHere, "this libcrypto has no ML-DSA"), arguments: names + ["RSA"])
    func chains(_ issuer: String) throws {
        let tool = try Tool.withAuthority(issuer)
        for name in Self.names {
            try tool.write(
                "keyUsage=critical,digitalSignature\nbasicConstraints=CA:FALSE\n"
                    + Tool.authorityKey, to: "leaf.ext")
            try tool.openssl("genpkey -algorithm \(name) -out leaf.key")
            try tool.openssl("req -new -key leaf.key -out leaf.csr -subj /CN=leaf")
            try tool.openssl(
                "x509 -req -in leaf.csr -CA ca.pem -CAkey ca.key -days 20 -set_serial 7 "
                    + "-extfile leaf.ext -out leaf.pem")
            try tool.run("keys", "import", "leaf.key", "--use", "sig", "--out", "leaf", "--force")
            let certified = try tool.run(
                "keys", "certify", "leaf", "--chain", "leaf.pem", "--out", "own", "--force")
            #expect(certified.code == 0, "\(certified.error)")
            try tool.run("keys", "public", "own", "--out", "open", "--force")
            let response = try tool.run("chain", "verify", "open", "--anchors", "ca.pem")
            #expect(
                response.code == 0, "\(name) under \(issuer): \(response.error) \(response.text)")
            #expect(try tool.run("keys", "lint", "open").code == 0)
            // A request by our key, which openssl issues with its own key.
            try tool.run("keys", "certify", "leaf", "--csr", "--out", "r.csr", "--force")
            try tool.openssl("req -in r.csr -verify -noout")
        }
    }
}
