// Encodes the members of an object.

import JOSEBytes

struct ObjectEncoder<Key: CodingKey>: KeyedEncodingContainerProtocol {
    private let sink: ClaimsSink
    private let id: EncodedText.SlotID

    init(_ sink: ClaimsSink, _ id: EncodedText.SlotID) {
        self.sink = sink
        self.id = id
    }

    var codingPath: [any CodingKey] { sink.withValue { $0.path(to: id) } }

    mutating func encodeNil(forKey key: Key) throws {
        try sink.put(key.stringValue, in: id) { $0.null() }
    }

    mutating func encode(_ value: Bool, forKey key: Key) throws {
        try sink.put(key.stringValue, in: id) { $0.bool(value) }
    }

    mutating func encode(_ value: String, forKey key: Key) throws {
        try sink.put(key.stringValue, in: id) { $0.string(value) }
    }

    mutating func encode(_ value: Int, forKey key: Key) throws {
        try sink.put(key.stringValue, in: id) { $0.integer(Int64(value)) }
    }

    mutating func encode(_ value: Int64, forKey key: Key) throws {
        try sink.put(key.stringValue, in: id) { $0.integer(value) }
    }

    mutating func encode(_ value: Double, forKey key: Key) throws {
        try sink.put(key.stringValue, in: id) { try $0.double(value) }
    }

    mutating func encode<T: Encodable & FixedWidthInteger>(_ value: T, forKey key: Key) throws {
        try sink.put(key.stringValue, in: id) { $0.integer(of: value) }
    }

    mutating func encode<T: Encodable & BinaryFloatingPoint & LosslessStringConvertible>(
        _ value: T, forKey key: Key
    ) throws {
        try sink.put(key.stringValue, in: id) { try $0.float(of: value) }
    }

    // Without these two, the protocol's default methods would be used, which throw.

    mutating func encode(_ value: Int128, forKey key: Key) throws {
        try sink.put(key.stringValue, in: id) { $0.integer(of: value) }
    }

    mutating func encode(_ value: UInt128, forKey key: Key) throws {
        try sink.put(key.stringValue, in: id) { $0.integer(of: value) }
    }

    mutating func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
        try sink.put(value, key.stringValue, in: id)
    }

    mutating func nestedContainer<Inner: CodingKey>(
        keyedBy keyType: Inner.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Inner> {
        let inner = sink.slot(key.stringValue, in: id)
        sink.become(.object, inner)
        return KeyedEncodingContainer(ObjectEncoder<Inner>(sink, inner))
    }

    mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        let inner = sink.slot(key.stringValue, in: id)
        sink.become(.array, inner)
        return ArrayEncoder(sink, inner)
    }

    mutating func superEncoder() -> any Encoder {
        ValueEncoder(sink, sink.slot("super", in: id))
    }

    mutating func superEncoder(forKey key: Key) -> any Encoder {
        ValueEncoder(sink, sink.slot(key.stringValue, in: id))
    }
}
