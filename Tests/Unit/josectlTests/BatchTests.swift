// batch: order, ids, bad lines, defaults, limits.

import Foundation
import Testing

@testable import josectl

@Suite struct BatchTests {
    private func ask(_ lines: [String], _ options: String...) throws -> [[String: Any]] {
        let input = Data(lines.map { $0 + "\n" }.joined().utf8)
        let response = try Tool().run(["batch"] + options, input: input)
        #expect(response.code == 0, "\(response.error)")
        #expect(response.lines.count == lines.count)
        return try response.objects()
    }

    private func verdict(_ response: [String: Any]) -> String {
        if response["ok"] as? Bool == true { return "ok" }
        let error = response["error"] as? [String: Any]
        let claim = (error?["claim"] as? String).map { " " + $0 } ?? ""
        return (error?["code"] as? String ?? "?") + claim
    }

    private func verdicts(_ lines: [String], _ options: String...) throws -> [String] {
        let input = Data(lines.map { $0 + "\n" }.joined().utf8)
        let response = try Tool().run(["batch"] + options, input: input)
        return try response.objects().map(verdict)
    }

    private func line(_ op: String, _ members: String...) -> String {
        "{\"id\":1,\"op\":\"\(op)\"" + members.map { "," + $0 }.joined() + "}"
    }

    private func key(_ name: String, _ index: Int, private isPrivate: Bool) throws -> String {
        "\"\(name)\":" + (try SharedKeys.key(index, private: isPrivate))
    }

    private func token(_ text: String) throws -> String {
        let response = try ask([
            line("jws.sign", try key("key", 0, private: true), "\"payload_text\":\"\(text)\"")
        ])
        return try #require(response[0]["token"] as? String)
    }

