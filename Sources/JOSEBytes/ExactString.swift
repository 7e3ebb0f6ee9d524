// ExactString: a String that is compared by its bytes, as JOSE compares names.

/// A string that equals another only if both have the same UTF-8 bytes (RFC 7515, 10.13). As a
/// `String`, "é" equals "e" with a combining accent, and K equals the Kelvin sign: a dictionary
/// would confuse the names of different parties. The seeded hash prevents chosen collisions.
package struct ExactString: Sendable, Hashable {
    package let text: String

    package init(_ text: String) { self.text = text }

    package init?(_ text: String?) {
        guard let text else { return nil }
        self.text = text
    }

    package static func == (a: ExactString, b: ExactString) -> Bool {
        a.text.utf8.count == b.text.utf8.count && equal(a.text.utf8.span, b.text.utf8.span)
    }

    package func hash(into hasher: inout Hasher) {
        let bytes = text.utf8.span
        hasher.combine(NameHash.of(bytes, 0, bytes.count))
    }
}
