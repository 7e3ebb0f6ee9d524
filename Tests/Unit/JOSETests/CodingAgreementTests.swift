// The coder compared with Foundation's: both give the same values for every type they support.

import Foundation
import JOSE
import Testing

@Suite("Coding: agreement with Foundation")
struct CodingAgreementTests {
    struct One<T: Codable & Equatable>: Codable, Equatable { var value: T }
    struct Maybe<T: Codable & Equatable>: Codable, Equatable { var value: T? }

    private func agree<T: Codable & Equatable>(
        _ value: T, at place: SourceLocation = #_sourceLocation
    ) throws {
        try expectAgreement(One(value: value), at: place)
        try expectAgreement(Maybe(value: value), at: place)
        try expectAgreement(Maybe<T>(value: nil), at: place)
        try expectAgreement([value, value], at: place)
        try expectAgreement([[value], []], at: place)
        try expectAgreement([value, nil, value], at: place)
        try expectAgreement(["a": value, "b\"\\\u{1}é": value], at: place)
        try expectAgreement(["x": [value]], at: place)
        try expectAgreement([1: value, -2: value], at: place)
    }

    @Test func integers() throws {
        for value in [Int.min, -1, 0, 1, 1 << 53, 1 << 53 + 1, .max] { try agree(value) }
        for value in [Int8.min, -1, .max] { try agree(value) }
        for value in [Int16.min, -1, .max] { try agree(value) }
        for value in [Int32.min, -1, .max] { try agree(value) }
        for value in [Int64.min, -1, .max] { try agree(value) }
        for value in [UInt.min, .max] { try agree(value) }
        for value in [UInt8.min, .max] { try agree(value) }
        for value in [UInt16.min, .max] { try agree(value) }
        for value in [UInt32.min, .max] { try agree(value) }
        for value in [UInt64.min, 1 << 63, .max] { try agree(value) }
        for value in [Int128.min, -1, .max] { try expectOwnAgreement(value) }
        for value in [UInt128.min, 1 << 64, .max] { try expectOwnAgreement(value) }
    }

    private func expectOwnAgreement<T: Codable & Equatable>(_ value: T) throws {
        #expect(try decode(One<T>.self, encode(One(value: value))).value == value)
        #expect(try decode([T].self, encode([value])) == [value])
    }

    @Test func fractions() throws {
        for value in [
            0, -0.0, 0.1, -1.5, 1e22, .greatestFiniteMagnitude, .leastNonzeroMagnitude,
            3.141592653589793,
        ] {
            try agree(value)
        }
        for value in [
            Float(0.1), -1.5, .greatestFiniteMagnitude, .leastNonzeroMagnitude, 16_777_216,
        ] {
            try agree(value)
        }
        #expect(try encode([Float(0.1)]) == "[0.1]")
    }

    @Test func texts() throws {
        for value in [
            "", "a", "exactly15bytes.", "sixteen bytes ..",
            "\"\\/\u{8}\u{c}\n\r\t\u{0}\u{1f}\u{7f}",
            "Grüße, 世界 👩‍👩‍👧‍👦", "\u{2028}\u{2029}\u{feff}\u{10ffff}",
            String(repeating: "ä\n", count: 500),
        ] {
            try agree(value)
        }
        try agree(true)
        try agree(false)
    }

    enum Word: String, Codable { case first, second = "2nd" }
    enum Number: Int, Codable { case one = 1, two }
    enum Shape: Codable, Equatable {
        case circle(radius: Double)
        case none
        indirect case pair(Shape, Shape)
    }

    @Test func enumerations() throws {
        try agree(Word.second)
        try agree(Number.two)
        try agree(Shape.circle(radius: 1.5))
        try agree(Shape.pair(.none, .pair(.circle(radius: 2), .none)))
    }

    @Test func collections() throws {
        try agree(Set(["one"]))
        try agree([Int]())
        try agree([1, 2, 3])
        try agree(["one", "two"])
        try agree([1.5, 2])
        try agree([true, false])
        try agree(["a": ["b": ["c": [1, 2]]]])
        try agree([UInt8](0...255))
        try agree([Word.first: 1, .second: 2])
        try agree(Range(uncheckedBounds: (1, 5)))
        try agree(UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)))
    }

    indirect enum List: Codable, Equatable {
        case end
        case cons(Int, List)
    }

    final class Base: Codable, Equatable {
        var id = 1
        var next: Base?
        init(_ id: Int, _ next: Base? = nil) { (self.id, self.next) = (id, next) }
        static func == (a: Base, b: Base) -> Bool { a.id == b.id && a.next == b.next }
    }

    @Test func nesting() throws {
        try agree(TwentyClaims())
        try agree(One(value: Maybe(value: [One(value: "x")])))
        try agree(List.cons(1, .cons(2, .end)))
        try agree(Base(1, Base(2, Base(3))))
    }

    @Test("Members are read the same in any order")
    func order() throws {
        let claims = TwentyClaims()
        let members = try membersOf(claims)
        #expect(members.count == 20)
        var generator = SeededGenerator(seed: 4)
        for round in 0..<200 {
            let shuffled = round == 0 ? members.reversed() : members.shuffled(using: &generator)
            let text = "{" + shuffled.joined(separator: ",") + "}"
            #expect(try decode(TwentyClaims.self, text) == claims, "\(text)")
            // Unknown members between them are ignored.
            let more = shuffled.enumerated().map { "\($1),\"x\($0)\":[{\"iss\":[]},{}]" }
            let longer = "{" + more.joined(separator: ",") + "}"
            #expect(try decode(TwentyClaims.self, longer) == claims, "\(longer)")
        }
    }

    private func membersOf(_ claims: TwentyClaims) throws -> [String] {
        let object = try decode([String: JSONValue].self, encode(claims))
        return try object.map { try "\"\($0)\":" + encode($1) }.sorted()
    }
}
