// The unkeyed container that writes elements.

import JOSEBytes

/// The elements of one array.
struct ArrayEncoder: UnkeyedEncodingContainer {
    private let sink: ClaimsSink
    private let place: EncodedText.SlotID

    init(_ sink: ClaimsSink, _ place: EncodedText.SlotID) {
        self.sink = sink
        self.place = place
    }

    var codingPath: [any CodingKey] { sink.lend { $0.path(to: place) } }
    var count: Int { sink.lend { $0.count(of: place) } }

    mutating func encodeNil() throws { try sink.put(nil, in: place) { $0.null() } }

    mutating func encode(_ value: Bool) throws { try sink.put(nil, in: place) { $0.bool(value) } }

    mutating func encode(_ value: String) throws {
        try sink.put(nil, in: place) { $0.string(value) }
    }

    mutating func encode<T: Encodable & FixedWidthInteger>(_ value: T) throws {
        try sink.put(nil, in: place) { $0.integer(of: value) }
    }

    mutating func encode<T: Encodable & BinaryFloatingPoint & LosslessStringConvertible>(
        _ value: T
    ) throws {
        try sink.put(nil, in: place) { try $0.float(of: value) }
    }

    // The protocol has rejecting implementations of these, which a generic one does not replace.

    mutating func encode(_ value: Int128) throws {
        try sink.put(nil, in: place) { $0.integer(of: value) }
    }

    mutating func encode(_ value: UInt128) throws {
        try sink.put(nil, in: place) { $0.integer(of: value) }
    }

    mutating func encode<T: Encodable>(_ value: T) throws {
        try sink.put(value, nil, in: place)
    }

    mutating func nestedContainer<Inner: CodingKey>(
        keyedBy keyType: Inner.Type
    ) -> KeyedEncodingContainer<Inner> {
        let inner = sink.slot(nil, in: place)
        sink.become(.object, inner)
        return KeyedEncodingContainer(ObjectEncoder<Inner>(sink, inner))
    }

    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        let inner = sink.slot(nil, in: place)
        sink.become(.array, inner)
        return ArrayEncoder(sink, inner)
    }

    mutating func superEncoder() -> any Encoder {
        ValueEncoder(sink, sink.slot(nil, in: place))
    }
}
