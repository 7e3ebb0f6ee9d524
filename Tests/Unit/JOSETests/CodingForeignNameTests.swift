// Claims whose names or strings are equal or slow in Swift's hash tables, and types that try to
// decode a value several times.

import JOSE
import JOSEBytes
import Testing

@Suite("Coding: canonically equivalent names and runs of combining marks")
struct CodingForeignNameTests {
    private enum Flag: String, Decodable, Hashable { case on, off, é }
    private struct Scope: RawRepresentable, Decodable, Hashable, CodingKeyRepresentable {
        let rawValue: String
        init(rawValue: String) { self.rawValue = rawValue }
        var codingKey: any CodingKey { PlainKey(rawValue) }
        init?(codingKey: some CodingKey) { self.init(rawValue: codingKey.stringValue) }
    }
    private struct Account: Decodable {
        var iss: String
        var roles: [String: Int]?
        var nested: [String: [String: JSONValue]]?
        var list: [[String: Bool]]?
        var scopes: Set<String>?
        var sets: [Set<String>]?
        var byScope: [Scope: Int]?
        var scopeSet: Set<Scope>?
        var flag: Flag?
        var flags: [Flag]?
        var name: String?
        var names: [String]?
        var any: JSONValue?
        var object: JSONObject?
    }
    /// Reads its names itself and ignores every error.
    private struct Lenient: Decodable {
        var count = 0
        init(from decoder: any Decoder) throws {
            count = (try? decoder.singleValueContainer().decode([String: Int].self))?.count ?? -1
            if let container = try? decoder.container(keyedBy: PlainKey.self) {
                count += container.allKeys.count
            }
        }
    }

