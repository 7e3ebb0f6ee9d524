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
                let claims = try ClaimsDecoder.decode(JSONValue.self, from: bytes, maxDepth: 8)
                let attempts: [(String, () throws -> String)] = [
                    (wanted, { try issuer.issue(json: bytes) }),
                    (wanted, { try issuer.issue(claims) }),
                    (wanted, { try issuer.issue(claims, encryptedFor: recipient) }),
                    ("accepted", { try lax.issue(json: bytes) }),
                    ("accepted", { try lax.issue(claims) }),
                ]
                for (wanted, issue) in attempts {
                    #expect(try Rejection.verdict { _ = try issue() } == wanted, "\(text)")
                }
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
        struct Nested: Encodable { var inner = Inner() }
        let issuer = try issuer()
        // With more names than fingerprints, exp is found in the finished JSON.
        let many = Dictionary(uniqueKeysWithValues: (0..<100).map { ("name\($0)", $0) })
        let (valid, late) = (1_800_000_000, 1_800_000_000_000)
        let rows: [(any Encodable, String)] = [
            (Session(exp: 1_800_000_000), "accepted"), (Session(exp: 1_800_000_000.25), "accepted"),
            (Session(exp: 1_800_000_000_000), "misuse"), (Session(exp: -1), "misuse"),
            (Late(exp: Int64(valid)), "accepted"), (Late(exp: Int64(late)), "misuse"),
            (Nested(), "misuse"), (many, "misuse"),
            (many.merging(["exp": valid]) { $1 }, "accepted"),
            (many.merging(["exp": late]) { $1 }, "misuse"),
        ]
        for (claims, wanted) in rows {
            func issue(_ claims: some Encodable) throws { _ = try issuer.issue(claims) }
            #expect(try Rejection.verdict { try issue(claims) } == wanted, "\(claims)")
        }
    }
}
