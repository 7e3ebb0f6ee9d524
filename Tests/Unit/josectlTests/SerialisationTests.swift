// JSON serializations, detached and unencoded payloads: selected by options, never guessed.

import Foundation
import Testing

@Suite struct SerialisationTests {
    private static let payload = Data("hello, wörld".utf8)

    @Test("sign and verify in every serialization")
    func forms() throws {
        let tool = try Tool.withKeys()
        for form in ["compact", "flattened", "general"] {
            let read = form == "compact" ? "compact" : "json"
            for options in [[], ["--detached"]] {
                let made = try tool.run(
                    ["sign", "--key", "private.jwks", "--form", form] + options,
                    input: Self.payload)
                #expect(made.code == 0, "\(made.error)")
                try tool.write(made.text, to: "token")
                try tool.write(String(decoding: Self.payload, as: UTF8.self), to: "payload")
                let apart = options.isEmpty ? [] : ["--detached", "payload"]
                let verify = ["verify", "--key", "public.jwks", "--form", read] + apart
                let response = try tool.run(verify + ["token"])
                #expect(response.code == 0, "\(form) \(options): \(response.error)")
                #expect(response.output == Self.payload)
                // The reverse, and in the other serialization.
                let other = options.isEmpty ? ["--detached", "payload"] : []
                let wrong = ["verify", "--key", "public.jwks", "--form", read] + other
                #expect(try tool.run(wrong + ["token"]).code == 1)
                let guessed = read == "json" ? [] : ["--form", "json"]
                #expect(
                    try tool.run(["verify", "--key", "public.jwks"] + guessed + apart + ["token"])
                        .code == 1)
            }
        }
    }

    @Test("unencoded payloads need an option on both sides")
    func unencoded() throws {
        let tool = try Tool.withKeys()
        let text = Data("$-02".utf8)
        for form in ["compact", "general"] {
            let made = try tool.run(
                "sign", "--key", "private.jwks", "--form", form, "--unencoded", input: text)
            try tool.write(made.text, to: "token")
            let verify = [
                "verify", "--key", "public.jwks", "--form", form == "compact" ? form : "json",
            ]
            #expect(try tool.run(verify + ["--unencoded", "token"]).output == text)
            #expect(try tool.run(verify + ["token"]).error.contains("unsupported"))
        }
        let dotted = try tool.run(
            "sign", "--key", "private.jwks", "--unencoded", input: Data("$.02".utf8))
        #expect(dotted.code != 0)
        #expect(dotted.output.isEmpty)
    }

    @Test("several signers, and the verifier's rule for them")
    func several() throws {
        let tool = try Tool.withKeys()
        try tool.run(
            "keys", "new", "--use", "sig", "--kid", "bob", "--out", "bob", "--public", "bob.pub")
        let made = try tool.run(
            "sign", "--key", "private.jwks", "--key", "bob", "--form", "general",
            "--unprotected", #"{"x":1}"#, input: Self.payload)
        #expect(made.code == 0, "\(made.error)")
        try tool.write(made.text, to: "token")
        let verify = ["verify", "--form", "json"]
        #expect(try tool.run(verify + ["--key", "bob.pub", "token"]).code == 1)
        for (rule, code) in [("any", Int32(0)), ("all", 1), ("bob", 0), ("bob,alice", 1)] {
            let response = try tool.run(
                verify + ["--key", "bob.pub", "--signatures", rule, "token"])
            #expect(response.code == code, "\(rule): \(response.error)")
        }
        let response = try tool.run(
            verify + ["--json", "--key", "bob.pub", "--signatures", "bob", "token"])
        let object = try #require(try response.objects().first)
        #expect(object["kid"] as? String == "bob")
        #expect((object["signatures"] as? [[String: Any]])?.count == 1)
        let shown = try tool.run("inspect", "--form", "json", "token")
        #expect(shown.text.contains("2 signatures"))
        #expect(shown.lines[0].hasPrefix("UNVERIFIED"))
        #expect(try tool.run("inspect", "token").code == 1)
    }

    @Test("invalid option combinations are wrong usage")
    func usage() throws {
        let tool = try Tool.withKeys()
        for (options, code) in [
            (["sign", "--key", "private.jwks", "--form", "json"], Int32(2)),
            (["sign", "--key", "private.jwks", "--form", "general", "--unprotected", "[]"], 2),
            (["sign", "--key", "private.jwks", "--key", "private.jwks"], 2),
            (["sign", "--key", "private.jwks", "--unprotected", #"{"x":1}"#], 2),
            (
                [
                    "sign", "--key", "private.jwks", "--form", "general", "--unprotected",
                    #"{"alg":1}"#,
                ],
                2
            ),
            (
                ["sign", "--key", "private.jwks", "--key", "private.jwks", "--form", "flattened"],
                2
            ),
            (["verify", "--key", "public.jwks", "--form", "general"], 2),
            (["verify", "--key", "public.jwks", "--signatures", "any"], 2),
            (["verify", "--key", "public.jwks", "--detached", "nowhere", "x"], 3),
            (["inspect", "--form", "x"], 2),
        ] {
            let response = try tool.run(options, input: Data("x".utf8))
            #expect(response.code == code, "\(options): \(response.error)")
            #expect(response.output.isEmpty)
        }
    }

    // MARK: batch

    private func ask(_ lines: [String]) throws -> [[String: Any]] {
        try Tool().run("batch", input: Data(lines.joined(separator: "\n").utf8)).objects()
    }

    private func verdicts(_ lines: [String]) throws -> [String] {
        try ask(lines).map {
            guard $0["ok"] as? Bool != true else { return "ok" }
            return ($0["error"] as? [String: Any])?["code"] as? String ?? "?"
        }
    }

    private func json(_ value: Any?) throws -> String {
        String(
            decoding: try JSONSerialization.data(withJSONObject: #require(value)), as: UTF8.self)
    }

    @Test("batch: tokens as JSON objects")
    func objects() throws {
        let own = try SharedKeys.key(0, private: true)
        let open = try SharedKeys.key(0, private: false)
        let sign = "\"op\":\"jws.sign\",\"payload_text\":\"x\""
        let made = try ask([
            "{\(sign),\"key\":\(own)}",
            "{\(sign),\"key\":\(own),\"form\":\"flattened\",\"unprotected\":{\"x\":1}}",
            "{\(sign),\"signers\":[{\"key\":\(own)},{\"key\":\(own),\"header\":{\"typ\":\"a\"}}]}",
            "{\(sign),\"key\":\(own),\"form\":\"general\",\"detached\":true}",
            "{\(sign),\"key\":\(own),\"form\":\"flattened\",\"b64\":false}",
            "{\(sign),\"key\":\(own),\"detached\":true,\"b64\":false}",
        ])
        #expect(made.count == 6)
        let compact = try #require(made[0]["token"] as? String)
        let tokens = try made[1...4].map { try json($0["token"]) }
        let unencoded = try #require(made[5]["token"] as? String)
        let verify = "\"op\":\"jws.verify\",\"key\":\(open)"
        #expect(
            try verdicts([
                "{\(verify),\"token\":\(tokens[0])}", "{\(verify),\"token\":\(tokens[1])}",
                "{\(verify),\"token\":\(tokens[1]),\"signatures\":\"all\"}",
                "{\(verify),\"token\":\(tokens[1]),\"signatures\":[\"nobody\"]}",
                "{\(verify),\"token\":\(tokens[2])}",
                "{\(verify),\"token\":\(tokens[2]),\"detached_payload\":\"eA\"}",
                "{\(verify),\"token\":\(tokens[2]),\"detached_payload\":\"eB\"}",
                "{\(verify),\"token\":\(tokens[3])}",
                "{\(verify),\"token\":\(tokens[3]),\"b64\":false}",
                "{\(verify),\"token\":\(tokens[3]),\"b64\":true}",
                "{\(verify),\"token\":\"\(unencoded)\",\"detached_payload\":\"eA\"}",
                "{\(verify),\"token\":\"\(unencoded)\",\"detached_payload\":\"eA\",\"b64\":true}",
                "{\(verify),\"token\":\"\(unencoded)\"}",
                "{\(verify),\"token\":\"\(compact)\",\"signatures\":\"any\"}",
                "{\(verify),\"token\":\(tokens[0]),\"signatures\":\"some\"}",
                "{\(verify),\"token\":\(tokens[0]),\"signatures\":[]}",
                "{\(verify),\"token\":\(tokens[0]),\"algs\":[\"ES999\"]}",
                "{\(verify),\"token\":{},\"algs\":[\"ES999\"]}",
            ]) == [
                "ok", "ok", "ok", "signature-invalid", "malformed", "ok", "malformed",
                "unsupported", "ok", "unsupported", "ok", "unsupported", "unsupported", "misuse",
                "misuse", "misuse", "algorithm-not-allowed", "malformed",
            ])
        let parts = compact.split(separator: ".")
        let good =
            "\"payload\":\"\(parts[1])\",\"protected\":\"\(parts[0])\","
            + "\"signature\":\"\(parts[2])\""
        let lines = [
            "{\(good)}", "{\(good),\"header\":{\"x\":1}}", "{}",
            "{\(good),\"header\":{\"alg\":\"RS256\"}}",
            "{\(good),\"header\":{\"crit\":[\"x\"]}}", "{\(good),\"signatures\":[]}",
            "{\(good),\"\(parts[0]).\":1}",
            "{\"payload\":\"\"}", "{\(good),\"header\":5,\"ciphertext\":\"\"}",
        ].map { "{\(verify),\"token\":\($0)}" }
        #expect(
            try verdicts(lines) == ["ok", "ok"] + Array(repeating: "malformed", count: 7))
        #expect(
            try verdicts([
                "{\"op\":\"jwt.open\",\"token\":{\(good)},\"layers\":[\"signed\"],"
                    + "\"verification_keys\":{\"keys\":[\(open)]}}"
            ]) == ["malformed"])
    }

    @Test("batch: errors of signing")
    func signing() throws {
        let own = try SharedKeys.key(0, private: true)
        let sign = "\"op\":\"jws.sign\",\"payload_text\":\"x\""
        let lines = [
            "{\(sign)}", "{\(sign),\"key\":\(own),\"signers\":[]}", "{\(sign),\"signers\":[]}",
            "{\(sign),\"signers\":5}", "{\(sign),\"signers\":[5]}", "{\(sign),\"signers\":[{}]}",
            "{\(sign),\"signers\":[{\"key\":\(own),\"alg\":5}]}",
            "{\(sign),\"signers\":[{\"key\":\(own)}],\"alg\":\"RS256\"}",
            "{\(sign),\"signers\":[{\"key\":\(own)},{\"key\":\(own)}],\"form\":\"compact\"}",
            "{\(sign),\"signers\":[{\"key\":\(own)},{\"key\":\(own)}],\"form\":\"flattened\"}",
            "{\(sign),\"key\":\(own),\"unprotected\":{\"x\":1}}",
            "{\(sign),\"key\":\(own),\"form\":\"x\"}",
            "{\(sign),\"key\":\(own),\"form\":\"general\",\"unprotected\":{\"kid\":\"x\"}}",
            "{\(sign),\"key\":\(own),\"form\":\"general\",\"unprotected\":[]}",
            "{\(sign),\"key\":\(own),\"detached\":1}",
        ]
        let found = try verdicts(lines)
        #expect(found == Array(repeating: "misuse", count: lines.count))
        let many = Array(repeating: "{\"key\":\(own)}", count: 17).joined(separator: ",")
        #expect(try verdicts(["{\(sign),\"signers\":[\(many)]}"]) == ["limit-exceeded"])
    }

    // MARK: encryption

    @Test("encrypt and decrypt in every serialization, for one and two recipients")
    func encryption() throws {
        let tool = try Tool.withKeys()
        try tool.run(
            "keys", "new", "--use", "enc", "--kid", "bob", "--out", "bob", "--public", "bob.pub")
        try tool.write("bound", to: "aad")
        for (options, form) in [
            (["--form", "compact"], "compact"), (["--form", "flattened"], "json"),
            (["--form", "flattened", "--aad", "aad", "--unprotected", #"{"x":1}"#], "json"),
            (["--form", "general", "--key", "bob.pub", "--aad", "aad"], "json"),
        ] {
            let made = try tool.run(
                ["encrypt", "--key", "public.jwks"] + options, input: Self.payload)
            #expect(made.code == 0, "\(made.error)")
            try tool.write(made.text, to: "token")
            let keys = options.contains("bob.pub") ? ["private.jwks", "bob"] : ["private.jwks"]
            for key in keys {
                let response = try tool.run("decrypt", "--key", key, "--form", form, "token")
                #expect(response.code == 0, "\(options): \(response.error)")
                #expect(response.output == Self.payload)
            }
            let other = form == "json" ? "compact" : "json"
            #expect(
                try tool.run("decrypt", "--key", "private.jwks", "--form", other, "token").code == 1
            )
            let shown = try tool.run("inspect", "--form", form, "token")
            #expect(shown.text.contains("encrypted"))
            guard options.contains("aad") else { continue }
            let object = try #require(
                try tool.run(
                    "decrypt", "--json", "--key", "private.jwks", "--form", form, "token"
                ).objects().first)
            #expect(object["aad"] as? String == "Ym91bmQ")
        }
        for options in [
            ["--key", "bob.pub"], ["--aad", "aad"], ["--unprotected", #"{"x":1}"#],
            ["--form", "flattened", "--key", "bob.pub"], ["--form", "x"],
        ] {
            let response = try tool.run(
                ["encrypt", "--key", "public.jwks"] + options, input: Self.payload)
            #expect(response.code == 2, "\(options): \(response.error)")
        }
    }

    @Test("batch: encrypted tokens as JSON objects")
    func encryptedObjects() throws {
        let own = try SharedKeys.key(1, private: true)
        let open = try SharedKeys.key(1, private: false)
        let encrypt = "\"op\":\"jwe.encrypt\",\"payload_text\":\"x\",\"enc\":\"A128CBC-HS256\""
        let one = "\"key\":\(open),\"alg\":\"RSA-OAEP-256\""
        let made = try ask([
            "{\(encrypt),\(one),\"form\":\"flattened\",\"aad\":\"eA\",\"unprotected\":{\"x\":1}}",
            "{\(encrypt),\"recipients\":[{\(one)},{\(one),\"header\":{\"x\":2}}]}",
        ])
        let tokens = try made.map { try json($0["token"]) }
        let decrypt = "\"op\":\"jwe.decrypt\",\"key\":\(own)"
        let responses = try ask(tokens.map { "{\(decrypt),\"token\":\($0)}" })
        #expect(responses.map { $0["payload"] as? String } == ["eA", "eA"])
        #expect(responses.map { $0["aad"] as? String } == ["eA", ""])
        #expect((responses[0]["unprotected"] as? [String: Any])?["x"] as? Int == 1)
        #expect((responses[1]["recipient"] as? [String: Any])?["alg"] as? String == "RSA-OAEP-256")
        let lines = [
            "{\(decrypt),\"token\":{}}", "{\(decrypt),\"token\":\(tokens[0]),\"algs\":[\"X\"]}",
            "{\(decrypt),\"token\":{},\"encs\":[\"X\"]}",
            "{\(encrypt)}", "{\(encrypt),\"recipients\":[]}", "{\(encrypt),\"recipients\":[5]}",
            "{\(encrypt),\"recipients\":[{\"key\":\(open)}]}", "{\(encrypt),\"key\":\(open)}",
            "{\(encrypt),\(one),\"aad\":\"eA\"}", "{\(encrypt),\(one),\"unprotected\":{\"x\":1}}",
            "{\(encrypt),\"recipients\":[{\(one)}],\"alg\":\"RSA-OAEP\"}",
            "{\(encrypt),\"recipients\":[{\(one),\"header\":{\"alg\":1}}]}",
            "{\(encrypt),\"recipients\":[{\(one)},{\(one)}],\"form\":\"flattened\"}",
        ]
        #expect(
            try verdicts(lines) == [
                "malformed", "algorithm-not-allowed", "malformed",
            ] + Array(repeating: "misuse", count: 10))
    }
}
