// Decodes and parses a protected header in scratch memory.

import JOSEBytes

extension Span where Element == JSONNode {
    /// The node of a member's value; nil if `object` has no such member.
    func memberValue(
        _ name: StaticString, of object: Int = 0, in text: Span<UInt8>
    ) -> Int? {
        var index = object + 1
        while index < self[object].next {
            if JSON.equals(self[index], name, in: text) { return index + 1 }
            index = self[index + 1].next
        }
        return nil
    }
}

enum HeaderText {
    /// The known member whose quoted name begins at this offset, to be named in an error.
    static func member(_ text: Span<UInt8>, _ offset: Int) -> StaticString? {
        guard offset < text.count, text[offset] == UInt8(ascii: "\"") else { return nil }
        var end = offset + 1
        while end < text.count, text[end] != UInt8(ascii: "\"") { end += 1 }
        return PackedName(text.extracting((offset + 1)..<end)).flatMap {
            HeaderMember(rawValue: $0)?.name
        }
    }

    /// Decodes a base64url header, parses it strictly, reads its fields and calls `body`.
    static func read<Result>(
        _ encoded: Span<UInt8>, _ limits: JOSELimits,
        understanding extensions: CriticalHeader.Extensions = .none,
        _ body: (
            _ fields: HeaderFields, _ text: Span<UInt8>, _ tree: Span<JSONNode>
        ) throws(JOSEError) -> Result
    ) throws(JOSEError) -> Result {
        guard encoded.count <= limits.headerBytes else {
            throw .headerTooLarge(encoded.count, limits)
        }
        guard let count = Base64URL.decodedCount(encoded.count), count > 0 else {
            throw .notBase64URL(encoded, .header, "the header")
        }
        return try withScratch(of: UInt8.self, capacity: count) { (bytes) throws(JOSEError) in
            guard Base64URL.decode(encoded, into: &bytes) else {
                throw .notBase64URL(encoded, .header, "the header")
            }
            return try JSONText.scanned(
                bytes.span, limits, at: .header, naming: HeaderText.member
            ) {
                (text, tree) throws(JOSEError) in
                try body(
                    HeaderFields(text, tree, limits, understanding: extensions), text, tree)
            }
        }
    }
}
