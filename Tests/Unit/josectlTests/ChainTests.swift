// chain verify, as a command and as a batch operation: every chain of Vectors/x5c.json.

import Foundation
import Testing

@Suite("Chains") struct ChainTests {
    private struct Case {
        let id: String
        let request: String
        let jwk: Data
        let anchors: [String]
        let time: Int
        let purpose: String
        let verdict: String
    }

    private static func object(_ name: String) throws -> [String: Any] {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../Vectors/").standardizedFileURL
        return try jsonObject(Data(contentsOf: folder.appending(path: name)))
    }

    private static func cases() throws -> [Case] {
        let file = try object("x5c.json")
        let pinned = try #require(try object("verdicts.json")["verdicts"] as? [String: Any])
        return try ["vectors", "negative"].flatMap { part in
            try #require(file[part] as? [[String: Any]]).map { entry in
                let id = try #require(entry["id"] as? String)
                let input = try #require(entry["input"] as? [String: Any])
                var jwk = try #require(input["jwk"] as? [String: Any])
                if let more = jwk.removeValue(forKey: "x5c_repeat") as? [String: Any] {
                    let one = try #require(more["certificate"] as? String)
                    let times = try #require(more["times"] as? Int)
                    jwk["x5c"] =
                        (jwk["x5c"] as? [String] ?? []) + Array(repeating: one, count: times)
                }
                let time = try #require(input["validation_time"] as? Int)
                let anchors = input["trust_anchors"] as? [String] ?? []
                let purpose = input["use"] as? String == "enc" ? "encryption" : "signature"
                let request: [String: Any] = [
                    "id": id, "op": "chain.verify", "jwk": jwk, "anchors": anchors, "at": time,
                    "purpose": purpose,
                ]
                let text = try JSONSerialization.data(
                    withJSONObject: request, options: .sortedKeys)
                let verdict = pinned[id] as? [String: Any]
                return Case(
                    id: id, request: String(decoding: text, as: UTF8.self),
                    jwk: try JSONSerialization.data(withJSONObject: jwk), anchors: anchors,
                    time: time, purpose: purpose,
                    verdict: verdict?["code"] as? String ?? pinned[id] as? String ?? "ok")
            }
        }
    }

    @Test("batch returns each chain's result")
    func batch() throws {
        let cases = try Self.cases()
        #expect(cases.count == 78)
        let input = Data(cases.map { $0.request + "\n" }.joined().utf8)
        let responses = try Tool().run(["batch"], input: input).objects()
        try #require(responses.count == cases.count)
        for (wanted, response) in zip(cases, responses) {
            let error = response["error"] as? [String: Any]
            let got = response["ok"] as? Bool == true ? "ok" : error?["code"] as? String
            #expect(got == wanted.verdict, "\(wanted.id)")
            guard got == "ok" else { continue }
            #expect((response["subject"] as? String)?.contains("=") == true)
            #expect((response["not_after"] as? String)?.hasSuffix("Z") == true)
            let key = try #require(response["public"] as? [String: Any])
            #expect(key["d"] == nil && key["n"] != nil)
        }
    }

    @Test("--subject, --san and --policy require an identity, and the error names it")
    func identity() throws {
        let chain = try #require(try Self.cases().first { $0.id == "x5c-three" })
        let tool = try Tool()
        try chain.jwk.write(to: tool.url("key"))
        let roots = chain.anchors.map {
            "-----BEGIN CERTIFICATE-----\n\($0)\n-----END CERTIFICATE-----\n"
        }
        try tool.write(roots.joined(), to: "roots")
        func ask(_ words: [String]) throws -> (code: Int32, text: String) {
            let response = try tool.run(
                ["chain", "verify", "key", "--anchors", "roots", "--at", "\(chain.time)"] + words)
            return (Int32(response.code), response.text + response.error)
        }
        for words in [
            ["--subject", "O=Example Issuer"], ["--subject", "2.5.4.10=Example Issuer"],
            ["--subject", "O=Example Issuer", "--subject", "CN=Signing key 1"],
        ] {
            let response = try ask(words)
            #expect(response.code == 0 && response.text.contains("valid until 20"), "\(words)")
        }
        for (words, demanded) in [
            (["--subject", "O=example issuer"], "organizationName example issuer"),
            (["--subject", "O=Example Issuer", "--subject", "CN=x"], "commonName x"),
            (["--san", "dns:idp.example"], "dNSName idp.example"),
            (["--san", "uri:a:b"], "URI a:b"), (["--san", "email:a@b"], "rfc822Name a@b"),
            (["--policy", "1.2.3"], "policy 1.2.3"),
        ] {
            let response = try ask(words)
            #expect(response.code == 1 && response.text.contains(demanded), "\(response.text)")
        }
        for words in [
            ["--subject", "O"], ["--subject", "O="], ["--subject", "X=a"], ["--san", "a.example"],
            ["--san", "ip:1"], ["--san", "dns:"], ["--policy", "1"], ["--policy", ""],
        ] {
            #expect(try ask(words).code == 2, "\(words)")
        }
    }

    @Test("x5c without a key, RFC 3339 times, misuse, and bad base64")
    func forms() throws {
        let good = try #require(try Self.cases().first { $0.id == "x5c-three" })
        let jwk = try jsonObject(good.jwk)
        func ask(_ members: [String: Any]) throws -> String {
            let request = ["id": 1, "op": "chain.verify"].merging(members) { $1 }
            let line = try JSONSerialization.data(withJSONObject: request)
            let response = try Tool().run(["batch"], input: line + Data("\n".utf8)).objects()[0]
            let error = response["error"] as? [String: Any]
            return response["ok"] as? Bool == true ? "ok" : error?["code"] as? String ?? "?"
        }
        let chain = try #require(jwk["x5c"] as? [String])
        let base: [String: Any] = ["anchors": good.anchors, "at": "2026-01-01T00:00:00Z"]
        #expect(try ask(base.merging(["x5c": chain]) { $1 }) == "ok")
        #expect(try ask(base) == "misuse")
        #expect(try ask(base.merging(["x5c": chain, "jwk": jwk]) { $1 }) == "misuse")
        #expect(try ask(base.merging(["x5c": ["AA"]]) { $1 }) == "malformed")
        #expect(try ask(base.merging(["x5c": chain, "purpose": "x"]) { $1 }) == "misuse")
        #expect(try ask(["x5c": chain, "anchors": good.anchors]) == "misuse")
        #expect(try ask(["x5c": chain, "anchors": [], "at": 1_760_000_000]) == "untrusted-key")
        #expect(try ask(["x5c": chain, "anchors": ["AAAA"], "at": 1]) == "malformed")
        let many = Array(repeating: chain[0], count: 5)
        #expect(try ask(base.merging(["x5c": many]) { $1 }) == "limit-exceeded")
    }
}
