// Our reader compared with Foundation's on generated texts, and with itself through the writer.

import Foundation
import Testing

@testable import JOSEBytes

/// A JSON value for tests.
indirect enum Value: Equatable {
    case null, bool(Bool), integer(Int64), double(Double), string(String)
    case array([Value])
    case object([String], [Value])

    static func random(_ generator: inout Generator, depth: Int) -> Value {
        switch Int.random(in: 0..<(depth > 0 ? 9 : 6), using: &generator) {
        case 0: return .null
        case 1: return .bool(Bool.random(using: &generator))
        case 2:
            // Within 53 bits: Foundation does not keep more.
            return .integer(
                Int64(bitPattern: generator.next()) >> Int64.random(in: 11..<64, using: &generator))
        case 3:
            // Never whole, so that it is read back as a fraction.
            return .double(Double(Int.random(in: -1_000_000...1_000_000, using: &generator)) + 0.5)
        case 4, 5: return .string(randomString(&generator))
        case 6:
            return .array(
                (0..<Int.random(in: 0..<6, using: &generator)).map { _ in
                    random(&generator, depth: depth - 1)
                })
        default:
            let count = Int.random(in: 0..<(depth == 3 ? 50 : 6), using: &generator)
            let names = Set((0..<count).map { _ in randomString(&generator) }).sorted()
            return .object(names, names.map { _ in random(&generator, depth: depth - 1) })
        }
    }

    static func randomString(_ generator: inout Generator) -> String {
        let alphabet = Array("abcdefghij\"\\/\n\u{1}é€😀 \u{7f}".unicodeScalars)
        let count = Int.random(in: 0..<24, using: &generator)
        return String(
            String.UnicodeScalarView(
                (0..<count).compactMap { _ in alphabet.randomElement(using: &generator) }))
    }

    func write(_ json: inout JSONWriter) {
        switch self {
        case .null: json.null()
        case .bool(let value): json.bool(value)
        case .integer(let value): json.integer(value)
        case .double(let value): try? json.double(value)
        case .string(let value): json.string(value)
        case .array(let values):
            json.beginArray()
            for value in values { value.write(&json) }
            json.endArray()
        case .object(let names, let values):
            json.beginObject()
            for (name, value) in zip(names, values) {
                json.name(name)
                value.write(&json)
            }
            json.endObject()
        }
    }

    init(_ document: JSONDocument, at index: Int) {
        switch document.kind(at: index) {
        case .null: self = .null
        case .true: self = .bool(true)
        case .false: self = .bool(false)
        case .string: self = .string(document.string(at: index) ?? "?")
        case .number:
            let double = JSON.double(document.nodes[index], in: document.bytes.span) ?? .nan
            self = document.integer(at: index).map(Value.integer) ?? .double(double)
        case .array:
            var values: [Value] = []
            document.forEachElement(of: index) { values.append(Value(document, at: $0)) }
            self = .array(values)
        case .object:
            var members: [(String, Value)] = []
            document.forEachMember(of: index) { name, value in
                members.append((document.string(at: name) ?? "?", Value(document, at: value)))
            }
            self = .object(members.map(\.0), members.map(\.1))
        }
    }

    /// The same value as Foundation represents it.
    var foundation: NSObject {
        switch self {
        case .null: NSNull()
        case .bool(let value): NSNumber(value: value)
        case .integer(let value): NSNumber(value: value)
        case .double(let value): NSNumber(value: value)
        case .string(let value): NSString(string: value)
        case .array(let values): NSArray(array: values.map(\.foundation))
        case .object(let names, let values):
            NSDictionary(
                objects: values.map(\.foundation), forKeys: names.map { NSString(string: $0) })
        }
    }
}

@Suite struct JSONDifferentialTests {
    func foundation(_ text: [UInt8]) -> NSObject? {
        (try? JSONSerialization.jsonObject(with: Data(text), options: .fragmentsAllowed))
            as? NSObject
    }

    @Test("Generated texts: both readers accept them and agree on every value")
    func generated() throws {
        var generator = Generator(seed: 13)
        for _ in 0..<1500 {
            let value = Value.random(&generator, depth: 3)
            var writer = JSONWriter()
            value.write(&writer)
            let document = try JSONDocument(writer.bytes, maxDepth: 5)
            #expect(Value(document, at: 0) == value)
            #expect(foundation(writer.bytes) == value.foundation)
        }
    }

    @Test("Foundation's own output, pretty-printed or not, reads as the same value")
    func foundationOutput() throws {
        var generator = Generator(seed: 14)
        for round in 0..<500 {
            let value = Value.random(&generator, depth: 3)
            let options: JSONSerialization.WritingOptions =
                round % 2 == 0
                ? [.fragmentsAllowed, .sortedKeys] : [.fragmentsAllowed, .prettyPrinted]
            let data = try JSONSerialization.data(
                withJSONObject: value.foundation, options: options)
            let document = try JSONDocument(Array(data), maxDepth: 5)
            #expect(Value(document, at: 0).foundation == value.foundation)
        }
    }

    @Test("Corrupted texts: what our reader accepts, Foundation accepts")
    func damaged() {
        var generator = Generator(seed: 15)
        var accepted = 0
        for _ in 0..<2000 {
            var writer = JSONWriter()
            Value.random(&generator, depth: 3).write(&writer)
            let text = writer.bytes
            for _ in 0..<5 {
                var damaged = text
                let position = Int.random(in: damaged.indices, using: &generator)
                switch generator.next() % 3 {
                case 0: damaged[position] = UInt8(truncatingIfNeeded: generator.next())
                case 1: damaged.remove(at: position)
                default:
                    damaged.insert(
                        Array("{}[],:\"\\0123e-.tfn \u{1}".utf8).randomElement(using: &generator)
                            ?? 0, at: position)
                }
                guard failure(damaged) == nil else { continue }
                accepted += 1
                // A number beyond the range of Double matches the grammar, but Foundation rejects
                // it.
                if foundation(damaged) == nil, !damaged.contains(where: { $0 | 0x20 == 0x65 }) {
                    Issue.record("\(String(decoding: damaged, as: UTF8.self))")
                }
            }
        }
        #expect(accepted > 500)
    }
}
