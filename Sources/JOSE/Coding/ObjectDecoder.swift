// Decodes the members of an object.

import JOSEBytes

struct ObjectDecoder<Key: CodingKey>: KeyedDecodingContainerProtocol {
    private let source: ClaimsSource
    private let object: Int32
    private let depth: Int32

    init(_ source: ClaimsSource, _ node: Int, depth: Int) throws {
        guard source.document.nodes[node].kind == .object else {
            throw source.mismatch([String: Any].self, at: node)
        }
        self.source = source
        self.object = Int32(truncatingIfNeeded: node)
        self.depth = Int32(truncatingIfNeeded: depth)
    }

    var codingPath: [any CodingKey] { source.path(to: Int(object)) }

    /// The names as keys. If `namesAreKeys` is false, the list is empty, and `ClaimsDecoder`
    /// rejects the claims.
    var allKeys: [Key] {
        guard source.namesAreKeys(of: Int(object)) else { return [] }
        var keys: [Key] = []
        keys.reserveCapacity(source.document.nodes[Int(object)].count)
        source.forEachMember(of: Int(object)) { name, _ in
            if let key = Key(stringValue: source.string(name)) { keys.append(key) }
        }
        return keys
    }

    @inline(__always)
    private func find(_ key: some CodingKey) -> Int? {
        source.find(key.stringValue, in: Int(object), depth: Int(depth))
    }

    @inline(__always)
    private func value(_ key: some CodingKey) throws -> Int {
        guard let node = find(key) else { throw missing(key) }
        return node
    }

    private func missing(_ key: some CodingKey) -> DecodingError {
        .keyNotFound(key, source.context(Int(object), "no such member"))
    }

    /// Returns the node of the member's value; nil if the member is absent or null.
    @inline(__always)
    private func present(_ key: Key) -> Int? {
        guard let node = find(key), source.document.nodes[node].kind != .null else { return nil }
        return node
    }

    func contains(_ key: Key) -> Bool { find(key) != nil }

    func decodeNil(forKey key: Key) throws -> Bool {
        source.document.nodes[try value(key)].kind == .null
    }

    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool {
        try source.bool(at: value(key))
    }

    func decode(_ type: String.Type, forKey key: Key) throws -> String {
        try source.text(at: value(key))
    }

    // The most common numbers. The generic methods below take twice the time for them.

    func decode(_ type: Int.Type, forKey key: Key) throws -> Int {
        try source.integer(type, at: value(key))
    }

    func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 {
        try source.integer(type, at: value(key))
    }

    func decode(_ type: Double.Type, forKey key: Key) throws -> Double {
        try source.float(type, at: value(key))
    }

    func decode<T: Decodable & FixedWidthInteger>(_ type: T.Type, forKey key: Key) throws -> T {
        try source.integer(type, at: value(key))
    }

    func decode<T: Decodable & BinaryFloatingPoint & LosslessStringConvertible>(
        _ type: T.Type, forKey key: Key
    ) throws -> T {
        try source.float(type, at: value(key))
    }

    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        try source.read(type, at: value(key), depth: Int(depth) + 1)
    }

    // Without these two, the protocol's default methods would be used, which throw.

    func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 {
        try source.integer(type, at: value(key))
    }

    func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 {
        try source.integer(type, at: value(key))
    }

    func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? {
        try present(key).map { try source.bool(at: $0) }
    }

    func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
        try present(key).map { try source.text(at: $0) }
    }

    func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? {
        try present(key).map { try source.integer(type, at: $0) }
    }

    func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? {
        try present(key).map { try source.integer(type, at: $0) }
    }

    func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? {
        try present(key).map { try source.float(type, at: $0) }
    }

    func decodeIfPresent<T: Decodable & FixedWidthInteger>(
        _ type: T.Type, forKey key: Key
    ) throws -> T? {
        try present(key).map { try source.integer(type, at: $0) }
    }

    func decodeIfPresent<T: Decodable & BinaryFloatingPoint & LosslessStringConvertible>(
        _ type: T.Type, forKey key: Key
    ) throws -> T? {
        try present(key).map { try source.float(type, at: $0) }
    }

    func decodeIfPresent(_ type: Int128.Type, forKey key: Key) throws -> Int128? {
        try present(key).map { try source.integer(type, at: $0) }
    }

    func decodeIfPresent(_ type: UInt128.Type, forKey key: Key) throws -> UInt128? {
        try present(key).map { try source.integer(type, at: $0) }
    }

    func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
        try present(key).map { try source.read(type, at: $0, depth: Int(depth) + 1) }
    }

    func nestedContainer<Inner: CodingKey>(
        keyedBy type: Inner.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Inner> {
        KeyedDecodingContainer(
            try ObjectDecoder<Inner>(source, value(key), depth: Int(depth) + 1))
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try ArrayDecoder(source, value(key), depth: Int(depth) + 1)
    }

    func superDecoder() throws -> any Decoder {
        ValueDecoder(source, try value(PathKey("super")), depth: Int(depth) + 1)
    }

    func superDecoder(forKey key: Key) throws -> any Decoder {
        ValueDecoder(source, try value(key), depth: Int(depth) + 1)
    }
}
