// Untrusted tokens and keys in all output of the tool: no forged line, no cursor movement, the
// exact value.

import Foundation
import Testing

@testable import josectl

@Suite("Untrusted text in the tool's output")
struct ForeignTextTests {
    /// A name that would end a line, move the cursor, reverse text, hide, or look like another.
    static let hostile =
        "k\u{1b}[2J\u{7f}\u{9b}31m\u{85}\u{202e}\u{2066}\u{200f}\u{61c}\u{2028}\u{2029}\u{200b}\u{feff}\u{ad}"
        + "\u{3164}\u{e0041}\u{e000}\r\n{\"ok\":true}'\"\\"
    /// The same, as far as JSON allows it unescaped.
    private static let inJSON = json(hostile)

    private static func json(_ text: String) -> String {
        var written = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": written += "\\\(scalar)"
            case "\u{0}"..<" ":
                written +=
                    "\\u00" + (scalar.value < 16 ? "0" : "") + String(scalar.value, radix: 16)
            default: written.unicodeScalars.append(scalar)
            }
        }
        return "\"\(written)\""
    }

    /// Claims with line ends between them, one of which could look like output of the tool.
    private static let claims =
        "{\"iss\":\(inJSON)\n,\n\"ok\":true,\"verified\":true\r\n,\t\"exp\":1800000300,"
        + "\(inJSON):[\(inJSON)]}"

    private let tool: Tool
    private let token: String
    private let nested: String
    private let encrypted: String

    init() throws {
        tool = try Tool()
        for (name, use) in [("signing", "sig"), ("encrypting", "enc")] {
            try tool.run(
                "keys", "new", "--use", use, "--kid", Self.hostile, "--out", "\(name).private",
                "--public", "\(name).public")
        }
        token = try tool.run(
            ["sign", "--key", "signing.private", "--header", "{\(Self.inJSON):\(Self.inJSON)}"],
            input: Data(Self.claims.utf8)
        ).token
        nested = try tool.run(
            ["seal", "--signing-key", "signing.private", "--encryption-key", "encrypting.public"],
            input: Data(Self.claims.utf8)
        ).token
        encrypted = try tool.run(
            ["encrypt", "--key", "encrypting.public", "--header", "{\(Self.inJSON):1}"],
            input: Data(Self.claims.utf8)
        ).token
        #expect(token.hasPrefix("eyJ") && nested.hasPrefix("eyJ") && encrypted.hasPrefix("eyJ"))
    }

    /// Expects no terminal control characters, and only the tool's own line ends.
    private func expectMatch(
        _ text: String, _ comment: String, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let unfit = text.unicodeScalars.first {
            $0 != "\n" && ($0.value < 0x20 || 0x7f...0xa0 ~= $0.value)
                || Self.hostile.unicodeScalars.contains($0) && $0.value > 0xa0
        }
        #expect(
            unfit == nil, "\(comment): U+\(String(unfit?.value ?? 0, radix: 16))",
            sourceLocation: sourceLocation)
        for line in text.split(separator: "\n") {
            #expect(
                !line.hasPrefix("{\"ok\":true}'"), "\(comment): a forged line",
                sourceLocation: sourceLocation)
            #expect(
                !line.hasPrefix(",") && !line.hasPrefix("\"ok\":true,\"verified\""),
                "\(comment): a forged line", sourceLocation: sourceLocation)
        }
    }

    /// Every command that shows untrusted text, with its exit code.
    private var commands: [(words: [String], code: Int32)] {
        [
            (["inspect", token], 0), (["inspect", nested], 0),
            (
                [
                    "explain", "--layers", "signed", "--verification-keys", "signing.public",
                    "--at",
                    "1900000000", token,
                ], 1
            ),
            (
                [
                    "explain", "--layers", "signed", "--verification-keys", "signing.public",
                    "--at",
                    "1800000000", "--issuer", Self.hostile, token,
                ], 0
            ),
            (
                [
                    "explain", "--verification-keys", "signing.public", "--decryption-keys",
                    "encrypting.private", "--at", "1800000000", nested,
                ], 0
            ),
            (
                [
                    "open", "--layers", "signed", "--verification-keys", "signing.public", "--at",
                    "1800000000", "--required", Self.hostile + "x", token,
                ], 1
            ),
            (["keys", "lint", "signing.public"], 0), (["keys", "lint", "encrypting.private"], 1),
            (["keys", "thumbprint", "signing.public"], 0),
            (["keys", "public", "signing.private"], 0),
            (["verify", "--key", "encrypting.public", token], 1),
            (["verify", "--key", Self.hostile.filter { $0 != "\u{0}" }, token], 3),
            (["sign", "--alg", Self.hostile, "--key", "signing.private"], 2),
            (["inspect", "--\(Self.hostile)"], 2), ([Self.hostile], 2),
            (
                [
                    "chain", "verify", "signing.public", "--anchors", "root.pem", "--kid",
                    Self.hostile,
                ], 1
            ),
            (["inspect", "--max-bytes", Self.hostile], 2), (["open", "--at", Self.hostile], 2),
        ]
    }

    @Test("every command escapes untrusted text in its output for people") func people() throws {
        try tool.write(Tool.withAuthority().read("ca.pem"), to: "root.pem")
        for (words, code) in commands {
            let response = try tool.run(words)
            #expect(response.code == code, "\(words.prefix(2)): \(response.error)")
            expectMatch(response.text, "output of \(words.prefix(2))")
            expectMatch(response.error, "message of \(words.prefix(2))")
        }
    }

    @Test("every command with --json prints one line with the token's exact value") func machines()
        throws
    {
        try tool.write(Tool.withAuthority().read("ca.pem"), to: "root.pem")
        let more: [(words: [String], code: Int32)] = [
            (["verify", "--key", "signing.public", token], 0),
            (["decrypt", "--key", "encrypting.private", encrypted], 0),
            (
                [
                    "open", "--verification-keys", "signing.public", "--decryption-keys",
                    "encrypting.private", "--at", "1800000000", nested,
                ], 0
            ),
            (
                [
                    "keys", "new", "--use", "sig", "--kid", Self.hostile, "--out", "x", "--public",
                    "y",
                ], 0
            ),
        ]
        for (words, code) in commands + more {
            let response = try tool.run(words + ["--json"])
            #expect(response.code == code, "\(words.prefix(2)): \(response.error)")
            expectMatch(response.text, "output of \(words.prefix(2))")
            expectMatch(response.error, "message of \(words.prefix(2))")
            guard !response.output.isEmpty else { continue }
            #expect(response.output.filter { $0 == 0x0a }.count == 1)
            #expect(response.output.last == 0x0a)
            #expect(try response.objects().count == 1)
        }
        let inspected = try #require(try tool.run("inspect", "--json", token).objects().first)
        let claims = try JSONSerialization.jsonObject(with: Data(Self.claims.utf8)) as? NSDictionary
        #expect(inspected["claims"] as? NSDictionary == claims)
        #expect((inspected["header"] as? [String: Any])?["kid"] as? String == Self.hostile)
        #expect((inspected["header"] as? [String: Any])?[Self.hostile] as? String == Self.hostile)
        #expect(inspected["verified"] as? Bool == false)
        let lists = try #require(
            try tool.run("keys", "thumbprint", "--json", "signing.public").objects().first)
        #expect((lists["keys"] as? [[String: Any]])?.first?["kid"] as? String == Self.hostile)
    }

    @Test("every batch operation prints one line per request, in order, with the exact values")
    func batch() throws {
        let signing = try tool.read("signing.public").trimmingCharacters(in: .newlines)
        let decrypting = try tool.read("encrypting.private").trimmingCharacters(in: .newlines)
        let requests = [
            #"{"op":"jws.verify","keys":\#(signing),"token":"\#(token)"}"#,
            #"{"op":"jws.verify","keys":\#(signing),"token":"\#(token)","b64":true}"#,
            #"{"op":"jwe.decrypt","keys":\#(decrypting),"token":"\#(encrypted)"}"#,
            #"""
            {"op":"jwt.open","verification_keys":\#(signing),"decryption_keys":\#(decrypting),\#
            "token":"\#(nested)","now":1800000000}
            """#,
            #"""
            {"op":"jwt.open","verification_keys":\#(signing),"decryption_keys":\#(decrypting),\#
            "token":"\#(nested)","now":1800000000,"required":[\#(Self.json(Self.hostile + "x"))]}
            """#,
            #"{"op":"jwks.parse","jwks":\#(signing)}"#,
            #"{"op":"jwk.parse","jwk":{"kty":\#(Self.inJSON)}}"#,
            #"{"op":"jwk.parse","jwk":{"kty":"oct","k":"AAAAAAAAAAAAAAAAAAAAAA","kid":\#(Self.inJSON)}}"#,
            #"{"op":\#(Self.inJSON)}"#, #"{"op":"thumbprint",\#(Self.inJSON):1}"#,
            "{\"op\":\"x\",\"id\":[1,\r\t\(Self.inJSON)]}", "{\(Self.inJSON)}", Self.hostile,
        ]
        let lines = requests.map { $0.replacingOccurrences(of: "\n", with: "") }
        let input = Data((lines.joined(separator: "\n") + "\n").utf8)
        for jobs in ["1", "2"] {
            let response = try tool.run(["batch", "--jobs", jobs], input: input)
            #expect(response.code == 0)
            expectMatch(response.text, "batch")
            let responses = try response.objects()
            #expect(responses.count == lines.count)
            #expect(responses.prefix(4).allSatisfy { $0["ok"] as? Bool == true })
            #expect((responses[0]["header"] as? [String: Any])?["kid"] as? String == Self.hostile)
            #expect(responses[0]["kid"] as? String == Self.hostile)
            #expect((responses[3]["claims"] as? [String: Any])?["iss"] as? String == Self.hostile)
            #expect((responses[10]["id"] as? [Any])?.last as? String == Self.hostile)
        }
    }
}
