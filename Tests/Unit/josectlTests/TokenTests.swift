// sign, verify, encrypt, decrypt, seal, open, inspect.

import Foundation
import Testing

@Suite struct TokenTests {
    @Test("Any payload bytes are returned unchanged", arguments: [0, 1, 100, 100_000])
    func signAndVerify(count: Int) throws {
        let tool = try Tool.withKeys()
        let payload = Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) })
        let token = try tool.run("sign", "--key", "private.jwks", input: payload)
        #expect(token.code == 0)
        let verified = try tool.run("verify", "--keys", "public.jwks", input: token.output)
        #expect(verified.code == 0)
        #expect(verified.output == payload)
        let encrypted = try tool.run("encrypt", "--key", "public.jwks", input: payload)
        let decrypted = try tool.run("decrypt", "--key", "private.jwks", input: encrypted.output)
        #expect(decrypted.code == 0)
        #expect(decrypted.output == payload)
    }

    @Test("A token may be a file, standard input or the argument itself")
    func placesOfTokens() throws {
        let tool = try Tool.withKeys()
        let options = ["--typ", "x+y", "--cty", "text/plain", "--header", #"{"a":[1.50]}"#]
        let made = try tool.run(
            ["sign", "--key", "private.jwks", "--out", "token"] + options, input: Data("hello".utf8)
        )
        #expect(made.code == 0)
        #expect(made.output.isEmpty)
        let token = try tool.read("token")
        for argument in ["token", token.trimmingCharacters(in: .newlines)] {
            let response = try tool.run("verify", "--key", "public.jwks", "--json", argument)
            let object = try #require(try response.objects().first)
            #expect(object["payload"] as? String == "aGVsbG8")
            let header = try #require(object["header"] as? [String: Any])
            #expect(header["typ"] as? String == "x+y")
            #expect(header["cty"] as? String == "text/plain")
            #expect(header["kid"] as? String == object["kid"] as? String)
            #expect(response.text.contains("[1.50]"))
        }
        for bad in [" " + token, token + "\n", "\u{feff}" + token] {
            let response = try tool.run("verify", "--key", "public.jwks", input: Data(bad.utf8))
            #expect(response.code == 1)
            #expect(response.error.contains("malformed"))
        }
    }

    @Test("An argument with text before a token is wrong usage and is not repeated")
    func prefixed() throws {
        let tool = try Tool.withKeys()
        let token = try tool.run("sign", "--key", "private.jwks", input: Data("hello".utf8)).token
        for argument in ["Bearer " + token, "\"\(token)\"", " " + token, "token=" + token] {
            for command in ["verify", "open", "explain", "inspect"] {
                let keys =
                    command == "inspect"
                    ? []
                    : command == "verify"
                        ? ["--key", "public.jwks"]
                        : ["--layers", "signed", "--verification-keys", "public.jwks"]
                let response = try tool.run([command] + keys + [argument])
                #expect(response.code == 2, "\(command)")
                let words =
                    argument.hasPrefix("token=")
                    ? "only the value of token" : "a token begins with eyJ"
                #expect(response.error.contains(words), "\(command)")
                #expect(!response.error.contains(token.suffix(20)), "\(command)")
            }
        }
        let missing = try tool.run("verify", "--key", "public.jwks", "eyJ")
        #expect(missing.code == 3 && missing.error.contains("cannot read eyJ"))
    }

    @Test("A rejected token gives no output and no file")
    func rejected() throws {
        let tool = try Tool.withKeys()
        let token = try tool.run("sign", "--key", "private.jwks", input: Data("hello".utf8)).token
        let before = try tool.names()
        let response = try tool.run(
            "verify", "--key", "public.jwks", "--out", "payload", tampered(token, part: 2))
        #expect(response.code == 1)
        #expect(response.output.isEmpty)
        #expect(response.error.contains("rejected: signature-invalid at signature"))
        #expect(try tool.names() == before)

        let json = try tool.run(
            "verify", "--key", "public.jwks", "--json", tampered(token, part: 2))
        #expect(json.code == 1)
        #expect(json.error.isEmpty)
        let error = try #require(try json.objects().first?["error"] as? [String: Any])
        #expect(error["code"] as? String == "signature-invalid")
        #expect(error["step"] as? String == "signature")
    }

    @Test("A set with private keys is rejected where public keys are expected")
    func privateSetToVerify() throws {
        let tool = try Tool.withKeys()
        let token = try tool.run("sign", "--key", "private.jwks", input: Data()).token
        let response = try tool.run("verify", "--key", "private.jwks", token)
        #expect(response.code == 1)
        #expect(response.error.contains("key-unusable"))
    }

    @Test("Limits apply, and options raise them explicitly")
    func limits() throws {
        let tool = try Tool.withKeys()
        let payload = Data(repeating: 7, count: 300_000)
        #expect(try tool.run("sign", "--key", "private.jwks", input: payload).code == 1)
        let token = try tool.run(
            "sign", "--key", "private.jwks", "--max-bytes", "500000", input: payload)
        #expect(token.code == 0)
        let rejected = try tool.run("verify", "--key", "public.jwks", input: token.output)
        #expect(rejected.error.contains("limit-exceeded"))
        let verified = try tool.run(
            "verify", "--key", "public.jwks", "--max-bytes", "500000", input: token.output)
        #expect(verified.output == payload)
    }

    // MARK: nested

    private let opening = [
        "open", "--decryption-keys", "private.jwks", "--verification-keys", "public.jwks",
    ]

    private func sealed(_ tool: Tool, _ claims: String, _ options: String...) throws -> String {
        let response = try tool.run(
            ["seal", "--signing-key", "private.jwks", "--encryption-key", "public.jwks"] + options,
            input: Data(claims.utf8))
        #expect(response.code == 0, "\(response.error)")
        return response.token
    }

    @Test("Claims are signed and returned unchanged")
    func sealAndOpen() throws {
        let tool = try Tool.withKeys()
        let claims = #"{ "exp": 1800000300, "iss":"op", "aud":["x","rp"],"n":1.50,"é":"\u0041" }"#
        let token = try sealed(tool, claims)
        let response = try tool.run(
            opening + ["--issuer", "op", "--audience", "rp", "--at", "2027-01-15T08:00:00Z", token])
        #expect(response.code == 0)
        #expect(response.text == claims + "\n")
        #expect(response.error.contains("not checked: nonce, subject"))
        let json = try tool.run(opening + ["--json", "--at", "1800000000", token])
        let object = try #require(try json.objects().first)
        #expect((object["unchecked"] as? [String])?.prefix(2) == ["issuer", "audience"])
        #expect(json.text.contains("\"n\":1.50"))
    }

    @Test(
        "Each rule of the policy rejects",
        arguments: [
            (["--issuer", "other"], "claim iss"), (["--audience", "other"], "claim aud"),
            (["--nonce", "n"], "claim nonce"), (["--subject", "s"], "claim sub"),
            (["--required", "exp,jti"], "claim jti"), (["--at", "1800000361"], "claim exp"),
            (["--at", "1800000301", "--leeway", "0"], "claim exp"),
            (["--typ", "at+jwt"], "claim typ"),
            (["--max-lifetime", "10"], "claim iat"), (["--layers", "signed"], "malformed"),
            (["--layers", "encrypted"], "malformed"),
            (["--alg", "RS256", "--key-alg", "RSA-OAEP"], "algorithm-not-allowed"),
        ])
    func policy(options: [String], word: String) throws {
        let tool = try Tool.withKeys()
        let token = try sealed(tool, #"{"exp":1800000300,"iss":"op","aud":"rp"}"#)
        let time = options.contains("--at") ? [] : ["--at", "1800000000"]
        let response = try tool.run(opening + time + options + [token])
        #expect(response.code == 1)
        #expect(response.output.isEmpty)
        #expect(response.error.contains(word), "\(response.error)")
    }

    @Test func lifetime() throws {
        let tool = try Tool.withKeys()
        let token = try sealed(tool, #"{"iss":"op"}"#, "--lifetime", "60")
        #expect(try tool.run(opening + [token]).code == 0)
        let seal = ["seal", "--signing-key", "private.jwks", "--encryption-key", "public.jwks"]
        for (claims, options, code) in [
            (#"{"iss":"op"}"#, [], Int32(2)), (#"{"exp":1}"#, ["--lifetime", "60"], 2),
            ("[]", ["--lifetime", "60"], 1), ("{", [], 1), (#"{"exp":1,"exp":2}"#, [], 1),
        ] {
            let response = try tool.run(seal + options, input: Data(claims.utf8))
            #expect(response.code == code, "\(claims)")
            #expect(response.output.isEmpty)
        }
    }

    @Test("A decrypted result in a file is readable only by its owner")
    func privacy() throws {
        let tool = try Tool.withKeys()
        let token = try tool.run("encrypt", "--key", "public.jwks", input: Data("x".utf8)).token
        #expect(try tool.run("decrypt", "--key", "private.jwks", "--out", "plain", token).code == 0)
        #expect(try tool.mode("plain") == 0o600)
        #expect(try tool.read("plain") == "x")
    }

    // MARK: inspect

    @Test("inspect warns that nothing was verified")
    func inspect() throws {
        let tool = try Tool.withKeys()
        let claims = #"{"exp":1800000000,"x":"\u001b[2J"}"#
        let token = try tool.run("sign", "--key", "private.jwks", input: Data(claims.utf8)).token
        let forged = tampered(token, part: 2)
        let response = try tool.run("inspect", forged)
        #expect(response.code == 0)
        #expect(
            response.lines[0]
                == "UNVERIFIED: only the format was checked; anyone may have written this.")
        #expect(response.text.contains("exp is 2027-01-15T08:00:00Z"))
        #expect(!response.output.contains(0x1b))
        let object = try #require(try tool.run("inspect", "--json", forged).objects().first)
        #expect(object["verified"] as? Bool == false)
        let encrypted = try sealed(tool, #"{"exp":1}"#)
        #expect(try tool.run("inspect", encrypted).text.contains("RSA-OAEP-256"))
        #expect(try tool.run("inspect", input: Data("hello".utf8)).code == 1)
    }
}
