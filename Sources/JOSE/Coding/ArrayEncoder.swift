// Encodes the elements of an array.

import JOSEBytes

struct ArrayEncoder: UnkeyedEncodingContainer {
    private let sink: ClaimsSink
    private let id: EncodedText.SlotID

    init(_ sink: ClaimsSink, _ id: EncodedText.SlotID) {
        self.sink = sink
        self.id = id
    }

    var codingPath: [any CodingKey] { sink.withValue { $0.path(to: id) } }
    var count: Int { sink.withValue { $0.count(of: id) } }

    mutating func encodeNil() throws { try sink.put(nil, in: id) { $0.null() } }

    mutating func encode(_ value: Bool) throws { try sink.put(nil, in: id) { $0.bool(value) } }

    mutating func encode(_ value: String) throws {
        try sink.put(nil, in: id) { $0.string(value) }
    }

    mutating func encode<T: Encodable & FixedWidthInteger>(_ value: T) throws {
        try sink.put(nil, in: id) { $0.integer(of: value) }
    }

    mutating func encode<T: Encodable & BinaryFloatingPoint & LosslessStringConvertible>(
        _ value: T
    ) throws {
        try sink.put(nil, in: id) { try $0.float(of: value) }
    }

    // Without these two, the protocol's default methods would be used, which throw.

    mutating func encode(_ value: Int128) throws {
        try sink.put(nil, in: id) { $0.integer(of: value) }
    }

    mutating func encode(_ value: UInt128) throws {
        try sink.put(nil, in: id) { $0.integer(of: value) }
    }

    mutating func encode<T: Encodable>(_ value: T) throws {
        try sink.put(value, nil, in: id)
    }

    mutating func nestedContainer<Inner: CodingKey>(
        keyedBy keyType: Inner.Type
    ) -> KeyedEncodingContainer<Inner> {
        let inner = sink.slot(nil, in: id)
        sink.become(.object, inner)
        return KeyedEncodingContainer(ObjectEncoder<Inner>(sink, inner))
    }

    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        let inner = sink.slot(nil, in: id)
        sink.become(.array, inner)
        return ArrayEncoder(sink, inner)
    }

    mutating func superEncoder() -> any Encoder {
        ValueEncoder(sink, sink.slot(nil, in: id))
    }
}
