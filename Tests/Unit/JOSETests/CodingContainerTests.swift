// Containers used directly: nested, unkeyed, super, coding paths, and out of order.

import Foundation
import JOSE
import JOSEBytes
import Testing

@Suite("Coding: containers")
struct CodingContainerTests {
    /// Encodes with a closure, so that each test shows its calls.
    struct By: Encodable {
        let body: @Sendable (any Encoder) throws -> Void
        func encode(to encoder: any Encoder) throws { try body(encoder) }
    }

    /// Expects our JSON, and that Foundation gives an equal value for the same calls.
    private func expect(
        _ json: String, at place: SourceLocation = #_sourceLocation,
        _ body: @escaping @Sendable (any Encoder) throws -> Void
    ) throws {
        #expect(try encode(By(body: body)) == json, sourceLocation: place)
        let theirs = try JSONEncoder().encode(By(body: body))
        #expect(
            try decode(JSONValue.self, String(decoding: theirs, as: UTF8.self))
                == decode(JSONValue.self, json), sourceLocation: place)
    }

    private typealias Key = PlainKey

    @Test func nested() throws {
        try expect(#"{"a":{"x":1,"l":[true,{"y":"z"},[null]]},"b":2}"#) { encoder in
            var root = encoder.container(keyedBy: Key.self)
            var a = root.nestedContainer(keyedBy: Key.self, forKey: Key("a"))
            try a.encode(1, forKey: Key("x"))
            var list = a.nestedUnkeyedContainer(forKey: Key("l"))
            try list.encode(true)
            var y = list.nestedContainer(keyedBy: Key.self)
            try y.encode("z", forKey: Key("y"))
            var inner = list.nestedUnkeyedContainer()
            try inner.encodeNil()
            #expect(list.count == 3 && inner.count == 1)
            try root.encode(2, forKey: Key("b"))
        }
    }

    @Test("A container may be used after its parent was used again")
    func late() throws {
        try expect(#"{"a":{"x":1,"y":[2,3]},"b":2,"e":[],"c":[1,{"k":"v"},2]}"#) { encoder in
            var root = encoder.container(keyedBy: Key.self)
            var a = root.nestedContainer(keyedBy: Key.self, forKey: Key("a"))
            try root.encode(2, forKey: Key("b"))
            let e = root.nestedUnkeyedContainer(forKey: Key("e"))
            var c = root.nestedUnkeyedContainer(forKey: Key("c"))
            try c.encode(1)
            try a.encode(1, forKey: Key("x"))
            var k = c.nestedContainer(keyedBy: Key.self)
            try c.encode(2)
            var y = a.nestedUnkeyedContainer(forKey: Key("y"))
            try y.encode(2)
            try k.encode("v", forKey: Key("k"))
            try y.encode(3)
            #expect(e.count == 0 && y.count == 2 && c.count == 3)
        }
    }

    @Test("Encoders may be created first and used last, in any order")
    func lateEncoders() throws {
        try expect(
            #"{"super":{"id":7},"one":"text","two":[1,2],"three":{},"four":null,"#
                + #""z":{"a":[{"b":1}]}}"#
        ) {
            var root = $0.container(keyedBy: Key.self)
            let parent = root.superEncoder()
            let one = root.superEncoder(forKey: Key("one"))
            let two = root.superEncoder(forKey: Key("two"))
            _ = root.superEncoder(forKey: Key("three"))
            let four = root.superEncoder(forKey: Key("four"))
            let z = root.superEncoder(forKey: Key("z"))
            var members = z.container(keyedBy: Key.self)
            try [1, 2].encode(to: two)
            var four0 = four.singleValueContainer()
            try four0.encodeNil()
            var list = members.nestedUnkeyedContainer(forKey: Key("a"))
            var one0 = one.singleValueContainer()
            try one0.encode("text")
            var base = parent.container(keyedBy: Key.self)
            try base.encode(7, forKey: Key("id"))
            try list.encode(["b": 1])
        }
    }

    @Test("The same calls give the same result in many random orders")
    func randomOrder() throws {
        // Three objects in a root. Each round writes members to them in another order.
        for seed in 0..<300 as Range<UInt64> {
            let body: @Sendable (any Encoder) throws -> Void = { encoder in
                var generator = SeededGenerator(seed: seed)
                var root = encoder.container(keyedBy: Key.self)
                var objects = [root.nestedContainer(keyedBy: Key.self, forKey: Key("o0"))]
                var arrays: [any UnkeyedEncodingContainer] = []
                for step in 0..<30 {
                    let index = Int.random(in: 0..<objects.count, using: &generator)
                    let key = Key("m\(step)")
                    switch Int.random(in: 0..<8, using: &generator) {
                    case 0: try root.encode(step, forKey: key)
                    case 1: try objects[index].encode("s\(step)", forKey: key)
                    case 2: try objects[index].encode(["n": [step]], forKey: key)
                    case 3:
                        objects.append(
                            objects[index].nestedContainer(keyedBy: Key.self, forKey: key))
                    case 4: arrays.append(objects[index].nestedUnkeyedContainer(forKey: key))
                    case 5 where !arrays.isEmpty:
                        try arrays[Int.random(in: 0..<arrays.count, using: &generator)].encode(step)
                    case 6 where !arrays.isEmpty:
                        let array = Int.random(in: 0..<arrays.count, using: &generator)
                        objects.append(arrays[array].nestedContainer(keyedBy: Key.self))
                    default:
                        let other = objects[index].superEncoder(forKey: key)
                        if step % 3 == 0 { try TwentyClaims.Address().encode(to: other) }
                    }
                }
            }
            let ours = try encode(By(body: body))
            let theirs = String(decoding: try JSONEncoder().encode(By(body: body)), as: UTF8.self)
            let equal = try decode(JSONValue.self, ours) == decode(JSONValue.self, theirs)
            #expect(equal, "seed \(seed): \(ours) and \(theirs)")
        }
    }

    class Animal: Codable {
        var name = "n"
        init() {}
    }

    final class Dog: Animal {
        enum Key: String, CodingKey { case breed, parent }
        var breed = "b"
        var flat = false

        init(flat: Bool) {
            self.flat = flat
            super.init()
        }

        required init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Key.self)
            breed = try container.decode(String.self, forKey: .breed)
            flat = !container.contains(.parent)
            try super.init(from: flat ? decoder : container.superDecoder(forKey: .parent))
        }

        override func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(breed, forKey: .breed)
            try super.encode(to: flat ? encoder : container.superEncoder(forKey: .parent))
        }
    }

    @Test func superclasses() throws {
        #expect(try encode(Dog(flat: false)) == #"{"breed":"b","parent":{"name":"n"}}"#)
        #expect(try encode(Dog(flat: true)) == #"{"breed":"b","name":"n"}"#)
        #expect(try encode([Dog(flat: true)]) == #"[{"breed":"b","name":"n"}]"#)
        for flat in [true, false] {
            let dog = try decode(Dog.self, encode(Dog(flat: flat)))
            #expect(dog.flat == flat && dog.name == "n" && dog.breed == "b")
        }
    }

    struct Walker: Decodable {
        init(from decoder: any Decoder) throws {
            let root = try decoder.container(keyedBy: Key.self)
            #expect(root.allKeys.map(\.stringValue) == ["a", "l", "super", "n"])
            #expect(try root.decodeNil(forKey: Key("n")) && !root.decodeNil(forKey: Key("a")))
            #expect(try root.decodeIfPresent(Int.self, forKey: Key("n")) == nil)
            #expect(throws: DecodingError.self) {
                try root.decode(Int?.self, forKey: Key("missing"))
            }
            let a = try root.nestedContainer(keyedBy: Key.self, forKey: Key("a"))
            #expect(a.codingPath.map(\.stringValue) == ["a"])
            #expect(try a.decode(Int.self, forKey: Key("x")) == 1)
            var list = try root.nestedUnkeyedContainer(forKey: Key("l"))
            #expect(list.count == 6)
            #expect(try list.decode(Bool.self))
            #expect(try !list.decodeNil())
            #expect(throws: DecodingError.self) { try list.decode(String.self) }
            #expect(list.currentIndex == 1)
            let y = try list.nestedContainer(keyedBy: Key.self)
            #expect(y.codingPath.map(\.stringValue) == ["l", "Index 1"])
            #expect(try y.decode(String.self, forKey: Key("y")) == "z")
            var inner = try list.nestedUnkeyedContainer()
            #expect(try inner.decodeNil() && inner.isAtEnd)
            #expect(throws: DecodingError.self) { try inner.decodeNil() }
            #expect(try list.decodeNil())
            #expect(try list.decodeIfPresent(Int.self) == nil)
            let last = try list.superDecoder()
            #expect(last.codingPath.map(\.intValue) == [nil, 5])
            #expect(try last.singleValueContainer().decode(Double.self) == 2.5)
            #expect(list.isAtEnd)
            let parent = try root.superDecoder()
            #expect(try [String: Int](from: parent) == ["k": 1])
            // Requests a container again after using others.
            #expect(try a.decode(Int.self, forKey: Key("w")) == 2)
            #expect(try a.decode(Int.self, forKey: Key("x")) == 1)
        }
    }

    @Test func reading() throws {
        let text =
            #"{"a":{"x":1,"v":{"x":5},"w":2},"l":[true,{"y":"z"},[null],null,null,2.5],"#
            + #""super":{"k":1},"n":null}"#
        _ = try decode(Walker.self, text)
    }

    @Test("Encoders report their coding path")
    func paths() throws {
        let body: @Sendable (any Encoder) throws -> Void = { encoder in
            #expect(encoder.codingPath.isEmpty)
            var root = encoder.container(keyedBy: Key.self)
            try root.encode(0, forKey: Key("first"))
            var list = root.nestedUnkeyedContainer(forKey: Key("li\"st"))
            try list.encode(0)
            let path = list.superEncoder().codingPath
            #expect(path.map(\.stringValue) == ["li\"st", "Index 1"])
            try list.encode(
                By { #expect($0.codingPath.map(\.stringValue) == ["li\"st", "Index 2"]) })
            try root.encode(
                By { #expect($0.codingPath.map(\.stringValue) == ["é"]) }, forKey: Key("é"))
        }
        _ = try encode(By(body: body))
    }
}
