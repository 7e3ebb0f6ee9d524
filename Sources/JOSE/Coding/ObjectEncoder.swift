// The keyed container that writes members.

import JOSEBytes

/// The members of one object.
struct ObjectEncoder<Key: CodingKey>: KeyedEncodingContainerProtocol {
    private let sink: ClaimsSink
    private let place: EncodedText.SlotID

    init(_ sink: ClaimsSink, _ place: EncodedText.SlotID) {
        self.sink = sink
        self.place = place
    }

    var codingPath: [any CodingKey] { sink.lend { $0.path(to: place) } }

    mutating func encodeNil(forKey key: Key) throws {
        try sink.put(key.stringValue, in: place) { $0.null() }
    }

    mutating func encode(_ value: Bool, forKey key: Key) throws {
        try sink.put(key.stringValue, in: place) { $0.bool(value) }
    }

    mutating func encode(_ value: String, forKey key: Key) throws {
        try sink.put(key.stringValue, in: place) { $0.string(value) }
    }

    mutating func encode(_ value: Int, forKey key: Key) throws {
        try sink.put(key.stringValue, in: place) { $0.integer(Int64(value)) }
    }

    mutating func encode(_ value: Int64, forKey key: Key) throws {
        try sink.put(key.stringValue, in: place) { $0.integer(value) }
    }

    mutating func encode(_ value: Double, forKey key: Key) throws {
        try sink.put(key.stringValue, in: place) { try $0.double(value) }
    }

    mutating func encode<T: Encodable & FixedWidthInteger>(_ value: T, forKey key: Key) throws {
        try sink.put(key.stringValue, in: place) { $0.integer(of: value) }
    }

    mutating func encode<T: Encodable & BinaryFloatingPoint & LosslessStringConvertible>(
        _ value: T, forKey key: Key
    ) throws {
        try sink.put(key.stringValue, in: place) { try $0.float(of: value) }
    }

    // The protocol has rejecting implementations of these, which a generic one does not replace.

    mutating func encode(_ value: Int128, forKey key: Key) throws {
        try sink.put(key.stringValue, in: place) { $0.integer(of: value) }
    }

    mutating func encode(_ value: UInt128, forKey key: Key) throws {
        try sink.put(key.stringValue, in: place) { $0.integer(of: value) }
    }

    mutating func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
        try sink.put(value, key.stringValue, in: place)
    }

    mutating func nestedContainer<Inner: CodingKey>(
        keyedBy keyType: Inner.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Inner> {
        let inner = sink.slot(key.stringValue, in: place)
        sink.become(.object, inner)
        return KeyedEncodingContainer(ObjectEncoder<Inner>(sink, inner))
    }

    mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        let inner = sink.slot(key.stringValue, in: place)
        sink.become(.array, inner)
        return ArrayEncoder(sink, inner)
    }

    mutating func superEncoder() -> any Encoder {
        ValueEncoder(sink, sink.slot("super", in: place))
    }

    mutating func superEncoder(forKey key: Key) -> any Encoder {
        ValueEncoder(sink, sink.slot(key.stringValue, in: place))
    }
}
