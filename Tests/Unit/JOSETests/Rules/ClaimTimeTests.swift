// exp, nbf and iat at their boundaries (RFC 7519 sections 4.1.4 to 4.1.6), without using the real
// clock.

import JOSE
import Testing

@Suite("Claims: times")
struct ClaimTimeTests {
    private static let now: Int64 = 1_760_000_000

    /// The result for claims given as JSON members.
    private func verdict(
        _ members: String, leeway: Int = 60, lifetime: Int? = nil, required: [String] = [],
        at now: NumericDate? = NumericDate(exactly: now)
    ) throws -> String {
        var policy = ClaimsPolicy(issuer: .any, audience: .any)
        policy.leewaySeconds = leeway
        policy.maxLifetimeSeconds = lifetime
        policy.requiredClaims = required
        let verifier = try JWTVerifier.checking(policy)
        let token = try JWSSigner(key: TestKeys.signing, algorithm: .rs256).sign("{\(members)}")
        return try Rejection.verdict { _ = try verifier.verify(token, at: need(now)) }
    }

    /// Offsets around a boundary, in seconds.
    private func offsets(_ leeway: Int) -> Set<Int> {
        [-leeway - 1, -leeway, -1, 0, 1, leeway - 1, leeway, leeway + 1]
    }

    @Test(
        "a leeway or maximum lifetime that is out of range or fractional is misuse",
        arguments: [
            .seconds(-1), .seconds(301), .milliseconds(500), .milliseconds(-500), .nanoseconds(1),
            Duration(secondsComponent: .max, attosecondsComponent: 0),
            Duration(secondsComponent: .min, attosecondsComponent: 0), .seconds(UInt64.max),
            .seconds(-1e19),
        ])
    func outOfRange(_ odd: Duration) throws {
        func rejection(_ change: (inout ClaimsPolicy) -> Void) throws -> String {
            var policy = ClaimsPolicy(issuer: .any, audience: .any)
            change(&policy)
            let changed = policy
            return try Rejection.verdict {
                _ = try JWTVerifier(
                    policy: changed, encryption: .notEncrypted,
                    signature: .required(key: TestKeys.signing.publicKey, algorithms: [.rs256]))
            }
        }
        #expect(try rejection { $0.leeway = odd } == "misuse")
        var policy = ClaimsPolicy(issuer: .any, audience: .any)
        policy.leeway = odd
        policy.maxLifetime = odd
        #expect(policy.leeway == odd && policy.maxLifetime == odd, "what was set is read")
        let isLong =
            odd >= .zero && odd <= .seconds(Int64.max) && odd.components.attoseconds == 0
        #expect(try rejection { $0.maxLifetime = odd } == (isLong ? "accepted" : "misuse"))
        expectRejection("misuse") {
            let odd = isLong ? .zero : odd
            _ = try JWTIssuer(key: TestKeys.signing, algorithm: .rs256, lifetime: odd)
        }
    }

