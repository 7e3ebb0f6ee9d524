// Pointers to spans for C calls, valid during the call only.

typealias Bytes = UnsafePointer<UInt8>
typealias MutableBytes = UnsafeMutablePointer<UInt8>

extension Span<UInt8> {
    /// The pointer may be nil for an empty span.
    @inline(__always)
    func withPointer<R>(_ body: (Bytes?, Int) -> R) -> R {
        // Safe: one C call inside the closure uses the pointer, with its length.
        unsafe withUnsafeBufferPointer { unsafe body($0.baseAddress, $0.count) }
    }
}

extension MutableSpan<UInt8> {
    @inline(__always)
    mutating func withPointer<R, Failure: Error>(
        _ body: (MutableBytes?, Int) throws(Failure) -> R
    ) throws(Failure) -> R {
        // Safe: as above; the call has exclusive access to the span.
        try unsafe withUnsafeMutableBufferPointer { (buffer) throws(Failure) in
            try unsafe body(buffer.baseAddress, buffer.count)
        }
    }
}

func withPointers<R>(
    _ strings: [[UInt8]],
    _ body: (UnsafePointer<UnsafePointer<UInt8>?>?, UnsafePointer<Int>?) -> R
) -> R {
    // One buffer for all strings: pointers into it are stable while the closure runs.
    let joined = Array(strings.joined())
    let sizes = strings.map(\.count)
    return unsafe joined.withUnsafeBufferPointer { buffer in
        var at = 0
        var pointers = unsafe [UnsafePointer<UInt8>?]()
        for size in sizes {
            // Safe: the parts follow one another within the buffer.
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
