// Encodes one value; also its single value container.

import JOSEBytes

/// A slot of the sink as an `Encoder`. Two words fit in an existential without allocation.
struct ValueEncoder: Encoder, SingleValueEncodingContainer {
    private let sink: ClaimsSink
    private let id: EncodedText.SlotID

    init(_ sink: ClaimsSink, _ id: EncodedText.SlotID) {
        self.sink = sink
        self.id = id
    }

    var codingPath: [any CodingKey] { sink.withValue { $0.path(to: id) } }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        sink.become(.object, id)
        return KeyedEncodingContainer(ObjectEncoder<Key>(sink, id))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        sink.become(.array, id)
        return ArrayEncoder(sink, id)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }

    func encodeNil() throws { try sink.writeOnly(id) { $0.null() } }

    func encode(_ value: Bool) throws { try sink.writeOnly(id) { $0.bool(value) } }

    func encode(_ value: String) throws { try sink.writeOnly(id) { $0.string(value) } }

    func encode<T: Encodable & FixedWidthInteger>(_ value: T) throws {
        try sink.writeOnly(id) { $0.integer(of: value) }
    }

    func encode<T: Encodable & BinaryFloatingPoint & LosslessStringConvertible>(
        _ value: T
    ) throws {
        try sink.writeOnly(id) { try $0.float(of: value) }
    }

    // Without these two, the protocol's default methods would be used, which throw.

    func encode(_ value: Int128) throws { try sink.writeOnly(id) { $0.integer(of: value) } }

    func encode(_ value: UInt128) throws { try sink.writeOnly(id) { $0.integer(of: value) } }

    func encode<T: Encodable>(_ value: T) throws { try sink.encodeOnly(value, at: id) }
}
