// PKCS#11 keys: contradictory options, PINs and their files, unusable tokens and modules.

import Foundation
import Testing

@Suite("PKCS#11 usage errors") struct TokenUsageTests {
    /// A module that cannot be loaded: earlier rejections have another message.
    private static let none = ["--module", "/nowhere/module.so"]

    @Test(
        "Contradictory options are rejected before the module is loaded",
        arguments: [
            (["sign", "--key", "pkcs11:object=a"], "requires --module"),
            (["sign", "--key", "pkcs11:object=a", "--pin-file", "pin"], "requires --module"),
            (["sign", "--key", "own.jwks", "--pin-file", "pin"], "requires --module"),
            (["sign", "--key", "own.jwks"] + none, "--module requires a pkcs11: URI"),
            (["keys", "public", "own.jwks"] + none, "--module requires a pkcs11: URI"),
            (
                ["sign", "pkcs11:object=a", "--key", "own.jwks"] + none,
                "--module requires a pkcs11: URI"
            ),
            (["verify", "--key", "pkcs11:object=a"] + none, "unknown option '--module'"),
            (["verify", "--key", "pkcs11:object=a", "eyJ.x.y"], "the key file must be a file"),
            (["encrypt", "--key", "pkcs11:object=a"], "the key file must be a file"),
            (["sign", "--key", "pkcs11:"] + none + ["--pin-file", "-"], "standard input"),
            (["sign", "--key", "pkcs11:what=ever"] + none, "RFC 7512 does not define"),
            (["sign", "--key", "pkcs11:object=a;object=b"] + none, "repeats"),
            (["keys", "new", "--token", "token", "--use", "sig"] + none, "requires a pkcs11: URI"),
            (
                ["keys", "new", "--token", "pkcs11:object=a", "--alg", "ES256", "--out", "x"]
                    + none,
                "omit --out"
            ),
            (
                ["keys", "new", "--token", "pkcs11:object=a", "--alg", "ES256", "--kid", "x"]
                    + none,
                "thumbprint"
            ),
            (["keys", "new", "--token", "pkcs11:token=a", "--alg", "ES256"] + none, "object="),
            (["keys", "new", "--token", "pkcs11:object=a"] + none, "one use"),
            (["keys", "new", "--token", "pkcs11:object=a", "--use", "both"] + none, "one use"),
            (["keys", "new", "--alg", "ES256", "--out", "x"] + none, "requires a pkcs11: URI"),
            (["batch", "--pin-file", "pin"] + none, "--pin-file requires --token"),
            (["batch", "--token", "pkcs11:token=a"] + none, "--token requires --pin-file"),
            (["batch", "--token", "pkcs11:token=a"], "requires --module"),
            (
                [
                    "keys", "public", "pkcs11:token=a;object=x", "pkcs11:token=b;object=x",
                    "--pin-file", "pin",
                ] + none,
                "--pin-file is for one token"
            ),
            (["sign", "--key", "own.jwks", "--wait", "5"], "--wait requires --module"),
            (["sign", "--key", "pkcs11:object=a", "--wait", "0"] + none, "--wait"),
            (["sign", "--key", "pkcs11:object=a", "--wait", "3601"] + none, "--wait"),
        ])
    func usage(_ words: [String], _ message: String) throws {
        let tool = try Tool()
        try tool.write(#"{"keys":[]}"#, to: "own.jwks")
        let response = try tool.run(words)
        #expect(response.code == 2, "\(response.error)")
        #expect(response.error.contains(message), "\(response.error)")
    }

    @Test(
        "A module that hangs at start ends the run within the time of --wait",
        .enabled(if: TokenTool.isOwn, TokenTool.onlyOwn))
    func hangingModule() throws {
        let token = try TokenTool()
        token.tool.environment["JOSE_TEST_TOKEN_HANG"] = "1"
        let response = try token.run("keys", "public", token.uri("a"), "--wait", "1")
        #expect(response.code == 3 && response.error.contains("does not start in time"))
        #expect(response.error.contains("token.so"), "\(response.error)")
    }

    @Test(
        "A token without login, and an unknown label: the key is not found",
        .enabled(if: TokenTool.isOwn, TokenTool.onlyOwn))
    func withoutLogin() throws {
        let token = try TokenTool()
        token.misbehave(23)
        for pinFile in ["pin", nil] {
            let response = try token.run("keys", "public", token.uri("nobody"), pinFile: pinFile)
            #expect(
                response.code == 1 && response.error.contains("key-not-found"), "\(response.error)")
        }
        #expect(try token.makeKey("--alg", "ES256").uri.hasPrefix("pkcs11:"))
        #expect(try token.logins() == 0)
    }

