// Encodes any Encodable type as strict JSON, without Foundation, with room for members of the issuer.

import JOSEBytes

/// Writes `Encodable` types as JSON text that the strict reader accepts.
///
/// Members stand in the order in which the type encodes them. What no JSON can hold (a `Double`
/// that is not finite, one name twice) is rejected.
package enum ClaimsEncoder {
    /// Encodes any value: an object, an array or a single value.
    ///
    /// - Throws: `misuse` where the value cannot be written, with the name of the member if there is one.
    package static func encode<T: Encodable>(_ value: T) throws(JOSEError) -> [UInt8] {
        let sink = ClaimsSink(EncodedText())
        do {
            try sink.writeRoot(value)
            return try sink.finish()
        } catch {
            throw sink.rejection(for: error)
        }
    }

    /// Encodes a value that must become an object, and lets `appending` write members behind its own.
    ///
    /// - Parameters:
    ///   - value: the claims.
    ///   - appending: writes further members, such as `iss` and `exp`.
    /// - Throws: `misuse` where the value is no object, cannot be written, or one of the further
    ///   members has the name of one of its own; whatever `appending` throws.
    package static func encodeObject<T: Encodable>(
        _ value: T, appending: (inout MemberWriter) throws(JOSEError) -> Void
    ) throws(JOSEError) -> [UInt8] {
        if T.self == JSONValue.self, let members = (value as? JSONValue)?.object {
            return try encodeObject(members, appending: appending)
        }
        let sink = ClaimsSink(EncodedText())
        do {
            try sink.writeRoot(value)
            guard sink.lend({ $0.kind(of: $0.top) }) == .object else { throw NoObjectError() }
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

    /// Writes an object of those members alone that `writing` writes.
    ///
    /// - Throws: `misuse` for one name twice; whatever `writing` throws.
    package static func object(
        _ writing: (inout MemberWriter) throws(JOSEError) -> Void
    ) throws(JOSEError) -> [UInt8] {
        try encodeObject(NoMembers(), appending: writing)
    }
}

/// What must become an object becomes an array or a single value.
struct NoObjectError: Error {}

/// The empty object.
private struct NoMembers: Encodable {}

/// Writes members behind those of an encoded object.
package struct MemberWriter {
    private let sink: ClaimsSink
    private let root: EncodedText.SlotID

    init(_ sink: ClaimsSink) {
        self.sink = sink
        root = sink.lend { $0.top }
    }

    /// A text.
    package mutating func string(_ name: String, _ value: String) {
        put(name) { $0.string(value) }
    }

    /// An integer.
    package mutating func integer(_ name: String, _ value: Int64) {
        put(name) { $0.integer(value) }
    }

    /// A truth value.
    package mutating func bool(_ name: String, _ value: Bool) {
        put(name) { $0.bool(value) }
    }

    /// A NumericDate, exactly.
    package mutating func date(_ name: String, _ value: NumericDate) {
        put(name) { $0.date(value) }
    }

    /// An array of texts.
    package mutating func strings(_ name: String, _ values: [String]) {
        put(name) { $0.strings(values) }
    }

    /// Any JSON value; a number in it that is none makes the whole encoding fail.
    package mutating func value(_ name: String, _ value: JSONValue) {
        put(name) { try $0.value(value) }
    }

    /// Whether the claims have an `exp` already; nil where only their finished text can tell.
    package var hasExpiration: Bool? { sink.lend { $0.hasExpiration } }

    /// Where the value of the claims' `exp` begins in the text; nil where they have none or only a scan can tell.
    package var expirationStart: Int? { sink.lend { $0.expirationStart } }

    private func put(_ name: String, _ write: (inout JSONWriter) throws -> Void) {
        // An error stays in the sink, and `finish` throws it.
        try? sink.put(name, in: root, write)
    }
}
