// Raw DEFLATE with zlib, with a limit on the output.

internal import CJOSECrypto
internal import JOSEBytes

/// Why compression or decompression failed.
package enum CompressionError: Error {
    /// The input is not one complete stream, or data follows it.
    case malformed
    /// The output exceeds the limit.
    case tooLong
    /// Memory failed.
    case failure
    /// The installed zlib has another version than the one that the package was compiled with.
    case unsupported
}

/// Raw DEFLATE (RFC 1951).
package enum Deflate {
    /// Decompresses into an array of the exact size, with at most `limit` bytes and zlib's window
    /// in memory.
    package static func inflate(
        _ compressed: Span<UInt8>, atMost limit: Int
    ) throws(CompressionError) -> [UInt8] {
        try withScratch(of: UInt8.self, capacity: max(limit, 1), wiping: false) {
            (out) throws(CompressionError) in
            var count = max(limit, 0)
            var isLonger = false
            let status = unsafe out.withUnsafeMutableBufferPointer { buffer, initialized in
                // Safe: C writes at most `count` bytes, and returns how many.
                let status = unsafe compressed.withPointer { text, textCount in
                    unsafe jose_inflate(buffer.baseAddress, &count, &isLonger, text, textCount)
                }
                initialized = count
                return status
            }
            guard status == .JOSE_OK else {
                throw switch status {
                case .JOSE_REJECTED: isLonger ? .tooLong : .malformed
                case .JOSE_UNSUPPORTED: .unsupported
                default: .failure
                }
            }
            defer {
                var bytes = out.mutableSpan
                wipe(&bytes)
            }
            return [UInt8](byteCapacity: count) { $0.append(copying: out.span) }
        }
    }

    /// Compresses into an array of the exact size.
    package static func compress(_ text: Span<UInt8>) throws(CompressionError) -> [UInt8] {
        let bound = jose_deflate_bound(text.count)
        guard bound > 0 else { throw .tooLong }
        return try withScratch(of: UInt8.self, capacity: bound) { (out) throws(CompressionError) in
            var count = bound
            let status = unsafe out.withUnsafeMutableBufferPointer { buffer, initialized in
                // Safe: C writes at most `count` bytes, and returns how many.
                let status = unsafe text.withPointer { text, textCount in
                    unsafe jose_deflate(buffer.baseAddress, &count, text, textCount)
                }
                initialized = count
                return status
            }
            guard status == .JOSE_OK else {
                throw status == .JOSE_UNSUPPORTED ? .unsupported : .failure
            }
            return [UInt8](byteCapacity: count) { $0.append(copying: out.span) }
        }
    }
}
