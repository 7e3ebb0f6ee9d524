// What the encoder writes byte for byte, what it rejects, and the members that an issuer adds.

import Foundation
import JOSE
import JOSEBytes
import Testing

@Suite("Coding: encoding")
struct CodingEncodeTests {
    typealias By = CodingContainerTests.By

    struct Claims: Encodable {
        var iss = "me"
        var n: Int? = 1
        var missing: String?
        var list = ["a", "b"]
    }

    @Test("Members are written in encoding order, without spaces")
    func text() throws {
        #expect(try encode(Claims()) == #"{"iss":"me","n":1,"list":["a","b"]}"#)
        #expect(try encode("a\u{1f}/é") == "\"a\\u001f/é\"")
        #expect(try encode([Int?.none, 1]) == "[null,1]")
        #expect(try encode(Int64.min) == "-9223372036854775808")
        #expect(try encode([String: Int]()) == "{}")
        #expect(try encode(By { _ in }) == "{}")
        #expect(try encode([By { _ in }]) == "[{}]")
        #expect(try encode([1e21, 0.1, -2.5, 1e-7]) == "[1e+21,0.1,-2.5,1e-07]")
    }

    @Test("RFC 7519 3: claims must be an object")
    func objectOnly() throws {
        let none: (inout MemberWriter) throws(JOSEError) -> Void = { _ in }
        #expect(throws: JOSEError.self) { try ClaimsEncoder.encodeObject([1], appending: none) }
        #expect(throws: JOSEError.self) { try ClaimsEncoder.encodeObject("a", appending: none) }
        #expect(throws: JOSEError.self) {
            try ClaimsEncoder.encodeObject(Int?.none, appending: none)
        }
        #expect(
            try ClaimsEncoder.encodeObject([String: Int](), appending: none) == Array("{}".utf8))
    }

    @Test("Non-finite numbers are rejected, and the error names the member")
    func notFinite() {
        struct Value<T: Encodable>: Encodable { var rate: T }
        for value in [Double.nan, .infinity, -.infinity] {
            expectUnwritable(Value(rate: value), "rate")
            expectUnwritable(Value(rate: [value]), "rate")
            expectUnwritable(Value(rate: ["x": value]), "rate")
            expectUnwritable(Value(rate: Float(value)), "rate")
            expectUnwritable(Value(rate: JSONValue.double(value)), "rate")
            expectUnwritable(value)
        }
        expectUnwritable(Value(rate: JSONValue.number("01")), "rate")
        expectUnwritable(Value(rate: JSONValue.array([.number("NaN")])), "rate")
        // A type that ignores the error does not produce incomplete JSON.
        expectUnwritable(
            By { encoder in
                var root = encoder.container(keyedBy: PlainKey.self)
                try? root.encode([Double.nan], forKey: PlainKey("bad"))
                try root.encode(1, forKey: PlainKey("good"))
            }, "bad")
    }

    @Test("An error that a type throws while encoding is a programming error")
    func ownError() {
        struct Own: Error {}
        struct Value: Encodable { var inner: By }
        expectUnwritable(Value(inner: By { _ in throw Own() }), "inner")
    }

    @Test("A duplicate name is rejected, wherever it comes from")
    func duplicates() throws {
        let twice = By { encoder in
            var root = encoder.container(keyedBy: PlainKey.self)
            try root.encode(1, forKey: PlainKey("name"))
            try root.encode(2, forKey: PlainKey("other"))
            try root.encode(3, forKey: PlainKey("name"))
        }
        expectUnwritable(twice)
        expectUnwritable([twice])
        expectUnwritable(
            By { encoder in
                var root = encoder.container(keyedBy: PlainKey.self)
                var inner = root.nestedContainer(keyedBy: PlainKey.self, forKey: PlainKey("inner"))
                try root.encode(1, forKey: PlainKey("a"))
                try inner.encode(1, forKey: PlainKey("x"))
                try inner.encode(1, forKey: PlainKey("x"))
            })
        // Different names that share length, first, middle and last letter.
        let alike = ["abcde", "axcxe", "a\u{1}cze", "a", "b", ""]
        let object = Dictionary(uniqueKeysWithValues: alike.map { ($0, 1) })
        #expect(try decode([String: Int].self, encode(object)) == object)
        // More names than the encoder compares one by one.
        let many = Dictionary(uniqueKeysWithValues: (0..<500).map { ("name\($0)", $0) })
        #expect(try decode([String: Int].self, encode(many)) == many)
        #expect(try decode([[String: Int]].self, encode([many, many])) == [many, many])
    }

    @Test("The issuer's members follow the type's members, once each")
    func appending() throws {
        let json = try ClaimsEncoder.encodeObject(Claims()) { members throws(JOSEError) in
            members.integer("iat", 1_516_239_022)
            members.string("jti", "\"j\"")
            members.strings("aud", ["a", "b"])
            members.bool("ok", true)
            members.value("x", ["y": [nil, 1.5]])
            members.date("exp", try NumericDate(seconds: 1_516_239_622))
        }
        #expect(
            String(decoding: json, as: UTF8.self)
                == #"{"iss":"me","n":1,"list":["a","b"],"iat":1516239022,"jti":"\"j\"","aud":["a","#
                + #""b"],"ok":true,"x":{"y":[null,1.5]},"exp":1516239622}"#
        )
        for name in ["iss", "n", "list"] {
            let error = #expect(throws: JOSEError.self) {
                try ClaimsEncoder.encodeObject(Claims()) { $0.string(name, "x") }
            }
            #expect(error?.code == .misuse)
        }
        let twice = #expect(throws: JOSEError.self) {
            try ClaimsEncoder.object {
                $0.string("a", "x")
                $0.integer("a", 1)
            }
        }
        #expect(twice?.code == .misuse)
        #expect(throws: JOSEError.self) {
            try ClaimsEncoder.object { $0.value("a", .number("1e")) }
        }
        #expect(try ClaimsEncoder.object { $0.string("a", "x") } == Array(#"{"a":"x"}"#.utf8))
        #expect(try ClaimsEncoder.object { _ in } == Array("{}".utf8))
    }

    @Test("Encoded output is always strict JSON")
    func strict() throws {
        var generator = SeededGenerator(seed: 7)
        for _ in 0..<300 {
            let value = randomValue(&generator, depth: 5)
            let bytes = try ClaimsEncoder.encode(value)
            let document = try JSONDocument(bytes, maxDepth: 32)
            #expect(try ClaimsDecoder.decode(JSONValue.self, from: document) == value)
        }
    }

    @Test("RFC 8259 7: every character at every position is escaped or kept correctly")
    func everyPlace() throws {
        let scalars =
            (0..<0x80).compactMap(Unicode.Scalar.init) + [
                "\u{80}", "é", "\u{2028}", "\u{ffff}", "\u{10ffff}",
            ]
        for length in 1...33 {
            for position in 0..<length {
                for scalar in scalars {
                    var text = String(repeating: "x", count: length - 1).unicodeScalars
                    text.insert(scalar, at: text.index(text.startIndex, offsetBy: position))
                    let json = try encode([String(text)])
                    let escapes = scalar.value < 0x20 || scalar == "\"" || scalar == "\\"
                    let same = json == "[\"" + String(text) + "\"]"
                    if same == escapes {
                        Issue.record("\(scalar.value) at \(position) of \(length)")
                    }
                    if escapes, try decode([String].self, json) != [String(text)] {
                        Issue.record("\(scalar.value) at \(position) of \(length): \(json)")
                    }
                }
            }
        }
    }

    @Test("Two containers of the same kind share an object, two of different kinds are rejected")
    func misused() throws {
        #expect(
            try encode(
                By {
                    var a = $0.container(keyedBy: PlainKey.self)
                    try a.encode(1, forKey: PlainKey("a"))
                    var b = $0.container(keyedBy: PlainKey.self)
                    try b.encode(2, forKey: PlainKey("b"))
                    try a.encode(3, forKey: PlainKey("c"))
                }) == #"{"a":1,"b":2,"c":3}"#)
        expectUnwritable(
            By {
                _ = $0.container(keyedBy: PlainKey.self)
                _ = $0.unkeyedContainer()
            })
        expectUnwritable(
            By {
                var value = $0.singleValueContainer()
                try value.encode(1)
                try value.encode(2)
            })
        expectUnwritable(
            By {
                _ = $0.unkeyedContainer()
                try "text".encode(to: $0)
            })
    }

    @Test("Using a container after encode(to:) returned is rejected")
    func outlived() {
        // Unchecked because it stays on this thread, and the tests' `Encodable` types are Sendable.
        final class Keeper: Encodable, @unchecked Sendable {
            var kept: KeyedEncodingContainer<PlainKey>?
            func encode(to encoder: any Encoder) throws {
                kept = encoder.container(keyedBy: PlainKey.self)
            }
        }
        expectUnwritable(
            By { encoder in
                let keeper = Keeper()
                var root = encoder.container(keyedBy: PlainKey.self)
                try root.encode(keeper, forKey: PlainKey("keeper"))
                try root.encode(["x": 1], forKey: PlainKey("next"))
                try keeper.kept?.encode(1, forKey: PlainKey("late"))
            }, "late")
    }
}

