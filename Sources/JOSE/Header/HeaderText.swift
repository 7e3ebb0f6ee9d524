// Decodes and scans a protected header on the stack and lends it.

import JOSEBytes

enum HeaderText {
    /// Decodes the base64url text of a header, scans it strictly, reads its fields and lends all three.
    static func read<Result>(
        _ encoded: Span<UInt8>, _ limits: JOSELimits,
        understanding extensions: CriticalHeader.Extensions = [],
        _ body: (
            _ fields: HeaderFields, _ text: Span<UInt8>, _ tree: Span<JSONNode>
        ) throws(JOSEError) -> Result
    ) throws(JOSEError) -> Result {
        guard encoded.count <= limits.headerBytes else {
            throw .limitExceeded(.header, "the header is too large (JOSELimits.headerBytes)")
        }
        guard let count = Base64URL.decodedCount(encoded.count), count > 0 else {
            throw .notBase64URL(encoded, .headerNotBase64URL)
        }
        return try withScratch(of: UInt8.self, capacity: count) { (bytes) throws(JOSEError) in
            guard Base64URL.decode(encoded, into: &bytes) else {
                throw .notBase64URL(encoded, .headerNotBase64URL)
            }
            return try JSONText.scanned(bytes.span, limits, at: .header) {
                (text, tree) throws(JOSEError) in
                try body(
                    HeaderFields(text, tree, limits, understanding: extensions), text, tree)
            }
        }
    }
}
