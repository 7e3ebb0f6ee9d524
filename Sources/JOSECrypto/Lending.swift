// Lending spans to C: the pointer lives for the call and no longer.

typealias Bytes = UnsafePointer<UInt8>
typealias MutableBytes = UnsafeMutablePointer<UInt8>

extension Span<UInt8> {
    /// Lends the bytes as pointer and length; the pointer may be nil where there are none.
    @inline(__always)
    func withPointer<R>(_ body: (Bytes?, Int) -> R) -> R {
        // Safe: the pointer is used by one C call inside the closure, with its length.
        unsafe withUnsafeBufferPointer { unsafe body($0.baseAddress, $0.count) }
    }
}

extension MutableSpan<UInt8> {
    /// Lends the bytes for writing.
    @inline(__always)
    mutating func withPointer<R, Fault: Error>(
        _ body: (MutableBytes?, Int) throws(Fault) -> R
    ) throws(Fault) -> R {
        // Safe: as above; the span is borrowed exclusively for the call.
        try unsafe withUnsafeMutableBufferPointer { (buffer) throws(Fault) in
            try unsafe body(buffer.baseAddress, buffer.count)
        }
    }
}

/// Lends several byte strings as the arrays of pointers and sizes that C takes.
func withPointers<R>(
    _ strings: [[UInt8]],
    _ body: (UnsafePointer<UnsafePointer<UInt8>?>?, UnsafePointer<Int>?) -> R
) -> R {
    // One buffer for all: a pointer into it stays where it is while the closure runs.
    let joined = Array(strings.joined())
    let sizes = strings.map(\.count)
    return unsafe joined.withUnsafeBufferPointer { buffer in
        var at = 0
        var pointers = unsafe [UnsafePointer<UInt8>?]()
        for size in sizes {
            // Safe: the parts lie one behind the other within the buffer.
            unsafe pointers.append(buffer.baseAddress.map { unsafe $0 + at })
            at += size
        }
        return unsafe pointers.withUnsafeBufferPointer { pointers in
            unsafe sizes.withUnsafeBufferPointer { sizes in
                unsafe body(pointers.baseAddress, sizes.baseAddress)
            }
        }
    }
}
