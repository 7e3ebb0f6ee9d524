// The tool with an incomplete libcrypto: the preloaded `Tests/CCore/support/stripped.c` removes
// parts of it.

import Foundation
import JOSE
import JOSECrypto
import Testing

@Suite("A libcrypto without some algorithms") struct StrippedLibraryTests {
    /// A tool whose libcrypto lacks these, and one with the full libcrypto, in the same directory.
    private static func tool(without names: String) throws -> Tool {
        let tool = try Tool()
        let source = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "CCore/support/stripped.c")
        let compiled = try tool.run(
            ["clang", "-w", "-shared", "-fPIC", source.path, "-o", "stripped.so"], program: Tool.env
        )
        try #require(compiled.code == 0, "\(compiled.error)")
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

    private static func unavailable(_ response: Response) throws -> [String] {
        try #require(try response.objects().first?["unavailable"] as? [String])
    }

    /// The algorithms that this machine's libcrypto lacks.
    private static let absent = SignatureAlgorithm.entries.filter { !$0.isAvailable }.map(\.name)

    @Test("a full libcrypto lacks only what is newer than it")
    func whole() throws {
        let response = try Self.tool(without: "").run("selftest", "--json")
        let unavailable = try Self.unavailable(response)
        #expect(response.code == 0 && unavailable == Self.absent, "\(response.error)")
        #expect(Self.absent.isEmpty || Self.absent == ["ML-DSA-44", "ML-DSA-65", "ML-DSA-87"])
        let missing = try response.objects().first?["missing"] as? [String: String]
        #expect(missing.map { Set($0.keys) } == Set(Self.absent))
    }

