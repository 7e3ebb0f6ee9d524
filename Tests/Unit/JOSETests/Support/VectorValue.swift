// JSON of the vector files, read with Foundation, so that our own reader does not check itself.

import Foundation
import Testing

indirect enum VectorValue: Sendable, Equatable, Codable {
    case null
    case bool(Bool)
    case number(Double)
    case string(String)
    case array([VectorValue])
    case object([String: VectorValue])

    init(from decoder: any Decoder) throws {
        let box = try decoder.singleValueContainer()
        if let value = try? box.decode(String.self) {
            self = .string(value)
        } else if let value = try? box.decode([String: VectorValue].self) {
            self = .object(value)
        } else if let value = try? box.decode([VectorValue].self) {
            self = .array(value)
        } else if let value = try? box.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? box.decode(Double.self) {
            self = .number(value)
        } else {
            self = .null
        }
    }

    func encode(to encoder: any Encoder) throws {
        var box = encoder.singleValueContainer()
        switch self {
        case .null: try box.encodeNil()
        case .bool(let value): try box.encode(value)
        case .number(let value):
            if let whole = Int64(exactly: value) {
                try box.encode(whole)
            } else {
                try box.encode(value)
            }
        case .string(let value): try box.encode(value)
        case .array(let value): try box.encode(value)
        case .object(let value): try box.encode(value)
        }
    }

    init(json: String) throws {
        self = try JSONDecoder().decode(VectorValue.self, from: Data(json.utf8))
    }

    /// A JSON object with edited members.
    static func edited(
        _ json: String, _ edit: (inout [String: VectorValue]) throws -> Void
    ) throws -> String {
        var members = try need(VectorValue(json: json).object)
        try edit(&members)
        return VectorValue.object(members).json
    }
}

extension VectorValue {
    subscript(name: String) -> VectorValue? {
        guard case .object(let members) = self, let value = members[name], value != .null else {
            return nil
        }
        return value
    }

    /// A JWK without the member that only private algorithm key pairs have.
    var publicPart: VectorValue {
        guard case .object(var members) = self else { return self }
        members["priv"] = nil
        return .object(members)
    }

    var string: String? { if case .string(let value) = self { value } else { nil } }
    var int: Int? { if case .number(let value) = self { Int(exactly: value) } else { nil } }
    var isTrue: Bool { self == .bool(true) }
    var array: [VectorValue]? { if case .array(let value) = self { value } else { nil } }
    var object: [String: VectorValue]? { if case .object(let value) = self { value } else { nil } }

    /// The value as JSON, with the members sorted by name.
    var json: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(self) else { return "" }
        return String(decoding: data, as: UTF8.self)
    }
}
