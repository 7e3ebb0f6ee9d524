// Decodes and encodes JSONValue. Only this library's coder keeps every digit.

package import JOSEBytes

extension JSONDocument {
    package func json(named name: String) -> JSONValue? {
        member(named: name).map(json(at:))
    }

    package func json(at node: Int) -> JSONValue { ClaimsSource(self, root: node).json(at: node) }
}

extension ClaimsSource {
    /// Returns the value at `node`. The document's depth limit bounds the recursion.
    func json(at node: Int) -> JSONValue {
        switch document.nodes[node].kind {
        case .null: return .null
        case .true: return .bool(true)
        case .false: return .bool(false)
        case .string: return .string(string(node))
        case .number:
            let text = numberText(node)
            return JSONValue(number: text) ?? .number(text)
        case .array:
            var elements: [JSONValue] = []
            elements.reserveCapacity(document.nodes[node].count)
            document.forEachElement(of: node) { elements.append(json(at: $0)) }
            return .array(elements)
        case .object:
            var members = JSONObject()
            members.reserveCapacity(document.nodes[node].count)
            forEachMember(of: node) { members[string($0)] = json(at: $1) }
            return .object(members)
        }
    }
}

extension JSONWriter {
    /// Writes `value`. Members are sorted by name, since a `JSONObject` has no order.
    package mutating func value(_ value: JSONValue) throws {
        switch value {
        case .null: null()
        case .bool(let value): bool(value)
        case .string(let value): string(value)
        case .integer(let value): integer(value)
        case .double, .number:
            guard let text = value.numberText else { throw UnwritableValue() }
            raw(text.utf8.span)
        case .array(let elements):
            beginArray()
            for element in elements { try self.value(element) }
            endArray()
        case .object(let members):
            beginObject()
            for (name, member) in members {
                self.name(name)
                try self.value(member)
            }
            endObject()
        }
    }
}

extension JSONValue: Codable {
    /// Decodes any value. Other decoders round all numbers except 64-bit integers to `Double`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if decoder is ValueDecoder {
            // Another type's `init(from:)` calls this initialiser. The container reads all digits.
            self = try container.decode(JSONValue.self)
        } else if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Int64.self) {
            self = .integer(value)
        } else if let value = try? container.decode(UInt64.self) {
            self = .number(String(value))
        } else if let value = try? container.decode(Double.self) {
            self = .double(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([JSONValue].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: JSONValue].self))
        }
    }

    /// Encodes the value. This library's encoder keeps all digits. For others a number with a
    /// fraction or exponent is rounded to `Double`.
    ///
    /// - Throws: An error of the encoder. With other encoders also for an integer that fits neither
    ///   `Int64` nor `UInt64`, a number beyond `Double`, or names that `JSONObject` cannot encode.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        if encoder is ValueEncoder { return try container.encode(self) }
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .integer(let value): try container.encode(value)
        case .double(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .array(let value): try container.encode(value)
        case .object(let value): try container.encode(value)
        case .number(let text):
            if let value = UInt64(text) {
                try container.encode(value)
            } else if let value = Double(text), value.isFinite,
                value == 0 || text.contains(where: { ".eE".contains($0) })
            {
                try container.encode(value)
            } else {
                throw EncodingError.invalidValue(
                    self,
                    .init(
                        codingPath: encoder.codingPath,
                        debugDescription: "no number type can represent it")
                )
            }
        }
    }
}
