// Reads up to eight bytes of a Span at once, with bounds checks.

extension Span where Element == UInt8 {
    /// Returns the byte at `index`; 0 outside the span.
    @inline(__always)
    func byte(at index: Int) -> UInt8 {
        UInt(bitPattern: index) < UInt(bitPattern: count) ? self[index] : 0
    }

    /// Returns the eight bytes from `index`, the first byte lowest. Traps if fewer are left.
    @inlinable
    @inline(__always)
    func word(at index: Int) -> UInt64 {
        precondition(index >= 0 && index &+ 8 <= count, "word out of bounds")
        // Safe: the precondition.
        return unsafe UInt64(
            littleEndian: bytes.unsafeLoadUnaligned(
                fromUncheckedByteOffset: index, as: UInt64.self))
    }

    /// Returns the four bytes from `index`, the first byte lowest; nil if fewer are left.
    @inlinable
    @inline(__always)
    func halfWord(at index: Int) -> UInt32? {
        guard index >= 0 && index &+ 4 <= count else { return nil }
        // Safe: the guard.
        return unsafe UInt32(
            littleEndian: bytes.unsafeLoadUnaligned(
                fromUncheckedByteOffset: index, as: UInt32.self))
    }

    /// Returns the last eight bytes of a range, the first byte lowest. A shorter range gives all
    /// its bytes, with zeros above them.
    @inlinable
    @inline(__always)
    func lastWord(_ start: Int, _ end: Int) -> UInt64 {
        let few = end &- start
        if few >= 8 { return word(at: end &- 8) }
        if start &+ 8 <= count {
            return word(at: start) & ((1 &<< (UInt64(truncatingIfNeeded: few) &* 8)) &- 1)
        }
        // The eight bytes from `start` would pass the end: smaller reads give the same number.
        if few >= 4 {
            let first = UInt64(halfWord(at: start) ?? 0)
            return first | UInt64(halfWord(at: end &- 4) ?? 0) &<< (UInt64(few &- 4) &* 8)
        }
        guard few > 0 else { return 0 }
        // One to three bytes: the first, the middle and the last are all of them.
        let (middle, last) = (few >> 1, few &- 1)
        return UInt64(self[start]) | UInt64(self[start &+ middle]) &<< (UInt64(middle) &* 8)
            | UInt64(self[start &+ last]) &<< (UInt64(last) &* 8)
    }
}
