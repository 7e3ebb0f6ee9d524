// Eight bytes of a Span at a time, with the bounds checked.

extension Span where Element == UInt8 {
    /// The byte at `index`, or 0 behind the end.
    @inline(__always)
    func byte(at index: Int) -> UInt8 {
        UInt(bitPattern: index) < UInt(bitPattern: count) ? self[index] : 0
    }

    /// The eight bytes from `index`, the first one in the lowest bits.
    @inline(__always)
    func word(at index: Int) -> UInt64 {
        precondition(index >= 0 && index &+ 8 <= count, "a word outside the bytes")
        // Safe: the precondition.
        return unsafe UInt64(
            littleEndian: bytes.unsafeLoadUnaligned(
                fromUncheckedByteOffset: index, as: UInt64.self))
    }
}
