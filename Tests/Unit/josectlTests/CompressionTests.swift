// --zip: plaintexts are compressed only if both sides allow it.

import Foundation
import Testing

@Suite struct CompressionTests {
    private let text = Data(String(repeating: "to be or not to be, ", count: 2_000).utf8)

    @Test(
        "encrypt --zip and decrypt --zip work in every serialization",
        arguments: ["compact", "flattened", "general"])
    func roundTrip(form: String) throws {
        let tool = try Tool.withKeys()
        let reading = form == "compact" ? "compact" : "json"
        let made = try tool.run(
            "encrypt", "--key", "public.jwks", "--zip", "DEF", "--form", form, "--out", "token",
            input: text)
        #expect(made.code == 0)
        #expect(try tool.read("token").utf8.count < 4_000)
        let decrypt = ["decrypt", "--key", "private.jwks", "--form", reading]
        let read = try tool.run(decrypt + ["--zip", "DEF", "token"])
        #expect(read.code == 0)
        #expect(read.output == text)
        let rejected = try tool.run(decrypt + ["token"])
        #expect(rejected.code == 1)
        #expect(rejected.error.contains("algorithm-not-allowed"))
        #expect(rejected.output.isEmpty)
    }

    @Test("the limit is 250,000 bytes, and --max-inflated changes it") func cap() throws {
        let tool = try Tool.withKeys()
        let large = Data(repeating: 65, count: 260_000)
        let options = ["encrypt", "--key", "public.jwks", "--zip", "DEF", "--max-bytes", "300000"]
        #expect(try tool.run(options, input: large).error.contains("limit-exceeded"))
        let made = try tool.run(
            options + ["--max-inflated", "260000", "--out", "token"], input: large)
        #expect(made.code == 0)
        let decrypt = ["decrypt", "--key", "private.jwks", "--zip", "DEF", "token"]
        let rejected = try tool.run(decrypt)
        #expect(rejected.code == 1)
        #expect(rejected.error.contains("limit-exceeded"))
        #expect(try tool.run(decrypt + ["--max-inflated", "259999"]).code == 1)
        #expect(try tool.run(decrypt + ["--max-inflated", "260000"]).output == large)
    }

    @Test("seal, open and explain support zip") func nested() throws {
        let tool = try Tool.withKeys()
        let seal = [
            "seal", "--signing-key", "private.jwks", "--encryption-key", "public.jwks",
            "--lifetime", "60", "--out", "token",
        ]
        let claims = Data(#"{"iss":"a","aud":"b"}"#.utf8)
        #expect(try tool.run(seal + ["--zip", "DEF"], input: claims).code == 0)
        let keys = [
            "--decryption-keys", "private.jwks", "--verification-keys", "public.jwks", "token",
        ]
        for command in ["open", "explain"] {
            #expect(try tool.run([command] + keys).code == 1)
            #expect(try tool.run([command, "--zip", "DEF"] + keys).code == 0)
            #expect(
                try tool.run([command, "--zip", "DEF", "--max-inflated", "10"] + keys).code == 1)
        }
    }

    @Test("an unknown zip name is wrong usage") func unknown() throws {
        let tool = try Tool.withKeys()
        for name in ["def", "GZIP", ""] {
            let response = try tool.run(
                "encrypt", "--key", "public.jwks", "--zip", name, input: text)
            #expect(response.code == 2, "\(name)")
        }
    }

    @Test("batch supports zip and zips") func batch() throws {
        let tool = try Tool.withKeys()
        let own = try SharedKeys.key(1, private: true)
        let theirs = try SharedKeys.key(1, private: false)
        let encrypt =
            #"{"id":1,"op":"jwe.encrypt","key":\#(theirs),"alg":"RSA-OAEP-256","#
            + #""enc":"A128CBC-HS256","#
            + #""payload_text":"aaaaaaaaaa","zip":"DEF"}"#
        let made = try tool.run(["batch"], input: Data((encrypt + "\n").utf8)).objects()
        let token = try #require(made.first?["token"] as? String)
        let decrypt = #"{"id":2,"op":"jwe.decrypt","key":\#(own),"token":"\#(token)""#
        let lines = [decrypt + "}", decrypt + #","zips":["DEF"]}"#, decrypt + #","zips":["X"]}"#]
        let responses = try tool.run(
            ["batch"], input: Data((lines.joined(separator: "\n") + "\n").utf8)
        ).objects()
        #expect(responses.map { $0["ok"] as? Bool } == [false, true, false])
        let capped = try tool.run(
            ["batch", "--max-inflated", "9"], input: Data((lines[1] + "\n").utf8)
        ).objects()
        let error = try #require(capped.first?["error"] as? [String: Any])
        #expect(error["code"] as? String == "limit-exceeded")
    }
}
