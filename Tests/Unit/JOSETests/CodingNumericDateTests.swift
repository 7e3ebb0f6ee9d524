// NumericDate: range, exact fractions, arithmetic, and the values that other coders get.

import Foundation
import JOSE
import Testing

@Suite("NumericDate (RFC 7519, section 2)")
struct CodingNumericDateTests {
    @Test func range() throws {
        #expect(NumericDate(exactly: 0) == .earliest)
        #expect(NumericDate(exactly: 253_402_300_799) == .latest)
        #expect(NumericDate(exactly: -1) == nil)
        #expect(NumericDate(exactly: 253_402_300_800) == nil)
        #expect(NumericDate(exactly: 253_402_300_799, attoseconds: 1) == nil)
        #expect(NumericDate(exactly: 1, attoseconds: -1) == nil)
        #expect(NumericDate(exactly: 1, attoseconds: 1_000_000_000_000_000_000) == nil)
        #expect(throws: JOSEError.self) { try NumericDate(seconds: .min) }
        #expect(try NumericDate(seconds: 7).seconds == 7)
    }

    @Test(
        "Fractions are exact and written without trailing zeros",
        arguments: [
            ("0", 0, 0), ("1516239022", 1_516_239_022, 0),
            ("1516239022.5", 1_516_239_022, 500_000_000_000_000_000),
            ("1516239022.1", 1_516_239_022, 100_000_000_000_000_000),
            ("0.000000000000000001", 0, 1),
            ("253402300798.999999999999999999", 253_402_300_798, 999_999_999_999_999_999),
            ("9007199254.740993001", 9_007_199_254, 740_993_001_000_000_000),
        ] as [(String, Int64, Int64)])
    func fractions(_ text: String, _ seconds: Int64, _ attoseconds: Int64) throws {
        let date = try decode(NumericDate.self, text)
        #expect(date == NumericDate(exactly: seconds, attoseconds: attoseconds))
        #expect(date.description == text)
        #expect(try encode(["exp": date]) == "{\"exp\":\(text)}")
        #expect(NumericDate(JSONValue(date)) == date)
    }

    @Test func otherNotations() throws {
        #expect(
            try decode([NumericDate].self, "[1.5162390225e9,15e-1,1.50,-0,2E2]").map(\.description)
                == [
                    "1516239022.5", "1.5", "1.5", "0", "200",
                ])
        // Digits after the eighteenth are cut.
        #expect(try decode(NumericDate.self, "1.0000000000000000009").attoseconds == 0)
    }

    struct Claims: Codable, Equatable {
        var exp: NumericDate
        var nbf: NumericDate?
    }

    @Test(arguments: [
        "-1", "-0.5", "253402300800", "253402300799.5", "1e12", "1e400", "\"1516239022\"", "null",
        "true", "[1]", "{}",
    ])
    func rejected(_ text: String) {
        expectRejection(Claims.self, "{\"exp\":\(text)}", "exp")
    }

    @Test func optional() throws {
        #expect(try decode(Claims.self, "{\"exp\":1,\"nbf\":null}").nbf == nil)
        expectRejection(Claims.self, "{\"exp\":1,\"nbf\":-1}", "nbf")
        expectRejection(Claims.self, "{}", "exp")
    }

    struct Wrapped: Codable, Equatable {
        var date: NumericDate
        var value: JSONValue
        init(date: NumericDate, value: JSONValue) { (self.date, self.value) = (date, value) }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: PlainKey.self)
            date = try NumericDate(from: container.superDecoder(forKey: PlainKey("date")))
            value = try JSONValue(from: container.superDecoder(forKey: PlainKey("value")))
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: PlainKey.self)
            try date.encode(to: container.superEncoder(forKey: PlainKey("date")))
            try value.encode(to: container.superEncoder(forKey: PlainKey("value")))
        }
    }

    @Test("No precision is lost if a type passes its decoder to other code")
    func passedOn() throws {
        let json = #"{"date":1516239022.000000000000000001,"value":1.50}"#
        #expect(try encode(decode(Wrapped.self, json)) == json)
        expectRejection(Wrapped.self, #"{"date":-1,"value":0}"#, "date")
    }

    @Test("Foundation's coders see a number, too")
    func otherCoders() throws {
        let claims = Claims(
            exp: try NumericDate(seconds: 1_516_239_022),
            nbf: NumericDate(exactly: 1, attoseconds: 250_000_000_000_000_000))
        try expectAgreement(claims)
        let theirs = try JSONEncoder().encode([claims.exp])
        #expect(String(decoding: theirs, as: UTF8.self) == "[1516239022]")
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([NumericDate].self, from: Data("[-1]".utf8))
        }
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([NumericDate].self, from: Data("[1e12]".utf8))
        }
    }
}
