// JSONObject: a JSON object that compares names by their bytes.

import JOSEBytes

/// A JSON object. Its members have no order.
///
/// Names are compared by their bytes (RFC 8259 section 8.3): K and the Kelvin sign, or é in its two
/// forms, are two members. A Swift dictionary would keep only one of them.
public struct JSONObject: Sendable, Hashable {
    private var members: [ExactString: JSONValue] = [:]

    /// Creates an empty object.
    public init() {}

    /// Creates an object with the members of a dictionary.
    public init(_ members: [String: JSONValue]) {
        reserveCapacity(members.count)
        for (name, value) in members { self[name] = value }
    }

    /// The number of members.
    public var count: Int { members.count }
    /// Whether there are no members.
    public var isEmpty: Bool { members.isEmpty }
    /// The names, sorted by their bytes.
    public var names: [String] { map(\.name) }

    /// Returns the member with exactly this name; nil if there is none.
    public subscript(name: String) -> JSONValue? {
        get { members[ExactString(name)] }
        set { members[ExactString(name)] = newValue }
    }

    mutating func reserveCapacity(_ count: Int) { members.reserveCapacity(count) }

    /// The members as a dictionary; nil if Swift considers two names equal, or if a name has more
    /// than 30 combining marks in a row.
    package var dictionary: [String: JSONValue]? {
        guard members.keys.allSatisfy(\.text.isStreamSafe) else { return nil }
        var dictionary: [String: JSONValue] = [:]
        dictionary.reserveCapacity(count)
        for (name, value) in members { dictionary[name.text] = value }
        return dictionary.count == count ? dictionary : nil
    }
}

extension JSONObject: Sequence {
    /// Iterates over the members, sorted by the bytes of their names.
    public func makeIterator() -> IndexingIterator<[(name: String, value: JSONValue)]> {
        members.map { (name: $0.text, value: $1) }
            .sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
            .makeIterator()
    }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
    /// Creates an object; the last of several members with the same name is used.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        for (name, value) in elements { self[name] = value }
    }
}

extension JSONObject: Codable {
    /// Decodes an object, and each value as a ``JSONValue``.
    public init(from decoder: any Decoder) throws {
        let value = try JSONValue(from: decoder)
        guard case .object(let members) = value else {
            throw DecodingError.typeMismatch(
                JSONObject.self,
                .init(codingPath: decoder.codingPath, debugDescription: "not an object"))
        }
        self = members
    }

    /// Encodes the members, each value as a ``JSONValue``.
    ///
    /// - Throws: An error of the encoder. For encoders other than this library's also if Swift
    ///   considers two names equal, or if a name has more than 30 combining marks in a row.
    public func encode(to encoder: any Encoder) throws {
        guard encoder is ValueEncoder || dictionary != nil else {
            throw EncodingError.invalidValue(
                self,
                .init(
                    codingPath: encoder.codingPath,
                    debugDescription:
                        "Swift considers two names equal, or a name has too many marks"))
        }
        var container = encoder.container(keyedBy: PathKey.self)
        for (name, value) in self { try container.encode(value, forKey: PathKey(name)) }
    }
}
