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
        unsafe self.init(bytes) { unsafe josebytes_find($0, $1, byte) }
    }

    /// Looks for the first three and the last, without a look at a long text between them: where the last one is among
    /// the last 64 bytes, more may lie there. Else the same as `init(of:in:)`.
    package init(outer byte: UInt8, in bytes: Span<UInt8>) {
        unsafe self.init(bytes) { unsafe josebytes_find_outer($0, $1, byte) }
    }

    @inline(__always)
    private init(
        _ bytes: Span<UInt8>, _ find: (UnsafePointer<UInt8>?, Int) -> josebytes_places
    ) {
        let found = unsafe bytes.withUnsafeBufferPointer { buffer in
            // Safe: nothing is read where there is no base address, as the count is 0.
            unsafe find(buffer.baseAddress, buffer.count)
        }
        count = found.count
        place = found.place
    }
}
