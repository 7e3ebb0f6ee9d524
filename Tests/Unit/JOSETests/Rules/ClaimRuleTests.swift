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

    private static func verdict(_ verifier: JWTVerifier, _ token: String) throws -> String {
        try Rejection.verdict { _ = try verifier.verify(token, at: now) }
    }

    private static func verdict(
        _ verifier: AsyncJWTVerifier, _ token: String
    ) async throws -> String {
        try await Rejection.asyncResult { _ = try await verifier.verify(token, at: now) }
    }

    @Test("RFC 7519 4.1.1 and 4.1.3: a String is the rule of an exact match")
    func variables() async throws {
        let (issuer, audience) = (["https://a.example"][0], ["client-1"][0])
        let keys = try PublicJWKSet(keys: [TestKeys.signing])
        let verifiers = [
            try JWTVerifier.checking(
                ClaimsPolicy(issuer: issuer, audience: audience), signature: Self.signature()),
            try JWTVerifier.checking(
                ClaimsPolicy(issuer: issuer, audience: audience),
                signature: Self.signature()),
            try JWTVerifier.checking(
                ClaimsPolicy(issuer: "https://a.example", audience: .contains(audience)),
                signature: Self.signature()),
            try JWTVerifier.checking(
                ClaimsPolicy(issuer: issuer, audience: audience), signature: Self.signature()),
        ]
        let fetched = try AsyncJWTVerifier.checking(
            ClaimsPolicy(issuer: issuer, audience: audience), source: keys)
        for (iss, aud, wanted) in [
            (#""https://a.example""#, #""client-1""#, "accepted"),
            (#""https://a.example""#, #"["x","client-1"]"#, "accepted"),
            (#""https://a.example/""#, #""client-1""#, "claim-rejected iss"),
            (#""https://a.example""#, #""client-10""#, "claim-rejected aud"),
            (#""https://a.example""#, "[]", "claim-rejected aud"),
        ] {
            let token = try Self.token(iss, aud)
            for verifier in verifiers {
                #expect(try Self.verdict(verifier, token) == wanted, "\(iss) \(aud)")
            }
            #expect(try await Self.verdict(fetched, token) == wanted, "\(iss) \(aud)")
        }
        let any = try JWTVerifier.checking(
            ClaimsPolicy(issuer: .any, audience: .contains(audience)), signature: Self.signature())
        #expect(try Self.verdict(any, Self.token("\"x\"", "\"client-1\"")) == "accepted")
        #expect(try Self.verdict(any, Self.token("\"x\"", "\"y\"")) == "claim-rejected aud")
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
        let ours = ["a", "b"]
        let verifier = try JWTVerifier(
            policy: ClaimsPolicy(issuer: "i", audience: .anyOf(ours)), signature: Self.signature())
        let fetched = try AsyncJWTVerifier(
            policy: ClaimsPolicy(issuer: "i", audience: .anyOf(ours)),
            keys: PublicJWKSet(keys: [TestKeys.signing]), algorithms: [.rs256])
        let token = try Self.token("\"i\"", value)
        let wanted = isRight ? "accepted" : "claim-rejected aud"
        #expect(try Self.verdict(verifier, token) == wanted)
        #expect(try await Self.verdict(fetched, token) == wanted)
    }

    @Test("an empty list of audiences is a programming error") func noAudience() throws {
        expectRejection("misuse") {
            _ = try JWTVerifier(
                policy: ClaimsPolicy(issuer: "i", audience: .anyOf([])), signature: Self.signature()
            )
        }
        expectRejection("misuse") {
            _ = try AsyncJWTVerifier(
                policy: ClaimsPolicy(issuer: "i", audience: .anyOf([])),
                keys: PublicJWKSet(keys: [TestKeys.signing]), algorithms: [.rs256])
        }
    }

    @Test("rules are equal if they require the same") func equality() {
        #expect(IssuerRule.exactly("a") == "a")
        #expect(IssuerRule.any != "a")
        #expect(AudienceRule.contains("a") == "a")
        #expect(AudienceRule.contains("a") == .anyOf(["a"]))
        #expect(AudienceRule.anyOf([]) != .any)
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
        #expect(try Self.verdict(verifier, token) == wanted)
        #expect(try await Self.verdict(fetched, token) == wanted)
        #expect(try Self.verdict(verifier, plain) == "claim-rejected typ")
        #expect(try await Self.verdict(fetched, plain) == "claim-rejected typ")
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
