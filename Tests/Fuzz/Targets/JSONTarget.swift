// Strict JSON: a value that was read can be written, and reads back the same.

import JOSE
import JOSEBytes

extension FuzzTarget {
    static let json = FuzzTarget(
        "json", response: { try? rewritten(JSONDocument($0, maxDepth: 32)) }
    ) {
        bytes in
        let document = try bounded(bytes) { try JSONDocument(bytes, maxDepth: 32) }
        guard let document else { return }
        let text = rewritten(document)
        guard let again = try? JSONDocument(text, maxDepth: 32) else {
            throw Broken(description: "what was written is rejected")
        }
        try hold(rewritten(again) == text, "what was written is read as something else")
        try numbers(document)
        let value = try ClaimsDecoder.decode(JSONValue.self, from: document)
        let encoded = try ClaimsEncoder.encode(value)
        let decoded = try ClaimsDecoder.decode(JSONValue.self, from: encoded, maxDepth: 32)
        try hold(decoded == value, "a JSONValue changes on its way")
    }

    /// The text without white space and unnecessary escapes, numbers unchanged.
    static func rewritten(_ document: JSONDocument) -> [UInt8] {
        var writer = JSONWriter(capacity: document.bytes.count)
        write(document, 0, &writer)
        return writer.bytes
    }

    private static func write(_ document: JSONDocument, _ node: Int, _ writer: inout JSONWriter) {
        switch document.kind(at: node) {
        case .object:
            writer.beginObject()
            document.forEachMember(of: node) { name, value in
                writer.name(document.string(at: name) ?? "?")
                write(document, value, &writer)
            }
            writer.endObject()
        case .array:
            writer.beginArray()
            document.forEachElement(of: node) { write(document, $0, &writer) }
            writer.endArray()
        case .string: writer.string(document.string(at: node) ?? "?")
        case .number: writer.raw(Array(document.text(at: node)).span)
        case .true: writer.bool(true)
        case .false: writer.bool(false)
        case .null: writer.null()
        }
    }

    /// Numbers equal what the standard library reads from the same text, or are nil.
    private static func numbers(_ document: JSONDocument) throws {
        for (index, node) in document.nodes.enumerated() where node.kind == .number {
            let text = String(decoding: document.text(at: index), as: UTF8.self)
            if let plain = Int64(text) {
                try hold(document.integer(at: index) == plain, "an integer is read otherwise")
            }
            if let double = JSON.double(node, in: document.bytes.span) {
                try hold(double == Double(text), "a double is read otherwise")
            }
            _ = JSON.fixedPoint(node, in: document.bytes.span)
        }
    }
}
