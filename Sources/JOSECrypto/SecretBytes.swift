// Secret bytes with one owner, wiped on deinitialisation.

internal import JOSEBytes

/// A secret of fixed size, wiped on deinitialisation. Never print or compare it.
package final class SecretBytes: Sendable {
    package var count: Int { memory.count }
    private let memory: SecretMemory

    /// `filling` appends up to `count` bytes; the rest is zero.
    package init<E: Error>(
        count: Int, filling: (inout OutputSpan<UInt8>) throws(E) -> Void
    ) throws(E) {
        memory = try SecretMemory(count: count, filling: filling)
    }

    /// The caller wipes its own copy.
    package convenience init(copying bytes: Span<UInt8>) {
        self.init(count: bytes.count) { out in
            out.append(copying: bytes)
        }
    }

    /// The caller wipes its own copy.
    package convenience init(copying bytes: some Collection<UInt8>) {
        self.init(count: bytes.count) { out in
            for byte in bytes { out.append(byte) }
        }
    }

    package func withSpan<R: ~Copyable, E: Error>(
        _ body: (Span<UInt8>) throws(E) -> R
    ) throws(E) -> R {
        // Safe: the buffer lives as long as self and is never written after init.
        let buffer = unsafe memory.buffer
        return try body(unsafe buffer.span)
    }
}

/// Owns the memory of a secret. `@unchecked Sendable`: the bytes are never written after `init`.
@safe
private struct SecretMemory: ~Copyable, @unchecked Sendable {
    let buffer: UnsafeBufferPointer<UInt8>
    var count: Int { unsafe buffer.count }

    init<E: Error>(
        count: Int, filling: (inout OutputSpan<UInt8>) throws(E) -> Void
    ) throws(E) {
        let memory = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: count)
        unsafe memory.initialize(repeating: 0)
        do {
            var out = unsafe OutputSpan(buffer: memory, initializedCount: 0)
            try filling(&out)
            _ = unsafe out.finalize(for: memory)
        } catch {
            unsafe wipeAndFree(memory)
            throw error
        }
        unsafe buffer = UnsafeBufferPointer(memory)
    }

    deinit {
        // Safe: allocated in init with this count, and not shared.
        unsafe wipeAndFree(UnsafeMutableBufferPointer(mutating: buffer))
    }
}

private func wipeAndFree(_ memory: UnsafeMutableBufferPointer<UInt8>) {
    var bytes = unsafe memory.mutableSpan
    wipe(&bytes)
    unsafe memory.deallocate()
}

extension SecretBytes: RedactedDescription {}