    /// Two strings, as JSON, that differ in bytes and are equal in Swift.
    private static let equivalent = [
        (#""K""#, "\"\u{212a}\""), (#""K""#, #""\u212a""#), ("\"\u{e9}\"", "\"e\u{301}\""),
        (#""\u00e9""#, #""e\u0301""#), ("\"\u{37e}\"", "\";\""), ("\"\u{1fef}\"", "\"`\""),
        ("\"\u{ac00}\"", "\"\u{1100}\u{1161}\""), ("\"\u{2126}\"", "\"\u{3a9}\""),
        ("\"a\u{301}\u{327}\"", "\"a\u{327}\u{301}\""), ("\"\u{c5}\"", "\"\u{212b}\""),
        ("\"\u{344}\"", "\"\u{308}\u{301}\""), ("\"x\u{2000}\"", "\"x\u{2002}\""),
    ]

    private func marks(_ count: Int) -> String {
        "a" + (0..<count).map { $0.isMultiple(of: 2) ? "\u{301}" : "\u{327}" }.joined()
    }

    @Test("names that are one dictionary key are rejected, in any position and order")
    func equivalentNames() throws {
        for pair in Self.equivalent {
            for (first, second) in [(pair.0, pair.1), (pair.1, pair.0)] {
                let members = "\(first):1,\"x\":2,\(second):3"
                expectRejection([String: Int].self, "{\(members)}", nil)
                expectRejection([String: JSONValue].self, "{\(members)}", nil)
                expectRejection(
                    Account.self, "{\"iss\":\"i\",\"roles\":{\(members)},\"any\":1}", "roles")
                expectRejection(
                    Account.self, "{\"iss\":\"i\",\"nested\":{\"a\":{},\"b\":{\(members)}}}",
                    "nested.b")
                expectRejection(
                    Account.self,
                    "{\"iss\":\"i\",\"list\":[{},{\(first):true,\(second):true}]}", "list[1]")
                expectRejection(
                    Account.self, "{\"iss\":\"i\",\"byScope\":{\(members)}}", "byScope")
                // A type that ignores the error is rejected nevertheless.
                expectRejection(Lenient.self, "{\(members)}", nil)
                expectRejection([Lenient].self, "[{},{\(members)}]", "[1]")
                // Where names are compared by bytes, both remain.
                let object = try decode(JSONObject.self, "{\(members)}")
                #expect(object.count == 3)
                #expect(
                    try decode(Account.self, "{\"iss\":\"i\",\"object\":{\(members)}}").object?
                        .count
                        == 3)
            }
        }
    }

    @Test("strings that are one set element are rejected, identical bytes are not")
    func equivalentTexts() throws {
        for (first, second) in Self.equivalent {
            expectRejection(Set<String>.self, "[\(first),\"x\",\(second)]", nil)
            expectRejection(
                Account.self, "{\"iss\":\"i\",\"scopes\":[\(second),\(first)]}", "scopes")
            expectRejection(
                Account.self, "{\"iss\":\"i\",\"sets\":[[],[\(second),\(first)]]}", "sets[1]")
            expectRejection([String: Set<String>].self, "{\"k\":[\(first),\(second)]}", "k")
            #expect(try decode([String].self, "[\(first),\(second)]").count == 2)
            #expect(try decode(Set<String>.self, "[\(first),\(first),\"x\"]").count == 2)
        }
        #expect(try decode(Set<String>.self, #"["a","b","a","\u0061"]"#) == ["a", "b"])
        #expect(try decode(Set<String>.self, "[]") == [])
        expectRejection(Set<String>.self, "[\"a\",1]", "[1]")
        expectRejection(Set<String>.self, "[null]", "[0]")
        expectRejection(Set<String>.self, "{}", nil)
        expectRejection(Account.self, "{\"iss\":\"i\",\"scopes\":\"a\"}", "scopes")
    }

    @Test("untrusted names that are different dictionary keys are read")
    func different() throws {
        let text = "{\"\u{e9}\":1,\"e\":2,\"\u{e8}\":3,\"\\u006b\":4,\"\u{130}\":5,\"i\":6}"
        #expect(try decode([String: Int].self, text).count == 6)
        #expect(try decode([String: Int].self, "{}").isEmpty)
        #expect(try decode([String: Int].self, "{\"\":1,\"\\u0000\":2}").count == 2)
        #expect(try decode(Set<String>.self, "[\"\u{e9}\",\"e\",\"\u{fb01}\",\"fi\"]").count == 4)
        #expect(try decode([String: Int].self, "{\"\(marks(30))\":1,\"\u{e9}\":2}").count == 2)
        #expect(try decode(Account.self, "{\"iss\":\"i\",\"flag\":\"\u{e9}\"}").flag == .é)
    }

    @Test("UAX 15, 13: 31 combining marks in a row are rejected in names and strings")
    func marksInRow() throws {
        let long = "\"\(marks(31))\""
        let escaped =
            "\"a" + String(repeating: "\\u0301", count: 15)
            + String(repeating: "\\u0327", count: 16) + "\""
        for text in [long, escaped] {
            expectRejection([String: Int].self, "{\(text):1}", nil)
            expectRejection(Account.self, "{\"iss\":\"i\",\"roles\":{\"a\":1,\(text):1}}", "roles")
            expectRejection(Account.self, "{\"iss\":\"i\",\"byScope\":{\(text):1}}", "byScope")
            expectRejection(Account.self, "{\"iss\":\"i\",\"scopes\":[\"a\",\(text)]}", "scopes[1]")
            expectRejection(Account.self, "{\"iss\":\"i\",\"scopeSet\":[\(text)]}", "scopeSet[0]")
            expectRejection(Account.self, "{\"iss\":\"i\",\"flag\":\(text)}", "flag")
            expectRejection(Account.self, "{\"iss\":\"i\",\"flags\":[\"on\",\(text)]}", "flags[1]")
            expectRejection(Lenient.self, "{\(text):1}", nil)
            // Nothing compares these.
            let plain = "{\"iss\":\(text),\"name\":\(text),\"names\":[\(text)],\"any\":{\(text):1}}"
            #expect(try decode(Account.self, plain).names?.count == 1)
            #expect(try decode(JSONObject.self, "{\(text):1}").count == 1)
        }
    }

    @Test("the error names the member and the fix, but no claim name")
    func errors() throws {
        let cases = [
            ("{\"roles\":{\"K\":1,\"\u{212a}\":2}}", "canonically equivalent"),
            ("{\"roles\":{\"\(marks(31))\":1}}", "30 combining marks"),
        ]
        for (text, reason) in cases {
            do {
                _ = try decode([String: [String: Int]].self, text)
                Issue.record("read: \(text)")
            } catch {
                #expect(error.message.utf8.starts(with: "claim roles: ".utf8), "\(error)")
                #expect(error.message.contains(reason), "\(error)")
                #expect(!error.message.unicodeScalars.contains("\u{212a}"))
            }
        }
    }

    @Test("240 KB of names or strings with combining marks take linear time in every type")
    func marksAreLinear() {
        let mark = marks(110_000)
        let many = (0..<7_000).map { "\"\(marks(14))\($0)\":1" }.joined(separator: ",")
        let start = processorSeconds()
        expectRejection([String: JSONValue].self, "{\"\(mark)\":1}", nil)
        expectRejection([String: JSONValue].self, "{\"\(mark)\":1,\"\(mark)b\":1}", nil)
        expectRejection(Set<String>.self, "[\"\(mark)\"]", "[0]")
        expectRejection(Set<Scope>.self, "[\"\(mark)\"]", "[0]")
        expectRejection([Scope: Int].self, "{\"\(mark)\":1}", nil)
        expectRejection([Flag].self, "[\"\(mark)\"]", "[0]")
        expectRejection([Flag: Int].self, "[\"\(mark)\",1]", "[0]")
        expectRejection(Lenient.self, "{\"\(mark)\":1}", nil)
        #expect((try? decode([String: Int].self, "{\(many)}"))?.count == 7_000)
        // One of them took 17 s before the fix.
        #expect(processorSeconds() - start < 5)
    }
}

@Suite("Coding: types that try to decode a value several times")
struct CodingRetryTests {
    /// Any value, found by trying one type after the other.
    private enum Loose: Decodable {
        case bool, integer, double, text(String), list([Loose]), map([String: Loose]), other

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if (try? container.decode(Bool.self)) != nil {
                self = .bool
            } else if (try? container.decode(Int.self)) != nil {
                self = .integer
            } else if (try? container.decode(Double.self)) != nil {
                self = .double
            } else if let text = try? container.decode(String.self) {
                self = .text(text)
            } else if let list = try? container.decode([Loose].self) {
                self = .list(list)
            } else if let map = try? container.decode([String: Loose].self) {
                self = .map(map)
            } else {
                self = .other
            }
        }
    }

