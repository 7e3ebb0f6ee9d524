// Explanations of rejected claims: found and expected values, how far dates are off, and likely
// mistakes.

import JOSE
import Testing

@Suite("Why a claim is rejected")
struct ClaimExplanationTests {
    /// 2026-11-26T00:00:00Z
    private static let now: Int64 = 1_795_651_200

    private func explain(
        _ claims: String, _ expectation: ClaimsExpectation = .none,
        _ change: (inout ClaimsPolicy) -> Void = { _ in }
    ) throws -> TokenExplanation {
        var policy = ClaimsPolicy(issuer: "https://op.example", audience: "client-1")
        policy.requiredClaims = []
        change(&policy)
        let verifier = try JWTVerifier.checking(
            policy, signature: .rs256(keys: PublicJWKSet(keys: [TestKeys.signing])))
        return verifier.explain(
            try TestToken.signed(#"{"alg":"RS256","kid":"sig-1"}"#, claims),
            expecting: expectation, at: NumericDate(exactly: Self.now))
    }

    private static let right = #""iss":"https://op.example","aud":"client-1""#

    private func expect(
        _ explanation: TokenExplanation, _ claim: String, _ parts: String...,
        at place: SourceLocation = #_sourceLocation
    ) {
        #expect(explanation.error?.claim == claim, sourceLocation: place)
        for part in parts {
            #expect(
                explanation.description.contains(part), "\(explanation)", sourceLocation: place)
        }
        #expect(explanation.lines.last?.outcome == .rejected, sourceLocation: place)
        // Never in the error, which services write to logs.
        #expect(
            explanation.error.map { !$0.description.contains("op.example") } == true,
            sourceLocation: place)
    }

    @Test("a wrong issuer is shown, with the difference if it is small") func issuer() throws {
        func report(_ issuer: String) throws -> TokenExplanation {
            try explain(#"{"iss":\#(issuer),"aud":"client-1"}"#)
        }
        expect(
            try report(#""https://op.example/""#), "iss",
            "iss is 'https://op.example/', expected 'https://op.example'",
            "differ only in a slash at the end")
        expect(try report(#""HTTPS://op.example""#), "iss", "only in upper and lower case")
        expect(try report(#""http://op.example""#), "iss", "only in http and https")
        expect(try report(#""https://op.example ""#), "iss", "only in white space")
        expect(try report(#""https://test.example""#), "iss", "from another issuer")
        expect(try report(#""a\u202e\u001b[2J'b""#), "iss", #"iss is 'a\u{202e}\u{1b}[2J\'b'"#)
        expect(try report("7"), "iss", "iss is the number 7, expected a string")
        expect(try report("null"), "iss", "iss is the value null")
        expect(try explain(#"{"aud":"client-1"}"#), "iss", "iss is missing; the token has aud")
        let long = try report("\"\(String(repeating: "x", count: 5_000))\"")
        #expect(long.lines.allSatisfy { $0.text.utf8.count < 400 })
    }

    @Test("a wrong audience is shown as a string, a list and another type") func audience() throws {
        func report(_ audience: String) throws -> TokenExplanation {
            try explain(#"{"iss":"https://op.example","aud":\#(audience)}"#)
        }
        expect(try report(#""other""#), "aud", #"aud is "other", expected 'client-1'"#)
        expect(try report(#"["a","b"]"#), "aud", #"aud is ["a","b"], expected 'client-1'"#)
        expect(try report("[]"), "aud", "aud is [], expected 'client-1'")
        expect(
            try report(#"["a","Client-1"]"#), "aud",
            "'Client-1' and 'client-1' differ only in upper and lower case")
        expect(try report("7"), "aud", "aud must be a string or an array")
        expect(
            try explain(#"{"iss":"https://op.example"}"#), "aud",
            "aud is missing; the token has iss")
        let two = try explain(#"{"iss":"https://op.example","aud":"x"}"#) {
            $0.audience = .anyOf(["a", "b"])
        }
        expect(two, "aud", "expected 'a' or 'b'")
    }

    @Test("nonce, sub and azp are shown as found and expected, or as missing")
    func expectations() throws {
        let nonce = ClaimsExpectation(nonce: "n-1")
        expect(
            try explain(#"{\#(Self.right),"nonce":"n-2"}"#, nonce), "nonce",
            "nonce is 'n-2', expected 'n-1'", "another request")
        expect(
            try explain("{\(Self.right)}", nonce), "nonce",
            "nonce is missing; the token has iss, aud",
            "expected nonce 'n-1'")
        expect(try explain(#"{\#(Self.right),"nonce":1}"#, nonce), "nonce", "the number 1")
        expect(
            try explain(#"{\#(Self.right),"sub":"b"}"#, ClaimsExpectation(subject: "a")), "sub",
            "sub is 'b', expected 'a'")
        expect(
            try explain(#"{\#(Self.right),"azp":"x"}"#) { $0.authorizedParty = "client-1" }, "azp",
            "azp is 'x', expected 'client-1'")
    }

    @Test(
        "an expired token shows by how much, with both times and the leeway",
        arguments: [
            (183_600, "2 days 3 hours"), (3_600, "1 hour"), (3_700, "1 hour 1 minute"),
            (61, "1 minute 1 second"), (60, "1 minute"), (86_400 * 400, "400 days"),
        ])
    func expired(_ seconds: Int64, _ span: String) throws {
        let exp = Self.now - seconds
        let report = try explain(#"{\#(Self.right),"exp":\#(exp)}"#)
        expect(
            report, "exp", "expired \(span) ago (exp 20", "now 2026-11-26T00:00:00Z, leeway 60 s)")
        #expect(try explain(#"{\#(Self.right),"exp":\#(Self.now - 59)}"#).error == nil)
    }

    @Test("nbf and iat in the future show by how much") func future() throws {
        expect(
            try explain(#"{\#(Self.right),"nbf":\#(Self.now + 3_660)}"#), "nbf",
            "not valid for another 1 hour 1 minute (nbf 2026-11-26T01:01:00Z")
        expect(
            try explain(#"{\#(Self.right),"iat":\#(Self.now + 90)}"#), "iat",
            "issued 1 minute 30 seconds in the future (iat 2026-11-26T00:01:30Z")
        #expect(try explain(#"{\#(Self.right),"iat":\#(Self.now + 60)}"#).error == nil)
    }

    @Test(
        "dates in milliseconds, microseconds and nanoseconds are recognised",
        arguments: ["exp", "nbf", "iat"])
    func units(_ name: String) throws {
        for (digits, unit) in [
            ("000", "milliseconds"), ("000000", "microseconds"), ("000000000", "nanoseconds"),
        ] {
            let report = try explain(#"{\#(Self.right),"\#(name)":\#(Self.now)\#(digits)}"#)
            expect(report, name, "that is 2026-11-26T00:00:00Z in \(unit)", "in seconds since 1970")
        }
    }

    @Test("dates that are strings, null, negative, durations or not numbers are explained")
    func types() throws {
        expect(
            try explain(#"{\#(Self.right),"exp":"1795651300"}"#), "exp",
            #"exp is the string "1795651300", expected a JSON number"#, "without quotation marks")
        expect(
            try explain(#"{\#(Self.right),"exp":"2026-11-26"}"#), "exp", "the string")
        expect(try explain(#"{\#(Self.right),"iat":null}"#), "iat", "iat is the value null")
        expect(try explain(#"{\#(Self.right),"exp":-1}"#), "exp", "not a date from 1970 to 9999")
        expect(try explain(#"{\#(Self.right),"exp":1e300}"#), "exp", "not a date from 1970 to 9999")
        expect(
            try explain(#"{\#(Self.right),"exp":3600}"#), "exp",
            "exp is 3600 seconds: a lifetime as in expires_in")
        #expect(try explain(#"{\#(Self.right),"exp":\#(Self.now).75}"#).error == nil)
    }

    @Test("negative or too long lifetimes and missing claims are explained")
    func lifetimes() throws {
        let long = #"{\#(Self.right),"iat":\#(Self.now),"exp":\#(Self.now + 90_000)}"#
        expect(
            try explain(long) { $0.maxLifetimeSeconds = 86_400 }, "exp",
            "lifetime is 1 day 1 hour, from iat to exp, at most 1 day is allowed")
        let turned = #"{\#(Self.right),"iat":\#(Self.now + 30),"exp":\#(Self.now)}"#
        expect(try explain(turned), "exp", "is 30 seconds before iat")
        expect(
            try explain("{\(Self.right)}") { $0.requiredClaims = ["exp"] }, "exp",
            "exp is missing; the token has iss, aud")
        expect(
            try explain("{\(Self.right)}") { $0.requiredClaims = ["x"] }, "x", "x is missing")
    }

    @Test(
        "claims with rules are listed, accepted or not, only if the signature is valid")
    func facts() throws {
        let claims = #"{\#(Self.right),"exp":\#(Self.now + 300),"given_name":"Ada"}"#
        let accepted = try explain(claims)
        #expect(accepted.error == nil)
        #expect(
            accepted.claims.map(\.description) == [
                #"    iss "https://op.example"   (expected: https://op.example)"#,
                #"    aud "client-1"   (expected: client-1)"#,
                "    exp 1795651500   (2026-11-26T00:05:00Z, in 5 minutes)",
            ])
        #expect(!accepted.description.contains("Ada"))
        let rejected = try explain(claims, ClaimsExpectation(nonce: "n"))
        #expect(rejected.claims.last?.description == "    nonce absent   (expected: n)")
    }

    @Test("an accepted payload that is not JSON is shown from its start, shortened")
    func payload() throws {
        let report = try explain("hello \u{1b}[2J world")
        #expect(report.error?.code == .malformed)
        #expect(report.description.contains(#"the payload begins with 'hello \u{1b}[2J world'"#))
    }

    @Test("an explanation of a custom check shows the value of its claim") func customCheck() throws
    {
        let report = try explain(#"{\#(Self.right),"tenant":"b"}"#) {
            $0.require("tenant") { _ in false }
        }
        expect(report, "tenant", #"tenant is "b""#)
        let absent = try explain("{\(Self.right)}") { $0.require("tenant") { _ in false } }
        expect(absent, "tenant", "tenant is absent")
    }
}
