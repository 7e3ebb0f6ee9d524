// Reads and writes JSON members.

import JOSEBytes

extension JSONDocument {
    /// Returns the JSON text of a value. A string has its quotation marks.
    func json(at index: Int) -> [UInt8] {
        let text = text(at: index)
        guard kind(at: index) == .string else { return Array(text) }
        return [0x22] + text + [0x22]
    }
}

extension JSONWriter {
    static func line(_ members: (inout JSONWriter) throws -> Void) rethrows -> [UInt8] {
        var writer = JSONWriter()
        try writer.object(members)
        return writer.line
    }

    /// As the other `line`, with members that may wait for external keys.
    nonisolated(nonsending) static func line(
        _ members: (inout JSONWriter) async throws -> Void
    ) async rethrows -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        try await members(&writer)
        writer.endObject()
        return writer.line
    }

    mutating func object(_ members: (inout JSONWriter) throws -> Void) rethrows {
        beginObject()
        try members(&self)
        endObject()
    }

    mutating func member(
        _ name: StaticString, object members: (inout JSONWriter) throws -> Void
    ) rethrows {
        self.name(name)
        try object(members)
    }

    mutating func member<Values: Sequence>(
        _ name: StaticString, objects values: Values,
        _ members: (inout JSONWriter, Values.Element) throws -> Void
    ) rethrows {
        self.name(name)
        beginArray()
        for value in values { try object { try members(&$0, value) } }
        endArray()
    }

    mutating func names(_ name: StaticString, _ values: [String]) {
        self.name(name)
        beginArray()
        for value in values { string(value) }
        endArray()
    }

    mutating func member(_ name: StaticString, _ value: String?) {
        self.name(name)
        if let value { string(value) } else { null() }
    }

    mutating func member(_ name: StaticString, _ value: Bool) {
        self.name(name)
        bool(value)
    }

    mutating func member(_ name: StaticString, _ value: Int?) {
        self.name(name)
        if let value { integer(Int64(value)) } else { null() }
    }
}
