// JSON as the tool reads and writes it.

import JOSEBytes

extension JSONDocument {
    /// The JSON text of a value, with the quotation marks of a string.
    func json(at index: Int) -> [UInt8] {
        let text = text(at: index)
        guard kind(at: index) == .string else { return Array(text) }
        return [0x22] + text + [0x22]
    }
}

extension JSONWriter {
    /// A member that is a list of names.
    mutating func names(_ name: StaticString, _ values: [String]) {
        self.name(name)
        beginArray()
        for value in values { string(value) }
        endArray()
    }
}
