// Decodes and scans a protected header on the stack and lends it.

import JOSEBytes

enum HeaderText {
    /// Decodes the base64url text of a header, scans it strictly, reads its fields and lends all three.
    static func read<Result>(
        _ encoded: Span<UInt8>, _ limits: Limits,
        understanding extensions: CriticalHeader.Extensions = [],
        _ body: (
            _ fields: HeaderFields, _ text: Span<UInt8>, _ tree: Span<JSONNode>
        ) throws(JOSEError) -> Result
    ) throws(JOSEError) -> Result {
        guard encoded.count <= limits.headerBytes else {
            throw .limitExceeded(.header, "the header is too large")
        }
        guard let count = Base64URL.decodedCount(encoded.count), count > 0 else {
            throw .malformed(.header, "the header is not base64url")
        }
        return try withScratch(of: UInt8.self, capacity: count) { (bytes) throws(JOSEError) in
            guard Base64URL.decode(encoded, into: &bytes) else {
                throw .malformed(.header, "the header is not base64url")
            }
            return try JSONText.scanned(bytes.span, limits, at: .header) {
                (text, tree) throws(JOSEError) in
                try body(
                    HeaderFields(text, tree, limits, understanding: extensions), text, tree)
            }
        }
    }

    /// Lends the UTF-8 of a string node; only a string with escapes costs an allocation.
    static func withString<Result>(
        _ node: JSONNode, in text: Span<UInt8>,
        _ body: (Span<UInt8>) throws(JOSEError) -> Result
    ) throws(JOSEError) -> Result {
        guard node.hasEscapes else { return try body(text.extracting(node.start..<node.end)) }
        let value = JSON.string(node, in: text)
        return try body(value.utf8.span)
    }
}
