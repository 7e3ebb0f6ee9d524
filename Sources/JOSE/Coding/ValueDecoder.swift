// Decodes one value of the document; also its single value container.

import JOSEBytes

/// One value of the document as a `Decoder`. Two words fit in an existential without allocation.
struct ValueDecoder: Decoder, SingleValueDecodingContainer {
    private let source: ClaimsSource
    private let node: Int32
    /// The number of containers around the value.
    private let depth: Int32

    init(_ source: ClaimsSource, _ node: Int, depth: Int) {
        self.source = source
        self.node = Int32(truncatingIfNeeded: node)
        self.depth = Int32(truncatingIfNeeded: depth)
    }

    var codingPath: [any CodingKey] { source.path(to: Int(node)) }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy: Key.Type) throws -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(try ObjectDecoder<Key>(source, Int(node), depth: Int(depth)))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try ArrayDecoder(source, Int(node), depth: Int(depth))
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer { self }

    func decodeNil() -> Bool { source.document.nodes[Int(node)].kind == .null }

    func decode(_ type: Bool.Type) throws -> Bool { try source.bool(at: Int(node)) }

    // The caller may compare or hash the string. `keyText` rejects many combining marks in a row.
    func decode(_ type: String.Type) throws -> String { try source.keyText(at: Int(node)) }

    func decode<T: Decodable & FixedWidthInteger>(_ type: T.Type) throws -> T {
        try source.integer(type, at: Int(node))
    }

    func decode<T: Decodable & BinaryFloatingPoint & LosslessStringConvertible>(
        _ type: T.Type
    ) throws -> T {
        try source.float(type, at: Int(node))
    }

    // Without these two, the protocol's default methods would be used, which throw.

    func decode(_ type: Int128.Type) throws -> Int128 { try source.integer(type, at: Int(node)) }

    func decode(_ type: UInt128.Type) throws -> UInt128 { try source.integer(type, at: Int(node)) }

    func decode<T: Decodable>(_ type: T.Type) throws -> T {
        try source.read(type, at: Int(node), depth: Int(depth))
    }
}
