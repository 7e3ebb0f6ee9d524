// Claims are found only by name at the top level, in any order. Also tests the numbers of the
// predefined policies.

import JOSE
import Testing

@Suite("Claims: positions")
struct ClaimPositionTests {
    private static let names = [
        "iss", "sub", "aud", "exp", "nbf", "iat", "jti", "nonce", "azp", "at_hash", "c_hash",
    ]
    private static let now: Int64 = 1_760_000_000

    private func verdict(
        _ claims: String, expecting: ClaimsExpectation = .none,
        _ edit: (inout ClaimsPolicy) -> Void = { _ in }
    ) throws -> String {
        var policy = ClaimsPolicy.any
        edit(&policy)
        let key = try JWK(symmetricKey: [UInt8](repeating: 7, count: 32))
        let verifier = try JWTVerifier.checking(
            policy, signature: .required(key: key, algorithms: [.hs256]))
        let token = try TestToken.signed(#"{"alg":"HS256"}"#, claims, by: key, .hs256)
        let now = NumericDate(exactly: Self.now)
        return try Rejection.verdict {
            _ = try verifier.verify(token, expecting: expecting, at: now)
        }
    }

    @Test("RFC 7519 4.1: a registered claim has its type at the top level only, in any position")
    func names() throws {
        // azp is checked if a client is expected.
        func verdict(_ claims: String) throws -> String {
            try self.verdict(claims) { $0.authorizedParty = "z" }
        }
        for name in Self.names {
            let rejected = "claim-rejected \(name)"
            // An object is a wrong type for each of them.
            for claims in [
                "{\"\(name)\":{}}", "{\"\(name)\":{},\"x\":1}", "{\"x\":[1,2],\"\(name)\":{}}",
                "{\"x\":{\"y\":1},\"\(name)\":{},\"z\":[]}",
                "{\"\\u00\(String(name.utf8.first ?? 0, radix: 16))\(name.dropFirst())\":{}}",
            ] { #expect(try verdict(claims) == rejected, "\(claims)") }
            for claims in [
                "{\"x\":\"\(name)\",\"y\":{}}", "{\"x\":\"\(name)\"}", "{\"x\":[\"\(name)\",{}]}",
                "{\"x\":{\"\(name)\":{}}}", "{\"x\":{\"\(name)\":{}},\"y\":\"\(name)\",\"z\":{}}",
                "{\"\(name)s\":{}}", "{\"\(name.dropLast())\":{}}", "{\"\(name) \":{}}",
                "{\"\(name.uppercased())\":{}}", "{\"\\u0000\(name)\":{}}",
                "{\"\(name)\\u0000\":{}}",
            ] { #expect(try verdict(claims) == "accepted", "\(claims)") }
        }
    }

    @Test("each required claim must be present, and no other claim replaces it") func required()
        throws
    {
        let values: [(name: String, value: String)] = [
            ("iss", #""i""#), ("sub", #""s""#), ("aud", #""a""#), ("exp", "\(Self.now + 9)"),
            ("nbf", "\(Self.now - 9)"), ("iat", "\(Self.now - 9)"), ("jti", #""j""#),
            ("nonce", #""n""#), ("azp", #""z""#), ("at_hash", #""h""#), ("c_hash", #""h""#),
            ("x", "null"), ("at_hashes", "1"), ("longer_than_any_name", "{}"),
        ]
        let members = values.map { "\"\($0.name)\":\($0.value)" }
        for (index, name) in values.map(\.name).enumerated() {
            let all = members.joined(separator: ",")
            #expect(try verdict("{\(all)}") { $0.requiredClaims = [name] } == "accepted")
            #expect(
                try verdict("{\(members[index])}") { $0.requiredClaims = [name] } == "accepted")
            let others = (members[..<index] + members[(index + 1)...]).joined(separator: ",")
            #expect(
                try verdict("{\(others)}") { $0.requiredClaims = [name] }
                    == "claim-rejected \(name)")
        }
    }

    @Test("an expectation of one claim applies to no other claim") func expected() throws {
        let sub = ClaimsExpectation(subject: "s")
        let nonce = ClaimsExpectation(nonce: "n")
        #expect(try verdict(#"{"sub":"s","nonce":"x"}"#, expecting: sub) == "accepted")
        #expect(try verdict(#"{"sub":"x","nonce":"n"}"#, expecting: nonce) == "accepted")
        #expect(try verdict(#"{"nonce":"s"}"#, expecting: sub) == "claim-rejected sub")
        #expect(try verdict(#"{"sub":"n"}"#, expecting: nonce) == "claim-rejected nonce")
        #expect(try verdict(#"{"azp":"z","aud":"a"}"#) { $0.authorizedParty = "z" } == "accepted")
        #expect(
            try verdict(#"{"azp":"a","aud":"z"}"#) { $0.authorizedParty = "z" }
                == "claim-rejected azp")
        #expect(try verdict(#"{"aud":[]}"#) { $0.authorizedParty = "z" } == "accepted")
        #expect(
            try verdict(#"{"aud":["z","a","b"]}"#) { $0.authorizedParty = "z" } == "accepted")
    }

    @Test("OpenID Connect Core 2: the limits of the ID Token policy, exact to the second")
    func openID() throws {
        let policy = ClaimsPolicy.openID(issuer: "i", clientID: "c")
        #expect(policy.issuer == "i" && policy.audience == "c")
        #expect(policy.requiredClaims == ["iss", "sub", "aud", "exp", "iat"])
        #expect(policy.maxLifetime == .seconds(86_400))
        #expect(policy.leewaySeconds == 60)
        #expect(policy.authorizedParty == "c" && policy.trustedAudiences == [])
        for (seconds, wanted) in [(86_400, "accepted"), (86_401, "claim-rejected exp")] {
            let times = "\"iat\":\(Self.now),\"exp\":\(Self.now + Int64(seconds))"
            let claims = "{\"iss\":\"i\",\"sub\":\"s\",\"aud\":\"c\",\(times)}"
            #expect(try verdict(claims) { $0 = policy } == wanted)
        }
    }
}