    @Test("Without enc, a token has A128CBC-HS256, as with the commands")
    func defaultContent() throws {
        let secret = #""key":{"kty":"oct","k":"AAPapAv4LbFbiVawEjagUBluYqN5rhna-8nuldDvOx8"}"#
        let made = try ask([line("jwe.encrypt", secret, #""alg":"dir""#, #""payload_text":"x""#)])
        let token = try #require(made[0]["token"] as? String, "\(made)")
        let opened = try ask([
            line("jwe.decrypt", secret, #""token":"\#(token)""#, #""algs":["dir"]"#)
        ])
        let header = try #require(opened[0]["header"] as? [String: Any], "\(opened)")
        #expect(header["enc"] as? String == "A128CBC-HS256")
    }

    @Test("Responses come in the order of the requests", arguments: ["1", "4"])
    func order(jobs: String) throws {
        let (signer, signed) = (try key("key", 0, private: true), try token("x"))
        var lines: [String] = []
        for index in 0..<300 {
            switch index % 3 {
            case 0: lines.append("{\"id\":\(index),\"op\":\"jws.sign\",\(signer),\"payload\":\"\"}")
            case 1:
                lines.append(
                    "{\"id\":\(index),\"op\":\"jws.verify\",\(signer),\"token\":\"\(signed)\"}")
            default: lines.append("{\"id\":\(index),\"op\":\"none\"}")
            }
        }
        let responses = try ask(lines, "--jobs", jobs)
        #expect(responses.map { $0["id"] as? Int } == Array(0..<300))
        #expect(responses.map(verdict) == (0..<300).map { $0 % 3 == 2 ? "unsupported" : "ok" })
    }

    @Test("A bad line gets an error response, and the next lines are processed")
    func badLines() throws {
        let good = line("jwk.parse", try key("jwk", 0, private: false))
        let lines = [
            "", "x", "[]", #"{"id":1,"id":1}"#, good, #"{"id":1,"op":"\ud800"}"#, "{}", good,
        ]
        let responses = try ask(lines)
        #expect(
            responses.map(verdict) == [
                "malformed", "malformed", "malformed", "malformed", "ok", "malformed", "misuse",
                "ok",
            ])
        for response in responses[0..<4] { #expect(response["id"] is NSNull) }
    }

    @Test(
        "id is returned exactly as it was written",
        arguments: [
            "1.50", "-0", "1e2", "123456789012345678901", #""\u0041\n""#, "null", "[1, 2]",
            #"{"a": 1}"#,
        ])
    func identifiers(text: String) throws {
        let response = try Tool().run("batch", input: Data("{\"op\":\"x\",\"id\":\(text)}".utf8))
        #expect(response.text.hasPrefix("{\"id\":\(text),\"ok\":false,"))
    }

    @Test(
        "Unknown members, missing members and wrong types are misuse, an unknown op is unsupported")
    func misuse() throws {
        let (own, open) = (try key("key", 0, private: true), try key("key", 0, private: false))
        let signed = "\"token\":\"\(try token("x"))\""
        let lines = [
            line("chain.verify"), line("jws.guess"), #"{"id":1,"op":5}"#, #"{"id":1}"#,
            line("jws.verify", open), line("jws.verify", signed),
            line("jws.verify", signed, "\"key\":5"),
            line("jws.verify", signed, open, "\"keys\":{\"keys\":[]}"),
            line("jws.verify", signed, open, "\"algorithms\":[]"),
            line("jws.verify", signed, open, "\"algs\":[]"),
            line("jws.verify", signed, open, "\"algs\":\"RS256\""),
            line("jws.verify", signed, open, "\"algs\":[1]"),
            line("jws.verify", open, "\"token\":5"),
            line("jws.verify", signed, open, "\"detached_payload\":5"),
            line("jws.verify", signed, open, "\"detached_payload\":\"\""),
            line("jws.sign", own),
            line("jws.sign", own, "\"payload\":\"\"", "\"payload_text\":\"\""),
            line("jws.sign", own, "\"payload\":\"a b\""),
            line("jws.sign", own, "\"payload\":\"\"", "\"alg\":\"HS256\""),
            line("jws.sign", own, "\"payload\":\"\"", "\"alg\":\"none\""),
            line("jws.sign", own, "\"payload\":\"\"", "\"header\":[]"),
            line("jws.sign", own, "\"payload\":\"\"", "\"header\":{\"typ\":5}"),
            line("jws.sign", own, "\"payload\":\"\"", "\"header\":{\"alg\":\"none\"}"),
            line("jws.sign", own, "\"payload\":\"\"", "\"header\":{\"kid\":\"x\"}"),
            line("jws.sign", own, "\"payload\":\"\"", "\"header\":{\"crit\":[\"x\"],\"x\":1}"),
            line("jws.sign", own, "\"payload\":\"\"", "\"header\":{\"typ\":\"JWT\",\"x\":1}"),
            line("jws.sign", open, "\"payload\":\"\""),
            line("thumbprint", "\"jwk\":{\"kty\":\"RSA\"}", "\"hash\":\"md5\""),
        ]
        #expect(
            try verdicts(lines) == [
                "misuse", "unsupported", "misuse", "misuse",
                "misuse", "misuse", "malformed",
                "misuse", "misuse", "misuse", "misuse", "misuse", "misuse", "misuse", "malformed",
                "misuse", "misuse", "malformed", "key-unusable", "unsupported",
                "misuse", "misuse", "misuse", "misuse", "misuse", "ok",
                "key-unusable", "unsupported",
            ])
    }

    @Test("A list of unknown algorithms accepts nothing, and format errors come first")
    func unmatchedLists() throws {
        let open = try key("key", 0, private: false)
        let signed = try token("x")
        #expect(
            try verdicts([
                line("jws.verify", open, "\"token\":\"\(signed)\"", "\"algs\":[\"ES999\"]"),
                line(
                    "jws.verify", open, "\"token\":\"\(signed)\"", "\"algs\":[\"ES999\",\"RS256\"]"),
                line("jws.verify", open, "\"token\":\"a.b.c\"", "\"algs\":[\"ES999\"]"),
                line(
                    "jwe.decrypt", try key("key", 1, private: true), "\"token\":\"\(signed)\"",
                    "\"encs\":[\"X\"]"),
            ]) == ["algorithm-not-allowed", "ok", "malformed", "malformed"])
    }

    @Test func nested() throws {
        let claims = "{\"exp\":1800000300,\"iss\":\"op\",\"aud\":\"rp\", \"n\" : 1.50}"
        let algorithms = "\"alg\":\"RS256\",\"key_alg\":\"RSA-OAEP-256\",\"enc\":\"A128CBC-HS256\""
        let seal = line(
            "jwt.seal", try key("signing_key", 0, private: true),
            try key("encryption_key", 1, private: false), "\"claims\":\(claims)", algorithms)
        let token = try #require(try ask([seal])[0]["token"] as? String)
        let keys =
            "\"decryption_keys\":\(SharedKeys.sets.private),\"verification_keys\":\(SharedKeys.sets.public)"
            .replacingOccurrences(of: "\n", with: "")
        let base = "\"token\":\"\(token)\",\(keys),\"now\":1800000000"
        let response = try Tool().run("batch", input: Data(line("jwt.open", base).utf8))
        #expect(
            response.text.contains(
                "\"claims\":{\"exp\":1800000300,\"iss\":\"op\",\"aud\":\"rp\",\"n\":1.50}"))
        #expect(response.text.contains("\"unchecked\":[\"issuer\",\"audience\",\"nonce\""))
        #expect(
            try verdicts([
                line("jwt.open", base, "\"issuer\":\"op\"", "\"audience\":\"rp\""),
                line("jwt.open", base, "\"issuer\":\"xx\""),
                line("jwt.open", base, "\"audience\":\"xx\""),
                line("jwt.open", base, "\"layers\":[\"signed\"]"),
                line("jwt.open", base, "\"layers\":[]"),
                line("jwt.open", base, "\"leeway\":301"),
                line("jwt.open", base, "\"required\":[\"jti\"]"),
                line("jwt.open", base, "\"algs\":[\"PS999\"]"),
                line("jwt.open", base, "\"key_algs\":[\"RSA-OAEP\"]"),
                line("jwt.open", base, "\"verify\":false"),
                line("jwt.open", "\"token\":\"\(token)\""),
            ]) == [
                "ok", "claim-rejected iss", "claim-rejected aud", "malformed", "misuse", "misuse",
                "claim-rejected jti", "algorithm-not-allowed", "algorithm-not-allowed", "misuse",
                "misuse",
            ])
    }