    private static let queries = [
        "pin-value=271828", "module-path=/usr/lib/x.so", "module-name=x",
        "pin-source=file:/etc/pin", "module-name=x&pin-value=271828",
    ]

    @Test(
        "A URI with a module or PIN is rejected, and its PIN is not repeated",
        arguments: queries)
    func query(_ query: String) throws {
        let uri = "pkcs11:object=a?" + query
        for words in [
            ["sign", "--key", uri], ["sign", "--key=\(uri)"], ["keys", "public", uri],
            ["keys", "lint", uri, uri], ["verify", "--key", uri], ["verify", uri, "--key", uri],
            ["open", "--decryption-keys", uri], ["nothing", uri], [uri],
        ] {
            for words in [words, words + TokenUsageTests.none, words + ["--json"]] {
                let response = try Tool().run(words)
                #expect(response.code == 2)
                #expect(!response.error.contains("271828") && !response.text.contains("271828"))
            }
        }
        guard query.contains("pin-value") else { return }
        // The scheme of a URI is case-insensitive.
        let upper = "PKCS11:" + uri.dropFirst(7)
        for words in [
            ["sign", "--key", upper], ["sign", "--key=\(upper)"], ["keys", "lint", upper],
        ] {
            let response = try Tool().run(words)
            #expect(response.code == 2)
            #expect(!response.error.contains("271828") && !response.text.contains("271828"))
        }
    }

    @Test("A batch line's URI with a module or PIN is rejected", arguments: queries)
    func batchQuery(_ query: String) throws {
        let uri = "pkcs11:object=a?" + query
        let lines = #"{"op":"jwk.parse","jwk":"\#(uri)"}"# + "\n"
        let batch = try Tool().run(
            ["batch"] + TokenUsageTests.none, input: Data(lines.utf8))
        #expect(batch.text.contains("misuse") && !batch.text.contains("271828"))
    }

    @Test("A file that is not a PKCS#11 module is rejected")
    func noModule() throws {
        let tool = try Tool()
        try tool.write("no module", to: "module.so")
        for path in ["/nowhere/module.so", "module.so", "./module.so", "./"] {
            let response = try tool.run("keys", "public", "pkcs11:object=a", "--module", path)
            #expect(response.code == 2, "\(path): \(response.error)")
        }
        #expect(tool.exists("module.so"))
    }

    @Test(
        "The PIN file is one line that others may not read",
        arguments: [
            ("123456\n", 0o644, "everyone"), ("123456\n", 0o602, "everyone"),
            ("", 0o600, "one line"), ("\n", 0o600, "one line"),
            ("123456\n123456\n", 0o600, "one line"), ("12\u{0}34", 0o600, "one line"),
            (String(repeating: "1", count: 257), 0o600, "one line"),
            (String(repeating: "1", count: 100_000), 0o600, "one line"),
        ])
    func pinFile(_ text: String, _ mode: Int, _ reason: String) throws {
        let token = try TokenTool()
        let key = try token.makeKey("--alg", "ES256")
        try token.secret(text, to: "odd", mode: mode)
        let response = try token.run("sign", "--key", key.uri, "--alg", "ES256", pinFile: "odd")
        #expect(response.code == 3 && response.error.contains(reason), "\(response.error)")
        #expect(response.text.isEmpty)
    }

