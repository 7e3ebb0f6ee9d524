// chain verify, as a command and as a batch operation. Every chain of Vectors/x5c.json is sent by
// Tests/Interop/vectors.py.

import Foundation
import Testing

@Suite("Chains") struct ChainTests {
    /// A valid chain of three certificates, as the vectors have it.
    private struct Chain {
        let jwk: [String: Any]
        let anchors: [String]
        let time: Int

        init() throws {
            let file = URL(filePath: #filePath).deletingLastPathComponent()
                .appending(path: "../../../Vectors/x5c.json").standardizedFileURL
            let vectors = try jsonObject(Data(contentsOf: file))["vectors"] as? [[String: Any]]
            let entry = try #require(vectors?.first { $0["id"] as? String == "x5c-three" })
            let input = try #require(entry["input"] as? [String: Any])
            jwk = try #require(input["jwk"] as? [String: Any])
            anchors = try #require(input["trust_anchors"] as? [String])
            time = try #require(input["validation_time"] as? Int)
        }
    }

    @Test("--subject, --san and --policy require an identity, and the error names it")
    func identity() throws {
        let chain = try Chain()
        let tool = try Tool()
        try JSONSerialization.data(withJSONObject: chain.jwk).write(to: tool.url("key"))
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
        let good = try Chain()
        let jwk = good.jwk
        func response(_ members: [String: Any]) throws -> [String: Any] {
            let request = ["id": 1, "op": "chain.verify"].merging(members) { $1 }
            let line = try JSONSerialization.data(withJSONObject: request)
            return try Tool().run(["batch"], input: line + Data("\n".utf8)).objects()[0]
        }
        func ask(_ members: [String: Any]) throws -> String {
            let response = try response(members)
            let error = response["error"] as? [String: Any]
            return response["ok"] as? Bool == true ? "ok" : error?["code"] as? String ?? "?"
        }
        let chain = try #require(jwk["x5c"] as? [String])
        let base: [String: Any] = ["anchors": good.anchors, "at": "2026-01-01T00:00:00Z"]
        #expect(try ask(base.merging(["x5c": chain]) { $1 }) == "ok")
        let valid = try response(base.merging(["jwk": jwk]) { $1 })
        #expect((valid["subject"] as? String)?.contains("=") == true)
        #expect((valid["not_after"] as? String)?.hasSuffix("Z") == true)
        let key = try #require(valid["public"] as? [String: Any])
        #expect(key["d"] == nil && key["n"] != nil)
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