    @Test("Lines that run together have the responses that they have alone, in their order")
    func together() throws {
        let algorithms = "\"alg\":\"RS256\",\"key_alg\":\"RSA-OAEP-256\",\"enc\":\"A128GCM\""
        let keys =
            "\"decryption_keys\":\(SharedKeys.sets.private),\"verification_keys\":\(SharedKeys.sets.public)"
            .replacingOccurrences(of: "\n", with: "")
        let seals = try (0..<40).map { index in
            try line(
                "jwt.seal", key("signing_key", 0, private: true),
                key("encryption_key", 1, private: false),
                "\"claims\":\(index % 7 == 3 ? "[]" : "{\"exp\":1800000300,\"n\":\(index)}")",
                algorithms)
        }
        for setting in ["automatic", "with-private-keys", "with-floating-point"] {
            let sealed = try ask(seals, "--acceleration", setting)
            #expect(sealed.map(verdict) == (0..<40).map { $0 % 7 == 3 ? "malformed" : "ok" })
            var lines: [String] = []
            var wanted: [String] = []
            for (index, response) in sealed.enumerated() {
                guard var token = response["token"] as? String else { continue }
                let isWrong = index % 5 == 2
                if isWrong { token = String(token.dropLast(4)) + "AAAA" }
                wanted.append(isWrong ? "decryption-failed" : "ok")
                lines.append(
                    index % 2 == 0
                        ? line("jwt.open", keys, "\"token\":\"\(token)\"", "\"now\":1800000000")
                        : line(
                            "jwe.decrypt", try key("key", 1, private: true),
                            "\"token\":\"\(token)\""))
            }
            let opened = try ask(lines, "--acceleration", setting, "--jobs", "2")
            #expect(opened.map(verdict) == wanted, "\(setting)")
            let claims = opened.compactMap { $0["claims"] as? [String: Any] }
            let numbers = claims.map { $0["n"] as? Int }
            let expected = (0..<40).filter { (n: Int) -> Bool in
                n % 7 != 3 && n % 5 != 2 && n % 2 == 0
            }
            #expect(numbers == expected)
        }
    }

    @Test("A batch may use more keys than the cache keeps")
    func manyKeys() throws {
        let open = try SharedKeys.key(0, private: false).dropLast()
        let signed = try token("x")
        // Every line has a different JSON text of the key.
        let lines = (0..<600).map { index in
            line("jws.verify", "\"key\":\(open),\"x\":\(index % 300)}", "\"token\":\"\(signed)\"")
        }
        #expect(try verdicts(lines, "--jobs", "2") == Array(repeating: "ok", count: 600))
    }

    @Test("A line over the limit is skipped")
    func longLine() throws {
        var reader = LineReader(
            Descriptor(
                raw: try file("short\n" + String(repeating: "x", count: 600_000) + "\nend\nlast"),
                name: "test"),
            limit: 100)
        var lines: [String] = []
        while let portion = try reader.next() {
            for line in portion {
                switch line {
                case .text(let text): lines.append(String(decoding: text, as: UTF8.self))
                case .tooLong: lines.append("too long")
                }
            }
        }
        #expect(lines == ["short", "too long", "end", "last"])
    }

    private func file(_ text: String) throws -> Int32 {
        let name = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try Data(text.utf8).write(to: name)
        defer { try? FileManager.default.removeItem(at: name) }
        return open(name.path, O_RDONLY)
    }
}
