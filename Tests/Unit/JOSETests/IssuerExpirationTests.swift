// Which claims an issuer rejects because of `exp`: only a member of the outermost object counts,
// and it must be a date.

import JOSE
import Testing

@Suite struct IssuerExpirationTests {
    private static let key = try? JWK.generate(.rsa, use: .signature)

    private func issuer() throws -> JWTIssuer {
        try JWTIssuer(key: #require(IssuerExpirationTests.key), algorithm: .rs256)
    }

    private struct Inner: Encodable { var exp = 1 }

    @Test("exp of a nested object is not the token's exp")
    func nested() throws {
        struct Claims: Encodable { var inner = Inner() }
        let issuer = try issuer()
        let error = #expect(throws: JOSEError.self) { try issuer.issue(Claims()) }
        #expect(error?.code == .misuse)
    }

    @Test("exp is found before, between and after nested objects")
    func present() throws {
        struct First: Encodable { var exp = 1; var inner = Inner() }
        struct Last: Encodable { var inner = Inner(); var exp = 1 }
        let issuer = try issuer()
        #expect(try !issuer.issue(First()).isEmpty)
        #expect(try !issuer.issue(Last()).isEmpty)
    }

    @Test(
        "with more names than fingerprints, exp is found in the finished JSON",
        arguments: [false, true])
    func many(hasExpiration: Bool) throws {
        var claims: [String: Int] = [:]
        for number in 0..<100 { claims["name\(number)"] = number }
        if hasExpiration { claims["exp"] = 4_102_444_800 }
        let issuer = try issuer()
        if hasExpiration {
            #expect(try !issuer.issue(claims).isEmpty)
        } else {
            #expect(throws: JOSEError.self) { try issuer.issue(claims) }
        }
    }

    @Test(
        "a long name that contains exp at its start, middle or end is not exp",
        arguments: [259, 515])
    func long(count: Int) throws {
        let filling = String(repeating: "a", count: (count - 3) / 2)
        let name = "e" + filling + "x" + filling + "p"
        #expect(name.utf8.count == count)
        let issuer = try issuer()
        let error = #expect(throws: JOSEError.self) { try issuer.issue([name: 5]) }
        #expect(error?.code == .misuse)
        #expect(try !issuer.issue([name: 5, "exp": 1_800_000_000]).isEmpty)
    }

    /// Values of `exp` as JSON, and whether readers accept them (RFC 7519, 2 and 4.1.4).
    private static let dates: [(json: String, isDate: Bool)] = [
        ("0", true), ("1", true), ("1800000000", true), ("1800000000.5", true), ("1.8e9", true),
        ("99999999999", true), ("253402300799", true), ("253402300800", false),
        ("1800000000000", false), ("1800000000000.5", false), ("1.8e12", false), ("-1", false),
        ("\"1800000000\"", false), ("null", false), ("true", false), ("[1]", false),
        ("{\"exp\":1}", false),
    ]

    @Test("RFC 7519 2, 4.1.4: exp in milliseconds or out of range is misuse")
    func dates() throws {
        let issuer = try issuer()
        let lax = try JWTIssuer(
            key: #require(IssuerExpirationTests.key), algorithm: .rs256, requiresExpiration: false)
        let recipient = try JWTRecipient(
            key: JWK.generate(.rsa, use: .encryption).publicKey, algorithm: .rsaOAEP256,
            content: .a128CBCHS256)
        for (json, isDate) in Self.dates {
            let wanted = isDate ? "accepted" : "misuse"
            for text in [
                "{\"exp\":\(json)}", "{\"a\":{\"exp\":1},\"exp\":\(json)}",
                "{\"a\":[{\"exp\":1e12}],\"exp\":\(json),\"b\":{\"exp\":\"x\"}}",
            ] {
                let bytes = Array(text.utf8)
                #expect(
                    try Rejection.verdict { _ = try issuer.issue(json: bytes) } == wanted, "\(text)"
                )
                #expect(
                    try Rejection.verdict { _ = try lax.issue(json: bytes) } == "accepted",
                    "\(text)")
                let claims = try ClaimsDecoder.decode(
                    JSONValue.self, from: bytes, maxDepth: 8)
                #expect(try Rejection.verdict { _ = try issuer.issue(claims) } == wanted, "\(text)")
                #expect(
                    try Rejection.verdict { _ = try issuer.issue(claims, encryptedFor: recipient) }
                        == wanted,
                    "\(text)")
                #expect(
                    try Rejection.verdict { _ = try lax.issue(claims) } == "accepted", "\(text)")
            }
        }
    }

    private struct Session: Encodable {
        var inner = Inner()
        var exp: Double
        var behind = Inner()
    }

    /// Writes into a container that is already closed, which moves the text after it.
    private struct Late: Encodable {
        var exp: Int64
        enum Key: CodingKey { case first, exp, name }
        func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: Key.self)
            var first = members.nestedContainer(keyedBy: Key.self, forKey: .first)
            try members.encode(exp, forKey: .exp)
            try first.encode(1, forKey: .exp)
            try first.encode("a longer text", forKey: .name)
        }
    }

    @Test("a type's own exp is found among other names and after the JSON was moved")
    func types() throws {
        let issuer = try issuer()
        #expect(
            try Rejection.verdict { _ = try issuer.issue(Session(exp: 1_800_000_000)) }
                == "accepted")
        #expect(
            try Rejection.verdict { _ = try issuer.issue(Session(exp: 1_800_000_000.25)) }
                == "accepted")
        #expect(
            try Rejection.verdict { _ = try issuer.issue(Session(exp: 1_800_000_000_000)) }
                == "misuse")
        #expect(try Rejection.verdict { _ = try issuer.issue(Session(exp: -1)) } == "misuse")
        #expect(
            try Rejection.verdict { _ = try issuer.issue(Late(exp: 1_800_000_000)) } == "accepted")
        #expect(
            try Rejection.verdict { _ = try issuer.issue(Late(exp: 1_800_000_000_000)) } == "misuse"
        )
        var many: [String: Int] = [:]
        for number in 0..<100 { many["name\(number)"] = number }
        many["exp"] = 1_800_000_000_000
        #expect(try Rejection.verdict { _ = try issuer.issue(many) } == "misuse")
    }
}