    @Test("A PIN with and without line end, group-readable, and by a pipe, or no PIN file")
    func pins() throws {
        let token = try TokenTool()
        let key = try token.makeKey("--alg", "ES256")
        let pin = try token.tool.read("pin").filter { $0 != "\n" }
        for (text, mode) in [(pin, 0o600), (pin + "\r\n", 0o600), (pin + "\n", 0o640)] {
            try token.secret(text, to: "good", mode: mode)
            let response = try token.run(
                "sign", "--key", key.uri, "--alg", "ES256", pinFile: "good", input: "a")
            #expect(response.code == 0, "\(response.error)")
        }
        let missing = try token.run(
            "sign", "--key", key.uri, "--alg", "ES256", pinFile: "missing", input: "a")
        #expect(missing.code == 3 && missing.error.contains("cannot read the file of --pin-file"))
        #expect(!missing.error.contains("missing"))
        let none = try token.run("sign", "--key", key.uri, "--alg", "ES256", pinFile: nil)
        #expect(none.code == 1 && none.error.contains("--pin-file"), "\(none.error)")
    }

    @Test("A label in use, an unknown key, and an algorithm that the key does not support")
    func keys() throws {
        let token = try TokenTool()
        let key = try token.makeKey("--alg", "ES256")
        let taken = try token.run("keys", "new", "--token", key.uri, "--alg", "ES256")
        #expect(taken.code == 1 && taken.error.contains("key-unusable"), "\(taken.error)")
        let absent = try token.run("keys", "public", token.uri("nobody"))
        #expect(absent.code == 1 && absent.error.contains("key-not-found"))
        let other = try token.run("sign", "--key", key.uri, "--alg", "RS256", input: "a")
        #expect(other.code == 1 && other.error.contains("key-unusable"), "\(other.error)")
        let secret = try token.run(
            "keys", "new", "--token", token.uri("secret"), "--type", "oct", "--use", "sig")
        #expect(secret.code == 2, "\(secret.error)")
        let exported = try token.run("keys", "export", key.uri, "--private", "--out", "x")
        #expect(exported.code == 2 && exported.error.contains("private key is external"))
        #expect(!token.tool.exists("x"))
        let kid = try token.run(
            "sign", "--key", key.uri, "--kid", "other", "--alg", "ES256", input: "a")
        #expect(kid.code == 1 && kid.error.contains("key-not-found"))
        let elsewhere = try token.run("keys", "public", "pkcs11:token=none;object=a", "--json")
        #expect(elsewhere.code == 3 && elsewhere.text.contains(#""code":"unavailable""#))
    }

    @Test(
        "An absent token is unavailable, and is used again when it returns",
        .enabled(if: TokenTool.isOwn, TokenTool.onlyOwn))
    func away() throws {
        let token = try TokenTool()
        let key = try token.makeKey("--alg", "ES256")
        try token.remove(true)
        let away = try token.run("sign", "--key", key.uri, "--alg", "ES256", "--json", input: "a")
        #expect(away.code == 3 && away.text.contains(#""code":"unavailable""#))
        try token.remove(false)
        let back = try token.run("sign", "--key", key.uri, "--alg", "ES256", input: "a")
        #expect(back.code == 0, "\(back.error)")
    }

    @Test(
        "A wrong PIN is tried once per command, even if it names two keys",
        .enabled(if: TokenTool.isOwn, TokenTool.onlyOwn))
    func wrongPIN() throws {
        let token = try TokenTool()
        let key = try token.makeKey("--alg", "ES256")
        let other = try token.makeKey("--alg", "ES256")
        let before = try token.logins()
        try token.secret("654321", to: "wrong")
        let response = try token.run(
            "sign", "--form", "general", "--key", key.uri, "--key", other.uri,
            "--alg", "ES256", pinFile: "wrong", input: "a")
        #expect(
            response.code == 1 && response.error.contains("rejected the PIN"), "\(response.error)")
        #expect(try token.logins() == before + 1)
    }

    @Test(
        "A module that misbehaves produces no token and no set",
        .enabled(if: TokenTool.isOwn, TokenTool.onlyOwn),
        arguments: [1, 2, 3, 4, 5, 6, 7, 8, 9, 13, 15, 16])
    func misbehaving(_ misbehaviour: Int) throws {
        let token = try TokenTool()
        let key = try token.makeKey("--alg", "ES256")
        token.misbehave(misbehaviour)
        for words in [["sign", "--key", key.uri, "--alg", "ES256"], ["keys", "public", key.uri]] {
            let response = try token.run(words, input: "a")
            #expect([1, 3].contains(response.code), "\(response.error)")
            #expect(response.text.isEmpty)
        }
    }
}
