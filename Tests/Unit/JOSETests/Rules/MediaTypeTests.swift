// Comparing `typ`: letters ignore case, other characters do not, with and without "application/"
// (RFC 7515 section 4.1.9).

import JOSE
import Testing

@Suite("Comparing media types")
struct MediaTypeTests {
    private let key: JWK

    init() throws { key = try JWK(symmetricKey: [UInt8](repeating: 7, count: 32)) }

    /// Whether a token with this `typ`, as JSON text, satisfies the rule.
    private func matches(_ type: String, _ rule: MediaTypeRule) throws -> Bool {
        var policy = ClaimsPolicy.any
        policy.type = rule
        let verifier = try JWTVerifier.checking(
            policy, signature: .required(key: key, algorithms: [.hs256]))
        let token = try TestToken.signed(
            "{\"alg\":\"HS256\",\"typ\":\"\(type)\"}", "{}", by: key, .hs256)
        let verdict = try Rejection.verdict { _ = try verifier.verify(token) }
        #expect(["accepted", "claim-rejected typ"].contains(verdict))
        return verdict == "accepted"
    }

    @Test("every character counts, including the first and last") func everyCharacter() throws {
        let own = "a-media-type+jwt"
        #expect(try matches(own, .exactly(own)))
        for index in own.indices {
            var other = own
            other.replaceSubrange(index...index, with: "!")
            #expect(try !matches(other, .exactly(own)), "\(other)")
            #expect(try !matches(own, .exactly(other)), "\(other)")
        }
        for other in ["xwt", "jxt", "jwx", "jw", "jwtt", ""] {
            #expect(try !matches(other, .jwt), "\(other)")
        }
    }

    @Test("letters ignore case, other characters that differ in the same bit do not")
    func letterCase() throws {
        let lower = "abcdefghijklmnopqrstuvwxyz"
        for (type, rule) in [(lower, lower.uppercased()), (lower.uppercased(), lower)] {
            #expect(try matches(type, .exactly(rule)))
        }
        for (a, b) in [("@", "`"), ("[", "{"), ("]", "}"), ("^", "~")] {
            #expect(try matches(a, .exactly(a)))
            #expect(try !matches(a, .exactly(b)), "\(a) \(b)")
            #expect(try !matches(b, .exactly(a)), "\(b) \(a)")
        }
    }

    @Test("application/ is an optional prefix of either value, complete and before a subtype")
    func prefix() throws {
        let prefix = "application/"
        for (type, rule) in [
            ("application/x", "x"), ("x", "application/x"), ("APPLICATION/at+jwt", "at+jwt"),
            ("at+JWT", "Application/at+jwt"), ("application/x", "application/x"),
            (prefix, prefix), ("application/text/plain", "text/plain"),
        ] { #expect(try matches(type, .exactly(rule)), "\(type) \(rule)") }
        for (type, rule) in [
            ("", prefix), ("x", prefix), (prefix, "x"), ("application/y", "x"),
            ("application/application/x", "x"), ("applications/x", "x"), ("text/x", "x"),
        ] { #expect(try !matches(type, .exactly(rule)), "\(type) \(rule)") }
        for index in prefix.indices {
            var other = prefix
            other.replaceSubrange(index...index, with: "!")
            #expect(try !matches(other + "jwt", .jwt), "\(other)")
        }
    }

    @Test("a rule for JWT or other types accepts exactly these types") func several() throws {
        for types in [["x+jwt"], ["y", "application/x+jwt"], ["X+JWT", "y"]] {
            let rule = MediaTypeRule.jwtOr(types)
            for type in ["x+jwt", "application/x+jwt", "X+jwt", "JWT", "jwt", "application/jwt"] {
                #expect(try matches(type, rule), "\(type) \(types)")
            }
            for type in ["", "x", "x+jw", "x+jwtt", "xx+jwt", "at+jwt", "y,x+jwt", "x+jwt y"] {
                #expect(try !matches(type, rule), "\(type) \(types)")
            }
            #expect(try matches("y", rule) == types.contains("y"))
        }
        #expect(try matches("jwt", .jwtOr([])))
        #expect(try !matches("x", .jwtOr([])))
        let rules: Set<MediaTypeRule> = [
            .jwt, .jwtOr([]), .jwtOr(["x"]), .jwtOr(["X"]), .jwtOr(["x", "y"]), .exactly("x"),
            .jwtOr(["x"]),
        ]
        #expect(rules.count == 6)
    }

    @Test(
        "a rejection names the expected typ",
        arguments: [
            (MediaTypeRule.jwt, "the header's typ is not JWT"),
            (.exactly("at+jwt"), "the header's typ is not the one that 'type' requires"),
            (
                .jwtOr(["x+jwt", "y"]),
                "the header's typ is neither JWT nor one that 'type' accepts"
            ),
        ])
    func rejection(_ rule: MediaTypeRule, _ reason: String) throws {
        var policy = ClaimsPolicy(issuer: .any, audience: .any)
        policy.type = rule
        let encrypted = #"{"alg":"RSA-OAEP","enc":"A128CBC-HS256","typ":"z"}"#
        let readers = [
            try JWTVerifier.checking(policy, signature: .required(key: key, algorithms: [.hs256])),
            try JWTVerifier.checking(policy, .rsa(), signature: .insecureNotSigned),
        ]
        let tokens = [
            try TestToken.signed(#"{"alg":"HS256","typ":"z"}"#, "{}", by: key, .hs256),
            try TestToken.encrypted(encrypted, "{}"),
        ]
        for (reader, token) in zip(readers, tokens) {
            expectRejection("claim-rejected typ", says: reason) { _ = try reader.verify(token) }
        }
    }

    @Test("escapes are decoded before comparing") func escapes() throws {
        #expect(try matches(#"\u0061t+jwt"#, .exactly("at+jwt")))
        #expect(try matches(#"application\/jwt"#, .jwt))
        #expect(try !matches(#"\u0062t+jwt"#, .exactly("at+jwt")))
        #expect(try !matches(#"\u0061t+jwt"#, .exactly("bt+jwt")))
    }
}