    @Test(
        "exp: a token is rejected from that second on, plus the leeway",
        arguments: [0, 1, 59, 60, 300])
    func expiry(_ leeway: Int) throws {
        for offset in offsets(leeway) {
            // now >= exp + leeway is rejected.
            let got = try verdict("\"exp\":\(Self.now + Int64(offset))", leeway: leeway)
            #expect(
                got == (offset > -leeway ? "accepted" : "claim-rejected exp"),
                "exp = now + \(offset)")
        }
    }

    @Test(
        "nbf and iat: a token is rejected only beyond the leeway", arguments: [0, 1, 59, 60, 300])
    func starts(_ leeway: Int) throws {
        for name in ["nbf", "iat"] {
            for offset in offsets(leeway) {
                let got = try verdict("\"\(name)\":\(Self.now + Int64(offset))", leeway: leeway)
                #expect(
                    got == (offset <= leeway ? "accepted" : "claim-rejected \(name)"),
                    "\(name) = now + \(offset)")
            }
        }
    }

    @Test("leeway is 60 seconds by default and may be 0 to 300 seconds") func leeway() {
        var policy = ClaimsPolicy(issuer: .any, audience: .any)
        #expect(policy.leeway == .seconds(60) && policy.maxLifetime == nil)
        for given in [Duration.zero, .seconds(1), .seconds(300)] {
            policy.leeway = given
            #expect(policy.leeway == given)
        }
    }

    @Test("fractions of a second count, exactly") func fractions() throws {
        let half = NumericDate(exactly: Self.now, attoseconds: 500_000_000_000_000_000)
        func check(_ members: String, _ now: NumericDate?, _ wanted: String) throws {
            #expect(try verdict(members, leeway: 0, at: now) == wanted, "\(members)")
        }
        let whole = NumericDate(exactly: Self.now)
        try check("\"exp\":\(Self.now).5", whole, "accepted")
        try check("\"exp\":\(Self.now).5", half, "claim-rejected exp")
        try check("\"exp\":\(Self.now).500000000000000001", half, "accepted")
        try check("\"exp\":\(Self.now).499999999999999999", half, "claim-rejected exp")
        try check("\"exp\":\(Self.now).0", whole, "claim-rejected exp")
        try check("\"nbf\":\(Self.now).5", half, "accepted")
        try check("\"nbf\":\(Self.now).500000000000000001", half, "claim-rejected nbf")
        try check("\"nbf\":\(Self.now).000000000000000001", whole, "claim-rejected nbf")
        // A fraction of 2^53 seconds would be lost in a Double.
        try check("\"exp\":\(Self.now).000000000000000001", whole, "accepted")
    }

    @Test("numbers with exponents are read like others") func exponents() throws {
        for text in [
            "1760000060e0", "176000006e1", "1.76000006e9", "1.76000006E+9", "17600000600e-1",
            "1760000060.0",
        ] {
            #expect(try verdict("\"exp\":\(text)", leeway: 0) == "accepted", "\(text)")
        }
        for text in ["1759999999e0", "1.759e9", "17599999999e-1"] {
            #expect(try verdict("\"exp\":\(text)", leeway: 0) == "claim-rejected exp", "\(text)")
        }
    }

    @Test(
        "a date claim must be a JSON number from 1970 to 9999",
        arguments: [
            "null", "true", "false", #""1760000300""#, #""2025-10-09""#, "[]", "{}", "[1760000300]",
            "-1", "-0.1",
            "253402300800", "253402300799.1", "1e12", "1e400", "1e99999999",
            "9223372036854775807", "9223372036854775808", "18446744073709551616",
            String(repeating: "9", count: 400),
        ])
    func ranges(_ value: String) throws {
        for name in ["exp", "nbf", "iat"] {
            let others = name == "exp" ? "" : ",\"exp\":253402300799"
            let got = try verdict("\"\(name)\":\(value)\(others)")
            #expect(got == "claim-rejected \(name)", "\(name): \(value)")
        }
    }

    @Test("the limits of the range are valid dates") func ends() throws {
        #expect(try verdict("\"exp\":253402300799") == "accepted")
        #expect(try verdict("\"exp\":253402300799", leeway: 0, at: .latest) == "claim-rejected exp")
        #expect(try verdict("\"nbf\":0,\"iat\":0,\"exp\":1760000300") == "accepted")
        #expect(try verdict("\"nbf\":-0,\"iat\":0.0,\"exp\":1760000300") == "accepted")
        #expect(try verdict("\"exp\":0") == "claim-rejected exp")
        #expect(try verdict("\"exp\":1e-400") == "claim-rejected exp")
        // Digits after the eighteenth of a fraction are cut.
        #expect(try verdict("\"nbf\":-1e-400,\"exp\":1760000300") == "accepted")
        #expect(try verdict("\"nbf\":-1e-18,\"exp\":1760000300") == "claim-rejected nbf")
    }

    @Test("exp is required by default and must not be before iat") func expiryRequired() throws {
        #expect(ClaimsPolicy(issuer: .any, audience: .any).requiredClaims == ["exp"])
        #expect(try verdict("\"iat\":1", required: ["exp"]) == "claim-rejected exp")
        #expect(try verdict("\"iat\":1760000030,\"exp\":1760000029") == "claim-rejected exp")
        #expect(try verdict("\"iat\":1760000030,\"exp\":1760000030") == "accepted")
        #expect(try verdict("\"iat\":1760000030.5,\"exp\":1760000030") == "claim-rejected exp")
    }

    @Test("a maximum lifetime needs iat, and is exact") func lifetime() throws {
        let start = Self.now - 100
        func check(_ length: String, _ wanted: String) throws {
            let members = "\"iat\":\(start),\"exp\":\(start + 300)\(length)"
            #expect(try verdict(members, lifetime: 300) == wanted)
        }
        try check("", "accepted")
        try check(".000000000000000001", "claim-rejected exp")
        #expect(
            try verdict("\"iat\":\(start),\"exp\":\(start + 301)", lifetime: 300)
                == "claim-rejected exp")
        #expect(try verdict("\"exp\":\(start + 300)", lifetime: 300) == "claim-rejected iat")
        #expect(try verdict("\"iat\":\(start)", lifetime: 300) == "claim-rejected exp")
        let dates = "\"iat\":\(start),\"exp\":"
        #expect(try verdict(dates + "253402300799", lifetime: Int.max) == "accepted")
        #expect(try verdict(dates + "\(start)", leeway: 300, lifetime: 0) == "accepted")
        #expect(
            try verdict(dates + "\(start + 1)", leeway: 300, lifetime: 0) == "claim-rejected exp")
    }
}
