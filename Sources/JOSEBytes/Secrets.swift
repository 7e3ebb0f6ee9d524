// Wipes and compares bytes, and gives scratch memory.

internal import CJOSEBytes

/// Sets all bytes to zero. The compiler cannot remove the call.
@usableFromInline
package func wipe(_ bytes: inout MutableSpan<UInt8>) {
    unsafe bytes.withUnsafeMutableBufferPointer { buffer in
        guard let base = buffer.baseAddress else { return }
        unsafe josebytes_wipe(base, buffer.count)
    }
}

package func wipe(_ bytes: inout MutableSpan<UInt8>, from start: Int) {
    unsafe bytes.withUnsafeMutableBufferPointer { buffer in
        guard let base = buffer.baseAddress, 0..<buffer.count ~= start else { return }
        // Safe: the index is within the buffer.
        unsafe josebytes_wipe(base + start, buffer.count - start)
    }
}

/// Calls `body` with a copy of a secret as an array, and wipes the copy. The original stays.
package func withWipedCopy<R, E: Error>(
    of secret: some Collection<UInt8>, _ body: ([UInt8]) throws(E) -> R
) throws(E) -> R {
    var bytes = Array(secret)
    defer {
        var span = bytes.mutableSpan
        wipe(&span)
    }
    return try body(bytes)
}

/// Whether two byte strings are equal. The time depends only on their lengths.
package func equalConstantTime(_ a: Span<UInt8>, _ b: Span<UInt8>) -> Bool {
    guard a.count == b.count else { return false }
    return unsafe a.withUnsafeBufferPointer { first in
        unsafe b.withUnsafeBufferPointer { second in
            guard let p = first.baseAddress, let q = second.baseAddress else { return true }
            return unsafe josebytes_equal_constant_time(p, q, first.count)
        }
    }
}

/// Whether two public byte strings are equal.
package func equal(_ a: Span<UInt8>, _ b: Span<UInt8>) -> Bool {
    guard a.count == b.count else { return false }
    var at = 0
    while at &+ 8 <= a.count {
        if a.word(at: at) != b.word(at: at) { return false }
        at &+= 8
    }
    // The last word may overlap the word before it.
    if a.count >= 8 { return a.word(at: a.count &- 8) == b.word(at: a.count &- 8) }
    return a.lastWord(0, a.count) == b.lastWord(0, a.count)
}

package func equal(_ a: Span<UInt8>, _ text: StaticString) -> Bool {
    guard a.count == text.utf8CodeUnitCount else { return false }
    return text.withUTF8Buffer { source in
        // Safe: the literal outlives the call.
        equal(a, unsafe Span(_unsafeElements: source))
    }
}

/// Calls `body` with uninitialised memory for `capacity` elements, on the stack if it is small.
/// With `wiping`, all of the memory is zeroed before it is released.
@inlinable
@inline(__always)
package func withScratch<T: BitwiseCopyable, R: ~Copyable, E: Error>(
    of type: T.Type, capacity: Int, wiping: Bool = false,
    _ body: (inout OutputSpan<T>) throws(E) -> R
) throws(E) -> R {
    try unsafe withUnsafeTemporaryAllocation(of: type, capacity: capacity) {
        (buffer) throws(E) -> R in
        var out = unsafe OutputSpan(buffer: buffer, initializedCount: 0)
        defer {
            if wiping {
                unsafe UnsafeMutableRawBufferPointer(buffer).withMemoryRebound(to: UInt8.self) {
                    guard let base = $0.baseAddress else { return }
                    unsafe wipeScratch(base, $0.count)
                }
            }
        }
        return try body(&out)
    }
}

/// Wipes memory for `withScratch`, which is inlined into modules that do not see C.
@usableFromInline
package func wipeScratch(_ bytes: UnsafeMutablePointer<UInt8>, _ count: Int) {
    unsafe josebytes_wipe(bytes, count)
}