    @Test(
        "a missing algorithm disables exactly the entries that need it",
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
        let response = try Self.tool(without: names).run("selftest", "--json")
        #expect(response.code == 0, "\(response.error) \(response.text)")
        // A name occurs twice if a curve and an algorithm share it.
        let newer = Self.absent.filter { !expected.contains($0) }
        #expect(try Self.unavailable(response).sorted() == (expected + newer).sorted())
        let missing = try #require(try response.objects().first?["missing"] as? [String: String])
        #expect(Set(missing.keys) == Set(expected + newer))
        #expect(
            missing.allSatisfy {
                newer.contains($0.key) || $0.value.hasPrefix("zlib ") || names.contains($0.value)
            })
    }

    /// Essential parts: if any is missing, one failure names it, and nothing crashes.
    @Test(
        "a libcrypto without an essential part is reported by name",
        arguments: [
            ("default", "", "libcrypto has no default provider"),
            ("CTR-DRBG", "", "libcrypto has no CTR-DRBG or no SEED-SRC for random numbers"),
            (
                "queue", "",
                """
                libcrypto is not supported: its error queue differs from that of the OpenSSL \
                headers that this build was compiled with
                """
            ),
            ("", "3.0.1", unsupported), ("", "3.0.6", unsupported), ("", "1.1.1", unsupported),
            // The headers of this build are of one of these.
            ("", isMajor4 ? "3.5.0" : "4.0.0", unsupported), ("", "5.0.0", unsupported),
        ])
    func trouble(_ names: String, _ version: String, _ sentence: String) throws {
        let tool = try Self.tool(without: names)
        if !version.isEmpty { tool.environment["JOSE_LIBCRYPTO"] = version }
        let response = try tool.run("selftest", "--json")
        let report = try #require(try response.objects().first)
        #expect(response.code == 1 && report["ok"] as? Bool == false, "\(response.error)")
        #expect((report["failures"] as? [String])?.contains(sentence) == true, "\(response.text)")
        if !version.isEmpty { #expect(report["libcrypto"] as? String == version) }
        #expect(try tool.run("selftest").text.contains(sentence))
        // From 4.0 on libcrypto's own calls do not reach the preloaded functions.
        let isOnlyReported = names == "CTR-DRBG" && Self.isMajor4
        for call in [
            ["keys", "new", "--curve", "P-256", "--out", "a"], ["keys", "new", "--out", "b"],
            ["sign", "--key", "P-256", "text"],
        ] where !isOnlyReported {
            let response = try tool.run(call)
            #expect(
                response.code != 0 && response.error.contains(sentence),
                "\(call): \(response.error)")
        }
        // Operations without random numbers need no generator.
        let verified = try tool.run("verify", "--key", "P-256.pub", "--alg", "ES256", "P-256.jws")
        #expect((verified.code == 0) == (names == "CTR-DRBG"), "\(verified.error)")
    }

    private static let unsupported =
        "libcrypto is not supported: use OpenSSL 3.0.2, or 3.0.7 or later, with the same major "
        + "version as the headers that this build was compiled with"

    private static let isMajor4 = HostProcess.libraryNumber >> 28 == 4

    @Test(
        "an old or new libcrypto is used; known vulnerabilities and untested series are reported",
        arguments: isMajor4
            ? [("4.0.0", 0, true), ("4.0.99", 0, true), ("4.1.0", 0, false), ("4.2.1", 0, false)]
            : [
                ("3.0.2", 6, true), ("3.0.7", 3, true), ("3.0.8", 0, true), ("3.1.0", 0, false),
                ("3.4.5", 0, false), ("3.5.0", 0, true), ("3.6.1", 0, false), ("3.9.0", 0, false),
            ])
    func numbers(_ version: String, _ failures: Int, _ isTested: Bool) throws {
        let tool = try Self.tool(without: "")
        tool.environment["JOSE_LIBCRYPTO"] = version
        let response = try tool.run("selftest", "--json")
        let report = try #require(try response.objects().first)
        #expect(response.code == 0 && report["libcrypto"] as? String == version, "\(response.text)")
        #expect((report["known_cves"] as? [String])?.count == failures, "\(response.text)")
        #expect(report["libcrypto_tested"] as? Bool == isTested, "\(response.text)")
        let line = "josectl was not tested with this version of OpenSSL"
        #expect(try tool.run("selftest").text.contains(line) == !isTested)
    }

    @Test("no configuration file disables the default provider")
    func configuration() throws {
        let tool = try Self.tool(without: "")
        try tool.write(
            """
            openssl_conf = start
            [start]
            providers = providers
            [providers]
            default = off
            legacy = on
            [off]
            activate = 0
            [on]
            activate = 1
            """, to: "openssl.cnf")
        tool.environment = ["OPENSSL_CONF": tool.url("openssl.cnf").path]
        let response = try tool.run("selftest", "--json")
        #expect(response.code == 0, "\(response.text)")
        #expect(try Self.unavailable(response) == Self.absent)
    }

    @Test("a missing algorithm is unsupported, others work, and lists omit it")
    func rows() throws {
        let tool = try Self.tool(without: "secp256k1,ED448,X448")
        for (curve, isHere) in [("P-256", true), ("secp256k1", false), ("Ed448", false)] {
            let signed = try tool.run("sign", "--key", curve, "text")
            #expect((signed.code == 0) == isHere, "\(curve): \(signed.error)")
            let verified = try tool.run(
                "verify", "--key", curve + ".pub", "--alg", "ES256", curve + ".jws")
            #expect((verified.code == 0) == isHere, "\(curve): \(verified.error)")
            // libcrypto checks a private key completely when it is read.
            let line = #"{"id":1,"op":"jwk.parse","jwk":\#(try tool.keyText(curve))}"#
            let response = try tool.run(["batch"], input: Data((line + "\n").utf8))
            let object = try #require(try response.objects().first)
            let code = (object["error"] as? [String: Any])?["code"] as? String
            #expect(code == (isHere ? nil : "unsupported"), "\(curve): \(response.text)")
            // A published set accepts the key or skips it, and no token error blames a key.
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
            let result = try #require(try asked.objects().first { $0["id"] as? Int == 2 })
            #expect((result["ok"] as? Bool == true) == isHere, "\(curve): \(asked.text)")
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
