// Eight bytes of a Span at a time, with the bounds checked.

extension Span where Element == UInt8 {
    /// The byte at `index`, or 0 behind the end.
    @inline(__always)
    func byte(at index: Int) -> UInt8 {
        UInt(bitPattern: index) < UInt(bitPattern: count) ? self[index] : 0
    }

    /// The eight bytes from `index`, the first one in the lowest bits.
    @inlinable
    @inline(__always)
    func word(at index: Int) -> UInt64 {
        precondition(index >= 0 && index &+ 8 <= count, "a word outside the bytes")
        // Safe: the precondition.
        return unsafe UInt64(
            littleEndian: bytes.unsafeLoadUnaligned(
                fromUncheckedByteOffset: index, as: UInt64.self))
    }

    /// The four bytes from `index`, the first one in the lowest bits; nil where fewer are left.
    @inlinable
    @inline(__always)
    func halfWord(at index: Int) -> UInt32? {
        guard index >= 0 && index &+ 4 <= count else { return nil }
        // Safe: the guard.
        return unsafe UInt32(
            littleEndian: bytes.unsafeLoadUnaligned(
                fromUncheckedByteOffset: index, as: UInt32.self))
    }

    /// The last eight bytes before `end`; where only fewer lie behind `start`, those, with zeros above them.
    @inlinable
    @inline(__always)
    func lastWord(_ start: Int, _ end: Int) -> UInt64 {
        let few = end &- start
        if few >= 8 { return word(at: end &- 8) }
        if start &+ 8 <= count {
            return word(at: start) & ((1 &<< (UInt64(truncatingIfNeeded: few) &* 8)) &- 1)
        }
        // The same number where the bytes end.
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
