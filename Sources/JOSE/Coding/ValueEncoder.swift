// The Encoder of one value, which is also its single value container.

import JOSEBytes

/// A slot of the sink, seen as an `Encoder`. Two words, so it fits in an existential.
struct ValueEncoder: Encoder, SingleValueEncodingContainer {
    private let sink: ClaimsSink
    private let place: EncodedText.SlotID

    init(_ sink: ClaimsSink, _ place: EncodedText.SlotID) {
        self.sink = sink
        self.place = place
    }

    var codingPath: [any CodingKey] { sink.lend { $0.path(to: place) } }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        sink.become(.object, place)
        return KeyedEncodingContainer(ObjectEncoder<Key>(sink, place))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        sink.become(.array, place)
        return ArrayEncoder(sink, place)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }

    func encodeNil() throws { try sink.single(place) { $0.null() } }

    func encode(_ value: Bool) throws { try sink.single(place) { $0.bool(value) } }

    func encode(_ value: String) throws { try sink.single(place) { $0.string(value) } }

    func encode<T: Encodable & FixedWidthInteger>(_ value: T) throws {
        try sink.single(place) { $0.integer(of: value) }
    }

    func encode<T: Encodable & BinaryFloatingPoint & LosslessStringConvertible>(
        _ value: T
    ) throws {
        try sink.single(place) { try $0.float(of: value) }
    }

    // The protocol has rejecting implementations of these, which a generic one does not replace.

    func encode(_ value: Int128) throws { try sink.single(place) { $0.integer(of: value) } }

    func encode(_ value: UInt128) throws { try sink.single(place) { $0.integer(of: value) } }

    func encode<T: Encodable>(_ value: T) throws { try sink.single(value, at: place) }
}
