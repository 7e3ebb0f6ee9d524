// Finding a byte.

internal import CJOSEBytes

/// Where a byte stands in a text: the first five places, in order.
package struct Places {
    /// How many there are; five means five or more.
    package let count: Int
    /// What stands behind `count` has no meaning.
    package let place: (Int, Int, Int, Int, Int)

    /// Looks for `byte` from the start, once over the text.
    ///
    /// - Parameter outer: Looks for the first three and the last, without a look at a long text between them: where the last one is
    ///   among the last 64 bytes, more may lie there. Where it is not, the whole text is looked at all the same.
    package init(of byte: UInt8, in bytes: Span<UInt8>, outer: Bool = false) {
        let found = unsafe bytes.withUnsafeBufferPointer { buffer in
            // Safe: nothing is read where there is no base address, as the count is 0.
            unsafe outer
                ? josebytes_find_outer(buffer.baseAddress, buffer.count, byte)
                : josebytes_find(buffer.baseAddress, buffer.count, byte)
        }
        count = found.count
        place = found.position
    }
}

extension Span where Element == UInt8 {
    /// Whether it holds a space, a control character below it or `byte`.
    package func holdsSpace(or byte: UInt8) -> Bool {
        unsafe withUnsafeBufferPointer { buffer in
            // Safe: nothing is read where there is no base address, as the count is 0.
            unsafe josebytes_has_space_or(byte, buffer.baseAddress, buffer.count)
        }
    }
}
