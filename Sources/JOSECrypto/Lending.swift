// Lending spans to C: the pointer lives for the call and no longer.

typealias Bytes = UnsafePointer<UInt8>
typealias MutableBytes = UnsafeMutablePointer<UInt8>

extension Span<UInt8> {
    /// Lends the bytes as pointer and length; the pointer may be nil where there are none.
    @inline(__always)
    func lend<R>(_ body: (Bytes?, Int) -> R) -> R {
        // Safe: the pointer is used by one C call inside the closure, with its length.
        unsafe withUnsafeBufferPointer { unsafe body($0.baseAddress, $0.count) }
    }
}

extension MutableSpan<UInt8> {
    /// Lends the bytes for writing.
    @inline(__always)
    mutating func lend<R>(_ body: (MutableBytes?, Int) -> R) -> R {
        // Safe: as above; the span is borrowed exclusively for the call.
        unsafe withUnsafeMutableBufferPointer { unsafe body($0.baseAddress, $0.count) }
    }
}
