// Rules for iss, aud and typ as programs write them: variables, several own names, a type of token.

@testable import JOSE
import Testing

@Suite("Verifier rules from literals")
struct ClaimRuleTests {
    private static let now = NumericDate(exactly: 1_760_000_000)
    private static let header = #"{"alg":"RS256","kid":"sig-1"}"#

    private static func signature() throws -> SignatureRule {
        .rs256(keys: try PublicJWKSet(keys: [TestKeys.signing]))
    }

    private static func token(
        _ issuer: String, _ audience: String, header: String = header
    ) throws -> String {
        try TestToken.signed(
            header, "{\"iss\":\(issuer),\"aud\":\(audience),\"exp\":1760000300}")
    }

    private static func verdict(_ policy: ClaimsPolicy, _ token: String) async throws -> String {
        try await VerifierPair(policy).verdict(token, at: now)
    }

    @Test("RFC 7519 4.1.1 and 4.1.3: a String is the rule of an exact match")
    func variables() async throws {
        let (issuer, audience) = (["https://a.example"][0], ["client-1"][0])
        for policy in [
            ClaimsPolicy(issuer: issuer, audience: audience),
            ClaimsPolicy(issuer: "https://a.example", audience: .contains(audience)),
        ] {
            for (iss, aud, wanted) in [
                (#""https://a.example""#, #""client-1""#, "accepted"),
                (#""https://a.example""#, #"["x","client-1"]"#, "accepted"),
                (#""https://a.example/""#, #""client-1""#, "claim-rejected iss"),
                (#""https://a.example""#, #""client-10""#, "claim-rejected aud"),
                (#""https://a.example""#, "[]", "claim-rejected aud"),
            ] {
                let verdict = try await Self.verdict(policy, Self.token(iss, aud))
                #expect(verdict == wanted, "\(iss) \(aud)")
            }
        }
        let any = ClaimsPolicy(issuer: .any, audience: .contains(audience))
        for (aud, wanted) in [("client-1", "accepted"), ("y", "claim-rejected aud")] {
            #expect(try await Self.verdict(any, Self.token("\"x\"", "\"\(aud)\"")) == wanted)
        }
    }

    @Test(
        "RFC 7519 4.1.3: with several accepted audiences, aud must contain one of them",
        arguments: [
            (#""a""#, true), (#""b""#, true), (#"["x","b"]"#, true), (#"["a","b"]"#, true),
            (#""\u0062""#, true), (#""c""#, false), (#""A""#, false), (#""ab""#, false),
            (#""a b""#, false), (#""""#, false), ("[]", false), (#"["x"]"#, false),
            (#"["b",1]"#, false), (#"[["b"]]"#, false), ("null", false), (#"{"a":1}"#, false),
        ])
    func severalAudiences(_ value: String, _ isRight: Bool) async throws {
        let policy = ClaimsPolicy(issuer: "i", audience: .anyOf(["a", "b"]))
        let wanted = isRight ? "accepted" : "claim-rejected aud"
        #expect(try await Self.verdict(policy, Self.token("\"i\"", value)) == wanted)
    }

    @Test(
        "RFC 8725 3.11: a verifier accepts only its type of token",
        arguments: [
            (#""at+jwt""#, "accepted"), (#""application/at+jwt""#, "accepted"),
            (#""AT+JWT""#, "accepted"), (#""JWT""#, "claim-rejected typ"),
            (#""at+jwt ""#, "claim-rejected typ"), (#""""#, "claim-rejected typ"),
            ("1", "malformed"), ("null", "malformed"),
        ])
    func type(_ type: String, _ wanted: String) async throws {
        let verifier = try JWTVerifier(
            issuer: "i", audience: "a", signature: Self.signature(), type: "at+jwt")
        let fetched = try AsyncJWTVerifier(
            issuer: "i", audience: "a", keys: PublicJWKSet(keys: [TestKeys.signing]),
            algorithms: [.rs256], type: "at+jwt")
        let plain = try Self.token("\"i\"", "\"a\"")
        let token = try Self.token(
            "\"i\"", "\"a\"", header: #"{"alg":"RS256","kid":"sig-1","typ":\#(type)}"#)
        let pair = VerifierPair(verifier, fetched)
        #expect(try await pair.verdict(token, at: Self.now) == wanted)
        #expect(try await pair.verdict(plain, at: Self.now) == "claim-rejected typ")
    }

    @Test(
        "RULES: an empty issuer, audience or authorized party is a programming error",
        arguments: [true, false])
    func empty(_ isLiteral: Bool) throws {
        let (none, some) = ([""][0], "x")
        var policies = [
            ClaimsPolicy(issuer: none, audience: some), ClaimsPolicy(issuer: some, audience: none),
            ClaimsPolicy(issuer: .exactly(none), audience: .any),
            ClaimsPolicy(issuer: .any, audience: .contains(none)),
            ClaimsPolicy(issuer: .exactly(some), audience: .anyOf([some, none])),
            ClaimsPolicy(issuer: .exactly(some), audience: .anyOf([none])),
            ClaimsPolicy(issuer: .exactly(some), audience: .anyOf([])),
            .openID(issuer: none, clientID: some),
            .openID(issuer: some, clientID: none),
        ]
        if isLiteral {
            policies = [
                ClaimsPolicy(issuer: "" as IssuerRule, audience: "x"),
                ClaimsPolicy(issuer: "x", audience: "" as AudienceRule),
                ClaimsPolicy(issuer: .exactly(""), audience: .any),
                ClaimsPolicy(issuer: .any, audience: .contains("")),
                ClaimsPolicy(issuer: .any, audience: .anyOf(["a", "", "b"])),
            ]
        }
        var party = ClaimsPolicy(issuer: some, audience: some)
        party.authorizedParty = none
        let keys = try PublicJWKSet(keys: [TestKeys.signing])
        for policy in policies + [party] {
            expectRejection("misuse") {
                _ = try JWTVerifier.checking(policy, signature: Self.signature())
            }
            expectRejection("misuse") {
                _ = try AsyncJWTVerifier.checking(policy, source: keys)
            }
            expectRejection("misuse") {
                _ = try HeaderKeyReader(
                    policy: policy, algorithms: [.es256], limits: .standard)
            }
        }
        // A single space is a valid name.
        #expect(throws: Never.self) {
            _ = try JWTVerifier.checking(
                ClaimsPolicy(issuer: " ", audience: " "), signature: Self.signature())
        }
    }
}
