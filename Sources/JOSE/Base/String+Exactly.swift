// Compares names byte for byte. With `==`, some different characters are equal, such as K and the
// Kelvin sign.

import JOSEBytes

extension String {
    /// Whether both strings have the same UTF-8 bytes (RFC 7515, 10.13: no normalisation).
    @inlinable
    @inline(__always)
    package func isExactly(_ other: String) -> Bool {
        // Most compared names differ in length, which costs neither a read nor a call.
        utf8.count == other.utf8.count && hasBytes(of: other)
    }

    @usableFromInline
    func hasBytes(of other: String) -> Bool { equal(utf8.span, other.utf8.span) }

    /// Whether both strings have the same UTF-8 bytes.
    package func isExactly(_ other: StaticString) -> Bool {
        utf8.count == other.utf8CodeUnitCount && equal(utf8.span, other)
    }
}
