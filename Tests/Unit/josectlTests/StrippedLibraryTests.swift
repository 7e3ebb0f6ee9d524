// The tool beside a libcrypto that does not have something: `Tests/CCore/support/stripped.c`, preloaded, takes it away.

import Foundation
import JOSE
import Testing

@Suite("A libcrypto that does not have something") struct StrippedLibraryTests {
    /// A tool whose libcrypto does not have these, and one beside the whole libcrypto, in the same folder.
    private static func tool(without names: String) throws -> Tool {
        let tool = try Tool()
        let source = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "CCore/support/stripped.c")
        let compiler = Process()
        compiler.executableURL = URL(filePath: "/usr/bin/env")
        compiler.arguments = [
            "clang", "-w", "-shared", "-fPIC", source.path, "-o", tool.url("stripped.so").path,
        ]
        try compiler.run()
        compiler.waitUntilExit()
        try #require(compiler.terminationStatus == 0)
        for curve in ["P-256", "secp256k1", "Ed448"] {
            let made = try tool.run("keys", "new", "--curve", curve, "--use", "sig", "--out", curve)
            try #require(made.code == 0, "\(made.error)")
            try tool.write(made.text, to: curve + ".pub")
            try tool.write("hello", to: "text")
            let token = try tool.run("sign", "--key", curve, "text")
            try #require(token.code == 0, "\(token.error)")
            try tool.write(token.text, to: curve + ".jws")
        }
        tool.environment = [
            "LD_PRELOAD": tool.url("stripped.so").path, "JOSE_STRIPPED": names,
        ]
        return tool
    }

    private static func unavailable(_ answer: Answer) throws -> [String] {
        try #require(try answer.objects().first?["unavailable"] as? [String])
    }

    /// What the libcrypto of this machine does not have itself.
    private static let absent = SignatureAlgorithm.rows.filter { !$0.isAvailable }.map(\.name)

    @Test("nothing is missing beside a whole libcrypto but what is newer than it")
    func whole() throws {
        let answer = try Self.tool(without: "").run("selftest", "--json")
        let unavailable = try Self.unavailable(answer)
        #expect(answer.code == 0 && unavailable == Self.absent, "\(answer.error)")
        #expect(Self.absent.isEmpty || Self.absent == ["ML-DSA-44", "ML-DSA-65", "ML-DSA-87"])
    }

    @Test(
        "what is not there takes its rows away and nothing else",
        arguments: [
            ("secp256k1,ED448,X448", ["ES256K", "Ed448", "secp256k1", "Ed448", "X448"]),
            ("SHA1", ["RSA-OAEP"]),
            ("AES-192-CBC", ["A192CBC-HS384"]),
            ("AES-256-GCM", ["A256GCMKW", "A256GCM"]),
            ("zlib", ["DEF"]),
            (
                "HMAC",
                [
                    "HS256", "HS384", "HS512", "A128CBC-HS256", "A192CBC-HS384", "A256CBC-HS512",
                ]
            ),
            ("ECDH", []), ("PBKDF2", []), ("ML-DSA-65", ["ML-DSA-65"]),
        ])
    func selftest(_ names: String, _ expected: [String]) throws {
        let answer = try Self.tool(without: names).run("selftest", "--json")
        #expect(answer.code == 0, "\(answer.error) \(answer.text)")
        // A name stands twice where a curve and an algorithm have it.
        let newer = Self.absent.filter { !expected.contains($0) }
        #expect(try Self.unavailable(answer).sorted() == (expected + newer).sorted())
    }

    @Test("a row that is away says unsupported, its neighbour works, and lists leave it out")
    func rows() throws {
        let tool = try Self.tool(without: "secp256k1,ED448,X448")
        for (curve, isHere) in [("P-256", true), ("secp256k1", false), ("Ed448", false)] {
            let signed = try tool.run("sign", "--key", curve, "text")
            #expect((signed.code == 0) == isHere, "\(curve): \(signed.error)")
            let verified = try tool.run(
                "verify", "--key", curve + ".pub", "--alg", "ES256", curve + ".jws")
            #expect((verified.code == 0) == isHere, "\(curve): \(verified.error)")
            // A private key is checked whole by libcrypto when it is read.
            let line = #"{"id":1,"op":"jwk.parse","jwk":\#(try tool.keyText(curve))}"#
            let answer = try tool.run(["batch"], input: Data((line + "\n").utf8))
            let object = try #require(try answer.objects().first)
            let code = (object["error"] as? [String: Any])?["code"] as? String
            #expect(code == (isHere ? nil : "unsupported"), "\(curve): \(answer.text)")
            // A published set takes the key or skips it, and its token is never the fault of a key.
            let set = try tool.read(curve + ".pub").trimmingCharacters(in: .newlines)
            let token = try tool.read(curve + ".jws").trimmingCharacters(in: .newlines)
            let name = try #require(try tool.onlyKey(curve)["alg"] as? String)
            let lines = [
                #"{"id":1,"op":"jwks.parse","jwks":\#(set)}"#,
                #"{"id":2,"op":"jws.verify","token":"\#(token)","algs":["\#(name)"],"keys":\#(set)}"#,
            ]
            let asked = try tool.run(
                ["batch"], input: Data((lines.joined(separator: "\n") + "\n").utf8))
            let read = try #require(try asked.objects().first { $0["id"] as? Int == 1 })
            #expect((read["skipped"] as? [Any])?.isEmpty == isHere, "\(curve): \(asked.text)")
            let judged = try #require(try asked.objects().first { $0["id"] as? Int == 2 })
            #expect((judged["ok"] as? Bool == true) == isHere, "\(curve): \(asked.text)")
        }
        let made = try tool.run("keys", "new", "--curve", "Ed448", "--out", "none")
        #expect(made.code == 2 && made.error.contains("P-256"), "\(made.error)")
        #expect(!made.error.contains("X448") && !tool.exists("none"), "\(made.error)")
    }
}

extension Tool {
    /// The only key of a set, as JSON text.
    fileprivate func keyText(_ name: String) throws -> String {
        let data = try JSONSerialization.data(withJSONObject: try onlyKey(name))
        return String(decoding: data, as: UTF8.self)
    }
}
