// Compares strings byte for byte. By `==`, K and the Kelvin sign are equal.

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

    package func isExactly(_ other: StaticString) -> Bool {
        utf8.count == other.utf8CodeUnitCount && equal(utf8.span, other)
    }
}
