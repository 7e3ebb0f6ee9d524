// Finding a byte.

internal import CJOSEBytes

/// The place of the first `byte` at or behind `start`; nil where there is none.
package func firstIndex(of byte: UInt8, in bytes: Span<UInt8>, from start: Int) -> Int? {
    guard start < bytes.count else { return nil }
    return unsafe bytes.withUnsafeBufferPointer { buffer in
        guard let base = buffer.baseAddress else { return nil }
        // Safe: start lies within the buffer.
        let found = unsafe josebytes_find(base + start, buffer.count - start, byte)
        return found < buffer.count - start ? start + found : nil
    }
}