    /// The elements that are integers, without the others.
    private struct Lossy: Decodable {
        private struct Skipped: Decodable {}
        private struct Odd: Decodable {
            init(from decoder: any Decoder) throws {
                // Its own error has the path, too.
                throw DecodingError.dataCorrupted(
                    .init(codingPath: decoder.codingPath, debugDescription: ""))
            }
        }
        var count = 0

        init(from decoder: any Decoder) throws {
            var container = try decoder.unkeyedContainer()
            while !container.isAtEnd {
                if (try? container.decode(Int.self)) != nil {
                    count += 1
                } else if (try? container.decode(Odd.self)) == nil {
                    _ = try container.decode(Skipped.self)
                }
            }
        }
    }

    @Test("20,000 values that are tried as several types take linear time")
    func linear() throws {
        let texts = Array(repeating: "\"12345\"", count: 20_000).joined(separator: ",")
        let nulls = Array(repeating: "null    ", count: 20_000).joined(separator: ",")
        let lists = Array(repeating: "[\"1234567890\"]", count: 10_000).joined(separator: ",")
        let objects = Array(repeating: "{}      ", count: 20_000).joined(separator: ",")
        let members = (0..<10_000).map { "\"name\($0)\":\"12345678\"" }.joined(separator: ",")
        let start = processorSeconds()
        #expect(try decode([Loose].self, "[\(texts)]").count == 20_000)
        #expect(try decode([Loose].self, "[\(nulls)]").count == 20_000)
        #expect(try decode([Loose].self, "[\(lists)]").count == 10_000)
        #expect(try decode([String: Loose].self, "{\(members)}").count == 10_000)
        #expect(try decode(Lossy.self, "[1,\(objects),2]").count == 2)
        // After a long name, which no error may copy.
        let name = String(repeating: "n", count: 100_000)
        #expect(try decode([String: [Loose]].self, "{\"\(name)\":[\(texts)]}").count == 1)
        // The first of them took 1 s in a release build and 20 s without optimization before the
        // fix.
        #expect(processorSeconds() - start < 5)
    }

    @Test("every container and error has its coding path, and its printed form is bounded")
    func paths() throws {
        struct Place: Decodable {
            let path: String
            init(from decoder: any Decoder) throws {
                path = decoder.codingPath.map {
                    $0.intValue.map { "[\($0)]" } ?? ".\($0.stringValue)"
                }.joined()
            }
        }
        struct Keeper: Decodable {
            let places: [Place]
            let error: String
            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: PlainKey.self)
                places = try container.decode([Place].self, forKey: PlainKey("places"))
                do {
                    _ = try container.decode([Int].self, forKey: PlainKey("wrong"))
                    error = ""
                } catch {
                    var shown = "\(error)"
                    dump(error, to: &shown)
                    self.error = shown
                }
            }
        }
        let text = #"{"a":[[{}],{"b":{"c":[1,{"places":[{},2,[]],"wrong":[1,"secret"]}]}},3]}"#
        struct Outer: Decodable { var a: Level }
        struct Level: Decodable {
            let keeper: Keeper
            init(from decoder: any Decoder) throws {
                var list = try decoder.unkeyedContainer()
                let first = try list.decode([Place].self)
                #expect(first.map(\.path) == [".a[0][0]"])
                let b = try list.nestedContainer(keyedBy: PlainKey.self)
                let c = try b.nestedContainer(keyedBy: PlainKey.self, forKey: PlainKey("b"))
                var inner = try c.nestedUnkeyedContainer(forKey: PlainKey("c"))
                #expect(inner.codingPath.map(\.stringValue) == ["a", "Index 1", "b", "c"])
                _ = try inner.decode(Int.self)
                keeper = try inner.decode(Keeper.self)
                #expect(throws: DecodingError.self) { try inner.decode(Int.self) }
                #expect(try list.decode(Place.self).path == ".a[2]")
            }
        }
        let keeper = try decode(Outer.self, text).a.keeper
        #expect(
            keeper.places.map(\.path) == [
                ".a[1].b.c[1].places[0]", ".a[1].b.c[1].places[1]", ".a[1].b.c[1].places[2]",
            ])
        #expect(keeper.error.contains("wrong") && !keeper.error.contains("secret"))
        expectRejection(Outer.self, #"{"a":[[{}],{"b":{"c":[1,[]]}}]}"#, "a[1].b.c[1]")
    }
}
