// A text as a key: by its bytes, as JOSE compares names, and not by what Unicode takes for equal.

/// A text that equals another only where both are the same bytes in UTF-8 (RFC 7515, 10.13: no normalisation).
///
/// For `String` "é" and "e" with an accent behind it are equal, and so are K and the Kelvin sign: a table or a set of them
/// takes one stranger's name for another's. The hash cannot be foreseen, so that nobody chooses names that collide.
package struct ExactText: Sendable, Hashable {
    package let text: String

    package init(_ text: String) { self.text = text }

    package static func == (a: ExactText, b: ExactText) -> Bool {
        a.text.utf8.count == b.text.utf8.count && equal(a.text.utf8.span, b.text.utf8.span)
    }

    package func hash(into hasher: inout Hasher) {
        let bytes = text.utf8.span
        hasher.combine(NameHash.of(bytes, 0, bytes.count))
    }
}
