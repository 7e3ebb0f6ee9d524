// With JOSEFoundation, Foundation types in claims have JOSE's meaning. Without it they are
// rejected.

import Foundation
import JOSEFoundation
import Testing

@testable import JOSE

@Suite("Foundation types in claims")
struct FoundationClaimTests {
    struct Claims: Codable, Equatable {
        var exp: Date
        var nbf: Date?
        var key: Data
        var jku: URL
        var amount: Decimal
        var dates: [Date]
        var map: [String: URL]
    }

    @Test("Without JOSEFoundation these types are rejected, each recognised by its name")
    func foreign() {
        for type in [Date.self, Data.self, URL.self, Decimal.self] as [any Any.Type] {
            #expect(ClaimTypeRule.isForeign(type), "\(String(reflecting: type))")
        }
        enum Own { struct Date {} }
        for type in [UUID.self, String.self, Own.Date.self, [Date].self] as [any Any.Type] {
            #expect(!ClaimTypeRule.isForeign(type), "\(String(reflecting: type))")
        }
    }

    @Test("Date, Data, URL and Decimal become NumericDate, base64url, URI and exact decimal")
    func meaning() throws {
        let json =
            #"{"exp":1516239022,"nbf":1516239022.25,"key":"AAH_-w","#
            + #""jku":"https://a.example/k?x=%20","amount":12.340,"dates":[0],"#
            + #""map":{"u":"urn:x:y"}}"#
        let claims = try decode(Claims.self, json)
        #expect(claims.exp == Date(timeIntervalSince1970: 1_516_239_022))
        #expect(claims.nbf == Date(timeIntervalSince1970: 1_516_239_022.25))
        #expect(claims.key == Data([0, 1, 0xff, 0xfb]))
        #expect(claims.jku.absoluteString == "https://a.example/k?x=%20")
        #expect(claims.amount == Decimal(string: "12.34"))
        // Dates are written in whole seconds.
        #expect(
            try encode(claims)
                == json.replacing("12.340", with: "12.34").replacing("22.25", with: "22"))
    }

    @Test(arguments: [
        ("exp", "\"2018-01-18T01:30:22Z\""), ("exp", "-1"), ("exp", "253402300800"),
        ("exp", "null"),
        ("key", "\"AAH/+w\""), ("key", "\"AAH_-w==\""), ("key", "\"AAH_-x\""), ("key", "[0,1]"),
        ("key", "\"A\""),
        ("jku", "\"no scheme\""), ("jku", "\"/relative\""), ("jku", "\"\""),
        ("jku", "\"https://a b\""),
        ("jku", "{\"relative\":\"https://a\"}"), ("jku", "1"), ("amount", "\"12.34\""),
        ("amount", "1.00000000000000000000000000000000000000001"), ("amount", "1e200"),
        ("amount", "1e-200"),
        ("amount", "1e99999999999999999999"), ("dates", "[0,\"x\"]"), ("map", "{\"u\":\"u\"}"),
    ])
    func rejected(_ member: String, _ value: String) {
        var members = [
            "exp": "1", "key": "\"\"", "jku": "\"a:b\"", "amount": "1", "dates": "[]", "map": "{}",
        ]
        members[member] = value
        let json = "{" + members.map { "\"\($0)\":\($1)" }.joined(separator: ",") + "}"
        expectRejection(Claims.self, json, member)
    }

    @Test("Values that JOSE cannot represent are rejected when encoding")
    func unwritable() {
        expectUnwritable(["d": Date(timeIntervalSince1970: -1)], "d")
        expectUnwritable(["d": Date.distantFuture.addingTimeInterval(1e12)], "d")
        expectUnwritable(["d": Decimal.nan], "d")
        if let url = URL(string: "relative/path") { expectUnwritable(["d": url], "d") }
    }

    @Test("a Date keeps microseconds and is written in whole seconds")
    func dates() throws {
        var generator = SeededGenerator(seed: 11)
        for _ in 0..<1000 {
            let microseconds = Int64.random(in: 0..<4_000_000_000_000_000, using: &generator)
            let date = try #require(
                NumericDate(
                    exactly: microseconds / 1_000_000,
                    attoseconds: microseconds % 1_000_000 * 1_000_000_000_000))
            #expect(try NumericDate(Date(date)) == date)
            #expect(try encode(Date(date)) == "\(date.seconds)")
        }
    }

    @Test("Decimals are exact to 38 digits")
    func decimals() throws {
        for text in [
            "0", "-1.5", "99999999999999999999999999999999999999",
            "0.00000000000000000000000000000000000001",
            "3.1415926535897932384626433832795028841", "1e20", "-12e-3",
        ] {
            let value = try decode(Decimal.self, text)
            #expect(value == Decimal(string: text))
            #expect(try decode(Decimal.self, encode(value)) == value)
        }
    }

    struct Money: Codable, Equatable, JOSEClaimValue {
        var cents: Int64
        init(cents: Int64) { self.cents = cents }
        init(claim: JSONValue) throws {
            guard let cents = claim["cents"]?.integer else { throw CocoaError(.coderInvalidValue) }
            self.cents = cents
        }
        func claim() throws -> JSONValue { ["cents": .integer(cents)] }
    }

    @Test("A custom type can define its claim")
    func ownType() throws {
        #expect(try encode(["m": [Money(cents: 5)]]) == #"{"m":[{"cents":5}]}"#)
        #expect(try decode([Money?].self, #"[{"cents":5},null]"#) == [Money(cents: 5), nil])
        expectRejection([String: Money].self, #"{"m":{"cents":"5"}}"#, "m")
    }

    @Test("a Date becomes a NumericDate, or the error is misuse") func issued() throws {
        let start = Date(timeIntervalSince1970: 1_516_239_022)
        let token = try JWTIssuer(key: TestKeys.signing, algorithm: .rs256, lifetime: .seconds(60))
            .issue(["iss": "me"], at: NumericDate(start))
        struct Claims: Decodable { var exp: Date }
        let claims = try JWTVerifier.checking().verify(
            token, as: Claims.self, at: NumericDate(start))
        #expect(claims.exp == start.addingTimeInterval(60))
        for date in [
            Date.distantPast, Date(timeIntervalSince1970: -1), .init(timeIntervalSince1970: 1e12),
        ] {
            expectRejection("misuse") { _ = try NumericDate(date) }
        }
    }
}
