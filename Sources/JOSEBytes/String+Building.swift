// Builds a String in one allocation.

extension String {
    @inlinable
    @inline(__always)
    package init<E: Error>(
        asciiCapacity: Int,
        initializingWith initializer: (inout OutputSpan<UInt8>) throws(E) -> Void
    ) throws(E) {
        try self.init(utf8Capacity: asciiCapacity, initializingWith: initializer)
    }

    /// If `initializer` throws, what it wrote is wiped.
    @inlinable
    @inline(__always)
    package init<E: Error>(
        utf8Capacity: Int, initializingWith initializer: (inout OutputSpan<UInt8>) throws(E) -> Void
    ) throws(E) {
        var failure: E?
        self = unsafe String(unsafeUninitializedCapacity: utf8Capacity) { buffer in
            let target = unsafe UnsafeMutableBufferPointer(rebasing: buffer[..<utf8Capacity])
            var out = unsafe OutputSpan(buffer: target, initializedCount: 0)
            do throws(E) {
                try initializer(&out)
                return unsafe out.finalize(for: target)
            } catch {
                failure = error
                var written = out.mutableSpan
                wipe(&written)
                return 0
            }
        }
        if let failure { throw failure }
    }

    package init(copying bytes: Span<UInt8>) {
        self.init(utf8Capacity: bytes.count) { $0.append(copying: bytes) }
    }
}
