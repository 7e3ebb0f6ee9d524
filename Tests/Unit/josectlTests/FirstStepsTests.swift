// Beginners' mistakes: the exit code shows whose fault it is, and the message helps.

import Foundation
import Testing

@testable import josectl

@Suite("First steps") struct FirstStepsTests {
    private let tool: Tool
    private let payload = Data("hello".utf8)

    init() throws {
        tool = try Tool.withKeys()
        for name in ["a", "b"] {
            try tool.write(SharedKeys.sets.private, to: "\(name).private.jwks")
            try tool.write(SharedKeys.sets.public, to: "\(name).public.jwks")
        }
        try tool.write("hello", to: "payload")
        try tool.write("{}", to: "empty")
    }

    private func expect(
        _ code: Int32, _ words: String, _ text: String? = nil, input: Data = Data(),
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let response = try tool.run(
            words.split(separator: " ").map(String.init), input: input)
        let said = response.text + response.error
        #expect(
            response.code == code && text.map(said.contains) != false,
            "\(words): \(response.code) \(said)",
            sourceLocation: sourceLocation)
    }

    @Test("for a detached payload or another serialization the error names the matching option")
    func forms() throws {
        try tool.run("sign", "--key", "private.jwks", "--detached", "--out", "apart", "payload")
        try tool.run("sign", "--key", "private.jwks", "--out", "compact", "payload")
        try tool.run(
            "sign", "--key", "private.jwks", "--form", "flattened", "--out", "json", "payload")
        try expect(1, "verify --key public.jwks apart", "--detached FILE gives it")
        try expect(0, "verify --key public.jwks --detached payload apart")
        try tool.run(
            "sign", "--key", "private.jwks", "--detached", "--form", "general", "--out",
            "apart.json", "payload")
        try expect(
            1, "verify --form json --key public.jwks apart.json", "--detached FILE gives it")
        try expect(0, "verify --form json --key public.jwks --detached payload apart.json", "hello")
        let form = "malformed at token: the token is JSON, not compact; use --form json"
        for words in [
            "verify --key public.jwks", "decrypt --key private.jwks", "inspect",
            "verify --key public.jwks --detached payload",
        ] {
            try expect(1, words + " json", form)
        }
        try expect(
            1, "open --decryption-keys private.jwks --verification-keys public.jwks json",
            "a compact token has parts with dots")
        for words in [
            "verify --form json --key public.jwks", "decrypt --form json --key private.jwks",
            "inspect --form json",
        ] {
            try expect(1, words + " compact", "use --form compact")
        }
        try expect(0, "verify --form json --key public.jwks json", "hello")
        // A wrong signature over an attached payload is unrelated to --detached.
        let token = try tool.read("compact").trimmingCharacters(in: .newlines)
        let other = String(token.dropLast(8)) + "AAAAAAAA"
        let response = try tool.run("verify", "--key", "public.jwks", other)
        #expect(response.code == 1 && !response.error.contains("--detached"))
        #expect(response.error.contains("signature-invalid"))
    }

    @Test("an option that would be ignored is wrong usage, such as --p2c with an RSA key")
    func iterations() throws {
        try expect(
            2, "encrypt --key public.jwks --p2c 2000 payload", "none of the algorithms is PBES2")
        let key = try SharedKeys.key(1, private: false)
        let request =
            #"{"id":1,"op":"jwe.encrypt","key":\#(key),"alg":"RSA-OAEP","enc":"A128GCM","#
            + #""payload":"","p2c":2000}"#
        try expect(0, "batch", #""code":"misuse""#, input: Data((request + "\n").utf8))
    }

    @Test("several keys where one is expected are wrong usage, and the file is named")
    func several() throws {
        try expect(2, "keys export private.jwks", "private.jwks has 2 keys: choose one with --kid")
        try expect(2, "keys export private.jwks --json", #""code":"misuse""#)
        try expect(1, "keys export private.jwks --kid nobody", "private.jwks: no key has this kid")
        try expect(1, "keys export private.jwks --kid nobody --json", #""code":"key-not-found""#)
        try expect(
            2, "keys certify private.jwks --csr", "private.jwks has 2 keys: choose one with --kid")
        try tool.run("keys", "new", "--use", "sig", "--out", "one", "--public", "onep")
        let set = try tool.keys("private.jwks").prefix(1) + tool.keys("one")
        let text = try JSONSerialization.data(withJSONObject: ["keys": Array(set)])
        try text.write(to: tool.url("signers"))
        try expect(2, "sign --key signers payload", "signers: 2 keys match; choose one with --kid")
        try expect(1, "sign --key signers --kid nobody payload", "signers: no key has this kid")
        try tool.write(#"{"keys":[]}"#, to: "none")
        for words in ["sign --key none payload", "keys export none --kid nobody"] {
            try expect(1, words, "none: the file has no key")
        }
    }

    @Test("keys certify names the file of each rejection") func certify() throws {
        try expect(2, "keys certify private.jwks --self-signed", "--out is required")
        // The missing option is reported before any file is read.
        try expect(2, "keys certify nowhere --self-signed", "--out is required")
        try expect(
            1, "keys certify public.jwks --self-signed --out x",
            "public.jwks: signing needs a private key")
        try expect(
            1, "keys certify private.jwks --self-signed --kid nobody --out x",
            "private.jwks: no key has this kid")
        try expect(
            1, "keys certify private.jwks --chain public.jwks --out x",
            "public.jwks: the file is neither PEM nor one DER value")
        try expect(
            1, "keys certify private.jwks --csr --kid nobody", "private.jwks: no key has this kid")
        try tool.run(
            "keys", "new", "--use", "sig", "--kid", "k", "--out", "one", "--public", "onep")
        try tool.run("keys", "certify", "one", "--self-signed", "--out", "own")
        try tool.run("keys", "export", "own", "--certificate", "--out", "own.pem")
        try expect(
            1, "keys certify private.jwks --chain own.pem --out x",
            "own.pem: no certificate holds this key")
        try tool.run(
            "keys", "export", "b.private.jwks", "--private", "--out", "other.pem", "--kid",
            try #require(try tool.keys("b.public.jwks")[0]["kid"] as? String))
        try expect(
            1, "keys certify private.jwks --ca own.pem --ca-key other.pem --out x",
            "own.pem: no certificate holds this key")
        try expect(
            1, "keys certify private.jwks --ca own.pem --ca-key payload --out x",
            "payload: the file is not a key file")
    }

    @Test("a revocation list is rejected as a key, and swapped lists and roots are named")
    func lists() throws {
        let tool = try Tool.withAuthority()
        try tool.write(SharedKeys.sets.public, to: "public.jwks")
        try tool.write("", to: "index.txt")
        try tool.write(
            "[ca]\ndefault_ca=d\n[d]\ndatabase=index.txt\ndefault_md=sha256\n", to: "crl.cnf")
        try tool.openssl(
            "ca -config crl.cnf -gencrl -keyfile ca.key -cert ca.pem -crldays 5 -out crl.pem")
        let imported = try tool.run("keys", "import", "crl.pem")
        #expect(imported.code == 1 && imported.error.contains("crl.pem: found a revocation list"))
        for (roots, lists, text) in [
            ("crl.pem", "crl.pem", "crl.pem: the PEM block is not a certificate"),
            ("ca.pem", "ca.pem", "ca.pem: the PEM block is not a revocation list"),
            ("public.jwks", "crl.pem", "public.jwks: the file is neither PEM nor one DER value"),
        ] {
            let response = try tool.run(
                "chain", "verify", "public.jwks", "--anchors", roots, "--crl", lists)
            #expect(response.code == 1 && response.error.contains(text), "\(response.error)")
        }
        let two = try tool.read("ca.pem") + tool.read("crl.pem")
        try tool.write(two, to: "two.pem")
        let response = try tool.run("chain", "verify", "public.jwks", "--anchors", "two.pem")
        #expect(
            response.error.contains("two.pem, number 2: the PEM block is not a certificate"),
            "\(response.error)")
    }

    @Test("help: one synopsis for each command, and every name of an option")
    func help() throws {
        for command in Command.all {
            let lines = Help.of(command).components(separatedBy: "\n")
            for (line, next) in zip(lines, lines.dropFirst()) where line.hasSuffix("\\") {
                #expect(next.hasPrefix("    ") && !next.contains("$ "), "\(command.name)")
            }
            #expect(lines.contains { $0.hasPrefix("  $ ") })
            for alias in command.options.compactMap(\.alias) {
                #expect(Help.of(command).contains("(also --\(alias))"), "\(command.name)")
            }
        }
        #expect(Help.of(.verify).contains("(also --keys)"))
        #expect(Help.of(.seal).contains("\\\n") && Help.of(.open).contains("\\\n"))
    }

    @Test("explain fails like open if the options make no sense", arguments: [[], ["--json"]])
    func misuse(_ more: [String]) throws {
        let keys = ["--decryption-keys", "private.jwks", "--verification-keys", "public.jwks"]
        for options in [
            ["--layers", "nested"], ["--alg", ""], ["--leeway", "301"], ["--at", "noon"],
            ["--max-age", "5"], ["--required", ""],
            [
                "--profile", "openid", "--issuer", "not an address", "--audience", "a", "--nonce",
                "n",
            ],
        ] {
            let response = try tool.run(["explain"] + keys + more + options + ["eyJ.x.x"])
            let opened = try tool.run(["open"] + keys + more + options + ["eyJ.x.x"])
            let isShared = !options.contains("--profile") && !options.contains("--max-age")
            #expect(!isShared || response.code == opened.code, "\(options): \(response.error)")
            #expect(
                response.code == 2 || options[0] == "--required", "\(options): \(response.text)")
            guard response.code == 2, !more.isEmpty else { continue }
            let error = try #require(try response.objects().first?["error"] as? [String: Any])
            #expect(error["code"] as? String == "misuse" && response.error.isEmpty)
        }
    }

    @Test("/dev/null is written without --force") func nothing() throws {
        try expect(0, "sign --key private.jwks --out /dev/null payload")
        try expect(3, "sign --key private.jwks --out payload payload", "payload")
    }

    @Test("the console examples of docs/josectl.md run as printed, in order")
    func page() throws {
        let elsewhere = try ["shells", "token"].flatMap {
            try Tool.consoleExamples(of: "docs/josectl.md", part: $0)
        }
        let tool = try Tool()
        try tool.write("hello\n", to: "payload")
        let commands = try Tool.consoleExamples(of: "docs/josectl.md").filter {
            !elsewhere.contains($0)
        }
        #expect(commands.count >= 9)
        let response = try tool.runAll(commands)
        #expect(response.code == 0, "\(response.error)")
        #expect(tool.exists("both.public.jwks"))
    }
}
