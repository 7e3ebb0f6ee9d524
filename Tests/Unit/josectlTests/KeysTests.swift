// keys new, public, thumbprint, lint.

import Foundation
import Testing

@Suite struct KeysTests {
    private static let privateMembers: Set<String> = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"]

    private func keys(_ text: String) throws -> [[String: Any]] {
        try #require(jsonObject(Data(text.utf8))["keys"] as? [[String: Any]])
    }

    @Test func newPair() throws {
        let tool = try Tool()
        let response = try tool.run(
            "keys", "new", "--use", "both", "--out", "private", "--public", "public", "--json")
        #expect(response.code == 0)
        #expect(try tool.mode("private") == 0o600)
        #expect(try tool.names() == ["private", "public"])
        let (own, open) = (try keys(tool.read("private")), try keys(tool.read("public")))
        #expect(own.map { $0["use"] as? String } == ["sig", "enc"])
        #expect(own.map { $0["alg"] as? String } == ["RS256", "RSA-OAEP-256"])
        #expect(own.map { $0["kid"] as? String } == open.map { $0["kid"] as? String })
        for key in open { #expect(Self.privateMembers.isDisjoint(with: key.keys)) }
        let thumbprints = try tool.run("keys", "thumbprint", "public").lines
        #expect(thumbprints == open.compactMap { $0["kid"] as? String })
        #expect(!response.text.contains("\"d\""))
    }

    @Test("Without --public the public set is the output")
    func newOne() throws {
        let tool = try Tool()
        let response = try tool.run(
            "keys", "new", "--alg", "RSA-OAEP", "--bits", "3072", "--kid", "k é", "--out", "private"
        )
        #expect(response.code == 0)
        let open = try keys(response.text)
        #expect(open.count == 1)
        #expect(open[0]["use"] as? String == "enc")
        #expect(open[0]["kid"] as? String == "k é")
        #expect((open[0]["n"] as? String)?.count == 512)
    }

    @Test("--force is required to replace an existing file, and a symbolic link stays one")
    func force() throws {
        let tool = try Tool()
        try tool.write("precious", to: "file")
        try FileManager.default.createSymbolicLink(
            at: tool.url("link"), withDestinationURL: tool.url("file"))
        #expect(try tool.run("keys", "new", "--use", "sig", "--out", "link").code == 3)
        #expect(try tool.read("file") == "precious")
        #expect(try tool.run("keys", "new", "--use", "sig", "--out", "link", "--force").code == 0)
        #expect(try keys(tool.read("file")).count == 1)
        #expect(try tool.mode("file") == 0o600)
        let link = try FileManager.default.destinationOfSymbolicLink(atPath: tool.url("link").path)
        #expect(link.hasSuffix("file"))
        #expect(try tool.names() == ["file", "link"])
    }

    @Test("A special file is written and not replaced")
    func device() throws {
        let tool = try Tool()
        #expect(mkfifo(tool.url("pipe").path, 0o600) == 0)
        let reader = Process()
        reader.executableURL = URL(fileURLWithPath: "/bin/cat")
        reader.arguments = [tool.url("pipe").path]
        let output = Pipe()
        reader.standardOutput = output
        try reader.run()
        #expect(try tool.run("keys", "new", "--use", "sig", "--out", "pipe").code == 0)
        let text = String(
            decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        reader.waitUntilExit()
        #expect(try keys(text)[0]["d"] is String)
        #expect(try tool.names() == ["pipe"])
    }

    @Test("keys public outputs no private member, in the form of its input")
    func published() throws {
        let tool = try Tool.withKeys()
        let set = try tool.run("keys", "public", "private.jwks")
        #expect(set.code == 0)
        #expect(try keys(set.text).count == 2)
        try tool.write(SharedKeys.key(0, private: true), to: "one.jwk")
        let one = try tool.run("keys", "public", "one.jwk")
        let key = try #require(try one.objects().first)
        for text in [set.text, one.text] {
            for member in Self.privateMembers { #expect(!text.contains("\"\(member)\":")) }
        }
        #expect(key["kty"] as? String == "RSA")
        let piped = try tool.run("keys", "public", "-", input: Data(SharedKeys.sets.private.utf8))
        #expect(piped.output == set.output)
    }

    @Test("A symmetric key is never published")
    func symmetric() throws {
        let tool = try Tool()
        try tool.write(#"{"keys":[{"kty":"oct","k":"AAAA"}]}"#, to: "set")
        let response = try tool.run("keys", "public", "set")
        #expect(response.code == 1)
        #expect(response.output.isEmpty)
    }

    @Test("RFC 7638 3.1 and RFC 9278: thumbprint and URI")
    func thumbprint() throws {
        let tool = try Tool()
        try tool.write(
            """
            {"kty":"RSA","n":"0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFx\
            uhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3oknjhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YG\
            jQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4v\
            MQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw","e":"AQAB"}
            """, to: "key")
        let response = try tool.run("keys", "thumbprint", "key")
        #expect(response.text == "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs\n")
        let uri = try tool.run("keys", "thumbprint", "--uri", "key").text
        #expect(uri == "urn:ietf:params:oauth:jwk-thumbprint:sha-256:" + response.text)
    }

    @Test func lint() throws {
        let tool = try Tool.withKeys()
        let good = try tool.run("keys", "lint", "public.jwks")
        #expect(good.code == 0)
        #expect(good.text == "no defects found\n")
        let leak = try tool.run("keys", "lint", "private.jwks")
        #expect(leak.code == 1)
        #expect(leak.text.contains("private"))
        #expect(try tool.run("keys", "lint", "--private", "private.jwks").code == 0)

        let key = try SharedKeys.key(0, private: false)
        try tool.write("{\"keys\":[\(key),\(key)]}", to: "twice")
        let twice = try tool.run("keys", "lint", "--json", "twice")
        #expect(twice.code == 0)
        #expect(twice.text.contains("it duplicates key 1"))
        try tool.write(
            #"{"keys":[{"kty":"RSA","n":"AQAB","e":"AQAB"},{"kty":"XY"}]}"#, to: "short")
        let short = try tool.run("keys", "lint", "short")
        #expect(short.code == 1)
        #expect(short.lines.count == 2)
    }

    @Test("keys lint reports every defect of every key, with index, kid and member")
    func defects() throws {
        let tool = try Tool.withKeys()
        let key = try SharedKeys.key(0, private: false)
        let entries = [
            key, "null", #"{"kid":"z"}"#, #"{"kty":"RSA","kid":"y","use":1,"n":"A=","e":"Aw"}"#,
            #"{"kty":"EC","kid":"x","crv":"P-256","x":"AA","y":"AAAA"}"#,
            #"{"kty":"RSA","kid":"w","kid":"w"}"#,
        ]
        try tool.write("{\"keys\":[\(entries.joined(separator: ","))]}", to: "broken")
        let response = try tool.run("keys", "lint", "broken")
        #expect(response.code == 1)
        for line in [
            "rejected: key 2: a key of a set is a JSON object; this is null",
            "rejected: key 3, kid 'z', member kty: kty is missing",
            "rejected: key 4, kid 'y', member use: use is not a string",
            "rejected: key 4, kid 'y', member n: n is not base64url: it has padding (=)",
            "rejected: key 4, kid 'y', member e: the RSA exponent (e) is 3; it must be odd and at least 65,537",
            "rejected: key 5, kid 'x', member x: x has 1 bytes, a wrong size for P-256",
            "rejected: key 5, kid 'x', member y: y has 3 bytes, a wrong size for P-256",
            "rejected: key 6, kid 'w', member kid: the key has the member kid twice",
        ] { #expect(response.lines.contains { $0 == line }, "\(response.text)") }
        let json = try tool.run("keys", "lint", "--json", "broken")
        #expect(
            json.text.contains(#""key":3,"index":2,"kid":"z","member":"kty","level":"rejected""#))
        // The good key is used, and the others are reported on standard error.
        try tool.run(
            "sign", "--key", "private.jwks", "--kid", SharedKeys.kid(0), "broken", "--out", "t")
        let verified = try tool.run("verify", "--keys", "broken", "t")
        #expect(verified.code == 0)
        #expect(
            verified.error.contains("broken: skipped key 3, kid 'z', member kty: kty is missing"))
    }

    @Test("keys lint warns of keys that tokens cannot distinguish")
    func ambiguous() throws {
        let tool = try Tool.withKeys()
        func lint(_ first: String, _ second: String) throws -> Response {
            let keys = try [(0, first), (1, second)].map { index, members in
                let key = try SharedKeys.key(index, private: false)
                let n = try #require(key.firstMatch(of: /"n":"[^"]*"/)?.output)
                return "{\"kty\":\"RSA\",\"e\":\"AQAB\",\(n),\"kid\":\"k\",\(members)}"
            }
            try tool.write("{\"keys\":[\(keys.joined(separator: ","))]}", to: "two")
            return try tool.run("keys", "lint", "two")
        }
        let same = #""use":"sig","alg":"RS256""#
        let equal = try lint(same, same)
        #expect(equal.code == 1 && equal.text.contains("tokens with this kid are rejected"))
        let overlap = try lint(same, #""use":"sig""#)
        #expect(overlap.code == 0 && overlap.text.contains("warning: key 2, kid 'k'"))
        let apart = try lint(same, #""use":"sig","alg":"RS384""#)
        #expect(apart.code == 0 && !apart.text.contains("kid too"))
    }
}
