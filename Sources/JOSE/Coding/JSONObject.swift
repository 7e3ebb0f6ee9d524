// The members of a JSON object, found by the bytes of their names.

import JOSEBytes

/// The members of a JSON object, which have no order.
///
/// Names are told apart by their bytes (RFC 8259, 8.3): K and the Kelvin sign, or é in its two forms, are two members here,
/// where a dictionary of Swift would hold one of them.
public struct JSONObject: Sendable, Hashable {
    private var members: [ExactString: JSONValue] = [:]

    /// No members.
    public init() {}

    /// The members of a dictionary.
    public init(_ members: [String: JSONValue]) {
        reserveCapacity(members.count)
        for (name, value) in members { self[name] = value }
    }

    /// The number of members.
    public var count: Int { members.count }
    /// Whether there is none.
    public var isEmpty: Bool { members.isEmpty }
    /// The names, in the order of their bytes.
    public var names: [String] { map(\.name) }

    /// The member of exactly this name; nil where there is none.
    public subscript(name: String) -> JSONValue? {
        get { members[ExactString(name)] }
        set { members[ExactString(name)] = newValue }
    }

    mutating func reserveCapacity(_ count: Int) { members.reserveCapacity(count) }

    /// The members as a dictionary; nil where Swift takes two names for one, or would order the marks of one for long.
    package var dictionary: [String: JSONValue]? {
        guard members.keys.allSatisfy(\.text.isStreamSafe) else { return nil }
        var dictionary: [String: JSONValue] = [:]
        dictionary.reserveCapacity(count)
        for (name, value) in members { dictionary[name.text] = value }
        return dictionary.count == count ? dictionary : nil
    }
}

extension JSONObject: Sequence {
    /// The members in the order of the bytes of their names, so that equal objects give equal text.
    public func makeIterator() -> IndexingIterator<[(name: String, value: JSONValue)]> {
        members.map { (name: $0.text, value: $1) }
            .sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
            .makeIterator()
    }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
    /// An object; of two members with one name the later counts.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        for (name, value) in elements { self[name] = value }
    }
}

extension JSONObject: Codable {
    /// Reads an object; through this library's coder exactly.
    public init(from decoder: any Decoder) throws {
        let value = try JSONValue(from: decoder)
        guard case .object(let members) = value else {
            throw DecodingError.typeMismatch(
                JSONObject.self,
                .init(codingPath: decoder.codingPath, debugDescription: "not an object"))
        }
        self = members
    }

    /// Writes the members; rejects two names that another coder than this library's would take for one.
    public func encode(to encoder: any Encoder) throws {
        guard encoder is ValueEncoder || dictionary != nil else {
            throw EncodingError.invalidValue(
                self,
                .init(codingPath: encoder.codingPath, debugDescription: "two names are one text"))
        }
        var container = encoder.container(keyedBy: PathKey.self)
        for (name, value) in self { try container.encode(value, forKey: PathKey(name)) }
    }
}
