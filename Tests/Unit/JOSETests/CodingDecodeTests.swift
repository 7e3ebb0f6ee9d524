// What the decoder rejects, and the only name that its errors contain.

import Foundation
import JOSE
import JOSEBytes
import Testing

@Suite("Coding: decoding")
struct CodingDecodeTests {
    struct Integers: Decodable {
        var i8: Int8?
        var u8: UInt8?
        var i64: Int64?
        var u64: UInt64?
        var i128: Int128?
        var int: Int?
    }

    @Test("Integers are exact and in range, or rejected")
    func integers() throws {
        for (member, text) in [
            ("i8", "128"), ("i8", "-129"), ("u8", "256"), ("u8", "-1"),
            ("i64", "9223372036854775808"),
            ("u64", "18446744073709551616"), ("u64", "-1"), ("int", "1.5"), ("int", "1e-1"),
            ("int", "1e19"), ("int", "99999999999999999999999999"), ("int", "0.1e0"),
            ("int", "1e999999999999999999999"), ("i128", "170141183460469231731687303715884105728"),
        ] {
            expectRejection(Integers.self, "{\"\(member)\":\(text)}", member)
        }
        for text in ["7.0", "70e-1", "0.7e1", "7", "7E+0"] {
            #expect(try decode(Integers.self, "{\"int\":\(text),\"i8\":\(text)}").int == 7)
        }
        #expect(try decode(Integers.self, "{\"u64\":18446744073709551615}").u64 == .max)
        #expect(try decode(Integers.self, "{\"int\":-0}").int == 0)
    }

    struct Kinds: Decodable {
        struct Inner: Decodable { var x: Int }
        var text: String
        var number: Int
        var fraction: Double
        var truth: Bool
        var list: [String]
        var inner: Inner
        var map: [String: Int]
        var maybe: String?
    }

    static let good = [
        "text": "\"t\"", "number": "1", "fraction": "1.5", "truth": "true", "list": "[\"a\"]",
        "inner": "{\"x\":1}", "map": "{\"k\":1}", "maybe": "\"m\"",
    ]
    static let values = [
        "null", "\"1\"", "\"true\"", "\"\"", "1", "0", "1.5", "true", "false", "[]", "[1]",
        "[null]",
        "[\"a\"]", "[[\"a\"]]", "{}", "{\"x\":1}", "{\"x\":null}", "{\"x\":\"1\"}", "{\"k\":1.5}",
    ]
    static let fits: [String: Set<String>] = [
        "text": ["\"1\"", "\"true\"", "\"\""], "number": ["1", "0"], "fraction": ["1", "0", "1.5"],
        "truth": ["true", "false"], "list": ["[]", "[\"a\"]"], "inner": ["{\"x\":1}"],
        "map": ["{}", "{\"x\":1}"], "maybe": ["null", "\"1\"", "\"true\"", "\"\""],
    ]

    private func object(_ members: [String: String]) -> String {
        "{" + members.map { "\"\($0)\":\($1)" }.joined(separator: ",") + "}"
    }

    /// Where a value of the wrong type is: the member itself, or a value inside it.
    private static func path(_ member: String, _ value: String) -> String {
        switch (member, value.first) {
        case ("list", "["): "list[0]"
        case ("inner", "{"): "inner.x"
        case ("map", "{"): value.contains("k") ? "map.k" : "map.x"
        default: member
        }
    }

