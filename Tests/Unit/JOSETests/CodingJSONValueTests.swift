// JSONValue keeps every number exactly and can hold any claim.

import Foundation
import JOSE
import Testing

@Suite("JSONValue")
struct CodingJSONValueTests {
    @Test(
        "Numbers are written exactly as they were read",
        arguments: [
            "0", "-1", "9223372036854775807", "-9223372036854775808", "9007199254740993",
        ])
    func integers(_ text: String) throws {
        let value = try decode(JSONValue.self, text)
        #expect(value == .integer(try #require(Int64(text))))
        #expect(try encode(value) == text)
    }

    @Test(arguments: [
        "9223372036854775808", "18446744073709551616", "1.50", "1.0", "-0", "-0.0", "1e2", "1E+2",
        "1e400",
        "0.1", "-2.5", "1e-7", "123456789012345678901234567890.123456789012345678901234567890",
    ])
    func others(_ text: String) throws {
        let value = try decode(JSONValue.self, text)
        let nearest = try #require(Double(text))
        #expect(value.numberText == text || value == .double(nearest))
        let again = try encode(value)
        #expect(again == text || Double(again)?.bitPattern == Double(text)?.bitPattern, "\(again)")
        #expect(try decode(JSONValue.self, again).numberText.flatMap(Double.init) == Double(text))
        #expect(value.integer == nil)
    }

    @Test(arguments: [
        "", "-", "01", "1.", ".5", "1e", "1e+", "+1", "0x1", "NaN", "1 ", " 1", "1a", "١",
        "Infinity", "1.e5", "--1",
    ])
    func noNumbers(_ text: String) {
        #expect(JSONValue(number: text) == nil)
        #expect(JSONValue.number(text).numberText == nil)
        expectUnwritable(JSONValue.number(text))
    }

    @Test func reading() throws {
        let value = try decode(JSONValue.self, #"{"a":[null,true,"\u0041",1,{"b":{}}],"c":1.5}"#)
        #expect(value == ["a": [nil, true, "A", 1, ["b": [:]]], "c": 1.5])
        #expect(value["a"]?.array?[2].string == "A" && value["a"]?.array?[1].bool == true)
        #expect(value["a"]?.array?[3].integer == 1 && value["x"] == nil && value["c"]?["x"] == nil)
        #expect(value.object?.count == 2)
        #expect(try encode(value) == #"{"a":[null,true,"A",1,{"b":{}}],"c":1.5}"#)
    }

    @Test("Two names that Swift considers equal do not hide each other")
    func canonicalEquivalence() throws {
        for (a, b) in [("\u{e9}", "e\u{301}"), ("K", "\u{212a}")] {
            // In byte order.
            let names = [a, b].sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
            let text = "{\"x\":{\"\(names[0])\":1,\"\(names[1])\":2}}"
            let whole = try decode(JSONValue.self, text)
            let value = try need(whole["x"])
            #expect(value[names[0]] == 1 && value[names[1]] == 2 && value.object?.count == 2)
            #expect(try encode(whole) == text)
            #expect(try decode([String: JSONObject].self, text)["x"] == value.object)
            #expect(try decode([String: JSONValue].self, text)["x"] == value)
            #expect(value != .object([a: 1]) && value != .object([b: 2]))
            #expect(
                try need(value.object).map { Array($0.name.utf8) } == names.map { Array($0.utf8) })
            // A coder whose objects are Swift dictionaries would lose one.
            #expect(throws: EncodingError.self) { try JSONEncoder().encode(value) }
        }
        #expect(
            try JSONDecoder().decode(JSONObject.self, from: Data(#"{"a":[1]}"#.utf8)) == ["a": [1]])
        #expect(try JSONEncoder().encode(JSONObject(["a": 1])) == Data(#"{"a":1}"#.utf8))
        expectRejection([String: JSONObject].self, #"{"x":[]}"#, "x")
        var members: JSONObject = ["a": 1, "b": 2, "a": 3]
        #expect(members.names == ["a", "b"] && members["a"] == 3)
        members["a"] = nil
        #expect(members == ["b": 2] && !members.isEmpty && JSONObject().isEmpty)
    }

    @Test func amongOtherClaims() throws {
        struct Claims: Codable, Equatable {
            var iss: String
            var extra: JSONValue
            var maybe: JSONValue?
            var list: [JSONValue]
        }
        let claims = Claims(
            iss: "me", extra: ["k": [1, 2.5, "x"]], maybe: nil, list: [nil, false])
        try expectAgreement(claims)
        #expect(
            try decode(Claims.self, #"{"iss":"","extra":null,"maybe":null,"list":[]}"#).extra
                == .null)
    }

    @Test("Other coders get exact numbers or an error")
    func otherCoders() throws {
        try expectAgreement(["n": JSONValue.number("18446744073709551615")])
        #expect(throws: EncodingError.self) {
            try JSONEncoder().encode([JSONValue.number("18446744073709551616")])
        }
        #expect(throws: EncodingError.self) {
            try JSONEncoder().encode([JSONValue.number("1e400")])
        }
        #expect(
            String(decoding: try JSONEncoder().encode([JSONValue.number("1.50")]), as: UTF8.self)
                == "[1.5]")
    }
}
