// Messages about a wrong file, key or token: each reports the error and the fix, and the commands
// that it names work.

import Foundation
import JOSE
import JOSEBytes
import Testing

@testable import josectl

@Suite("Messages about wrong files, keys and tokens") struct MessageTests {
    private static let open = ["open", "--layers", "signed", "--verification-keys"]
    private static let claims = Data(#"{"iss":"a","exp":4000000000}"#.utf8)

    private func base64URL(_ bytes: some Sequence<UInt8>) -> String {
        Base64URL.encodeToString(Array(bytes).span)
    }

    private func token(_ header: String, _ claims: String = "{}") -> String {
        "\(base64URL(header.utf8)).\(base64URL(claims.utf8)).AAAA"
    }

    /// A directory with `private.jwks` and `public.jwks`, whose one key `k` signs with RS256.
    private func signer() throws -> Tool {
        let tool = try Tool()
        try tool.run(
            "keys", "new", "--use", "sig", "--alg", "RS256", "--kid", "k", "--out", "private.jwks",
            "--public", "public.jwks")
        return tool
    }

    private func signed(_ tool: Tool, _ claims: Data = MessageTests.claims) throws -> String {
        try tool.run(["sign", "--key", "private.jwks"], input: claims).token
    }

    // MARK: PKCS#12

    /// `one.p12` with the password in `pw`, the key of `key.pem` and its certificate.
    private func bundle(_ options: String = "") throws -> Tool {
        let tool = try Tool()
        try tool.write(secret: "sesame", to: "pw")
        try tool.openssl("genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048 -out key.pem")
        try tool.openssl("req -x509 -key key.pem -subj /CN=a -days 9 -out cert.pem")
        try tool.openssl(
            "pkcs12 -export \(options) -inkey key.pem -in cert.pem -out one.p12 -passout file:pw")
        return tool
    }

    @Test("The advice for a legacy PKCS#12 file keeps all keys: PEM, which can be imported")
    func legacy() throws {
        let tool = try bundle("-legacy")
        let response = try tool.run("keys", "import", "one.p12", "--password-file", "pw")
        #expect(
            response.code == 1 && !response.error.contains("pkcs12 -export"), "\(response.error)")
        #expect(
            response.error.contains("openssl pkcs12 -legacy -in FILE -nodes -out all.pem"))
        try tool.openssl("pkcs12 -legacy -in one.p12 -nodes -out all.pem -passin file:pw")
        #expect(try tool.run("keys", "import", "all.pem", "--out", "own.jwks").code == 0)
    }

    @Test("PKCS#12 used as a key set: the advice works for own keys and for public keys")
    func encryptedFile() throws {
        let tool = try bundle()
        let own = try tool.run(["sign", "--key", "one.p12"], input: Self.claims)
        let advice =
            "josectl keys import one.p12 --password-file FILE --kid KID --out private.jwks"
        #expect(own.code == 1 && own.error.contains(advice), "\(own.error)")
        try tool.run(
            "keys", "import", "one.p12", "--password-file", "pw", "--kid", "k", "--out",
            "private.jwks")
        let token = try tool.run(
            ["sign", "--key", "private.jwks", "--alg", "RS256"], input: Self.claims
        ).token
        for command in [["verify", "--key"], Self.open] {
            let other = try tool.run(command + ["one.p12", token])
            let advice = "openssl pkcs12 -in one.p12 -nokeys -out public.pem"
            #expect(other.code == 1 && other.error.contains(advice), "\(other.error)")
        }
        try tool.openssl("pkcs12 -in one.p12 -nokeys -out public.pem -passin file:pw")
        #expect(try tool.run("verify", "--key", "public.pem", token).code == 0)
        // An encrypted PKCS#8 file has no certificates.
        try tool.openssl("pkcs8 -topk8 -in key.pem -out key.p8 -passout file:pw")
        let other = try tool.run("verify", "--key", "key.p8", token)
        #expect(other.error.contains("openssl pkey -in key.p8 -pubout"), "\(other.error)")
        try tool.openssl("pkey -in key.p8 -pubout -out public.pem -passin file:pw")
        #expect(try tool.run("verify", "--key", "public.pem", token).code == 0)
    }

    @Test("An encrypted file without a password names --password-file")
    func noPassword() throws {
        let tool = try bundle()
        try tool.openssl("pkcs8 -topk8 -in key.pem -out key.p8 -passout file:pw")
        for name in ["one.p12", "key.p8"] {
            let response = try tool.run("keys", "import", name)
            #expect(
                response.code == 2 && response.error.contains("--password-file"),
                "\(response.error)")
        }
    }

    // MARK: what must not be repeated

    @Test("A password or PIN given as a file name is not repeated")
    func password() throws {
        let tool = try bundle()
        for word in ["hunter2", "correct horse", "a/b", "./x", ""] {
            for command in [
                ["keys", "import", "one.p12", "--password-file", word],
                ["keys", "export", "key.pem", "--private", "--password-file", word, "--out", "x"],
            ] {
                let response = try tool.run(command)
                #expect(response.code != 0 && !tool.exists("x"))
                #expect(response.error.contains("the file of --password-file"), "\(response.error)")
                #expect(word.isEmpty || !response.error.contains(word), "\(response.error)")
            }
        }
        #expect(
            try tool.run("keys", "import", "one.p12", "--password-file", "pw", "--out", "o").code
                == 0)
    }

    @Test("A key given as a file name is not repeated")
    func contents() throws {
        let tool = try bundle()
        let pem = try tool.read("key.pem")
        let base64 = pem.split(separator: "\n").dropFirst().dropLast().joined()
        for contents in [
            pem, " \n\(pem)", base64, #"{"kty":"oct","k":"c2VjcmV0c2VjcmV0"}"#, "[{}]",
            Data(pem.utf8).base64EncodedString(),
            "AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4h",
        ] {
            let response = try tool.run("verify", "--key", contents, "x")
            #expect(response.code == 3 && response.error.contains("found its contents"))
            #expect(response.error.utf8.count < 100, "\(response.error)")
        }
        let missing = try tool.run("verify", "--key", "missing.jwks", "x")
        #expect(missing.error.contains("cannot read missing.jwks"))
    }

    @Test("A URL given as a file name, and a token cut off or inside a URL")
    func urls() throws {
        let tool = try signer()
        let token = try signed(tool)
        for command in [["verify", "--key"], Self.open] {
            let keys = try tool.run(command + ["https://idp.example/jwks?x=secret", token])
            #expect(keys.code == 3 && keys.error.contains("found a URL"), "\(keys.error)")
            #expect(!keys.error.contains("secret"))
            for (argument, words) in [
                ("https://a.example/#id_token=\(token)&state=1", "the parameter id_token"),
                ("id_token=\(token)", "only the value of id_token"),
                ("https://a.example/?response=\(token)", "the parameter response"),
                ("code=1&access_token=\(token)", "the parameter access_token"),
                ("https://a.example/callback", "the text is a URL"),
                (String(token.prefix(24)), "it was cut off"),
            ] {
                let response = try tool.run(command + ["public.jwks", argument])
                #expect(response.code == 2 && response.error.contains(words), "\(response.error)")
                #expect(!response.error.contains(token.suffix(20)))
                let piped = try tool.run(command + ["public.jwks"], input: Data(argument.utf8))
                #expect(piped.code == 1 && !piped.error.contains(token.suffix(20)))
                #expect(
                    words == "it was cut off"
                        ? piped.error.contains("cut off") : piped.error.contains(words),
                    "\(piped.error)")
            }
            let start = "eyJhbGciOiJSUzI1NiJ9"
            for reason in ["No such file or directory", "Is a directory"] {
                let response = try tool.run(command + ["public.jwks", start])
                #expect(response.code == 2)
                #expect(
                    response.error.contains("it cannot be read as a file: \(reason)"),
                    "\(response.error)")
                try FileManager.default.createDirectory(
                    at: tool.folder.appendingPathComponent(start),
                    withIntermediateDirectories: true)
            }
            try FileManager.default.removeItem(at: tool.folder.appendingPathComponent(start))
            let cut = try tool.run(command + ["public.jwks", String(token.prefix(40))])
            #expect(cut.code == 1 && cut.error.contains("was it cut off?"), "\(cut.error)")
        }
    }

    // MARK: documents in the wrong place

    @Test(
        "JSON given as a token is named, and --form json only if it is a serialization",
        arguments: [
            (#"{"access_token":"a","id_token":"b"}"#, "token response"),
            (#"{"access_token":"a","token_type":"Bearer"}"#, "member access_token"),
            (#"{"keys":[]}"#, "JWK Set"), (#"{"kty":"RSA"}"#, "JWK, not a token"),
            (#"{"sub":"a","exp":1}"#, "decoded payload"),
        ])
    func documentAsToken(_ text: String, _ words: String) throws {
        let tool = try signer()
        for command in [["verify", "--key", "public.jwks"], Self.open + ["public.jwks"]] {
            let response = try tool.run(command, input: Data(text.utf8))
            #expect(response.code == 1 && response.error.contains(words), "\(response.error)")
            #expect(!response.error.contains("--form"), "\(response.error)")
        }
    }

    @Test("JSON given as keys is named by every command, with advice")
    func documentAsKeys() throws {
        let tool = try signer()
        try tool.write(#"{"issuer":"a","jwks_uri":"https://a.example/jwks"}"#, to: "wrong")
        let token = try signed(tool)
        for command in [
            ["verify", "--key", "wrong", token], Self.open + ["wrong", token],
            ["keys", "lint", "wrong"], ["sign", "--key", "wrong", "public.jwks"],
        ] {
            let response = try tool.run(command)
            #expect(
                response.code == 1 && response.error.contains("the URL in its member jwks_uri"),
                "\(response.error)")
        }
    }

    @Test(
        "Truncated JSON is reported as ending too early, wherever it was cut",
        arguments: [
            #"{"keys":[{"kid":"ab"#, #"{"keys":[{"kid":"ab\"#, #"{"keys":[{"kid":"é"#,
            #"{"keys":[{"x":tr"#, #"{"keys":[{"x":1."#, #"{"keys":[{"x":-"#, #"{"keys":["#,
            #"{"keys":[{"kid":"a""#, #"{"keys":[{"kid":"a","#, #"{"keys":[{"kid":"#,
        ])
    func cutOff(_ text: String) throws {
        let tool = try Tool()
        try tool.write(text, to: "cut")
        let response = try tool.run("keys", "lint", "cut")
        #expect(
            response.code == 1
                && response.error.contains("the JSON ends too early, at byte \(text.utf8.count)"),
            "\(response.error)")
        try tool.write(text + "\n]", to: "whole")
        let other = try tool.run("keys", "lint", "whole")
        #expect(other.code == 1 && !other.error.contains("at byte \(text.utf8.count) "))
    }

    // MARK: algorithms

    @Test("No option is suggested for unacceptable algorithms, nor for a MAC with public keys")
    func neverAccepted() throws {
        let tool = try signer()
        for (header, words) in [
            (#"{"alg":"none"}"#, "the sender must sign"),
            (#"{"alg":"RSA1_5"}"#, "not a signature algorithm"),
            (#"{"alg":"RS1"}"#, "use RS256 or PS256"),
            (#"{"alg":"HS256"}"#, "made with a shared secret"),
            (#"{"alg":"HS512"}"#, "made with a shared secret"),
        ] {
            for command in [["verify", "--key"], Self.open, ["explain"] + Self.open.dropFirst()] {
                let response = try tool.run(command + ["public.jwks", token(header)])
                let text = response.text + response.error
                #expect(response.code == 1 && text.contains(words), "\(text)")
                #expect(!text.contains("--alg"), "\(text)")
            }
        }
        let other = try tool.run("verify", "--key", "public.jwks", token(#"{"alg":"RS512"}"#))
        #expect(other.error.contains("--alg names"), "\(other.error)")
        let jwe = base64URL(#"{"alg":"RSA1_5","enc":"A128GCM"}"#.utf8) + ".AA.AA.AA.AA"
        let encryption = try Tool.withKeys()
        let response = try encryption.run("decrypt", "--key", "private.jwks", jwe)
        #expect(response.error.contains("use RSA-OAEP-256"), "\(response.error)")
        #expect(!response.error.contains("--alg"), "\(response.error)")
    }

    @Test("A key without alg: the suggested option is one of the command's")
    func missingAlgorithm() throws {
        let tool = try Tool()
        try tool.openssl("genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048 -out key.pem")
        try tool.openssl("pkey -in key.pem -pubout -out open.pem")
        for (command, option) in [
            (["encrypt", "--key", "open.pem"], "--alg"), (["sign", "--key", "key.pem"], "--alg"),
            (["seal", "--signing-key", "key.pem", "--encryption-key", "open.pem"], "--alg"),
            (
                [
                    "seal", "--signing-key", "key.pem", "--alg", "RS256", "--encryption-key",
                    "open.pem",
                ], "--key-alg"
            ),
        ] {
            let response = try tool.run(command, input: Self.claims)
            #expect(
                response.code == 2 && response.error.contains("has no alg; \(option) must name"),
                "\(response.error)")
        }
    }

    // MARK: keys of a set

    @Test("Public keys cannot sign, and the message says so for any number of keys")
    func publicSigner() throws {
        let tool = try signer()
        let keys = try tool.keys("public.jwks")
        try tool.write(keys: [keys[0], keys[0].merging(["kid": "b"]) { $1 }], to: "two")
        for (name, words) in [
            ("two", "the 2 keys are public; a private key is needed"),
            ("public.jwks", "signing needs a private key"),
        ] {
            let response = try tool.run(["sign", "--key", name], input: Self.claims)
            #expect(response.code == 1 && response.error.contains(words), "\(response.error)")
        }
    }

    @Test("A set of bad entries: the number skipped, each once, and explain reports it once")
    func allSkipped() throws {
        let tool = try signer()
        let key = try tool.keys("public.jwks")[0].filter { $0.key != "kid" }
        let bad = [key.merging(["n": "AQAB"]) { $1 }, key.filter { $0.key != "e" }]
        try tool.write(keys: bad, to: "bad")
        var bare =
            try JSONSerialization.jsonObject(
                with: Data(contentsOf: tool.url("private.jwks"))) as? [String: [[String: Any]]]
        bare?["keys"]?[0]["kid"] = nil
        try JSONSerialization.data(withJSONObject: try #require(bare)).write(
            to: tool.url("private.jwks"))
        let token = try signed(tool)
        let response = try tool.run("verify", "--key", "bad", token)
        #expect(response.error.contains("all 2 entries of the key set are skipped"))
        #expect(response.error.contains("skipped key 1, member n: RSA modulus of 17 bits"))
        #expect(response.error.contains("skipped key 2, member e: e is missing"))
        #expect(!response.error.contains("JOSELimits"))
        let explained = try tool.run(["explain"] + Self.open.dropFirst() + ["bad", token])
        let all = explained.text + explained.error
        #expect(all.ranges(of: "e is missing").count == 1, "\(all)")
        // One good key of another type is among them.
        try tool.write(
            keys: bad + [["kty": "OKP", "crv": "Ed25519", "x": String(repeating: "A", count: 43)]],
            to: "bad")
        let mixed = try tool.run("verify", "--alg", "RS256", "--key", "bad", token)
        #expect(mixed.error.contains("2 of them cannot be used"), "\(mixed.error)")
    }

    @Test("decrypt and verify list why each key of a set does not match, at most 16")
    func eachKey() throws {
        let tool = try Tool.withKeys()
        let token = try tool.run(
            ["encrypt", "--key", "public.jwks", "--alg", "RSA-OAEP-256"], input: Self.claims
        ).token
        let other = try signer()
        var keys = try other.keys("private.jwks")
        keys.append(keys[0].merging(["kid": "b", "use": "enc", "alg": "RSA-OAEP"]) { $1 })
        try tool.write(keys: keys, to: "own")
        let response = try tool.run("decrypt", "--alg", "RSA-OAEP-256", "--key", "own", token)
        #expect(response.code == 1, "\(response.error)")
        let header = base64URL(#"{"alg":"RSA-OAEP-256","enc":"A128GCM"}"#.utf8) + ".AA.AA.AA.AA"
        let bare = try tool.run("decrypt", "--alg", "RSA-OAEP-256", "--key", "own", header)
        #expect(
            bare.error.contains("key 1, kid 'k', use sig, alg RS256: the key's use is not enc"),
            "\(bare.error)")
        #expect(
            bare.error.contains("key 2, kid 'b', use enc, alg RSA-OAEP: the key's alg is RSA-OAEP"),
            "\(bare.error)")
        try tool.write(keys: (0..<40).map { keys[0].merging(["kid": "\($0)"]) { $1 } }, to: "own")
        let many = try tool.run("decrypt", "--key", "own", header)
        #expect(many.error.contains("24 more keys"), "\(many.error)")
        #expect(many.error.split(separator: "\n").count == 18, "\(many.error)")
    }

    @Test("keys import names the bad entry of a set and its defect")
    func importedSet() throws {
        let tool = try signer()
        let keys = try tool.keys("private.jwks")
        try tool.write(keys: [keys[0], keys[0].merging(["n": "AQAB"]) { $1 }], to: "mixed")
        let response = try tool.run("keys", "import", "mixed", "--out", "x")
        #expect(
            response.code == 1 && response.error.contains("mixed: key 2: "), "\(response.error)")
        #expect(!response.error.contains("says why"))
    }

    @Test("keys lint: public key_ops, misspelt names, secrets, and a number in place of a key")
    func lint() throws {
        let tool = try signer()
        let key = try tool.keys("public.jwks")[0]
        func with(_ kid: String, _ members: [String: Any]) -> [String: Any] {
            key.merging(members.merging(["kid": kid]) { $1 }) { $1 }
        }
        let rows: [([String: Any], String)] = [
            (
                with("a", ["key_ops": ["sign"]]),
                "its key_ops contain sign, which needs a private key"
            ),
            (with("b", ["alg": "RS-256"]), "not a registered algorithm; did you mean RS256?"),
            (with("c", ["alg": "rs256"]), "did you mean RS256?"),
            (with("d", ["alg": "SHA256withRSA"]), "did you mean RS256?"),
            (with("e", ["alg": "RSA1_5"]), "never accepted: use RSA-OAEP-256"),
            (with("f", ["alg": "ES256"]), "its alg, ES256, does not match"),
            (with("g", ["alg": "hello"]), "not a registered algorithm"),
            (with("h", ["use": "signature"]), "neither sig nor enc; did you mean sig?"),
            (
                ["kty": "oct", "kid": "s", "k": String(repeating: "A", count: 43), "use": "sig"],
                "it is a shared secret"
            ),
        ]
        try tool.write(keys: rows.map(\.0), to: "set")
        let response = try tool.run("keys", "lint", "set")
        for (number, row) in rows.enumerated() {
            let line = response.lines.first { $0.contains(": key \(number + 1), kid") }
            #expect(line != nil, "\(response.text)")
            #expect(
                response.lines.contains {
                    $0.contains(": key \(number + 1), kid") && $0.contains(row.1)
                }, "\(row.1) \(response.text)")
        }
        let json = try #require(try tool.run("keys", "lint", "--json", "set").objects().first)
        for remark in try #require(json["remarks"] as? [[String: Any]]) {
            guard let number = remark["key"] as? Int else { continue }
            #expect(remark["index"] as? Int == number - 1)
            #expect(remark["kid"] as? String == rows[number - 1].0["kid"] as? String)
        }
        try tool.write(keys: [with("a", ["key_ops": ["verify"]])], to: "good")
        #expect(try tool.run("keys", "lint", "good").text == "no defects found\n")
    }

    // MARK: signatures and claims

    @Test("A signature that does not verify: verify and open point to explain")
    func signature() throws {
        let tool = try signer()
        let token = try signed(tool)
        let short = token.dropLast(40)
        for (command, words) in [
            (["verify", "--key"], "josectl explain --layers signed --verification-keys FILE"),
            (Self.open, "josectl explain, with the same options"),
        ] {
            for token in [String(short) + String(repeating: "A", count: 40), String(short)] {
                let response = try tool.run(command + ["public.jwks", token])
                #expect(response.code == 1 && response.error.contains(words), "\(response.error)")
            }
            #expect(!(try tool.run(command + ["public.jwks", token]).error.contains("explain")))
        }
    }

    @Test(
        "open reports how long ago a token expired, and names milliseconds and strings",
        arguments: [
            (#"{"exp":1700000000}"#, "expired 2 hours ago"),
            (#"{"exp":1700000000000}"#, "2023-11-14T22:13:20Z in milliseconds"),
            (#"{"exp":"1700000000"}"#, "it is a string"), (#"{"exp":null}"#, "it is null"),
            (#"{"exp":3600}"#, "a lifetime as in expires_in"),
            (#"{"exp":1800000000,"nbf":1700010800}"#, "not valid for another 1 hour"),
        ])
    func dates(_ claims: String, _ words: String) throws {
        let tool = try signer()
        let token = try signed(tool, Data(claims.utf8))
        let response = try tool.run(Self.open + ["public.jwks", "--at", "1700007200", token])
        #expect(response.code == 1 && response.error.contains(words), "\(response.error)")
        #expect(response.text.isEmpty)
    }

    // MARK: words

    @Test("Command-line messages contain no Swift API names") func words() throws {
        let tool = try Tool.withKeys()
        let jwe = #"{"alg":"RSA-OAEP-256","enc":"A128GCM","zip":"DEF"}"#
        let verify = ["verify", "--key", "public.jwks"]
        for command in [
            ["decrypt", "--key", "private.jwks", base64URL(jwe.utf8) + ".AA.AA.AA.AA"],
            verify + [token(#"{"alg":"RS256","crit":["x"],"x":1}"#)],
            verify + ["--max-bytes", "20", token(#"{"alg":"RS256"}"#)],
            Self.open + ["public.jwks", token(#"{"alg":"RS256","typ":"at+jwt"}"#)],
            ["explain"] + Self.open.dropFirst()
                + ["public.jwks", token(#"{"alg":"RS256","typ":"at+jwt"}"#)],
        ] {
            let response = try tool.run(command)
            let text = response.text + response.error
            #expect(response.code == 1 && text.firstMatch(of: Self.swift) == nil, "\(text)")
        }
    }

    /// A type with a member, a parameter with its colon in parentheses, a type of this library.
    nonisolated(unsafe) private static let swift =
        /JOSELimits|JWKSet|KeyFileContents|ClaimsPolicy|trustedAudiences|verifyJSON|decryptJSON|'type' names|'critical' |\([a-z]+:\)/

    @Test("Library messages contain no Swift API names on the command line")
    func allWords() throws {
        let literal = /"((?:[^"\\]|\\.)*)"/
        var count = 0
        for path in Tool.files(below: "Sources/JOSE")
        where path.hasSuffix(".swift") && !path.hasSuffix("JOSEError+Setting.swift") {
            let text = try String(contentsOf: Tool.root.appending(path: path), encoding: .utf8)
            for line in text.split(separator: "\n") where !line.contains("//") {
                for match in line.matches(of: literal) where match.output.1.contains(" ") {
                    let shown = CommandLineWording.translate(String(match.output.1))
                    #expect(shown.firstMatch(of: Self.swift) == nil, "\(path): \(shown)")
                    count += 1
                }
            }
        }
        #expect(count > 500)
    }

    @Test("explain accepts --crit if no verifier can be made for the keys")
    func critical() throws {
        let tool = try signer()
        try tool.run(
            "keys", "new", "--use", "enc", "--out", "enc.private", "--public", "enc.jwks")
        let header = token(#"{"alg":"RS256","crit":["x"],"x":1}"#)
        let command = ["explain"] + Self.open.dropFirst() + ["enc.jwks", header]
        let with = try tool.run(command + ["--crit", "x"])
        #expect(with.code == 1 && !with.text.contains("not understood"), "\(with.text)")
        let without = try tool.run(command)
        #expect(without.code == 1 && without.text.contains("--crit NAME"), "\(without.text)")
    }
}
