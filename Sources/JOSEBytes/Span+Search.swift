// Finding a byte.

internal import CJOSEBytes

/// Where a byte stands in a text: the first five places, in order.
package struct Places {
    /// How many there are; five means five or more.
    package let count: Int
    /// What stands behind `count` has no meaning.
    package let place: (Int, Int, Int, Int, Int)

    /// Looks for `byte` from the start, once over the text.
    package init(of byte: UInt8, in bytes: Span<UInt8>) {
        let found = unsafe bytes.withUnsafeBufferPointer { buffer in
            // Safe: nothing is read where there is no base address, as the count is 0.
            unsafe josebytes_find(buffer.baseAddress, buffer.count, byte)
        }
        count = found.count
        place = found.place
    }
}
