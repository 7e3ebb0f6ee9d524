// Usage errors do not repeat keys, tokens and secrets given in place of a name.

import Foundation
import Testing

@Suite("Usage errors do not repeat possible secrets") struct SecretWordTests {
    private static let numbers = "VGhpcyBpcyBhIHNlY3JldCBvZiB0aGUgdGVzdCwgbm9uZSBvdGhlcg"
    private static let pem =
        "-----BEGIN PRIVATE KEY-----\n\(numbers)\n-----END PRIVATE KEY-----\n"
    private static let jwk = "{\"kty\":\"oct\",\"k\":\"\(numbers)\"}"

    /// An argument with the secret in it, in each form that people paste.
    private static let secrets = [
        pem, pem.replacingOccurrences(of: "\n", with: "\\n"),
        pem.replacingOccurrences(of: "\n", with: "\r"), "key: \(pem)", "--\(pem)", "-\(pem)",
        "--\(numbers)", "-k\(numbers)", "---\(numbers)", jwk, " \(jwk)", "[\(jwk)]",
        "\u{feff}\(jwk)",
        "k=\(jwk)", numbers, "base64:\(numbers)", "base64:\(numbers.prefix(20))",
        "\(numbers)/+==", "eyJhbGciOiJIUzI1NiJ9.\(numbers).\(numbers)",
    ]

    /// Shorter secrets. The name of a missing file is always repeated.
    private static let short = [
        "a\(numbers.prefix(19))", "\(numbers.prefix(12))=hunter2", "Basic \(numbers.prefix(12))",
        "Bearer \(numbers.prefix(12)).e", "\(numbers.prefix(12)).secret~value",
        "SG.\(numbers.prefix(22)).x", "\(numbers.prefix(20))/x", "ab.cd/\(numbers.prefix(43))",
        "eyJhbGciOiJIUzI1NiJ9.\(numbers.prefix(12)).abc", "--0123456789abcdef\(numbers.prefix(12))",
    ]

    private func check(_ words: [String], _ tool: Tool) throws {
        for format in [[], ["--json"]] {
            let response = try tool.run(words + format)
            let all = response.error + response.text
            #expect(!all.contains(Self.numbers.prefix(12)), "\(words): \(all)")
        }
    }

    @Test(
        "A secret given as a command, an option or an extra argument is not repeated",
        arguments: [
            [], ["keys", "import"], ["keys", "public"], ["keys", "lint"], ["keys", "new"], ["sign"],
            ["verify"], ["encrypt"], ["inspect"], ["selftest"], ["keys"], ["chain", "verify"],
        ])
    func words(_ command: [String]) throws {
        let tool = try Tool()
        for secret in Self.secrets {
            // A path may look like base64 with slashes.
            if !secret.contains("/") { try check(command + [secret], tool) }
            try check(command + ["a", "b", secret], tool)
        }
        for secret in Self.short { try check(command + ["a", "b", secret], tool) }
    }

    @Test("A secret given as the value of a keyword or number option is not repeated")
    func values() throws {
        let tool = try Tool()
        for secret in Self.secrets + Self.short {
            try check(["keys", "new", "--use", secret], tool)
            try check(["keys", "new", "--bits", secret], tool)
        }
    }

    @Test(
        "Known names are repeated as they were given",
        arguments: [
            (["keys", "import", "--form", "x"], "unknown option '--form'"),
            (["sign", "--alg-x2", "x"], "unknown option '--alg-x2'"),
            (["sign", "-k"], "unknown option '-k'"), (["sing"], "unknown command 'sing'"),
            (["keys", "lint", "a.jwks", "b.jwks"], "too many arguments: 'b.jwks'"),
            (
                ["keys", "lint", "a", "/home/me/projects/identity/keys/own-keys.jwks"],
                "too many arguments: '/home/me/projects/identity/keys/own-keys.jwks'"
            ),
            (["keys", "new", "--use", "signing"], "not 'signing'"),
        ])
    func names(_ words: [String], _ message: String) throws {
        let response = try Tool().run(words)
        #expect(response.code == 2 && response.error.contains(message), "\(response.error)")
    }

    @Test("keys lint calls an entry private by its members, usable or not")
    func lint() throws {
        let tool = try Tool()
        let small = #"{"kty":"RSA","n":"AQAB","e":"AQAB","d":"AQAB"}"#
        let rows: [(key: String, reason: String)] = [
            (small, "a private key"), (#"{"kty":"EC","crv":"P-256","d":"AQ"}"#, "a private key"),
            (#"{"kty":"OKP","crv":"Ed25519","d":null}"#, "a private key"),
            (#"{"d":"AQ"}"#, "a private key"), (#"{"kty":"oct","k":"AQ"}"#, "a symmetric key"),
            (#"{"kty":"oct","k":7}"#, "a symmetric key"), (#"{"k":"AQ"}"#, "a symmetric key"),
            (#"{"kty":"oct","d":"AQ"}"#, "a symmetric key"),
            (#"{"kty":"oct","k":"AQ"},\#(small)"#, "a private key"),
            (#"{"kty":"RSA","d":"AQ","x":"\ud800"}"#, "a private key"),
        ]
        for row in rows {
            try tool.write(#"{"keys":[\#(row.key)]}"#, to: "set")
            let response = try tool.run("keys", "lint", "set")
            #expect(response.code == 1)
            #expect(
                response.text.contains("the file: it contains \(row.reason)"), "\(response.text)")
        }
    }
}
