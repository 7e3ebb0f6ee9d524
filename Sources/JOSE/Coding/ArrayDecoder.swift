// Decodes the elements of an array.

import JOSEBytes

/// The elements of one array, read forward. Three words fit in an existential without allocation.
struct ArrayDecoder: UnkeyedDecodingContainer {
    private let source: ClaimsSource
    private let array: Int32
    private let depth: Int32
    /// The node of the next element.
    private var next: Int32
    private var position: Int32 = 0

    init(_ source: ClaimsSource, _ node: Int, depth: Int) throws {
        guard source.document.nodes[node].kind == .array else {
            throw source.mismatch([Any].self, at: node)
        }
        self.source = source
        self.array = Int32(truncatingIfNeeded: node)
        self.depth = Int32(truncatingIfNeeded: depth)
        self.next = Int32(truncatingIfNeeded: node + 1)
    }

    var codingPath: [any CodingKey] { source.path(to: Int(array)) }
    var count: Int? { source.document.nodes[Int(array)].count }
    var currentIndex: Int { Int(position) }
    var isAtEnd: Bool { Int(next) >= source.document.nodes[Int(array)].next }

    /// Reads the next element with `body`. If `body` throws, the element stays the next one.
    @inline(__always)
    private mutating func take<T>(
        _ type: any Any.Type, _ body: (Int) throws -> T
    ) throws -> T {
        guard !isAtEnd else {
            let path = codingPath + [PathKey(index: currentIndex)]
            throw DecodingError.valueNotFound(
                type, .init(codingPath: path, debugDescription: "no more elements"))
        }
        let value = try body(Int(next))
        next = Int32(truncatingIfNeeded: source.document.nodes[Int(next)].next)
        position += 1
        return value
    }

    mutating func decodeNil() throws -> Bool {
        guard !isAtEnd, source.document.nodes[Int(next)].kind != .null else {
            return try take(Any?.self) { _ in true }
        }
        return false
    }

    mutating func decode(_ type: Bool.Type) throws -> Bool {
        try take(type) { [source] in try source.bool(at: $0) }
    }

    mutating func decode(_ type: String.Type) throws -> String {
        try take(type) { [source] in try source.text(at: $0) }
    }

    mutating func decode<T: Decodable & FixedWidthInteger>(_ type: T.Type) throws -> T {
        try take(type) { [source] in try source.integer(type, at: $0) }
    }

    mutating func decode<T: Decodable & BinaryFloatingPoint & LosslessStringConvertible>(
        _ type: T.Type
    ) throws -> T {
        try take(type) { [source] in try source.float(type, at: $0) }
    }

    // Without these two, the protocol's default methods would be used, which throw.

    mutating func decode(_ type: Int128.Type) throws -> Int128 {
        try take(type) { [source] in try source.integer(type, at: $0) }
    }

    mutating func decode(_ type: UInt128.Type) throws -> UInt128 {
        try take(type) { [source] in try source.integer(type, at: $0) }
    }

    mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
        try take(type) { [source, depth] in
            try source.read(type, at: $0, depth: Int(depth) + 1)
        }
    }

    mutating func nestedContainer<Key: CodingKey>(
        keyedBy type: Key.Type
    ) throws -> KeyedDecodingContainer<Key> {
        try take([String: Any].self) { [source, depth] in
            KeyedDecodingContainer(try ObjectDecoder<Key>(source, $0, depth: Int(depth) + 1))
        }
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try take([Any].self) { [source, depth] in
            try ArrayDecoder(source, $0, depth: Int(depth) + 1)
        }
    }

    mutating func superDecoder() throws -> any Decoder {
        try take((any Decoder).self) { [source, depth] in
            ValueDecoder(source, $0, depth: Int(depth) + 1)
        }
    }
}
