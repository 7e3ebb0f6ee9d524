// Hostile JWE in JSON: syntax, headers, mixed forms, corruption of every byte.

import JOSE
import Testing

@Suite("JWE in JSON: syntax")
struct JSONEncryptionFormTests {
    private static let decrypter = Result {
        try JWEDecrypter.rsa()
    }

    private func verdict(_ token: String) throws -> String {
        try Rejection.verdict { _ = try Self.decrypter.get().decryptJSON(token) }
    }

    /// The members of a valid token: p(rotected), k for the encrypted key, r for the rest.
    private func members(
        _ header: String = #"{"alg":"RSA-OAEP","enc":"A128CBC-HS256"}"#
    ) throws -> (p: String, k: String, r: String) {
        TestToken.members(try TestToken.encrypted(header, "hello"))
    }

    @Test("order, white space, escapes and unknown members change nothing")
    func accepted() throws {
        let (p, k, r) = try members()
        let escaped = p.replacingOccurrences(of: "\"ey", with: "\"\\u0065\\u0079")
        for token in [
            "{\(p),\(k),\(r)}", " {\(r) ,\n\(k),\(p)}\n", "{\(escaped),\(k),\(r)}",
            "{\(p),\(k),\(r),\"unknown\":{\"alg\":\"none\"}}",
            "{\(p),\(r),\"recipients\":[{\(k)}]}",
            "{\(p),\(r),\"recipients\":[{\(k),\"x\":1}]}", "{\(p),\(k),\(r),\"header\":{\"x\":1}}",
            "{\(p),\(k),\(r),\"unprotected\":{\"jku\":\"https://a.example\"}}",
        ] {
            #expect(try verdict(token) == "accepted", "\(token.prefix(80))")
        }
    }

    @Test("RFC 7516 7.2: input that is not a JWE in JSON is rejected")
    func malformed() throws {
        let (p, k, r) = try members()
        let general = "\"recipients\":[{\(k)}]"
        for token in [
            "", "null", "[]", "{}", "\"x\"", "{\(p),\(k)}", "{\(p),\(k),\(r)}x",
            "{\(p),\(k),\(r),}",
            "{\(k),\(r)}", "{\(p),\(r),\"recipients\":[]}", "{\(p),\(r),\"recipients\":{}}",
            "{\(p),\(r),\"recipients\":null}", "{\(p),\(r),\"recipients\":[null]}",
            "{\(p),\(r),\"recipients\":[[]]}", "{\(p),\(r),\"recipients\":[{\(k)},5]}",
            // Members of a wrong type, and text that is not base64url.
            "{\(p),\(r),\"encrypted_key\":5}", "{\(p),\(r),\"encrypted_key\":\"a\"}",
            "{\(p),\(r),\"encrypted_key\":\"a=\"}", "{\(p),\(r),\"encrypted_key\":\"QR\"}",
            "{\(p),\(k),\(r),\"aad\":5}", "{\(p),\(k),\(r),\"aad\":\"\"}",
            "{\(p),\(k),\(r),\"aad\":\"+/\"}", "{\(p),\(k),\(r),\"header\":{}}",
            "{\(p),\(k),\(r),\"header\":null}", "{\(p),\(k),\(r),\"unprotected\":{}}",
            "{\(p),\(k),\(r),\"unprotected\":[]}", "{\(p),\(k),\(r),\"unprotected\":\"e30\"}",
            "{\(k),\(r),\"protected\":\"\"}", "{\(k),\(r),\"protected\":\"e30\"}",
            "{\(k),\(r),\"protected\":{\"alg\":\"RSA-OAEP\",\"enc\":\"A128CBC-HS256\"}}",
            // Mixed forms, and members of signed tokens.
            "{\(p),\(k),\(r),\(general)}", "{\(p),\(r),\(general),\"header\":{\"x\":1}}",
            "{\(p),\(k),\(r),\"payload\":\"\"}", "{\(p),\(k),\(r),\"signature\":\"\"}",
            "{\(p),\(k),\(r),\"signatures\":[]}",
            "{\(p),\(r),\"recipients\":[{\(k),\"iv\":\"\"}]}",
            "{\(p),\(r),\"recipients\":[{\(k),\(p)}]}",
            "{\(p),\(r),\"recipients\":[{\(k),\"unprotected\":{\"x\":1}}]}",
            "{\(p),\(r),\"recipients\":[{\(k),\(general)}]}",
            // Names that look like compact tokens, and duplicate members.
            "{\(p),\(k),\(r),\"a.b.c.d.e\":1}", "{\(p),\(r),\"recipients\":[{\(k),\"a.b\":1}]}",
            "{\(p),\(k),\(k),\(r)}", "{\(p),\(p),\(k),\(r)}",
            "{\(p),\(k),\(r),\"\\u0074ag\":\"\"}", "{\(p),\(r),\(general),\(general)}",
        ] {
            #expect(try verdict(token) == "malformed", "\(token.prefix(200))")
        }
    }