    @Test("A value of one type is never decoded as another type", arguments: good.keys.sorted())
    func kinds(_ member: String) throws {
        for value in Self.values {
            let text = object(Self.good.merging([member: value]) { $1 })
            if try #require(Self.fits[member]).contains(value) {
                _ = try decode(Kinds.self, text)
            } else {
                expectRejection(Kinds.self, text, Self.path(member, value))
            }
        }
        var missing = Self.good
        missing[member] = nil
        if member == "maybe" {
            #expect(try decode(Kinds.self, object(missing)).maybe == nil)
        } else {
            expectRejection(Kinds.self, object(missing), member)
        }
    }

    @Test("RFC 8259, RFC 7519 4: invalid strict JSON is malformed for every type")
    func malformed() {
        for text in [
            "", " ", "{", "{\"a\":1,\"a\":1}", "{\"a\":1,\"\\u0061\":2}",
            "{\"m\":{\"b\":1,\"b\":2}}",
            "{\"a\":01}", "{\"a\":1}x", "\u{feff}{}", "{\"a\":\"\\ud800\"}", "{'a':1}",
            "{\"a\":NaN}",
            "{\"a\":1,}", "[1 2]", "{\"a\":\"\u{1}\"}",
        ] {
            expectRejection([String: JSONValue].self, text, nil, code: .malformed)
        }
        let deep = String(repeating: "[", count: 33) + String(repeating: "]", count: 33)
        expectRejection(JSONValue.self, deep, nil, code: .limitExceeded)
    }

    @Test("Doubles and floats must be finite")
    func finite() throws {
        expectRejection([String: Double].self, "{\"a\":1e400}", "a")
        expectRejection([String: Double].self, "{\"a\":-1e400}", "a")
        expectRejection([String: Float].self, "{\"a\":1e39}", "a")
        #expect(try decode([Double].self, "[1e-400]") == [0])
        // Rounded once: through Double this would be 16777216.
        #expect(try decode([Float].self, "[16777217.0000000001]") == [16_777_218])
    }

    struct Escaped: Decodable, Equatable {
        var iss: String
        var é: Int
    }

    @Test("Names are compared after unescaping, byte for byte")
    func names() throws {
        let read = try decode(Escaped.self, "{\"\\u0069s\\u0073\":\"\\u0061\",\"\\u00e9\":1}")
        #expect(read == Escaped(iss: "a", é: 1))
        // The same letter in two code points is another name, although Swift's == calls them equal.
        expectRejection(Escaped.self, "{\"iss\":\"a\",\"e\u{301}\":1}", "é")
        expectRejection(Escaped.self, "{\"iss\":\"a\",\"é\\u0000\":1}", "é")
        expectRejection(Escaped.self, "{\"iss \":\"a\",\"é\":1}", "iss")
        expectRejection(Escaped.self, "{\"is\":\"a\",\"issu\":\"\",\"é\":1}", "iss")
    }

    struct Deep: Decodable { var outer: [Inner] }
    struct Inner: Decodable { var values: [String: [Int]] }

    @Test("An error names the member with its path, and no value")
    func claimNames() {
        expectRejection(
            Deep.self, "{\"outer\":[{\"values\":{\"k\":[1,2,\"secret\"]}}]}", "outer[0].values.k[2]"
        )
        expectRejection(
            Deep.self, "{\"outer\":[{\"values\":{\"k\":[1,null]}}]}", "outer[0].values.k[1]")
        expectRejection(Deep.self, "{\"outer\":[{}]}", "outer[0].values")
        expectRejection(Deep.self, "{}", "outer")
        expectRejection(Deep.self, "[]", nil)
        expectRejection([Int].self, "{\"a\":1}", nil)
        expectRejection(String.self, "null", nil)
        do {
            _ = try decode(Deep.self, "{\"outer\":[{\"values\":{\"k\":[1,\"secret\"]}}]}")
        } catch {
            #expect(!"\(error)".contains("secret") && !String(reflecting: error).contains("secret"))
        }
    }

    struct Own: Error {}

    struct Picky: Decodable {
        init(from decoder: any Decoder) throws {
            if try decoder.singleValueContainer().decode(Int.self) != 1 { throw Own() }
        }
    }

    struct Holder: Decodable {
        var first: String
        var picky: [Picky]
        var last: String?
    }

    struct Whole: Decodable {
        enum Key: String, CodingKey { case a, b }
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Key.self)
            _ = try? container.decode(Picky.self, forKey: .a)
            _ = try container.decode(Int.self, forKey: .b)
            throw Own()
        }
    }

    @Test("An error that a type throws names the member being decoded")
    func ownErrors() throws {
        expectRejection(Holder.self, "{\"first\":\"\",\"picky\":[1,2],\"last\":\"\"}", "picky")
        expectRejection(Holder.self, "{\"picky\":[1],\"first\":2}", "first")
        _ = try decode(Holder.self, "{\"picky\":[1],\"first\":\"\"}")
        expectRejection(Whole.self, "{\"a\":2,\"b\":1}", nil)
        expectRejection(Picky.self, "2", nil)
    }

    @Test("Reading a large object in any order takes linear time")
    func large() throws {
        struct Shuffled: Decodable {
            var sum = 0
            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: PlainKey.self)
                var generator = SeededGenerator(seed: 9)
                for key in container.allKeys.shuffled(using: &generator) {
                    sum += try container.decode(Int.self, forKey: key)
                }
                #expect(!container.contains(PlainKey("absent")))
                #expect(container.contains(PlainKey("e\u{301}")) == false)
            }
        }
        let count = 20_000
        let members = (0..<count).map { "\"claim\($0)\":\($0)" } + ["\"é\":0", "\"\\u0062\":0"]
        let text = "{" + members.joined(separator: ",") + "}"
        let start = processorSeconds()
        #expect(try decode(Shuffled.self, text).sum == count * (count - 1) / 2)
        // A quadratic search takes a minute.
        #expect(processorSeconds() - start < 10)
        #expect(try decode([String: Int].self, text)["claim777"] == 777)
        #expect(
            try decode(Kinds.self, object(Self.good).dropLast() + "," + text.dropFirst()).number
                == 1)
    }
}

/// Any key.
struct PlainKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(_ name: String) { stringValue = name }
    init(stringValue: String) { self.init(stringValue) }
    init?(intValue: Int) { nil }
}
