// ClaimsEncoder: encodes Encodable types as strict JSON, without Foundation.

import JOSEBytes

/// Encodes `Encodable` types as strict JSON. Members have the order in which the type encodes them.
package enum ClaimsEncoder {
    /// Encodes any value: an object, an array or a single value.
    ///
    /// - Throws: `misuse` if a value has no JSON form, a name occurs twice or `encode(to:)` throws.
    package static func encode<T: Encodable>(_ value: T) throws(JOSEError) -> [UInt8] {
        let sink = ClaimsSink(EncodedText())
        do {
            try sink.writeRoot(value)
            return try sink.finish()
        } catch {
            throw sink.rejection(for: error)
        }
    }

    /// Encodes a value as an object. `appending` then writes further members, such as `iss`.
    ///
    /// - Throws: As `encode`; `misuse` if the value is not an object, or has a member that
    ///   `appending` writes too; also the errors of `appending`.
    package static func encodeObject<T: Encodable>(
        _ value: T, appending: (inout MemberWriter) throws(JOSEError) -> Void
    ) throws(JOSEError) -> [UInt8] {
        if T.self == JSONValue.self, let members = (value as? JSONValue)?.object {
            return try encodeObject(members, appending: appending)
        }
        let sink = ClaimsSink(EncodedText())
        do {
            try sink.writeRoot(value)
            guard sink.withValue({ $0.kind(of: $0.top) }) == .object else { throw NoObjectError() }
        } catch {
            throw sink.rejection(for: error)
        }
        var members = MemberWriter(sink)
        try appending(&members)
        do {
            return try sink.finish()
        } catch {
            throw sink.rejection(for: error)
        }
    }

    /// Writes an object with the members that `writing` writes.
    ///
    /// - Throws: `misuse` for a duplicate name or an invalid number; also the errors of `writing`.
    package static func object(
        _ writing: (inout MemberWriter) throws(JOSEError) -> Void
    ) throws(JOSEError) -> [UInt8] {
        try encodeObject(NoMembers(), appending: writing)
    }
}

struct NoObjectError: Error {}

private struct NoMembers: Encodable {}

/// Adds members to an encoded object that is still open.
package struct MemberWriter {
    private let sink: ClaimsSink
    private let root: EncodedText.SlotID

    init(_ sink: ClaimsSink) {
        self.sink = sink
        root = sink.withValue { $0.top }
    }

    package mutating func string(_ name: String, _ value: String) {
        put(name) { $0.string(value) }
    }

    package mutating func integer(_ name: String, _ value: Int64) {
        put(name) { $0.integer(value) }
    }

    package mutating func bool(_ name: String, _ value: Bool) {
        put(name) { $0.bool(value) }
    }

    package mutating func date(_ name: String, _ value: NumericDate) {
        put(name) { $0.date(value) }
    }

    package mutating func strings(_ name: String, _ values: [String]) {
        put(name) { $0.strings(values) }
    }

    /// Writes any JSON value. An invalid number in it makes the whole encoding fail.
    package mutating func value(_ name: String, _ value: JSONValue) {
        put(name) { try $0.value(value) }
    }

    /// Whether the claims have an `exp`; nil if only a scan of the finished text can tell.
    package var hasExpiration: Bool? { sink.withValue { $0.hasExpiration } }

    /// The offset of the value of `exp` in the text; nil if absent, or if only a scan can tell.
    package var expirationStart: Int? { sink.withValue { $0.expirationStart } }

    private func put(_ name: String, _ write: (inout JSONWriter) throws -> Void) {
        // The sink keeps an error, and `finish` throws it.
        try? sink.put(name, in: root, write)
    }
}
