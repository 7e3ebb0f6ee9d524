// Names compare byte for byte: for `==` some letters that differ are equal, as K and the Kelvin sign.

import JOSEBytes

extension String {
    /// Whether both are the same bytes in UTF-8 (RFC 7515, 10.13: no normalisation).
    @inlinable
    @inline(__always)
    package func isExactly(_ other: String) -> Bool {
        // Most names that are compared have other lengths, which costs neither a look at their bytes nor a call.
        utf8.count == other.utf8.count && hasBytes(of: other)
    }

    @usableFromInline
    func hasBytes(of other: String) -> Bool { equal(utf8.span, other.utf8.span) }

    /// Whether both are the same bytes in UTF-8.
    package func isExactly(_ other: StaticString) -> Bool {
        utf8.count == other.utf8CodeUnitCount && equal(utf8.span, other)
    }
}
