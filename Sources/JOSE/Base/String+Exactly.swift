// Names compare byte for byte: for `==` some letters that differ are equal, as K and the Kelvin sign.

import JOSEBytes

extension String {
    /// Whether both are the same bytes in UTF-8 (RFC 7515, 10.13: no normalisation).
    package func isExactly(_ other: String) -> Bool { equal(utf8.span, other.utf8.span) }

    /// Whether both are the same bytes in UTF-8.
    package func isExactly(_ other: StaticString) -> Bool { equal(utf8.span, other) }
}
