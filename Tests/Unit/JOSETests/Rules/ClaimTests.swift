// iss, aud, sub, nonce, azp, jti, typ and the hashes (RFC 7519 section 4.1; OpenID Connect Core 2
// and 3.1.3).

import JOSE
import Testing

@Suite("Claims: names and parties")
struct ClaimTests {
    private func verdict(
        _ claims: String, header: String = #"{"alg":"RS256"}"#,
        expecting: ClaimsExpectation = .none,
        _ edit: (inout ClaimsPolicy) -> Void = { _ in }, told: (JOSEError) -> Void = { _ in }
    ) throws -> String {
        var policy = ClaimsPolicy.any
        edit(&policy)
        let verifier = try JWTVerifier.checking(
            policy, signature: .rs256(TestKeys.bare(TestKeys.signing.publicKey)))
        let token = try TestToken.signed(header, claims)
        let now = NumericDate(exactly: 1_760_000_000)
        return try Rejection.verdict {
            do {
                _ = try verifier.verify(token, expecting: expecting, at: now)
            } catch {
                if let error = error as? JOSEError { told(error) }
                throw error
            }
        }
    }

    @Test(
        "RFC 7519 4.1.1: iss equals the expected string exactly",
        arguments: [
            (#""https://a.example""#, true), (#""https:\/\/a.example""#, true),
            (#""\u0068ttps://a.example""#, true),
            (#""https://a.example/""#, false), (#""http://a.example""#, false),
            (#""HTTPS://a.example""#, false),
            (#""https://a.exampl""#, false), (#""https://a.example ""#, false),
            (#""https://a.example\u0000""#, false),
            (#""""#, false), ("null", false), ("1", false), (#"["https://a.example"]"#, false),
            ("{}", false),
        ])
    func issuer(_ value: String, _ isRight: Bool) throws {
        let got = try verdict("{\"iss\":\(value)}") { $0.issuer = "https://a.example" }
        #expect(got == (isRight ? "accepted" : "claim-rejected iss"))
    }

    @Test("iss is missing, and any issuer is accepted") func anyIssuer() throws {
        for (claims, reason) in [
            ("{}", "claim iss: it is missing"),
            (#"{"iss":"https://b.example"}"#, "claim iss: it is not the expected issuer"),
        ] {
            var message = ""
            let got = try verdict(
                claims, { $0.issuer = "https://a.example" }, told: { message = $0.message })
            #expect(got == "claim-rejected iss")
            #expect(message == reason)
        }
        #expect(try verdict("{}") == "accepted")
        #expect(try verdict(#"{"iss":"x"}"#) == "accepted")
        #expect(try verdict(#"{"iss":1}"#) == "claim-rejected iss")
    }

    @Test(
        "RFC 7519 4.1.3: one element of aud equals the expected string exactly",
        arguments: [
            (#""rp""#, true), (#"["rp"]"#, true), (#"["a","rp","b"]"#, true),
            (#"["rp","rp"]"#, true), (#""\u0072p""#, true),
            (#""RP""#, false), (#""rp ""#, false), (#""rp,a""#, false), (#""rp a""#, false),
            (#""rp/""#, false), (#""r""#, false),
            (#""""#, false), ("[]", false), (#"["a"]"#, false), ("null", false), ("1", false),
            ("true", false),
            (#"{"rp":1}"#, false), (#"[["rp"]]"#, false), (#"["rp",1]"#, false),
            (#"[1,"rp"]"#, false),
            (#"["rp",null]"#, false), (#"["rp",["x"]]"#, false),
        ])
    func audience(_ value: String, _ isRight: Bool) throws {
        let got = try verdict("{\"aud\":\(value)}") { $0.audience = "rp" }
        #expect(got == (isRight ? "accepted" : "claim-rejected aud"))
    }

    @Test("aud is missing, and any audience is accepted") func anyAudience() throws {
        #expect(try verdict("{}") { $0.audience = "rp" } == "claim-rejected aud")
        #expect(try verdict("{}") == "accepted")
        for value in [#""x""#, #"["x","y"]"#, "[]"] {
            #expect(try verdict("{\"aud\":\(value)}") == "accepted")
        }
        for value in ["1", "null", "{}", "[1]"] {
            #expect(try verdict("{\"aud\":\(value)}") == "claim-rejected aud")
        }
    }

    @Test("RFC 7519 4.1.2: sub is a non-empty string of any size") func subject() throws {
        let long = String(repeating: "x", count: 5_000)
        let escaped = String(repeating: "\\u0078", count: 5_000)
        let spiffe = "spiffe://a.example/" + String(repeating: "path/", count: 60)
        for text in ["alice", "\\u0000", "\u{e9}", long, escaped, spiffe] {
            #expect(try verdict("{\"sub\":\"\(text)\"}") == "accepted")
        }
        for value in [#""""#, "1", "null", "[]", "{}", #"["alice"]"#, "true"] {
            #expect(try verdict("{\"sub\":\(value)}") == "claim-rejected sub")
        }
        let alice = ClaimsExpectation(subject: "alice")
        #expect(try verdict(#"{"sub":"alice"}"#, expecting: alice) == "accepted")
        #expect(try verdict(#"{"sub":"\u0061lice"}"#, expecting: alice) == "accepted")
        for claims in [
            "{}", #"{"sub":"Alice"}"#, #"{"sub":"alic"}"#, #"{"sub":"alice "}"#, #"{"sub":"bob"}"#,
        ] {
            #expect(try verdict(claims, expecting: alice) == "claim-rejected sub")
        }
    }

    @Test("OpenID Connect Core 3.1.3.7: nonce equals the one that was sent") func nonce() throws {
        let sent = ClaimsExpectation(nonce: "n-0S6")
        #expect(try verdict(#"{"nonce":"n-0S6"}"#, expecting: sent) == "accepted")
        #expect(try verdict(#"{"nonce":"\u006e-0S6"}"#, expecting: sent) == "accepted")
        for claims in [
            "{}", #"{"nonce":""}"#, #"{"nonce":"n-0S"}"#, #"{"nonce":"n-0S66"}"#,
            #"{"nonce":"N-0S6"}"#, #"{"nonce":1}"#,
            #"{"nonce":null}"#, #"{"nonce":["n-0S6"]}"#,
        ] { #expect(try verdict(claims, expecting: sent) == "claim-rejected nonce", "\(claims)") }
        #expect(try verdict(#"{"nonce":1}"#) == "claim-rejected nonce")
        #expect(try verdict(#"{"nonce":"x"}"#) == "accepted")
        var reason = ""
        _ = try verdict("{}", expecting: sent, told: { reason = $0.message })
        #expect(reason.contains("it is required and missing"), "\(reason)")
    }

    @Test("OpenID Connect Core 2: sub is limited by the policy, to 255 bytes for OpenID")
    func subjectBytes() throws {
        #expect(ClaimsPolicy.openID(issuer: "i", clientID: "c").maxSubjectBytes == 255)
        #expect(ClaimsPolicy(issuer: "i", audience: "c").maxSubjectBytes == nil)
        let long = String(repeating: "x", count: 255)
        let escaped = String(repeating: "\\u0078", count: 255)
        let letters = String(repeating: "\u{e9}", count: 127)
        for (text, isRight) in [
            ("a", true), (long, true), (escaped, true), (letters, true), (letters + "x", true),
            (long + "x", false), (escaped + "x", false), (letters + "\u{e9}", false),
            (escaped + "\\u0078", false), (letters + "\\u00e9", false), (long + "\\n", false),
        ] {
            var message = ""
            let got = try verdict("{\"sub\":\"\(text)\"}", { $0.maxSubjectBytes = 255 }) {
                message = $0.message
            }
            #expect(got == (isRight ? "accepted" : "claim-rejected sub"), "\(text)")
            #expect(isRight || message.contains("it has 256 bytes; at most 255"), "\(message)")
        }
        #expect(try verdict(#"{"sub":"ab"}"#) { $0.maxSubjectBytes = 1 } == "claim-rejected sub")
        #expect(try verdict(#"{"sub":""}"#) { $0.maxSubjectBytes = 1 } == "claim-rejected sub")
        for limit in [0, -1, Int.min] {
            expectRejection("misuse") { _ = try verdict("{}") { $0.maxSubjectBytes = limit } }
        }
    }

    @Test("a required claim with the value null is missing") func requiredNull() throws {
        for name in ["azp", "at_hash", "c_hash", "sub"] {
            let got = try verdict("{\"\(name)\":null}") { $0.requiredClaims = [name] }
            #expect(got == "claim-rejected \(name)")
        }
    }

    @Test("OpenID Connect Core 3.1.3.7: azp, if present, is the client or trusted")
    func authorizedParty() throws {
        for (claims, isRight) in [
            (#"{"aud":"rp"}"#, true), (#"{"aud":["rp"]}"#, true), (#"{"aud":["rp","app"]}"#, true),
            (#"{"aud":["rp","app"],"azp":"rp"}"#, true), (#"{"aud":"rp","azp":"app"}"#, true),
            (#"{"aud":["rp","app"],"azp":"app"}"#, true), (#"{"aud":"rp","azp":"rp"}"#, true),
            (#"{"aud":"rp","azp":"\u0061pp"}"#, true),
            (#"{"aud":["rp","app"],"azp":"x"}"#, false), (#"{"aud":"rp","azp":"x"}"#, false),
            (#"{"aud":"rp","azp":"App"}"#, false), (#"{"aud":"rp","azp":"app "}"#, false),
            (#"{"aud":"rp","azp":"app,web"}"#, false), (#"{"aud":"rp","azp":"ap"}"#, false),
            (#"{"aud":"rp","azp":null}"#, true), (#"{"aud":"rp","azp":1}"#, false),
            (#"{"aud":"rp","azp":["rp"]}"#, false), (#"{"aud":"rp","azp":""}"#, false),
        ] {
            let got = try verdict(claims) {
                $0.audience = "rp"
                $0.authorizedParty = "rp"
                $0.trustedAudiences = ["web", "app"]
            }
            #expect(got == (isRight ? "accepted" : "claim-rejected azp"), "\(claims)")
        }
        // Without a list only the client is trusted.
        for (azp, isRight) in [(#","azp":"rp""#, true), ("", true), (#","azp":"app""#, false)] {
            let got = try verdict(#"{"aud":"rp"\#(azp)}"#) {
                $0.audience = "rp"
                $0.authorizedParty = "rp"
            }
            #expect(got == (isRight ? "accepted" : "claim-rejected azp"), "\(azp)")
        }
    }

    @Test("OpenID Connect Core 3.1.3.7: aud contains trusted audiences only")
    func trustedAudiences() throws {
        for (value, isRight) in [
            (#""rp""#, true), (#"["rp"]"#, true), (#"["rp","rp"]"#, true), (#"["rp","app"]"#, true),
            (#"["app","rp"]"#, true), (#"["web","app","rp","app"]"#, true),
            (#"["rp","\u0061pp"]"#, true),
            (#"["rp","x"]"#, false), (#"["x","rp"]"#, false), (#"["rp","app","x"]"#, false),
            (#"["rp","App"]"#, false), (#"["rp","app "]"#, false), (#"["rp",""]"#, false),
            (#"["rp","RP"]"#, false), (#"["rp","ap"]"#, false), (#"["rp","app",1]"#, false),
            // Trusted audiences alone do not include us.
            (#"["app"]"#, false), (#""app""#, false), (#"["app","web"]"#, false), ("[]", false),
        ] {
            for azp in ["", #","azp":"rp""#, #","azp":"app""#] {
                let got = try verdict("{\"aud\":\(value)\(azp)}") {
                    $0.audience = "rp"
                    $0.authorizedParty = "rp"
                    $0.trustedAudiences = ["web", "app"]
                }
                #expect(got == (isRight ? "accepted" : "claim-rejected aud"), "\(value) \(azp)")
            }
        }
        var openID = ClaimsPolicy.openID(issuer: "i", clientID: "rp")
        #expect(openID.trustedAudiences == [])
        openID.requiredClaims = []
        openID.maxLifetimeSeconds = nil
        let both = #"{"iss":"i","aud":["rp","app"]}"#
        #expect(try verdict(both) { $0 = openID } == "claim-rejected aud")
        #expect(
            try verdict(#"{"iss":"i","aud":["rp","app"],"azp":"rp"}"#) { $0 = openID }
                == "claim-rejected aud")
        openID.trustedAudiences = ["app"]
        #expect(try verdict(both) { $0 = openID } == "accepted")
        // Several accepted audiences are all trusted.
        let several = try verdict(#"{"aud":["a","b"]}"#) {
            $0.audience = .anyOf(["a", "b"])
            $0.authorizedParty = "a"
        }
        #expect(several == "accepted")
        // Without a client these rules do not apply: an access token may be for several resources.
        #expect(try verdict(#"{"aud":["rp","x"]}"#) { $0.audience = "rp" } == "accepted")
        #expect(try verdict(#"{"aud":["x","y"]}"#) { $0.authorizedParty = "rp" } == "accepted")
        expectRejection("misuse") { _ = try verdict("{}") { $0.trustedAudiences = ["x"] } }
        expectRejection("misuse") {
            _ = try verdict("{}") {
                $0.authorizedParty = "rp"
                $0.trustedAudiences = ["x", ""]
            }
        }
    }

    @Test("RFC 7519 4.1.7: jti is a string") func tokenID() throws {
        #expect(try verdict(#"{"jti":"a"}"#) == "accepted")
        for value in ["1", "null", "[]"] {
            #expect(try verdict("{\"jti\":\(value)}") == "claim-rejected jti")
        }
    }

    @Test("required claims must be present, with any value") func required() throws {
        #expect(try verdict(#"{"x":null}"#) { $0.requiredClaims = ["x"] } == "accepted")
        #expect(try verdict(#"{"\u0078":0}"#) { $0.requiredClaims = ["x"] } == "accepted")
        // A leading NUL makes another name.
        #expect(
            try verdict(#"{"exp":2000000000}"#) { $0.requiredClaims = ["\0exp"] }
                == "claim-rejected \\u{0}exp")
        #expect(try verdict(#"{"\u0000exp":1}"#) { $0.requiredClaims = ["\0exp"] } == "accepted")
        #expect(try verdict(#"{"X":1}"#) { $0.requiredClaims = ["x"] } == "claim-rejected x")
        #expect(try verdict(#"{"a":1}"#) { $0.requiredClaims = ["a", "b"] } == "claim-rejected b")
    }

    @Test("RFC 8725 3.11: typ is checked") func type() throws {
        for (type, isRight) in [
            ("JWT", true), ("jwt", true), ("application/jwt", true), ("Application/JWT", true),
            ("at+jwt", false),
            ("logout+jwt", false), ("JWT ", false), ("", false), ("JOSE", false),
            ("application/at+jwt", false),
        ] {
            let header = #"{"alg":"RS256","typ":"\#(type)"}"#
            #expect(
                try verdict("{}", header: header) == (isRight ? "accepted" : "claim-rejected typ"),
                "\(type)")
        }
        #expect(
            try verdict("{}", header: #"{"alg":"RS256","typ":"x"}"#) { $0.type = .any }
                == "accepted")
    }

    @Test("at_hash and c_hash fail closed") func hashes() throws {
        var required = ClaimsExpectation()
        required.requiresAccessTokenHash = true
        #expect(try verdict("{}", expecting: required) == "claim-rejected at_hash")
        #expect(try verdict(#"{"at_hash":"x"}"#, expecting: required) == "misuse")
        required = ClaimsExpectation()
        required.requiresCodeHash = true
        #expect(try verdict("{}", expecting: required) == "claim-rejected c_hash")
        required.code = "code"
        #expect(try verdict(#"{"c_hash":"x"}"#, expecting: required) == "claim-rejected c_hash")
        #expect(try verdict(#"{"at_hash":1}"#) == "claim-rejected at_hash")
        // Without the value to compare with, nothing is compared.
        #expect(try verdict(#"{"at_hash":"x","c_hash":"y"}"#) == "accepted")
        let token = ClaimsExpectation(accessToken: "token")
        #expect(try verdict("{}", expecting: token) == "accepted")
        // null means absent.
        #expect(try verdict(#"{"at_hash":null}"#, expecting: token) == "accepted")
    }

    @Test(
        "claims must be one strict JSON object",
        arguments: [
            "", " ", "[]", "null", "1", #""x""#, "{} x", "{}{}", "{\"a\":1,}", "{'a':1}",
            "\u{feff}{}", "{}\u{0}",
            #"{"a":1,"a":1}"#, #"{"exp":1,"\u0065xp":2}"#, #"{"a":{"b":1,"b":1}}"#,
            #"{"a":"\ud800"}"#, #"{"a":01}"#,
        ])
    func strict(_ claims: String) throws { #expect(try verdict(claims) == "malformed") }
}