    @Test("RFC 7516 7.2.1: a member is in one of three headers, and some must be protected")
    func headers() throws {
        let full = #"{"alg":"RSA-OAEP","enc":"A128CBC-HS256"}"#
        for (protected, shared, own, wanted) in [
            (full, #"{"alg":"RSA-OAEP"}"#, nil, "malformed"),
            (full, nil, #"{"enc":"A128CBC-HS256"}"#, "malformed"),
            (full, #"{"x":1}"#, #"{"x":1}"#, "malformed"),
            (full, #"{"x":1}"#, #"{"\u0078":2}"#, "malformed"),
            (full, #"{"crit":["x"],"x":1}"#, nil, "malformed"),
            (full, nil, #"{"crit":["x"],"x":1}"#, "malformed"),
            (full, #"{"zip":"DEF"}"#, nil, "malformed"),
            (full, nil, #"{"zip":"DEF"}"#, "malformed"),
            (full, #"{"kid":5}"#, nil, "malformed"), (full, nil, #"{"kid":null}"#, "malformed"),
            (#"{"enc":"A128CBC-HS256"}"#, #"{"x":1}"#, nil, "malformed"),
            (#"{"alg":"RSA-OAEP"}"#, #"{"x":1}"#, nil, "malformed"),
            (
                #"{"alg":"RSA-OAEP","enc":"A128CBC-HS256","zip":"DEF"}"#, nil, nil,
                "algorithm-not-allowed"
            ),
            (
                #"{"alg":"RSA-OAEP","enc":"A128CBC-HS256","crit":["x"],"x":1}"#, nil, nil,
                "unsupported"
            ),
            (#"{"alg":"RSA-OAEP","enc":"A128CBC-HS256","crit":["x"]}"#, nil, nil, "malformed"),
            (#"{"enc":"A128CBC-HS256"}"#, nil, #"{"alg":"RSA-OAEP"}"#, "accepted"),
            (#"{"enc":"A128CBC-HS256"}"#, #"{"alg":"RSA-OAEP"}"#, #"{"kid":"any"}"#, "accepted"),
            (#"{"x":1}"#, #"{"alg":"RSA-OAEP"}"#, #"{"enc":"A128CBC-HS256"}"#, "accepted"),
            (#"{"enc":"A128CBC-HS256"}"#, nil, #"{"alg":"RSA1_5"}"#, "algorithm-not-allowed"),
            (#"{"enc":"A256GCM"}"#, nil, #"{"alg":"RSA-OAEP"}"#, "algorithm-not-allowed"),
        ] as [(String, String?, String?, String)] {
            let (p, k, r) = try members(protected)
            let others =
                (shared.map { ",\"unprotected\":" + $0 } ?? "")
                + (own.map { ",\"header\":" + $0 } ?? "")
            #expect(try verdict("{\(p),\(k),\(r)\(others)}") == wanted, "\(protected)\(others)")
        }
    }

    @Test("recipients use the same enc, and direct encryption has one recipient")
    func agreement() throws {
        let (p, k, r) = try members(#"{"x":1}"#)
        func token(_ a: String, _ b: String) -> String {
            "{\(p),\(r),\"recipients\":[{\(k),\"header\":\(a)},{\(k),\"header\":\(b)}]}"
        }
        let good = #"{"alg":"RSA-OAEP","enc":"A128CBC-HS256"}"#
        #expect(try verdict(token(good, good)) == "accepted")
        for (other, wanted) in [
            (#"{"alg":"RSA-OAEP","enc":"A256GCM"}"#, "malformed"),
            (#"{"alg":"RSA-OAEP"}"#, "malformed"), (#"{"enc":"A128CBC-HS256"}"#, "malformed"),
            (#"{"alg":"dir","enc":"A128CBC-HS256"}"#, "malformed"),
            (#"{"alg":"ECDH-ES","enc":"A128CBC-HS256"}"#, "malformed"),
            (#"{"alg":"none","enc":"A128CBC-HS256"}"#, "accepted"),
            (#"{"alg":"RSA1_5","enc":"A128CBC-HS256"}"#, "accepted"),
            (#"{"alg":5,"enc":"A128CBC-HS256"}"#, "malformed"),
        ] {
            #expect(try verdict(token(good, other)) == wanted, "\(other)")
            #expect(try verdict(token(other, good)) == wanted, "\(other)")
        }
    }

    @Test("compact tokens are not JSON, and JSON is not a compact token")
    func neverGuessed() throws {
        let decrypter = try Self.decrypter.get()
        let (p, k, r) = try members()
        let compact = try TestToken.encrypted(
            #"{"alg":"RSA-OAEP","enc":"A128CBC-HS256"}"#, "hello")
        expectRejection("malformed") { _ = try decrypter.decryptJSON(compact) }
        expectRejection("malformed") { _ = try decrypter.decryptJSON("\"\(compact)\"") }
        expectRejection("malformed") { _ = try decrypter.decrypt("{\(p),\(k),\(r)}") }
    }

    @Test("limits: size, depth, and the number of recipients before any of them is read")
    func limits() throws {
        let (p, k, r) = try members()
        let deep = String(repeating: "[", count: 40) + String(repeating: "]", count: 40)
        let many = Array(repeating: "5", count: 17).joined(separator: ",")
        let blank = String(repeating: " ", count: 262_144)
        let long = String(repeating: "x", count: 16_500)
        for token in [
            "{\(p),\(k),\(r),\"x\":\(deep)}", "{\(p),\(k),\(r)}\(blank)",
            "{\(p),\(r),\"recipients\":[\(many)]}", "{\(p),\(k),\(r),\"header\":{\"x\":\(deep)}}",
            "{\(p),\(k),\(r),\"header\":{\"x\":\"\(long)\"}}",
        ] {
            #expect(try verdict(token) == "limit-exceeded", "\(token.prefix(100))")
        }
    }

    @Test("every byte of a token counts")
    func everyByte() throws {
        let (p, k, r) = try members()
        let token = Array("{\(p),\(r),\"recipients\":[{\(k)}]}".utf8)
        var generator = SeededGenerator(seed: SeededGenerator.seed(for: "JSON encryption"))
        for index in token.indices {
            var changed = token
            changed[index] ^= UInt8(1 << Int.random(in: 0..<7, using: &generator))
            let verdict = try verdict(String(decoding: changed, as: UTF8.self))
            #expect(
                ["malformed", "decryption-failed", "algorithm-not-allowed"].contains(verdict),
                "\(index): \(verdict)")
        }
    }
}