/// A JSON value that is reproducible from any seed.
func randomValue(_ generator: inout SeededGenerator, depth: Int) -> JSONValue {
    func text() -> String {
        let scalars = "aé世\u{0}\u{1f}\"\\/\n\u{10ffff}zZ09 ".unicodeScalars.map { $0 }
        var text = String.UnicodeScalarView()
        for _ in 0..<Int.random(in: 0..<20, using: &generator) {
            text.append(scalars.randomElement(using: &generator) ?? "x")
        }
        return String(text)
    }
    switch Int.random(in: 0..<(depth > 0 ? 8 : 6), using: &generator) {
    case 0: return .null
    case 1: return .bool(Bool.random(using: &generator))
    case 2: return .integer(Int64.random(in: .min ... .max, using: &generator))
    case 3: return .double(Double.random(in: -1e9...1e9, using: &generator) + 0.25)
    case 4: return .number("1\(UInt64.random(in: .min ... .max, using: &generator))e77")
    case 5: return .string(text())
    case 6:
        return .array(
            (0..<Int.random(in: 0..<6, using: &generator)).map { _ in
                randomValue(&generator, depth: depth - 1)
            })
    default:
        var object: [String: JSONValue] = [:]
        for _ in 0..<Int.random(in: 0..<6, using: &generator) {
            object[text()] = randomValue(&generator, depth: depth - 1)
        }
        return .object(object)
    }
}
