// ByteOffsets: the first five offsets of a byte in a text.

internal import CJOSEBytes

package struct ByteOffsets {
    /// The number of offsets found; five means five or more.
    package let count: Int
    /// The offsets. Those from index `count` on have no meaning.
    package let offsets: (Int, Int, Int, Int, Int)

    /// `firstAndLast` skips the offsets between the third and the last, if the last one is within
    /// the last 64 bytes. The fourth offset is then the last.
    package init(of byte: UInt8, in bytes: Span<UInt8>, firstAndLast: Bool = false) {
        let found = unsafe bytes.withUnsafeBufferPointer { buffer in
            // Safe: without a base address the count is 0 and nothing is read.
            unsafe firstAndLast
                ? josebytes_find_first_and_last(buffer.baseAddress, buffer.count, byte)
                : josebytes_find(buffer.baseAddress, buffer.count, byte)
        }
        count = found.count
        offsets = found.position
    }
}

extension Span where Element == UInt8 {
    /// Whether the text has `byte`, a space or a control character below the space.
    package func containsSpace(or byte: UInt8) -> Bool {
        unsafe withUnsafeBufferPointer { buffer in
            // Safe: without a base address the count is 0 and nothing is read.
            unsafe josebytes_has_space_or(byte, buffer.baseAddress, buffer.count)
        }
    }
}
