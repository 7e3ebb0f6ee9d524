// PKCS#11 keys in batch, between lines.

import Foundation
import Testing

@Suite("PKCS#11 keys in batch") struct TokenBatchTests {
    private func line(_ members: [String: Any]) throws -> String {
        let data = try JSONSerialization.data(
            withJSONObject: members, options: [.sortedKeys, .withoutEscapingSlashes])
        return String(decoding: data, as: UTF8.self) + "\n"
    }

    private func code(_ response: [String: Any]) -> String {
        if response["ok"] as? Bool == true { return "ok" }
        return (response["error"] as? [String: Any])?["code"] as? String ?? "none"
    }

    @Test("Every private-key operation accepts a PKCS#11 URI, with one job and with several")
    func operations() throws {
        let token = try TokenTool()
        let signing = try token.makeKey("--alg", "ES256")
        let encryption = try token.makeKey("--use", "enc", "--bits", "2048")
        let sets = try [signing, encryption].map {
            try jsonObject(Data(contentsOf: token.tool.url($0.published)))
        }
        let jwks = try sets.map { try #require(($0["keys"] as? [[String: Any]])?.first) }
        let first = try token.run(
            "batch",
            input: try line([
                "op": "jws.sign", "key": signing.uri, "alg": "ES256", "payload_text": "a",
            ])
                + line([
                    "op": "jws.sign", "payload_text": "a",
                    "signers": [
                        ["key": signing.uri, "alg": "ES256"], ["key": signing.uri, "alg": "ES256"],
                    ],
                ])
                + line([
                    "op": "jwe.encrypt", "key": jwks[1], "alg": "RSA-OAEP-256",
                    "enc": "A128CBC-HS256", "payload_text": "a",
                ])
                + line([
                    "op": "jwt.seal", "signing_key": signing.uri, "encryption_key": jwks[1],
                    "claims": ["iss": "a", "exp": 4_000_000_000], "alg": "ES256",
                    "key_alg": "RSA-OAEP", "enc": "A128CBC-HS256",
                ])
        ).objects()
        #expect(first.map(code) == ["ok", "ok", "ok", "ok"], "\(first)")
        let tokens = first.compactMap { $0["token"] }
        try #require(tokens.count == 4)
        let lines = [
            try line([
                "op": "jws.verify", "key": signing.uri, "algs": ["ES256"], "token": tokens[0],
            ]),
            try line([
                "op": "jws.verify", "keys": sets[0], "algs": ["ES256"], "token": tokens[1],
            ]),
            try line(["op": "jwe.decrypt", "key": encryption.uri, "token": tokens[2]]),
            try line(["op": "jwe.decrypt", "keys": encryption.uri, "token": tokens[2]]),
            try line([
                "op": "jwt.open", "decryption_keys": encryption.uri, "verification_keys": sets[0],
                "token": tokens[3],
            ]),
            try line(["op": "thumbprint", "jwk": encryption.uri]),
            try line(["op": "jwk.parse", "jwk": signing.uri]),
            try line(["op": "jwks.parse", "jwks": signing.uri]),
            try line([
                "op": "jwe.decrypt", "key": encryption.uri,
                "token": tampered(tokens[2] as? String ?? "", part: 4),
            ]),
            try line(["op": "jwe.decrypt", "key": token.uri("nobody"), "token": tokens[2]]),
            try line(["op": "jwe.decrypt", "key": "pkcs11:what=ever", "token": tokens[2]]),
            try line([
                "op": "jwe.decrypt", "key": encryption.uri + "?module-path=/x", "token": tokens[2],
            ]),
            try line(["op": "jwe.decrypt", "key": "a word", "token": tokens[2]]),
            try line([
                "op": "jws.verify", "keys": signing.uri, "algs": ["ES256"], "token": tokens[0],
            ]),
        ]
        let wanted = [
            "ok", "ok", "ok", "ok", "ok", "ok", "ok", "ok", "decryption-failed", "key-not-found",
            "misuse", "misuse", "malformed", "malformed",
        ]
        for jobs in ["1", "4"] {
            let responses = try token.run(
                "batch", "--jobs", jobs, input: (lines + lines + lines).joined()
            ).objects()
            #expect(responses.map(code) == wanted + wanted + wanted)
            #expect(responses[6]["private"] as? Bool == true)
            let shown = try #require(responses[6]["public"] as? [String: Any])
            #expect(shown["d"] == nil && shown["x"] as? String == jwks[0]["x"] as? String)
        }
    }

    @Test("Without --module no line accesses a token")
    func withoutModule() throws {
        let response = try Tool().run(
            "batch",
            input: Data(
                try line([
                    "op": "jws.sign", "key": "pkcs11:object=a", "alg": "ES256", "payload_text": "a",
                ]).utf8))
        #expect(try response.objects().map(code) == ["misuse"])
        #expect(response.text.contains("--module"))
    }

    @Test(
        "An absent token is unavailable for the lines that need it",
        .enabled(if: TokenTool.isOwn, TokenTool.onlyOwn))
    func away() throws {
        let token = try TokenTool()
        let key = try token.makeKey("--alg", "ES256")
        let lines =
            try line(["op": "jws.sign", "key": key.uri, "alg": "ES256", "payload_text": "a"])
            + line(["op": "jws.sign", "payload_text": "a", "alg": "none", "key": 1])
        try token.remove(true)
        let responses = try token.run("batch", input: lines + lines).objects()
        #expect(responses.map(code) == ["unavailable", "malformed", "unavailable", "malformed"])
    }

    @Test(
        "A failed login is tried once per batch, whatever URIs the lines use",
        .enabled(if: TokenTool.isOwn, TokenTool.onlyOwn), arguments: ["1", "3"], [true, false])
    func failingLogin(_ jobs: String, isWrong: Bool) throws {
        let token = try TokenTool()
        let key = try token.makeKey("--alg", "ES256")
        let before = try token.logins()
        try token.secret("654321", to: "wrong")
        if !isWrong { token.responseLogins(0x30) }  // CKR_DEVICE_ERROR
        let names = [key.uri, key.uri + ";model=memory", key.uri + ";serial=0001"]
        let lines = try (0..<200).map { number in
            try line([
                "op": "jws.sign", "key": names[number % names.count], "alg": "ES256",
                "payload_text": "a",
            ])
        }.joined()
        let responses = try token.run(
            "batch", "--jobs", jobs, pinFile: isWrong ? "wrong" : "pin", input: lines
        ).objects()
        let wanted = isWrong ? "key-unusable" : "unavailable"
        #expect(responses.map(code) == Array(repeating: wanted, count: 200))
        #expect(try token.logins() == before + 1)
    }

    @Test(
        "The PIN is sent to its own token and to no other that a line names",
        .enabled(if: TokenTool.isOwn, TokenTool.onlyOwn), arguments: ["1", "3"])
    func otherToken(_ jobs: String) throws {
        let token = try TokenTool()
        let key = try token.makeKey("--alg", "ES256")
        let before = try token.logins()
        token.tool.environment["JOSE_TEST_TOKEN_TWIN"] = "1"
        func responses(_ endings: [String]) throws -> [[String: Any]] {
            let lines = try endings.map { ending in
                try line([
                    "op": "jws.sign", "key": key.uri + ending, "alg": "ES256", "payload_text": "a",
                ])
            }
            return try token.run(
                "batch", "--jobs", jobs, "--token", token.uri() + ";serial=0001",
                input: lines.joined()
            ).objects()
        }
        let others = try responses([";serial=0002", "", ";serial=0002;model=memory"])
        #expect(others.map(code) == ["key-not-found", "key-unusable", "key-not-found"])
        let said = others.compactMap { ($0["error"] as? [String: Any])?["message"] as? String }
        #expect(said.filter { $0.contains("the PIN is only for pkcs11:") }.count == 2, "\(said)")
        #expect(try token.logins() == before)
        let own = try responses([";serial=0001", ";model=memory;serial=0001", ";serial=0001"])
        #expect(own.map(code) == ["ok", "ok", "ok"])
        #expect(try token.logins() == before + 1)
    }

    @Test(
        "A module that hangs at start is waited for once, for any number of lines",
        .enabled(if: TokenTool.isOwn, TokenTool.onlyOwn), arguments: ["1", "3"])
    func hanging(_ jobs: String) throws {
        let token = try TokenTool()
        token.tool.environment["JOSE_TEST_TOKEN_HANG"] = "1"
        let wanted = try line([
            "op": "jws.sign", "key": token.uri("a"), "alg": "ES256", "payload_text": "a",
        ])
        let responses = try token.run(
            "batch", "--wait", "1", "--jobs", jobs,
            input: String(repeating: wanted, count: 200)
        ).objects()
        #expect(responses.count == 200 && responses.allSatisfy { code($0) == "unavailable" })
    }

    @Test(
        "Behind a slow line, few lines are read until it has its response",
        .enabled(if: TokenTool.isOwn, TokenTool.onlyOwn))
    func slow() throws {
        let token = try TokenTool()
        token.tool.environment["JOSE_TEST_TOKEN_HANG"] = "1"
        let slow = try line([
            "op": "jws.sign", "key": token.uri("a"), "alg": "ES256", "payload_text": "a",
        ])
        let quick = try line(["op": "none", "id": String(repeating: "i", count: 200)])
        let count = 40_000
        try token.tool.write(slow + String(repeating: quick, count: count), to: "lines")
        // The position in the input at the first response; then the output is read to its end.
        let response = try token.run(
            script: """
                exec 3<lines
                "$@" <&3 | { read -r; sed -n 's/pos://p' /proc/self/fdinfo/3; wc -l; }
                """, "batch", "--wait", "2", "--jobs", "2")
        let numbers = response.text.split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
        try #require(numbers.count == 2, "\(response.text) \(response.error)")
        #expect(numbers[0] <= 2 * 262_144 && numbers[1] == count)
    }

    @Test(
        "A card moved into another card's slot serves the lines that name it",
        .enabled(if: TokenTool.isOwn, TokenTool.onlyOwn))
    func swapped() throws {
        let token = try TokenTool()
        let key = try token.makeKey("--alg", "ES256")
        token.misbehave(23)  // no login
        // After the key's test operation and one signature.
        token.tool.environment["JOSE_TEST_TOKEN_SWAP"] = "2"
        let lines = try ["0001", "0003", "0003", "0001"].map { serial in
            try line([
                "op": "jws.sign", "key": key.uri + ";serial=" + serial, "alg": "ES256",
                "payload_text": "a",
            ])
        }
        let responses = try token.run(
            "batch", "--jobs", "1", pinFile: nil, input: lines.joined()
        ).objects()
        #expect(responses.map(code) == ["ok", "ok", "ok", "unavailable"], "\(responses)")
    }

    @Test(
        "A token has one set of sessions for all its URIs, also without a PIN",
        .enabled(if: TokenTool.isOwn, TokenTool.onlyOwn), arguments: ["1", "3"])
    func names(_ jobs: String) throws {
        let token = try TokenTool()
        token.misbehave(23)  // no login
        let words = [
            "manufacturer=swift-jose", "model=memory", "serial=0001", "slot-id=7",
            "slot-description=a%20slot%3B%20of%20tests", "slot-manufacturer=swift-jose",
            "library-manufacturer=swift-jose", "library-version=1.5",
            "library-description=tests",
        ]
        // More keys than the token has sessions, each once, and the first ones again.
        let lines = try ((0..<1 << words.count).map { $0 } + [0, 1, 2]).map { number in
            let said = words.indices.filter { number >> $0 & 1 == 1 }.map { ";" + words[$0] }
            return try line([
                "op": "jws.sign", "key": token.uri("nobody") + said.joined(), "alg": "ES256",
                "payload_text": "a",
            ])
        }
        let responses = try token.run(
            "batch", "--jobs", jobs, pinFile: nil, input: lines.joined()
        ).objects()
        #expect(responses.count == 515 && responses.allSatisfy { code($0) == "key-not-found" })
    }
}
